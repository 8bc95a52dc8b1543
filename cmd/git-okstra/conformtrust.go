package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// untrusted lists what nobody in this clone has agreed to of what is to run: fresh is what
// would be agreed to, show what a person is shown of it.
func (c *conformance) untrusted(ctx context.Context, numbers []plan.StageNumber) (fresh, show []lifecycle.Trusted, err error) {
	whole, err := c.e.Untrusted(ctx, []lifecycle.Trusted{lifecycle.TrustedPlan(c.t.PlanCommit)})
	if err != nil || len(whole) == 0 {
		return nil, nil, err
	}
	var need []lifecycle.Trusted
	for _, n := range numbers {
		e, _ := c.manifest.Entry(n)
		what := fmt.Sprintf("conformance command of stage %d", n)
		need = append(need, lifecycle.Trusted{What: what, Text: e.RunCommand + "\n" + c.digest()})
		show = append(show, lifecycle.Trusted{What: what, Text: e.RunCommand})
	}
	fresh, err = c.e.Untrusted(ctx, need)
	show = slices.DeleteFunc(show, func(s lifecycle.Trusted) bool {
		return !slices.ContainsFunc(fresh, func(f lifecycle.Trusted) bool { return f.What == s.What })
	})
	return fresh, show, err
}

// trust makes sure that somebody in this clone has agreed to what is to run: by approving
// this revision of the plan here, or to these commands with these files. It asks where a
// person can answer.
func (c *conformance) trust(numbers []plan.StageNumber, grant bool) error {
	fresh, show, err := c.untrusted(c.a.ctx, numbers)
	if err != nil || len(fresh) == 0 {
		return err
	}
	if !grant {
		refused := untrusted(show)
		if grant, err = c.a.agreed(refused.Error()); err != nil {
			return err
		}
		if !grant {
			return refused
		}
	}
	return c.e.Trust(c.a.ctx, fresh, c.t.PlanCommit)
}

// digest stands for all that is pinned below qa/.
func (c *conformance) digest() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.pinned)) {
		_, _ = fmt.Fprintf(sum, "%o %s %q\n", c.pinned[name].Mode, c.pinned[name].Hash, name)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
