package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

// chainPageScript is the script that the page about chains shows.
const chainPageScript = `echo "working on stage $OKSTRA_STAGE"
mkdir -p parts && echo "$OKSTRA_STAGE" >"parts/$OKSTRA_STAGE"
git add . && git commit -qm "part $OKSTRA_STAGE"
`

// TestChainPage runs the page about chains.
func TestChainPage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its workers are shell scripts")
	}
	r := testrepo.New(t, "one-commit")
	r.Write("plan.md", string(demoPlan))
	if err := os.WriteFile(filepath.Join(filepath.Dir(r.Dir), "work.sh"), []byte(chainPageScript), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(filepath.Join(filepath.Dir(r.Dir), "work.sh")) })
	sh := func(command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = r.Dir, append(slices.Clone(r.Env), "OKSTRA_HOME="+filepath.Join(filepath.Dir(r.Dir), "home"))
		out, err := cmd.Output()
		return string(out), err
	}
	if out, err := sh("git okstra plan approve -q plan.md"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runExamples(t, "../../docs/chain.md", 8, sh)
}

// TestReadmeUnattended runs what the README shows of a chain: from a plan to a task that
// can be verified, with nobody there. Ids and times are those of the day it was recorded.
func TestReadmeUnattended(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its worker is a shell script")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(text), "\n## The same, unattended\n")
	part, _, more := strings.Cut(part, "\n## ")
	if !found || !more {
		t.Fatal("the README has no such part")
	}
	part = regexp.MustCompile(`[0-9a-f]{10}|\d+\.\d+s`).ReplaceAllString(part, "…")
	page := filepath.Join(t.TempDir(), "part.md")
	if err := os.WriteFile(page, []byte(part), 0o666); err != nil {
		t.Fatal(err)
	}
	worker, _, _ := strings.Cut(examples(t, page)[0].want, "\n$ ")
	r := testrepo.New(t, "one-commit")
	r.Write("plan.md", string(demoPlan))
	if err := os.WriteFile(filepath.Join(r.Dir, "worker.sh"), []byte(worker), 0o777); err != nil {
		t.Fatal(err)
	}
	runExamples(t, page, 4, func(command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = r.Dir, append(slices.Clone(r.Env), "OKSTRA_HOME="+filepath.Join(filepath.Dir(r.Dir), "home"))
		out, err := cmd.Output()
		return strings.ReplaceAll(string(out), filepath.Base(r.Dir)+"\n", "greeter\n"), err
	})
	if out := r.Git("status", "--porcelain"); out != "" {
		t.Errorf("left in the main worktree: %s", out)
	}
}
