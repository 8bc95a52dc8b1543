package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// id is a made-up object id.
func id(n int) gitops.Hash { return gitops.Hash(fmt.Sprintf("%040x", n)) }

// world is facts under construction: one task, p:g:t, whose plan, base and notes are
// fine, and all ids up to 100 are commits.
type world struct {
	*facts
	t   *task
	seq uint64
}

func newWorld() *world {
	t := newTask("p/g/t")
	f := &facts{
		now: time.Unix(1e9, 0), host: "here", root: "/nowhere/at/all", tasks: []*task{t}, anyState: true,
		types: map[gitops.Hash]gitops.ObjectType{}, heads: map[string]gitops.Hash{"main": id(1)},
		tracked: map[string][]gitops.Hash{}, own: map[gitops.Hash]bool{}, begun: map[string]bool{},
	}
	for n := 1; n <= 100; n++ {
		f.types[id(n)] = gitops.TypeCommit
	}
	t.plan, t.base, t.notes = id(1), id(1), id(2)
	t.about = Plan{Task: "p:g:t", Onto: "refs/heads/main", Free: map[plan.StageNumber]bool{1: true}}
	t.name = "p:g:t"
	return &world{facts: f, t: t}
}

// row appends a row of stage n to the log.
func (w *world) row(status notes.Status, n plan.StageNumber, head gitops.Hash, claim string) *world {
	w.seq++
	r := notes.Row{
		V: 1, Seq: w.seq, ID: fmt.Sprintf("id-%d", w.seq), Task: "p:g:t", Stage: n, Status: status,
		By: "somebody", Host: "here", Head: head, Claim: claim,
	}
	if status == notes.Started {
		r.Branch = fmt.Sprintf("feat-t-s%d", n)
	}
	commit := head
	if commit == "" {
		commit = id(1)
	}
	return w.line(commit, r)
}

func (w *world) line(commit gitops.Hash, r notes.Row) *world {
	raw, err := r.Encode()
	if err != nil {
		panic(err)
	}
	return w.text(commit, string(raw))
}

// text adds a line of a note as it stands there.
func (w *world) text(commit gitops.Hash, raw string) *world {
	for _, l := range numbered(commit, []byte(raw)) {
		l.no = len(w.t.lines) + 1
		w.t.lines = append(w.t.lines, l)
	}
	w.t.rows = order(w.t.lines)
	return w
}

// reserve lets a claim stand, with its branch at the given commit ("" for none).
func (w *world) reserve(n plan.StageNumber, claim string, branch gitops.Hash) *world {
	tag := id(1000 + int(n))
	w.types[tag] = gitops.TypeTag
	w.t.reserved[n] = tag
	name := fmt.Sprintf("feat-t-s%d", n)
	w.t.claims[n] = Claim{ID: claim, By: "somebody", Host: "here", Branch: name, Worktree: fmt.Sprintf("p/g/t/stage-%d", n), Base: id(1)}
	if branch != "" {
		w.heads[name] = branch
	}
	// its worktree stands where it should
	return w.worktree(tree{
		Worktree: gitops.Worktree{ID: fmt.Sprint(n), Path: fmt.Sprintf("/w/%d", n), Branch: gitops.RefName("refs/heads/" + name)},
		key:      "p/g/t", stage: n, marked: true, folder: true, link: true, indexed: true,
	})
}

func (w *world) worktree(t tree) *world {
	w.trees = append(w.trees, t)
	return w
}

func (w *world) done(n plan.StageNumber, head gitops.Hash) *world {
	w.t.done[n] = head
	return w
}

// expect demands exactly these findings, each "severity code stage words…", with "+"
// before the severity where it can be repaired. The words are parts of the message.
func (w *world) expect(t *testing.T, want ...string) {
	t.Helper()
	r := judge(w.facts)
	var got []string
	for _, f := range r.Findings {
		mark := ""
		if f.Repairable() {
			mark = "+"
		}
		got = append(got, fmt.Sprintf("%s%s %s %d %s", mark, f.Severity, f.Code, f.Stage, f.Message))
		if f.Message == "" || strings.HasSuffix(f.Message, ".") || f.Repaired {
			t.Errorf("%+v", f)
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !matches(got[i], want[i]) {
			t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			return
		}
	}
}

// matches demands the first three words, and that the rest contains each part that is
// divided by " … ".
func matches(got, want string) bool {
	g, w := strings.SplitN(got, " ", 4), strings.SplitN(want, " ", 4)
	if len(g) < 4 || len(w) < 3 || g[0] != w[0] || g[1] != w[1] || g[2] != w[2] {
		return false
	}
	for _, part := range w[3:] {
		for piece := range strings.SplitSeq(part, " … ") {
			if !strings.Contains(g[3], piece) {
				return false
			}
		}
	}
	return true
}
