package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// File is one file of a plan's tree, with slashes.
type File struct {
	Path    string
	Mode    gitops.Mode
	Content []byte
}

// ApproveRequest is a plan that passed its checks, to be pinned.
type ApproveRequest struct {
	Key      plan.TaskKey
	Source   []byte     // the plan as it is to be kept, already marked approved
	Plan     *plan.Plan // Source, parsed
	QA       []File     // the files below qa/, paths with that prefix
	Path     string     // where the plan is in the repository, "" outside
	Ruleset  string
	Category string
	Onto     string // integration branch, short name; "" keeps the plan's, or takes the current one
	Amend    bool   // a revision is meant: refused where no plan is approved yet
	Force    bool   // also where it changes stages that are done or under way; rows say so
	Why      string // the reason that those rows give
	Trust    bool   // what the plan wants to have run may run in this clone
	Signing  gitops.Signing
}

// Approved is a pinned plan.
type Approved struct {
	Key      plan.TaskKey
	Commit   gitops.Hash
	Previous gitops.Hash // the revision before, or ""
	Onto     string
	Already  bool // this very plan was approved before
	Signed   bool
	Forced   []plan.StageNumber // stages under way or done that the revision changes
}

// Approve pins a plan as the task's newest revision. Errors: *Refusal, e.g.
// where the change touches a stage that is done or under way.
func (e *Engine) Approve(ctx context.Context, req ApproveRequest) (Approved, error) {
	var out Approved
	err := retry(ctx, func() (err error) {
		out, err = e.approveOnce(ctx, req)
		return err
	})
	return out, err
}

func (e *Engine) approveOnce(ctx context.Context, req ApproveRequest) (Approved, error) {
	old, err := e.Current(ctx, req.Key)
	if err != nil {
		return Approved{}, err
	}
	rec, err := e.begin(ctx, "approve plan of "+req.Key.String())
	if err != nil {
		return Approved{}, err
	}
	out, err := e.pin(ctx, rec, req, old)
	if err != nil {
		return out, err
	}
	if req.Trust {
		if err := e.trust(ctx, rec, out); err != nil {
			return out, err
		}
	}
	if len(rec.tx.Changes) == 0 {
		return out, nil
	}
	return out, e.commit(ctx, rec)
}

// trust notes that a revision was approved in this clone, unless that is known. One that
// came from elsewhere is so by being approved here once more.
func (e *Engine) trust(ctx context.Context, rec *record, out Approved) error {
	key, err := makeCloneKey(e.Repo.CommonDir())
	if errors.Is(err, fs.ErrPermission) {
		return nil // the key is another user's: the plan is approved, and what it runs is asked about
	}
	if err != nil {
		return err
	}
	fresh, err := e.untrusted(ctx, []Trusted{TrustedPlan(out.Commit)}, key)
	for _, t := range fresh {
		rec.tx.Create(t.ref(key), out.Commit)
	}
	return err
}

// pin adds the plan's revision to the record, unless it is the approved one already.
// old is the task as it is approved now, or nil.
func (e *Engine) pin(ctx context.Context, rec *record, req ApproveRequest, old *Task) (out Approved, err error) {
	out.Key = req.Key
	if req.Amend && old == nil {
		return out, refuse(Refused, "approve it without --amend", "no plan of %s is approved yet, so there is none to amend", plan.Printable(req.Key.String()))
	}
	meta := PlanMeta{Task: req.Key.String(), Ruleset: req.Ruleset, Path: req.Path, Category: req.Category}
	if meta.Onto, err = e.integration(ctx, req, old); err != nil {
		return out, err
	}
	out.Onto = shortBranch(meta.Onto)
	tree, err := planTree(rec.objects, req)
	if err != nil {
		return out, err
	}
	commit := gitops.CommitData{Tree: tree, Committer: rec.sig}
	commit.Message, err = gitops.AppendTrailers(fmt.Sprintf("okstra: plan of %s approved", plan.Printable(req.Key.String())), meta.trailers()...)
	if err != nil {
		return out, err
	}
	if old != nil {
		out.Forced = e.changed(old, req.Plan)
		if len(out.Forced) > 0 && !req.Force {
			return out, refuse(Refused,
				"leave those stages as they were, add a new stage for the change, or record it with --force --why TEXT",
				"the revision changes stage %s, which is done or under way", Numbers(out.Forced))
		}
		out.Previous, commit.Parents = old.PlanCommit, []gitops.Hash{old.PlanCommit}
		out.Already, out.Signed, err = e.sameRevision(ctx, old, tree, parseMeta(commit.Message))
		if out.Already || err != nil {
			out.Commit, out.Forced = old.PlanCommit, nil
			return out, err
		}
	}
	if commit.Author, err = e.Repo.Author(ctx, e.Now()); err != nil {
		return out, err
	}
	if err := e.planCommit(ctx, rec, commit, req.Signing, &out); err != nil {
		return out, err
	}
	if old != nil {
		if err := e.recordForced(ctx, rec, old, out, req.Why); err != nil {
			return out, err
		}
	}
	rec.tx.Update(gitops.RefName(statePrefix+req.Key.Ref()+"/plan"), out.Previous, out.Commit)
	return out, nil
}

// planCommit makes the revision's commit, signed if the user's git signs commits: it
// is the evidence of the approval.
func (e *Engine) planCommit(ctx context.Context, rec *record, c gitops.CommitData, how gitops.Signing, out *Approved) (err error) {
	if out.Signed, err = e.Repo.SignsCommits(); err != nil {
		return err
	}
	if !out.Signed {
		out.Commit = rec.objects.Commit(c)
		return nil
	}
	out.Commit, err = e.Repo.SignedCommit(ctx, rec.objects, c, how)
	return err
}

// recordForced writes a row for each stage that the revision changes although it is
// done or under way: on its done commit, or on its base. Where there is none, the
// log is verified all the same: every start and end moves it, and none may slip in
// behind the look at what the revision changes.
func (e *Engine) recordForced(ctx context.Context, rec *record, old *Task, out Approved, why string) error {
	ref := notes.Ref(old.Key)
	if len(out.Forced) == 0 {
		rec.tx.Verify(ref, old.NotesTip)
		return nil
	}
	var entries []notes.Entry
	for _, n := range out.Forced {
		row, err := e.row(old, n, notes.Revised)
		if err != nil {
			return err
		}
		row.Plan, row.Reason = out.Commit, why
		target, err := e.spokenOf(ctx, old, n)
		if err != nil {
			return err
		}
		entries = append(entries, notes.Entry{Target: target, Row: row})
	}
	tip, err := notes.AppendAll(ctx, e.Repo, rec.objects, old.NotesTip, rec.sig, entries)
	if err != nil {
		return err
	}
	rec.tx.Update(ref, old.NotesTip, tip)
	return nil
}

// Current loads the task if it has an approved plan. A task whose key maps to
// the same ref but is spelled differently is refused: two tasks are never merged.
func (e *Engine) Current(ctx context.Context, key plan.TaskKey) (*Task, error) {
	states, err := e.listRefs(ctx)
	if err != nil {
		return nil, err
	}
	return e.current(ctx, states, key)
}

// current is Current on refs that were listed already.
func (e *Engine) current(ctx context.Context, states map[string]*refState, key plan.TaskKey) (*Task, error) {
	s := states[key.Ref()]
	if s == nil || s.plan == "" {
		return nil, nil
	}
	t, err := e.task(ctx, states, s)
	if err != nil {
		return nil, err
	}
	if t.Key != key {
		return nil, refuse(Refused, "give one of them another group or task id",
			"%s and the approved %s have the same ref name %s", plan.Printable(key.String()), plan.Printable(t.Key.String()), key.Ref())
	}
	return t, nil
}

// integration decides the branch that the stages come from and go to.
func (e *Engine) integration(ctx context.Context, req ApproveRequest, old *Task) (gitops.RefName, error) {
	name := gitops.RefName("refs/heads/" + strings.TrimPrefix(req.Onto, "refs/heads/"))
	if req.Onto == "" {
		if old != nil {
			return old.Meta.Onto, nil
		}
		var err error
		if name, err = e.Repo.CurrentBranch(ctx); err != nil {
			return "", err
		}
		if name == "" {
			return "", refuse(Usage, "name it with --onto BRANCH", "HEAD is detached, so the integration branch is not known")
		}
	}
	if !gitops.ValidRefName(name) || !strings.HasPrefix(string(name), "refs/heads/") {
		return "", refuse(Usage, "", "%q is no branch name", req.Onto)
	}
	values, err := e.Repo.RefValues(ctx, name)
	if err != nil {
		return "", err
	}
	if values[name] == "" {
		return "", refuse(Environment, "make the first commit, or name another branch with --onto", "branch %s has no commit yet", plan.Printable(shortBranch(name)))
	}
	return name, nil
}

// planTree writes plan.md and qa/ as a tree.
func planTree(w *gitops.ObjectWriter, req ApproveRequest) (gitops.Hash, error) {
	files := map[string]File{planFile: {Path: planFile, Mode: gitops.ModeFile, Content: req.Source}}
	for _, f := range req.QA {
		files[f.Path] = f
	}
	return writeTree(w, files)
}

// writeTree writes files, keyed by their paths below this tree, as a tree.
func writeTree(w *gitops.ObjectWriter, files map[string]File) (gitops.Hash, error) {
	var entries []gitops.TreeEntry
	below := map[string]map[string]File{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		dir, rest, nested := strings.Cut(path, "/")
		if !nested {
			entries = append(entries, gitops.TreeEntry{Name: path, Mode: f.Mode, Hash: w.Blob(f.Content)})
			continue
		}
		if below[dir] == nil {
			below[dir] = map[string]File{}
		}
		below[dir][rest] = f
	}
	for dir, sub := range below {
		hash, err := writeTree(w, sub)
		if err != nil {
			return "", err
		}
		entries = append(entries, gitops.TreeEntry{Name: dir, Mode: gitops.ModeTree, Hash: hash})
	}
	return w.Tree(entries)
}

// sameRevision reports whether the plan that is approved already is this one, and
// whether it is signed.
func (e *Engine) sameRevision(ctx context.Context, old *Task, tree gitops.Hash, meta PlanMeta) (same, signed bool, err error) {
	c, err := e.Repo.ReadCommit(ctx, old.PlanCommit)
	if err != nil {
		return false, false, err
	}
	return c.Tree == tree && old.Meta == meta, c.Signed(), nil
}

// changed lists the stages that are done or under way and that the next revision
// changes: their workers build, or built, on what was approved.
func (e *Engine) changed(old *Task, next *plan.Plan) []plan.StageNumber {
	var out []plan.StageNumber
	for _, st := range old.Plan.Stages {
		if !old.Progress().Occupied(st.Number) {
			continue
		}
		now, ok := next.Stage(st.Number)
		if !ok || now.Title != st.Title || trimmed(now.Section) != trimmed(st.Section) || !sameSet(now.DependsOn, st.DependsOn) {
			out = append(out, st.Number)
		}
	}
	return out
}

// sameSet compares dependencies: the order in which the map lists them means nothing.
func sameSet(a, b []plan.StageNumber) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// trimmed leaves out the blank lines at a section's end: a stage that is added
// behind the last one changes them.
func trimmed(section string) string { return strings.TrimRight(section, " \t\n") }
