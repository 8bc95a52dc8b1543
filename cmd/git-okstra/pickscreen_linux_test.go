package main

import (
	"regexp"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

// titledBench is a bench with the demo's plan, the titles of its stages 2 and 3 replaced.
func titledBench(t *testing.T, second, third string) *bench {
	t.Helper()
	r := testrepo.New(t, "empty")
	b := &bench{t: t, repo: r, home: t.TempDir()}
	r.Env = append(r.Env, "OKSTRA_HOME="+b.home)
	r.Write("plan.md", strings.NewReplacer("[core] farewell rules", second, "[docs] user guide", third).Replace(string(demoPlan)))
	r.Commit("start")
	b.must(r.Dir, "plan", "approve", "plan.md")
	return b
}

// showsAll waits for the very screen.
func (term *terminal) showsAll(lines ...string) {
	term.t.Helper()
	term.awaits(strings.Join(lines, "\n"))
	if got, want := term.screen(), strings.Join(lines, "\n"); got != want {
		term.t.Errorf("the screen is\n%s\nnot\n%s", got, want)
	}
}

const pickHelp = "space choose · a all · enter take them · q give up"

// TestPickWindow: the question fits into the window however small it is or becomes, and
// what was drawn for another size is gone.
func TestPickWindow(t *testing.T) {
	b := demoBench(t)
	term := b.atTerminalOf(at{width: 30, height: 8}, b.repo.Dir, "stage", "pick")
	term.showsAll("stages of demo:greeter:HELLO-…", "> [ ] ○  1  ready    [core] g…", "  [ ] ·  2  blocked  [core] f…", "", "starts now:", "", "", "space choose · a all · enter …")
	term.resize(12, 5)
	term.awaits("\n> [ ] ○  1 …")
	term.resize(100, 30)
	term.awaits("  [ ] ·  5  blocked  [docs] release notes   waits for 2, 3\n\nstarts now:\n\n\n" + pickHelp)
	if got := term.screen(); strings.Count(got, "stages of") != 1 {
		t.Errorf("a title too many: %s", got)
	}
	term.types("G ")
	term.awaits("> [x] ·  5  blocked  [docs] release notes   waits for 2, 3\n\nstarts now: 1\nlater: 2, 3, 5 (added, for others wait for them: 1-3)\n\n" + pickHelp)
	term.types("q")
	if code := term.ends(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	term.showsAll("error: given up, nothing was taken")
}

// TestPickTitles: wide characters take their two columns, also where only a part of the
// screen is drawn again and whatever the locale says of them, and what a terminal would
// obey is shown instead.
func TestPickTitles(t *testing.T) {
	b := titledBench(t, "작별 인사 규칙을 정한다", "evil \u202e\u009b2J title")
	b.must(b.repo.Dir, "stage", "start", "1", "-q")
	b.must(b.repo.Dir, "stage", "done", "1", "--allow-empty")
	for _, env := range [][]string{nil, {"NO_COLOR=1"}, {"LC_ALL=ko_KR.UTF-8", "COLORTERM=truecolor"}} {
		term := b.atTerminalOf(at{width: 44, height: 24, env: env}, b.repo.Dir, "stage", "pick")
		screen := func(second, third, now string) []string {
			return []string{
				"stages of demo:greeter:HELLO-1", "      ●  1  done     [core] greeting rules …",
				second + " ○  2  ready    작별 인사 규칙을 정한다", third + ` ○  3  ready    evil \u202e\u009b2J ti…`,
				"  [ ] ·  4  blocked  [core] polite mode    …", "  [ ] ·  5  blocked  [docs] release notes  …",
				"", now, "", "", "space choose · a all · enter take them · q …",
			}
		}
		term.showsAll(screen("> [ ]", "  [ ]", "starts now:")...)
		term.types(" j")
		term.showsAll(screen("  [x]", "> [ ]", "starts now: 2")...)
		term.types(" k ")
		term.showsAll(screen("> [ ]", "  [x]", "starts now: 3")...)
		term.types("q")
		term.ends()
		if colours := regexp.MustCompile(`\x1b\[[0-9;:]+m`).FindString(term.raw()); colours != "" {
			t.Errorf("%v: %q", env, colours)
		}
		if strings.ContainsAny(term.raw(), "\u202e\u009b") {
			t.Errorf("%v: sent as it stands: %q", env, term.raw())
		}
	}
}

// TestPickStale: a stage that nobody is at any more cannot be chosen either, and it is
// said how it can be taken.
func TestPickStale(t *testing.T) {
	b := newBench(t, 2)
	b.must(b.repo.Dir, "stage", "start", "2", "-q")
	b.repo.Git("config", "okstra.lease", "1ns")
	b.must(b.repo.Dir, "stage", "renew", "2")
	term := b.atTerminalOf(at{width: 120, height: 24}, b.repo.Dir, "stage", "pick")
	term.asks()
	term.types("j ")
	term.awaits("stage 2 is taken, and stale: its lease of 1ns is over; see git okstra stage start 2 --takeover")
	term.types("q")
	term.ends()
}
