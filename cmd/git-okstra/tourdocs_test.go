package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inGreeter is a tour that begins in a repository with the demo's plan.
func inGreeter(t *testing.T, page string) *tour {
	t.Helper()
	to := newTour(t, page)
	to.sh("git init -q -b main greeter && cd greeter")
	to.write("plan.md", string(demoPlan))
	to.sh("git add . && git commit -qm 'the plan'")
	return to
}

// TestReadme runs what the README shows, which stays short, and finds each command in it.
func TestReadme(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "../README.md")
	to.free = true
	to.walk(12)
	text := to.text.String()
	if n := strings.Count(text, "\n"); n > 140 {
		t.Errorf("%d lines", n)
	}
	all, _ := program(t)
	for _, leaf := range all.Leaves() {
		words := strings.Fields(leaf.Name)
		if !regexp.MustCompile("`(?:" + words[0] + " )?" + words[len(words)-1] + "`").MatchString(text) {
			t.Errorf("it has no %q", leaf.Name)
		}
	}
}

// TestParallelPage runs the page about several workers.
func TestParallelPage(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "agents-in-parallel.md")
	to.sh("git okstra plan approve -q plan.md && git commit -qam approved && git config core.excludesFile ~/.gitignore && echo worker.sh >~/.gitignore")
	to.walk(15)
}

// TestPlanPages runs the pages about a plan's form and about writing one; the whole plan
// of the first is the second's.
func TestPlanPages(t *testing.T) {
	t.Parallel()
	form := newTour(t, "plan-format.md")
	form.sh("git init -q -b main shop && cd shop")
	form.walk(2)
	whole, err := os.ReadFile(filepath.Join(form.dir, "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	to := newTour(t, "writing-a-plan.md")
	to.sh("git init -q -b main shop && cd shop && git commit -q --allow-empty -m start")
	to.write("good.md", string(whole))
	to.walk(14)
}

// TestCIPage runs the page about CI in a clone, and holds what the workflows do to what is
// run there.
func TestCIPage(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "ci.md")
	to.sh("git okstra plan approve -q plan.md && git commit -qam approved && cd .. && git init -q --bare hub.git && cd greeter && " +
		"git remote add origin ../hub.git && git push -q origin main && git okstra sync -q && cd .. && git clone -q -b main hub.git ci && cd ci")
	to.walk(7)
	fetches := regexp.MustCompile(`git fetch (?:-q )?(origin .*)`).FindAllStringSubmatch(to.text.String(), -1)
	for _, f := range fetches {
		if f[1] != fetches[0][1] {
			t.Errorf("the workflows fetch %s and %s", fetches[0][1], f[1])
		}
	}
	if len(fetches) != 3 {
		t.Errorf("%d fetches", len(fetches))
	}
}

// TestExitCodesPage runs the page about exit codes, of which it shows 0 to 4.
func TestExitCodesPage(t *testing.T) {
	t.Parallel()
	inGreeter(t, "exit-codes.md").walk(8)
}

// TestStoragePage runs the page about refs and notes.
func TestStoragePage(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "storage.md")
	to.sh("git okstra plan approve -q plan.md && cd \"$(git okstra stage next --print-path)\" && git commit -q --allow-empty -m work && " +
		"git okstra stage done -q && git okstra stage next -q && cd ~/greeter")
	to.walk(7)
}

// TestSecurityPage: the scripts that the page gives as proof are there.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, list := range regexp.MustCompile("\\((`[a-z_]+`(?:,\\s+`[a-z_]+`)*)\\)").FindAllStringSubmatch(string(text), -1) {
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(list[1], -1) {
			named++
			if _, err := os.Stat(filepath.Join("testdata", "script", m[1]+".txtar")); err != nil {
				t.Error(err)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d scripts", named)
	}
}

// TestMovingPage runs what the page about okstra's folder shows, on a folder as okstra
// leaves it.
func TestMovingPage(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "moving-in-and-out.md")
	to.sh("base=$(git rev-parse HEAD) && git switch -qc feat-HELLO-1-s1 && mkdir greet && echo hello >greet/rules.txt && git add . && git commit -qm 'greet by name' && " +
		"one=$(git rev-parse HEAD) && git switch -q main && task=.okstra/tasks/greeter/HELLO-1 && mkdir -p $task/runs/implementation-planning && " +
		"sed '1s/.*/---\\napproved: true/' plan.md >$task/runs/implementation-planning/final-report.md && " +
		`printf '{"stage":%s,"status":"%s","at":"2026-01-02T03:04:0%sZ","head_commit":"%s"}\n' ` +
		"1 started 1 $base 1 done 2 $one 2 started 3 $one >$task/consumers.jsonl")
	to.walk(5)
}

// TestCommandsOnPages runs the blocks that show commands without what they print.
func TestCommandsOnPages(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"surfaces.md", "hooks.md"} {
		to := inGreeter(t, page)
		list := examples(t, to.page)
		for _, e := range list {
			if out, err := to.run(strings.Replace(e.command, "git ", "</dev/null git ", 1)); err != nil || e.want != "" {
				t.Errorf("%s: $ %s: %v\n%s", page, e.command, err, out)
			}
		}
		if len(list) < 3 {
			t.Errorf("%s: only %d commands", page, len(list))
		}
	}
}

// TestTutorial runs the tutorial: a first plan, from nothing to a verdict.
func TestTutorial(t *testing.T) {
	t.Parallel()
	newTour(t, "tutorial.md").walk(25)
}
