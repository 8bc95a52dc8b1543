package notes

import (
	"fmt"
	"strings"
	"testing"

	"git-okstra/gitops"
)

// TestAppendAtEveryFanOut has stock git write so many notes that it cuts the ids into
// folders; rows go on, and git reads all of them.
func TestAppendAtEveryFanOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ notes, depth int }{{10, 0}, {300, 1}} {
		l := newLedger(t, "one-commit")
		commits := l.manyNotes(c.notes)
		if got := l.depth(); got != c.depth {
			t.Fatalf("%d notes lie %d deep, want %d", c.notes, got, c.depth)
		}
		old := commits[c.notes/2]
		l.add(l.head, row("new", Started, 1, l.head, "c"))
		if got := l.add(old, row("on-an-old-one", Done, 1, old, "c")); got.Row.Seq != uint64(c.notes)+2 {
			t.Errorf("seq %d after %d notes", got.Row.Seq, c.notes)
		}
		lines := l.read()
		if len(lines) != c.notes+2 || !strings.HasPrefix(ids(lines), "n0000 n0001 ") || !strings.HasSuffix(ids(lines), " new on-an-old-one") {
			t.Errorf("%d rows, in order %.60s…", len(lines), ids(lines))
		}
		if got := l.note(old); strings.Count(got, "\n") != 1 || !strings.Contains(got, "on-an-old-one") {
			t.Errorf("git shows %q", got)
		}
		if got := strings.Count(l.Git("notes", "--ref="+string(l.ref), "list"), "\n"); got != c.notes {
			t.Errorf("git lists %d notes, want %d", got+1, c.notes+1)
		}
	}
}

// manyNotes lets git fast-import make commits with a note on each.
func (l *ledger) manyNotes(n int) []gitops.Hash {
	l.t.Helper()
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/filler\nmark :%d\ncommitter A <a@x> %d +0000\ndata 1\nx\n", i+1, 1_700_000_000+i)
	}
	fmt.Fprintf(&in, "commit %s\ncommitter A <a@x> 1700000000 +0000\ndata 1\nx\n", l.ref)
	for i := range n {
		text := fmt.Sprintf(`{"id":"n%04d","seq":%d}`, i, i+1)
		fmt.Fprintf(&in, "N inline :%d\ndata %d\n%s\n", i+1, len(text), text)
	}
	l.stdin(in.String()+"done\n", "fast-import", "--quiet")
	var commits []gitops.Hash
	for _, h := range strings.Fields(l.Git("rev-list", "filler")) {
		commits = append(commits, gitops.Hash(h))
	}
	return commits
}

// depth is how many folders the deepest note lies in.
func (l *ledger) depth() int {
	deepest := 0
	for _, path := range strings.Fields(l.Git("ls-tree", "-r", "--name-only", string(l.ref))) {
		deepest = max(deepest, strings.Count(path, "/"))
	}
	return deepest
}
