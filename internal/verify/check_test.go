package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// chain is a plan of n stages, each behind the one before.
func chain(n int) *plan.Plan {
	p := &plan.Plan{}
	for i := 1; i <= n; i++ {
		st := plan.Stage{Number: plan.StageNumber(i)}
		if i > 1 {
			st.DependsOn = []plan.StageNumber{plan.StageNumber(i - 1)}
		}
		p.Stages = append(p.Stages, st)
	}
	return p
}

func kindsOf(list []Missing) []Kind {
	var out []Kind
	for _, m := range list {
		out = append(out, m.Kind)
	}
	return out
}

func TestCheck(t *testing.T) {
	t.Parallel()
	done := func(list ...plan.StageNumber) stage.Progress {
		p := stage.Progress{Done: map[plan.StageNumber]bool{}, Reserved: map[plan.StageNumber]bool{}}
		for _, n := range list {
			p.Done[n] = true
		}
		return p
	}
	clean, dirty := &Tree{Path: "/w"}, &Tree{Path: "/w", Operation: "rebase", Dirt: []string{"?? x"}}
	for _, c := range []struct {
		name string
		f    Facts
		want []Kind
	}{
		{"empty map", Facts{Plan: chain(0), Progress: done()}, []Kind{NoStages}},
		{"empty map, one stage", Facts{Plan: chain(0), Progress: done(1), Stage: 1, Tree: clean}, []Kind{NoStages}},
		{"all there", Facts{Plan: chain(2), Progress: done(1, 2), Tree: clean}, nil},
		{"nobody has it checked out", Facts{Plan: chain(1), Progress: done(1)}, nil},
		{"everything is missing", Facts{Plan: chain(3), Progress: done(1), Lacking: []Lacking{{Stage: 1}}, Tree: dirty}, []Kind{NotDone, NotDone, NotMerged, UnderWay, NotClean}},
		{"one stage need not be merged", Facts{Plan: chain(3), Progress: done(1), Stage: 1, Lacking: []Lacking{{Stage: 1}}, Tree: clean}, nil},
		{"one stage needs its worktree", Facts{Plan: chain(3), Progress: done(1), Stage: 1}, []Kind{NoWorktree}},
		{"one stage that is not done", Facts{Plan: chain(3), Progress: done(), Stage: 2}, []Kind{NotDone}},
		{"one that does not conform", Facts{Plan: chain(2), Progress: done(1, 2), Tree: dirty, Conform: []Nonconforming{{Stage: 2, Why: "no"}}}, []Kind{UnderWay, NotClean, NotConform}},
		{"one stage that is not clean", Facts{Plan: chain(3), Progress: done(2), Stage: 2, Tree: dirty}, []Kind{UnderWay, NotClean}},
	} {
		if got := kindsOf(Check(c.f)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCheckProperty: nothing is missing only if everything is there; each thing that is
// missing is named once, in the order of the checks; only what nothing can be told of
// is unsure.
func TestCheckProperty(t *testing.T) {
	t.Parallel()
	order := []Kind{NoStages, NotDone, NotMerged, NoWorktree, UnderWay, NotClean, NotConform}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "stages")
		f := Facts{Plan: chain(n), Progress: stage.Progress{Done: map[plan.StageNumber]bool{}, Reserved: map[plan.StageNumber]bool{}}}
		open, lacking, doubts := 0, 0, 0
		for i := 1; i <= n; i++ {
			st := plan.StageNumber(i)
			switch rapid.IntRange(0, 4).Draw(t, fmt.Sprint("state ", i)) {
			case 0:
				open++
			case 1:
				open++
				f.Progress.Reserved[st] = true
			case 2:
				f.Progress.Done[st] = true
				doubt := rapid.Bool().Draw(t, "doubt")
				f.Lacking = append(f.Lacking, Lacking{Stage: st, Head: gitops.Hash(strings.Repeat("a", 40)), CannotTell: doubt})
				lacking++
				if doubt {
					doubts++
				}
			default:
				f.Progress.Done[st] = true
			}
		}
		dirty := rapid.Bool().Draw(t, "dirty")
		f.Tree = &Tree{}
		if dirty {
			f.Tree.Dirt = []string{"?? x"}
		}
		got := Check(f)
		if ok := n > 0 && open == 0 && lacking == 0 && !dirty; ok != (len(got) == 0) {
			t.Fatalf("%d stages, %d open, %d lacking, dirty %v: %+v", n, open, lacking, dirty, got)
		}
		seen := map[string]bool{}
		last := 0
		for _, m := range got {
			name := fmt.Sprint(m.Kind, m.Stage)
			if at := slices.Index(order, m.Kind); at < last || seen[name] || m.Text == "" {
				t.Fatalf("order, or twice: %+v", got)
			} else {
				last = at
			}
			seen[name] = true
		}
		if want := doubts > 0 && doubts == len(got); Unsure(got) != want {
			t.Fatalf("unsure %v, want %v: %+v", !want, want, got)
		}
	})
}

// TestDirt: exactly the tool's own paths are left out, and the order stays.
func TestDirt(t *testing.T) {
	t.Parallel()
	inside := []string{"trees/p/g/t/stage-1"}
	name := rapid.SampledFrom([]string{".okstra", "trees", "p", "g", "t", "stage-1", "stage-10", "a\nb", ".okstra2", "x"})
	rapid.Check(t, func(t *rapid.T) {
		var lines, want []string
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			parts := rapid.SliceOfN(name, 1, 6).Draw(t, "path")
			path := strings.Join(parts, "/")
			if rapid.Bool().Draw(t, "folder") {
				path += "/"
			}
			line := rapid.SampledFrom([]string{"?? ", " M ", "A  "}).Draw(t, "code") + path
			lines = append(lines, line)
			folders := strings.Split(path, "/")
			own := slices.Contains(folders[:len(folders)-1], ".okstra") || strings.HasPrefix(path, inside[0]+"/")
			if !own {
				want = append(want, line)
			}
		}
		if got := dirt(lines, inside); !slices.Equal(got, want) {
			t.Fatalf("%q of %q, want %q", got, lines, want)
		}
	})
}
