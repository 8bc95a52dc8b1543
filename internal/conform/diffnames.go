package conform

import "strings"

// gitNames reads the two paths of a "diff --git" line, without their prefixes. Where
// blanks make it ambiguous both paths are the same, as git says.
func gitNames(s string) (old, cur string) {
	if strings.HasPrefix(s, `"`) {
		first, rest := quoted(s)
		return cutPrefix(first, "a/"), cutPrefix(unquoteName(strings.TrimPrefix(rest, " ")), "b/")
	}
	if first, rest, ok := strings.Cut(s, ` "`); ok {
		second, _ := quoted(`"` + rest)
		return cutPrefix(first, "a/"), cutPrefix(second, "b/")
	}
	// Equal but for the prefix: the blank between them is in the middle.
	if half := len(s) / 2; len(s)%2 == 1 && s[half] == ' ' {
		first, second := s[:half], s[half+1:]
		if cutPrefix(first, "a/") == cutPrefix(second, "b/") {
			return cutPrefix(first, "a/"), cutPrefix(second, "b/")
		}
	}
	first, second, ok := strings.Cut(s, " b/")
	if !ok {
		first, second, _ = strings.Cut(s, " ")
	}
	return cutPrefix(first, "a/"), cutPrefix(second, "b/")
}

// sideName reads what follows --- or +++; "" for /dev/null. A tab ends a name.
func sideName(s string) string {
	if strings.HasPrefix(s, `"`) {
		name, _ := quoted(s)
		return name
	}
	s, _, _ = strings.Cut(s, "\t")
	if s == "/dev/null" {
		return ""
	}
	return s
}

func cutPrefix(s, prefix string) string { return strings.TrimPrefix(s, prefix) }

func unquoteName(s string) string {
	if strings.HasPrefix(s, `"`) {
		name, _ := quoted(s)
		return name
	}
	return s
}

// escapes are git's short escapes in quoted paths.
var escapes = map[byte]byte{'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', '"': '"', '\\': '\\'}

// quoted reads a path in git's C-like quotes, and gives what follows it.
func quoted(s string) (name, rest string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:]
		case c != '\\' || i+1 == len(s):
			b.WriteByte(c)
		case escapes[s[i+1]] != 0:
			i++
			b.WriteByte(escapes[s[i]])
		case i+3 < len(s) && octal(s[i+1:i+4]):
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

func octal(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '7' {
			return false
		}
	}
	return s[0] <= '3'
}
