package workspace

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"git-okstra/gitops"
)

// source is what a new worktree can be copied from.
type source struct {
	entries []gitops.TreeEntry // of the wanted commit
	attributes
	siblings []*sibling        // none: git has to write all of it
	unread   []gitops.Worktree // others, for what these turn out not to have
}

// next is the next sibling to copy from; nil where there is none.
func (s *source) next(repo *gitops.Repo) *sibling {
	for len(s.siblings) == 0 {
		if len(s.unread) == 0 {
			return nil
		}
		if more := readSibling(repo, s.unread[0]); more != nil {
			s.siblings = append(s.siblings, more)
		}
		s.unread = s.unread[1:]
	}
	first := s.siblings[0]
	s.siblings = s.siblings[1:]
	return first
}

// prepare looks for what can be copied. It needs nothing of the new worktree, and runs
// while git registers that.
func prepare(ctx context.Context, repo *gitops.Repo, t Target) (source, error) {
	if mayFetch(repo.Config()) { // git fetches all that is missing at once, we one object after the other
		return source{}, nil
	}
	if !plainConfig(repo.Config()) || repo.Env("GIT_INDEX_VERSION") != "" || repo.MayReplace() || attributeFilesOutside(repo, repo.Config()) {
		return source{}, nil
	}
	ranked, err := rank(ctx, repo, t)
	if err != nil || len(ranked) == 0 {
		return source{}, err
	}
	first := make(chan *sibling, 1)
	go func() { first <- readSibling(repo, ranked[0]) }()
	entries, err := repo.FlattenTree(ctx, t.Head)
	ahead := <-first
	if err != nil {
		return source{}, err
	}
	if !plainPaths(entries) {
		return source{}, nil
	}
	out := source{entries: entries}
	if out.attributes, err = readAttributes(ctx, repo, entries); err != nil || out.any {
		return source{}, err
	}
	out.siblings, out.unread = siblings(ctx, repo, ranked, ahead, entries)
	return out, nil
}

// fill writes the files and the index of a new worktree. Files that clean siblings
// have already are copied, the rest is left to git; where copying could give other
// bytes than git would, git does all of it.
func fill(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, t Target, from source, res *Result) error {
	if len(from.siblings) > 0 {
		config, err := repo.ConfigAt(ctx, wt.Path)
		if err != nil {
			return err
		}
		if plainConfig(config) && !attributeFilesOutside(repo, config) {
			return fillAndRecord(ctx, repo, wt, t, from, config, res)
		}
	}
	err := fillByGit(ctx, repo, wt, t)
	if err != nil {
		return err
	}
	res.Written, err = repo.CountIndex(wt)
	return err
}

// fillAndRecord copies, and leaves in the worktree's log what git would have left there.
func fillAndRecord(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, t Target, from source, config gitops.Config, res *Result) error {
	but, filtered := from.under(config.FilterDrivers())
	if filtered { // a reset writes the rest, if there is one, and records itself
		err := fillFrom(ctx, repo, wt, from, but, t, res)
		switch {
		case err != nil:
			return err
		case res.Written > 0:
			return fillByGit(ctx, repo, wt, t)
		}
		return repo.RecordReset(ctx, wt, t.Head)
	}
	// Neither needs the other: together they take the time of the longer one.
	recorded := make(chan error, 1)
	go func() { recorded <- repo.RecordReset(ctx, wt, t.Head) }()
	err := fillFrom(ctx, repo, wt, from, but, t, res)
	if err == nil {
		err = repo.CheckoutIndex(ctx, wt.Path, res.rest)
	}
	return errors.Join(err, <-recorded)
}

// FilterError is git's failure to write files where filters are set up: one of them may be
// why.
type FilterError struct {
	Drivers []string // the filters' names, filter.<name> in the configuration
	Err     error
}

func (e *FilterError) Error() string { return e.Err.Error() }

// Unwrap gives git's error.
func (e *FilterError) Unwrap() error { return e.Err }

// fillByGit lets git write everything.
func fillByGit(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, t Target) error {
	config, err := repo.ConfigAt(ctx, wt.Path)
	if err != nil {
		return err
	}
	drivers := config.FilterDrivers()
	if t.NoSmudge && len(drivers) > 0 {
		return repo.ResetHardUnfiltered(ctx, wt, workers(repo), drivers)
	}
	err = repo.ResetHard(ctx, wt.Path, workers(repo))
	if err != nil && len(drivers) > 0 && ctx.Err() == nil {
		return &FilterError{Drivers: drivers, Err: err}
	}
	return err
}

// workers is the bound on parallel file writing: checkout.workers as git reads
// it (below 1: one for each processor), else one for each processor.
func workers(repo *gitops.Repo) int {
	n := 0
	if v := repo.Config().Get("checkout.workers"); v != "" {
		if _, err := fmt.Sscan(v, &n); err != nil {
			n = 0
		}
	}
	if n < 1 {
		n = runtime.NumCPU()
	}
	return n
}

// fillFrom copies what the siblings have, and writes the index once. The rest is to be
// written by git: also what attributes convert, whatever the siblings have.
func fillFrom(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, from source, but []converted, t Target, res *Result) error {
	index := make([]gitops.IndexEntry, len(from.entries))
	for i, e := range from.entries {
		index[i].TreeEntry = e
	}
	var tell func(int)
	if t.Tell != nil {
		tell = func(done int) { t.Tell(done, len(index)) }
	}
	rest := unknown(index)
	for range maxRead {
		s := from.next(repo)
		if s == nil || len(rest) == 0 {
			break
		}
		s.but, s.noCR = but, from.text
		if err := copyAll(ctx, s, wt.Path, index, workers(repo), tell); err != nil {
			return err
		}
		rest, tell = unknown(index), nil
	}
	res.Copied, res.Written, res.rest = len(index)-len(rest), len(rest), rest
	return repo.WriteIndex(wt, index)
}

// unknown lists the paths that were not copied.
func unknown(index []gitops.IndexEntry) []string {
	var rest []string
	for i := range index {
		if !index[i].Known {
			rest = append(rest, index[i].Name)
		}
	}
	return rest
}
