package main

import (
	"fmt"
	"strings"

	"git-okstra/internal/reconcile"
	"git-okstra/plan"
)

func (f finding) json() reconciledJSON {
	r := f.result
	out := reconciledJSON{
		Stage: r.Stage.Number, Verdict: strings.ReplaceAll(string(r.Verdict), " ", "-"), By: string(r.How), Branch: shortName(f.branch),
		From: r.Stage.Head, To: r.Head, Recorded: f.recorded, Commits: []pairJSON{}, Why: r.Why,
	}
	for _, p := range r.Pairs {
		out.Commits = append(out.Commits, pairJSON(p))
	}
	return out
}

// text is one line for a person.
func (l *looker) text(f finding, dryRun bool) string {
	r := f.result
	head := fmt.Sprintf("stage %d  ", r.Stage.Number)
	where := ""
	if f.branch != "" {
		where = " in " + plan.Printable(shortName(f.branch))
	}
	switch {
	case r.Verdict == reconcile.Done && f.move == nil:
		return fmt.Sprintf("%s%s is%s", head, r.Stage.Head.Short(), orHere(where))
	case r.Verdict == reconcile.Done:
		state := "recorded"
		if dryRun {
			state = "not recorded (dry run)"
		}
		return fmt.Sprintf("%s%s is %s%s now (%s); %s", head, r.Stage.Head.Short(), r.Head.Short(), where, r.How, state)
	case f.stays && f.branch == "":
		return fmt.Sprintf("%s%s is not merged; its branch is in another clone", head, r.Stage.Head.Short())
	case f.former.Head != "":
		return fmt.Sprintf("%s%s is not here in %s; %s, which it took the place of (%s), is%s",
			head, r.Stage.Head.Short(), plan.Printable(shortName(l.onto)), f.former.Head.Short(), plan.Printable(f.former.Reason), where)
	case f.stays:
		return fmt.Sprintf("%s%s is%s, not merged", head, r.Stage.Head.Short(), where)
	case r.Verdict == reconcile.CannotTell:
		return fmt.Sprintf("%s%s: cannot tell: %s", head, r.Stage.Head.Short(), plan.Printable(r.Why))
	}
	return fmt.Sprintf("%s%s was not found: %s", head, r.Stage.Head.Short(), plan.Printable(r.Why))
}

func orHere(where string) string {
	if where == "" {
		return " recorded already"
	}
	return where
}
