package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"git-okstra/gitops"
)

func TestProvisionTwiceConfirms(t *testing.T) {
	t.Parallel()
	w := small(t)
	target, res := w.mustProvision("main")
	if res.Existed {
		t.Errorf("result %+v", res)
	}
	if got := w.Git("-C", target.Path, "rev-parse", string(target.Bind)); got != string(target.Base) {
		t.Errorf("mark %s, want %s", got, target.Base)
	}
	w.must(os.WriteFile(filepath.Join(target.Path, "mine"), []byte("x"), 0o666))
	w.Git("-C", target.Path, "branch", "-m", "renamed") // the mark counts, not the branch's name
	again, err := Provision(t.Context(), w.open(), target)
	if err != nil || !again.Existed || !exists(filepath.Join(target.Path, "mine")) {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// TestForeignPaths holds that Preflight and Provision both refuse what is not ours and
// leave it as it was.
func TestForeignPaths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put  func(*world, Target)
		what string
	}{
		"file":           {func(w *world, t Target) { w.put(t.Path, "x") }, "not a folder"},
		"full folder":    {func(w *world, t Target) { w.put(t.Path+"/x", "x") }, "not empty"},
		"dangling link":  {func(w *world, t Target) { w.link(t.Path, "nowhere") }, "leads nowhere"},
		"other branch":   {func(w *world, t Target) { w.Git("worktree", "add", "-q", "-b", "other", t.Path) }, "another branch"},
		"own repository": {func(w *world, t Target) { w.Git("init", "-q", t.Path) }, "not empty"},
	} {
		w := small(t)
		target := w.target("main")
		c.put(w, target)
		before := picture(t, filepath.Dir(target.Path))
		repo := w.open()
		_, err := Provision(t.Context(), repo, target)
		for _, err := range []error{err, Preflight(t.Context(), repo, target)} {
			var foreign *ForeignPathError
			if !errors.As(err, &foreign) || foreign.Path != target.Path || !strings.Contains(err.Error(), c.what) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := picture(t, filepath.Dir(target.Path)); strings.Join(got, "\n") != strings.Join(before, "\n") {
			t.Errorf("%s: changed to %q", name, got)
		}
	}
}

// put writes a file anywhere.
func (w *world) put(path, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o777))
	w.must(os.WriteFile(path, []byte(text), 0o666))
}

func (w *world) link(path, to string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o777))
	w.must(os.Symlink(to, path))
}

func TestPreflightOfWhatIsFree(t *testing.T) {
	t.Parallel()
	w := small(t)
	target := w.target("main")
	for _, step := range []func(){
		func() {},
		func() { w.must(os.MkdirAll(target.Path, 0o777)) },
		func() { w.Git("worktree", "add", "-q", target.Path, "stage-1") },
	} {
		step()
		if err := Preflight(t.Context(), w.open(), target); err != nil {
			t.Error(err)
		}
	}
}

// TestGitsRefusalsLeaveNothing are failures at each step of making the worktree.
func TestGitsRefusalsLeaveNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put  func(*world, *Target)
		says string
	}{
		"branch checked out": {func(w *world, _ *Target) { w.Git("checkout", "-q", "stage-1") }, "'stage-1' is already "}, // since 2.43: used by worktree
		"no branch":          {func(_ *world, t *Target) { t.Branch = "refs/heads/none" }, "invalid reference"},
		"no commit":          {func(_ *world, t *Target) { t.Head = gitops.Hash(strings.Repeat("1", 40)) }, "missing"},
		"bad mark":           {func(_ *world, t *Target) { t.Bind = "refs/worktree/a b" }, "bad ref"},
		"required filter":    {func(w *world, t *Target) { w.failingFilter(t) }, "external filter 'false' failed"},
		"mark of no object":  {func(_ *world, t *Target) { t.Base = gitops.Hash(strings.Repeat("2", 40)) }, "bind worktree"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := small(t)
			target := w.target("main")
			c.put(w, &target)
			_, err := Provision(t.Context(), w.open(), target)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			w.nothingLeft(target)
		})
	}
}

// failingFilter makes a commit of which git can write some files only.
func (w *world) failingFilter(t *Target) {
	w.Git("config", "filter.no.clean", "cat")
	w.Git("config", "filter.no.smudge", "false")
	w.Git("config", "filter.no.required", "true")
	w.Write(".gitattributes", "b.txt filter=no\n")
	w.Commit("filter")
	w.settle()
	w.Git("branch", "-f", "stage-1", "main")
	t.Head = gitops.Hash(w.Git("rev-parse", "main"))
}

// TestConcurrentProvision lets many make the same worktree from every state that it
// can be in. One makes it, all succeed, and nobody ever removes another's.
func TestConcurrentProvision(t *testing.T) {
	t.Parallel()
	w := small(t)
	target := w.target("main")
	for _, state := range []struct {
		name string
		make func()
	}{
		{"nothing there", func() {}},
		{"folder gone", func() { w.must(os.RemoveAll(target.Path)) }},
		{"half-made", func() { w.Git("-C", target.Path, "update-ref", "-d", string(target.Bind)) }},
		{"folder empty", func() { w.must(os.RemoveAll(target.Path)); w.must(os.Mkdir(target.Path, 0o777)) }},
	} {
		state.make()
		if made := w.race(target); made != 1 {
			t.Errorf("%s: made %d times", state.name, made)
		}
		if got := w.Git("-C", target.Path, "status", "--porcelain"); got != "" {
			t.Errorf("%s: status %q", state.name, got)
		}
		if n := strings.Count(w.Git("worktree", "list"), "\n"); n != 1 {
			t.Errorf("%s: %d worktrees beside the main one", state.name, n)
		}
	}
}

// race provisions from eight goroutines at once and counts those that made it.
func (w *world) race(target Target) int {
	w.t.Helper()
	const contenders = 8
	start := make(chan struct{})
	results, errs := make([]Result, contenders), make([]error, contenders)
	var wg sync.WaitGroup
	for i := range contenders {
		repo := w.open()
		wg.Go(func() {
			<-start
			results[i], errs[i] = Provision(w.t.Context(), repo, target)
		})
	}
	close(start)
	wg.Wait()
	w.must(errors.Join(errs...))
	made := 0
	for _, r := range results {
		if !r.Existed {
			made++
		}
	}
	return made
}

// TestCancelledLeavesNothing cancels before, while waiting for another, and in the
// middle of writing files.
func TestCancelledLeavesNothing(t *testing.T) {
	t.Parallel()
	w := small(t)
	target := w.target("main")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Provision(ctx, w.open(), target); !errors.Is(err, context.Canceled) {
		t.Errorf("before: %v", err)
	}
	w.nothingLeft(target)

	w.must(os.MkdirAll(target.Path, 0o777))
	unlock, err := lockDir(t.Context(), target.Path)
	w.must(err)
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Provision(ctx, w.open(), target); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting: %v", err)
	}
	unlock()

	w.Git("config", "filter.slow.smudge", fmt.Sprintf("touch '%s'; sleep 60", filepath.Join(w.root, "started")))
	w.Write(".git/info/attributes", "b.txt filter=slow\n")
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for !exists(filepath.Join(w.root, "started")) && t.Context().Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	if _, err := Provision(ctx, w.open(), target); !errors.Is(err, context.Canceled) {
		t.Errorf("in the middle: %v", err)
	}
	w.nothingLeft(target)
}

// TestHookFailureIsNoFailure holds that the worktree is good all the same.
func TestHookFailureIsNoFailure(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.Write(".git/hooks/post-checkout", "#!/bin/sh\ntest \"$(git status --porcelain)\" = '' && echo saw all files >seen\nexit 7\n")
	w.must(os.Chmod(w.path(".git/hooks/post-checkout"), 0o755))
	target, res := w.mustProvision("main")
	if res.HookErr == nil || !strings.Contains(res.HookErr.Error(), "exit status 7") || !exists(target.Path+"/seen") {
		t.Errorf("hook: %v, ran on all files: %v", res.HookErr, exists(target.Path+"/seen"))
	}
}

// TestPreflightBesideAnother holds that a worktree which another process is adding at
// this moment is not taken for something foreign.
func TestPreflightBesideAnother(t *testing.T) {
	t.Parallel()
	w := small(t)
	for range 10 {
		target := w.target("main")
		made := make(chan error, 1)
		go func() {
			_, err := Provision(t.Context(), w.open(), target)
			made <- err
		}()
		for working := true; working; {
			if err := Preflight(t.Context(), w.open(), target); err != nil {
				t.Error(err)
			}
			select {
			case err := <-made:
				w.must(err)
				working = false
			default:
			}
		}
	}
}
