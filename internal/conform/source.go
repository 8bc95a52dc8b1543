package conform

import (
	"path"
	"regexp"
	"strings"
)

// cleared takes out of the lines what a compiler does not see either: the mark of the
// byte order, and the NULs that UTF-16 puts between the letters of code.
func cleared(f FileDiff) FileDiff {
	for _, hunk := range f.Hunks {
		for i := range hunk {
			l := &hunk[i]
			if max(l.Old, l.New) == 1 {
				for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
					l.Text = strings.TrimPrefix(l.Text, mark)
				}
			}
			if strings.IndexByte(l.Text, 0) >= 0 {
				l.Text = strings.ReplaceAll(l.Text, "\x00", "")
			}
		}
	}
	return f
}

// broken reports whether a line is several to a language's own reader: a comment ends at
// a lone carriage return or at a line separator, and PHP's at the end of the code. Lexers
// do not agree on that, so such a line is judged with its comments.
func broken(language, line string) bool {
	line = strings.TrimSuffix(line, "\r")
	if strings.IndexByte(line, '\r') >= 0 || strings.Contains(line, "\u2028") || strings.Contains(line, "\u2029") || strings.Contains(line, "\u0085") {
		return true
	}
	return language == "php" && inlineEnd().MatchString(line)
}

// inlineEnd is a comment of PHP in which the code ends and begins again.
var inlineEnd = lazy(`(?://|#).*\?>.*<\?`)

// unbroken gives the lines of a source that are several the text that they have.
func unbroken(language, src string, lines []lexed) {
	n := 0
	for line := range strings.Lines(src) {
		if n == len(lines) {
			return
		}
		if line = strings.TrimSuffix(line, "\n"); broken(language, line) {
			lines[n].code, lines[n].full = line, line
		}
		n++
	}
}

// folded is a path with the end of its name in lower case: SCHEMA.SQL is SQL.
func folded(name string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + strings.ToLower(ext)
}

// interpreters are the languages of scripts whose name does not tell, by what their first
// line asks for.
var interpreters = map[string]string{
	"sh": "shell", "bash": "shell", "dash": "shell", "zsh": "shell", "ksh": "shell", "ash": "shell", "python": "python", "pypy": "python", "node": "javascript",
	"deno": "typescript", "bun": "typescript", "ts-node": "typescript", "tsx": "typescript", "ruby": "ruby", "php": "php", "swift": "swift",
}

// asks is a first line that names an interpreter, and its name without a version.
var asks = lazy(`^#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\w+=\S*\s+)*(?:\S*/)?)?([a-z][a-z-]*)`)

// languageIn is the language of a file's diff: by its name, else by its first line.
func (r *Rules) languageIn(f FileDiff) *Language {
	if l := r.language(f.Path()); l != nil {
		return l
	}
	for _, hunk := range f.Hunks {
		for _, l := range hunk {
			if max(l.Old, l.New) != 1 {
				break
			}
			if l := r.asked(asks(), l.Text); l != nil {
				return l
			}
		}
	}
	return nil
}

func (r *Rules) asked(first *regexp.Regexp, line string) *Language {
	m := first.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	for i := range r.languages {
		if r.languages[i].Name == interpreters[m[1]] {
			return &r.languages[i]
		}
	}
	return nil
}
