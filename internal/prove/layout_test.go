package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// pinned makes files of a commit's tree.
func pinned(t *testing.T, entries map[string]gitops.Mode) (*gitops.Repo, Files) {
	t.Helper()
	r := testrepo.New(t, "linear")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	files := Files{}
	for name, mode := range entries {
		r.Write("x", "content of "+name)
		files[name] = gitops.TreeEntry{Name: name, Mode: mode, Hash: gitops.Hash(strings.TrimSpace(r.Git("hash-object", "-w", "x")))}
	}
	return repo, files
}

func TestLayOut(t *testing.T) {
	t.Parallel()
	repo, files := pinned(t, map[string]gitops.Mode{"qa/scripts/a b.sh": gitops.ModeExec, "qa/scripts/deep/er.txt": gitops.ModeFile, "qa/conformance-manifest.json": gitops.ModeFile})
	qa, err := files.LayOut(t.Context(), repo, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"scripts/a b.sh", "qa/scripts/a b.sh", "scripts/deep/er.txt", "conformance-manifest.json"} {
		if text, err := os.ReadFile(filepath.Join(qa, name)); err != nil || !strings.HasPrefix(string(text), "content of qa/") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	info, err := os.Stat(filepath.Join(qa, "scripts/a b.sh"))
	if err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("a script is not executable: %v, %v", info.Mode(), err)
	}
	if regular := files.Regular(); len(regular) != 3 || !regular["qa/scripts/a b.sh"] {
		t.Errorf("regular: %v", regular)
	}
}

// TestLayOutStaysInside tries trees that no checkout would make.
func TestLayOutStaysInside(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]gitops.Mode{
		"qa/../../out": gitops.ModeFile, "qa/scripts/../../../out": gitops.ModeFile, "qa/scripts/link": gitops.ModeSymlink,
		"qa/scripts/module": gitops.ModeGitlink, "qa/./x": gitops.ModeFile, "/out": gitops.ModeFile,
	} {
		repo, files := pinned(t, map[string]gitops.Mode{name: mode})
		dir := filepath.Join(t.TempDir(), "in")
		if _, err := files.LayOut(t.Context(), repo, dir); err == nil || !strings.Contains(err.Error(), "is no regular file inside of it") {
			t.Errorf("%s (%o): %v", name, mode, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v lie beside the folder", name, entries, err)
		}
		if files.Regular()[name] != (mode == gitops.ModeFile) {
			t.Errorf("%s: regular %v", name, files.Regular())
		}
	}
}

func TestAim(t *testing.T) {
	t.Parallel()
	files := Files{"qa/scripts/a.sh": {}, "qa/scripts/a.sh.txt": {}}
	for command, want := range map[string]string{
		"sh qa/scripts/a.sh":                        "sh '/t/q a/qa/scripts/a.sh'",
		"./qa/scripts/a.sh --x; sh qa/scripts/a.sh": "'/t/q a/qa/scripts/a.sh' --x; sh '/t/q a/qa/scripts/a.sh'",
		`sh "qa/scripts/a.sh"`:                      `sh "/t/q a/qa/scripts/a.sh"`,
		"sh 'qa/scripts/a.sh'":                      "sh '/t/q a/qa/scripts/a.sh'",
		"sh .okstra/tasks/g/t/qa/scripts/a.sh":      "sh '/t/q a/qa/scripts/a.sh'",
		"F=qa/scripts/a.sh sh -c x":                 "F='/t/q a/qa/scripts/a.sh' sh -c x",
		"sh qa/scripts/a.sh.txt":                    "sh '/t/q a/qa/scripts/a.sh.txt'",
		`sh "$OKSTRA_QA/scripts/a.sh"`:              `sh "$OKSTRA_QA/scripts/a.sh"`,
		`sh "$OKSTRA_QA/qa/scripts/a.sh"`:           `sh "$OKSTRA_QA/qa/scripts/a.sh"`,
		"sh other/qa/scripts/a.sh":                  "sh other/qa/scripts/a.sh",
		"sh qa/scripts/a.shx qa/scripts/b.sh":       "sh qa/scripts/a.shx qa/scripts/b.sh",
		`echo "see qa/scripts/a.sh"`:                `echo "see qa/scripts/a.sh"`,
	} {
		if got := files.Aim(command, "/t/q a/qa", "", ".okstra/tasks/g/t"); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
