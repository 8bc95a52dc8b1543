package manifest

import (
	"cmp"
	"fmt"
	"slices"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// Planned is what the plan says of a stage.
type Planned struct {
	Number   plan.StageNumber
	Declared verdict.Declaration
}

// Facts are what a manifest is held against.
type Facts struct {
	Tasks  []string // the task's id, in its spellings
	Stages []Planned
	// Regular says of the files that are pinned beside the manifest whether they are
	// regular files; what is absent is not pinned.
	Regular map[string]bool
}

// Check holds a manifest against the plan that it is pinned with. m nil is a plan without
// one.
func Check(m *Manifest, f Facts) []Problem {
	var out []Problem
	seen := map[plan.StageNumber]int{}
	if m == nil {
		m = &Manifest{}
	}
	for _, e := range m.Entries {
		task, n := e.Stage()
		seen[n]++
		at := slices.IndexFunc(f.Stages, func(p Planned) bool { return p.Number == n })
		switch {
		case !slices.Contains(f.Tasks, task):
			out = append(out, m.wrong(e, "/stageKey", "the entry %s is of another task; its key has to begin with %s", plan.Quote(e.StageKey), plan.Quote(f.Tasks[0])))
		case at < 0:
			out = append(out, m.wrong(e, "/stageKey", "the entry %s has no stage: the plan has no stage %d", plan.Quote(e.StageKey), n))
		case seen[n] > 1:
			out = append(out, m.wrong(e, "/stageKey", "stage %d has more than one entry", n))
		default:
			out = append(out, m.entry(e, f.Stages[at], f)...)
		}
	}
	for _, s := range f.Stages {
		if s.Declared.Kind == verdict.Tests && seen[s.Number] == 0 {
			out = append(out, Problem{
				Line: 1, Column: 1, Message: fmt.Sprintf("stage %d declares Conformance tests: and has no entry", s.Number),
				Hint: "add one, and approve the plan again",
			})
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return out
}

func (m *Manifest) wrong(e Entry, below, format string, args ...any) Problem {
	p := m.places.problem(e.pointer+below, format, args...)
	p.Hint = "plan and manifest have to say the same; mend one of them, and approve the plan again"
	return p
}

// entry holds one entry against its stage.
func (m *Manifest) entry(e Entry, s Planned, f Facts) []Problem {
	var out []Problem
	add := func(below, format string, args ...any) { out = append(out, m.wrong(e, below, format, args...)) }
	if e.Exempt {
		if s.Declared.Kind == verdict.Tests {
			add("/exemption", "the plan declares tests for stage %d, and its entry an exemption", s.Number)
		}
		return out
	}
	if s.Declared.Kind == verdict.Exemption {
		add("", "the entry has a script, and the plan declares an exemption for stage %d", s.Number)
		return out
	}
	declared := s.Declared.Kind == verdict.Tests // or the ruleset asks for nothing
	if declared && e.Script != s.Declared.Script {
		add("/script", "the script of stage %d is %s in the plan, and %s here", s.Number, plan.Quote(s.Declared.Script), plan.Quote(e.Script))
	}
	if declared && !sameSet(e.Requires, s.Declared.Requires) {
		add("/requires", "stage %d requires [%s] in the plan, and [%s] here", s.Number, verdict.Joined(s.Declared.Requires), verdict.Joined(e.Requires))
	}
	regular, pinned := f.Regular[e.Script]
	switch {
	case !pinned:
		add("/script", "the script %s is not pinned with the plan", plan.Quote(e.Script))
	case !regular:
		add("/script", "the script %s is no regular file", plan.Quote(e.Script))
	}
	return out
}

func sameSet(a, b []conform.Surface) bool {
	return !slices.ContainsFunc(conform.Surfaces(), func(s conform.Surface) bool { return slices.Contains(a, s) != slices.Contains(b, s) })
}
