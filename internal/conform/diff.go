package conform

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Side is a side of a diff.
type Side string

// The sides of a diff.
const (
	Added   Side = "added"
	Removed Side = "removed"
)

// Line is a line of a hunk, without its line end.
type Line struct {
	Op  byte // ' ', '+' or '-'
	Old int  // line number before, 0 where it is added
	New int  // line number after, 0 where it is removed
	// Text is the line, raw bytes.
	Text string
}

// FileDiff is what a diff says of one file.
type FileDiff struct {
	Old, New string // paths, raw bytes; "" where there is no such side
	Binary   bool
	Mode     string   // the new file's mode, "" where the diff does not say
	Hunks    [][]Line // in order
	// Large says that there was more than is kept of one file, and that its hunks were
	// left out for that.
	Large bool
}

// Path is the file's path after the change, before it where it is deleted.
func (f FileDiff) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// weight is about how much memory the file takes, in bytes.
func (f FileDiff) weight() int {
	n := 200
	for _, hunk := range f.Hunks {
		for _, l := range hunk {
			n += len(l.Text) + 40
		}
	}
	return n
}

// DiffError is a diff that cannot be read.
type DiffError struct {
	Line    int
	Message string
}

func (e *DiffError) Error() string { return fmt.Sprintf("line %d of the diff: %s", e.Line, e.Message) }

// maxFile is how much of a diff may be of one file, in bytes; of what has more, only the
// path is kept.
const maxFile = 2 << 20

// DiffReader reads a diff file by file.
type DiffReader struct {
	in    *bufio.Reader
	n     int    // number of the line that next gave last
	held  string // a line that was put back
	again bool
	err   error // of the reader
	files []FileDiff
	open  bool // the last file's header may go on
	size  int  // of what was read of the last file, in bytes
}

// NewDiffReader reads a unified diff: git's with its headers, or a plain one. Text around
// it, such as a mail's, is skipped.
func NewDiffReader(in io.Reader) *DiffReader {
	return &DiffReader{in: bufio.NewReaderSize(in, 64<<10)}
}

// next gives the next line without its end; of one that is longer than a whole file may
// be only the beginning.
func (r *DiffReader) next() (string, bool) {
	if r.again {
		r.again = false
		return r.held, true
	}
	line, err := r.in.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		r.note(err)
		return "", false
	}
	r.n++
	if err == nil {
		r.held = string(line[:len(line)-1])
		return r.held, true
	}
	var b strings.Builder
	b.Write(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.in.ReadSlice('\n')
		if b.Len() <= maxFile {
			b.Write(line)
		}
	}
	r.note(err)
	r.held = strings.TrimSuffix(b.String(), "\n")
	return r.held, true
}

func (r *DiffReader) note(err error) {
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
}

func (r *DiffReader) back() { r.again = true }

func (r *DiffReader) fail(format string, args ...any) error {
	return &DiffError{r.n, fmt.Sprintf(format, args...)}
}

// Next gives the next file, or io.EOF. A combined diff (of a merge) is refused, for it has
// no two sides; so is a hunk that is shorter than it says: those errors are *DiffError.
func (r *DiffReader) Next() (FileDiff, error) {
	for {
		if len(r.files) > 1 {
			f := r.files[0]
			r.files = r.files[1:]
			return f, nil
		}
		line, ok := r.next()
		if r.err != nil {
			return FileDiff{}, r.err
		}
		if !ok {
			break
		}
		if err := r.header(line); err != nil {
			return FileDiff{}, err
		}
	}
	if len(r.files) == 0 {
		return FileDiff{}, io.EOF
	}
	f := r.files[0]
	r.files = nil
	return f, nil
}

// ParseDiff reads a whole diff, see [DiffReader.Next]. The error is a *DiffError.
func ParseDiff(src []byte) ([]FileDiff, error) {
	r := NewDiffReader(bytes.NewReader(src))
	var out []FileDiff
	for {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
}

// file is the file that is being read.
func (r *DiffReader) file() *FileDiff { return &r.files[len(r.files)-1] }

func (r *DiffReader) start(f FileDiff) {
	r.files = append(r.files, f)
	r.open, r.size = true, 0
}

func (r *DiffReader) header(line string) error {
	line = strings.TrimSuffix(line, "\r")
	switch {
	case strings.HasPrefix(line, "diff --git "):
		old, cur := gitNames(strings.TrimPrefix(line, "diff --git "))
		r.start(FileDiff{Old: old, New: cur})
	case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "), strings.HasPrefix(line, "@@@ "):
		return r.fail("a combined diff of a merge has no two sides; compare the merge with one parent")
	case strings.HasPrefix(line, "--- "):
		return r.names(line)
	case strings.HasPrefix(line, "@@ "):
		if len(r.files) == 0 {
			return r.fail("a hunk before any file is named")
		}
		return r.hunk(line)
	case r.open:
		return r.extended(line)
	}
	return nil
}

// extended reads git's lines between "diff --git" and the first hunk.
func (r *DiffReader) extended(line string) error {
	f := r.file()
	word := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	if mode, ok := word("new file mode "); ok {
		f.Old, f.Mode = "", mode
	} else if _, ok := word("deleted file mode "); ok {
		f.New = ""
	} else if mode, ok := word("new mode "); ok {
		f.Mode = mode
	} else if name, ok := word("rename from "); ok {
		f.Old = unquoteName(name)
	} else if name, ok := word("rename to "); ok {
		f.New = unquoteName(name)
	} else if name, ok := word("copy from "); ok {
		f.Old = unquoteName(name)
	} else if name, ok := word("copy to "); ok {
		f.New = unquoteName(name)
	} else if hashes, ok := word("index "); ok {
		if _, mode, ok := strings.Cut(hashes, " "); ok {
			f.Mode = mode
		}
	} else if strings.HasPrefix(line, "Binary files ") || line == "GIT binary patch" {
		f.Binary = true
	}
	return nil
}

// names reads the pair of lines with --- and +++. What looks like one but is not
// followed by the other is text.
func (r *DiffReader) names(line string) error {
	at := r.n
	second, ok := r.next()
	if !ok {
		return nil
	}
	cur, isPair := strings.CutPrefix(strings.TrimSuffix(second, "\r"), "+++ ")
	if !isPair {
		r.back()
		return nil
	}
	old, cur := sideName(strings.TrimPrefix(line, "--- ")), sideName(cur)
	if !r.open || len(r.files) == 0 || len(r.file().Hunks) > 0 || r.file().Large {
		r.start(FileDiff{})
	}
	f := r.file()
	if f.Old != "" || f.New != "" { // git said the paths already, and without prefixes
		if old == "" {
			f.Old = ""
		}
		if cur == "" {
			f.New = ""
		}
		if f.Old == "" && f.New == "" {
			f.Old, f.New = cutPrefix(old, "a/"), cutPrefix(cur, "b/")
		}
	} else {
		f.Old, f.New = cutPrefix(old, "a/"), cutPrefix(cur, "b/")
	}
	if f.Path() == "" {
		return &DiffError{at, "a file without a name"}
	}
	return nil
}

// hunk reads the lines of a hunk; as many as its head says.
func (r *DiffReader) hunk(head string) error {
	r.open = false
	old, oldCount, cur, curCount, ok := hunkHead(head)
	if !ok {
		return r.fail("%q is no head of a hunk", head)
	}
	f := r.file()
	var lines []Line
	for oldCount > 0 || curCount > 0 {
		text, ok := r.next()
		if r.err != nil {
			return r.err
		}
		if !ok {
			return r.fail("the diff ends within a hunk")
		}
		if text == "" || text == "\r" {
			text = " " + text // mailers strip the blank of an empty context line
		}
		l := Line{Op: text[0], Text: text[1:]}
		switch {
		case l.Op == '\\':
			continue
		case l.Op == ' ' && oldCount > 0 && curCount > 0:
			l.Old, l.New = old, cur
			old, oldCount, cur, curCount = old+1, oldCount-1, cur+1, curCount-1
		case l.Op == '-' && oldCount > 0:
			l.Old = old
			old, oldCount = old+1, oldCount-1
		case l.Op == '+' && curCount > 0:
			l.New = cur
			cur, curCount = cur+1, curCount-1
		default:
			return r.fail("the hunk's lines are not as its head says")
		}
		r.size += len(text) + 40
		if f.Large = f.Large || r.size > maxFile; !f.Large {
			lines = append(lines, l)
		}
	}
	if f.Large {
		f.Hunks = nil
		return nil
	}
	f.Hunks = append(f.Hunks, lines)
	return nil
}

// hunkHead reads "@@ -a,b +c,d @@ …".
func hunkHead(head string) (old, oldCount, cur, curCount int, ok bool) {
	words := strings.Fields(head)
	if len(words) < 4 || words[3] != "@@" {
		return 0, 0, 0, 0, false
	}
	old, oldCount, ok1 := span(words[1], "-")
	cur, curCount, ok2 := span(words[2], "+")
	return old, oldCount, cur, curCount, ok1 && ok2
}

// maxLine bounds the numbers in a hunk's head.
const maxLine = 1 << 30

func span(word, sign string) (start, count int, ok bool) {
	word, ok = strings.CutPrefix(word, sign)
	first, second, two := strings.Cut(word, ",")
	start, err := strconv.Atoi(first)
	count = 1
	var err2 error
	if two {
		count, err2 = strconv.Atoi(second)
	}
	return start, count, ok && err == nil && err2 == nil && start >= 0 && count >= 0 && start < maxLine && count < maxLine
}
