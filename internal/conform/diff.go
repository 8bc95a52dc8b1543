package conform

import (
	"bytes"
	"fmt"
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
}

// Path is the file's path after the change, before it where it is deleted.
func (f FileDiff) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// DiffError is a diff that cannot be read.
type DiffError struct {
	Line    int
	Message string
}

func (e *DiffError) Error() string { return fmt.Sprintf("line %d of the diff: %s", e.Line, e.Message) }

// diffReader reads a diff line by line.
type diffReader struct {
	rest  []byte
	n     int    // number of the line that next gave last
	held  []byte // a line that was put back
	again bool
	files []FileDiff
	open  bool // the last file's header may go on
}

func (r *diffReader) next() ([]byte, bool) {
	if r.again {
		r.again = false
		return r.held, true
	}
	if len(r.rest) == 0 {
		return nil, false
	}
	line, rest, _ := bytes.Cut(r.rest, []byte("\n"))
	r.rest, r.held = rest, line
	r.n++
	return line, true
}

func (r *diffReader) back() { r.again = true }

func (r *diffReader) fail(format string, args ...any) error {
	return &DiffError{r.n, fmt.Sprintf(format, args...)}
}

// ParseDiff reads a unified diff: git's with its headers, or a plain one. Text around
// it, such as a mail's, is skipped. A combined diff (of a merge) is refused, for it has
// no two sides; so is a hunk that is shorter than it says. The error is a *DiffError.
func ParseDiff(src []byte) ([]FileDiff, error) {
	r := &diffReader{rest: src}
	for {
		line, ok := r.next()
		if !ok {
			return r.files, nil
		}
		if err := r.header(string(line)); err != nil {
			return nil, err
		}
	}
}

// file is the file that is being read.
func (r *diffReader) file() *FileDiff { return &r.files[len(r.files)-1] }

func (r *diffReader) start(f FileDiff) {
	r.files = append(r.files, f)
	r.open = true
}

func (r *diffReader) header(line string) error {
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
func (r *diffReader) extended(line string) error {
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
func (r *diffReader) names(line string) error {
	at := r.n
	second, ok := r.next()
	if !ok {
		return nil
	}
	cur, isPair := strings.CutPrefix(strings.TrimSuffix(string(second), "\r"), "+++ ")
	if !isPair {
		r.back()
		return nil
	}
	old, cur := sideName(strings.TrimPrefix(line, "--- ")), sideName(cur)
	if !r.open || len(r.files) == 0 || len(r.file().Hunks) > 0 {
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
func (r *diffReader) hunk(head string) error {
	r.open = false
	old, oldCount, cur, curCount, ok := hunkHead(head)
	if !ok {
		return r.fail("%q is no head of a hunk", head)
	}
	var lines []Line
	for oldCount > 0 || curCount > 0 {
		raw, ok := r.next()
		if !ok {
			return r.fail("the diff ends within a hunk")
		}
		text := string(raw)
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
		lines = append(lines, l)
	}
	r.file().Hunks = append(r.file().Hunks, lines)
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
