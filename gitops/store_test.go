package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"git-okstra/internal/testrepo"
)

// openOn opens a test repository as its user would.
func openOn(t *testing.T, r *testrepo.Repo) *Repo {
	t.Helper()
	g, err := Open(t.Context(), Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// packs counts the packs and keep files.
func packs(t *testing.T, r *testrepo.Repo) (packs, keeps int) {
	t.Helper()
	for pattern, n := range map[string]*int{"*.pack": &packs, "*.keep": &keeps} {
		found, err := filepath.Glob(filepath.Join(r.Dir, ".git", "objects", "pack", pattern))
		if err != nil {
			t.Fatal(err)
		}
		*n = len(found)
	}
	return packs, keeps
}

// TestApplyObjectsKeepsOrTakesBack: a transaction that stands keeps its pack and
// drops the .keep, a refused one leaves neither.
func TestApplyObjectsKeepsOrTakesBack(t *testing.T) {
	r := testrepo.New(t, "one-commit")
	g := openOn(t, r)
	w := g.NewObjects()
	blob := w.Blob([]byte("kept\n"))
	tx := Transaction{Reason: "test"}
	tx.Create("refs/okstra/x", blob)
	if err := g.ApplyObjects(t.Context(), w, tx); err != nil {
		t.Fatal(err)
	}
	if p, k := packs(t, r); p != 1 || k != 0 {
		t.Errorf("after a success: %d packs, %d keeps", p, k)
	}
	if got := r.Git("cat-file", "blob", "refs/okstra/x"); got != "kept" {
		t.Errorf("content %q", got)
	}

	w = g.NewObjects()
	tx = Transaction{Reason: "test"}
	tx.Create("refs/okstra/x", w.Blob([]byte("refused\n")))
	var changed *RefChangedError
	if err := g.ApplyObjects(t.Context(), w, tx); !errors.As(err, &changed) || changed.Have != blob {
		t.Fatalf("a second create: %v", err)
	}
	if p, k := packs(t, r); p != 1 || k != 0 {
		t.Errorf("after a refusal: %d packs, %d keeps", p, k)
	}
}

// TestHalfDoneTransactionKeepsItsObjects: where a failed transaction left one of
// its refs behind, as a killed update-ref can, the objects stay.
func TestHalfDoneTransactionKeepsItsObjects(t *testing.T) {
	r := testrepo.New(t, "one-commit")
	g := openOn(t, r)
	w := g.NewObjects()
	blob := w.Blob([]byte("half\n"))
	first := g.NewObjects()
	first.Blob([]byte("half\n"))
	if _, err := first.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Git("update-ref", "refs/okstra/a", string(blob))
	tx := Transaction{Reason: "test"}
	tx.Create("refs/okstra/a", blob)
	tx.Create("refs/okstra/b", blob)
	if err := g.ApplyObjects(t.Context(), w, tx); !errors.Is(err, ErrRefChanged) {
		t.Fatalf("error %v", err)
	}
	if p, _ := packs(t, r); p != 2 {
		t.Errorf("%d packs: the half-done transaction's objects were taken back", p)
	}
}

// TestMayReplace: loose and packed replacement refs are seen.
func TestMayReplace(t *testing.T) {
	r := testrepo.New(t, "linear")
	if openOn(t, r).MayReplace() {
		t.Error("there is none")
	}
	r.Git("replace", "HEAD", "HEAD~1")
	if !openOn(t, r).MayReplace() {
		t.Error("loose")
	}
	r.Git("pack-refs", "--all")
	if err := os.RemoveAll(filepath.Join(r.Dir, ".git", "refs", "replace")); err != nil {
		t.Fatal(err)
	}
	if !openOn(t, r).MayReplace() {
		t.Error("packed")
	}
}
