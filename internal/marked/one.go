package marked

import (
	"bytes"
	"fmt"
)

// DamagedError is a file whose lines around our block are not one pair.
type DamagedError struct {
	Line int // 1-based, of the line that does not fit
	Why  string
}

func (e *DamagedError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// One finds the only block of a file: the offsets of its first byte and of the first one
// behind it, the same where there is none. Errors: *DamagedError where it has no end or no
// beginning, or where there are several.
func One(text []byte) (from, to int, err error) {
	offset, n, begin, end := 0, 0, 0, 0
	for line := range bytes.Lines(text) {
		n++
		switch {
		case isMark(line, Begin) && begin > 0:
			return 0, 0, &DamagedError{n, fmt.Sprintf("a second %q, the first is in line %d", Begin, begin)}
		case isMark(line, Begin):
			begin, from = n, offset
		case isMark(line, End) && (begin == 0 || end > 0):
			return 0, 0, &DamagedError{n, fmt.Sprintf("%q without %q before it", End, Begin)}
		case isMark(line, End):
			end, to = n, offset+len(line)
		}
		offset += len(line)
	}
	if begin > 0 && end == 0 {
		return 0, 0, &DamagedError{begin, fmt.Sprintf("%q without %q behind it", Begin, End)}
	}
	return from, to, nil
}

// Put gives a file this block as its only one: in place of the one that is there, else
// behind all other text. A nil text is a file that is not there. Errors: those of One.
func (b Block) Put(text []byte) ([]byte, error) {
	from, to, err := One(text)
	if err != nil {
		return nil, err
	}
	if from == to {
		return b.Insert(text, len(text)), nil
	}
	head := text[from : from+bytes.IndexByte(text[from:], '\n')+1]
	tail := bytes.LastIndexByte(bytes.TrimSuffix(text[:to], []byte("\n")), '\n') + 1
	out := bytes.Clone(text[:from+len(head)])
	for _, line := range b.Lines {
		out = append(out, line+lineEnd(head)...)
	}
	return append(out, text[tail:]...), nil
}
