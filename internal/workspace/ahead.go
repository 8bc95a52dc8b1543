package workspace

import (
	"context"

	"git-okstra/gitops"
)

// Ahead is the search for what a new worktree can be copied from, under way. It needs
// nothing of the worktree, and git's calls that reserve a stage and register its worktree
// leave a processor free for it. The zero value is no search.
type Ahead struct {
	head   gitops.Hash
	path   string
	cancel context.CancelFunc
	ready  chan struct{}
	from   source
	err    error
}

// Begin begins the search, in place of one begun before. What it finds is a hint: each
// copy is proved by its own content, however old the hint is. Who begins it ends it (Stop).
func (a *Ahead) Begin(ctx context.Context, repo *gitops.Repo, t Target) {
	a.Stop()
	ctx, cancel := context.WithCancel(ctx)
	ready := make(chan struct{})
	*a = Ahead{head: t.Head, path: t.Path, cancel: cancel, ready: ready}
	go func() {
		defer close(ready)
		a.from, a.err = prepare(ctx, repo, t)
	}()
}

// fits reports whether it was begun for this target.
func (a *Ahead) fits(t Target) bool {
	return a != nil && a.cancel != nil && a.head == t.Head && a.path == t.Path
}

// found waits for the end of the search.
func (a *Ahead) found() (source, error) {
	<-a.ready
	return a.from, a.err
}

// Stop ends the search, and waits until it is through with the repository. What it found
// is gone then.
func (a *Ahead) Stop() {
	if a.cancel != nil {
		a.cancel()
		<-a.ready
		*a = Ahead{}
	}
}
