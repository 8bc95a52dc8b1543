package notes

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// restore puts lines back and moves the ref.
func (l *ledger) restore(lost ...Line) {
	l.t.Helper()
	ctx := l.t.Context()
	sig, err := l.repo.Committer(ctx, testrepo.Epoch())
	if err != nil {
		l.t.Fatal(err)
	}
	old, w := l.tip(), l.repo.NewObjects()
	tip, err := Restore(ctx, l.repo, w, old, sig, lost)
	if err != nil {
		l.t.Fatal(err)
	}
	tx := gitops.Transaction{Reason: "restore"}
	tx.Update(l.ref, old, tip)
	if err := l.repo.ApplyObjects(ctx, w, tx); err != nil {
		l.t.Fatal(err)
	}
}

// TestRestore: lines come back as they were, the log keeps its order and its clock, and
// the next row is numbered on.
func TestRestore(t *testing.T) {
	t.Parallel()
	for _, recipe := range []string{"linear", "sha256"} {
		l := newLedger(t, recipe)
		a := l.head
		b := gitops.Hash(l.Git("commit-tree", "-p", string(a), "-m", "b", string(a)+"^{tree}"))
		l.add(a, row("one", Started, 1, a, "c1"))
		l.add(b, row("two", Done, 1, b, "c1"))
		l.add(b, row("three", Started, 2, b, "c2"))
		whole := l.read()
		l.Git("notes", "--ref="+string(l.ref), "remove", string(b))
		left := l.read()
		if len(left) != 1 {
			t.Fatalf("%s: %d rows left", recipe, len(left))
		}
		l.restore(whole[1], whole[2])
		now := l.read()
		if !slices.EqualFunc(now, whole, func(x, y Line) bool { return x.Commit == y.Commit && bytes.Equal(x.Raw, y.Raw) }) {
			t.Errorf("%s: %v, want %v", recipe, now, whole)
		}
		c, err := l.repo.ReadCommit(t.Context(), l.tip())
		if seq, ok := Clock(c); err != nil || !ok || seq != 3 {
			t.Errorf("%s: clock %d %v %v", recipe, seq, ok, err)
		}
		if out := l.add(a, row("four", Released, 2, "", "c2")); out.Row.Seq != 4 {
			t.Errorf("%s: seq %d", recipe, out.Row.Seq)
		}
		l.Git("fsck", "--strict")
	}
}

// TestRestoreOnlyTheClock: without lines the tree stays as it is, byte for byte.
func TestRestoreOnlyTheClock(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "linear")
	l.add(l.head, row("one", Started, 1, l.head, "c1"))
	l.Git("notes", "--ref="+string(l.ref), "append", "-m", "by hand", string(l.head))
	l.Git("notes", "--ref="+string(l.ref), "append", "-m", `{"v":1,"seq":77,"id":"far","stage":1,"status":"waived"}`, string(l.head))
	tree := l.Git("rev-parse", string(l.ref)+"^{tree}")
	l.restore()
	if now := l.Git("rev-parse", string(l.ref)+"^{tree}"); now != tree {
		t.Errorf("tree %s, was %s", now, tree)
	}
	if got := l.Git("log", "-1", "--format=%(trailers:key=Okstra-Seq,valueonly)", string(l.ref)); strings.TrimSpace(got) != "77" {
		t.Errorf("clock %q", got)
	}
}

// TestRestoreStartsALog: also where nothing is left of it.
func TestRestoreStartsALog(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "linear")
	raw := []byte(`{"v":1,"seq":5,"id":"x","impl_task_key":"p:g:t","stage":1,"status":"waived","unknown":"kept"}`)
	l.restore(ParseNote(l.head, raw)...)
	if got := l.read(); len(got) != 1 || !bytes.Equal(got[0].Raw, raw) {
		t.Errorf("%v", got)
	}
	if n := l.Git("rev-list", "--count", string(l.ref)); n != "1" {
		t.Errorf("%s commits", n)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"okstra: x\n\nOkstra-Seq: 12\n":       "12 true",
		"okstra: x\n\nOkstra-Seq: -1\n":       "0 false",
		"okstra: x\n\nOkstra-Seq: many\n":     "0 false",
		"Notes added by 'git notes append'\n": "0 false",
		"Okstra-Seq: 12\n":                    "0 false",
		"":                                    "0 false",
	} {
		seq, ok := Clock(gitops.Commit{Message: message})
		if got := fmt.Sprint(seq, ok); got != strings.ReplaceAll(want, "  ", " ") {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}

// TestRestoreIsUnion: whatever part of a log is taken away, putting it back gives the
// same rows, in the same order.
func TestRestoreIsUnion(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "linear")
	commits := []gitops.Hash{l.head}
	for range 2 {
		commits = append(commits, gitops.Hash(l.Git("commit-tree", "-p", string(commits[0]), "-m", fmt.Sprint(len(commits)), string(l.head)+"^{tree}")))
	}
	for i := range 9 {
		l.add(commits[i%3], row(fmt.Sprint("row", i), Started, 1, commits[i%3], fmt.Sprint("c", i)))
	}
	tip, whole := l.tip(), l.read()
	ctx, sig := t.Context(), gitops.Signature{Name: "n", Email: "e", When: testrepo.Epoch()}
	rapid.Check(t, func(rt *rapid.T) {
		keep := rapid.SliceOfN(rapid.Bool(), len(whole), len(whole)).Draw(rt, "keep")
		contents := map[gitops.Hash][]byte{}
		var lost []Line
		for i, line := range whole {
			if keep[i] {
				contents[line.Commit] = join(contents[line.Commit], line.Raw)
			} else {
				lost = append(lost, line)
			}
		}
		w := l.repo.NewObjects()
		var part gitops.Hash
		var list []gitops.Note
		for target, content := range contents {
			list = append(list, gitops.Note{Target: target, Content: content})
		}
		if len(list) > 0 {
			tree, err := l.repo.NoteSetAll(ctx, w, "", list)
			if err != nil {
				rt.Fatal(err)
			}
			part = w.Commit(gitops.CommitData{Tree: tree, Parents: []gitops.Hash{tip}, Author: sig, Committer: sig, Message: "part\n"})
			if _, err := w.Flush(ctx); err != nil {
				rt.Fatal(err)
			}
		}
		next := l.repo.NewObjects()
		made, err := Restore(ctx, l.repo, next, part, sig, lost)
		if err == nil {
			_, err = next.Flush(ctx)
		}
		if err != nil && len(whole) > 0 {
			rt.Fatal(err)
		}
		got, err := Read(ctx, l.repo, made)
		if err != nil || !slices.EqualFunc(got, whole, func(x, y Line) bool { return x.Commit == y.Commit && bytes.Equal(x.Raw, y.Raw) }) {
			rt.Fatalf("%v %v", got, err)
		}
	})
}
