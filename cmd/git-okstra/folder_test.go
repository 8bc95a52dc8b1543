package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// fillFolder makes an okstra task folder of a script's files: the words BASE, ONE, TWO
// and FIX in them become the commits that the script's variables hold, and each line
// "file release task" of its file PLAN becomes a report, approved unless the task is -.
func fillFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: folder DIR")
	}
	root := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range []string{"BASE", "ONE", "TWO", "FIX"} {
			text = bytes.ReplaceAll(text, []byte(`"`+name+`"`), []byte(`"`+ts.Getenv(name)+`"`))
		}
		if err == nil {
			err = os.WriteFile(path, text, 0o666)
		}
		return err
	}))
	for line := range strings.Lines(ts.ReadFile(filepath.Join(root, "PLAN"))) {
		f := strings.Fields(line)
		if len(f) != 3 {
			ts.Fatalf("PLAN: %q", line)
		}
		path := filepath.Join(root, f[0])
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o777))
		ts.Check(os.WriteFile(path, reportFor(f[1], f[2]), 0o666))
	}
	ts.Check(os.Remove(filepath.Join(root, "PLAN")))
}

// reportFor is the demo's plan for a release and a task, approved unless the task is -.
func reportFor(release, task string) []byte {
	text := strings.Replace(string(demoPlan), "okstra: 0.100.0\n", fmt.Sprintf("okstra: %s\napproved: %v\n", release, task != "-"), 1)
	text = strings.Replace(text, "task: HELLO-1\n", "task: "+task+"\n", 1)
	if strings.HasPrefix(release, "0.46") {
		text = strings.NewReplacer("## 5.4", "## 4.4", "### 5.5.9", "### 4.5.9", "## 5.5", "## 4.5",
			"## 1. Clar", "## 5. Clar", "### Requirement Coverage", "### User Approval Request").Replace(text)
	}
	return []byte(text)
}

// writeFolder writes files below a folder that it makes.
func writeFolder(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
