package lifecycle

import (
	"context"
	"strings"

	"git-okstra/gitops"
)

// planFile is the plan's name in the tree of its commit.
const planFile = "plan.md"

// PlanMeta is what the message of a plan's commit keeps beside the plan.
type PlanMeta struct {
	Task     string         // project:group:task in the original spelling
	Onto     gitops.RefName // the integration branch
	Ruleset  string         // the okstra release whose rules it was approved under
	Path     string         // where the plan was in the repository, "" outside of it
	Category string         // feature, bugfix, …; "" where the plan names none
}

// The trailers of a plan's commit.
const (
	trailerTask     = "Okstra-Task"
	trailerOnto     = "Okstra-Onto"
	trailerRuleset  = "Okstra-Ruleset"
	trailerPath     = "Okstra-Plan-Path"
	trailerCategory = "Okstra-Category"
)

func (m PlanMeta) trailers() []gitops.Trailer {
	out := []gitops.Trailer{{Key: trailerTask, Value: m.Task}, {Key: trailerOnto, Value: shortBranch(m.Onto)}}
	for _, t := range []gitops.Trailer{
		{Key: trailerRuleset, Value: m.Ruleset}, {Key: trailerPath, Value: m.Path}, {Key: trailerCategory, Value: m.Category},
	} {
		if t.Value != "" {
			out = append(out, t)
		}
	}
	return out
}

// ReadMeta reads what a plan's commit keeps; of another commit it is empty.
func ReadMeta(ctx context.Context, repo *gitops.Repo, commit gitops.Hash) (PlanMeta, error) {
	c, err := repo.ReadCommit(ctx, commit)
	if err != nil {
		return PlanMeta{}, err
	}
	return parseMeta(c.Message), nil
}

// parseMeta reads what the message of a plan's commit keeps. Values come back as
// trailers carry them: on one line, without space around them.
func parseMeta(message string) PlanMeta {
	var m PlanMeta
	for _, t := range gitops.Trailers(message) {
		switch t.Key {
		case trailerTask:
			m.Task = t.Value
		case trailerOnto:
			m.Onto = gitops.RefName("refs/heads/" + t.Value)
		case trailerRuleset:
			m.Ruleset = t.Value
		case trailerPath:
			m.Path = t.Value
		case trailerCategory:
			m.Category = t.Value
		}
	}
	return m
}

// shortBranch is a branch's name without refs/heads/.
func shortBranch(name gitops.RefName) string {
	return strings.TrimPrefix(string(name), "refs/heads/")
}
