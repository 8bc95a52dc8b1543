package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// toldRemovals are removals as somebody tells of them.
type toldRemovals struct {
	list []HalfRemoved
	err  error
}

func (r toldRemovals) HalfRemoved(_ context.Context, key string) ([]HalfRemoved, error) {
	if key != "p/g/t" {
		return nil, errors.New("another task")
	}
	return r.list, r.err
}

func TestHalfRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld()
	settled := 0
	settle := func(context.Context) error { settled++; return nil }
	d := &Doctor{Removals: toldRemovals{list: []HalfRemoved{
		{Path: "/w/.a", From: "/w/a", Settle: settle},
		{Path: "/w/.b", From: "/w/b", Finish: true, Settle: settle},
		{Path: "/w/.c\x1b", Why: "look\x1b", Settle: settle},
	}}}
	if err := d.readRemovals(t.Context(), w.facts); err != nil {
		t.Fatal(err)
	}
	var got []Finding
	for _, f := range judge(w.facts).Findings {
		if f.Code == "worktree-half-removed" {
			got = append(got, f)
		}
	}
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{
		`"/w/.a" is the worktree "/w/a", whose removal was cut short before it was decided`,
		`"/w/.b" is a worktree whose removal was cut short; nothing was to be lost by it`,
		`"/w/.c\x1b" is a worktree whose removal was cut short`,
	} {
		f := got[i]
		if f.Message != want || f.Severity != Warning || f.Task != "p:g:t" {
			t.Errorf("%+v", f)
		}
		if f.Repairable() != (i < 2) {
			t.Errorf("%d: repairable: %v", i, f.Repairable())
		}
		if f.Repairable() && f.mend(t.Context(), d) != nil {
			t.Errorf("%d: not mended", i)
		}
	}
	if settled != 2 || !strings.Contains(got[2].Hints[0], `look\x1b`) {
		t.Errorf("%d settled; %q", settled, got[2].Hints)
	}
	if err := (&Doctor{}).readRemovals(t.Context(), w.facts); err != nil {
		t.Errorf("nobody to ask: %v", err)
	}
	no := errors.New("no")
	if err := (&Doctor{Removals: toldRemovals{err: no}}).readRemovals(t.Context(), w.facts); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
}
