package verify

import (
	"fmt"

	"git-okstra/gitops"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// Kind is what sort of thing is missing.
type Kind string

// The kinds, in the order of the checks.
const (
	NoStages   Kind = "no-stages"   // the map is empty
	NotDone    Kind = "not-done"    // a stage
	NotMerged  Kind = "not-merged"  // a done stage, in the integration branch
	NoWorktree Kind = "no-worktree" // of the one stage
	UnderWay   Kind = "under-way"   // an operation in the worktree
	NotClean   Kind = "not-clean"   // the worktree
	NotConform Kind = "not-conform" // what a done stage touches, declares and has proved
)

// Missing is one thing that stands in the way of a verification.
type Missing struct {
	Kind       Kind
	Stage      plan.StageNumber // 0 where it is not about one
	Text       string           // for a person; not yet printable
	Paths      []string         // lines of git status
	CannotTell bool             // it may be there, but that is not to be seen here
}

// Lacking is a done stage that is not in the candidate.
type Lacking struct {
	Stage plan.StageNumber
	Head  gitops.Hash
	Doubt string // why its content proves nothing either; "" where it does
	// CannotTell: this clone lacks history or objects, so it may be there all the same.
	CannotTell bool
}

// Facts are what a verification looks at.
type Facts struct {
	Plan      *plan.Plan
	Progress  stage.Progress
	Stage     plan.StageNumber // 0: the whole task
	Onto      string           // the integration branch, short name
	Candidate gitops.Hash      // its tip
	Lacking   []Lacking
	Tree      *Tree // the worktree that is looked at, nil where there is none
	// Conform is what stands in the way of done stages, as their verdicts say.
	Conform []Nonconforming
}

// Nonconforming is a done stage whose change cannot pass.
type Nonconforming struct {
	Stage      plan.StageNumber
	Why        string   // in one sentence
	Places     []string // what it is about, a line each
	CannotTell bool     // its commits are not here
}

// Scope lists the stages that the verification is about, in the order of the map.
func (f Facts) Scope() []plan.StageNumber {
	var out []plan.StageNumber
	for _, st := range f.Plan.Stages {
		if f.Stage == 0 || st.Number == f.Stage {
			out = append(out, st.Number)
		}
	}
	return out
}

// Check lists all that is missing, in the order of lifecycle.md §6. What is not done is
// not asked for its merge.
func Check(f Facts) []Missing {
	var out []Missing
	scope := f.Scope()
	if len(scope) == 0 {
		out = append(out, Missing{Kind: NoStages, Text: "the plan's Stage Map has no stage"})
	}
	for _, n := range scope {
		if !f.Progress.Done[n] {
			out = append(out, Missing{Kind: NotDone, Stage: n, Text: f.notDone(n)})
		}
	}
	if f.Stage == 0 {
		out = append(out, f.notMerged()...)
	}
	out = append(out, f.tree()...)
	for _, n := range f.Conform {
		out = append(out, Missing{Kind: NotConform, Stage: n.Stage, Text: n.Why, Paths: n.Places, CannotTell: n.CannotTell})
	}
	return out
}

func (f Facts) notDone(n plan.StageNumber) string {
	text := fmt.Sprintf("stage %d is not done", n)
	switch st, _ := f.Plan.Stage(n); f.Progress.Of(st) {
	case stage.Active:
		text += ": it is in progress"
	case stage.Ready:
		text += ": it was not started"
	case stage.Blocked:
		text += ": it waits for others"
	case stage.Done:
	}
	return text
}

func (f Facts) notMerged() []Missing {
	var out []Missing
	for _, l := range f.Lacking {
		m := Missing{Kind: NotMerged, Stage: l.Stage, CannotTell: l.CannotTell}
		m.Text = fmt.Sprintf("stage %d (%s) is not merged into %s (%s)", l.Stage, l.Head.Short(), f.Onto, f.Candidate.Short())
		if m.CannotTell {
			m.Text = fmt.Sprintf("cannot tell whether stage %d (%s) is merged into %s", l.Stage, l.Head.Short(), f.Onto)
		}
		if l.Doubt != "" {
			m.Text += ": " + l.Doubt
		}
		out = append(out, m)
	}
	return out
}

// tree judges the worktree. The whole task needs none: of a branch that nobody has
// checked out nothing can be uncommitted.
func (f Facts) tree() []Missing {
	if f.Tree == nil {
		if f.Stage == 0 || !f.Progress.Done[f.Stage] {
			return nil
		}
		return []Missing{{Kind: NoWorktree, Stage: f.Stage, Text: fmt.Sprintf("stage %d has no worktree any more", f.Stage)}}
	}
	var out []Missing
	if f.Tree.Operation != "" {
		out = append(out, Missing{Kind: UnderWay, Stage: f.Stage, Text: fmt.Sprintf("a %s is under way in %q", f.Tree.Operation, f.Tree.Path)})
	}
	if len(f.Tree.Dirt) > 0 {
		out = append(out, Missing{Kind: NotClean, Stage: f.Stage, Text: fmt.Sprintf("%q has uncommitted changes", f.Tree.Path), Paths: f.Tree.Dirt})
	}
	return out
}

// Unsure reports whether nothing is known to be missing, but not everything can be told.
func Unsure(list []Missing) bool {
	for _, m := range list {
		if !m.CannotTell {
			return false
		}
	}
	return len(list) > 0
}
