package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// scale times the log at two sizes: 100 rows, and 100,000 on 20,000 commits.
func (b *bench) scale() error {
	const commits, rows = 20_000, 100_000
	small, err := b.ledger("small", 20, 100)
	if err != nil {
		return err
	}
	large, err := b.ledger("large", commits, rows)
	if err != nil {
		return err
	}
	fmt.Printf("| what | git-okstra | peer | ratio |\n|---|---|---|---|\n")
	note := func(repo string) side {
		return side{words: []string{"git", "-C", repo, "notes", "--ref=peer", "append", "-m", strings.Repeat("x", 300), "HEAD"}}
	}
	if err := b.compareAppend(large, note(large)); err != nil {
		return err
	}
	for _, c := range []struct {
		what       string
		ours, peer side
	}{
		{"the same, whole process (`bench append`)", side{words: []string{b.self, "append", large}}, note(large)},
		{
			"the same as a whole transition (`stage release`)",
			side{words: []string{b.okst, "stage", "release", "1", "-q"}, after: []string{b.okst + " stage start 1 -q --resume || " + b.okst + " stage start 1 -q"}},
			note(large),
		},
		{"`stage list` with 100,000 rows, beside itself with 100", side{words: []string{b.okst, "stage", "list"}}, side{words: []string{"sh", "-c", "cd " + small + " && " + b.okst + " stage list"}}},
		{"`log --stage 2` of 100,000 rows, beside `git log --notes` of all", side{words: []string{b.okst, "log", "--stage", "2"}}, side{words: []string{"git", "log", "--notes=okstra/demo/greeter/HELLO-1", "--format=%N"}}},
	} {
		b.repo = large
		if err := b.compare(c.what, c.ours, c.peer); err != nil {
			return err
		}
	}
	return os.RemoveAll(b.root)
}

// appendOne is the whole process that adds one row to the log, to be timed beside
// `git notes append`.
func appendOne(ctx context.Context, dir string) error {
	repo, err := gitops.Open(ctx, gitops.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer repo.Close()
	return addRow(ctx, repo)
}

// addRow appends a row about HEAD and moves the ref.
func addRow(ctx context.Context, repo *gitops.Repo) error {
	ref := notes.Ref(benchKey)
	values, err := repo.RefValues(ctx, ref, "refs/heads/main")
	if err != nil {
		return err
	}
	sig, err := repo.Committer(ctx, time.Now())
	if err != nil {
		return err
	}
	w := repo.NewObjects()
	row := notes.Row{ID: fmt.Sprint("one-", time.Now().UnixNano()), Task: benchKey.String(), Stage: 2, Status: notes.Revised, At: notes.Time(time.Now()), By: "B <b@x>"}
	out, err := notes.Append(ctx, repo, w, values[ref], sig, notes.Entry{Target: values["refs/heads/main"], Row: row})
	if err != nil {
		return err
	}
	var tx gitops.Transaction
	tx.Update(ref, values[ref], out.Tip)
	return repo.ApplyObjects(ctx, w, tx)
}

// compareAppend times the append itself, in a repository that is open, in turn with
// git's whole process, which has nothing else to do.
func (b *bench) compareAppend(dir string, peer side) error {
	repo, err := gitops.Open(b.ctx, gitops.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer repo.Close()
	var ours, theirs []time.Duration
	for range b.runs + 1 {
		began := time.Now()
		if err := addRow(b.ctx, repo); err != nil {
			return err
		}
		ours = append(ours, time.Since(began))
		began = time.Now()
		if err := b.exec(dir, peer.words...); err != nil {
			return err
		}
		theirs = append(theirs, time.Since(began))
	}
	x, y := median(ours[1:]), median(theirs[1:])
	fmt.Printf("| append one row among 100,000, repository open, beside `git notes append` | %s | %s | %.2f |\n", x, y, float64(x)/float64(y))
	return nil
}

var benchKey = plan.TaskKey{Project: "demo", Group: "greeter", Task: "HELLO-1"}

// ledger makes a repository with that many commits, the demo's plan approved and its
// first stage taken, and a log of that many rows spread over commits and stages; the
// same rows, as plain notes, stand under refs/notes/peer.
func (b *bench) ledger(name string, commits, rows int) (string, error) {
	dir := filepath.Join(b.root, name)
	if err := b.exec("", "git", "init", "-q", "-b", "main", dir); err != nil {
		return "", err
	}
	var in bytes.Buffer
	for i := range commits {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter B <b@x> %d +0000\ndata 2\nc\n", 1_700_000_000+i)
	}
	cmd := exec.CommandContext(b.ctx, "git", "-C", dir, "fast-import", "--quiet")
	cmd.Stdin = &in
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fast-import: %w: %s", err, out)
	}
	for _, words := range [][]string{
		{"git", "reset", "-q", "--hard"},
		{"git", "config", "user.name", "B"},
		{"git", "config", "user.email", "b@x"},
		{"git", "config", "okstra.worktreeRoot", dir + "-worktrees"},
		{b.okst, "plan", "approve", "-q", filepath.Join(b.root, "plan.md"), "--onto", "main"},
		{b.okst, "stage", "start", "-q", "1"},
	} {
		if err := b.exec(dir, words...); err != nil {
			return "", err
		}
	}
	return dir, fill(b.ctx, dir, rows)
}

// fill writes the rows, in one commit of each notes ref.
func fill(ctx context.Context, dir string, rows int) error {
	repo, err := gitops.Open(ctx, gitops.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer repo.Close()
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-list", "main").Output()
	if err != nil {
		return err
	}
	commits := strings.Fields(string(out))
	var entries []notes.Entry
	for i := range rows {
		c := gitops.Hash(commits[i%len(commits)])
		entries = append(entries, notes.Entry{Target: c, Row: notes.Row{
			ID: fmt.Sprintf("bench-%08d", i), Task: benchKey.String(), Stage: plan.StageNumber(3 + i%200), Status: notes.Revised,
			At: notes.Time(time.Unix(1_700_000_000, 0)), By: "B <b@x>", Host: "h", Reason: "a row among many", Head: c,
		}})
	}
	for i := range slices.Chunk(entries[:min(20, len(entries))], 1) {
		i[0].Row.Stage = 2 // what log --stage shows
	}
	sig, err := repo.Committer(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, ref := range []gitops.RefName{notes.Ref(benchKey), "refs/notes/peer"} {
		w := repo.NewObjects()
		values, err := repo.RefValues(ctx, ref)
		if err != nil {
			return err
		}
		tip, err := notes.AppendAll(ctx, repo, w, values[ref], sig, entries)
		if err != nil {
			return err
		}
		var tx gitops.Transaction
		tx.Update(ref, values[ref], tip)
		if err := repo.ApplyObjects(ctx, w, tx); err != nil {
			return err
		}
	}
	return nil
}
