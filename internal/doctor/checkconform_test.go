package doctor

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// strict finds fault with the rules of the commits that it names.
type strict struct {
	Lifecycle
	bad   map[gitops.Hash]error
	asked []gitops.Hash
}

func (s *strict) Surfaces(_ context.Context, commit gitops.Hash) error {
	s.asked = append(s.asked, commit)
	return s.bad[commit]
}

// TestRulesWhereTheyCount: on the integration branch and on those of stages under way, each
// commit read once, each mistake told once.
func TestRulesWhereTheyCount(t *testing.T) {
	t.Parallel()
	w := newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", id(7)).
		row(notes.Started, 2, id(1), "c2").reserve(2, "c2", id(8)).
		row(notes.Started, 3, id(1), "c3").reserve(3, "c3", id(1))
	w.heads["other"] = id(9)
	bad := errors.New("x.yaml:1:1: no \x1b list")
	s := &strict{bad: map[gitops.Hash]error{id(7): bad, id(8): bad, id(9): bad}}
	d := &Doctor{Lifecycle: s}
	d.readRules(t.Context(), w.facts)
	if got := fmt.Sprint(s.asked); got != fmt.Sprint([]gitops.Hash{id(1), id(7), id(8)}) {
		t.Errorf("asked of %s", got)
	}
	w.expect(t, `error surfaces-unsound 0 on the branch "feat-t-s1": x.yaml:1:1: no \x1b list`)

	w = newWorld()
	w.t.planErr = errors.New("torn")
	s = &strict{}
	(&Doctor{Lifecycle: s}).readRules(t.Context(), w.facts)
	w = newWorld()
	delete(w.heads, "main")
	(&Doctor{Lifecycle: s}).readRules(t.Context(), w.facts)
	if len(s.asked) != 0 {
		t.Errorf("asked of %v", s.asked)
	}
}

func TestManifestsThatAreNotSound(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.t.about = Plan{Task: "p:g:t", Onto: "refs/heads/main", Free: map[plan.StageNumber]bool{1: true}, Manifest: []string{"m.json:1:2: a", "m.json:3:4: \x1b"}}
	w.expect(t, "warning manifest-unsound 0 m.json:1:2: a", `warning manifest-unsound 0 m.json:3:4: \x1b`)
}
