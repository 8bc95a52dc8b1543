package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Reasons of a correction after which the content may be another: a person's word, and
// what git calls an amended commit.
const (
	Manual  = "manual"
	Amended = "amend"
)

// Range is a done stage, the commits that were its work, and the branches it had.
type Range struct {
	Stage      plan.StageNumber
	Base, Head gitops.Hash // Base "": nothing says it
	Branches   []gitops.RefName
	Moved      bool // it came to its head by a rewrite
	// Former are the heads that this one took the place of with the same content, the
	// newest first, and how that is known.
	Former []Former
	Claim  string // that it was done under; "" where no row says it
}

// Former is a head that another one took the place of.
type Former struct {
	Head   gitops.Hash
	Reason string
}

// Ranges tells what the log and the plan say of done stages' commits; of all without
// names.
func (e *Engine) Ranges(ctx context.Context, t *Task, stages ...plan.StageNumber) ([]Range, error) {
	if len(stages) == 0 {
		for n := range t.Done {
			stages = append(stages, n)
		}
		slices.Sort(stages)
	}
	lines, err := notes.ReadStages(ctx, e.Repo, t.NotesTip, stages)
	if err != nil {
		return nil, err
	}
	var out []Range
	for _, n := range stages {
		head, done := t.Done[n]
		if !done {
			return nil, refuse(Refused, "", "stage %d is not done", n)
		}
		short, long := branchNames(t, n)
		last := lastDone(lines, n, head)
		r := Range{Stage: n, Head: head, Base: e.rangeBase(t, n, head, lines), Branches: []gitops.RefName{short, long}}
		if last != nil {
			r.Moved, r.Claim, r.Former = last.Replaces != "", last.Claim, formerOf(lines, n, head)
		}
		for _, l := range lines {
			name := gitops.RefName(fmt.Sprintf("refs/heads/%s", l.Row.Branch))
			if l.Row.Stage == n && l.Row.Branch != "" && l.Row.Status != notes.HandedOff && gitops.ValidRefName(name) && !slices.Contains(r.Branches, name) {
				r.Branches = append(r.Branches, name)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// rangeBase is what a stage's commits stand on. A stage that was reopened has those of
// all its rounds, each of which stands on the one before.
func (e *Engine) rangeBase(t *Task, n plan.StageNumber, head gitops.Hash, lines []notes.Line) gitops.Hash {
	base := e.roundBase(t, n, head, lines)
	for seen := map[gitops.Hash]bool{head: true}; base != "" && !seen[base] && lastDone(lines, n, base) != nil; {
		seen[base] = true
		base = e.roundBase(t, n, base, lines)
	}
	return base
}

// roundBase is what the commits of one round stand on: its evidence says so, else its
// start, else the plan.
func (e *Engine) roundBase(t *Task, n plan.StageNumber, head gitops.Hash, lines []notes.Line) gitops.Hash {
	if row := lastDone(lines, n, head); row != nil {
		if row.Carry != nil && row.Carry.StageCommitRange.Head == head && row.Carry.StageCommitRange.Base.Valid() {
			return row.Carry.StageCommitRange.Base
		}
		if row.Replaces != "" {
			return ""
		}
		for _, l := range slices.Backward(lines) {
			if l.Row.Stage == n && l.Row.Status == notes.Started && row.Claim != "" && l.Row.Claim == row.Claim && l.Row.Head.Valid() {
				return l.Row.Head
			}
		}
	}
	st, _ := t.Plan.Stage(n)
	switch deps := unique(st.DependsOn); len(deps) {
	case 0:
		return t.Base
	case 1:
		return t.Done[deps[0]]
	}
	return ""
}

// formerOf follows the corrections of a done stage back from its head, as long as they say
// that the content stayed.
func formerOf(lines []notes.Line, n plan.StageNumber, head gitops.Hash) []Former {
	var out []Former
	for seen := map[gitops.Hash]bool{}; head != "" && !seen[head]; {
		seen[head] = true
		row := lastDone(lines, n, head)
		if row == nil || !row.Replaces.Valid() || row.Reason == Manual || row.Reason == Amended {
			break
		}
		head = row.Replaces
		out = append(out, Former{head, row.Reason})
	}
	return out
}
