package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

func TestRowsThatDisagree(t *testing.T) {
	t.Parallel()
	waived := func(id string, seq uint64, why string) notes.Row {
		return notes.Row{V: 1, Seq: seq, ID: id, Task: "p:g:t", Stage: 1, Status: "waived", Reason: why}
	}
	for name, c := range map[string]struct {
		w    *world
		want []string
	}{
		"copies of a row are one row": {
			newWorld().line(id(1), waived("a", 1, "x")).line(id(7), waived("a", 1, "x")), nil,
		},
		"the same id, other content": {
			newWorld().line(id(1), waived("a", 1, "x")).line(id(7), waived("a", 1, "y")),
			[]string{"error row-id-twice 1 the id a … line 1 … line 2"},
		},
		"one claim, two stages": {
			newWorld().row(notes.Started, 1, id(1), "c").row(notes.Released, 1, "", "c").row(notes.Started, 2, id(1), "c").row(notes.Released, 2, "", "c"),
			[]string{"error claim-twice 2 stages 1 and 2"},
		},
		"one claim twice for one stage is a row that was written again": {
			newWorld().row(notes.Started, 1, id(1), "c").row(notes.Started, 1, id(1), "c").row(notes.Released, 1, "", "c"), nil,
		},
		"no claim is no claim": {newWorld().row(notes.Started, 1, id(1), "").row(notes.Started, 2, id(1), ""), nil},
		"an end before its start": {
			newWorld().row(notes.Released, 1, "", "c").row(notes.Started, 1, id(1), "c"),
			[]string{"warning seq-backwards 1 seq 1 … has 2"},
		},
		"the end of another claim": {newWorld().row(notes.Released, 1, "", "c1").row(notes.Started, 1, id(1), "c2"), nil},
		"a low clock": {
			newWorld().row(notes.Started, 1, id(1), "c").row(notes.Released, 1, "", "c").withClock(1),
			[]string{"+warning seq-trailer-low 0 Okstra-Seq 1, and the log goes up to 2"},
		},
		"a high clock only leaves numbers out": {newWorld().row(notes.Started, 1, id(1), "c").row(notes.Released, 1, "", "c").withClock(9), nil},
		"foreign text": {
			newWorld().text(id(1), "hello \x1b[31m world"),
			[]string{`warning note-foreign-line 0 is no row: hello \x1b[31m world`},
		},
		"a row without id": {newWorld().text(id(1), `{"seq":1}`), []string{"warning note-foreign-line 0 no row"}},
		"a row of another task": {
			newWorld().line(id(1), notes.Row{V: 1, Seq: 1, ID: "a", Task: "x:y:z", Stage: 1, Status: "waived"}),
			[]string{"warning note-foreign-line 0 a row of the task x:y:z"},
		},
		"a row that names no task": {newWorld().line(id(1), notes.Row{V: 1, Seq: 1, ID: "a", Task: "?", Stage: 1, Status: "waived"}), nil},
		"a note on nothing":        {newWorld().line(id(700), waived("a", 1, "")), []string{"warning note-on-missing 0 has 1 lines"}},
		"a note on what was replaced": {
			newWorld().line(id(700), waived("a", 1, "")).
				line(id(1), notes.Row{V: 1, Seq: 2, ID: "b", Task: "p:g:t", Stage: 1, Status: "waived", Replaces: id(700)}),
			[]string{"info note-on-missing 0"},
		},
		"rows of earlier tips": {
			newWorld().lostRows(notes.Line{Row: waived("a", 1, "")}, notes.Line{Row: waived("b", 2, "")}),
			[]string{"+error rows-dropped 0 has lost 2 rows that it once had: stage 1 waived, stage 1 waived"},
		},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.w.expect(t, c.want...) })
	}
	w := newWorld()
	w.t.twice, w.t.mixed = []gitops.Hash{id(7)}, true
	w.t.changed = []notes.Line{{Row: waived("a", 1, "")}}
	w.expect(t, "warning row-changed 1 row a", "info note-at-several-depths 0", "info note-fanout-mixed 0")
}

func (w *world) withClock(seq uint64) *world {
	w.t.clock, w.t.hasClock = seq, true
	return w
}

func (w *world) lostRows(lost ...notes.Line) *world {
	w.t.lost = lost
	return w
}

// TestManyAlikeAreCounted: a damaged log does not drown all else, and what can be
// repaired is always told.
func TestManyAlikeAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 1000 {
		w.t.lines = append(w.t.lines, numbered(id(1), fmt.Appendf(nil, "foreign %d", i))...)
	}
	other := newTask("p/g/u")
	other.lines = numbered(id(1), []byte("foreign"))
	w.tasks = append(w.tasks, other)
	for i := range 50 {
		w.locks = append(w.locks, gitops.LeftFile{Path: fmt.Sprint("/x", i)})
	}
	r := judge(w.facts)
	count := map[string]int{}
	for _, f := range r.Findings {
		count[f.Code+" "+f.Task]++
		if strings.HasPrefix(f.Message, "and ") && f.Message != "and 980 more of this kind" {
			t.Error(f.Message)
		}
	}
	if count["note-foreign-line p:g:t"] != maxAlike+1 || count["note-foreign-line p:g:u"] != 1 || count["stale-lock "] != 50 {
		t.Errorf("%v", count)
	}
	if last := r.Findings[maxAlike+1]; last.Severity != Warning || last.Task != "p:g:t" {
		t.Errorf("%+v", last)
	}
}

func TestNumbered(t *testing.T) {
	t.Parallel()
	text := "\n  {\"id\":\"a\",\"seq\":1}\r\n\n\nforeign\n{\"id\":\"b\",\"seq\":2}"
	var got []string
	for _, l := range numbered(id(1), []byte(text)) {
		got = append(got, fmt.Sprintf("%d:%s%v", l.no, l.Row.ID, l.Foreign))
	}
	if want := []string{"2:afalse", "5:true", "6:bfalse"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOrderIsThatOfTheLog: rows are ordered, and copies dropped, exactly as notes.Sort
// does it for everybody else.
func TestOrderIsThatOfTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var mine []line
		var theirs []notes.Line
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			l := notes.Line{
				Commit:  id(rapid.IntRange(1, 3).Draw(t, "commit")),
				Foreign: rapid.IntRange(0, 5).Draw(t, "foreign") == 0,
				Row: notes.Row{
					Seq: rapid.Uint64Range(0, 3).Draw(t, "seq"), ID: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id"),
					Head: id(rapid.IntRange(1, 3).Draw(t, "head")),
				},
				Raw: []byte(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "raw")),
			}
			if l.Foreign {
				l.Row = notes.Row{}
			}
			mine, theirs = append(mine, line{l, 1}), append(theirs, l)
		}
		got := order(mine)
		want := slices.DeleteFunc(notes.Sort(theirs), func(l notes.Line) bool { return l.Foreign })
		if !slices.EqualFunc(got, want, func(a line, b notes.Line) bool {
			return a.Row == b.Row && a.Commit == b.Commit && string(a.Raw) == string(b.Raw)
		}) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestHistoriesOfTheLifecycle plays random lives of stages and cuts each transaction at
// a random place: where nothing is cut there is no finding, and every cut that leaves
// something undone can be repaired.
func TestHistoriesOfTheLifecycle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		w.t.history = nil
		claims := map[plan.StageNumber]string{}
		for i := range rapid.IntRange(0, 10).Draw(t, "steps") {
			n := plan.StageNumber(rapid.IntRange(1, 3).Draw(t, "stage"))
			if _, done := w.t.done[n]; done {
				continue
			}
			claim, held := claims[n]
			switch {
			case !held:
				claims[n] = fmt.Sprint("c", i)
				w.row(notes.Started, n, id(1), claims[n]).reserve(n, claims[n], id(10+i))
			case rapid.Bool().Draw(t, "done"):
				head := w.heads[fmt.Sprintf("feat-t-s%d", n)]
				w.row(notes.Done, n, head, claim).done(n, head)
				w.unreserve(n)
				delete(claims, n)
			default:
				w.row(notes.Released, n, "", claim).unreserve(n)
				delete(claims, n)
			}
		}
		if r := judge(w.facts); r.Remains() {
			t.Fatalf("whole: %+v", r.Findings)
		}
		held := sorted(w.t.reserved)
		if len(held) == 0 {
			return
		}
		n := held[0]
		head := w.heads[fmt.Sprintf("feat-t-s%d", n)]
		switch rapid.IntRange(0, 2).Draw(t, "cut") {
		case 0:
			w.row(notes.Done, n, head, claims[n])
		case 1:
			w.row(notes.Done, n, head, claims[n]).done(n, head)
		default:
			w.row(notes.Released, n, "", claims[n])
		}
		r := judge(w.facts)
		if !r.Remains() {
			t.Fatal("the cut was not found")
		}
		for _, f := range r.Findings {
			if f.Severity != Info && !f.Repairable() {
				t.Fatalf("not repairable: %+v", f)
			}
		}
	})
}

// unreserve takes a stage's reservation and worktree away.
func (w *world) unreserve(n plan.StageNumber) {
	delete(w.t.reserved, n)
	delete(w.t.claims, n)
	w.trees = slices.DeleteFunc(w.trees, func(t tree) bool { return t.stage == n })
}
