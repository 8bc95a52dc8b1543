package plan

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileRef is a file that an Exit Contract names.
type FileRef struct {
	Path    string // cleaned, slashes, relative to the repository
	Offset  int    // where it is named, in Document.Text
	Outside bool   // the path leaves the repository: report it, never use it
}

// Files finds the file names in a part of the document: code spans that look
// like a path, and bare words that carry a known extension or are a well-known
// name. Code blocks are not read. Each mention is given: first those of headings,
// then of running text, then of tables; in a line, code spans before bare words.
func (d *Document) Files(s Span) []FileRef {
	var refs []FileRef
	from, to := d.HeadingsIn(s)
	for _, h := range d.Headings[from:to] {
		end := strings.IndexByte(d.index.text[h.Start:], '\n')
		if end >= 0 {
			refs = d.filesInLines(refs, []Span{trim(d.index.text, Span{h.Start, h.Start + end})})
		}
	}
	for _, p := range d.paragraphsIn(s) {
		refs = d.filesInLines(refs, p.lines)
	}
	for _, t := range d.TablesIn(s) {
		for _, row := range t.Rows {
			for c := range cellSpans(d.index.text, row.span) {
				refs = filesIn(refs, d.renderCell(c))
			}
		}
	}
	return refs
}

func (d *Document) filesInLines(refs []FileRef, lines []Span) []FileRef {
	return filesIn(refs, d.render(lines))
}

func filesIn(refs []FileRef, lines []line) []FileRef {
	for _, l := range lines {
		for i, p := range l.parts {
			end := len(l.text)
			if i+1 < len(l.parts) {
				end = l.parts[i+1].start
			}
			if p.kind == code {
				refs = addFile(refs, codePath(l.text[p.start:end]), p.offset)
			}
		}
		refs = bareFiles(refs, l)
	}
	return refs
}

func addFile(refs []FileRef, name string, offset int) []FileRef {
	if name == "" {
		return refs
	}
	clean := path.Clean(name)
	if clean == "." {
		return refs
	}
	return append(refs, FileRef{clean, offset, clean == ".." || strings.HasPrefix(clean, "../")})
}

// bareFiles reads the words outside code spans and autolinks. Emphasis may
// split a word into several parts; they are one word all the same.
func bareFiles(refs []FileRef, l line) []FileRef {
	masked := []byte(l.text)
	for i, p := range l.parts {
		end := len(masked)
		if i+1 < len(l.parts) {
			end = l.parts[i+1].start
		}
		for j := p.start; p.kind != prose && j < end; j++ {
			masked[j] = ' '
		}
	}
	for at, word := range words(string(masked)) {
		refs = addFile(refs, barePath(word), l.offset(at))
	}
	return refs
}

// words yields the parts between white space, commas and semicolons.
func words(s string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := -1
		for i, r := range s + " " {
			sep := r == ' ' || r == ',' || r == ';' || r < utf8.RuneSelf && isSpace(byte(r)) ||
				r >= utf8.RuneSelf && (unicode.IsSpace(r) || strings.ContainsRune("、，；", r))
			switch {
			case !sep && start < 0:
				start = i
			case sep && start >= 0:
				if !yield(start, s[start:i]) {
					return
				}
				start = -1
			}
		}
	}
}

const brackets = "\"'`()[]{}<>“”‘’「」『』*|"

// codePath gives the path that a code span names, or "".
func codePath(s string) string {
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return ""
	}
	s = strings.TrimRight(stripSuffix(s), ".,;!?")
	if foreign(s) || call(s) {
		return ""
	}
	if knownName(s) || strings.Contains(s, "/") && !pathlike(s) {
		return s
	}
	return ""
}

// barePath gives the path that a word of running text names, or "".
func barePath(word string) string {
	word = strings.TrimLeft(word, brackets)
	s := stripSuffix(word)
	if call(s) || frameworks()[strings.ToLower(strings.Trim(word, brackets+".:!?"))] {
		return ""
	}
	s = strings.TrimRight(s, brackets+".!?…。")
	s = dropParticle(s)
	if foreign(s) || !knownName(s) {
		return ""
	}
	return s
}

// call tells a call, as in res.json(). In a.go:main() it stands behind the path.
func call(s string) bool { return strings.Contains(s, "()") }

// stripSuffix cuts ":line", ":symbol" and "#anchor".
func stripSuffix(s string) string {
	if strings.Contains(s, "://") {
		return s
	}
	s, _, _ = strings.Cut(s, ":")
	if head, _, found := strings.Cut(s, "#"); found && knownName(head) {
		s = head
	}
	return s
}

// dropParticle removes letters of another script that follow an extension
// without a space, as Korean particles do: "a.go를" names a.go.
func dropParticle(s string) string {
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 {
		return s
	}
	end := dot + 1
	for end < len(s) && s[end] < utf8.RuneSelf && (s[end] == '_' || isAlnum(s[end])) {
		end++
	}
	if end > dot+1 && end < len(s) && s[end] >= utf8.RuneSelf && extensions()[s[dot+1:end]] {
		return s[:end]
	}
	return s
}

func isAlnum(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// foreign tells what is no path of the repository whatever its ending: a
// route or absolute path, a URL, a variable, a home folder, an option.
func foreign(s string) bool {
	return s == "" || strings.HasPrefix(s, "/") || strings.Contains(s, "://") ||
		strings.ContainsAny(s[:1], "$%~-=") || strings.Contains(s, "${") || strings.HasPrefix(s, "www.") ||
		strings.Contains(s, "=") || strings.Contains(s, "@") && !strings.Contains(s, "/")
}

// pathlike tells what has a slash and no known ending and is still no path: a
// media type, a scoped package, an import path, a route with a parameter, prose.
func pathlike(s string) bool {
	first, _, _ := strings.Cut(s, "/")
	return proseSlashes()[strings.ToLower(s)] || strings.HasPrefix(s, "@") ||
		strings.ContainsAny(s, "{}<>|()") || domain(first)
}

// domain reports whether the first part of a path is a host, as in
// github.com/owner/name.
func domain(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return dot > 0 && domains()[s[dot+1:]]
}

// knownName reports whether the last part of a path has a known extension or
// is a well-known name.
func knownName(s string) bool {
	base := path.Base(s)
	if wellKnown()[base] {
		return true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || dot == 0 && !strings.Contains(s, "/") || dot+1 == len(base) {
		return false
	}
	ext := base[dot+1:]
	if len(ext) == 1 { // a.b.c is no C file
		return extensions()[ext] && !strings.Contains(base[:dot], ".")
	}
	return extensions()[strings.ToLower(ext)]
}
