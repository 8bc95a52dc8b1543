package doctor

import (
	"errors"
	"fmt"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// TestWholeStates: what the lifecycle leaves is never a finding.
func TestWholeStates(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{
		"nothing started": newWorld(),
		"reserved":        newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", id(1)),
		"at work":         newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", id(7)),
		"done":            newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7)),
		"released":        newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Released, 1, "", "c1"),
		"released and taken again": newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Released, 1, "", "c1").
			row(notes.Started, 1, id(1), "c2").reserve(1, "c2", id(1)),
		"done at A, at B, at A again": newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").
			row(notes.Done, 1, id(8), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7)),
		"reopened": newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").row(notes.Reopened, 1, "", ""),
		"an unknown status says nothing of the state": newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").
			row("verified", 1, id(7), "").row("waived", 1, "", "").done(1, id(7)),
	} {
		w.t.history = gitops.History{id(1): nil}
		t.Run(name, func(t *testing.T) { t.Parallel(); w.expect(t) })
	}
}

func TestRefsAgainstRows(t *testing.T) {
	t.Parallel()
	started := func() *world { return newWorld().row(notes.Started, 1, id(1), "c1") }
	doneRow := func() *world { return started().row(notes.Done, 1, id(7), "c1") }
	for name, c := range map[string]struct {
		w    *world
		want []string
	}{
		"start: reservation only": {
			newWorld().reserve(1, "c1", "").without("base"),
			[]string{"+warning base-missing 1 base", "+warning reservation-without-branch 1 feat-t-s1", "+warning reservation-without-row 1 somebody"},
		},
		"the base is lost, at work on a later stage": {
			doneRow().done(1, id(7)).row(notes.Started, 2, id(7), "c2").reserve(2, "c2", id(7)).without("base"),
			[]string{"+warning base-missing 2 stage 2 is reserved"},
		},
		"the base is lost, all ended": {doneRow().done(1, id(7)).without("base"), []string{"+warning base-missing 0 1 stages are done"}},
		"the base is lost, and rows differ": {
			doneRow().done(1, id(7)).row(notes.Started, 1, id(3), "c3").row(notes.Done, 1, id(7), "c3").row(notes.Started, 2, id(7), "c2").reserve(2, "c2", id(7)).without("base"),
			[]string{"warning base-missing 2"},
		},
		"imported, and never a base": {newWorld().imported(notes.Done, 1, id(7), id(7)).done(1, id(7)).without("base"), nil},
		"start: all but the row":     {newWorld().reserve(1, "c1", id(1)), []string{"+warning reservation-without-row 1"}},
		"start: the row is of another stage": {
			newWorld().row(notes.Started, 2, id(1), "c1").reserve(1, "c1", id(1)),
			[]string{"+warning reservation-without-row 1"},
		},
		"the row of an earlier claim is not this one's": {started().reserve(1, "c2", id(1)), []string{"+warning reservation-without-row 1"}},
		"done: row only": {
			doneRow().reserve(1, "c1", id(7)),
			[]string{"+error done-row-without-ref 1 does not exist"},
		},
		"done: row only, and work went on": {doneRow().reserve(1, "c1", id(8)), []string{"error done-row-without-ref 1"}},
		"done: row of another claim":       {doneRow().row(notes.Started, 2, id(1), "x").reserve(1, "c9", id(7)), []string{"error done-row-without-ref 1", "+warning reservation-without-row 1"}},
		"done: the ref is lost":            {doneRow(), []string{"error done-row-without-ref 1"}},
		"done: the commit is not here": {
			started().row(notes.Done, 1, id(500), "c1").reserve(1, "c1", id(500)),
			[]string{"warning note-on-missing 0", "error done-row-without-ref 1"},
		},
		"done: reservation left":             {doneRow().done(1, id(7)).reserve(1, "c1", id(7)), []string{"+warning reservation-beside-done 1"}},
		"done: reservation of somebody else": {doneRow().done(1, id(7)).reserve(1, "c2", id(7)), []string{"warning reservation-beside-done 1"}},
		"done without its row":               {started().done(1, id(7)), []string{"error done-without-row 1"}},
		"done at another commit than the row": {
			doneRow().done(1, id(8)),
			[]string{"error done-without-row 1", "error done-row-without-ref 1 is at"},
		},
		"reconcile: row only": {
			doneRow().done(1, id(7)).line(id(8), notes.Row{V: 1, Seq: 9, ID: "r", Task: "p:g:t", Stage: 1, Status: notes.Done, Head: id(8), Replaces: id(7)}),
			[]string{"+error done-row-without-ref 1 is at"},
		},
		"reconcile: it replaces something else": {
			doneRow().done(1, id(7)).line(id(8), notes.Row{V: 1, Seq: 9, ID: "r", Task: "p:g:t", Stage: 1, Status: notes.Done, Head: id(8), Replaces: id(9)}),
			[]string{"error done-row-without-ref 1"},
		},
		"release: row only":               {started().row(notes.Released, 1, "", "c1").reserve(1, "c1", id(1)), []string{"+warning released-but-reserved 1"}},
		"release: of another claim":       {started().row(notes.Released, 1, "", "c1").reserve(1, "c2", id(1)), []string{"+warning reservation-without-row 1"}},
		"release: of an unreadable claim": {broken(started().row(notes.Released, 1, "", string(id(1001))).reserve(1, "", id(1))), []string{"warning reservation-unreadable 1", "+warning released-but-reserved 1"}},
		"an unreadable claim":             {broken(started().reserve(1, "", id(1))), []string{"warning reservation-unreadable 1"}},
		"an unreadable claim beside done": {broken(doneRow().done(1, id(7)).reserve(1, "", id(7))), []string{"warning reservation-unreadable 1", "warning reservation-beside-done 1"}},
		"no plan, and started":            {started().reserve(1, "c1", id(1)).without("plan"), []string{"error plan-missing 0 refs/okstra/p/g/t/plan does not exist"}},
		"no plan, and no state":           {newWorld().without("base").without("plan"), nil},
		"no notes at all":                 {newWorld().done(1, id(7)).done(2, id(8)).without("notes"), []string{"error log-missing 0 2 stages"}},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.w.expect(t, c.want...) })
	}
}

// imported appends an okstra row.
func (w *world) imported(status notes.Status, n plan.StageNumber, head, on gitops.Hash) *world {
	w.seq++
	return w.line(on, notes.Row{
		V: 1, Seq: w.seq, ID: fmt.Sprintf("id-%d", w.seq), Task: "p:g:t", Stage: n, Status: status, By: "okstra", Head: head,
		Okstra: &notes.Origin{File: "consumers.jsonl"},
	})
}

// TestImportedRows: what an import leaves as it stands is no finding.
func TestImportedRows(t *testing.T) {
	t.Parallel()
	done := func() *world {
		return newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7))
	}
	for name, c := range map[string]struct {
		w    *world
		want []string
	}{
		"kept":                       {done().imported(notes.Done, 1, id(8), id(8)), nil},
		"held":                       {newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", id(1)).imported(notes.Done, 1, id(8), id(8)), nil},
		"no commit, and done":        {done().imported(notes.Done, 1, "", id(1)), nil},
		"no commit, and not done":    {newWorld().imported(notes.Done, 1, "", id(1)), nil},
		"the commit is not here":     {newWorld().imported(notes.Done, 1, id(500), id(1)), []string{"info done-row-without-ref 1"}},
		"the ref is lost":            {newWorld().imported(notes.Done, 1, id(8), id(8)), []string{"error done-row-without-ref 1"}},
		"the ref is at another done": {newWorld().imported(notes.Done, 1, id(7), id(7)).imported(notes.Done, 1, id(8), id(8)).done(1, id(7)), []string{"error done-row-without-ref 1"}},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.w.expect(t, c.want...) })
	}
}

// without takes one of the task's refs away.
func (w *world) without(what string) *world {
	switch what {
	case "base":
		w.t.base = ""
	case "notes":
		w.t.notes = ""
	case "plan":
		w.t.plan = ""
	}
	return w
}

func broken(w *world) *world {
	for n, c := range w.t.claims {
		c.ID, c.By, c.Branch, c.Worktree, c.Broken = "", "", "", "", "damaged"
		w.t.claims[n] = c
	}
	return w
}

// TestRenamedBranch: where the reserved name is gone, the worktree says which it is.
func TestRenamedBranch(t *testing.T) {
	t.Parallel()
	w := newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").reserve(1, "c1", "")
	w.trees[0].Branch, w.heads["renamed"] = "refs/heads/renamed", id(7)
	w.expect(t, "+error done-row-without-ref 1")
	w.heads["renamed"] = id(8)
	w.expect(t, "error done-row-without-ref 1")
	w = newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", "")
	w.trees[0].Branch, w.heads["renamed"] = "refs/heads/renamed", id(7)
	w.expect(t)
}

func TestObjects(t *testing.T) {
	t.Parallel()
	w := newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7))
	w.types[id(1)], w.types[id(7)] = gitops.TypeTree, gitops.TypeTag
	w.expect(t, "error ref-wrong-type 0 plan points to a tree", "error ref-wrong-type 0 base", "error ref-wrong-type 1 done/1 points to a tag")

	w = newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7))
	delete(w.types, id(2))
	w.expect(t, "error object-missing 0 refs/notes/okstra/p/g/t points to commit")
	w.partial = true
	w.expect(t, "info object-missing 0")

	w = newWorld()
	w.facts.broken = []gitops.RefName{"refs/okstra/p/g/t/done/3"}
	w.t.planErr = errors.New("no plan.md")
	w.expect(t, "error ref-broken 0 done/3", "error plan-unreadable 0 no plan.md")

	w = newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7))
	w.t.historyErr = errors.New("gone")
	w.expect(t, "error history-unreadable 0 gone")

	w = newWorld().reserve(1, "c1", id(1)).done(2, id(7)) // an unreadable log proves nothing missing
	w.t.err = errors.New("damaged")
	w.expect(t, "error log-unreadable 0 damaged")
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	base := func() *world {
		w := newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7))
		w.t.history = gitops.History{id(1): nil, id(7): {id(1)}, id(8): {id(7)}, id(9): {id(1)}}
		w.begun["c1"] = true
		return w
	}
	w := base()
	w.expect(t, "warning done-unreachable 1 neither on its branch nor on main")
	w.shallow = true
	w.expect(t, "info done-unreachable 1")
	for name, change := range map[string]func(*world){
		"on its branch":              func(w *world) { w.heads["feat-t-s1"] = id(8) },
		"on main":                    func(w *world) { w.heads["main"] = id(8) },
		"below all that was read":    func(w *world) { delete(w.t.history, id(7)) },
		"on a renamed branch":        func(w *world) { w.heads["x"] = id(8); w.reserveTree("refs/heads/x", "") },
		"where HEAD is detached":     func(w *world) { w.reserveTree("", id(8)) },
		"history could not be read ": func(w *world) { w.t.history = nil },
	} {
		w := base()
		change(w)
		t.Run(name, func(t *testing.T) { t.Parallel(); w.expect(t) })
	}
	w = base()
	w.heads["feat-t-s1"] = id(9) // amended
	w.expect(t, "warning done-unreachable 1")
	w.row(notes.Started, 2, id(7), "c2")
	w.heads["feat-t-s2"] = id(8) // the next stage stands on what was there before
	w.expect(t, "warning done-unreachable 1")
	w.row(notes.Done, 1, id(7), "c1") // but where a rewrite moved the stage, it is there
	w.t.rows[len(w.t.rows)-1].Row.Replaces = id(5)
	w.expect(t)
}

// TestLandedElsewhere: a done commit that is nowhere here took the place of one that is on
// the stage's branch, with the same content: another clone landed it.
func TestLandedElsewhere(t *testing.T) {
	t.Parallel()
	moved := func(w *world, from, to gitops.Hash, reason string) *world {
		w.seq++
		return w.done(1, to).line(to, notes.Row{
			V: 1, Seq: w.seq, ID: fmt.Sprint("m", w.seq), Task: "p:g:t", Stage: 1, Status: notes.Done, Head: to, Claim: "c1", Replaces: from, Reason: reason,
		})
	}
	landed := func(reason string) *world {
		w := newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1")
		w.t.history = gitops.History{id(1): nil, id(6): {id(1)}, id(7): {id(1)}, id(8): {id(7)}, id(9): {id(1)}}
		w.begun["c1"] = true
		return moved(w, id(7), id(9), reason)
	}
	for reason, want := range map[string]string{"squash": "info", "rebase": "info", "patch-id": "info", "manual": "warning", "amend": "warning"} {
		w := landed(reason)
		w.expect(t, "warning done-unreachable 1")
		w.heads["feat-t-s1"] = id(8)
		w.expect(t, want+" done-unreachable 1")
	}
	w := moved(landed("squash"), id(9), id(6), "patch-id") // twice
	w.heads["feat-t-s1"] = id(7)
	w.expect(t, "info done-unreachable 1")
}

// reserveTree is the marked worktree of stage 1.
func (w *world) reserveTree(branch gitops.RefName, head gitops.Hash) {
	w.worktree(tree{
		Worktree: gitops.Worktree{ID: "1", Path: "/w/1", Branch: branch, Head: head},
		key:      "p/g/t", stage: 1, marked: true, folder: true, link: true, indexed: true,
	})
}

// TestAnotherClone: what was started elsewhere and fetched has its branch there.
func TestAnotherClone(t *testing.T) {
	t.Parallel()
	fetched := func() *world { // the row came along, no branch, no worktree
		w := newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", "")
		w.trees, w.host = nil, "there"
		return w
	}
	fetched().expect(t)
	w := fetched().port("p/g/t", 1)
	w.own[id(1001)] = true // it was made here: the branch is missing
	w.expect(t, "+warning reservation-without-branch 1")
	w = newWorld().reserve(1, "c1", "") // no row yet: the host must tell
	w.trees, w.host = nil, "there"
	w.expect(t, "+warning reservation-without-row 1")

	done := func() *world {
		w := newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7))
		w.t.history = gitops.History{id(1): nil, id(7): {id(1)}, id(8): {id(7)}, id(9): {id(1)}}
		return w // on the same host
	}
	done().expect(t, "info done-unreachable 1")
	w = done()
	w.begun["c1"] = true
	w.expect(t, "warning done-unreachable 1")
	w = done()
	w.tracked["feat-t-s1"] = []gitops.Hash{id(9), id(8)}
	w.expect(t)
	w.tracked["feat-t-s1"] = []gitops.Hash{id(9)}
	w.expect(t, "warning done-unreachable 1")
	w = done()
	w.tracked["main"] = []gitops.Hash{id(8)}
	w.expect(t)

	w = newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").reserve(1, "c1", "")
	w.trees, w.host = nil, "there"
	w.expect(t, "error done-row-without-ref 1")
}
