package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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
