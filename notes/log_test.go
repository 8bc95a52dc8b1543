package notes

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"git-okstra/gitops"
)

// TestAppendIsReadByStockGit holds that what we write is a note to git: notes show,
// log --notes and the trailer.
func TestAppendIsReadByStockGit(t *testing.T) {
	t.Parallel()
	for _, recipe := range []string{"one-commit", "sha256"} {
		l := newLedger(t, recipe)
		first := l.add(l.head, row("a", Started, 1, l.head, "c1"))
		second := l.add(l.head, row("b", Done, 1, l.head, "c1"))
		if first.Row.Seq != 1 || second.Row.Seq != 2 || first.Row.V != Version || first.Stood || second.Tip != l.tip() {
			t.Errorf("appended %+v, %+v", first, second)
		}
		if got := strings.Split(l.note(l.head), "\n"); len(got) != 2 || !strings.Contains(got[1], `"id":"b"`) {
			t.Errorf("note %q", got)
		}
		if got := l.Git("log", "-1", "--notes=okstra/p/g/t", "--format=%N", "main"); !strings.Contains(got, `"id":"a"`) {
			t.Errorf("log shows %q", got)
		}
		if got := l.Git("log", "--format=%s|%(trailers:key=Okstra-Seq,valueonly)", string(l.ref)); got != "okstra: stage 1 done|2\n\nokstra: stage 1 started|1\n" {
			t.Errorf("commits %q", got)
		}
		l.Git("fsck", "--strict")
	}
}

// TestNoOpAppend holds that only the stage's latest transition, whole, makes a repeat
// a no-op: A, B, A again is recorded.
func TestNoOpAppend(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "linear")
	a, b := l.head, gitops.Hash(l.Git("rev-parse", "main~1"))
	for i, c := range []struct {
		target gitops.Hash
		row    Row
		stood  bool
	}{
		{b, row("", Started, 1, b, "c1"), false},
		{b, row("", Started, 1, b, "c1"), true},
		{b, row("", Started, 1, b, "c2"), false},
		{b, row("", Started, 2, b, "c1"), false},
		{a, row("", Done, 1, a, "c2"), false},
		{a, row("", Done, 1, a, "c2"), true},
		{b, row("", Done, 1, b, "c2"), false},
		{a, row("", Done, 1, a, "c2"), false}, // the note on a has this very row, but b came after
		{a, row("", Done, 1, a, "c2"), true},
		{a, row("", Revised, 1, a, "c2"), false},
		{a, row("", Revised, 1, a, "c2"), false}, // no transition: never a no-op
		{a, row("", Done, 1, a, "c2"), true},     // and none that counts
		{b, row("", Released, 2, "", "c1"), false},
		{b, row("", Released, 2, "", "c1"), true},
		{b, row("", Started, 2, b, "c1"), false},
	} {
		c.row.ID = fmt.Sprintf("id%02d", i)
		before := l.tip()
		got := l.add(c.target, c.row)
		if got.Stood != c.stood || got.Stood != (l.tip() == before) {
			t.Errorf("%d: stood %v, want %v", i, got.Stood, c.stood)
		}
	}
	if got := ids(l.read()); got != "id00 id02 id03 id04 id06 id07 id09 id10 id12 id14" {
		t.Errorf("rows %s", got)
	}
}

// TestForeignLinesSurvive appends to notes that a person and other versions wrote.
// Every byte that was there is still there.
func TestForeignLinesSurvive(t *testing.T) {
	t.Parallel()
	for _, before := range []string{
		"a person's note\n\nwith a gap\n",
		"no line end",
		`{"id":"x","seq":41,"stage":1,"status":"later","new_field":{"a":[1,2]},  "spaced": true}` + "\n",
		"\xff\xfe raw \x01 bytes\r\n",
		"\n\n\n",
	} {
		l := newLedger(t, "one-commit")
		blob := l.stdin(before, "hash-object", "-w", "--stdin")
		l.Git("notes", "--ref="+string(l.ref), "add", "-C", blob, string(l.head))
		got := l.add(l.head, row("mine", Done, 1, l.head, "c"))
		after, err := l.repo.NoteGet(t.Context(), l.tip(), l.head)
		if err != nil || !bytes.HasPrefix(after, []byte(before)) || !bytes.HasSuffix(after, []byte("\n")) {
			t.Errorf("note %q, %v; want it to begin with %q", after, err, before)
		}
		if rest := bytes.TrimLeft(after[len(before):], "\n"); bytes.Count(rest, []byte("\n")) != 1 || !bytes.Contains(rest, []byte(`"id":"mine"`)) {
			t.Errorf("added %q", rest)
		}
		want := uint64(1)
		if strings.Contains(before, `"seq":41`) {
			want = 42
		}
		if got.Row.Seq != want {
			t.Errorf("after %q: seq %d, want %d", before, got.Row.Seq, want)
		}
	}
}

// TestSeqAfterStockGit holds that the logical clock goes on where git's own notes
// commands, which set no trailer, wrote last.
func TestSeqAfterStockGit(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "linear")
	other := gitops.Hash(l.Git("rev-parse", "main~2"))
	for i := range 5 {
		l.add(l.head, row(fmt.Sprint(i), Started, i, l.head, "c"))
	}
	l.Git("notes", "--ref="+string(l.ref), "append", "-m", "by hand", string(other))
	if got := l.add(other, row("next", Done, 9, other, "c")); got.Row.Seq != 6 {
		t.Errorf("seq %d, want 6", got.Row.Seq)
	}
	l.Git("notes", "--ref="+string(l.ref), "copy", "--force", string(l.head), string(other))
	if got := l.add(other, row("last", Done, 10, other, "c")); got.Row.Seq != 6 {
		t.Errorf("seq %d after the row with 6 was overwritten, want 6", got.Row.Seq)
	}
	for _, message := range []string{"no trailer", "x\n\nOkstra-Seq: many", "x\n\nOkstra-Seq: -1\n", "Okstra-Seq: 90"} {
		commit := l.Git("commit-tree", "-m", message, "-p", string(l.ref), string(l.ref)+"^{tree}")
		l.Git("update-ref", string(l.ref), commit)
		want := l.read()
		if got := l.add(l.head, row(message, Started, 1, l.head, message)); got.Row.Seq != want[len(want)-2].Row.Seq+1 && got.Row.Seq != want[len(want)-1].Row.Seq+1 {
			t.Errorf("%q: seq %d", message, got.Row.Seq)
		}
	}
	commit := l.Git("commit-tree", "-m", "x\n\nOkstra-Seq: 900", "-p", string(l.ref), string(l.ref)+"^{tree}")
	l.Git("update-ref", string(l.ref), commit)
	if got := l.add(l.head, row("trusted", Started, 1, l.head, "trusted")); got.Row.Seq != 901 {
		t.Errorf("seq %d, want the trailer's and one", got.Row.Seq)
	}
}

// TestCopiedRowCountsOnce copies a note as git does when it rewrites a commit.
func TestCopiedRowCountsOnce(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "linear")
	other := gitops.Hash(l.Git("rev-parse", "main~1"))
	l.add(l.head, row("a", Done, 1, l.head, "c"))
	l.add(l.head, row("b", Done, 2, "", "c"))
	l.Git("notes", "--ref="+string(l.ref), "copy", string(l.head), string(other))
	lines := l.read()
	if ids(lines) != "a b" || lines[0].Commit != l.head {
		t.Errorf("rows %s, the first on %s", ids(lines), lines[0].Commit)
	}
}

func TestReadFailureIsNoEmptyLog(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "one-commit")
	if lines, err := Read(t.Context(), l.repo, ""); len(lines) != 0 || err != nil {
		t.Errorf("empty log: %v, %v", lines, err)
	}
	for _, tip := range []gitops.Hash{gitops.Hash(strings.Repeat("1", 40)), gitops.Hash(l.Git("rev-parse", "main:README.md"))} {
		if lines, err := Read(t.Context(), l.repo, tip); err == nil {
			t.Errorf("%s: %v", tip, lines)
		}
		e := Entry{Target: l.head, Row: row("x", Done, 1, l.head, "")}
		if got, err := Append(t.Context(), l.repo, l.repo.NewObjects(), tip, gitops.Signature{}, e); err == nil {
			t.Errorf("%s: %v", tip, got)
		}
	}
}
