// Package lines divides what a process writes into lines, whatever the pieces are that it
// comes in.
package lines

import "bytes"

// Splitter is a writer that passes on lines. One that is longer than Max comes in pieces.
type Splitter struct {
	Max int // the longest piece, in bytes; at least 1
	// Say gets each line without its end (LF, or CRs and LF). It is the splitter's own: who
	// keeps it copies it.
	Say func(line []byte)

	part []byte
}

// Write takes a piece, wherever it ends. It never fails.
func (s *Splitter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		} else {
			end++
		}
		end = min(end, s.Max-len(s.part))
		s.part = append(s.part, rest[:end]...)
		rest = rest[end:]
		if len(s.part) == s.Max || s.part[len(s.part)-1] == '\n' {
			s.Flush()
		}
	}
	return len(p), nil
}

// Flush passes on what has come of a line that has no end.
func (s *Splitter) Flush() {
	if len(s.part) > 0 {
		s.Say(bytes.TrimRight(s.part, "\r\n"))
		s.part = s.part[:0]
	}
}
