package conform

import "strings"

// How far up a line looks for what it goes on with.
const (
	mostAbove = 40
	mostHeads = 4
)

// headsOf is the code of what a line goes on with: the beginning of a chain of calls
// that it is a link of, and the calls in whose brackets it stands. A line in the body of
// a function that is handed over stands in no call.
func headsOf(lines []lexed, n int) []string {
	var out []string
	if link(lines[n].code) {
		if above := chainOf(lines, n); above != "" {
			out = append(out, above)
		}
	}
	if above := continued(lines, n); above != "" {
		return append(out, above)
	}
	depth := 0
	for i := n - 1; i >= 0 && i > n-mostAbove && len(out) < mostHeads; i-- {
		code := lines[i].code
		for at := len(code) - 1; at >= 0; at-- {
			switch code[at] {
			case ')', ']', '}':
				depth++
			case '(', '[', '{':
				depth--
				if depth >= 0 {
					continue
				}
				depth = 0
				before := strings.TrimRight(code[:at], " \t")
				if code[at] == '{' && strings.TrimSpace(before) == "" && i > 0 {
					before = strings.TrimRight(lines[i-1].code, " \t")
					if made := madeOf(before); made != "" {
						return append(out, made)
					}
				}
				if code[at] == '{' && !listed(before, code[:at]) {
					return out
				}
				if code[at] == '(' {
					out = append(out, calleeOf(lines, i, before)+"(")
					out = append(out, decorators(lines, i)...)
				}
			}
		}
	}
	return out
}

// link reports whether a line goes on with a chain of calls.
func link(code string) bool {
	code = strings.TrimLeft(code, " \t")
	for _, p := range []string{".", "->", "?.", "?->", "&.", "!."} {
		if strings.HasPrefix(code, p) && !strings.HasPrefix(code, "..") {
			return true
		}
	}
	return false
}

// chainOf is a chain up to a line, on one line.
func chainOf(lines []lexed, n int) string {
	depth := 0
	for i := n - 1; i >= 0 && i > n-mostAbove; i-- {
		code := lines[i].code
		opens, closes := strings.Count(code, "(")+strings.Count(code, "{"), strings.Count(code, ")")+strings.Count(code, "}")
		depth += closes - opens
		if strings.TrimSpace(code) == "" || link(code) || depth > 0 {
			continue
		}
		var b strings.Builder
		b.WriteString(strings.TrimRight(code, " \t"))
		for _, l := range lines[i+1 : n] {
			b.WriteString(strings.TrimSpace(l.code))
		}
		return b.String()
	}
	return ""
}

// continued is the first line of a command that goes on over line ends.
func continued(lines []lexed, n int) string {
	first := n
	for first > 0 && n-first < mostAbove && strings.HasSuffix(strings.TrimRight(lines[first-1].full, " \t"), "\\") {
		first--
	}
	if first == n {
		return ""
	}
	return lines[first].code
}

// madeOf is what an initializer on the next line is for: new T(…).
func madeOf(code string) string {
	i := strings.LastIndex(code, "new ")
	if i < 0 || !strings.HasSuffix(code, ")") && strings.IndexByte(code[i:], '(') >= 0 {
		return ""
	}
	return code[i:]
}

// decorators are the lines with an @ above the head of a function.
func decorators(lines []lexed, i int) []string {
	head := strings.TrimSpace(lines[i].code)
	if !strings.HasPrefix(head, "def ") && !strings.HasPrefix(head, "async def ") {
		return nil
	}
	var out []string
	for i--; i >= 0 && len(out) < mostHeads && strings.HasPrefix(strings.TrimSpace(lines[i].code), "@"); i-- {
		out = append(out, lines[i].code)
	}
	return out
}

// listed reports whether a brace behind code opens a literal, and no block.
func listed(before, whole string) bool {
	if strings.HasSuffix(before, "=>") {
		return false
	}
	if before != "" && before == whole && (nameByte(before[len(before)-1]) || before[len(before)-1] == ']') {
		return true // a composite literal: a block would have a blank before it
	}
	return before == "" || strings.IndexByte("(,:=[{", before[len(before)-1]) >= 0 || strings.HasSuffix(before, "return") || strings.HasSuffix(before, "}")
}

// calleeOf is the last expression of the code before a bracket: what is called there.
func calleeOf(lines []lexed, i int, before string) string {
	if link(before) {
		if first := chainOf(lines, i); first != "" {
			return strings.TrimRight(first, " \t") + strings.TrimLeft(before, " \t")
		}
	}
	depth := 0
	for at := len(before) - 1; at >= 0; at-- {
		switch c := before[at]; {
		case c == ')' || c == ']' || c == '>':
			depth++
		case (c == '(' || c == '[' || c == '<') && depth > 0:
			depth--
		case depth == 0 && strings.IndexByte(" \t(,=[{!;<", c) >= 0:
			rest := before[at:]
			if strings.HasSuffix(before[:at], "new") {
				rest = "new" + rest
			}
			return rest
		}
	}
	return before
}
