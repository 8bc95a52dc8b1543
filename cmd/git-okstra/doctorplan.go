package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"git-okstra/gitops"
	"git-okstra/internal/conform"
	"git-okstra/internal/doctor"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/prove"
	"git-okstra/plan"
)

// Plan reads an approved plan's commit.
func (p patient) Plan(ctx context.Context, key string, commit gitops.Hash) (doctor.Plan, error) {
	meta, err := lifecycle.ReadMeta(ctx, p.a.repo, commit)
	if err != nil {
		return doctor.Plan{}, err
	}
	about := doctor.Plan{Task: meta.Task, Onto: meta.Onto}
	task, err := plan.ParseTaskKey(meta.Task)
	if err != nil || task.Ref() != key {
		return doctor.Plan{Onto: meta.Onto}, fmt.Errorf("its commit is no plan of this task approved by git okstra")
	}
	src, err := p.a.repo.FileAt(ctx, commit, "plan.md")
	if err != nil {
		return about, err
	}
	approved, err := parseApproved(src, meta.Ruleset)
	if err != nil {
		return about, err
	}
	about.Free = map[plan.StageNumber]bool{}
	for _, st := range approved.Stages {
		about.Free[st.Number] = len(st.DependsOn) == 0
	}
	about.Manifest = p.manifest(ctx, task, commit, approved)
	return about, nil
}

// manifest says what is wrong with the manifest beside a plan, also why it cannot be read.
func (p patient) manifest(ctx context.Context, task plan.TaskKey, commit gitops.Hash, approved *plan.Plan) []string {
	pinned, err := prove.Pinned(ctx, p.a.repo, commit)
	if err != nil {
		return []string{err.Error()}
	}
	_, problems, err := pinnedManifest(ctx, p.a.repo, pinned, task, approved)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, problem := range problems {
		out = append(out, problem.Error())
	}
	return out
}

// Surfaces reads the repository's own rules at a commit.
func (p patient) Surfaces(ctx context.Context, commit gitops.Hash) error {
	src, err := p.a.repo.FileAt(ctx, commit, surfacesFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, gitops.ErrMissing) {
		return nil
	}
	if err == nil {
		_, err = conform.Builtin().With(surfacesFile, src)
	}
	return err
}
