package lifecycle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// ended is the number of a process that has ended.
func ended(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("git", "--version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// TestHeldByAProcess: a claim of a chain ends with its process, on its own host alone;
// a one-shot command's process says nothing.
func TestHeldByAProcess(t *testing.T) {
	living, dead := strconv.Itoa(os.Getpid()), strconv.Itoa(ended(t))
	start := gitops.ProcessStart(os.Getpid())
	f := newLeased(t)
	for name, c := range map[string]struct {
		r    Reservation
		want string
	}{
		"it runs":             {Reservation{Holder: "process", Host: "here", Pid: living, PidStart: start}, ""},
		"it has ended":        {Reservation{Holder: "process", Host: "here", Pid: dead}, "its process " + dead + " has ended"},
		"a newer one runs":    {Reservation{Holder: "process", Host: "here", Pid: living, PidStart: start + "1"}, "its process " + living + " has ended"},
		"on another host":     {Reservation{Holder: "process", Host: "there", Pid: dead}, ""},
		"a one-shot command":  {Reservation{Host: "here", Pid: dead}, ""},
		"another holder":      {Reservation{Holder: "person", Host: "here", Pid: dead}, ""},
		"no number":           {Reservation{Holder: "process", Host: "here", Pid: "x"}, ""},
		"no process":          {Reservation{Holder: "process", Host: "here", Pid: "0"}, ""},
		"it cannot be read":   {Reservation{Holder: "process", Host: "here", Pid: dead, Broken: "bad"}, ""},
		"nothing is known":    {Reservation{}, ""},
		"a process of itself": {Reservation{Holder: "process", Host: "here", Pid: "-" + dead}, ""},
	} {
		if got, err := f.eng.Stale(t.Context(), f.load(f.eng), 1, c.r); got != c.want || err != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

// TestCallerIsAProcess: the room records that a caller lives as long as the work, and a
// takeover follows only once it is gone.
func TestCallerIsAProcess(t *testing.T) {
	f := newLeased(t)
	f.repo.Git("config", "okstra.lease", "0")
	chain, next := f.of(f.repo, "chain"), f.of(f.repo, "next")
	chain.Caller.Process = true
	if _, err := chain.Start(t.Context(), f.load(chain), f.request(1)); err != nil {
		t.Fatal(err)
	}
	if err := f.take(next); !isKind(err, Taken) {
		t.Errorf("of a living chain: %v", err)
	}
	if _, err := next.ReleaseStale(t.Context(), f.load(next), 1, ""); !isKind(err, Taken) {
		t.Errorf("release of a living chain's: %v", err)
	}
	if _, err := chain.Release(t.Context(), f.load(chain), 1, ""); err != nil {
		t.Fatal(err)
	}
	chain.Caller.Pid, chain.Caller.PidStart = ended(t), ""
	if _, err := chain.Start(t.Context(), f.load(chain), f.request(1)); err != nil {
		t.Fatal(err)
	}
	req := f.request(0)
	if s, err := next.Start(t.Context(), f.load(next), req); err != nil || s.Stage != 2 {
		t.Errorf("next is %d: %v", s.Stage, err)
	}
	_, err := next.Start(t.Context(), f.load(next), req)
	if !isKind(err, NothingReady) || !strings.Contains(err.Error(), "stage 1 is stale: its process") || strings.Contains(err.Error(), "stage 2 is") {
		t.Errorf("next: %v", err)
	}
	if _, err := next.Start(t.Context(), f.load(next), f.request(1)); !isKind(err, Taken) || !strings.Contains(err.Error(), "stale: its process") {
		t.Errorf("start: %v", err)
	}
	if err := f.take(next); err != nil {
		t.Errorf("of a chain that has ended: %v", err)
	}
	r, _, err := next.Reservation(t.Context(), f.load(next), 1)
	if err != nil || r.Holder != "" || r.Run != "next" || r.TookFrom == "" || !strings.HasPrefix(r.TookWhy, "its process") || !r.Kept {
		t.Errorf("%+v %v", r, err)
	}
}

// TestBrokenIsNotStale: a reservation that cannot be read is one, and is given back by
// hand alone.
func TestBrokenIsNotStale(t *testing.T) {
	f := newLeased(t)
	f.repo.Git("update-ref", string(f.load(f.eng).reservedRef(1)), "HEAD")
	if err := f.take(f.eng); !isKind(err, Taken) || !strings.Contains(err.Error(), "cannot be read") || strings.Contains(err.Error(), "stale") {
		t.Errorf("takeover: %v", err)
	}
	if err := f.renew(f.eng); !isKind(err, Taken) {
		t.Errorf("renew: %v", err)
	}
	if _, err := f.eng.ReleaseStale(t.Context(), f.load(f.eng), 1, ""); !isKind(err, Taken) {
		t.Errorf("release --stale: %v", err)
	}
	if _, err := f.eng.Release(t.Context(), f.load(f.eng), 1, ""); err != nil {
		t.Errorf("release: %v", err)
	}
}

// TestWorktreeGone: it was made in this clone, by a process that has ended, and is not
// there; what cannot be known is no.
func TestWorktreeGone(t *testing.T) {
	f := newLeased(t)
	root := t.TempDir()
	f.eng.Folder = func(worktree string) string { return filepath.Join(root, filepath.FromSlash(worktree)) }
	dead := strconv.Itoa(ended(t))
	good := Reservation{Host: "here", Pid: dead, Worktree: "p/g/T-1/stage-1", Clone: f.eng.clone(), Base: gitops.Hash(f.repo.Git("rev-parse", "HEAD"))}
	ask := func(change func(*Reservation)) string {
		t.Helper()
		r := good
		change(&r)
		why, err := f.eng.Stale(t.Context(), f.load(f.eng), 1, r)
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	same := func(*Reservation) {}
	if why := ask(same); why != "its worktree is gone" {
		t.Errorf("gone: %q", why)
	}
	if why := ask(func(r *Reservation) { r.Clone = "" }); why == "" {
		t.Error("a reservation of an earlier version is never stale")
	}
	for name, change := range map[string]func(*Reservation){
		"on another host":     func(r *Reservation) { r.Host = "there" },
		"in another clone":    func(r *Reservation) { r.Clone = "0123456789abcdef" },
		"in the making":       func(r *Reservation) { r.Pid, r.PidStart = strconv.Itoa(os.Getpid()), gitops.ProcessStart(os.Getpid()) },
		"of no process":       func(r *Reservation) { r.Pid = "" },
		"outside of the root": func(r *Reservation) { r.Worktree = "../x" },
		"an absolute path":    func(r *Reservation) { r.Worktree = "/nowhere/x" },
		"nowhere":             func(r *Reservation) { r.Worktree = "" },
	} {
		if why := ask(change); why != "" {
			t.Errorf("%s: %q", name, why)
		}
	}
	path := f.eng.Folder(good.Worktree)
	f.repo.Git("worktree", "add", "-q", "--detach", path)
	wt, ok, err := f.eng.Repo.WorktreeAt(t.Context(), path)
	if err != nil || !ok {
		t.Fatal(err)
	}
	if why := ask(same); why != "" {
		t.Errorf("there, but not marked yet: %q", why)
	}
	key := plan.TaskKey{Project: "p", Group: "g", Task: "T 1"}
	if err := f.eng.Repo.BindWorktree(t.Context(), wt, (&Task{Key: key}).BindRef(1), good.Base); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(root, "elsewhere")
	f.repo.Git("worktree", "move", path, moved)
	if why := ask(same); why != "" {
		t.Errorf("moved: %q", why)
	}
	f.repo.Git("worktree", "lock", moved)
	if err := os.Rename(moved, moved+"2"); err != nil {
		t.Fatal(err)
	}
	if why := ask(same); why != "" {
		t.Errorf("locked, on a disk that is not here: %q", why)
	}
	f.repo.Git("worktree", "unlock", moved)
	if why := ask(same); why == "" {
		t.Error("gone from where it was moved: not stale")
	}
	f.eng.Folder = func(string) string { return "" }
	if why := ask(same); why != "" {
		t.Errorf("without a root: %q", why)
	}
}
