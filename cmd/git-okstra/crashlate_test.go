package main

import (
	"os"
	"path/filepath"
)

// lateTransitions are those of a stage that is done.
func lateTransitions(started map[string]string, with func(from map[string]string, name, value string) map[string]string) []transition {
	done := with(with(with(with(with(started, "branch", "new"), "reserved", "-"), "ports", "0"), "done", "good"), "log", "started,done")
	return []transition{
		{
			name: "verify", args: []string{"verify", "--stage", "1", "--record", "accepted"}, worktrees: 1,
			prepare: finishOne, from: done,
			steps: []step{{"log", "started,done,verified"}},
		},
		{
			name: "handoff", args: []string{"handoff", "--stages", "1"}, worktrees: 1,
			prepare: func(b *bench) {
				finishOne(b)
				b.must(b.repo.Dir, "verify", "--stage", "1", "--record", "accepted")
			},
			from:  with(done, "log", "started,done,verified"),
			steps: []step{{"collector", "new"}, {"log", "started,done,verified,handed-off"}},
		},
	}
}

// finishOne does stage 1 with one commit.
func finishOne(b *bench) {
	b.t.Helper()
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "r1")
	wt := b.stagePath(1)
	if err := os.WriteFile(filepath.Join(wt, "work"), []byte("work\n"), 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.repo.Git("-C", wt, "add", "work")
	b.repo.Git("-C", wt, "commit", "-q", "-m", "work")
	b.must(b.repo.Dir, "stage", "done", "1")
}
