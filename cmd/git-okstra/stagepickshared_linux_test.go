package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPickAtTheRemote: what is picked is reserved at the remote; what another clone
// took there while the question stood is refused, and others do not wait for the answer.
func TestPickAtTheRemote(t *testing.T) {
	b := demoBench(t)
	hub, two := filepath.Join(t.TempDir(), "hub.git"), filepath.Join(t.TempDir(), "two")
	b.repo.Git("init", "-q", "--bare", "-b", "main", hub)
	b.repo.Git("remote", "add", "origin", hub)
	b.repo.Git("push", "-q", "origin", "main")
	b.repo.Git("config", "okstra.remote", "origin")
	b.repo.Git("clone", "-q", hub, two)
	b.repo.Git("-C", two, "config", "okstra.remote", "origin")
	b.repo.Git("-C", two, "config", "okstra.worktreeRoot", t.TempDir())
	b.must(b.repo.Dir, "stage", "start", "1")
	b.must(b.repo.Dir, "stage", "done", "1", "--allow-empty")

	term := b.atTerminal(b.repo.Dir, "stage", "pick")
	term.asks()
	b.must(two, "stage", "start", "2")
	term.types(" \r")
	term.awaits("stage 2 is taken by")
	if code := term.ends(); code != exitNothing {
		t.Errorf("exit code %d: %q", code, term.screen())
	}

	term = b.atTerminal(b.repo.Dir, "stage", "pick", "-q")
	term.asks()
	term.types(" \r")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d: %q", code, term.screen())
	}
	if refs := b.repo.Git("-C", hub, "for-each-ref", "refs/okstra"); !strings.Contains(refs, "reserved/3") {
		t.Errorf("the remote has\n%s", refs)
	}
}
