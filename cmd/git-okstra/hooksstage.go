package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"git-okstra/gitops"
	"git-okstra/hooks"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/notes"
	"git-okstra/plan"
)

// stageJudge judges the changes of stages for hooks and CI: by the same function as
// `stage done` and `verify`.
type stageJudge struct {
	a     *app
	out   *report.Changes
	e     *lifecycle.Engine
	tasks []*lifecycle.Task
	bases map[string]*conformance // what verdicts rest on, by the task's key
}

// stageJudge reads the tasks of this clone. One that cannot be read is said, and keeps
// nobody from working on others.
func (a *app) stageJudge(out *report.Changes) (*stageJudge, error) {
	e, err := a.reader()
	if err != nil {
		return nil, err
	}
	s := &stageJudge{a: a, out: out, e: e, bases: map[string]*conformance{}}
	entries, err := e.Tasks(a.ctx, a.flags.Task)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.Problem != nil {
			out.Add(report.ChangeFinding{Rule: "task", Severity: report.SeverityWarning, Message: fmt.Sprintf("the plan of %s cannot be read: %v", entry.Key, entry.Problem)})
			continue
		}
		s.tasks = append(s.tasks, entry.Task)
	}
	return s, nil
}

// judge judges a stage's change up to a commit, or to what is staged on a commit.
func (s *stageJudge) judge(t *lifecycle.Task, n plan.StageNumber, base, tip gitops.Hash, m verdict.Moment, ref string) error {
	key := t.Key.Ref()
	if s.bases[key] == nil {
		c, err := s.a.conformance(s.a.ctx, s.e, t)
		if err != nil {
			return err
		}
		s.bases[key] = c
	}
	base, err := s.fork(t, base, tip)
	if err != nil {
		return err
	}
	if m == verdict.Commit {
		tip = "" // what is staged, with the commits below
	}
	j, err := s.bases[key].judge(s.a.ctx, n, base, tip, m)
	if err != nil {
		return err
	}
	s.out.Judged = append(s.out.Judged, fmt.Sprintf("%s#%d", t.Key, n))
	for _, r := range j.verdict.Reasons {
		s.add(n, ref, r)
	}
	return nil
}

// fork is where a stage's own change begins: its base, or, where the branch was put on a
// newer state of the integration branch since, that state. What came from there is not the stage's.
func (s *stageJudge) fork(t *lifecycle.Task, base, tip gitops.Hash) (gitops.Hash, error) {
	names := []gitops.RefName{t.Meta.Onto}
	for _, remote := range s.a.repo.Config().Subsections("remote.", ".url") {
		names = append(names, gitops.RefName("refs/remotes/"+remote+"/"+shortName(t.Meta.Onto)))
	}
	values, err := s.a.repo.RefValues(s.a.ctx, slices.DeleteFunc(names, func(n gitops.RefName) bool { return !gitops.ValidRefName(n) })...)
	if err != nil {
		return base, err
	}
	tried := map[gitops.Hash]bool{base: true, tip: true}
	for _, at := range values {
		if at == base {
			continue
		}
		common, err := s.a.repo.MergeBase(s.a.ctx, at, tip)
		if err != nil {
			return base, err
		}
		if common == "" || tried[common] {
			continue
		}
		tried[common] = true
		newer, err := s.a.repo.IsAncestor(s.a.ctx, base, common)
		if err != nil {
			return base, err
		}
		if newer {
			base = common
		}
	}
	return base, nil
}

// mostTouches is how many places one reason names.
const mostTouches = 50

// add takes a reason of a verdict in, with the places that it is about.
func (s *stageJudge) add(n plan.StageNumber, ref string, r verdict.Reason) {
	f := report.ChangeFinding{Rule: string(r.Code), Severity: report.SeverityNotice, Ref: ref, Stage: n, File: r.Path, Message: r.Message, Hint: r.Hint}
	if r.Level == verdict.Block {
		f.Severity = report.SeverityError
	}
	if len(r.Touches) == 0 {
		s.out.Add(f)
		return
	}
	for i, touch := range r.Touches[:min(len(r.Touches), mostTouches)] {
		one := f
		one.File, one.Line, one.Column = touch.Path, touch.Line, 1
		one.Message = fmt.Sprintf("%s: %s (%s): %.100q", r.Message, touch.Surface, touch.Rule, touch.Text)
		if i > 0 {
			one.Hint = ""
		}
		s.out.Add(one)
	}
	if more := len(r.Touches) - mostTouches; more > 0 {
		f.Message, f.Hint = fmt.Sprintf("%s: and in %d other places", r.Message, more), ""
		s.out.Add(f)
	}
}

// staged judges the stage whose worktree this is, if it is one.
func (s *stageJudge) staged(head gitops.Hash) error {
	for _, t := range s.tasks {
		if t.Here == 0 {
			continue
		}
		if _, known := t.Plan.Stage(t.Here); !known {
			continue
		}
		base, err := s.baseOf(t, t.Here, "")
		if err != nil {
			return err
		}
		if base == "" || head == "" {
			continue
		}
		if err := s.judge(t, t.Here, base, head, verdict.Commit, ""); err != nil {
			return err
		}
	}
	return nil
}

// baseOf is what a stage branched from; "" where this clone cannot tell, which is said.
func (s *stageJudge) baseOf(t *lifecycle.Task, n plan.StageNumber, ref string) (gitops.Hash, error) {
	if n == t.Here {
		for _, ref := range s.a.repo.WorktreeRefs(gitops.Worktree{GitDir: s.a.repo.GitDir()}, "refs/worktree/okstra/") {
			if ref.Name == t.BindRef(n) {
				return ref.Hash, nil
			}
		}
	}
	rows, err := notes.ReadStages(s.a.ctx, s.a.repo, t.NotesTip, []plan.StageNumber{n})
	if err != nil {
		return "", err
	}
	base := gitops.Hash("")
	if r, held, err := s.e.Reservation(s.a.ctx, t, n); err != nil {
		return "", err
	} else if held && r.Broken == "" {
		base = r.Base
	}
	for _, l := range rows {
		if l.Row.Status == notes.Started && base == "" {
			base = l.Row.Head
		}
		if l.Row.Status == notes.Done && l.Row.Head == t.Done[n] && l.Row.Carry != nil {
			base = l.Row.Carry.StageCommitRange.Base
		}
	}
	kinds := map[gitops.Hash]gitops.ObjectType{}
	if base != "" {
		if kinds, err = s.a.repo.ObjectTypes(s.a.ctx, []gitops.Hash{base}); err != nil {
			return "", err
		}
	}
	if kinds[base] != gitops.TypeCommit {
		s.out.Add(report.ChangeFinding{
			Rule: "stage", Severity: report.SeverityWarning, Ref: ref, Stage: n, Message: "what the stage branched from is not in this clone: it was not judged",
			Hint: "get the state and its commits with: git okstra sync",
		})
		return "", nil
	}
	return base, nil
}

// stageOf finds the stage whose branch has one of the names, else the one whose worktree
// the caller stands in, if HEAD is meant.
func (s *stageJudge) stageOf(names ...string) (*lifecycle.Task, plan.StageNumber, error) {
	for _, name := range names {
		for _, t := range s.tasks {
			if name == "HEAD" && t.Here != 0 {
				return t, t.Here, nil
			}
			n, err := s.branchOf(t, strings.TrimPrefix(name, "refs/heads/"))
			if err != nil || n != 0 {
				return t, n, err
			}
		}
	}
	return nil, 0, nil
}

// branchOf is the stage of a task that has a branch, 0 for none.
func (s *stageJudge) branchOf(t *lifecycle.Task, short string) (plan.StageNumber, error) {
	for _, n := range slices.Sorted(maps.Keys(t.Reserved)) {
		r, held, err := s.e.Reservation(s.a.ctx, t, n)
		if err != nil {
			return 0, err
		}
		if held && r.Branch == short && short != "" {
			return n, nil
		}
		wt, bound, err := s.e.WorktreeOf(s.a.ctx, t, n)
		if err != nil {
			return 0, err
		}
		if bound && wt.Branch == gitops.RefName("refs/heads/"+short) { // it was renamed
			return n, nil
		}
	}
	at := strings.LastIndex(short, "-s")
	if at < 0 {
		return 0, nil
	}
	number, err := strconv.Atoi(short[at+len("-s"):])
	n := plan.StageNumber(number)
	if _, known := t.Plan.Stage(n); err != nil || !known || t.Done[n] == "" {
		return 0, nil //nolint:nilerr // another branch's name
	}
	rows, err := notes.ReadStages(s.a.ctx, s.a.repo, t.NotesTip, []plan.StageNumber{n})
	if err != nil {
		return 0, err
	}
	for _, l := range rows {
		if l.Row.Status == notes.Started && l.Row.Branch == short {
			return n, nil
		}
	}
	return 0, nil
}

// pushed judges what the push of one ref brings: a stage's branch, or done stages on
// their integration branch. had is what stands at the remote, if that is here.
func (s *stageJudge) pushed(p hooks.Push, tip, had gitops.Hash) error {
	ref := string(p.Remote)
	t, n, err := s.stageOf(ref, p.Local)
	if err != nil {
		return err
	}
	if n != 0 {
		if err := s.branch(t, n, tip, ref); err != nil {
			return err
		}
	}
	for _, t := range s.tasks {
		if t.Meta.Onto != p.Remote {
			continue
		}
		if err := s.landed(t, had, tip, ref); err != nil {
			return err
		}
	}
	return nil
}

// branch judges a stage's branch. A stage that is done needs its result.
func (s *stageJudge) branch(t *lifecycle.Task, n plan.StageNumber, tip gitops.Hash, ref string) error {
	base, err := s.baseOf(t, n, ref)
	if err != nil || base == "" {
		return err
	}
	moment := verdict.PushWIP
	if t.Done[n] != "" {
		moment = verdict.PushDone
	}
	return s.judge(t, n, base, tip, moment, ref)
}

// landed judges the done stages that come to an integration branch between two commits;
// from "" is from the beginning.
func (s *stageJudge) landed(t *lifecycle.Task, from, tip gitops.Hash, ref string) error {
	for _, n := range slices.Sorted(maps.Keys(t.Done)) {
		if _, known := t.Plan.Stage(n); !known {
			continue
		}
		in, err := s.holds(tip, t.Done[n])
		if err != nil || !in {
			if err != nil {
				return err
			}
			continue
		}
		if from != "" {
			old, err := s.holds(from, t.Done[n])
			if err != nil {
				return err
			}
			if old {
				continue
			}
		}
		base, err := s.baseOf(t, n, ref)
		if err != nil {
			return err
		}
		if base != "" {
			if err := s.judge(t, n, base, t.Done[n], verdict.PushDone, ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// holds reports whether a history holds a commit; one that is not here it does not.
func (s *stageJudge) holds(tip, commit gitops.Hash) (bool, error) {
	if _, err := s.a.repo.ReadCommit(s.a.ctx, commit); errors.Is(err, gitops.ErrMissing) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return s.a.repo.IsAncestor(s.a.ctx, commit, tip)
}
