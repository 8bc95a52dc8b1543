package main

import (
	"strings"

	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// sayLanded prints what became of the stages; a conflict is for a person.
func (a *app) sayLanded(key plan.TaskKey, out lifecycle.Landing, dryRun bool) {
	list := landJSON{Schema: "okstra.stage-land/v1", Task: key.String(), Onto: shortName(out.Onto), DryRun: dryRun, Stages: []landedJSON{}}
	for _, s := range out.Stages {
		if len(s.Conflicts) > 0 {
			a.code = exitGate
		}
		list.Stages = append(list.Stages, landedJSON{
			s.Stage, s.From, s.To, s.Head, string(s.How), s.How == lifecycle.LandedBefore,
			orEmpty(s.Conflicts), s.At, orEmpty(s.Standing), orEmpty(s.Worktrees),
		})
	}
	if a.flags.JSON {
		writeJSON(a.std.out, list)
		return
	}
	would := ""
	if dryRun {
		would = " (dry run)"
	}
	onto := plan.Printable(shortName(out.Onto))
	for _, s := range out.Stages {
		switch {
		case len(s.Conflicts) > 0:
			a.sayConflicts(onto, s)
		case s.How == lifecycle.LandedBefore:
			a.tell("stage %d is in %s already%s\n", s.Stage, onto, would)
		default:
			a.tell("stage %d landed in %s: %s → %s (%s)%s\n", s.Stage, onto, s.From.Short(), s.To.Short(), s.How, would)
		}
		if len(s.Standing) > 0 {
			a.say("note: stage %s stands on %s, which itself did not land", lifecycle.Numbers(s.Standing), s.Head.Short())
		}
	}
}

func (a *app) sayConflicts(onto string, s lifecycle.StageLanding) {
	var files strings.Builder
	for _, p := range s.Conflicts {
		files.WriteString("\n  " + plan.Printable(p))
	}
	fail(a.std, false, &commandError{
		code: exitGate, message: "stage " + lifecycle.Numbers([]plan.StageNumber{s.Stage}) + " conflicts with " + onto + " at " + s.At.Short() + "; nothing of it was written:" + files.String(),
		hints: []string{
			"solve it in the stage: git okstra stage reopen N --why TEXT, start it again, merge " + onto + " there, and end it",
			"or merge the stage's branch into " + onto + " yourself and solve it there",
		},
	})
}
