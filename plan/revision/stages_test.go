package revision

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// planOf reads lines such as "2 title: 1 | body | file.go": number, title,
// dependencies, text and contract of a stage.
func planOf(lines ...string) *plan.Plan {
	p := &plan.Plan{}
	for _, line := range lines {
		head, rest, _ := strings.Cut(line, ":")
		fields := append(strings.Split(rest, "|"), "", "")
		var s plan.Stage
		_, _ = fmt.Sscan(head, &s.Number, &s.Title)
		for d := range strings.FieldsSeq(fields[0]) {
			var n plan.StageNumber
			_, _ = fmt.Sscan(d, &n)
			s.DependsOn = append(s.DependsOn, n)
		}
		s.Contract = "### Stage Exit Contract\n" + strings.TrimSpace(fields[2]) + "\n"
		s.Section = fmt.Sprintf("## 5.5.%d Stage %d: %s\n%s\n%s", s.Number, s.Number, s.Title, strings.TrimSpace(fields[1]), s.Contract)
		s.Files = strings.Fields(fields[2])
		slices.Sort(s.Files)
		p.Stages = append(p.Stages, s)
	}
	return p
}

// outline is one word for each change: number, was, kinds.
func outline(changes []Change) string {
	var out []string
	for _, c := range changes {
		kinds := make([]string, len(c.Kinds))
		for i, k := range c.Kinds {
			kinds[i] = string(k)
		}
		out = append(out, fmt.Sprintf("%d<%d %s", c.Stage.Number, c.Was.Number, strings.Join(kinds, "+")))
	}
	return strings.Join(out, ", ")
}

func TestStages(t *testing.T) {
	t.Parallel()
	old := []string{"1 a: | x | a.go", "2 b: 1 | y | b.go", "3 c: 1 2 | z | c.go d.go"}
	for _, c := range []struct {
		what string
		now  []string
		want string
	}{
		{"equal", old, ""},
		{"added at the end", append(slices.Clone(old), "4 d: 3"), "4<0 added"},
		{"removed from the end", old[:2], "0<3 removed"},
		{"removed, the rest renumbered", []string{old[0], "2 c: 1 | z | c.go d.go"}, "0<2 removed, 2<3 renumbered+re-wired"},
		{"inserted, the rest renumbered", []string{old[0], "2 n:", "3 b: 1 | y | b.go", "4 c: 1 3 | z | c.go d.go"}, "2<0 added, 3<2 renumbered, 4<3 renumbered"},
		{"swapped", []string{"1 b: 2 | y | b.go", "2 a: | x | a.go", "3 c: 2 1 | z | c.go d.go"}, "1<2 renumbered, 2<1 renumbered"},
		{"retitled", []string{"1 A: | x | a.go", old[1], old[2]}, "1<1 retitled"},
		{"re-wired", []string{old[0], "2 b: | y | b.go", old[2]}, "2<2 re-wired"},
		{"the same dependencies in another order", []string{old[0], old[1], "3 c: 2 1 | z | c.go d.go"}, ""},
		{"contract", []string{old[0], old[1], "3 c: 1 2 | z | c.go e.go"}, "3<3 contract"},
		{"text", []string{old[0], "2 b: 1 | other | b.go", old[2]}, "2<2 text"},
		{"everything", []string{old[0], old[1], "3 q: 1 | w | w.go"}, "3<3 retitled+re-wired+contract+text"},
		{"all new", []string{"1 p: | p | p.go"}, "1<1 retitled+contract+text, 0<2 removed, 0<3 removed"},
		{"none left", nil, "0<1 removed, 0<2 removed, 0<3 removed"},
	} {
		if got := outline(Stages(planOf(old...), planOf(c.now...))); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if got := outline(Stages(planOf(), planOf(old...))); got != "1<0 added, 2<0 added, 3<0 added" {
		t.Errorf("from nothing: %q", got)
	}
}

func TestStagesFiles(t *testing.T) {
	t.Parallel()
	changes := Stages(planOf("1 a: | x | a.go b.go", "2 b: | y | q.go"), planOf("1 a: | x | b.go c.go", "3 z: | n | n.go"))
	want := "[c.go] [a.go] 1; [] [q.go] 2; [n.go] [] 3; "
	got := ""
	for _, c := range changes {
		got += fmt.Sprint(c.FilesAdded, c.FilesRemoved, " ", c.Number(), "; ")
	}
	got = strings.ReplaceAll(got, "][", "] [")
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestStagesBlankLines: a stage that follows, or an empty line more at a section's end,
// is no change of the stage before.
func TestStagesBlankLines(t *testing.T) {
	t.Parallel()
	old, now := planOf("1 a: | x | a.go"), planOf("1 a: | x | a.go")
	now.Stages[0].Section += "\n\n"
	now.Stages[0].Contract += "\n\n"
	if got := Stages(old, now); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestStagesAccount: each stage of both plans is in at most one change, and one that is
// in none stands in both with the same number and title.
func TestStagesAccount(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T, label string) *plan.Plan {
		p := &plan.Plan{}
		n := rapid.IntRange(0, 6).Draw(t, label)
		for i := range n {
			s := plan.Stage{Number: plan.StageNumber(i + 1), Title: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "title")}
			if i > 0 && rapid.Bool().Draw(t, "dep") {
				s.DependsOn = []plan.StageNumber{plan.StageNumber(rapid.IntRange(1, i).Draw(t, "on"))}
			}
			p.Stages = append(p.Stages, s)
		}
		return p
	}
	rapid.Check(t, func(t *rapid.T) {
		old, now := draw(t, "old"), draw(t, "new")
		changes := Stages(old, now)
		seenOld, seenNow := map[plan.StageNumber]bool{}, map[plan.StageNumber]bool{}
		for _, c := range changes {
			if len(c.Kinds) == 0 || c.Stage.Number == 0 && c.Was.Number == 0 {
				t.Fatalf("%+v", c)
			}
			if n := c.Stage.Number; n > 0 && seenNow[n] || c.Was.Number > 0 && seenOld[c.Was.Number] {
				t.Fatalf("a stage twice: %s", outline(changes))
			}
			seenNow[c.Stage.Number], seenOld[c.Was.Number] = true, true
			if c.Has(Added) != (c.Was.Number == 0) || c.Has(Removed) != (c.Stage.Number == 0) {
				t.Fatalf("%s", outline(changes))
			}
		}
		for _, s := range now.Stages {
			was, ok := old.Stage(s.Number)
			if !seenNow[s.Number] && (!ok || was.Title != s.Title || seenOld[s.Number]) {
				t.Fatalf("stage %d is in no change: %s", s.Number, outline(changes))
			}
		}
		if got := Stages(now, now); len(got) > 0 {
			t.Fatalf("a plan differs from itself: %s", outline(got))
		}
	})
}
