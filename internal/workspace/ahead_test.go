package workspace

import (
	"os"
	"testing"
)

// TestAhead: a search that was begun before serves the target it was begun for, and no
// other; what changed since is not copied.
func TestAhead(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.settle()
	repo, first, second := w.open(), w.target("main"), w.target("main")
	var ahead Ahead
	ahead.Stop() // of none
	ahead.Begin(t.Context(), repo, second)
	ahead.Begin(t.Context(), repo, first)
	defer ahead.Stop()
	if ahead.fits(second) || !ahead.fits(first) || (*Ahead)(nil).fits(first) {
		t.Error("it fits another target than its own")
	}
	from, err := ahead.found()
	if err != nil || len(from.siblings) != 1 {
		t.Fatalf("found %d siblings, %v", len(from.siblings), err)
	}
	// Same size, same time: only the content tells.
	name := from.siblings[0].index.Entries[0].Name
	info, err := os.Stat(w.path(name))
	w.must(err)
	data, err := os.ReadFile(w.path(name))
	w.must(err)
	data[0] ^= 1
	w.must(os.WriteFile(w.path(name), data, 0o666))
	w.must(os.Chtimes(w.path(name), info.ModTime(), info.ModTime()))

	first.Ahead = &ahead
	res, err := Provision(t.Context(), repo, first)
	if err != nil || res.Written != 1 || res.Copied == 0 {
		t.Errorf("%d copied, %d written, %v", res.Copied, res.Written, err)
	}
	if ahead.cancel != nil {
		t.Error("what was found is kept, and could serve again")
	}
	if out := w.Git("-C", first.Path, "status", "--porcelain"); out != "" {
		t.Errorf("status %s", out)
	}
	second.Ahead = &ahead // used up: it looks for itself
	if res, err = Provision(t.Context(), repo, second); err != nil || res.Copied == 0 {
		t.Errorf("second: %+v, %v", res, err)
	}
}
