package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/reconcile"
	"git-okstra/plan"
)

// looker is one run of reconcile.
type looker struct {
	app    *app
	engine *lifecycle.Engine
	task   *lifecycle.Task
	ranges []lifecycle.Range
	limit  int
	onto   gitops.RefName
	answer reconcile.Answer // of the integration branch
	tip    gitops.Hash
	found  []finding
}

// finding is the answer for one stage.
type finding struct {
	result   reconcile.Result
	branch   gitops.RefName // where it was found; "" where it was not
	move     *lifecycle.Move
	recorded bool
	stays    bool             // it is not merged, and stands on its own branch as it was recorded
	former   lifecycle.Former // what stands there instead; zero for the commit itself
}

// look asks the integration branch first, and of what is not there the stage's own
// branch, which may have been rewritten as well.
func (l *looker) look(onto string) error {
	l.onto = l.task.Meta.Onto
	if onto != "" {
		l.onto = gitops.RefName("refs/heads/" + strings.TrimPrefix(onto, "refs/heads/"))
	}
	names := []gitops.RefName{l.onto}
	for _, r := range l.ranges {
		names = append(names, r.Branches...)
	}
	for _, name := range names {
		if !gitops.ValidRefName(name) {
			return &commandError{code: exitUsage, message: fmt.Sprintf("%q is no branch name", shortName(name))}
		}
	}
	values, err := l.app.repo.RefValues(l.app.ctx, names...)
	if err != nil {
		return err
	}
	if l.tip = values[l.onto]; l.tip == "" {
		return &commandError{
			code: exitEnvironment, message: fmt.Sprintf("the integration branch %q has no commit here", shortName(l.onto)),
			hints: []string{"name another with --onto BRANCH"},
		}
	}
	defer l.app.progress("looking through the history of %s", plan.Printable(shortName(l.onto)))()
	if l.answer, err = l.app.find(l.app.ctx, l.ranges, l.tip, l.limit); err != nil {
		return err
	}
	for i, r := range l.answer.Results {
		f := finding{result: r, move: move(r), branch: l.onto}
		if r.Verdict != reconcile.Done {
			if f, err = l.elsewhere(r, l.ranges[i], values); err != nil {
				return err
			}
		}
		l.found = append(l.found, f)
	}
	return nil
}

// elsewhere looks for a stage that is not merged.
func (l *looker) elsewhere(r reconcile.Result, of lifecycle.Range, values map[gitops.RefName]gitops.Hash) (finding, error) {
	f := finding{result: r}
	if there, err := l.formerly(&f, of, values); err != nil || there {
		return f, err
	}
	f, err := l.onBranches(r, of, values)
	if err != nil || f.branch != "" {
		return f, err
	}
	return l.withOthers(f, of, values)
}

// onBranches looks for a stage that is not merged on its own branches.
func (l *looker) onBranches(r reconcile.Result, of lifecycle.Range, values map[gitops.RefName]gitops.Hash) (finding, error) {
	f := finding{result: r}
	for _, name := range of.Branches {
		tip := values[name]
		if tip == "" || name == l.onto {
			continue
		}
		answer, err := l.app.find(l.app.ctx, []lifecycle.Range{of}, tip, l.limit)
		if err != nil {
			return f, err
		}
		there := answer.Results[0]
		switch {
		case there.Verdict != reconcile.Done:
			continue
		case there.How != reconcile.Ancestor:
			return finding{result: there, branch: name, move: move(there)}, nil
		case !l.app.repo.Shallow() && !l.answer.Stopped:
			f.result.Verdict, f.stays = reconcile.NotDone, true
		}
		f.branch = name
	}
	return f, nil
}

// withOthers looks where a stage that is not on its own branches can be all the same: a
// rewrite of a later stage's branch took it along, or all of it is in another clone.
func (l *looker) withOthers(f finding, of lifecycle.Range, values map[gitops.RefName]gitops.Hash) (finding, error) {
	if l.app.repo.Shallow() || l.answer.Stopped || f.result.Verdict == reconcile.CannotTell {
		return f, nil
	}
	for _, other := range l.ranges {
		for _, name := range other.Branches {
			if !of.Moved || values[name] == "" || name == l.onto {
				continue
			}
			on, err := l.app.repo.IsAncestor(l.app.ctx, of.Head, values[name])
			if err != nil {
				return f, err
			}
			if on {
				f.result.Verdict, f.stays, f.branch = reconcile.NotDone, true, name
				return f, nil
			}
		}
	}
	begun, err := l.engine.BegunHere(l.app.ctx, l.task, of)
	if err == nil && !begun {
		f.result.Verdict, f.stays = reconcile.NotDone, true
	}
	return f, err
}

// formerly looks on a stage's own branches for what its commit took the place of: another
// clone landed it, and what it made of it is not in this one's branches yet. To find it
// there by content would take that back. A branch whose log has the commit went back
// itself.
func (l *looker) formerly(f *finding, of lifecycle.Range, values map[gitops.RefName]gitops.Hash) (bool, error) {
	repo, ctx := l.app.repo, l.app.ctx
	if len(of.Former) == 0 {
		return false, nil
	}
	for _, other := range l.ranges {
		for _, name := range other.Branches {
			if values[name] == "" {
				continue
			}
			if on, err := repo.IsAncestor(ctx, of.Head, values[name]); err != nil || on {
				return false, err
			}
		}
	}
	for _, old := range of.Former {
		switch _, err := repo.ReadCommit(ctx, old.Head); {
		case errors.Is(err, gitops.ErrMissing):
			continue
		case err != nil:
			return false, err
		}
		for _, name := range of.Branches {
			if values[name] == "" || name == l.onto {
				continue
			}
			on, err := repo.IsAncestor(ctx, old.Head, values[name])
			if err != nil {
				return false, err
			}
			if !on {
				continue
			}
			had, err := repo.Reflog(ctx, name)
			if err != nil || slices.Contains(had, of.Head) {
				return false, err
			}
			f.result.Verdict, f.stays, f.branch, f.former = reconcile.NotDone, true, name, old
			return true, nil
		}
	}
	return false, nil
}

// record writes what was found, all of it in one transaction.
func (l *looker) record() error {
	var moves []lifecycle.Move
	for _, f := range l.found {
		if f.move != nil {
			moves = append(moves, *f.move)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	if _, err := l.engine.Rewrite(l.app.ctx, l.task, moves, nil); err != nil {
		return err
	}
	for i := range l.found {
		l.found[i].recorded = l.found[i].move != nil
	}
	return nil
}

// report prints the answer and sets the exit code: a person must decide where a done
// stage's work is nowhere to be found, or nothing can be told.
func (l *looker) report(dryRun bool) {
	a := l.app
	out := reconcileJSON{
		Schema: "okstra.reconcile/v1", Task: l.task.Key.String(), Onto: shortName(l.onto), Candidate: l.tip,
		Looked: l.answer.Looked, Limit: l.limit, Stopped: l.answer.Stopped, DryRun: dryRun, Stages: []reconciledJSON{},
	}
	for _, f := range l.found {
		if f.result.Verdict != reconcile.Done && !f.stays {
			a.code = exitGate
		}
		out.Stages = append(out.Stages, f.json())
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return
	}
	for _, f := range l.found {
		a.tell("%s\n", l.text(f, dryRun))
	}
	if l.onto != "" {
		l.reportSearch()
	}
}

func (l *looker) reportSearch() {
	a := l.app
	if len(l.found) == 0 {
		a.tell("no stage is done\n")
	}
	if l.answer.Looked > 0 {
		stopped := ""
		if l.answer.Stopped {
			stopped = ", and stopped there: more with --limit N"
		}
		a.tell("looked through %d commits of %s%s\n", l.answer.Looked, plan.Printable(shortName(l.onto)), stopped)
	}
	if slices.ContainsFunc(l.found, func(f finding) bool { return f.former.Head != "" }) {
		a.say("hint: get what others landed: git pull, in %s", plan.Printable(shortName(l.onto)))
	}
	if a.code != exitGate {
		return
	}
	switch {
	case a.repo.Shallow():
		a.say("hint: fetch the rest of the history with: git fetch --unshallow")
	case a.repo.Partial():
		a.say("hint: fetch the objects that this clone lacks with: git fetch --refetch --no-filter REMOTE")
	}
	a.say("hint: if you know where a stage's work is, say so: git okstra reconcile --stage N --to COMMIT")
}
