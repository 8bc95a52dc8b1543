package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestUnfinishedWorktree makes what a `git worktree add` leaves that is killed at
// one of its steps, newest first. git refuses to remove each of them.
func TestUnfinishedWorktree(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 40) + "\n"
	for name, files := range map[string]map[string]string{
		"lock not removed": {"locked": "initializing"},
		"no branch":        {"locked": "initializing", "HEAD": zeros},
		"no commondir":     {"locked": "initializing", "HEAD": zeros, "commondir": "-"},
		"empty HEAD":       {"locked": "initializing", "HEAD": "", "commondir": "-"},
		"empty .git":       {"locked": "initializing", "HEAD": "-", "commondir": "-", ".git": ""},
		"no .git":          {"locked": "initializing", "HEAD": "-", "commondir": "-", ".git": "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("plain")
			r := s.open("plain")
			s.git("plain", "worktree", "add", "-q", "--no-checkout", "-b", "b", "../wt")
			for file, text := range files {
				at := s.path("plain/.git/worktrees/wt/" + file)
				if file == ".git" {
					at = s.path("wt/.git")
				}
				if text == "-" {
					if err := os.Remove(at); err != nil {
						t.Fatal(err)
					}
				} else if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			wt, ok, err := r.WorktreeAt(t.Context(), s.path("wt"))
			if err != nil || !ok || !wt.Unfinished || time.Since(wt.Touched()) > time.Minute {
				t.Fatalf("%+v, %v, %v", wt, ok, err)
			}
			if err := r.RemoveWorktree(t.Context(), wt.Path); err != nil {
				t.Fatal(err)
			}
			if got := s.git("plain", "worktree", "list", "--porcelain"); strings.Count(got, "worktree ") != 1 {
				t.Errorf("still listed: %s", got)
			}
			if _, err := os.Stat(wt.Path); !os.IsNotExist(err) {
				t.Errorf("folder: %v", err)
			}
			s.git("plain", "worktree", "add", "-q", "../wt", "b")
		})
	}
}

// TestUnfinishedKeepsFiles: what somebody put into an unfinished worktree stays, and
// a worktree with an index is none, whoever locked it.
func TestUnfinishedKeepsFiles(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	r := s.open("plain")
	s.git("plain", "worktree", "add", "-q", "--no-checkout", "-b", "b", "../wt")
	s.write("plain/.git/worktrees/wt/locked", "initializing")
	s.write("wt/mine", "precious")
	if err := r.RemoveWorktree(t.Context(), s.path("wt")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(s.path("wt/mine")); err != nil || string(data) != "precious" {
		t.Errorf("%q, %v", data, err)
	}
	s.git("plain", "worktree", "add", "-q", "../whole", "b")
	s.write("plain/.git/worktrees/whole/locked", "initializing")
	if wt, _, err := r.WorktreeAt(t.Context(), s.path("whole")); err != nil || wt.Unfinished {
		t.Errorf("%+v, %v", wt, err)
	}
}

// TestStrayAdmins: a folder that names no path goes with the next worktree of its
// name, if it is old and looks like git's.
func TestStrayAdmins(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.git("plain", "branch", "b")
	past := time.Now().Add(-2 * strayAge)
	stray := func(name string, old bool, files ...string) {
		s.write("plain/.git/worktrees/"+name+"/locked", "initializing")
		for _, f := range files {
			s.write("plain/.git/worktrees/"+name+"/"+f, "")
		}
		if old {
			for _, f := range append(files, "locked", ".") {
				if err := os.Chtimes(s.path("plain/.git/worktrees/"+name+"/"+f), past, past); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	stray("wt", true)
	stray("wt1", true, "gitdir")
	stray("wt2", false)
	stray("wt3", true, "index")
	stray("other", true)
	if _, err := s.open("plain").AddWorktree(t.Context(), s.path("wt"), "refs/heads/b"); err != nil {
		t.Fatal(err)
	}
	var got []string
	entries, err := os.ReadDir(s.path("plain/.git/worktrees"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, filepath.Base(e.Name()))
	}
	if strings.Join(got, " ") != "other wt wt2 wt3" {
		t.Errorf("left: %q", got)
	}
}
