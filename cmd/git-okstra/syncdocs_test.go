package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"git-okstra/internal/testrepo"
)

// TestBetweenClonesPage runs the page about clones.
func TestBetweenClonesPage(t *testing.T) {
	r := testrepo.New(t, "one-commit")
	top := t.TempDir()
	env := append(slices.Clone(r.Env), "OKSTRA_HOME="+filepath.Join(t.TempDir(), "home"))
	sh := func(command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = top, env
		out, err := cmd.Output()
		return string(out), err
	}
	r.Write("plan.md", string(demoPlan))
	r.Git("clone", "-q", "--bare", r.Dir, filepath.Join(top, "hub.git"))
	for _, name := range []string{"one", "two"} {
		r.Git("clone", "-q", filepath.Join(top, "hub.git"), filepath.Join(top, name))
	}
	if out, err := sh("git -C one okstra plan approve -q " + filepath.Join(r.Dir, "plan.md")); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	list := examples(t, "../../docs/between-clones.md")
	if len(list) < 7 {
		t.Fatalf("only %d examples", len(list))
	}
	for _, e := range list {
		got, err := sh(e.command)
		if err != nil || !matches(e.want, got) {
			t.Errorf("$ %s\n%v\n%s\nthe page has\n%s", e.command, err, got, e.want)
		}
	}
}
