package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPages writes the man pages, lets groff judge them, and reads them as a user does.
func TestPages(t *testing.T) {
	b := newBench(t, 1)
	share := t.TempDir()
	dir := filepath.Join(share, "man1")
	if o := b.run(b.repo.Dir, "pages", dir); o.code != 0 || o.out != "" || o.errOut != "" {
		t.Fatalf("%+v", o)
	}
	all, _ := program(t)
	names := []string{"git-okstra"}
	for _, c := range all.Commands {
		names = append(names, "git-okstra-"+c.Name)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != len(names) {
		t.Fatalf("%d pages of %d commands: %v", len(files), len(all.Commands), err)
	}
	for _, name := range names {
		page := filepath.Join(dir, name+".1")
		text, err := os.ReadFile(page)
		if err != nil || !strings.Contains(string(text), ".SH \"NAME\"") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := exec.LookPath("groff"); err != nil {
			t.Logf("groff is not installed: %s is not judged", name)
			continue
		}
		out, err := exec.CommandContext(t.Context(), "groff", "-man", "-ww", "-Tutf8", "-z", page).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("groff of %s: %v\n%s", name, err, out)
		}
	}
	if _, err := exec.LookPath("man"); err != nil {
		t.Logf("man is not installed: the pages are not read")
		return
	}
	for page, has := range map[string]string{
		"okstra":           "git-okstra - stages of an approved plan",
		"git-okstra-stage": "git okstra stage start N… [options]",
		"git-okstra-chain": "git okstra chain --all --dry-run",
	} {
		cmd := exec.CommandContext(t.Context(), "git", "help", "--man", page)
		cmd.Dir = b.repo.Dir
		cmd.Env = append(append([]string{}, b.repo.Env...), "MANPATH="+share, "MANPAGER=cat", "MANROFFOPT=-c", "MANWIDTH=200", "LC_ALL=C.UTF-8")
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), has) {
			t.Errorf("git help %s: %v\n%s", page, err, out)
		}
	}
}

// TestPagesFail: a folder that cannot be made is one clear error.
func TestPagesFail(t *testing.T) {
	b := newBench(t, 1)
	if o := b.run(b.repo.Dir, "pages", "plan.md"); o.code != exitEnvironment || !strings.HasPrefix(o.errOut, "error: ") {
		t.Errorf("%+v", o)
	}
}
