package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// markPrefix is where a worktree says which stage it is for.
const markPrefix = "refs/worktree/okstra"

// readConfig takes what matters out of git's configuration and environment.
func (d *Doctor) readConfig(f *facts) error {
	c := d.Repo.Config()
	if d.Settings != nil {
		var err error
		if f.unset, err = d.Settings.Missing(); err != nil {
			return err
		}
	}
	prune, _ := c.Bool("fetch.prune", false) // an unknown word prunes nothing
	for _, name := range c.Subsections("remote.", ".url") {
		own, err := c.Bool("remote."+name+".prune", prune)
		f.remotes = append(f.remotes, remote{name, nil, own && err == nil})
	}
	for _, name := range c.Subsections("remote.", ".fetch") {
		at := -1
		for i, r := range f.remotes {
			if r.name == name {
				at = i
			}
		}
		if at < 0 {
			f.remotes = append(f.remotes, remote{name: name})
			at = len(f.remotes) - 1
		}
		f.remotes[at].fetch = c.All("remote." + name + ".fetch")
	}
	if env := d.Repo.Env("GIT_NOTES_REWRITE_REF"); env != "" {
		for value := range strings.SplitSeq(env, ":") {
			f.rewrites = append(f.rewrites, setting{"GIT_NOTES_REWRITE_REF", value})
		}
	} else {
		for _, value := range c.All("notes.rewriteRef") {
			f.rewrites = append(f.rewrites, setting{"notes.rewriteRef", value})
		}
	}
	mode := c.Get("notes.rewriteMode")
	if env := d.Repo.Env("GIT_NOTES_REWRITE_MODE"); env != "" {
		mode = env
	}
	f.overwrite = strings.EqualFold(mode, "overwrite")
	for _, name := range c.Subsections("remote.", ".promisor") {
		promisor, err := c.Bool("remote."+name+".promisor", false)
		f.partial = f.partial || promisor || err != nil
	}
	f.partial = f.partial || c.Get("extensions.partialClone") != ""
	f.formats = d.readFormats(f)
	return nil
}

// readFormats tells which of the format checks apply.
func (d *Doctor) readFormats(f *facts) []string {
	c := d.Repo.Config()
	on := func(key string) bool {
		v, err := c.Bool(key, false)
		return v || err != nil
	}
	_, err := os.Stat(filepath.Join(d.Repo.CommonDir(), "objects", "info", "alternates"))
	applies := []struct {
		code string
		here bool
	}{
		{"format-sha256", c.Get("extensions.objectFormat") == "sha256"},
		{"format-reftable", c.Get("extensions.refStorage") == "reftable"},
		{"format-alternates", err == nil || d.Repo.Env("GIT_ALTERNATE_OBJECT_DIRECTORIES") != ""},
		{"format-partial-clone", f.partial},
		{"format-shallow", f.shallow},
		{"format-replace", d.Repo.MayReplace()},
		{"format-sparse", on("core.sparseCheckout")},
		{"format-sparse-index", on("index.sparse")},
		{"format-split-index", on("core.splitIndex")},
	}
	var codes []string
	for _, a := range applies {
		if a.here {
			codes = append(codes, a.code)
		}
	}
	return codes
}

// readTrees finds the worktrees that are, or look like, those of stages.
func (d *Doctor) readTrees(ctx context.Context, f *facts) error {
	all, err := d.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	f.readLandings(all)
	files := d.Repo.Config().Get("extensions.refStorage") == ""
	for _, wt := range all {
		t := tree{Worktree: wt, indexed: wt.Indexed()}
		t.folder, t.link = wt.Present()
		t.reason, t.locked = wt.Lock()
		marks := d.Repo.WorktreeRefs(wt, markPrefix)
		if !files {
			if marks, err = d.Repo.BoundRefs(ctx, wt, markPrefix); err != nil {
				return err
			}
		}
		for _, ref := range marks {
			key, num, ok := splitKey(strings.TrimPrefix(string(ref.Name), markPrefix+"/"))
			if n, isNumber := stageNumber(num); ok && isNumber && d.wants(key) {
				t.key, t.stage, t.marked = key, n, true
				f.trees = append(f.trees, t)
			}
		}
		if key, n, ok := d.place(wt.Path); ok && !t.marked && wt.ID != "" && d.wants(key) {
			t.key, t.stage, t.touched = key, n, wt.Touched()
			f.trees = append(f.trees, t)
		}
	}
	return nil
}

func (d *Doctor) wants(key string) bool { return d.Wants == nil || d.Wants(key) }

// place reads from a path below the worktree root which stage's it is.
func (d *Doctor) place(path string) (key string, n plan.StageNumber, ok bool) {
	if d.Root == "" {
		return "", 0, false
	}
	for _, root := range []string{d.Root, resolved(d.Root)} {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			continue
		}
		key, last, ok := splitKey(filepath.ToSlash(rel))
		num, stage := strings.CutPrefix(last, "stage-")
		if n, isNumber := stageNumber(num); ok && stage && isNumber && !strings.HasPrefix(key, "..") {
			return key, n, true
		}
	}
	return "", 0, false
}

func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// readFiles looks for what killed processes leave behind.
func (d *Doctor) readFiles(f *facts) {
	f.locks = d.Repo.LockFiles("refs/okstra", "refs/okstra-local", "refs/okstra-remote", "refs/notes/okstra", "refs/notes/okstra-qa")
	seen := map[string]bool{}
	for _, t := range f.tasks {
		for _, names := range t.branches() {
			for _, name := range names {
				if lock, ok := d.Repo.LockOf(gitops.RefName("refs/heads/" + name)); ok && !seen[name] {
					seen[name] = true
					f.locks = append(f.locks, lock)
				}
			}
		}
		if dirs, newest := d.hollowTask(t, f.trees); len(dirs) > 0 {
			f.empty = append(f.empty, emptyFolders{t, dirs, newest})
		}
	}
	f.packs, f.temps = d.Repo.LeftPacks()
	f.temps = append(f.temps, d.Repo.LeftFolders()...)
}

// hollowTask lists the empty folders of a task below the worktree root, and those
// above them that hold nothing else.
func (d *Doctor) hollowTask(t *task, trees []tree) (dirs []string, newest time.Time) {
	if d.Root == "" {
		return nil, newest
	}
	for _, w := range trees {
		if w.key == t.key && w.folder {
			return nil, newest
		}
	}
	dir := filepath.Join(d.Root, filepath.FromSlash(t.key))
	dirs, newest, ok := hollow(dir, 2)
	if !ok {
		return nil, newest
	}
	for range 2 { // group and project
		dir = filepath.Dir(dir)
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			break
		}
		dirs = append(dirs, dir)
	}
	return dirs, newest
}

// hollow lists a folder and those in it, children first; false where there is
// anything but folders in it.
func hollow(dir string, depth int) (dirs []string, newest time.Time, ok bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || depth == 0 {
		return nil, newest, false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, newest, false
	}
	newest = info.ModTime()
	for _, e := range entries {
		below, at, ok := hollow(filepath.Join(dir, e.Name()), depth-1)
		if !ok {
			return nil, newest, false
		}
		dirs = append(dirs, below...)
		if at.After(newest) {
			newest = at
		}
	}
	return append(dirs, dir), newest, true
}
