package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// headRefs are the branch tips that a start looks at, read in one call.
type headRefs struct {
	values     map[gitops.RefName]gitops.Hash
	ontoName   gitops.RefName
	onto       gitops.Hash // the integration branch's tip, "" where it is gone
	anchor     gitops.Hash // the base ref, or what it becomes
	short      gitops.RefName
	long       gitops.RefName
	underShort bool // a branch lives below the short name, so it cannot be made
}

// heads reads the tips of the integration branch and of the names that the
// stage's branch may get.
func (e *Engine) heads(ctx context.Context, t *Task, st plan.Stage, req StartRequest) (headRefs, error) {
	h := headRefs{ontoName: t.Meta.Onto}
	if req.Onto != "" {
		h.ontoName = gitops.RefName("refs/heads/" + strings.TrimPrefix(req.Onto, "refs/heads/"))
	}
	h.short, h.long = branchNames(t, st.Number)
	for _, name := range []gitops.RefName{h.ontoName, h.short, h.long} {
		if !gitops.ValidRefName(name) {
			return h, refuse(Usage, "", "%q is no branch name", shortBranch(name))
		}
	}
	refs, err := e.Repo.Refs(ctx, string(h.ontoName), string(h.short), string(h.long))
	if err != nil {
		return h, err
	}
	h.values = map[gitops.RefName]gitops.Hash{}
	for _, ref := range refs {
		h.values[ref.Name] = ref.Hash
	}
	h.onto, h.anchor = h.values[h.ontoName], t.Base
	if h.anchor == "" {
		h.anchor = h.onto
	}
	for name := range h.values {
		h.underShort = h.underShort || strings.HasPrefix(string(name), string(h.short)+"/")
	}
	return h, nil
}

// branchNames are the stage's usual branch and the one for when another task
// holds that name.
func branchNames(t *Task, n plan.StageNumber) (short, long gitops.RefName) {
	parts := strings.Split(t.Key.Ref(), "/")
	prefix := plan.BranchPrefix(t.Meta.Category)
	short = gitops.RefName(fmt.Sprintf("refs/heads/%s-%s-s%d", prefix, parts[2], n))
	long = gitops.RefName(fmt.Sprintf("refs/heads/%s-%s-%s-s%d", prefix, parts[1], parts[2], n))
	return short, long
}

// couldBeNamed reports whether a branch has a name that the stage's can have, under this or
// another revision of the plan: its category may have been another one.
func couldBeNamed(t *Task, n plan.StageNumber, branch gitops.RefName) bool {
	parts := strings.Split(t.Key.Ref(), "/")
	prefix, rest, _ := strings.Cut(shortBranch(branch), "-")
	short := fmt.Sprintf("%s-s%d", parts[2], n)
	return plan.IsBranchPrefix(prefix) && (rest == short || rest == parts[1]+"-"+short)
}

// base decides the commit that a stage branches from (lifecycle.md §2). It
// depends on the plan and the refs alone, never on the caller's folder.
func (e *Engine) base(ctx context.Context, t *Task, st plan.Stage, h headRefs, dryRun bool) (gitops.Hash, error) {
	if before := t.Reopened[st.Number]; before != "" { // the next round goes on from the last one
		return e.commitAt(ctx, t.reopenedRef(st.Number), before)
	}
	switch deps := unique(st.DependsOn); len(deps) {
	case 0:
		if h.anchor == "" {
			return "", noIntegration(h)
		}
		return e.commitAt(ctx, t.Ref("base"), h.anchor)
	case 1:
		return e.commitAt(ctx, t.doneRef(deps[0]), t.Done[deps[0]])
	default:
		return e.candidate(ctx, t, st, deps, h, dryRun)
	}
}

// commitAt refuses a base that is no commit of this repository, and names the ref
// that said so.
func (e *Engine) commitAt(ctx context.Context, ref gitops.RefName, h gitops.Hash) (gitops.Hash, error) {
	if _, err := e.Repo.ReadCommit(ctx, h); err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	return h, nil
}

func noIntegration(h headRefs) *Refusal {
	return refuse(Environment, "name another with --onto BRANCH", "the integration branch %q has no commit here", plan.Printable(shortBranch(h.ontoName)))
}

// candidate is the integration branch's tip, if every predecessor is merged
// there. All of them are checked before anything is said.
func (e *Engine) candidate(ctx context.Context, t *Task, st plan.Stage, deps []plan.StageNumber, h headRefs, dryRun bool) (gitops.Hash, error) {
	if h.onto == "" {
		return "", noIntegration(h)
	}
	var lacking []plan.StageNumber
	for _, d := range deps {
		merged, err := e.Repo.IsAncestor(ctx, t.Done[d], h.onto)
		if err != nil {
			return "", err
		}
		if !merged {
			lacking = append(lacking, d)
		}
	}
	if len(lacking) == 0 {
		return h.onto, nil
	}
	unsure, err := e.mergedByContent(ctx, t, lacking, h.onto, dryRun)
	if err != nil {
		return "", err
	}
	if len(unsure) == 0 {
		return h.onto, nil
	}
	return "", e.notMerged(t, st, unsure, h)
}

// notMerged is the gate: it names every predecessor that is not in the candidate.
func (e *Engine) notMerged(t *Task, st plan.Stage, lacking []Sought, h headRefs) *Refusal {
	var missing []string
	onto := plan.Printable(shortBranch(h.ontoName))
	var stages []plan.StageNumber
	for _, s := range lacking {
		stages = append(stages, s.Stage)
		short, _ := branchNames(t, s.Stage)
		text := fmt.Sprintf("stage %d (%s, branch %s)", s.Stage, t.Done[s.Stage].Short(), plan.Printable(shortBranch(short)))
		if s.Unsure != "" && !e.Repo.Shallow() { // of cut-off history it says no more than that
			text += ": cannot tell: " + plan.Printable(s.Unsure)
		}
		missing = append(missing, text)
	}
	if e.Repo.Shallow() {
		return refuse(Gate, fetchRest,
			"cannot tell in a shallow clone whether %s holds %s", onto, strings.Join(missing, ", "))
	}
	r := refuse(Gate, "", "stage %d needs its predecessors in %s (%s), and it lacks %s",
		st.Number, onto, h.onto.Short(), strings.Join(missing, ", "))
	r.Hints = []string{
		fmt.Sprintf("bring them there with: git okstra stage land %s", words(stages)),
		fmt.Sprintf("or merge each branch into %s yourself; then run the same command again", onto),
		"where a stage's work is there in another form, say so: git okstra reconcile --stage N --to COMMIT",
	}
	return r
}

func unique(list []plan.StageNumber) []plan.StageNumber {
	seen := map[plan.StageNumber]bool{}
	var out []plan.StageNumber
	for _, n := range list {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
