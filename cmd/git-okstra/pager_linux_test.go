package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reader is a pager that shows what it got between two lines of its own, and what it was
// told by the environment.
const reader = "#!/bin/sh\necho \"top $LESS $LV $GIT_PAGER_IN_USE\"\ncat\necho end\n"

// TestPager: what is to be read goes through the user's pager on a terminal, with what
// git gives one, and nothing else does.
func TestPager(t *testing.T) {
	b := demoBench(t)
	pager := filepath.Join(t.TempDir(), "my pager")
	if err := os.WriteFile(pager, []byte(reader), 0o755); err != nil {
		t.Fatal(err)
	}
	use := []string{"GIT_PAGER='" + pager + "'"}
	for _, c := range []struct {
		args  string
		env   []string
		code  int
		paged bool
		shows string
	}{
		{"stage list", use, 0, true, "[docs] user guide"},
		{"plan show", use, 0, true, "HELLO-1"},
		{"stage show 9", use, exitUsage, true, "error: "}, // in its place, not in the middle of the pager's screen
		{"stage list --json", use, 0, false, "okstra.stage-list/v1"},
		{"version", use, 0, false, "git-okstra"},
		{"stage list", []string{"GIT_PAGER=cat"}, 0, false, "[docs] user guide"},
		{"stage list", []string{"GIT_PAGER="}, 0, false, "[docs] user guide"},
		{"stage list", []string{"GIT_PAGER=false"}, 0, false, ""},        // it reads nothing: no failure
		{"stage list", []string{"GIT_PAGER=/no/such"}, 0, false, "such"}, // the shell says so
	} {
		term := b.atTerminalOf(at{width: 60, height: 60, env: c.env, out: true}, b.repo.Dir, strings.Fields(c.args)...)
		if code := term.ends(); code != c.code {
			t.Errorf("%s %q: exit code %d", c.args, c.env, code)
		}
		term.awaits(c.shows)
		screen := term.screen()
		if got := strings.HasPrefix(screen, "top FRX -c true\n") && strings.HasSuffix(screen, "\nend"); got != c.paged {
			t.Errorf("%s %q: paged %v:\n%s", c.args, c.env, got, screen)
		}
	}
	b.repo.Git("config", "core.pager", "'"+pager+"' # of the repository")
	term := b.atTerminalOf(at{width: 60, height: 24, env: []string{"LESS=R", "LV="}, out: true}, b.repo.Dir, "log")
	term.ends()
	term.awaits("top R  true")
}

// TestPagerWidth: a table is as wide as the terminal that the pager shows it on, and, as
// git -p tells it, behind a pager of git's own.
func TestPagerWidth(t *testing.T) {
	b := titledBench(t, strings.Repeat("a long title ", 12), "short")
	term := b.atTerminalOf(at{width: 50, height: 24, env: []string{"GIT_PAGER=cat -u"}, out: true}, b.repo.Dir, "task", "list")
	term.ends()
	term.awaits("demo:greeter:HELLO-1")
	for line := range strings.Lines(term.screen()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 50 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
