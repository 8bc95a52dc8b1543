package gitops

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Trailer is one `Key: value` line at the end of a message.
type Trailer struct{ Key, Value string }

// Trailers reads the last paragraph as git-interpret-trailers(1) does in its plain
// form: every line is `Key: value`, with keys of letters, digits and hyphens, or
// continues the one before with a leading space (joined by one space). Any
// other line, or a message of one paragraph only, means no trailers; git's
// "(cherry picked from commit …)" is passed over.
func Trailers(message string) []Trailer {
	var found []Trailer
	for _, line := range lastParagraph(message) {
		if strings.HasPrefix(line, "(cherry picked from commit ") {
			continue
		}
		if n := len(found); n > 0 && (line[0] == ' ' || line[0] == '\t') {
			found[n-1].Value = strings.TrimSpace(found[n-1].Value + " " + strings.TrimSpace(line))
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		key = strings.TrimRight(key, " \t")
		if !ok || !validTrailerKey(key) {
			return nil
		}
		found = append(found, Trailer{key, strings.TrimSpace(value)})
	}
	return found
}

// lastParagraph is the lines behind the last blank line; none if that is the
// first paragraph, which is the title. A line of spaces only is blank.
func lastParagraph(message string) []string {
	lines := strings.Split(message, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	start := len(lines)
	for start > 0 && strings.TrimSpace(lines[start-1]) != "" {
		start--
	}
	if strings.TrimSpace(strings.Join(lines[:start], "")) == "" {
		return nil
	}
	return lines[start:]
}

func validTrailerKey(key string) bool {
	for _, c := range []byte(key) {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return key != ""
}

// AppendTrailers puts trailers behind a message as a paragraph of their own, so
// that Trailers reads exactly these back, values folded to one line, whatever the
// message and the values hold: neither can forge a trailer. Errors: a key
// that is not letters, digits and hyphens; a message without text.
func AppendTrailers(message string, trailers ...Trailer) (string, error) {
	if len(trailers) == 0 {
		return message, nil
	}
	message = strings.TrimRightFunc(message, unicode.IsSpace)
	if strings.TrimSpace(message) == "" {
		return "", errors.New("append trailers: message is empty")
	}
	var b strings.Builder
	b.WriteString(message)
	b.WriteString("\n\n")
	for _, t := range trailers {
		if !validTrailerKey(t.Key) {
			return "", fmt.Errorf("append trailers: key %q not allowed", t.Key)
		}
		b.WriteString(strings.TrimRight(t.Key+": "+foldValue(t.Value), " "))
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// foldValue makes a value one line: each run of control characters and line or
// paragraph separators becomes one space, and space at the ends goes.
func foldValue(v string) string {
	breaks := func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
	return strings.TrimSpace(strings.Join(strings.FieldsFunc(v, breaks), " "))
}
