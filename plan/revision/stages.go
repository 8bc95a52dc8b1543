package revision

import (
	"cmp"
	"slices"
	"strings"

	"git-okstra/plan"
)

// Kind is one way in which a stage differs between two revisions.
type Kind string

// The kinds of change, in the order in which a change lists them. A stage that
// was added or removed has no other.
const (
	Added      Kind = "added"
	Removed    Kind = "removed"
	Renumbered Kind = "renumbered" // same stage, other number
	Retitled   Kind = "retitled"
	Rewired    Kind = "re-wired" // depends on other stages, renumbering aside
	Contract   Kind = "contract" // the text of its Exit Contract, or the files in it
	Text       Kind = "text"     // anything else of its section
)

// Change is what became of one stage.
type Change struct {
	Stage plan.Stage // in the new plan; zero where it was removed
	Was   plan.Stage // in the old plan; zero where it was added
	Kinds []Kind

	FilesAdded, FilesRemoved []string // of the Exit Contract, sorted
}

// Number is the stage's number in the new plan; of a removed one, in the old.
func (c Change) Number() plan.StageNumber {
	if c.Has(Removed) {
		return c.Was.Number
	}
	return c.Stage.Number
}

// Has reports whether the change is, among others, of that kind.
func (c Change) Has(k Kind) bool { return slices.Contains(c.Kinds, k) }

// Stages lists the stages that differ, in the order of the new plan's map, removed
// ones before the stage that took their number's place. Stages belong together by
// number and title, else by title, else by number.
func Stages(old, now *plan.Plan) []Change {
	pairs := match(old, now)
	moved := map[plan.StageNumber]plan.StageNumber{} // old number → new
	for i, j := range pairs {
		moved[old.Stages[j].Number] = now.Stages[i].Number
	}
	var out []Change
	for i, st := range now.Stages {
		j, ok := pairs[i]
		switch {
		case !ok:
			out = append(out, Change{Stage: st, Kinds: []Kind{Added}, FilesAdded: st.Files})
		default:
			if c := compare(old.Stages[j], st, moved); len(c.Kinds) > 0 {
				out = append(out, c)
			}
		}
	}
	for _, st := range old.Stages {
		if _, kept := moved[st.Number]; !kept {
			out = append(out, Change{Was: st, Kinds: []Kind{Removed}, FilesRemoved: st.Files})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		removedFirst := func(c Change) int {
			if c.Has(Removed) {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Number(), b.Number()), cmp.Compare(removedFirst(a), removedFirst(b)))
	})
	return out
}

// match pairs stages: index in now → index in old.
func match(old, now *plan.Plan) map[int]int {
	m := matcher{pairs: map[int]int{}, taken: map[int]bool{}}
	type named struct {
		number plan.StageNumber
		title  string
	}
	for _, key := range []func(plan.Stage) named{
		func(s plan.Stage) named { return named{s.Number, s.Title} },
		func(s plan.Stage) named { return named{0, s.Title} },
		func(s plan.Stage) named { return named{s.Number, ""} },
	} {
		free := map[named][]int{}
		for j, s := range old.Stages {
			if !m.taken[j] {
				free[key(s)] = append(free[key(s)], j)
			}
		}
		for i, s := range now.Stages {
			if _, done := m.pairs[i]; done || len(free[key(s)]) == 0 {
				continue
			}
			j := free[key(s)][0]
			free[key(s)] = free[key(s)][1:]
			m.pairs[i], m.taken[j] = j, true
		}
	}
	return m.pairs
}

// matcher is a match under way.
type matcher struct {
	pairs map[int]int
	taken map[int]bool // of the old plan
}

func compare(was, st plan.Stage, moved map[plan.StageNumber]plan.StageNumber) Change {
	c := Change{Stage: st, Was: was, FilesAdded: missing(st.Files, was.Files), FilesRemoved: missing(was.Files, st.Files)}
	for _, x := range []struct {
		kind    Kind
		changed bool
	}{
		{Renumbered, st.Number != was.Number},
		{Retitled, st.Title != was.Title},
		{Rewired, !slices.Equal(sorted(st.DependsOn), sorted(follow(was.DependsOn, moved)))},
		{Contract, contract(st) != contract(was) || len(c.FilesAdded)+len(c.FilesRemoved) > 0},
		{Text, rest(st) != rest(was)},
	} {
		if x.changed {
			c.Kinds = append(c.Kinds, x.kind)
		}
	}
	return c
}

// missing lists what a has and b has not; both are sorted.
func missing(a, b []string) []string {
	var out []string
	for _, s := range a {
		if _, ok := slices.BinarySearch(b, s); !ok {
			out = append(out, s)
		}
	}
	return out
}

// follow renames dependencies as the stages were renumbered; one that is gone
// becomes 0, which no stage depends on.
func follow(deps []plan.StageNumber, moved map[plan.StageNumber]plan.StageNumber) []plan.StageNumber {
	out := make([]plan.StageNumber, len(deps))
	for i, d := range deps {
		out[i] = moved[d]
	}
	return out
}

func sorted(list []plan.StageNumber) []plan.StageNumber {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}

// contract is the Exit Contract without white space at its end, which depends on
// what follows.
func contract(s plan.Stage) string { return strings.TrimRight(s.Contract, " \t\n") }

// rest is the section without its heading, which says number and title, and
// without the Exit Contract.
func rest(s plan.Stage) string {
	before, after := s.Section, ""
	if s.Contract != "" {
		before, after, _ = strings.Cut(s.Section, s.Contract)
	}
	_, before, _ = strings.Cut(before, "\n")
	return strings.TrimRight(before, " \t\n") + "\n" + strings.TrimRight(after, " \t\n")
}
