package gitops

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// remotes is a repository with two commits and a bare one beside it, under a remote's
// name that looks like an option.
func remotes(t *testing.T) (s *sandbox, r *Repo, older, newer Hash) {
	t.Helper()
	s = newSandbox(t)
	s.git("", "init", "-q", "-b", "main", "one")
	s.git("one", "commit", "-q", "--allow-empty", "-m", "a")
	s.git("one", "commit", "-q", "--allow-empty", "-m", "b")
	s.git("", "init", "-q", "--bare", "there")
	s.git("one", "config", "remote.-v.url", "../there")
	older, newer = Hash(s.git("one", "rev-parse", "HEAD~1")), Hash(s.git("one", "rev-parse", "HEAD"))
	r, err := Open(t.Context(), Options{Dir: filepath.Join(s.dir, "one"), Env: s.env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return s, r, older, newer
}

// TestPushRefs: each ref has its own expected value, and a mark of its own.
func TestPushRefs(t *testing.T) {
	t.Parallel()
	s, r, older, newer := remotes(t)
	for _, ref := range []string{"moved", "forced", "gone", "same", "stale"} {
		s.git("one", "push", "-q", "--", "-v", string(newer)+":refs/x/"+ref)
	}
	s.git("one", "push", "-q", "--", "-v", "+"+string(older)+":refs/x/moved")
	marks, err := r.PushRefs(t.Context(), "-v", []RefChange{
		{Name: "refs/x/new", New: newer},
		{Name: "refs/x/moved", Old: older, New: newer},
		{Name: "refs/x/forced", Old: newer, New: older},
		{Name: "refs/x/gone", Old: newer},
		{Name: "refs/x/same", New: newer},
		{Name: "refs/x/stale", Old: older, New: older},
	}, false)
	if ExitCode(err) != 1 {
		t.Errorf("error %v", err)
	}
	want := map[RefName]PushMark{
		"refs/x/new": '*', "refs/x/moved": ' ', "refs/x/forced": '+', "refs/x/gone": '-', "refs/x/same": '=', "refs/x/stale": '!',
	}
	if !maps.Equal(marks, want) {
		t.Errorf("marks %q, want %q", marks, want)
	}
	for name, m := range marks {
		if m.Taken() == (name == "refs/x/stale") {
			t.Errorf("%s: %q", name, m)
		}
	}
	if PushMark(0).Taken() {
		t.Error("a ref without a mark counts as taken")
	}
	marks, err = r.PushRefs(t.Context(), "-v", []RefChange{
		{Name: "refs/x/second", New: newer}, {Name: "refs/x/stale", Old: older, New: older},
	}, true)
	if err == nil || marks["refs/x/second"] != '!' {
		t.Errorf("atomic: %q, %v", marks, err)
	}
	if _, err := r.PushRefs(t.Context(), "-v", []RefChange{{Name: "refs/x/a b", New: newer}}, false); err == nil || ExitCode(err) != -1 {
		t.Errorf("a bad name: %v", err)
	}
	if got := s.git("there", "for-each-ref", "--format=%(refname) %(objectname)"); strings.Contains(got, "second") || !strings.Contains(got, "stale "+string(newer)) {
		t.Errorf("there: %s", got)
	}
}

// TestFetchRefs: refs come and go below one namespace, and nothing else changes.
func TestFetchRefs(t *testing.T) {
	t.Parallel()
	s, r, _, newer := remotes(t)
	s.git("one", "push", "-q", "--", "-v", "main", string(newer)+":refs/x/a", string(newer)+":refs/tags/v1")
	s.git("one", "config", "remote.-v.fetch", "+refs/x/*:refs/remotes/v/*")
	s.git("one", "config", "remote.-v.mirror", "true")
	s.git("one", "config", "core.logAllRefUpdates", "always")
	s.git("one", "update-ref", "refs/y/old", string(newer))
	if err := r.FetchRefs(t.Context(), "-v", "+refs/x/*:refs/y/*"); err != nil {
		t.Fatal(err)
	}
	if got := s.git("one", "for-each-ref", "--format=%(refname)"); got != "refs/heads/main\nrefs/y/a" {
		t.Errorf("refs %q", got)
	}
	for _, name := range []string{"FETCH_HEAD", "logs/refs/y/a"} {
		if _, err := os.Stat(filepath.Join(s.dir, "one", ".git", name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	r2, err := Open(t.Context(), Options{Dir: filepath.Join(s.dir, "one"), Env: s.env})
	if err != nil {
		t.Fatal(err)
	}
	defer r2.Close()
	if marks, err := r2.PushRefs(t.Context(), "-v", []RefChange{{Name: "refs/x/b", New: newer}}, true); err != nil || marks["refs/x/b"] != '*' {
		t.Errorf("a mirror: %q, %v", marks, err)
	}
	s.git("", "init", "-q", "--bare", "empty")
	s.git("one", "config", "remote.e.url", "../empty")
	if err := r2.FetchRefs(t.Context(), "e", "+refs/x/*:refs/z/*"); err != nil {
		t.Errorf("nothing there: %v", err)
	}
	s.git("one", "config", "remote.n.url", "../nowhere")
	if err := r2.FetchRefs(t.Context(), "n", "+refs/x/*:refs/z/*"); ExitCode(err) != 128 {
		t.Errorf("nowhere: %v", err)
	}
}

// TestStamp: a name of any kind has its time, in this clone.
func TestStamp(t *testing.T) {
	t.Parallel()
	_, r, _, _ := remotes(t)
	for _, name := range []string{"sync-a/b", "../../x", "-v"} {
		if _, ok := r.Stamped(name); ok {
			t.Errorf("%q is there already", name)
		}
		before := time.Now().Add(-2 * time.Second)
		if err := r.Stamp(name); err != nil {
			t.Fatal(err)
		}
		if at, ok := r.Stamped(name); !ok || at.Before(before) {
			t.Errorf("%q: %v, %v", name, at, ok)
		}
	}
	files, err := os.ReadDir(filepath.Join(r.CommonDir(), "okstra"))
	if err != nil || len(files) != 3 {
		t.Errorf("files %v, %v", files, err)
	}
}
