package chain

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"git-okstra/internal/lines"
)

// maxLine bounds a line of a worker's output that is passed on; a longer one is cut into
// several. The log keeps it as it came.
const maxLine = 16 << 10

// tailLines is how many of a worker's last lines are shown where it failed.
const tailLines = 20

// output takes what a worker writes: all of it goes to the log, line by line to whoever
// watches, and the last lines are kept.
type output struct {
	log   *os.File
	lines lines.Splitter
	line  func([]byte)
	tail  [][]byte
	err   error // the first failure of the log
}

// openOutput opens the log of a stage. A worker that goes on where another one stopped
// goes on in its log as well.
func openOutput(path string, resumed bool, line func([]byte)) (*output, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("keep the output: %w", err)
	}
	how := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !resumed {
		how |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, how, 0o666)
	if err != nil {
		return nil, fmt.Errorf("keep the output: %w", err)
	}
	o := &output{log: f, line: line}
	o.lines = lines.Splitter{Max: maxLine, Say: o.take}
	return o, nil
}

// Write takes a piece, wherever it ends.
func (o *output) Write(p []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.log.Write(p)
	}
	return o.lines.Write(p)
}

// take keeps a line, and passes it on.
func (o *output) take(line []byte) {
	line = bytes.Clone(line)
	o.tail = append(o.tail, line)
	if len(o.tail) > tailLines {
		o.tail = o.tail[len(o.tail)-tailLines:]
	}
	if o.line != nil {
		o.line(line)
	}
}

// copyFrom takes all that comes until the other end is closed, or ours is.
func (o *output) copyFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		_, _ = o.Write(buf[:n])
		if err != nil {
			o.lines.Flush()
			return
		}
	}
}
