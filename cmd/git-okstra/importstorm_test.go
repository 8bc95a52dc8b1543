package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-okstra/internal/testrepo"
)

// newImportBench makes a repository without a task, and a folder of the given number
// of rows beside it.
func newImportBench(t *testing.T, rows int) (*bench, string) {
	t.Helper()
	r := testrepo.New(t, "empty")
	b := &bench{t: t, repo: r, home: t.TempDir()}
	r.Env = append(r.Env, "OKSTRA_HOME="+b.home)
	return b, bigFolder(t, r, rows, 30)
}

// ids lists the log's row ids.
func (b *bench) ids() map[string]int {
	b.t.Helper()
	var log struct {
		Rows []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(b.must(b.repo.Dir, "log", "--json").out), &log); err != nil {
		b.t.Fatal(err)
	}
	out := map[string]int{}
	for _, r := range log.Rows {
		out[r.ID]++
	}
	return out
}

// TestImportsAtOnce: of many imports of one folder one writes it all, the others find
// nothing new, and no row stands twice.
func TestImportsAtOnce(t *testing.T) {
	n := 8
	if testing.Short() {
		n = 3
	}
	b, dir := newImportBench(t, 200)
	wrote := 0
	for _, o := range b.atOnce(n, func(int) (string, []string) { return b.repo.Dir, []string{"import", dir} }) {
		switch {
		case o.code != 0:
			t.Errorf("%+v", o)
		case !strings.Contains(o.out, "nothing new"):
			wrote++
		}
	}
	if ids := b.ids(); wrote != 1 || len(ids) != 201 {
		t.Errorf("%d imports wrote, %d rows", wrote, len(ids))
	}
	b.wholesome()
}

// TestImportBesideStages: stages start and end while a folder is imported; the rows of
// both are there.
func TestImportBesideStages(t *testing.T) {
	b := newBench(t, 5)
	dir := bigFolder(t, b.repo, 100, 30)
	words := [][]string{{"import", dir, "--task", "demo:greeter:HELLO-1"}}
	for n := range 5 {
		words = append(words, []string{"stage", "start", fmt.Sprint(n + 1)})
	}
	for i, o := range b.atOnce(len(words), func(i int) (string, []string) { return b.repo.Dir, words[i] }) {
		done := i > 0 && o.code == exitFindings && strings.Contains(o.errOut, "already done")
		if o.code != 0 && !done {
			t.Errorf("%q: %+v", words[i], o)
		}
	}
	if ids := b.ids(); len(ids) < 101 {
		t.Errorf("%d rows", len(ids))
	}
	b.wholesome()
}

// TestKilledImportIsFinished kills imports at random moments; the next one completes
// them, and no row is lost or doubled.
func TestKilledImportIsFinished(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	b, dir := newImportBench(t, 1000)
	for n := range rounds {
		task := fmt.Sprintf("demo:greeter:K-%d", n)
		b.killed([]string{"import", dir, "--task", task}, time.Duration(rand.N(150))*time.Millisecond)
		var o outcome
		for range 50 { // a git child of the killed process may still be at it
			if o = b.run(b.repo.Dir, "import", dir, "--task", task); o.code == 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if o.code != 0 {
			t.Fatalf("after the kill: %+v", o)
		}
		if o := b.must(b.repo.Dir, "import", dir, "--task", task); !strings.Contains(o.out, "nothing new") {
			t.Errorf("a third import: %s", o.out)
		}
		for _, n := range []int{2, 4, 5} {
			b.repo.Git("rev-parse", "--verify", fmt.Sprintf("refs/okstra/demo/greeter/K-%s/done/%d", strings.TrimPrefix(task, "demo:greeter:K-"), n))
		}
	}
	if out, errOut, code := b.repo.TryGit("fsck", "--no-dangling"); code != 0 || strings.TrimSpace(out+errOut) != "" {
		t.Errorf("git fsck: %d %s%s", code, out, errOut)
	}
}

// TestImportWithoutTheFastPath: in a SHA-256 repository, and in a bare one, an import
// and an export give the same.
func TestImportWithoutTheFastPath(t *testing.T) {
	for _, recipe := range []string{"sha256", "bare-layout"} {
		r := testrepo.New(t, recipe)
		b := &bench{t: t, repo: r, home: t.TempDir()}
		r.Env = append(r.Env, "OKSTRA_HOME="+b.home)
		head := r.Git("rev-parse", "main")
		dir := t.TempDir()
		in := filepath.Join(dir, "in")
		line := fmt.Sprintf(`{"stage":1,"status":"done","completed_at":"2026-01-02T03:04:05Z","head_commit":%q}`, head)
		writeFolder(t, in, map[string]string{"consumers.jsonl": line + "\n", "final-report.md": string(reportFor("0.100.0", "X-1"))})
		o := b.must(r.Dir, "import", in, "--onto", "main")
		if !strings.Contains(o.out, "done       stage 1 at "+head[:10]) {
			t.Errorf("%s: %s", recipe, o.out)
		}
		if got := r.Git("rev-parse", "refs/okstra/demo/greeter/X-1/done/1"); got != head {
			t.Errorf("%s: done at %s", recipe, got)
		}
		b.must(r.Dir, "export", filepath.Join(dir, "out"))
		if out, _, code := r.TryGit("diff", "--no-index", "--stat", in, filepath.Join(dir, "out")); code != 0 {
			t.Errorf("%s: %s", recipe, out)
		}
		b.wholesome()
	}
}
