package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// provingBench is a repository whose stage 1 declares tests for db and http, and is started
// with a commit that touches both; wt is its worktree.
func provingBench(t *testing.T) (b *bench, wt string) {
	t.Helper()
	b = newBench(t, 1)
	text := widePlan(1)
	exempt := text[strings.Index(text, "Conformance exemption:"):]
	exempt, _, _ = strings.Cut(exempt, "\n")
	b.repo.Write("plan.md", strings.Replace(text, exempt, "Conformance tests: stage-1 — qa/scripts/stage-1.sh (requires=[db,http])", 1))
	b.repo.Write("qa/conformance-manifest.json", provingManifest)
	b.repo.Write("qa/scripts/stage-1.sh", provingScript)
	b.repo.Env = append(b.repo.Env, "SAY=pass")
	b.must(b.repo.Dir, "plan", "approve", "plan.md")
	wt = strings.TrimSpace(b.must(b.repo.Dir, "stage", "start", "1", "--print-path").out)
	if err := os.WriteFile(filepath.Join(wt, "work.go"), []byte(provingWork), 0o666); err != nil {
		t.Fatal(err)
	}
	b.repo.Git("-C", wt, "add", "work.go")
	b.repo.Git("-C", wt, "commit", "-q", "-m", "work on the database")
	return b, wt
}

// noted counts the results in the notes, each id once.
func (b *bench) noted() int {
	b.t.Helper()
	list, _, code := b.repo.TryGit("notes", "--ref=okstra-qa/demo/greeter/HELLO-1", "list")
	if code != 0 || strings.TrimSpace(list) == "" {
		return 0
	}
	seen := map[string]bool{}
	for line := range strings.Lines(list) {
		note, _, _ := strings.Cut(line, " ")
		for row := range strings.Lines(b.repo.Git("cat-file", "blob", note)) {
			var r struct{ ID, Status string }
			if err := json.Unmarshal([]byte(row), &r); err != nil || r.Status != "conformance" || r.ID == "" || seen[r.ID] {
				b.t.Errorf("result %q: %v", row, err)
			}
			seen[r.ID] = true
		}
	}
	return len(seen)
}

// TestProvedAndWaivedAtOnce holds that of ten processes which run a stage's test and waive
// surfaces of it at the same time, none loses what another one wrote.
func TestProvedAndWaivedAtOnce(t *testing.T) {
	t.Parallel()
	b, wt := provingBench(t)
	const runs, all = 6, 10
	for i, o := range b.atOnce(all, func(i int) (string, []string) {
		if i < runs {
			return wt, []string{"conform", "run"}
		}
		return b.repo.Dir, []string{"conform", "waive", "1", "--surface", "db", "--why", fmt.Sprintf("reason %d", i)}
	}) {
		if o.code != 0 {
			t.Errorf("process %d: %+v", i, o)
		}
	}
	if n := b.noted(); n != runs {
		t.Errorf("%d results, not %d", n, runs)
	}
	if n := b.rows("waived"); n != all-runs {
		t.Errorf("%d waivers, not %d", n, all-runs)
	}
	b.wholesome()
	b.must(wt, "stage", "done")
}

// TestKilledProof kills `conform run` at random moments. Nothing is recorded by halves, and
// the next run passes.
func TestKilledProof(t *testing.T) {
	t.Parallel()
	b, wt := provingBench(t)
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		b.killed([]string{"conform", "run", "1"}, time.Duration(rand.N(120))*time.Millisecond)
	}
	if n := b.noted(); n > rounds {
		t.Errorf("%d results of %d runs", n, rounds)
	}
	before := b.noted()
	b.must(wt, "conform", "run")
	if n := b.noted(); n != before+1 {
		t.Errorf("%d results after %d", n, before)
	}
	if got := b.repo.Git("-C", wt, "status", "--porcelain"); got != "" {
		t.Errorf("the worktree: %q", got)
	}
	b.must(wt, "stage", "done")
	if out, errOut, code := b.repo.TryGit("fsck", "--no-dangling"); code != 0 || strings.TrimSpace(out+errOut) != "" {
		t.Errorf("git fsck: %d %s%s", code, out, errOut)
	}
}
