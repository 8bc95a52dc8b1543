package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// provingWork touches a database and HTTP, as stage 1 declares.
const provingWork = "package work\n\nimport (\n\t\"database/sql\"\n\t\"net/http\"\n)\n\nfunc open() (*sql.DB, error) { return sql.Open(\"pg\", \"\") }\n\nvar client http.Client\n"

// provingManifest is the manifest of that plan.
const provingManifest = `{"entries": [{
  "stageKey": "HELLO-1-stage-1",
  "script": "qa/scripts/stage-1.sh",
  "runCommand": "sh \"$OKSTRA_QA/scripts/stage-1.sh\"",
  "requirementIds": ["R-1", "R-2"],
  "requires": ["db", "http"],
  "waiver": null
}]}
`

// provingScript does what the variable SAY asks for.
const provingScript = `set -e
echo "on the way: $OKSTRA_STAGE $OKSTRA_TASK"
case "$SAY" in
pass) printf 'QA-RESULT: PASS\nREQ R-1: PASS: seen\nREQ R-2: PASS: seen too\n' ;;
*) eval "$SAY" ;;
esac
`

// makeProving makes a repository with one commit in the named folder, with a plan whose
// stage 1 declares tests for db and http, and a manifest beside it; stage 1 is started, and
// has a commit that touches both. WT is its worktree. Files in own/ of the script's folder
// take the place of those.
func makeProving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: proving DIR")
	}
	dir := ts.MkAbs(args[0])
	text := string(demoPlan)
	declared := "Conformance tests: stage-1 — qa/scripts/stage-1.sh (requires=[db,http])"
	exempt := text[strings.Index(text, "Conformance exemption:"):]
	exempt, _, _ = strings.Cut(exempt, "\n")
	files := map[string]string{
		"plan.md": strings.Replace(text, exempt, declared, 1), "qa/conformance-manifest.json": provingManifest, "qa/scripts/stage-1.sh": provingScript,
	}
	for name := range files {
		if own, err := os.ReadFile(ts.MkAbs("own/" + filepath.Base(name))); err == nil {
			files[name] = string(own)
		}
		ts.Check(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o666))
	}
	in := func(dir string, words ...string) { ts.Check(ts.Exec("git", append([]string{"-C", dir}, words...)...)) }
	in(dir, "init", "-q", "-b", "main")
	in(dir, "add", "plan.md")
	in(dir, "commit", "-qm", "start")
	in(dir, "okstra", "plan", "approve", "plan.md")
	in(dir, "commit", "-qam", "approved")
	in(dir, "okstra", "stage", "start", "1", "--print-path")
	worktree := strings.TrimSpace(ts.ReadFile("stdout"))
	ts.Setenv("WT", worktree)
	ts.Setenv("PLAN", "refs/okstra/demo/greeter/HELLO-1/plan")
	ts.Setenv("QA", "refs/notes/okstra-qa/demo/greeter/HELLO-1")
	ts.Check(os.WriteFile(filepath.Join(worktree, "work.go"), []byte(provingWork), 0o666))
	in(worktree, "add", "work.go")
	in(worktree, "commit", "-qm", "work on the database")
}
