package notes_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
	"git-okstra/notes"
)

// someNote draws a note of rows and of text that is none.
func someNote(t *rapid.T, label string) []byte {
	var b strings.Builder
	for range rapid.IntRange(0, 5).Draw(t, label) {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			n := rapid.IntRange(1, 4).Draw(t, "id")
			fmt.Fprintf(&b, `{"v":1,"seq":%d,"id":"r%d","stage":%d}`+"\n", 1+n%3, n, n)
		case 2:
			b.WriteString(rapid.SampledFrom([]string{"a remark\n  of two lines\n", "{}\n", "{\"id\":7}\n", "x\n"}).Draw(t, "text"))
		case 3:
			b.WriteString("\n \n")
		case 4:
			b.WriteString(`{"v":1,"seq":2,"id":"r9","later":"ü"}`)
			b.WriteByte('\n')
		}
	}
	s := b.String()
	if rapid.Bool().Draw(t, "cut") {
		s = strings.TrimSuffix(s, "\n")
	}
	return []byte(s)
}

// lineSet is every line of a note that is not blank, once.
func lineSet(contents ...[]byte) []string {
	var out []string
	for line := range strings.SplitSeq(string(bytes.Join(contents, []byte("\n"))), "\n") {
		if strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestMergeNoteIsAUnion: commutative, associative, idempotent, and nothing is lost.
func TestMergeNoteIsAUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := someNote(t, "a"), someNote(t, "b"), someNote(t, "c")
		ab := notes.MergeNote(a, b)
		if ba := notes.MergeNote(b, a); !bytes.Equal(ab, ba) {
			t.Fatalf("not commutative: %q, %q", ab, ba)
		}
		if again := notes.MergeNote(ab, b); !bytes.Equal(ab, again) {
			t.Fatalf("not idempotent: %q, %q", ab, again)
		}
		if aa := notes.MergeNote(a, a); !bytes.Equal(a, aa) {
			t.Fatalf("with itself: %q, %q", a, aa)
		}
		left, right := notes.MergeNote(ab, c), notes.MergeNote(a, notes.MergeNote(b, c))
		if !slices.Equal(lineSet(left), lineSet(right)) {
			t.Fatalf("not associative: %q, %q", left, right)
		}
		if got, want := lineSet(left), lineSet(a, b, c); !slices.Equal(got, want) {
			t.Fatalf("lines %q, want %q", got, want)
		}
	})
}

// TestMerge: rows of both logs and further ones in one commit with both as parents.
func TestMerge(t *testing.T) {
	r := testrepo.New(t, "linear")
	testrepo.Setenv(t, r.Env)
	ctx := t.Context()
	repo, err := gitops.Open(ctx, gitops.Options{Dir: r.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	head, older := gitops.Hash(r.Git("rev-parse", "HEAD")), gitops.Hash(r.Git("rev-parse", "HEAD~1"))
	sig, err := repo.Committer(ctx, testrepo.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	add := func(tip, target gitops.Hash, id string) gitops.Hash {
		w := repo.NewObjects()
		out, err := notes.AppendAll(ctx, repo, w, tip, sig, []notes.Entry{{Target: target, Row: notes.Row{ID: id, Stage: 1, Status: notes.Revised}}})
		if err == nil {
			_, err = w.Flush(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	base := add("", head, "1")
	ours := add(add(base, head, "2"), older, "3")
	theirs := add(base, head, "4")
	w := repo.NewObjects()
	tip, err := notes.Merge(ctx, repo, w, ours, theirs, sig, []notes.Entry{{Target: older, Row: notes.Row{ID: "5", Stage: 1}}})
	if err == nil {
		_, err = w.Flush(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, err := notes.Read(ctx, repo, tip)
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprintf("%s/%d", l.Row.ID, l.Row.Seq))
	}
	if want := []string{"1/1", "2/2", "4/2", "3/3", "5/4"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("rows %q, %v, want %q", got, err, want)
	}
	if parents := r.Git("log", "-1", "--format=%P", string(tip)); parents != string(ours)+" "+string(theirs) {
		t.Errorf("parents %q", parents)
	}
	if out := r.Git("log", "-1", "--format=%(trailers:key=Okstra-Seq,valueonly)", string(tip)); strings.TrimSpace(out) != "4" {
		t.Errorf("clock %q", out)
	}
	union, err := notes.Union(ctx, repo, ours, theirs, ours)
	if err != nil || len(union) != 4 {
		t.Errorf("union: %d rows, %v", len(union), err)
	}
}
