package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHalfMadeIsRedone simulates a kill at each step. The next call makes the whole
// worktree of what is left.
func TestHalfMadeIsRedone(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(*world, Target, string){
		"only registered": func(w *world, t Target, admin string) {
			w.must(os.Remove(filepath.Join(admin, "index")))
			for _, f := range []string{"a.txt", "b.txt", "run", "sub"} {
				w.must(os.RemoveAll(filepath.Join(t.Path, f)))
			}
		},
		"some files, no index": func(w *world, t Target, admin string) {
			w.must(os.Remove(filepath.Join(admin, "index")))
			w.must(os.Remove(filepath.Join(t.Path, "a.txt")))
		},
		"half a file":  func(w *world, t Target, _ string) { w.put(t.Path+"/a.txt", "con") },
		"index locked": func(w *world, _ Target, admin string) { w.put(admin+"/index.lock", "half") },
		"no .git, initializing": func(w *world, t Target, admin string) {
			w.must(os.Remove(filepath.Join(t.Path, ".git")))
			w.put(admin+"/locked", "initializing")
		},
		"git killed before the branch": func(w *world, t Target, admin string) {
			w.must(os.RemoveAll(t.Path))
			w.must(os.RemoveAll(admin))
			w.put(admin+"/gitdir", t.Path+"/.git\n")
			w.put(admin+"/locked", "initializing")
			w.put(admin+"/HEAD", strings.Repeat("0", 40)+"\n")
			w.put(t.Path+"/.git", "")
		},
		"folder gone":     func(w *world, t Target, _ string) { w.must(os.RemoveAll(t.Path)) },
		"folder empty":    func(w *world, t Target, _ string) { w.must(os.RemoveAll(t.Path)); w.must(os.Mkdir(t.Path, 0o777)) },
		"before the mark": func(*world, Target, string) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := small(t)
			target, _ := w.mustProvision("main")
			want := picture(t, target.Path)
			admin := w.Git("-C", target.Path, "rev-parse", "--absolute-git-dir")
			w.Git("-C", target.Path, "update-ref", "-d", string(target.Bind))
			kill(w, target, admin)
			res, err := Provision(t.Context(), w.open(), target)
			if err != nil || res.Existed {
				t.Fatalf("%+v, %v", res, err)
			}
			if got := picture(t, target.Path); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("tree %q, want %q", got, want)
			}
			if got := w.Git("-C", target.Path, "status", "--porcelain") + w.Git("worktree", "prune", "-n", "-v"); got != "" {
				t.Errorf("status or prune: %q", got)
			}
			w.Git("-C", target.Path, "rev-parse", "--verify", string(target.Bind))
		})
	}
}

// TestForeignFileInHalfMade holds that a file which the commit does not have is kept,
// and named.
func TestForeignFileInHalfMade(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mine.txt", "sub/mine.txt", "new folder/deep/mine", "sub/.git", ".GIT"} {
		w := small(t)
		target, _ := w.mustProvision("main")
		w.Git("-C", target.Path, "update-ref", "-d", string(target.Bind))
		w.put(filepath.Join(target.Path, name), "precious")
		_, err := Provision(t.Context(), w.open(), target)
		var foreign *ForeignPathError
		if !errors.As(err, &foreign) || foreign.Path != filepath.Join(target.Path, name) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(filepath.Join(target.Path, name)); err != nil || string(data) != "precious" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// TestWholeButBroken is a marked worktree that lost its .git file: somebody's work is
// in it, so it is neither good nor redone.
func TestWholeButBroken(t *testing.T) {
	t.Parallel()
	w := small(t)
	target, _ := w.mustProvision("main")
	w.must(os.Remove(filepath.Join(target.Path, ".git")))
	w.put(target.Path+"/work", "x")
	_, err := Provision(t.Context(), w.open(), target)
	var foreign *ForeignPathError
	if !errors.As(err, &foreign) || !exists(target.Path+"/work") {
		t.Errorf("%v", err)
	}
}

// TestFolderDeletedByHand removes a whole, marked worktree's folder, also where the way
// to it leads through a link.
func TestFolderDeletedByHand(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.link(filepath.Join(w.root, "link"), "p")
	for _, linked := range []bool{false, true} {
		target := w.target("main")
		if linked {
			target.Path = strings.Replace(target.Path, filepath.Join(w.root, "p"), filepath.Join(w.root, "link"), 1)
		}
		for _, remains := range []string{"nothing", "an empty folder", "nothing"} {
			res, err := Provision(t.Context(), w.open(), target)
			if err != nil || res.Existed {
				t.Fatalf("linked %v, then %s: %+v, %v", linked, remains, res, err)
			}
			if got := w.Git("-C", target.Path, "status", "--porcelain"); got != "" {
				t.Errorf("status %q", got)
			}
			w.must(os.RemoveAll(target.Path))
			if remains == "an empty folder" {
				w.must(os.Mkdir(target.Path, 0o777))
			}
		}
	}
}

// TestLockedAndMissing is D5 of the field reports: a worktree on a medium that is not
// mounted.
func TestLockedAndMissing(t *testing.T) {
	t.Parallel()
	w := small(t)
	target, _ := w.mustProvision("main")
	w.Git("worktree", "lock", "--reason", "on a USB stick", target.Path)
	w.must(os.RemoveAll(target.Path))
	_, err := Provision(t.Context(), w.open(), target)
	if err == nil || !strings.Contains(err.Error(), "on a USB stick") {
		t.Errorf("error %v", err)
	}
	if list := w.Git("worktree", "list", "--porcelain"); !strings.Contains(list, "locked on a USB stick") || exists(target.Path) {
		t.Errorf("list:\n%s", list)
	}
}
