package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// makeWork makes three commits in a worktree: a file aN, a line more in it, a file bN.
func makeWork(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: work DIR N")
	}
	dir := ts.MkAbs(args[0])
	for i, file := range []string{"a", "a", "b"} {
		text := ""
		for line := range 10 * (i + 1) {
			text += fmt.Sprintf("line %d of %s%s\n", line, file, args[1])
		}
		ts.Check(os.WriteFile(filepath.Join(dir, file+args[1]), []byte(text), 0o666))
		ts.Check(ts.Exec("git", "-C", dir, "add", "."))
		ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", fmt.Sprintf("part %d of %s", i+1, args[1])))
	}
}
