package bundle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Disguise replaces what could tell of people, places and secrets. The same text has the
// same pseudonym under the same key, so that one can see what belongs together; who has
// no key cannot try out guesses.
type Disguise struct {
	key    []byte
	words  map[string]bool
	hashes []string
	names  []known
}

// known is a text that has a kind.
type known struct{ text, as string }

// NewDisguise begins one. Words of the vocabulary, which are the program's own and git's,
// are let through in prose.
func NewDisguise(key string, vocabulary ...string) *Disguise {
	d := &Disguise{key: []byte(key), words: map[string]bool{}}
	for _, text := range append(vocabulary, gitWords) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if word == strings.ToLower(word) {
				d.words[word] = true
			}
		}
	}
	for _, word := range []string{"I", "The", "HEAD", "S", "URL", "JSON"} {
		d.words[word] = true
	}
	return d
}

// As is the pseudonym of a text, which begins with its kind, such as person. "" stays.
func (d *Disguise) As(kind, text string) string {
	if text == "" {
		return ""
	}
	sum := hmac.New(sha256.New, d.key)
	sum.Write([]byte(text))
	const digits = 8
	return kind + "-" + hex.EncodeToString(sum.Sum(nil))[:digits]
}

// Remember has the text replaced as a whole wherever it stands in prose.
func (d *Disguise) Remember(kind, text string) {
	const least = 3
	if len(text) >= least {
		d.names = append(d.names, known{text, d.As(kind, text)})
	}
}

// Show lets an object id through in prose, and what begins it.
func (d *Disguise) Show(id string) { d.hashes = append(d.hashes, id) }

// refWords are the parts of ref names that are ours and git's.
var refWords = lazySet("refs heads tags remotes notes worktree okstra okstra-qa okstra-local okstra-remote plan base done reserved reopened " +
	"claims fetched seen port trusted state qa stash bisect rewritten stage")

// lazySet and lazyPattern are made when they are first used: most commands make no bundle.
func lazySet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return wordSet(list) })
}

func lazyPattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// Ref is a ref's name with every part replaced that somebody chose.
func (d *Disguise) Ref(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if !refWords()[part] && !shortNumber(part) {
			parts[i] = d.As("name", part)
		}
	}
	return strings.Join(parts, "/")
}

// URL is what a remote's URL says of how it is reached: its scheme, and its host
// as a pseudonym.
func (d *Disguise) URL(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		if host, _, ok := strings.Cut(text, ":"); ok && !strings.ContainsAny(host, `/\`) {
			return "ssh (short form), " + d.As("host", host[strings.LastIndex(host, "@")+1:])
		}
		return "path"
	}
	if !knownSchemes()[strings.ToLower(scheme)] {
		return "another scheme, " + d.As("url", text)
	}
	host := rest
	if u, err := url.Parse(text); err == nil {
		host = u.Hostname()
	}
	if host == "" {
		return strings.ToLower(scheme)
	}
	return strings.ToLower(scheme) + ", " + d.As("host", host)
}

var knownSchemes = lazySet("https http ssh git file ftp ftps git+ssh ssh+git")

var (
	lineParts = lazyPattern(`[^\s]+|\s+`)
	core      = lazyPattern("^([\"'`“”‘’(\\[<{-]*)(.*?)([\"'`“”‘’)\\]>}.,:;!?…]*)$")
	harmless  = lazyPattern(`^(true|false|yes|no|on|off|auto|always|never|input|[0-9]{1,9}[kmgKMG]?|([0-9]{1,6}(h|m|s|ms))+)$`)
)

// Prose is a message of ours or of git's in which every word is replaced that is not of
// the vocabulary, no small number and no object id.
func (d *Disguise) Prose(text string) string {
	for _, n := range d.names {
		text = strings.ReplaceAll(text, n.text, n.as)
	}
	return lineParts().ReplaceAllStringFunc(text, d.word)
}

func (d *Disguise) word(w string) string {
	if strings.TrimSpace(w) == "" {
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, w)
	}
	m := core().FindStringSubmatch(w)
	if m == nil {
		return d.As("word", w)
	}
	switch body := m[2]; {
	case body == "", d.words[body], shortNumber(body), d.shown(body), d.pseudonym(body):
		return w
	case strings.HasPrefix(body, "refs/"):
		return m[1] + d.Ref(body) + m[3]
	case d.allKnown(body):
		return w
	default:
		return m[1] + d.As("word", body) + m[3]
	}
}

// allKnown is for half-made and either/or.
func (d *Disguise) allKnown(body string) bool {
	for part := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '-' || r == '/' }) {
		if !d.words[part] && !shortNumber(part) {
			return false
		}
	}
	return strings.Trim(body, "-/") != ""
}

func (d *Disguise) pseudonym(body string) bool {
	for _, n := range d.names {
		if n.as == body {
			return true
		}
	}
	return false
}

func (d *Disguise) shown(body string) bool {
	const least = 7
	if len(body) < least {
		return false
	}
	for _, id := range d.hashes {
		if strings.HasPrefix(id, body) {
			return true
		}
	}
	return false
}

// shortNumber is true of stages, counts and exit codes.
func shortNumber(s string) bool {
	const most = 4
	return s != "" && len(s) <= most && strings.Trim(s, "0123456789") == ""
}
