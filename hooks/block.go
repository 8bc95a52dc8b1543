package hooks

import (
	"bytes"
	"strings"
)

// The lines around what is added to somebody's file. Whatever they hold goes again.
const (
	blockBegin = "git-okstra: begin"
	blockEnd   = "git-okstra: end"
	unended    = " (behind a line without end)"
	wholeFile  = " (the file is ours)"
)

// block is a piece of text in somebody's file: comment is how comments begin there.
type block struct {
	comment string
	indent  string
	lines   []string
}

// insert puts the block before the line that begins at offset at. What was there keeps
// every byte, and remove finds them all again.
func (b block) insert(text []byte, at int) []byte {
	end := "\n"
	if first, _, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasSuffix(first, []byte("\r")) {
		end = "\r\n"
	}
	var out strings.Builder
	begin := blockBegin
	switch {
	case len(text) == 0:
		begin += wholeFile
	case at == len(text) && !bytes.HasSuffix(text, []byte("\n")):
		out.WriteString(end)
		begin += unended
	}
	for _, line := range append(append([]string{b.comment + " " + begin}, b.lines...), b.comment+" "+blockEnd) {
		if line != "" {
			line = b.indent + line
		}
		out.WriteString(line + end)
	}
	return append(append(bytes.Clone(text[:at]), out.String()...), text[at:]...)
}

// hasBlock reports whether a file holds something of ours.
func hasBlock(text []byte) bool { return bytes.Contains(text, []byte(blockBegin)) }

// removeBlocks takes everything out that insert put in. ours: nothing was in the file
// before. ok: every block has its end.
func removeBlocks(text []byte) (rest []byte, ours, ok bool) {
	inside := false
	for line := range bytes.Lines(text) {
		switch {
		case !inside && bytes.Contains(line, []byte(blockBegin)):
			inside = true
			ours = ours || bytes.Contains(line, []byte(wholeFile))
			if bytes.Contains(line, []byte(unended)) {
				rest = bytes.TrimSuffix(bytes.TrimSuffix(rest, []byte("\n")), []byte("\r"))
			}
		case inside && bytes.Contains(line, []byte(blockEnd)):
			inside = false
		case !inside:
			rest = append(rest, line...)
		}
	}
	return rest, ours && len(rest) == 0, !inside
}
