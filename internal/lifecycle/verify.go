package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Verdict is what a verification came to.
type Verdict string

// The verdicts, as rows have them.
const (
	Accepted          Verdict = "accepted"
	ConditionalAccept Verdict = "conditional-accept"
	Blocked           Verdict = "blocked"
)

// ParseVerdict reads a verdict's name. Errors: *Refusal.
func ParseVerdict(word string) (Verdict, error) {
	switch v := Verdict(word); v {
	case Accepted, ConditionalAccept, Blocked:
		return v, nil
	}
	return "", refuse(Usage, "a verdict is accepted, conditional-accept or blocked", "%q is no verdict", word)
}

// Judged is what was found fit to be verified: Verdict "" records nothing.
type Judged struct {
	Stages  []plan.StageNumber
	Verdict Verdict
}

// Verify lets judge look at the task and records its verdict: a row for each of the
// stages, on its done commit, in one transaction that holds the done refs. Where refs
// moved meanwhile, also by what judge itself found in rewritten history, it is asked
// again. A stage whose verdict stands already, from the same actor and run, gets no
// second row. It returns the stages that got one.
func (e *Engine) Verify(ctx context.Context, t *Task, judge func(ctx context.Context, t *Task) (Judged, error)) ([]plan.StageNumber, error) {
	var out []plan.StageNumber
	again := false
	err := retry(ctx, func() (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		again = true
		j, err := judge(ctx, t)
		if err != nil || j.Verdict == "" {
			return e.confirm(ctx, t, err)
		}
		out, err = e.recordVerdict(ctx, t, j)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

func (e *Engine) recordVerdict(ctx context.Context, t *Task, j Judged) ([]plan.StageNumber, error) {
	last, err := e.Verdicts(ctx, t)
	if err != nil {
		return nil, err
	}
	rec, err := e.begin(ctx, "verdict "+string(j.Verdict))
	if err != nil {
		return nil, err
	}
	var entries []notes.Entry
	var written []plan.StageNumber
	for _, n := range j.Stages {
		head := t.Done[n]
		rec.tx.Verify(t.doneRef(n), head)
		if was, ok := last[n]; ok && was.Verdict == string(j.Verdict) && was.By == e.Caller.Actor && was.Run == e.Caller.Run {
			continue
		}
		row, err := e.row(t, n, notes.Verified)
		if err != nil {
			return nil, err
		}
		row.Head, row.Verdict = head, string(j.Verdict)
		entries, written = append(entries, notes.Entry{Target: head, Row: row}), append(written, n)
	}
	if len(entries) == 0 {
		return nil, nil
	}
	return written, e.writeRows(ctx, rec, t, entries)
}

// writeRows carries out a transaction whose last part is rows that end nothing.
func (e *Engine) writeRows(ctx context.Context, rec *record, t *Task, entries []notes.Entry) error {
	if len(entries) > 0 {
		tip, err := notes.AppendAll(ctx, e.Repo, rec.objects, t.NotesTip, rec.sig, entries)
		if err != nil {
			return err
		}
		rec.tx.Update(notes.Ref(t.Key), t.NotesTip, tip)
	}
	return e.commit(ctx, rec)
}

// Verdicts gives each done stage's last verdict on the commit that it is done at now. A
// verdict on another commit says nothing any more.
func (e *Engine) Verdicts(ctx context.Context, t *Task) (map[plan.StageNumber]notes.Row, error) {
	out := map[plan.StageNumber]notes.Row{}
	err := e.eachRow(ctx, t, notes.Verified, func(r notes.Row) {
		if r.Head != "" && r.Head == t.Done[r.Stage] {
			out[r.Stage] = r
		}
	})
	return out, err
}

// eachRow visits the task's rows of one status in the log's order.
func (e *Engine) eachRow(ctx context.Context, t *Task, status notes.Status, visit func(notes.Row)) error {
	lines, err := notes.Read(ctx, e.Repo, t.NotesTip)
	if err != nil {
		return fmt.Errorf("%s: %w", notes.Ref(t.Key), err)
	}
	for _, l := range lines {
		if l.Foreign || l.Row.Status != status {
			continue
		}
		if other, err := plan.ParseTaskKey(l.Row.Task); err == nil && other.Ref() != t.Key.Ref() {
			continue // it came to the wrong log
		}
		visit(l.Row)
	}
	return nil
}

// Unmerged lists, of done stages, those whose work is not in the history of a commit: by
// ancestry, then by content. What is found by content may be recorded, and the answer is
// then to be asked for again (see Verify).
func (e *Engine) Unmerged(ctx context.Context, t *Task, stages []plan.StageNumber, tip gitops.Hash, record bool) ([]Sought, error) {
	var here, lacking []plan.StageNumber
	var heads []gitops.Hash
	unsure := map[plan.StageNumber]string{}
	for _, n := range stages {
		switch _, err := e.Repo.ReadCommit(ctx, t.Done[n]); {
		case errors.Is(err, gitops.ErrMissing):
			unsure[n] = fmt.Sprintf("commit %s is not in this clone", t.Done[n].Short())
		case err != nil:
			return nil, err
		default:
			here, heads = append(here, n), append(heads, t.Done[n])
		}
	}
	if len(heads) > 0 {
		outside, _, err := e.Repo.Commits(ctx, heads, []gitops.Hash{tip}, 0)
		if err != nil {
			return nil, err
		}
		for _, n := range here {
			if slices.ContainsFunc(outside, func(c gitops.CommitNode) bool { return c.Hash == t.Done[n] }) {
				lacking = append(lacking, n)
			}
		}
	}
	left := map[plan.StageNumber]Sought{}
	if len(lacking) > 0 {
		found, err := e.mergedByContent(ctx, t, lacking, tip, !record)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			if s.Unsure == "" && e.Repo.Shallow() {
				s.Unsure = "history is cut off in a shallow clone"
			}
			s.Elsewhere = e.Repo.Shallow() || s.Unsure != "" && e.Repo.Partial()
			left[s.Stage] = s
		}
	}
	var out []Sought
	for _, n := range stages {
		if why := unsure[n]; why != "" {
			left[n] = Sought{Stage: n, Unsure: why, Elsewhere: true}
		}
		if s, ok := left[n]; ok {
			out = append(out, s)
		}
	}
	return out, nil
}

// Integration is the branch that the task's stages go to, or the named one, and its tip.
// Errors: *Refusal where it has no commit here.
func (e *Engine) Integration(ctx context.Context, t *Task, onto string) (gitops.RefName, gitops.Hash, error) {
	h := headRefs{ontoName: t.Meta.Onto}
	if onto != "" {
		h.ontoName = branchRef(onto)
	}
	if !gitops.ValidRefName(h.ontoName) {
		return "", "", refuse(Usage, "", "%q is no branch name", shortBranch(h.ontoName))
	}
	values, err := e.Repo.RefValues(ctx, h.ontoName)
	if err != nil {
		return "", "", err
	}
	if values[h.ontoName] == "" {
		return "", "", noIntegration(h)
	}
	return h.ontoName, values[h.ontoName], nil
}

// WorktreeOf finds the worktree that is bound to a stage, wherever it is.
func (e *Engine) WorktreeOf(ctx context.Context, t *Task, n plan.StageNumber) (gitops.Worktree, bool, error) {
	return e.stageWorktree(ctx, t, n)
}

// branchRef is the full name of a branch that a person named.
func branchRef(name string) gitops.RefName {
	return gitops.RefName("refs/heads/" + strings.TrimPrefix(name, "refs/heads/"))
}
