package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

// bigFolder writes a task folder with the given number of rows, spread over the
// repository's commits, and returns its path.
func bigFolder(tb testing.TB, r *testrepo.Repo, rows, commits int) string {
	tb.Helper()
	r.Write("stream", fastImport(commits))
	r.Git("config", "alias.feed", "!git fast-import --quiet <stream")
	r.Git("feed")
	if _, _, code := r.TryGit("rev-parse", "--verify", "-q", "main"); code != 0 {
		r.Git("update-ref", "refs/heads/main", "filler")
	}
	ids := strings.Fields(r.Git("rev-list", "--reverse", "filler"))
	var b strings.Builder
	for i := range rows {
		status, at := "started", "started_at"
		if i%2 == 1 {
			status, at = "done", "completed_at"
		}
		fmt.Fprintf(&b, `{"impl_task_key":"demo:greeter:BIG-1","stage":%d,"status":%q,%q:"2026-01-02T03:04:%02d.%06dZ",`+
			`"head_commit":%q,"branch":"feat-BIG-1-s%d","actor":"agent-%d","report_path":"runs/implementation/final-report.md"}`+"\n",
			i%5+1, status, at, i/1000000%60, i%1000000, ids[i%commits], i%5+1, i%9)
	}
	dir := filepath.Join(r.Dir, "folder")
	for name, text := range map[string]string{"consumers.jsonl": b.String(), "final-report.md": string(reportFor("0.100.0", "BIG-1"))} {
		r.Write("folder/"+name, text)
	}
	return dir
}

func fastImport(commits int) string {
	var b strings.Builder
	for i := range commits {
		fmt.Fprintf(&b, "commit refs/heads/filler\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", 1_700_000_000+i)
	}
	return b.String() + "done\n"
}

// BenchmarkImport imports 100,000 rows on 20,000 commits; with -benchtime 1x it is one
// import into an empty log, further rounds into a log of their own each.
func BenchmarkImport(b *testing.B) {
	const rows, commits = 100_000, 20_000
	r := testrepo.New(b, "empty")
	dir := bigFolder(b, r, rows, commits)
	testrepo.Setenv(b, append(r.Env, "OKSTRA_HOME="+b.TempDir()))
	b.Chdir(r.Dir)
	round := 0
	for b.Loop() {
		round++
		out, errOut := &strings.Builder{}, &strings.Builder{}
		code := run([]string{"import", dir, "--task", fmt.Sprintf("demo:greeter:BIG-%d", round)}, streams{in: os.Stdin, out: out, err: errOut})
		if code != 0 || !strings.Contains(out.String(), fmt.Sprintf("%d lines read", rows)) {
			b.Fatalf("exit %d: %s%s", code, out, errOut)
		}
	}
	b.ReportMetric(rows, "rows/op")
}

// BenchmarkImportAgain imports the same rows a second time: nothing is to be done.
func BenchmarkImportAgain(b *testing.B) {
	r := testrepo.New(b, "empty")
	dir := bigFolder(b, r, 100_000, 20_000)
	testrepo.Setenv(b, append(r.Env, "OKSTRA_HOME="+b.TempDir()))
	b.Chdir(r.Dir)
	if code := run([]string{"import", dir}, streams{in: os.Stdin, out: &strings.Builder{}, err: os.Stderr}); code != 0 {
		b.Fatalf("exit %d", code)
	}
	for b.Loop() {
		out := &strings.Builder{}
		if code := run([]string{"import", dir}, streams{in: os.Stdin, out: out, err: os.Stderr}); code != 0 || !strings.Contains(out.String(), "nothing new") {
			b.Fatalf("exit %d: %s", code, out)
		}
	}
}
