package notes

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// linesOf draws lines as a log may have them: rows with equal clocks, copies of a row
// on other commits, and foreign lines.
var linesOf = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Line {
	commit := gitops.Hash(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "commit"))
	n := rapid.IntRange(0, 8).Draw(t, "row")
	if n == 8 {
		return Line{Commit: commit, Raw: []byte(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "text")), Foreign: true}
	}
	r := Row{ID: fmt.Sprint(n), Seq: uint64(n / 3), Head: "b"}
	raw, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return Line{Commit: commit, Raw: raw, Row: r}
}), 0, 20)

// TestSortIsOneOrder holds that the order depends on the set of lines alone, that
// rows are ordered by clock and id before all foreign lines, and that each row is
// there once, taken from its own commit if it stands there.
func TestSortIsOneOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := linesOf.Draw(t, "lines")
		got := Sort(slices.Clone(in))
		if shuffled := Sort(rapid.Permutation(in).Draw(t, "order")); !slices.EqualFunc(shuffled, got, sameLine) {
			t.Fatalf("%v, in another order %v", got, shuffled)
		}
		if again := Sort(slices.Clone(got)); !slices.EqualFunc(again, got, sameLine) {
			t.Fatalf("%v, then %v", got, again)
		}
		want, home, foreign := map[string]bool{}, map[string]bool{}, 0
		for _, l := range in {
			if l.Foreign {
				foreign++
				continue
			}
			want[l.Row.ID] = true
			home[l.Row.ID] = home[l.Row.ID] || l.Commit == "b"
		}
		if len(got) != len(want)+foreign {
			t.Fatalf("%d lines of %d rows and %d foreign", len(got), len(want), foreign)
		}
		for i, l := range got {
			if l.Foreign != (i >= len(want)) {
				t.Fatalf("foreign line at %d of %d rows", i, len(want))
			}
			if l.Foreign {
				continue
			}
			if i > 0 && (got[i-1].Row.Seq > l.Row.Seq || got[i-1].Row.Seq == l.Row.Seq && got[i-1].Row.ID >= l.Row.ID) {
				t.Fatalf("%v after %v", l.Row, got[i-1].Row)
			}
			if home[l.Row.ID] && l.Commit != "b" {
				t.Fatalf("row %s was taken from %s", l.Row.ID, l.Commit)
			}
		}
	})
}

func sameLine(a, b Line) bool { return reflect.DeepEqual(a, b) }

// TestSortCountsAnIDOnce has copies that are not neighbours in the order, as after a
// faulty merge by somebody else.
func TestSortCountsAnIDOnce(t *testing.T) {
	t.Parallel()
	got := Sort([]Line{{Row: Row{ID: "a", Seq: 3}}, {Row: Row{ID: "b", Seq: 2}}, {Row: Row{ID: "a", Seq: 1}}})
	if ids(got) != "a b" || got[0].Row.Seq != 1 {
		t.Errorf("%+v", got)
	}
}

// TestReadStages is Read and a filter, whatever the rows look like.
func TestReadStages(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "linear")
	for i := range 12 {
		l.add(l.head, row(fmt.Sprint("r", i), Started, 1+i%4, l.head, fmt.Sprint("c", i)))
	}
	for _, line := range []string{
		`{"v":1,"seq":20,"id":"spaced","stage" : 2,"status":"x"}`, `{"v":1,"seq":21,"id":"hidden","\u0073tage":2,"status":"x"}`,
		`{"v":1,"seq":22,"id":"nested","stage":3,"carry":{"notes":["\"stage\":2"]}}`, `{"v":1,"seq":23,"id":"longer","stage":21}`,
		`not a row about "stage":2`, `{"v":1,"seq":24,"id":"words","stage":"2"}`, `{"v":1,"seq":25,"id":"late","reason":"\"stage\":9","stage":2}`,
	} {
		l.Git("notes", "--ref=okstra/p/g/t", "append", "-m", line, string(l.head))
	}
	for _, stages := range [][]plan.StageNumber{{2}, {1, 3}, {21}, {9}, {4, 2}} {
		want := slices.DeleteFunc(l.read(), func(line Line) bool { return line.Foreign || !slices.Contains(stages, line.Row.Stage) })
		got, err := ReadStages(t.Context(), l.repo, l.tip(), stages)
		if err != nil || ids(got) != ids(want) {
			t.Errorf("%v: %q, %v; want %q", stages, ids(got), err, ids(want))
		}
	}
}
