package main

import (
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"

	"git-okstra/internal/testrepo"
	"git-okstra/plan"
)

// demoBench is a bench with the demo's plan, whose stages wait for each other.
func demoBench(t *testing.T) *bench {
	t.Helper()
	r := testrepo.New(t, "empty")
	b := &bench{t: t, repo: r, home: t.TempDir()}
	r.Env = append(r.Env, "OKSTRA_HOME="+b.home)
	r.Write("plan.md", string(demoPlan))
	r.Commit("start")
	b.must(r.Dir, "plan", "approve", "plan.md")
	return b
}

// asks waits for the whole question.
func (term *terminal) asks() { term.t.Helper(); term.awaits("q give up") }

func TestPick(t *testing.T) {
	b := demoBench(t)
	b.must(b.repo.Dir, "stage", "start", "1")
	b.must(b.repo.Dir, "stage", "done", "1", "--allow-empty")
	b.must(b.repo.Dir, "stage", "start", "3", "--run", "agent-7")

	// Down to 5, which waits for 2 and 3: both come with it, and 2 can start.
	term := b.atTerminal(b.repo.Dir, "stage", "pick", "--json")
	term.asks()
	for _, want := range []string{
		"stages of demo:greeter:HELLO-1", "●  1  done     [core] greeting rules", "> [ ] ○  2  ready    [core] farewell rules",
		"      ◐  3  active   [docs] user guide", "  [ ] ·  4  blocked  [core] polite mode", "waits for 2, 3",
	} {
		if !strings.Contains(term.screen(), want) {
			t.Errorf("no %q in %q", want, term.screen())
		}
	}
	if during := term.mode(); during.Lflag == term.before.Lflag {
		t.Error("the terminal is not in raw mode")
	}
	term.types("j ")
	term.awaits("stage 3 is taken")
	term.types("\x1b[B\x1b[B ")
	term.awaits("later: 3, 5 (added, for others wait for them: 2, 3)")
	if !strings.Contains(term.screen(), "starts now: 2") {
		t.Errorf("what starts is not said: %q", term.screen())
	}
	term.types("\r")
	if code := term.ends(); code != 0 {
		t.Fatalf("exit code %d: %q", code, term.screen())
	}
	var got startJSON
	dec := json.NewDecoder(strings.NewReader(term.out.String()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil || len(got.Stages) != 1 || got.Stages[0].Stage != 2 || !slices.Equal(got.Later, []plan.StageNumber{3, 5}) {
		t.Errorf("%v: %s", err, term.out.String())
	}
	term.awaits("later: 3, 5; start each with")
	if after := term.mode(); after != term.before {
		t.Errorf("the terminal is left otherwise: %+v, was %+v", after, term.before)
	}
	if got := term.screen(); !strings.HasPrefix(got, "selected stages: 2") && !strings.HasPrefix(got, "later: ") || term.shows.CursorHidden() {
		t.Errorf("the question is left behind, or no cursor: %q", got)
	}
	b.wholesome()

	// Two at once; standard output has the paths alone.
	b.must(b.repo.Dir, "stage", "release", "2")
	b.must(b.repo.Dir, "stage", "release", "3")
	term = b.atTerminal(b.repo.Dir, "stage", "pick", "--print-path", "-q")
	term.asks()
	term.types(" j \r")
	if code := term.ends(); code != 0 || term.out.String() != b.stagePath(2)+"\n"+b.stagePath(3)+"\n" {
		t.Errorf("exit code %d, %q", code, term.out.String())
	}

	// Nothing can start: nobody is asked.
	term = b.atTerminal(b.repo.Dir, "stage", "pick")
	if code := term.ends(); code != exitNothing {
		t.Errorf("exit code %d: %q", code, term.screen())
	}
	term.awaits("error: nothing is ready: ")
}

// TestPickGivenUp: Ctrl-C, q and a signal all end it with nothing taken and the terminal
// as it was.
func TestPickGivenUp(t *testing.T) {
	b := demoBench(t)
	refs := b.repo.Git("for-each-ref")
	for name, end := range map[string]func(*terminal){
		"Ctrl-C":  func(term *terminal) { term.types(" \x03") },
		"q":       func(term *terminal) { term.types(" q") },
		"SIGTERM": func(term *terminal) { _ = term.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		term := b.atTerminal(b.repo.Dir, "stage", "pick")
		term.asks()
		end(term)
		if code := term.ends(); code != exitInterrupted || term.out.Len() != 0 {
			t.Errorf("%s: exit code %d, %q, %q", name, code, term.out.String(), term.screen())
		}
		term.awaits("error: ")
		if after := term.mode(); after != term.before {
			t.Errorf("%s: the terminal is left otherwise", name)
		}
	}
	if now := b.repo.Git("for-each-ref"); now != refs {
		t.Errorf("refs\n%s\nwere\n%s", now, refs)
	}
}

// TestPickLosesToAnother: what somebody takes while the question stands is refused as
// stage start does, and nothing of the choice is taken.
func TestPickLosesToAnother(t *testing.T) {
	b := newBench(t, 3)
	term := b.atTerminal(b.repo.Dir, "stage", "pick")
	term.asks()
	b.must(b.repo.Dir, "stage", "start", "2", "--run", "quicker")
	term.types("a\r")
	if code := term.ends(); code != exitNothing {
		t.Errorf("exit code %d: %q", code, term.screen())
	}
	term.awaits("error: stage 2 is taken by ")
	if got := strings.Fields(b.repo.Git("for-each-ref", "--format=%(refname:lstrip=-1)", "refs/okstra/demo/greeter/HELLO-1/reserved")); !slices.Equal(got, []string{"2"}) {
		t.Errorf("reserved: %v", got)
	}
}

// TestPickNeedsATerminal: without one nobody is asked, whatever else is asked for.
func TestPickNeedsATerminal(t *testing.T) {
	b := newBench(t, 2)
	for _, words := range []string{"stage pick", "stage pick --print-path", "stage pick --json"} {
		o := b.run(b.repo.Dir, strings.Fields(words)...)
		if o.code != exitUsage || !strings.Contains(o.out+o.errOut, "there is no terminal to ask at") || !strings.Contains(o.out+o.errOut, "git okstra stage start N") {
			t.Errorf("%s: %+v", words, o)
		}
	}
	term := b.atTerminal(b.repo.Dir, "stage", "pick", "--task", "nix")
	if code := term.ends(); code != exitUsage || strings.Contains(term.screen(), "give up") {
		t.Errorf("an unknown task: %d, %q", code, term.screen())
	}
}
