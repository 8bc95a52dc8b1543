package conform

import (
	"slices"
	"strings"
)

// bindings are what names of a file stand for, as far as the diff shows the file: what
// its imports give, and what is declared as, or made from, such a thing.
type bindings struct {
	imported map[string][]*Rule
	dotted   map[string][]*Rule // imported under a name with dots in it
	held     map[string][]*Rule
	near     map[Surface]bool // of which the file imports something
}

// mostJoined is over how many lines an import may go.
const mostJoined = 60

// bind reads a file's imports and declarations, the lines before and after alike.
func (x *index) bind(l *Language, hunks [][]Line) *bindings {
	b := &bindings{imported: map[string][]*Rule{}, dotted: map[string][]*Rule{}, held: map[string][]*Rule{}, near: map[Surface]bool{}}
	for _, hunk := range hunks {
		for i := 0; i < len(hunk); i++ {
			if !mayImport(l, hunk[i].Text) {
				continue
			}
			line := strings.TrimRight(hunk[i].Text, "\r")
			for n := i + 1; n < len(hunk) && n < i+mostJoined && l.Name != "go" && opened(line); n++ {
				line += " " + strings.TrimSpace(hunk[n].Text)
			}
			b.importLine(x, l, line)
		}
	}
	if l.Name == "yaml" || len(l.Imports) == 0 && len(l.Binds) == 0 {
		return b
	}
	for range 2 { // what is made from what was made
		for _, hunk := range hunks {
			for _, line := range hunk {
				b.declare(x, l, line.Text)
			}
		}
		if len(b.held) == 0 {
			break
		}
	}
	return b
}

// mayImport is a cheap look at a line, whether it may be an import.
func mayImport(l *Language, line string) bool {
	if l.Name == "go" {
		return strings.IndexByte(line, '"') >= 0 && len(line) < 300
	}
	for _, w := range []string{"import", "require", "use ", "using ", "#include", "# include", "extern crate"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// opened reports whether a bracket of an import is not closed.
func opened(line string) bool {
	return strings.Count(line, "{") > strings.Count(line, "}") || strings.Count(line, "(") > strings.Count(line, ")")
}

func (b *bindings) importLine(x *index, l *Language, line string) {
	for _, re := range l.imports {
		m := re().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		names := l.namesIn(line)
		rest := ""
		if len(m) > 2 {
			rest = m[2]
		}
		whole := x.rulesFor(m[1])
		for _, rule := range whole {
			b.near[rule.Surface] = true
		}
		if len(names) == 0 && l.Last {
			names = []string{lastName(l, m[1])}
		}
		for _, name := range names {
			rules := whole
			if len(rules) == 0 && rest != "" && l.Separator != "" {
				rules = x.rulesFor(strings.TrimSuffix(m[1], l.Separator) + l.Separator + name)
			}
			b.add(name, rules)
			if root, _, _ := strings.Cut(strings.ReplaceAll(m[1], "::", "/"), "/"); len(rules) == 0 && slices.Contains(l.Neutral, root) {
				b.imported[name] = []*Rule{}
			}
		}
		if l.Name == "rust" {
			crate, _, _ := strings.Cut(m[1], "::")
			b.add(crate, x.rulesFor(crate))
		}
		return
	}
}

func (b *bindings) add(name string, rules []*Rule) {
	into := b.imported
	if strings.Contains(name, ".") {
		into = b.dotted
	}
	for _, rule := range rules {
		b.near[rule.Surface] = true
		if name != "" && name != "_" && !slices.Contains(into[name], rule) {
			into[name] = append(into[name], rule)
		}
	}
}

// namesIn are the names that an import says itself.
func (l *Language) namesIn(line string) []string {
	var out []string
	for _, re := range l.binds {
		m := re().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for part := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return strings.ContainsRune("{}(),;", r) }) {
			if _, after, ok := strings.Cut(part, ": "); ok { // JavaScript renames so
				part = after
			}
			words := strings.Fields(part)
			if len(words) == 0 {
				continue
			}
			if name := strings.Trim(words[len(words)-1], ":;'\""); name != "import" && nameOnly().MatchString(name) && (len(words) < 3 || words[len(words)-2] == "as") {
				out = append(out, name)
			}
		}
	}
	return out
}

var nameOnly = lazy(`^[A-Za-z_$][\w$.]*$`)

// lastName is how a module is called that no name is given to.
func lastName(l *Language, module string) string {
	parts := strings.FieldsFunc(module, func(r rune) bool { return strings.ContainsRune(`/.:\`, r) })
	if l.Name == "go" {
		parts = strings.Split(module, "/")
		if n := len(parts); n > 1 && goVersion().MatchString(parts[n-1]) {
			parts = parts[:n-1]
		}
		last := parts[len(parts)-1]
		last, _, _ = strings.Cut(last, ".v")
		last = strings.TrimSuffix(strings.TrimPrefix(last, "go-"), "-go")
		return strings.ReplaceAll(last, "-", "")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Trim(parts[len(parts)-1], "*;")
}

var goType = lazy(`^\.([A-Z]\w*)(?:[ ),;]|$)`)

var goVersion = lazy(`^v\d+$`)

// The forms of a declaration, with the type or maker left out: what stands before it and
// behind it.
var (
	beforeMade  = lazy(`(?:^|[\s(,;{])(?:this\.|self\.|@|\$this->|\$)?(?:\w+\.)?([A-Za-z_]\w*)(?:\s*,\s*\w+)?\s*(?::\s*[\w<>\[\]., |?&*]+)?:?=\s*(?:await\s+|new\s+|try[!?]?\s+|yield\s+|&|\*)*(?:\w+(?:\.|::))?$`)
	behindMade  = lazy(`^(?:(?:\.|::)(\w+))*\s*(?:<[^>()]*>)?(?:::<[^>()]*>)?\s*\(`)
	beforeTyped = lazy(`([A-Za-z_]\w*)[?!]?\s*:\s*(?:&(?:'\w+\s+)?)?(?:mut\s+)?(?:[\w.:]+[<\[]\s*)*(?:dyn\s+|impl\s+|any\s+|some\s+|typeof\s+)?(?:\w+(?:\.|::))?$`)
	behindType  = lazy(`^(?:\.\w+)*(?:<[^>]*>)?(?:\[\])?[?*&]?\s+[?*&]?\$?([A-Za-z_]\w*)\s*(?:[;=,){]|$)`)
	beforeGo    = lazy(`(?:^|[\s(,])([A-Za-z_]\w*)\s+(?:\*|\[\])*$`)
	maker       = lazy(`(?i)^(?:new\w*|open\w*|create\w*|connect\w*|init\w*|dial\w*|default|from\w*|build\w*|router|app|server|\w*session|engine|\w*client|resource|instance|make\w*|must\w*|of|pool|database|db|cluster|channel|bucket|builder|table|collection|producer|consumer|publisher|sender|parse\w*|load\w*config|command\w*|register\w*|object|topic|queue|subscription|socket\w*|listen\w*|spawn|start\w*)$`)
	noName      = lazy(`^(?:err|ok|_|ctx|data|result|results|res|resp|response|reply|args|opts|options|params|e|ex|error|self|this|value|name|id|item|items|return|case|go|defer|if|else|new|await|in|throw|yield|import|from|extends|implements|type|var|const|let|val|final|func|def|fn|class|public|private|protected|static|export|default|body|text|status|headers|url|key|message|msg|event|exception|T|K|V)$`)
)

// declare adds the names that a line declares as, or makes from, what is known.
func (b *bindings) declare(x *index, l *Language, line string) {
	if len(line) > 400 {
		return
	}
	for at := 0; at < len(line); {
		from, to := nextName(line, at)
		if from < 0 {
			return
		}
		at = to
		word := line[from:to]
		rules := b.imported[word]
		if rules == nil {
			rules = b.held[word]
		}
		if rules == nil && word[0] >= 'A' && word[0] <= 'Z' {
			rules = x.typeRules(word)
		}
		if rules == nil && l.Name == "go" && strings.HasPrefix(line[to:], ".") {
			if m := goType().FindStringSubmatch(line[to:]); m != nil {
				rules = x.typeRules("*" + word + "." + m[1])
			}
		}
		if rules == nil {
			rules = x.madeBy(word, line[to:])
		}
		if rules == nil {
			continue
		}
		if name := declared(l, line[:from], line[to:], word[0] >= 'A' && word[0] <= 'Z'); name != "" && b.imported[name] == nil && !noName().MatchString(name) {
			for _, rule := range rules {
				if !slices.Contains(b.held[name], rule) {
					b.held[name] = append(b.held[name], rule)
				}
			}
		}
	}
}

// declared is the name that a word declares, with what is before and behind it.
func declared(l *Language, before, behind string, upper bool) string {
	if m := behindMade().FindStringSubmatch(behind); m != nil {
		made := m[1] == "" && (upper || l.Name != "go") || maker().MatchString(m[1]) || m[1] != "" && upperFirst(m[1]) && l.Name != "go"
		if name := beforeMade().FindStringSubmatch(before); name != nil && made && !goesOn(behind) {
			return name[1]
		}
	}
	if upper || l.Name == "rust" {
		if name := beforeTyped().FindStringSubmatch(before); name != nil {
			return name[1]
		}
		if name := behindType().FindStringSubmatch(behind); name != nil && l.Name != "go" {
			return name[1]
		}
	}
	if l.Name == "go" && len(behind) > 1 && behind[0] == '.' && upperFirst(behind[1:]) {
		if name := beforeGo().FindStringSubmatch(before); name != nil {
			return name[1]
		}
	}
	return ""
}

func upperFirst(s string) bool { return s != "" && 'A' <= s[0] && s[0] <= 'Z' }

// goesOn reports whether something is asked of what a call gives, so that the name holds
// the answer and not the thing.
func goesOn(behind string) bool {
	depth := 0
	for i := range len(behind) {
		switch behind[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return chained().MatchString(behind[i+1:]) && !stillIt().MatchString(behind[i+1:])
			}
		}
	}
	return false
}

var (
	chained = lazy(`^\s*[?!]?(?:\.|->|\[)`)
	stillIt = lazy(`^\s*[?!]?(?:\.|->)(?:await|build|connect|unwrap|expect|open|create|start|promise|listen)\b`)
)

// nextName finds the next name in code from a place on.
func nextName(s string, at int) (from, to int) {
	for at < len(s) && !nameByte(s[at]) {
		at++
	}
	if at == len(s) {
		return -1, -1
	}
	from = at
	for at < len(s) && (nameByte(s[at]) || '0' <= s[at] && s[at] <= '9') {
		at++
	}
	return from, at
}

func nameByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// deny reports whether what a pattern takes for a thing of its surface is known, by its
// import, as one of another.
func (b *bindings) deny(rule *Rule, p *part, code string) bool {
	if len(b.imported)+len(b.held) == 0 {
		return false
	}
	at := p.re().FindStringIndex(code)
	if at == nil {
		return false
	}
	from, to := nextName(code, at[0])
	if from < 0 || from > at[1] {
		return false
	}
	rules := b.imported[code[from:to]]
	if rules == nil && from == at[0] {
		rules = b.held[code[from:to]]
	}
	return rules != nil && !slices.ContainsFunc(rules, func(r *Rule) bool { return r.Surface == rule.Surface })
}

// madeBy are the rules for what a call makes that is known without an import.
func (x *index) madeBy(word, behind string) []*Rule {
	if !strings.HasPrefix(behind, ".") && !strings.HasPrefix(behind, "::") {
		return nil
	}
	m := behindMade().FindStringSubmatch(behind)
	if len(m) < 2 || m[1] == "" || !maker().MatchString(m[1]) {
		return nil
	}
	return x.callRules(word + "." + m[1] + "(")
}

var handleType = lazy(`(?:Client|Template|Sender|Repository|Dao|Context|Connection|Conn|Manager|Producer|Consumer|Channel|Pool|Database|DB|Db|Collection|Store|Cluster|Driver|Engine|Gateway|Queue|Bus|Publisher|Mailer|Router|Transport|Socket|Filesystem|Bucket|Kafka|Redis|Prisma|Stripe)$`)

// uses gives the rules for what a line of code uses through its names.
func (b *bindings) uses(code string, do func(*Rule)) {
	for name, rules := range b.dotted {
		if i := strings.Index(code, name); i >= 0 && (i == 0 || !nameByte(code[i-1]) && code[i-1] != '.') {
			each(rules, do)
		}
	}
	if len(b.imported)+len(b.held) == 0 {
		return
	}
	for at := 0; at < len(code); {
		from, to := nextName(code, at)
		if from < 0 {
			return
		}
		at = to
		word := code[from:to]
		before, behind := strings.TrimRight(code[:from], " "), code[to:]
		if rules := b.imported[word]; rules != nil && direct(before, behind, len(word)) {
			each(rules, do)
		}
		if rules := b.held[word]; rules != nil && (spokenTo().MatchString(behind) || strings.HasPrefix(behind, "(") && !strings.HasSuffix(before, ".")) {
			each(rules, do)
		}
	}
}

// direct reports whether a name stands for itself there: it is no member of something
// else, and no key.
func direct(before, behind string, length int) bool {
	if strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..") || strings.HasSuffix(before, "->") || strings.HasSuffix(before, "$") {
		return false
	}
	if isKey().MatchString(behind) {
		return false
	}
	return length > 2 || shortUse().MatchString(behind)
}

var (
	isKey    = lazy(`^\s*(?::[^:]|:$|=[^=>])`)
	shortUse = lazy(`^(?:\.|::|\(|<)`)
	spokenTo = lazy(`^(?:[?!]|\(\)|\[[^\]]*\])?(?:\.|->|::)\w|^\s*$`)
)

func each(rules []*Rule, do func(*Rule)) {
	for _, rule := range rules {
		do(rule)
	}
}
