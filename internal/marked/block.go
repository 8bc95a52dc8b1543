// Package marked adds text to somebody's file between two lines of ours, and takes it out
// again so that the file has every byte that it had.
package marked

import (
	"bytes"
	"strings"
)

// The words on the lines around what is added. Whatever stands between them goes again.
const (
	Begin     = "git-okstra: begin"
	End       = "git-okstra: end"
	unended   = " (behind a line without end)"
	wholeFile = " (the file is ours)"
)

// Block is a piece of text for somebody's file.
type Block struct {
	Comment string // how a comment begins there
	Close   string // how it ends, "" where it ends with its line
	Indent  string // in front of each line
	Lines   []string
}

// Insert puts the block before the line that begins at offset at. What was there keeps
// every byte, and Remove finds them all again. A nil text is a file that is not there.
func (b Block) Insert(text []byte, at int) []byte {
	end := lineEnd(text)
	var out strings.Builder
	begin := Begin
	switch {
	case text == nil:
		begin += wholeFile
	case len(text) > 0 && at == len(text) && !bytes.HasSuffix(text, []byte("\n")):
		out.WriteString(end)
		begin += unended
	}
	for _, line := range append(append([]string{b.mark(begin)}, b.Lines...), b.mark(End)) {
		if line != "" {
			line = b.Indent + line
		}
		out.WriteString(line + end)
	}
	return append(append(bytes.Clone(text[:at]), out.String()...), text[at:]...)
}

// lineEnd is how the first line of a text ends.
func lineEnd(text []byte) string {
	if first, _, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasSuffix(first, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// mark is a line of ours around the block.
func (b Block) mark(words string) string {
	if b.Close != "" {
		words += " " + b.Close
	}
	return b.Comment + " " + words
}

// comments are how comments begin in the files that we add to.
var comments = []string{"#", "//", "<!--"}

// isMark reports whether a line begins or ends a block. A line that only speaks of one
// does not.
func isMark(line []byte, word string) bool {
	line = bytes.TrimSpace(line)
	for _, c := range comments {
		if bytes.HasPrefix(line, []byte(c+" "+word)) {
			return true
		}
	}
	return false
}

// In reports whether a file holds something of ours.
func In(text []byte) bool {
	for line := range bytes.Lines(text) {
		if isMark(line, Begin) {
			return true
		}
	}
	return false
}

// Remove takes everything out that Insert put in. ours: the file was not there before, and
// nothing else is in it now. ok: every block has its end.
func Remove(text []byte) (rest []byte, ours, ok bool) {
	rest = []byte{}
	inside, cut := false, []byte(nil)
	for line := range bytes.Lines(text) {
		switch {
		case !inside && isMark(line, Begin):
			inside = true
			ours = ours || bytes.Contains(line, []byte(wholeFile))
			if bytes.Contains(line, []byte(unended)) {
				whole := rest
				rest = bytes.TrimSuffix(bytes.TrimSuffix(rest, []byte("\n")), []byte("\r"))
				cut = bytes.Clone(whole[len(rest):])
			}
		case inside && isMark(line, End):
			inside = false
		case !inside: // what somebody wrote behind the block is a line of its own still
			rest, cut = append(append(rest, cut...), line...), nil
		}
	}
	return rest, ours && len(rest) == 0, !inside
}
