package reconcile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// cell is a place in a file: its line, and lines put in behind it. A change names a
// place, so that where it has to come out is known whatever else was changed.
type cell struct {
	text  string
	gone  bool
	after []string
}

// change is made to one place that no other change is made to.
type change struct {
	file, at int
	put      string // a line behind the place
	set      string // another line there
	drop     bool
}

// state is the two files of a history.
type state [2][]cell

func (s state) with(c change) state {
	s[c.file] = slices.Clone(s[c.file])
	at := &s[c.file][c.at]
	at.after = slices.Clone(at.after)
	switch {
	case c.drop:
		at.gone = true
	case c.put != "":
		at.after = append(at.after, c.put)
	default:
		at.text = c.set
	}
	return s
}

func (s state) text(file int) string {
	var b strings.Builder
	for _, c := range s[file] {
		if !c.gone {
			b.WriteString(c.text + "\n")
		}
		for _, line := range c.after {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func (s state) equal(o state) bool { return s.text(0) == o.text(0) && s.text(1) == o.text(1) }

// history writes commits for git fast-import.
type history struct {
	script strings.Builder
	n      int
}

// commit adds one on a parent (0 for none) and returns its mark.
func (h *history) commit(parent int, s state) int {
	h.n++
	fmt.Fprintf(&h.script, "commit refs/heads/m%d\nmark :%d\ncommitter T <t@example.com> %d +0000\ndata 2\nm\n\n", h.n, h.n, 1700000000+60*h.n)
	if parent != 0 {
		fmt.Fprintf(&h.script, "from :%d\n", parent)
	}
	for i := range s {
		text := s.text(i)
		fmt.Fprintf(&h.script, "M 100644 inline f%d\ndata %d\n%s\n", i, len(text), text)
	}
	return h.n
}

// round is one random history: a stage, and what became of it.
type round struct {
	rnd    *rand.Rand
	h      history
	base   state
	stage  [][]change // by commit
	places [][2]int   // places for the stage, shuffled
	others [][2]int   // and for upstream
}

func newRound(seed uint64) *round {
	r := &round{rnd: rand.New(rand.NewPCG(seed, 1))}
	// Few different lines: much looks alike.
	words := []string{"", "{", "}", "x", "unlike"}
	for i := range r.base {
		for k := range 14 + r.rnd.IntN(10) {
			word := words[r.rnd.IntN(len(words))]
			if word == "unlike" {
				word = fmt.Sprintf("line %d of %d", k, i)
			}
			r.base[i] = append(r.base[i], cell{text: word})
			if k%2 == 0 {
				r.places = append(r.places, [2]int{i, k})
			} else {
				r.others = append(r.others, [2]int{i, k})
			}
		}
	}
	r.rnd.Shuffle(len(r.places), func(i, j int) { r.places[i], r.places[j] = r.places[j], r.places[i] })
	r.rnd.Shuffle(len(r.others), func(i, j int) { r.others[i], r.others[j] = r.others[j], r.others[i] })
	for range 1 + r.rnd.IntN(3) {
		var commit []change
		for range 1 + r.rnd.IntN(2) {
			commit = append(commit, r.next(&r.places, []string{"x", "}", "new"}[r.rnd.IntN(3)]))
		}
		r.stage = append(r.stage, commit)
	}
	return r
}

// next makes a change in a free place.
func (r *round) next(free *[][2]int, text string) change {
	p := (*free)[0]
	*free = (*free)[1:]
	c := change{file: p[0], at: p[1]}
	switch kind := r.rnd.IntN(3); {
	case kind == 0:
		c.put = text
	case kind == 1 && r.base[p[0]][p[1]].text != text:
		c.set = text
	default:
		c.put = text + text
	}
	return c
}

// build writes the history and returns the marks of the stage's head, the tip, and the
// first commit of the tip's history that has all of the stage; there says whether one has.
func (r *round) build(way string) (head, tip, whole int, there bool) {
	root := r.h.commit(0, r.base)
	s, head := r.base, root
	for _, commit := range r.stage {
		for _, c := range commit {
			s = s.with(c)
		}
		head = r.h.commit(head, s)
	}
	steps, there := r.rewrite(way)
	s, tip = r.base, root
	upstream := func() {
		if len(r.others) > 2 && r.rnd.IntN(2) == 0 {
			s = s.with(r.next(&r.others, fmt.Sprintf("upstream %d", r.h.n)))
			tip = r.h.commit(tip, s)
		}
	}
	upstream()
	want := s
	for _, commit := range r.stage {
		for _, c := range commit {
			want = want.with(c)
		}
	}
	for _, step := range steps {
		for _, c := range step {
			s = s.with(c)
		}
		tip = r.h.commit(tip, s)
	}
	whole = tip
	there = there || s.equal(want)
	upstream()
	return head, tip, whole, there
}

// rewrite is what became of the stage's commits, and whether all of it is there.
func (r *round) rewrite(way string) (steps [][]change, there bool) {
	for _, c := range r.stage {
		steps = append(steps, slices.Clone(c))
	}
	last := len(steps) - 1
	switch way {
	case "rebase":
	case "reorder":
		r.rnd.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	case "squash":
		steps = [][]change{slices.Concat(steps...)}
	case "split":
		var out [][]change
		for _, c := range slices.Concat(steps...) {
			out = append(out, []change{c})
		}
		steps = out
	case "omit":
		i := r.rnd.IntN(len(steps))
		if steps[i] = steps[i][1:]; len(steps[i]) == 0 {
			steps = slices.Delete(steps, i, i+1)
		}
		return steps, false
	case "amend":
		c := &steps[last][0]
		if c.put != "" {
			c.put += " amended"
		} else {
			c.set += " amended"
		}
		return steps, false
	case "displace":
		c := &steps[r.rnd.IntN(len(steps))][0]
		c.file, c.at = r.places[0][0], r.places[0][1]
		return steps, false
	}
	return steps, true
}

// TestNeverWrong rewrites random stages in ways of which is known whether their work is
// still there. OKSTRA_RECONCILE_ROUNDS sets how many of each are tried.
func TestNeverWrong(t *testing.T) {
	t.Parallel()
	rounds := 8
	if n, err := strconv.Atoi(os.Getenv("OKSTRA_RECONCILE_ROUNDS")); err == nil {
		rounds = n
	}
	for _, way := range []string{"rebase", "reorder", "squash", "split", "omit", "amend", "displace"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			present, found := 0, 0
			for seed := range rounds {
				there, ok := tryRound(t, way, uint64(seed))
				if there {
					present++
				}
				if ok {
					found++
				}
			}
			t.Logf("%d of %d found", found, present)
			if 10*found < 8*present {
				t.Errorf("only %d of %d found", found, present)
			}
		})
	}
}

// tryRound reports whether the work is there, and whether it was found.
func tryRound(t *testing.T, way string, seed uint64) (there, found bool) {
	t.Helper()
	r := newRound(seed)
	head, tip, whole, there := r.build(way)
	made := testrepo.New(t, "empty")
	made.Write("script", r.h.script.String())
	made.Git("-c", "alias.load=!git fast-import --quiet <script", "load")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	marks := map[int]gitops.Hash{}
	for line := range strings.Lines(made.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/m*")) {
		var n int
		var h string
		_, _ = fmt.Sscanf(line, "refs/heads/m%d %s", &n, &h)
		marks[n] = gitops.Hash(h)
	}
	answer, err := Find(t.Context(), repo, []Stage{{1, marks[1], marks[head]}}, marks[tip], 0)
	if err != nil {
		t.Fatal(err)
	}
	res := answer.Results[0]
	switch found = res.Verdict == Done; {
	case found && !there:
		t.Errorf("%s, seed %d: wrongly matched: %+v\n%s", way, seed, res, made.Git("log", "-p", "--format=%h %d", "--all"))
	case found && res.Head != marks[whole] && res.How != Ancestor:
		t.Errorf("%s, seed %d: found at %s, and all of it is there only at %s", way, seed, res.Head, marks[whole])
	}
	return there, found
}
