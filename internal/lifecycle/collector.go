package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// trailerHandoff marks the merges that this tool makes on a collector branch.
const trailerHandoff = "Okstra-Handoff"

// longestNumbers bounds the stage numbers in a collector's name: a branch is a file.
const longestNumbers = 80

// collector makes or extends a collector branch.
type collector struct {
	engine *Engine
	task   *Task
	out    *HandedOff
	how    gitops.Signing
	rec    *record
	was    gitops.Hash    // the branch's tip before, "" where it is new
	sketch *gitops.Sketch // the merges, until they are recorded
}

// name is the collector's name: prefix, task, handoff and the stages.
func (c *collector) name() gitops.RefName {
	parts := strings.Split(c.task.Key.Ref(), "/")
	return gitops.RefName(fmt.Sprintf("refs/heads/%s-%s-handoff-%s", plan.BranchPrefix(c.task.Meta.Category), parts[2], c.numbers()))
}

// numbers lists the stages with dashes, shortened where they are too many for a name.
func (c *collector) numbers() string {
	list := c.out.Stages
	text := strings.ReplaceAll(Numbers(list), ", ", "-")
	if len(text) > longestNumbers {
		return fmt.Sprintf("%d-%d-of-%d", list[0], list[len(list)-1], len(list))
	}
	return text
}

// collect finds out what is to be merged and merges it.
func (c *collector) collect(ctx context.Context) error {
	e, name := c.engine, c.name()
	values, err := e.Repo.RefValues(ctx, name)
	if err != nil {
		return err
	}
	c.was, c.out.Head = values[name], c.out.Base
	if c.was != "" {
		c.out.Head = c.was
	}
	lacking, err := c.lacking(ctx, c.out.Head)
	if err != nil {
		return err
	}
	if len(lacking) == 0 {
		if c.was != "" {
			c.out.Branch = name
		}
		return nil
	}
	c.out.Branch = name
	if err := c.mayExtend(ctx, name); err != nil {
		return err
	}
	if err := c.along(ctx, lacking); err != nil {
		return err
	}
	for _, n := range lacking {
		if err := c.merge(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// lacking lists the stages whose work a commit's history has not. What is found by content
// is not recorded: a collector is not where the work is to go.
func (c *collector) lacking(ctx context.Context, tip gitops.Hash) ([]plan.StageNumber, error) {
	sought, err := c.engine.Unmerged(ctx, c.task, c.out.Stages, tip, false)
	if err != nil {
		return nil, err
	}
	var out []plan.StageNumber
	for _, s := range sought {
		if c.engine.Repo.Shallow() {
			return nil, refuse(Gate, fetchRest, "cannot tell in a shallow clone whether stage %d is merged", s.Stage)
		}
		if s.Elsewhere {
			return nil, refuse(Gate, "fetch it from the clone or remote that has it", "stage %d cannot be merged: %s", s.Stage, s.Unsure)
		}
		out = append(out, s.Stage)
	}
	return out, nil
}

// along finds the work of other stages that the ones to be merged stand on, and that would
// come with them; it refuses what nobody accepted.
func (c *collector) along(ctx context.Context, lacking []plan.StageNumber) error {
	e, t := c.engine, c.task
	var heads []gitops.Hash
	for _, n := range lacking {
		heads = append(heads, t.Done[n])
	}
	list, _, err := e.Repo.Commits(ctx, heads, []gitops.Hash{c.out.Base, c.out.Head}, 0)
	if err != nil {
		return err
	}
	coming := map[gitops.Hash]bool{}
	for _, commit := range list {
		coming[commit.Hash] = true
	}
	var done, found []plan.StageNumber
	for _, st := range t.Plan.Stages {
		switch n := st.Number; {
		case slices.Contains(c.out.Stages, n):
		case t.Done[n] != "" && coming[t.Done[n]]:
			done = append(done, n)
		case t.Done[n] == "" && coming[t.Reopened[n]]:
			found = append(found, n)
		}
	}
	sought, err := e.Unmerged(ctx, t, done, c.out.Base, false)
	if err != nil {
		return err
	}
	for _, s := range sought {
		found = append(found, s.Stage)
	}
	slices.Sort(found)
	which, why, err := e.notAccepted(ctx, t, found)
	if err != nil {
		return err
	}
	if len(which) > 0 {
		return refuse(Refused, fmt.Sprintf("verify it too, with git okstra verify --stage N --record accepted, or land it first: git okstra stage land %s", words(which)),
			"stage %s, which is not in %s, would come along: %s", Numbers(which), plan.Printable(shortBranch(c.out.Onto)), strings.Join(why, "; "))
	}
	c.out.Along = found
	return nil
}

// mayExtend refuses a branch of that name that is not a collector of ours, and one that
// somebody has checked out: no worktree is touched.
func (c *collector) mayExtend(ctx context.Context, name gitops.RefName) error {
	if c.was == "" {
		return nil
	}
	short := plan.Printable(shortBranch(name))
	ours, err := c.ours(ctx)
	if err != nil {
		return err
	}
	if !ours {
		return refuse(Refused, "merge the stages there yourself, or rename it", "branch %s has commits that are no handoff's, and it lacks some of the stages", short)
	}
	used, err := c.engine.usedBy(ctx, name)
	if err != nil || used == "" {
		return err
	}
	return refuse(Refused, "switch to another branch there, then run the same command again", "branch %s cannot be extended: %s", short, used)
}

// ours reports whether all that the branch has beyond the integration branch are merges
// of this very handoff and what they merged.
func (c *collector) ours(ctx context.Context) (bool, error) {
	repo := c.engine.Repo
	outside, _, err := repo.Commits(ctx, []gitops.Hash{c.was}, []gitops.Hash{c.out.Base}, 0)
	if err != nil {
		return false, err
	}
	beyond := map[gitops.Hash]bool{}
	for _, n := range outside {
		beyond[n.Hash] = true
	}
	for at := c.was; beyond[at]; {
		commit, err := repo.ReadCommit(ctx, at)
		if err != nil {
			return false, err
		}
		if len(commit.Parents) == 0 || !c.marked(commit) {
			return false, nil
		}
		at = commit.Parents[0]
	}
	return true, nil
}

// mark is what stands in the trailer of this handoff's merges.
func (c *collector) mark() string { return c.task.Key.String() + " " + c.numbers() }

func (c *collector) marked(commit gitops.Commit) bool {
	return slices.Contains(gitops.Trailers(commit.Message), gitops.Trailer{Key: trailerHandoff, Value: c.mark()})
}

// merge adds one stage on top, in the sketch.
func (c *collector) merge(ctx context.Context, n plan.StageNumber) error {
	m, err := c.sketch.Merge(ctx, c.out.Head, c.task.Done[n])
	if err != nil {
		return err
	}
	if len(m.Conflicts) > 0 {
		return c.conflict(n, m.Conflicts)
	}
	head, err := c.commit(ctx, n, m.Tree)
	if err != nil {
		return err
	}
	c.out.Head, c.out.Merged = head, append(c.out.Merged, n)
	return nil
}

// commit writes the merge, signed if the user's git signs commits.
func (c *collector) commit(ctx context.Context, n plan.StageNumber, tree gitops.Hash) (gitops.Hash, error) {
	e := c.engine
	st, _ := c.task.Plan.Stage(n)
	data := gitops.CommitData{Tree: tree, Parents: []gitops.Hash{c.out.Head, c.task.Done[n]}, Committer: c.rec.sig}
	var err error
	if data.Author, err = e.Repo.Author(ctx, e.Now()); err != nil {
		return "", err
	}
	text := fmt.Sprintf("Merge stage %d: %s", n, plan.Printable(strings.Join(strings.Fields(st.Title), " ")))
	if data.Message, err = gitops.AppendTrailers(text, gitops.Trailer{Key: trailerHandoff, Value: c.mark()}); err != nil {
		return "", err
	}
	signs, err := e.Repo.SignsCommits()
	if err != nil {
		return "", err
	}
	return c.sketch.Commit(ctx, data, signs, c.how)
}

// conflict is the gate: a person must merge.
func (c *collector) conflict(n plan.StageNumber, paths []string) *Refusal {
	const most = 20
	var files []string
	for _, p := range paths[:min(most, len(paths))] {
		files = append(files, "  "+plan.Printable(p))
	}
	if more := len(paths) - most; more > 0 {
		files = append(files, fmt.Sprintf("  and %d more", more))
	}
	beside := "the integration branch " + plan.Printable(shortBranch(c.out.Onto))
	if len(c.out.Merged) > 0 {
		beside += " with stage " + Numbers(c.out.Merged)
	}
	r := refuse(Gate, "", "stage %d conflicts with %s; nothing was changed:\n%s", n, beside, strings.Join(files, "\n"))
	r.Hints = []string{
		fmt.Sprintf("make branch %s yourself, with all of the stages merged, then run the same command again", plan.Printable(shortBranch(c.name()))),
		"or land one stage first, rebase the other, and verify it again",
	}
	return r
}

// record moves the branch and writes the rows. The branch comes first: a call that was
// cut short there finds its merges again, and writes the rows.
func (c *collector) record(ctx context.Context) error {
	e, t := c.engine, c.task
	for _, n := range c.out.Stages {
		c.rec.tx.Verify(t.doneRef(n), t.Done[n])
	}
	if len(c.out.Merged) > 0 {
		c.rec.tx.Update(c.out.Branch, c.was, c.out.Head)
	}
	last := map[plan.StageNumber]notes.Row{}
	if err := e.eachRow(ctx, t, notes.HandedOff, func(r notes.Row) { last[r.Stage] = r }); err != nil {
		return err
	}
	var entries []notes.Entry
	for _, n := range c.out.Stages {
		row, err := e.row(t, n, notes.HandedOff)
		if err != nil {
			return err
		}
		row.Head, row.Branch = t.Done[n], shortBranch(c.out.Branch)
		if was, ok := last[n]; ok && was.Head == row.Head && was.Branch == row.Branch {
			continue
		}
		entries = append(entries, notes.Entry{Target: row.Head, Row: row})
	}
	if len(entries) == 0 && len(c.out.Merged) == 0 {
		c.out.Already = true
		return nil
	}
	if err := c.sketch.Take(ctx, c.rec.objects); err != nil {
		return err
	}
	return e.writeRows(ctx, c.rec, t, entries)
}
