package conform

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// endless gives a diff of so many files, made while it is read, and notes the most memory
// that was in use.
type endless struct {
	files, lines, n int
	rest            string
	peak            uint64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.n == e.files {
			return 0, io.EOF
		}
		e.n++
		if e.n%50 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			e.peak = max(e.peak, m.HeapAlloc)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "--- a/f%d.txt\n+++ b/f%d.txt\n@@ -0,0 +1,%d @@\n", e.n, e.n, e.lines)
		for i := range e.lines {
			fmt.Fprintf(&b, "+line %d of file %d, with nothing in it that would touch anything at all, however long it is\n", i, e.n)
		}
		e.rest = b.String()
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestMemoryIsFlat judges 50 MB: what is in use meanwhile is bounded by what is kept for
// moved lines and a part of the diff, and does not grow with it.
func TestMemoryIsFlat(t *testing.T) {
	Builtin()
	peak := func(files int) uint64 {
		e := &endless{files: files, lines: 1000}
		found, err := Builtin().TouchesOf(e, Context{})
		if err != nil || len(found.Touches) != 0 || e.n != files {
			t.Fatalf("%d files: %v, %v", e.n, found, err)
		}
		return e.peak
	}
	const bound = 96 << 20
	if small, large := peak(220), peak(530); large > bound || large > small+16<<20 {
		t.Errorf("%d MB in use for a diff of 21 MB, %d MB for one of 51 MB", small>>20, large>>20)
	}
}

// TestTooLarge judges a file by its path alone where there is too much of it, and says so.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	const lines = 60_000
	diff := fmt.Sprintf("--- a/a.go\n+++ b/a.go\n@@ -0,0 +1,%d @@\n%s--- a/q.sql\n+++ b/q.sql\n@@ -0,0 +1,%d @@\n%s--- a/b.go\n+++ b/b.go\n@@ -1,1 +1,2 @@\n package b\n+\tos.Remove(p)\n",
		lines, strings.Repeat("+\tos.Remove(p)\n", lines), lines, strings.Repeat("+select 1;\n", lines))
	if len(diff) > maxFile {
		t.Fatal("the lines alone are too much; their number should be")
	}
	found, err := Builtin().TouchesOf(strings.NewReader(diff), Context{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Ignored{{"a.go", tooLarge}, {"q.sql", tooLarge}}; !slices.Equal(found.Ignored, want) {
		t.Errorf("ignored: %v, want %v", found.Ignored, want)
	}
	want := []Touch{{"io", "b.go", 2, Added, "go-io-call", "os.Remove(p)"}, {"db", "q.sql", 1, Added, "path-sql", ""}}
	if !slices.Equal(found.Touches, want) {
		t.Errorf("touches: %v, want %v", found.Touches, want)
	}
	long := "--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+" + strings.Repeat("x", 2*maxFile) + "\n"
	if found, err := Builtin().TouchesOf(strings.NewReader(long), Context{}); err != nil || len(found.Ignored) != 1 || found.Ignored[0].Why != tooLarge {
		t.Errorf("one long line: %v, %v", found, err)
	}
}

// TestWatch stops a lexer that takes too long: the file is judged all the same.
func TestWatch(t *testing.T) {
	t.Parallel()
	const src = "--- a/a.js\n+++ b/a.js\n@@ -1,1 +1,4 @@\n x\n+const a = 'b' + c; // d\n+fs.rmSync(p)\n+// fs.rmSync(p)\n"
	tokens := 0
	watch := func() func() bool {
		return func() bool {
			tokens++
			return tokens > 3
		}
	}
	found, err := Builtin().TouchesOf(strings.NewReader(src), Context{Watch: watch})
	if err != nil || len(found.Ignored) != 1 || found.Ignored[0].Why != tooSlow {
		t.Errorf("%v, %v", found, err)
	}
	lines := 0
	for _, touch := range found.Touches {
		if touch.Rule == "js-io-call" {
			lines++
		}
	}
	if lines != 2 { // the comment is not told apart any more
		t.Errorf("%v", found.Touches)
	}
	if tokens > 5 {
		t.Errorf("the lexer went on for %d tokens", tokens)
	}
}

// TestReaderFails gives back what the reader says.
func TestReaderFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, head := range []string{"", "--- a/a.go\n+++ b/a.go\n@@ -1,1 +1,2 @@\n package a\n"} {
		_, err := Builtin().TouchesOf(io.MultiReader(strings.NewReader(head), failing{broken}), Context{})
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v", head, err)
		}
	}
	_, err := Builtin().TouchesOf(strings.NewReader("--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n"), Context{
		Attributes: func([]string) (map[string]Attributes, error) { return nil, broken },
	})
	if !errors.Is(err, broken) {
		t.Errorf("attributes: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
