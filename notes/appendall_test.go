package notes

import (
	"fmt"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// addAll appends rows in one commit and moves the ref.
func (l *ledger) addAll(entries ...Entry) {
	l.t.Helper()
	ctx := l.t.Context()
	sig, err := l.repo.Committer(ctx, testrepo.Epoch())
	if err != nil {
		l.t.Fatal(err)
	}
	old, w := l.tip(), l.repo.NewObjects()
	tip, err := AppendAll(ctx, l.repo, w, old, sig, entries)
	if err != nil {
		l.t.Fatal(err)
	}
	tx := gitops.Transaction{Reason: "rows"}
	tx.Update(l.ref, old, tip)
	if err := l.repo.ApplyObjects(ctx, w, tx); err != nil {
		l.t.Fatal(err)
	}
}

// TestAppendAll: several rows on several commits are one notes commit, numbered on,
// and nothing that stood is lost; the next append goes on from there.
func TestAppendAll(t *testing.T) {
	t.Parallel()
	for _, recipe := range []string{"linear", "sha256"} {
		l := newLedger(t, recipe)
		a := l.head
		b := gitops.Hash(l.Git("commit-tree", "-p", string(a), "-m", "b", string(a)+"^{tree}"))
		l.addAll(Entry{Target: a, Row: row("first", Revised, 1, "", "")})
		l.add(a, row("started", Started, 1, a, "c1"))
		l.addAll(
			Entry{Target: a, Row: row("x", Revised, 1, "", "")}, Entry{Target: b, Row: row("y", Revised, 2, "", "")}, Entry{Target: a, Row: row("z", Revised, 3, "", "")},
		)
		l.add(b, row("last", Done, 1, b, "c1"))
		var got []string
		for _, line := range l.read() {
			got = append(got, fmt.Sprint(line.Row.Seq, line.Row.ID, line.Commit == a))
		}
		if want := "1firsttrue 2startedtrue 3xtrue 4yfalse 5ztrue 6lastfalse"; strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", recipe, strings.Join(got, " "), want)
		}
		if n := l.Git("rev-list", "--count", string(l.ref)); n != "4" {
			t.Errorf("%s: %s notes commits", recipe, n)
		}
		if got := l.Git("log", "-1", "--skip=1", "--format=%s|%(trailers:key=Okstra-Seq,valueonly)", string(l.ref)); got != "okstra: 3 rows|5\n" {
			t.Errorf("%s: %q", recipe, got)
		}
		l.Git("fsck", "--strict")
	}
}
