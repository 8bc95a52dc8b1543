package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// trust makes sure that somebody in this clone has agreed to what is to run: by approving
// this revision of the plan here, or to these commands with these files. It asks where a
// person can answer.
func (c *conformance) trust(numbers []plan.StageNumber, grant bool) error {
	ctx := c.a.ctx
	whole, err := c.e.Untrusted(ctx, []lifecycle.Trusted{lifecycle.TrustedPlan(c.t.PlanCommit)})
	if err != nil || len(whole) == 0 {
		return err
	}
	var need, show []lifecycle.Trusted
	for _, n := range numbers {
		e, _ := c.manifest.Entry(n)
		what := fmt.Sprintf("conformance command of stage %d", n)
		need = append(need, lifecycle.Trusted{What: what, Text: e.RunCommand + "\n" + c.digest()})
		show = append(show, lifecycle.Trusted{What: what, Text: e.RunCommand})
	}
	fresh, err := c.e.Untrusted(ctx, need)
	if err != nil || len(fresh) == 0 {
		return err
	}
	show = slices.DeleteFunc(show, func(s lifecycle.Trusted) bool {
		return !slices.ContainsFunc(fresh, func(f lifecycle.Trusted) bool { return f.What == s.What })
	})
	if !grant {
		refused := untrusted(show)
		if !c.a.interactive() || !c.a.agrees(refused.Error()) {
			return refused
		}
	}
	return c.e.Trust(ctx, fresh, c.t.PlanCommit)
}

// digest stands for all that is pinned below qa/.
func (c *conformance) digest() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.pinned)) {
		_, _ = fmt.Fprintf(sum, "%o %s %q\n", c.pinned[name].Mode, c.pinned[name].Hash, name)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// agrees asks a person at the terminal.
func (a *app) agrees(question string) bool {
	_, _ = fmt.Fprintf(a.std.err, "%s\nrun it here, now and later? [y/N] ", question)
	line, err := a.interruptible(func() ([]byte, error) {
		line, err := bufio.NewReader(a.std.in).ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return line, err
	})
	word := strings.ToLower(strings.TrimSpace(string(line)))
	return err == nil && (word == "y" || word == "yes")
}
