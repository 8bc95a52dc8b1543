package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/conform"
	"git-okstra/internal/conform/manifest"
	"git-okstra/internal/conform/proof"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/prove"
	"git-okstra/internal/report"
	"git-okstra/notes"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

// conformance is what the verdicts on a task's stages rest on, beside their changes.
type conformance struct {
	a        *app
	e        *lifecycle.Engine
	t        *lifecycle.Task
	pinned   prove.Files
	manifest *manifest.Manifest // nil where none is pinned, or it cannot be read
	problems []manifest.Problem
	results  []proof.Result
	waived   map[plan.StageNumber][]notes.Row
	mode     verdict.Mode
	line     func(line []byte, stderr bool) // where a command's output goes
}

// conformance reads manifest, results and waivers of a task.
func (a *app) conformance(ctx context.Context, e *lifecycle.Engine, t *lifecycle.Task) (*conformance, error) {
	c := &conformance{a: a, e: e, t: t, line: a.stream}
	var err error
	if c.mode, err = verdict.ParseMode(a.repo.Config().Get("okstra.outOfPlan")); err != nil {
		return nil, &commandError{code: exitUsage, message: err.Error()}
	}
	if c.pinned, err = prove.Pinned(ctx, a.repo, t.PlanCommit); err != nil {
		return nil, err
	}
	if err := c.readManifest(ctx); err != nil {
		return nil, err
	}
	lines, err := notes.Read(ctx, a.repo, t.QATip)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", notes.QARef(t.Key), err)
	}
	for _, l := range lines {
		r, ok := proof.Decode(l.Raw)
		if other, err := plan.ParseTaskKey(r.Task); ok && err == nil && other.Ref() == t.Key.Ref() {
			c.results = append(c.results, r)
		}
	}
	c.waived, err = e.Waivers(ctx, t)
	return c, err
}

// manifestFacts are what a manifest is held against.
func manifestFacts(key plan.TaskKey, p *plan.Plan, regular map[string]bool) manifest.Facts {
	facts := manifest.Facts{Tasks: []string{key.Task}, Regular: regular}
	if mapped, err := plan.MapSegment(key.Task); err == nil {
		facts.Tasks = append(facts.Tasks, mapped)
	}
	for _, st := range p.Stages {
		facts.Stages = append(facts.Stages, manifest.Planned{Number: st.Number, Declared: verdict.DeclarationOf(st)})
	}
	return facts
}

// warnManifest tells who approves a plan what is wrong with the manifest beside it. The
// stages can be planned and begun all the same; they cannot be done.
func (a *app) warnManifest(req lifecycle.ApproveRequest) {
	regular, src := map[string]bool{}, []byte(nil)
	for _, f := range req.QA {
		regular[f.Path] = true
		if f.Path == manifest.Path {
			src = f.Content
		}
	}
	var m *manifest.Manifest
	var problems []manifest.Problem
	if regular[manifest.Path] {
		m, problems = manifest.Parse(src)
	}
	if len(problems) == 0 {
		problems = manifest.Check(m, manifestFacts(req.Key, req.Plan, regular))
	}
	for _, p := range problems {
		a.say("warning: %s", p.Error())
	}
}

// readManifest reads the pinned manifest, and holds it against the plan.
func (c *conformance) readManifest(ctx context.Context) error {
	var err error
	c.manifest, c.problems, err = pinnedManifest(ctx, c.a.repo, c.pinned, c.t.Key, c.t.Plan)
	return err
}

// pinnedManifest reads the manifest among the files that are pinned with a plan, nil where
// there is none that can be read, and says what is wrong with it.
func pinnedManifest(ctx context.Context, repo *gitops.Repo, pinned prove.Files, key plan.TaskKey, p *plan.Plan) (*manifest.Manifest, []manifest.Problem, error) {
	facts := manifestFacts(key, p, pinned.Regular())
	var m *manifest.Manifest
	if e, ok := pinned[manifest.Path]; ok {
		if !facts.Regular[e.Name] {
			return nil, []manifest.Problem{{Line: 1, Column: 1, Message: "it is no regular file"}}, nil
		}
		_, src, err := repo.ReadObject(ctx, e.Hash)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", manifest.Path, err)
		}
		var problems []manifest.Problem
		if m, problems = manifest.Parse(src); m == nil {
			return nil, problems, nil
		}
	}
	return m, manifest.Check(m, facts), nil
}

// waivers are those of a stage, from rows and manifest, expired ones among them.
func (c *conformance) waivers(n plan.StageNumber) []verdict.Waiver {
	var out []verdict.Waiver
	for _, r := range c.waived[n] {
		out = append(out, verdict.Waiver{Surface: conform.Surface(r.Surface), Why: r.Reason, By: r.By, At: r.At, Until: r.Until, From: verdict.FromRow})
	}
	if c.manifest != nil {
		if e, ok := c.manifest.Entry(n); ok {
			out = append(out, e.Waivers...)
		}
	}
	return out
}

// proofOf says what was proved of a stage for a tree. The result is the one that counts,
// or the last of another, nil for none.
func (c *conformance) proofOf(n plan.StageNumber, tree gitops.Hash) (verdict.Proof, *proof.Result) {
	if c.manifest == nil {
		why := "no " + manifest.Path + " is pinned with the plan"
		if len(c.problems) > 0 && c.pinned[manifest.Path].Name != "" {
			why = c.problems[0].Error()
		}
		return verdict.Proof{State: verdict.NoProof, Why: why}, nil
	}
	e, ok := c.manifest.Entry(n)
	if !ok {
		return verdict.Proof{State: verdict.NoProof, Why: "the manifest has no entry for it"}, nil
	}
	script := c.pinned[e.Script]
	if script.Mode != gitops.ModeFile && script.Mode != gitops.ModeExec {
		return verdict.Proof{State: verdict.NoProof, Why: "the script " + plan.Quote(e.Script) + " is not pinned with the plan as a regular file"}, nil
	}
	return proof.Counts(c.results, proof.Wanted{
		Stage: n, Tree: string(tree), Script: string(script.Hash), Command: e.RunCommand, Requirements: e.RequirementIDs,
	})
}

// judged is a stage's verdict and what it rests on.
type judged struct {
	stage    plan.StageNumber
	base     gitops.Hash
	tip      gitops.Hash // "" where what is staged was judged
	moment   verdict.Moment
	declared verdict.Declaration
	verdict  verdict.Verdict
	found    conform.Findings
	proof    verdict.Proof
	result   *proof.Result
}

// judge judges a stage's change from base to tip, or to what is staged where tip is "".
func (c *conformance) judge(ctx context.Context, n plan.StageNumber, base, tip gitops.Hash, m verdict.Moment) (judged, error) {
	st, _ := c.t.Plan.Stage(n)
	j := judged{stage: n, base: base, tip: tip, moment: m, declared: verdict.DeclarationOf(st)}
	found, paths, err := c.a.touchesOf(gitops.DiffSides{From: base, To: tip, Staged: tip == ""})
	if err != nil {
		return j, conformError(err)
	}
	j.found = found
	tree, end := gitops.Hash(""), tip
	if tip == "" {
		end, err = c.a.repo.Head(ctx)
	} else {
		var commit gitops.Commit
		commit, err = c.a.repo.ReadCommit(ctx, tip)
		tree = commit.Tree
	}
	if err != nil {
		return j, err
	}
	trailers, err := c.trailers(ctx, base, end)
	if err != nil {
		return j, err
	}
	j.proof, j.result = c.proofOf(n, tree)
	j.verdict = verdict.Judge(verdict.Case{
		Stage: n, Declared: j.declared, Touches: found.Touches, Proof: j.proof, Waivers: c.waivers(n), Now: c.e.Now(), Moment: m,
		Unplanned: verdict.Outside(paths, rules.NamedFiles(st), trailers), OutOfPlan: c.mode,
	})
	return j, nil
}

// mostCommitsRead bounds of how many commits of a change the trailers are read.
const mostCommitsRead = 10_000

// trailers are the values of Out-of-plan in the commits of a change, oldest first.
func (c *conformance) trailers(ctx context.Context, base, tip gitops.Hash) ([]string, error) {
	var hidden []gitops.Hash
	if base != "" {
		hidden = append(hidden, base)
	}
	if tip == "" {
		return nil, nil
	}
	list, _, err := c.a.repo.Commits(ctx, []gitops.Hash{tip}, hidden, mostCommitsRead)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, node := range slices.Backward(list) {
		commit, err := c.a.repo.ReadCommit(ctx, node.Hash)
		if err != nil {
			return nil, err
		}
		for _, t := range gitops.Trailers(commit.Message) {
			if strings.EqualFold(t.Key, verdict.Trailer) {
				out = append(out, t.Value)
			}
		}
	}
	return out, nil
}

// errNoRange is a stage of which there is nothing to judge, in words.
type errNoRange struct{ why string }

func (e *errNoRange) Error() string { return e.why }

// rangeOf finds what a stage's change lies between: its base, and where it is done, or
// where its branch stands. Errors: *errNoRange, with the base where that is known.
func (c *conformance) rangeOf(ctx context.Context, n plan.StageNumber) (base, tip gitops.Hash, err error) {
	rows, err := notes.ReadStages(ctx, c.a.repo, c.t.NotesTip, []plan.StageNumber{n})
	if err != nil {
		return "", "", err
	}
	rows = slices.DeleteFunc(rows, func(l notes.Line) bool { return ofAnother(c.t.Key, l.Row) })
	branch := ""
	if wt, bound, err := c.e.WorktreeOf(ctx, c.t, n); err != nil {
		return "", "", err
	} else if bound {
		branch = shortName(wt.Branch)
	} else if r, held, err := c.e.Reservation(ctx, c.t, n); err != nil {
		return "", "", err
	} else if held {
		branch = r.Branch
	}
	ends, err := c.e.Ends(ctx, c.t, n, rows, branch)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && ends.Missing:
		return "", "", &errNoRange{fmt.Sprintf("the commits of stage %d are not in this clone", n)}
	case err != nil:
		return "", "", err
	case ends.Base == "" && c.t.Done[n] != "" && c.t.Base != "": // its row says nothing of it
		return c.sinceAnchor(ctx, n, ends.Tip)
	case ends.Base == "" || ends.Tip == "" || ends.Base == ends.Tip && c.t.Done[n] == "":
		return ends.Base, "", &errNoRange{fmt.Sprintf("stage %d has no commits yet", n)}
	}
	return ends.Base, ends.Tip, nil
}

// sinceAnchor is the range of a done stage whose row does not say what it stands on.
func (c *conformance) sinceAnchor(ctx context.Context, n plan.StageNumber, tip gitops.Hash) (gitops.Hash, gitops.Hash, error) {
	unknown := &errNoRange{fmt.Sprintf("what stage %d stands on is not known here", n)}
	for _, h := range []gitops.Hash{c.t.Base, tip} {
		switch _, err := c.a.repo.ReadCommit(ctx, h); {
		case errors.Is(err, gitops.ErrMissing):
			return "", "", unknown
		case err != nil:
			return "", "", err
		}
	}
	base, err := c.a.repo.MergeBase(ctx, c.t.Base, tip)
	if err == nil && base == "" {
		return "", "", unknown
	}
	return base, tip, err
}

// prLines tell a reviewer what was proved of a done stage, and what is waived.
func (c *conformance) prLines(n plan.StageNumber) ([]string, error) {
	var out []string
	st, _ := c.t.Plan.Stage(n)
	if head := c.t.Done[n]; head != "" && verdict.DeclarationOf(st).Kind == verdict.Tests {
		commit, err := c.a.repo.ReadCommit(c.a.ctx, head)
		switch {
		case errors.Is(err, gitops.ErrMissing):
		case err != nil:
			return nil, err
		default:
			p, r := c.proofOf(n, commit.Tree)
			out = append(out, "result: "+report.NewResult(p, r).Words())
		}
	}
	for _, w := range c.waivers(n) {
		if w.Live(c.e.Now()) {
			out = append(out, "waived: "+w.String())
		}
	}
	return out, nil
}
