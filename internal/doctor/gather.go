package doctor

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// prefixes are the refs that are looked at.
var prefixes = []string{"refs/okstra", "refs/notes/okstra", "refs/heads", "refs/remotes", claims, ports, seen}

// claims holds the tags of the reservations that were made in this clone.
const claims = "refs/okstra-local/claims"

// seen holds the marks of when this clone first saw a reservation.
const seen = "refs/okstra-local/seen"

// maxLooks bounds how often everything is read anew because refs moved meanwhile.
const maxLooks = 3

// gather reads everything. A transaction that another process is carrying out looks
// like a half-made one, so what was read counts only if the refs did not move.
func (d *Doctor) gather(ctx context.Context) (*facts, error) {
	refs, err := d.Repo.InspectRefs(ctx, prefixes...)
	for look := 1; err == nil; look++ {
		f, err := d.look(ctx, refs)
		if err != nil {
			return nil, err
		}
		again, err := d.Repo.InspectRefs(ctx, prefixes...)
		if err != nil {
			return nil, err
		}
		if look == maxLooks || slices.Equal(refs.Refs, again.Refs) && slices.Equal(refs.Broken, again.Broken) {
			return f, nil
		}
		refs = again
	}
	return nil, err
}

// look gathers once, on refs that were read.
func (d *Doctor) look(ctx context.Context, refs gitops.RefListing) (*facts, error) {
	f := &facts{
		now: d.Now(), host: d.Host, root: d.Root, shallow: d.Repo.Shallow(),
		heads: map[string]gitops.Hash{}, tracked: map[string][]gitops.Hash{}, own: map[gitops.Hash]bool{},
		begun: map[string]bool{},
	}
	d.sortRefs(f, refs)
	d.readSlots(ctx, f)
	d.readBegun(ctx, f)
	if err := d.readConfig(f); err != nil {
		return nil, err
	}
	for _, t := range f.tasks {
		for n, tag := range t.reserved {
			t.claims[n] = d.Lifecycle.Claim(ctx, tag)
			var err error
			if t.stale[n], err = d.Lifecycle.Stale(ctx, t.key, n, tag, t.marks[n]); err != nil {
				return nil, err
			}
		}
		if t.plan != "" {
			t.about, t.planErr = d.Lifecycle.Plan(ctx, t.key, t.plan)
		}
		if t.about.Task != "" {
			t.name = t.about.Task
		}
		if t.notes != "" {
			t.log = d.readLog(ctx, t)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if err := d.readTypes(ctx, f); err != nil {
		return nil, err
	}
	if err := d.readTrees(ctx, f); err != nil {
		return nil, err
	}
	if err := d.readRemovals(ctx, f); err != nil {
		return nil, err
	}
	d.readRules(ctx, f)
	d.readHistory(ctx, f)
	d.readFiles(f)
	return f, ctx.Err()
}

// sortRefs files every ref with its task.
func (d *Doctor) sortRefs(f *facts, refs gitops.RefListing) {
	byKey := map[string]*task{}
	at := func(key string) *task {
		if d.Wants != nil && !d.Wants(key) {
			return newTask(key) // not looked at
		}
		if byKey[key] == nil {
			byKey[key] = newTask(key)
			f.tasks = append(f.tasks, byKey[key])
		}
		return byKey[key]
	}
	for _, ref := range refs.Refs {
		name := string(ref.Name)
		if short, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			f.heads[short] = ref.Hash
		} else if rest, ok := strings.CutPrefix(name, "refs/remotes/"); ok {
			_, short, _ := strings.Cut(rest, "/")
			f.tracked[short] = append(f.tracked[short], ref.Hash)
		} else if strings.HasPrefix(name, claims+"/") {
			f.own[ref.Hash] = true
		} else if strings.HasPrefix(name, ports+"/") {
			f.slots = append(f.slots, slot{ref: ref})
		} else if rest, ok := strings.CutPrefix(name, seen+"/"); ok {
			if key, what, ok := splitKey(rest); ok {
				at(key).takeMark(what, ref)
			}
		} else if rest, ok := strings.CutPrefix(name, "refs/okstra/"); ok {
			f.anyState = true
			if key, what, ok := splitKey(rest); ok {
				at(key).take(what, ref.Hash)
			}
		} else if key, ok := strings.CutPrefix(name, "refs/notes/okstra/"); ok && strings.Count(key, "/") == 2 {
			at(key).notes = ref.Hash
			f.notesRefs = append(f.notesRefs, ref.Name)
		}
	}
	for _, name := range refs.Broken {
		if strings.HasPrefix(string(name), "refs/okstra/") || strings.HasPrefix(string(name), "refs/notes/") {
			f.anyState = true
			f.broken = append(f.broken, name)
		}
	}
	slices.SortFunc(f.tasks, func(a, b *task) int { return strings.Compare(a.key, b.key) })
}

// take files one state ref; names that this version does not know are left alone.
func (t *task) take(what string, h gitops.Hash) {
	kind, num, _ := strings.Cut(what, "/")
	n, isNumber := stageNumber(num)
	switch {
	case what == "plan":
		t.plan = h
	case what == "base":
		t.base = h
	case kind == "done" && isNumber:
		t.done[n] = h
	case kind == "reserved" && isNumber:
		t.reserved[n] = h
	case kind == "reopened" && isNumber:
		t.reopened[n] = h
	}
}

// takeMark files the mark of a reservation, "<N>/<tag>/<clone>".
func (t *task) takeMark(what string, ref gitops.Ref) {
	num, _, _ := strings.Cut(what, "/")
	if n, ok := stageNumber(num); ok {
		t.marks[n] = append(t.marks[n], ref)
	}
}

// splitKey divides "project/group/task/rest".
func splitKey(s string) (key, rest string, ok bool) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) < 4 {
		return "", "", false
	}
	return strings.Join(parts[:3], "/"), parts[3], true
}

func stageNumber(s string) (plan.StageNumber, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || strconv.Itoa(n) != s {
		return 0, false
	}
	return plan.StageNumber(n), true
}

// readTypes looks for every object that a ref or a note names.
func (d *Doctor) readTypes(ctx context.Context, f *facts) error {
	want := map[gitops.Hash]bool{}
	for _, h := range f.heads {
		want[h] = true
	}
	for _, list := range f.tracked {
		for _, h := range list {
			want[h] = true
		}
	}
	for _, t := range f.tasks {
		for _, h := range []gitops.Hash{t.plan, t.base, t.notes} {
			want[h] = true
		}
		for n, h := range t.done {
			want[h], want[t.reserved[n]] = true, true
		}
		for n, h := range t.reserved {
			want[h], want[t.claims[n].Base] = true, true
		}
		for _, l := range t.lines {
			want[l.Commit] = true
		}
	}
	list := make([]gitops.Hash, 0, len(want))
	for h := range want {
		if h.Valid() {
			list = append(list, h)
		}
	}
	var err error
	f.types, err = d.Repo.ObjectTypes(ctx, list)
	return err
}

// readHistory reads the part of the commit graph that holds the done commits and
// the branches which should hold them.
func (d *Doctor) readHistory(ctx context.Context, f *facts) {
	var tips, floors []gitops.Hash
	add := func(list ...gitops.Hash) {
		for _, h := range list {
			if f.types[h] == gitops.TypeCommit {
				tips = append(tips, h)
			}
		}
	}
	for _, t := range f.tasks {
		for _, h := range t.done {
			add(h)
		}
		add(f.tips(shortName(t.about.Onto))...)
		if f.types[t.base] == gitops.TypeCommit {
			floors = append(floors, t.base)
		} else {
			floors = append(floors, t.plan) // it shares no history with the work: no floor
		}
		for n, names := range t.branches() {
			for _, name := range names {
				add(f.tips(name)...)
			}
			if w, ok := f.tree(t, n); ok {
				add(f.heads[shortName(w.Branch)])
			}
		}
	}
	if !slices.ContainsFunc(f.tasks, func(t *task) bool { return len(t.done) > 0 }) {
		return
	}
	floors = slices.DeleteFunc(floors, func(h gitops.Hash) bool { return f.types[h] != gitops.TypeCommit })
	history, err := d.Repo.HistoryOf(ctx, tips, floors)
	for _, t := range f.tasks {
		t.history, t.historyErr = history, err
	}
}

// tips are the commits that a branch stands at, here and as last fetched from remotes.
func (f *facts) tips(branch string) []gitops.Hash {
	return append([]gitops.Hash{f.heads[branch]}, f.tracked[branch]...)
}

func shortName(name gitops.RefName) string { return strings.TrimPrefix(string(name), "refs/heads/") }
