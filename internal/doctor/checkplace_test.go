package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/notes"
)

func TestMatchesRef(t *testing.T) {
	t.Parallel()
	const ref = "refs/notes/okstra/p/g/t"
	for pattern, want := range map[string]bool{
		"refs/notes/*":              true,
		"refs/notes/okstra/*":       true,
		"refs/notes/okstra/p/*/t":   true,
		"refs/notes/o?stra/p/g/t":   true,
		"refs/notes/[op]kstra/*":    true,
		"refs/notes/okstra":         true,
		"refs/notes":                true,
		"refs/notes/":               true,
		ref:                         true,
		"*":                         true,
		"":                          false,
		"refs/notes/commits":        false,
		"refs/notes/okstra-qa/*":    false,
		"refs/notes/okstr":          false,
		"refs/notes/okstra/p/g/t/x": false,
		"refs/notes/okstra/q/*":     false,
		"refs/notes/[ab]kstra/*":    false,
		"refs/notes/[":              false,
		"refs.notes*":               false,
	} {
		if got := matchesRef(pattern, ref); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}

func TestFetchHits(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string][2]bool{
		"+refs/notes/*:refs/notes/*":                          {true, true},
		"refs/notes/*:refs/notes/*":                           {false, true},
		"+refs/*:refs/*":                                      {true, true},
		"+refs/okstra/*:refs/okstra/*":                        {true, true},
		"refs/okstra/a/b/c/plan:refs/okstra/a/b/c/plan":       {false, true},
		"+refs/notes/okstra/a/*:refs/notes/okstra/a/*":        {true, true},
		"+refs/x/*:refs/notes/okstra/*/c":                     {true, true},
		"+refs/okstra/*:refs/okstra-local/*":                  {true, true},
		"+refs/okstra/*:refs/okstra-remote/origin/state/*":    {true, false},
		"+refs/heads/*:refs/remotes/origin/*":                 {true, false},
		"+refs/notes/*:refs/notes/origin/*":                   {true, false},
		"+refs/notes/commits:refs/notes/commits":              {true, false},
		"+refs/notes/okstra-qa/*:refs/notes/okstra-qa/mine/*": {true, false},
		"refs/notes/okstra/*":                                 {false, false},
		"^refs/notes/okstra/*":                                {false, false},
		"refs/okstra/x:":                                      {false, false},
		"main:okstra":                                         {false, false},
		"":                                                    {false, false},
	} {
		if forced, hits := fetchHits(spec); forced != want[0] || hits != want[1] {
			t.Errorf("%q: forced %v, hits %v", spec, forced, hits)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.rewrites = []setting{{"notes.rewriteRef", "refs/notes/it's*"}, {"notes.rewriteRef", "refs/notes/*"}, {"GIT_NOTES_REWRITE_REF", "refs/notes/okstra/p/g/t"}}
	w.notesRefs = []gitops.RefName{"refs/notes/okstra/p/g/t"}
	w.expect(t, "warning notes-rewrite 0 notes.rewriteRef = refs/notes/* makes", "warning notes-rewrite 0 GIT_NOTES_REWRITE_REF = refs/notes/okstra/p/g/t makes")
	w.overwrite = true
	w.expect(t, "warning notes-rewrite 0 refs/notes/* … overwrite", "warning notes-rewrite 0 overwrite")
	hints := judge(w.facts).Findings[0].Hints
	if want := `remove this value with: git config --unset notes.rewriteRef '^refs/notes/\*$'`; len(hints) != 1 || hints[0][len(hints[0])-len(want):] != want {
		t.Errorf("%q", hints)
	}
	if got := shellQuote("it's"); got != `'it'\''s'` {
		t.Error(got)
	}
	w = newWorld()
	w.remotes = []remote{
		{"origin", []string{"+refs/heads/*:refs/remotes/origin/*", "+refs/notes/*:refs/notes/*"}, false},
		{"b", []string{"refs/okstra/*:refs/okstra/*"}, true},
		{"c", []string{"refs/okstra/*:refs/okstra/*"}, false},
	}
	w.expect(t, "error fetch-overwrites 0 remote.origin.fetch = +refs/notes/*:refs/notes/* … it is forced",
		"error fetch-overwrites 0 remote.b.fetch … fetching prunes", "warning fetch-overwrites 0 remote.c.fetch")
	w = newWorld()
	w.tasks, w.anyState = nil, false
	w.expect(t)
	w.remotes = []remote{{name: "up"}}
	w.expect(t, "info state-not-fetched 0")
	for name, words := range map[string]string{"origin": "git okstra sync origin", "a b": "git okstra sync 'a b'", "it's": `git okstra sync 'it'\''s'`} {
		w.remotes[0].name = name
		if f := judge(w.facts).Findings[0]; !strings.Contains(f.Hints[0], words) {
			t.Errorf("%q", f.Hints)
		}
	}
	w.facts.formats = []string{"format-sha256", "format-shallow"}
	w.expect(t, "info state-not-fetched 0", "info format-sha256 0", "info format-shallow 0")
}

// TestWantsOneTask: state of another task than the one asked for is state.
func TestWantsOneTask(t *testing.T) {
	t.Parallel()
	d := &Doctor{Wants: func(key string) bool { return key == "p/g/t" }}
	f := &facts{heads: map[string]gitops.Hash{}, tracked: map[string][]gitops.Hash{}, own: map[gitops.Hash]bool{}}
	d.sortRefs(f, gitops.RefListing{Refs: []gitops.Ref{
		{Name: "refs/okstra/p/g/u/plan", Hash: id(1)},
		{Name: "refs/okstra/short", Hash: id(1)},
		{Name: "refs/notes/okstra/p/g/u", Hash: id(1)},
		{Name: "refs/notes/okstra/deep/p/g/t", Hash: id(1)},
	}})
	if len(f.tasks) != 0 || !f.anyState {
		t.Errorf("%+v", f)
	}
	d.sortRefs(f, gitops.RefListing{Refs: []gitops.Ref{
		{Name: "refs/okstra/p/g/t/done/1", Hash: id(3)},
		{Name: "refs/okstra/p/g/t/done/01", Hash: id(1)},
		{Name: "refs/okstra/p/g/t/done/0", Hash: id(1)},
		{Name: "refs/okstra/p/g/t/done/x", Hash: id(1)},
		{Name: "refs/okstra/p/g/t/later/1", Hash: id(1)},
		{Name: "refs/heads/a/b", Hash: id(4)},
		{Name: "refs/okstra-local/fetched/p/g/t/x", Hash: id(5)},
		{Name: "refs/okstra-local/claims/p/g/t/x", Hash: id(6)},
	}})
	if f.own[id(5)] || !f.own[id(6)] {
		t.Errorf("tags: %v", f.own)
	}
	if len(f.tasks) != 1 || len(f.tasks[0].done) != 1 || f.tasks[0].done[1] != id(3) || f.heads["a/b"] != id(4) {
		t.Errorf("%+v", f.tasks)
	}
}

func TestLeftoversByAge(t *testing.T) {
	t.Parallel()
	w := newWorld()
	at := func(age time.Duration) gitops.LeftFile {
		return gitops.LeftFile{Path: "/x/" + age.String(), Time: w.now.Add(-age)}
	}
	for _, age := range []time.Duration{-time.Hour, time.Second, 10 * time.Minute, 2 * time.Hour} {
		w.locks, w.temps = append(w.locks, at(age)), append(w.temps, at(age))
		w.packs = append(w.packs, gitops.LeftPack{LeftFile: at(age), Pid: 7, Whole: true}, gitops.LeftPack{LeftFile: at(age), Pid: 8, Alive: true})
		w.empty = append(w.empty, emptyFolders{w.t, []string{"/x/" + age.String()}, w.now.Add(-age)})
	}
	w.expect(t, "info stale-lock 0 -1h", "info stale-lock 0 1s", "warning stale-lock 0 10m", "+warning stale-lock 0 2h",
		"+warning pack-kept 0 2h", "+info temp-file 0 2h", "+info folder-empty 0 2h")
}

func TestWorktrees(t *testing.T) {
	t.Parallel()
	// each starts with a whole worktree of a reserved stage
	for name, c := range map[string]struct {
		change func(*world)
		want   []string
	}{
		"whole":          {func(*world) {}, nil},
		"locked":         {func(w *world) { w.trees[0].locked, w.trees[0].reason = true, "mine\x1b" }, []string{`info worktree-locked 1 mine\x1b`}},
		"locked, no why": {func(w *world) { w.trees[0].locked = true }, []string{"info worktree-locked 1 no reason given"}},
		"no mark":        {func(w *world) { w.trees[0].marked = false }, []string{"warning worktree-unmarked 1"}},
		"in the making":  {func(w *world) { w.trees[0].marked, w.trees[0].touched = false, w.now }, []string{"info worktree-unmarked 1"}},
		"no link":        {func(w *world) { w.trees[0].link = false }, []string{"warning worktree-unfinished 1 .git file"}},
		"no index":       {func(w *world) { w.trees[0].indexed = false }, []string{"warning worktree-unfinished 1 index"}},
		"gone": {
			func(w *world) { w.trees[0].folder, w.trees[0].link = false, false },
			[]string{"warning worktree-gone 1"},
		},
		"gone and locked": {
			func(w *world) { w.trees[0].folder, w.trees[0].link, w.trees[0].locked = false, false, true },
			[]string{"info worktree-gone 1"},
		},
		"stale":                {func(w *world) { w.t.stale[1] = "its lease of 2h is over" }, []string{"warning reservation-stale 1 reserved by somebody, and stale: its lease of 2h is over"}},
		"stale and done":       {func(w *world) { w.t.stale[1] = "x"; w.row(notes.Done, 1, id(1), "c1").done(1, id(1)) }, []string{"+warning reservation-beside-done 1"}},
		"taken over":           {func(w *world) { w.row(notes.TakenOver, 1, id(1), "c2").claim(func(c *Claim) { c.ID = "c2" }) }, nil},
		"its mark":             {func(w *world) { w.mark(w.t.reserved[1]) }, nil},
		"a mark that is left":  {func(w *world) { w.mark(id(9)) }, []string{"+info seen-left-over 1 refs/okstra-local/seen/p/g/t/1/"}},
		"released":             {func(w *world) { w.row(notes.Released, 1, "", "c1"); delete(w.t.reserved, 1); delete(w.t.claims, 1) }, []string{"info mark-without-stage 1"}},
		"another stage's mark": {func(w *world) { w.trees[0].stage = 2 }, []string{"info mark-without-stage 2"}},
		"another task's mark":  {func(w *world) { w.trees[0].key = "p/g/u" }, []string{"info mark-without-stage 1"}},
	} {
		w := newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", id(1))
		c.change(w)
		t.Run(name, func(t *testing.T) { t.Parallel(); w.expect(t, c.want...) })
	}
}

// mark adds the mark of a reservation of stage 1.
func (w *world) mark(tag gitops.Hash) {
	name := gitops.RefName(fmt.Sprintf("%s/%s/1/%s/0123456789abcdef", seen, w.t.key, tag))
	w.t.marks[1] = append(w.t.marks[1], gitops.Ref{Name: name, Hash: id(50)})
}

// claim changes what the reservation of stage 1 says.
func (w *world) claim(change func(*Claim)) {
	c := w.t.claims[1]
	change(&c)
	w.t.claims[1] = c
}

func TestPlace(t *testing.T) {
	t.Parallel()
	target := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	d := &Doctor{Root: link}
	for path, want := range map[string]bool{
		filepath.Join(link, "p/g/t/stage-3"):           true,
		filepath.Join(resolved(link), "p/g/t/stage-3"): true,
		filepath.Join(link, "p/g/t/stage-03"):          false,
		filepath.Join(link, "p/g/t/stage-3/below"):     false,
		filepath.Join(link, "p/g/t/3"):                 false,
		filepath.Join(link, "g/t/stage-3"):             false,
		"/elsewhere/p/g/t/stage-3":                     false,
	} {
		if key, n, ok := d.place(path); ok != want || ok && (key != "p/g/t" || n != 3) {
			t.Errorf("%s: %q %d %v", path, key, n, ok)
		}
	}
	if _, _, ok := (&Doctor{}).place("p/g/t/stage-3"); ok {
		t.Error("without a root nothing is below it")
	}
}

func TestHollow(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := &Doctor{Root: root}
	empty := newTask("p/g/t")
	if dirs, _ := d.hollowTask(empty, nil); len(dirs) != 0 {
		t.Errorf("nothing there: %q", dirs)
	}
	stage := filepath.Join(root, "p", "g", "t", "stage-1")
	if err := os.MkdirAll(stage, 0o777); err != nil {
		t.Fatal(err)
	}
	dirs, newest := d.hollowTask(empty, nil)
	if len(dirs) != 4 || dirs[0] != stage || dirs[3] != filepath.Join(root, "p") || time.Since(newest) > time.Hour {
		t.Errorf("%q %v", dirs, newest)
	}
	if dirs, _ := d.hollowTask(empty, []tree{{key: "p/g/t", folder: true}}); len(dirs) != 0 {
		t.Errorf("a worktree stands there: %q", dirs)
	}
	if err := os.MkdirAll(filepath.Join(root, "p", "g", "u"), 0o777); err != nil {
		t.Fatal(err)
	}
	if dirs, _ := d.hollowTask(empty, nil); len(dirs) != 2 {
		t.Errorf("another task beside it: %q", dirs)
	}
	if err := os.WriteFile(filepath.Join(stage, "precious"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, _ := d.hollowTask(empty, nil); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if err := removeEmpty(dirs); err == nil {
		t.Error("removed what is not empty")
	}
	if err := os.Remove(filepath.Join(stage, "precious")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := removeEmpty(dirs[:2]); err != nil {
			t.Error(err)
		}
	}
}
