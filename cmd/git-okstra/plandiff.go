package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/revision"
	"git-okstra/plan/rules"
)

type planDiffCmd struct {
	From    string `arg:"" optional:"" help:"A plan file, - or REV:PATH; a branch or commit; ~N (in quotes for some shells): the Nth revision before the approved one." placeholder:"FROM"`
	To      string `arg:"" optional:"" help:"The same." placeholder:"TO"`
	Ruleset string `help:"The okstra release whose rules count for files." placeholder:"VERSION"`
}

// Run compares two revisions. With none named it is the approved plan and its file
// in the worktree; with one, the approved plan and that document, or that earlier
// revision and the approved plan.
func (c *planDiffCmd) Run(a *app) error {
	from, to, err := c.sides(a)
	if err != nil {
		return err
	}
	out := report.NewPlanDiff(from.name, to.name, revision.Stages(from.stages, to.stages), revision.Words(from.text, to.text))
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.print("%s", out.Text())
	return nil
}

// side is one of the two revisions.
type side struct {
	name   string
	text   string
	stages *plan.Plan
	older  bool // a revision of the approved plan
}

func (c *planDiffCmd) sides(a *app) (from, to side, err error) {
	if c.To != "" {
		if from, err = c.side(a, c.From); err == nil {
			to, err = c.side(a, c.To)
		}
		return from, to, err
	}
	_, t, err := a.look()
	if err != nil {
		return from, to, err
	}
	approved, err := a.approvedSide(t.PlanCommit, t)
	if err != nil {
		return from, to, err
	}
	if c.From == "" {
		name, err := a.planFile(t)
		if err != nil {
			return from, to, err
		}
		to, err = c.file(a, name)
		return approved, to, err
	}
	other, err := c.side(a, c.From)
	if other.older {
		return other, approved, err
	}
	return approved, other, err
}

// planFile is where the approved plan's file is in the caller's worktree, seen from
// the folder the caller stands in.
func (a *app) planFile(t *lifecycle.Task) (string, error) {
	top := a.repo.WorkTree()
	if t.Meta.Path == "" || top == "" || !filepath.IsLocal(filepath.FromSlash(t.Meta.Path)) {
		return "", &commandError{code: exitUsage, message: "it is not known which file here is the plan", hints: []string{"name it on the command line"}}
	}
	name := filepath.Join(top, filepath.FromSlash(t.Meta.Path))
	if rel, err := filepath.Rel(absolute("."), name); err == nil {
		name = rel
	}
	return name, nil
}

// side reads what a word names: a document, a revision of the approved plan, or the
// plan's file in a commit.
func (c *planDiffCmd) side(a *app, word string) (side, error) {
	_, err := os.Lstat(word)
	if err == nil || word == "-" || strings.Contains(word, ":") {
		return c.file(a, word)
	}
	if _, err := a.open(); err != nil {
		return side{}, err
	}
	notFound := &commandError{code: exitUsage, message: fmt.Sprintf("%q is neither a file nor a revision", word), hints: []string{"name a Markdown file, REV:PATH, a branch or commit, or ~1 for the revision before"}}
	if !strings.HasPrefix(word, "~") {
		if _, err := a.repo.ResolveCommit(a.ctx, word); err != nil {
			return side{}, orInterrupted(a, notFound)
		}
	}
	_, t, err := a.look()
	if err != nil {
		return side{}, err
	}
	rev := word
	if strings.HasPrefix(word, "~") {
		rev = string(t.PlanCommit) + word
	}
	commit, err := a.repo.ResolveCommit(a.ctx, rev)
	if err != nil {
		return side{}, orInterrupted(a, &commandError{code: exitUsage, message: fmt.Sprintf("the plan has no revision %q", word), hints: []string{"see: git log " + string(t.Ref("plan"))}})
	}
	s, err := a.approvedSide(commit, t)
	if !errors.Is(err, errNoRevision) {
		return s, err
	}
	src, err := a.repo.FileAt(a.ctx, commit, t.Meta.Path)
	if errors.Is(err, fs.ErrNotExist) || t.Meta.Path == "" {
		return side{}, &commandError{code: exitUsage, message: fmt.Sprintf("the plan is not in commit %s", commit.Short()), hints: []string{"name its path: REV:PATH"}}
	}
	if err != nil {
		return side{}, err
	}
	p, err := a.stagesOfFile(src, c.Ruleset)
	return side{name: word + ":" + t.Meta.Path, text: string(src), stages: p}, err
}

// file reads a document.
func (c *planDiffCmd) file(a *app, name string) (side, error) {
	d, err := a.document(name, c.Ruleset)
	return side{name: name, text: string(d.src), stages: stagesOf(d.res.Plan)}, err
}

// orInterrupted is err, unless the command was told to end.
func orInterrupted(a *app, err error) error {
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	return err
}

var errNoRevision = errors.New("no revision of a plan")

// approvedSide reads a revision of the approved plan, as the ruleset of its approval
// reads it.
func (a *app) approvedSide(commit gitops.Hash, t *lifecycle.Task) (side, error) {
	meta, err := lifecycle.ReadMeta(a.ctx, a.repo, commit)
	if err != nil {
		return side{}, err
	}
	if meta.Task != t.Key.String() {
		return side{}, errNoRevision
	}
	src, err := a.repo.FileAt(a.ctx, commit, "plan.md")
	if err != nil {
		return side{}, err
	}
	p, err := parseApproved(src, meta.Ruleset)
	return side{name: "revision " + commit.Short(), text: string(src), stages: p, older: true}, err
}

func (a *app) stagesOfFile(src []byte, ruleset string) (*plan.Plan, error) {
	opts, err := a.checkOptions(ruleset, false)
	if err != nil {
		return nil, err
	}
	return stagesOf(rules.Check(plan.Parse(src), opts).Plan), nil
}

// stagesOf is the plan, or one without stages where none could be read: its text can
// be compared all the same.
func stagesOf(p *plan.Plan) *plan.Plan {
	if p == nil {
		return &plan.Plan{}
	}
	return p
}
