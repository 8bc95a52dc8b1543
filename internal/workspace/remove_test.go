package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
)

// removal describes the removal of a worktree that stands for a target.
func (w *world) removal(t Target) (*gitops.Repo, Removal) {
	w.t.Helper()
	repo := w.open()
	found, err := repo.FindMarked(w.t.Context(), t.Bind)
	if err != nil || len(found) != 1 {
		w.t.Fatalf("marked: %v %v", found, err)
	}
	return repo, Removal{Worktree: found[0], Bind: t.Bind, Dir: filepath.Dir(t.Path)}
}

// losses are what the removal would cost, as lines.
func (w *world) losses(t Target, change func(*Removal)) []string {
	w.t.Helper()
	repo, rm := w.removal(t)
	if change != nil {
		change(&rm)
	}
	list, err := Losses(w.t.Context(), repo, rm)
	if err != nil {
		w.t.Fatal(err)
	}
	var lines []string
	for _, l := range list {
		lines = append(lines, l.String())
	}
	return lines
}

func (w *world) place(path, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o777))
	w.must(os.WriteFile(path, []byte(text), 0o666))
}

// aside lists what lies beside a target under a name of a removal.
func (w *world) aside(t Target) []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(t.Path), ".*.remov*"))
	w.must(err)
	return found
}

func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, rm := w.removal(target)
	w.must(Remove(t.Context(), repo, rm))
	w.nothingLeft(target)
	if left := w.aside(target); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	w.Git("rev-parse", string(target.Branch)) // the branch is none of its business
	if err := Remove(t.Context(), repo, rm); err != nil {
		t.Errorf("again: %v", err)
	}
	no := errors.New("no")
	rm.Settle = func(context.Context) error { return no }
	if err := Remove(t.Context(), repo, rm); !errors.Is(err, no) {
		t.Errorf("again, and what it is removed for is not done: %v", err)
	}
	if _, err := Provision(t.Context(), repo, target); err != nil {
		t.Errorf("made anew: %v", err)
	}
}

// TestRemoveSeesWhatCameMeanwhile: whatever changes between the look and the removal
// brings the folder back, and is then named.
func TestRemoveSeesWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world, dir string, admin string){
		"new":      func(w *world, dir, _ string) { w.place(filepath.Join(dir, "late"), "x") },
		"deep":     func(w *world, dir, _ string) { w.place(filepath.Join(dir, "a", "b", "late"), "x") },
		"modified": func(w *world, dir, _ string) { w.place(filepath.Join(dir, "README.md"), "other\n") },
		"locked":   func(w *world, _, admin string) { w.place(filepath.Join(admin, "locked"), "mine") },
		"merging": func(w *world, _, admin string) {
			w.place(filepath.Join(admin, "MERGE_HEAD"), w.Git("rev-parse", "HEAD"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "linear")
			target, _ := w.mustProvision("HEAD")
			repo, rm := w.removal(target)
			before, err := fingerprint(t.Context(), rm.Worktree.Path, rm.Worktree.GitDir)
			w.must(err)
			change(w, target.Path, rm.Worktree.GitDir)
			err = underParent(t.Context(), target.Path, func() error {
				_, err := putAside(t.Context(), repo, rm, before)
				return err
			})
			if !errors.Is(err, errChanged) {
				t.Errorf("%v", err)
			}
			var lost *LossError
			if err := Remove(t.Context(), repo, rm); !errors.As(err, &lost) || len(lost.Losses) == 0 {
				t.Errorf("%v", err)
			}
			if left := w.aside(target); len(left) > 0 || !exists(target.Path) {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestRemoveAsksBeforeItDecides: the folder is out of the way while Settle is asked,
// and back where it says no.
func TestRemoveAsksBeforeItDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, rm := w.removal(target)
	no := errors.New("no")
	rm.Settle = func(context.Context) error {
		if exists(target.Path) || len(w.aside(target)) != 1 {
			t.Error("the folder is still there")
		}
		if list, err := Leftovers(t.Context(), repo, filepath.Dir(target.Path)); err != nil || len(list) > 0 {
			t.Errorf("a removal under way is a leftover: %+v %v", list, err)
		}
		return no
	}
	if err := Remove(t.Context(), repo, rm); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
	if status := w.Git("-C", target.Path, "status", "--porcelain"); status != "" {
		t.Errorf("it came back as %q", status)
	}
}

// TestRemoveWhatGitRefuses: what git refuses to forget comes back.
func TestRemoveWhatGitRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, rm := w.removal(target)
	rm.Settle = func(context.Context) error {
		w.place(filepath.Join(rm.Worktree.GitDir, "locked"), "in the last moment")
		return nil
	}
	err := Remove(t.Context(), repo, rm)
	if err == nil || !exists(target.Path) || len(w.aside(target)) > 0 {
		t.Errorf("%v, aside %v", err, w.aside(target))
	}
}

// TestRemoveWhatAlwaysChanges: it is given up, with the folder in its place.
func TestRemoveWhatAlwaysChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, rm := w.removal(target)
	asked := 0
	rm.Settle = func(context.Context) error { asked++; return errChanged }
	var lost *LossError
	if err := Remove(t.Context(), repo, rm); !errors.As(err, &lost) || lost.Losses[0].Kind != LossBusy || asked != maxLooks {
		t.Errorf("%v after %d", err, asked)
	}
	if !exists(target.Path) {
		t.Error("it is gone")
	}
}

// TestRemoveWaitsForTheLock: a worktree that is being made or resumed is not removed
// under its maker.
func TestRemoveWaitsForTheLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, rm := w.removal(target)
	unlock, err := lockDir(t.Context(), target.Path)
	w.must(err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Remove(ctx, repo, rm) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	unlock()
	w.must(Remove(t.Context(), repo, rm))
	w.nothingLeft(target)
}

// TestLeftovers: each word of a name means what is to be done.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, _ := w.removal(target)
	dir := filepath.Dir(target.Path)
	id := strings.Repeat("0", 16)
	for _, word := range []string{wordAside, wordDecided} {
		left := aside(dir, filepath.Base(target.Path), word, id)
		w.must(os.Rename(target.Path, left))
		list, err := Leftovers(t.Context(), repo, dir)
		w.must(err)
		if len(list) != 1 || list[0].Path != left || list[0].Worktree != target.Path || list[0].Decided != (word == wordDecided) || list[0].Why != "" {
			t.Fatalf("%s: %+v", word, list)
		}
		unlock, free := tryLockDir(left)
		if list, _ := Leftovers(t.Context(), repo, dir); len(list) > 0 || !free {
			t.Errorf("one that is being settled: %+v", list)
		}
		w.must(list[0].Settle(t.Context(), repo)) // does nothing: somebody is at it
		unlock()
		if !exists(left) {
			t.Fatal("settled under somebody's lock")
		}
		w.must(list[0].Settle(t.Context(), repo))
		w.must(list[0].Settle(t.Context(), repo))
		if exists(left) || exists(target.Path) != (word == wordAside) {
			t.Errorf("%s: not settled", word)
		}
	}
	w.nothingLeft(target)
	if list, err := Leftovers(t.Context(), repo, filepath.Join(dir, "nowhere")); err != nil || len(list) > 0 {
		t.Errorf("no folder: %+v %v", list, err)
	}
}

// TestLeftoversThatNobodyCanJudge stay where they are.
func TestLeftoversThatNobodyCanJudge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, _ := w.removal(target)
	dir := filepath.Dir(target.Path)
	left := aside(dir, filepath.Base(target.Path), wordAside, strings.Repeat("a", 16))
	w.must(os.Rename(target.Path, left))
	w.must(os.Mkdir(target.Path, 0o777))
	check := func(what string) {
		t.Helper()
		list, err := Leftovers(t.Context(), repo, dir)
		if err != nil || len(list) != 1 || list[0].Why == "" || list[0].Settle(t.Context(), repo) == nil || !exists(left) {
			t.Errorf("%s: %+v %v", what, list, err)
		}
	}
	check("its place is taken")
	w.must(os.Remove(target.Path))
	other := aside(dir, "other", wordDecided, strings.Repeat("b", 16))
	w.must(os.Rename(left, other)) // git's registration is that of a worktree with another name
	if list, err := Leftovers(t.Context(), repo, dir); err != nil || len(list) != 1 || list[0].Worktree != "" {
		t.Errorf("under another name: %+v %v", list, err)
	}
	w.must(os.Rename(other, left))
	w.Git("worktree", "prune")
	check("git has forgotten it")
}

// TestStartPutsBack: a worktree is made where one was put aside and nothing decided: the
// old one comes back, with what lies in it.
func TestStartPutsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, _ := w.removal(target)
	w.place(filepath.Join(target.Path, "mine"), "x")
	dir, base := filepath.Split(target.Path)
	w.must(os.Rename(target.Path, aside(dir, base, wordAside, strings.Repeat("1", 16))))
	res, err := Provision(t.Context(), repo, target)
	if err != nil || !res.Existed || !exists(filepath.Join(target.Path, "mine")) {
		t.Errorf("%+v %v", res, err)
	}
	// one that was decided is none of its business
	decided := aside(dir, base, wordDecided, strings.Repeat("1", 16))
	w.must(os.Rename(target.Path, decided))
	res, err = Provision(t.Context(), repo, target)
	if err != nil || res.Existed || exists(filepath.Join(target.Path, "mine")) || !exists(decided) {
		t.Errorf("%+v %v", res, err)
	}
}

// TestRemoveFromFarAway: a moved worktree goes aside where the stages' worktrees stand.
func TestRemoveFromFarAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	moved := filepath.Join(w.root, "elsewhere")
	w.Git("worktree", "move", target.Path, moved)
	repo, rm := w.removal(target)
	seen := 0
	rm.Settle = func(context.Context) error { seen = len(w.aside(target)); return nil }
	w.must(Remove(t.Context(), repo, rm))
	if seen != 1 || exists(moved) {
		t.Errorf("%d aside", seen)
	}
	w.nothingLeft(target)
}

// TestDeleteAll: folders without permission to write do not stop it.
func TestDeleteAll(t *testing.T) {
	t.Parallel()
	w := &world{t: t}
	top := filepath.Join(t.TempDir(), "top")
	w.place(filepath.Join(top, "a", "b", "f"), "x")
	w.must(os.Chmod(filepath.Join(top, "a", "b"), 0o500))
	w.must(os.Chmod(filepath.Join(top, "a"), 0o500))
	w.must(deleteAll(top))
	if exists(top) {
		t.Error("it is there")
	}
	w.must(deleteAll(top))
}

// TestFingerprint: everything that a person could do to a file shows.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	w := &world{t: t}
	top := filepath.Join(t.TempDir(), "top")
	file := filepath.Join(top, "d", "f")
	w.place(file, "one")
	take := func() digest {
		t.Helper()
		d, err := fingerprint(t.Context(), top)
		w.must(err)
		return d
	}
	last := take()
	if take() != last {
		t.Error("it differs by itself")
	}
	other := top + "2"
	w.must(os.Rename(top, other))
	if d, err := fingerprint(t.Context(), other); err != nil || d != last {
		t.Errorf("a rename counts: %v", err)
	}
	w.must(os.Rename(other, top))
	for name, change := range map[string]func() error{
		"content": func() error { return os.WriteFile(file, []byte("three"), 0o666) },
		"mode":    func() error { return os.Chmod(file, 0o711) },
		"folder":  func() error { return os.Mkdir(filepath.Join(top, "e"), 0o777) },
		"link":    func() error { return os.Symlink("f", filepath.Join(top, "d", "l")) },
		"replaced": func() error {
			return errors.Join(os.WriteFile(file+"x", []byte("two"), 0o666), os.Rename(file+"x", file))
		},
		"gone": func() error { return os.Remove(file) },
	} {
		w.must(change())
		now := take()
		if now == last {
			t.Errorf("%s does not show", name)
		}
		if last = now; name == "gone" {
			w.place(file, "two")
			last = take()
		}
	}
	if _, err := fingerprint(t.Context(), filepath.Join(top, "nowhere")); !errors.Is(err, errChanged) {
		t.Errorf("what is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fingerprint(ctx, top); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLossesAtAPlace: what stands where the worktree is said to be.
func TestLossesAtAPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	if got := w.losses(target, nil); len(got) > 0 {
		t.Errorf("of a clean one: %q", got)
	}
	for name, c := range map[string]struct {
		change func(*Removal)
		want   string
	}{
		"caller":  {func(rm *Removal) { rm.Caller = filepath.Join(target.Path, "d") }, "caller"},
		"at top":  {func(rm *Removal) { rm.Caller = target.Path }, "caller"},
		"beside":  {func(rm *Removal) { rm.Caller = target.Path + "0" }, ""},
		"above":   {func(rm *Removal) { rm.Caller = filepath.Dir(target.Path) }, ""},
		"another": {func(rm *Removal) { rm.Worktree.GitDir = w.path(".git") }, "foreign"},
		"main":    {func(rm *Removal) { rm.Worktree.ID = "" }, "foreign"},
	} {
		got := w.losses(target, c.change)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.want)) {
			t.Errorf("%s: %q", name, got)
		}
	}
	w.must(os.Rename(target.Path, target.Path+"-real"))
	w.must(os.Symlink(target.Path+"-real", target.Path))
	if got := w.losses(target, nil); len(got) != 1 || !strings.Contains(got[0], "it is a link") {
		t.Errorf("a link: %q", got)
	}
}

// TestIgnored: ignored files are kept but for what the tool put there, the user lets go,
// or a program calls a cache.
func TestIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	w.place(w.path(".git/info/exclude"), "*.log\nbuild/\nnode_modules/\n.env\ncache/\n")
	for name, text := range map[string]string{
		".env": "secret", "x.log": "x", "deep/y.log": "y", "build/out": "o", "build/keep/notes": "n",
		"node_modules/a/index.js": "a", "deep/node_modules/b": "b",
		"cache/CACHEDIR.TAG": cacheTag + "\n# by a program\n", "cache/x": "x",
	} {
		w.place(filepath.Join(target.Path, name), text)
	}
	all := []string{"ignored .env", "ignored build/", "ignored deep/node_modules/", "ignored deep/y.log", "ignored node_modules/", "ignored x.log"}
	for name, c := range map[string]struct {
		change func(*Removal)
		want   []string
	}{
		"none":  {nil, all},
		"all":   {func(rm *Removal) { rm.Ignored = true }, nil},
		"some":  {func(rm *Removal) { rm.Globs = []string{"node_modules", "*.log"} }, []string{"ignored .env", "ignored build/"}},
		"parts": {func(rm *Removal) { rm.Globs = []string{"node_modules/", "*.log", ".env", "build/out"} }, []string{"ignored build/"}},
		"every part": {
			func(rm *Removal) {
				rm.Globs = []string{"node_modules/**", "*.log", ".env", "build/out", "/build/keep/**"}
			}, nil,
		},
		"ours": {
			func(rm *Removal) {
				rm.Ours = func() func(string) bool {
					return func(path string) bool { return path == ".env" || strings.HasPrefix(path, "build/") }
				}
			},
			[]string{"ignored deep/node_modules/", "ignored deep/y.log", "ignored node_modules/", "ignored x.log"},
		},
	} {
		got := w.losses(target, c.change)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	w.place(filepath.Join(target.Path, "cache", "CACHEDIR.TAG"), "Signature: of something else")
	if got := w.losses(target, func(rm *Removal) { rm.Globs = []string{"[", "*.log", ".env", "build", "**/node_modules"} }); !slices.Equal(got, []string{"ignored cache/"}) {
		t.Errorf("a tag without its signature: %q", got)
	}
}

// TestOursIsAskedAtEachLook: what was brought along is vouched for as it is now, not as it
// was when the removal began.
func TestOursIsAskedAtEachLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	w.place(w.path(".git/info/exclude"), ".env\n")
	env := filepath.Join(target.Path, ".env")
	w.place(env, "brought")
	repo, rm := w.removal(target)
	rm.Ours = func() func(string) bool {
		data, err := os.ReadFile(env)
		return func(string) bool { return err == nil && string(data) == "brought" }
	}
	rm.Settle = func(context.Context) error {
		aside := w.aside(target)
		w.place(filepath.Join(aside[0], ".env"), "written meanwhile")
		return errChanged
	}
	var lost *LossError
	if err := Remove(t.Context(), repo, rm); !errors.As(err, &lost) || lost.Losses[0].Path != ".env" {
		t.Errorf("%v", err)
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"node_modules", "node_modules", true},
		{"node_modules", "a/b/node_modules", true},
		{"node_modules", "node_modules/x/y", true},
		{"node_modules/", "node_modules", true},
		{"node_modules/**", "a/node_modules/x", true},
		{"node_modules", "my_node_modules", false},
		{"*.log", "a/b.log", true},
		{"*.log", "a/b.log.txt", false},
		{"/build", "build/x", true},
		{"/build", "a/build", false},
		{"a/b", "a/b/c", true},
		{"a/b", "x/a/b", false},
		{"**/b", "x/a/b", true},
		{"**/b", "b", true},
		{"a/**/c", "a/c", true},
		{"a/**/c", "a/x/y/c", true},
		{"a/**/c", "a/x/y/d", false},
		{"a/*", "a/x", true},
		{"", "a", false},
		{"/", "a", false},
		{"/**", "a", false},
		{"[", "[", false},
		{"a/[", "a/[", false},
		{".env", "env", false},
	} {
		if got := fits(c.glob, c.name); got != c.want {
			t.Errorf("fits(%q, %q) = %v", c.glob, c.name, got)
		}
	}
}

func FuzzFits(f *testing.F) {
	f.Add("a/**/b", "a/x/b/c")
	f.Add("*.log", "x.log")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if len(glob) > 40 || len(name) > 40 {
			return // many ** take their time
		}
		if fits(glob, name) && !fits(glob, name+"/below") {
			t.Errorf("%q is for %q and not for what lies in it", glob, name)
		}
	})
}

// TestLossErrorIsBounded: many losses are counted, and nothing in them acts on a
// terminal.
func TestLossErrorIsBounded(t *testing.T) {
	t.Parallel()
	e := &LossError{Path: "/w"}
	for range 13 {
		e.Losses = append(e.Losses, Loss{LossIgnored, "a\x1b[31m\nb", ""})
	}
	e.Losses = append(e.Losses, Loss{LossKind(gitops.Untracked), "x", ""}, Loss{LossLocked, "/w", "why\x07"})
	lines := e.Lines()
	if len(lines) != maxLosses+1 || lines[maxLosses] != "  and 5 more" || strings.ContainsAny(strings.Join(lines, ""), "\x1b\n") {
		t.Errorf("%q", lines)
	}
	if hints := e.Hints(); len(hints) != 3 {
		t.Errorf("%q", hints)
	}
	for _, l := range e.Losses {
		one := &LossError{Losses: []Loss{l}}
		if len(one.Hints()) != 1 || !strings.Contains(one.Error(), string(l.Kind)) {
			t.Errorf("%v: %q", l, one.Hints())
		}
	}
}

// TestUnreadableFolder: what cannot be looked at is an error and removes nothing.
func TestUnreadableFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "linear")
	target, _ := w.mustProvision("HEAD")
	repo, rm := w.removal(target)
	w.place(filepath.Join(rm.Worktree.GitDir, "index"), "no index")
	err := Remove(t.Context(), repo, rm)
	if err == nil || errors.Is(err, fs.ErrNotExist) || !exists(target.Path) {
		t.Errorf("%v", err)
	}
}
