package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// oldAfter is the age from which a leftover counts as one: no command of ours works
// that long on it.
const oldAfter = time.Hour

// settleAfter is the age below which a lock file is nothing special.
const settleAfter = time.Minute

func (f *facts) age(at time.Time) time.Duration { return f.now.Sub(at) }

// sampleRef stands for the notes of tasks that are not here yet.
const sampleRef = "refs/notes/okstra/project/group/task"

// rewriting: stock git moves the ref without an expected old value (storage.md §2).
func rewriting(f *facts) []Finding {
	var out []Finding
	for _, s := range f.rewrites {
		hit := matchesRef(s.value, sampleRef)
		for _, ref := range f.notesRefs {
			hit = hit || matchesRef(s.value, string(ref))
		}
		if !hit {
			continue
		}
		one := found(nil, 0, "%s = %s makes git copy our notes at each amend and rebase, and that can drop rows written meanwhile", s.key, s.value)
		if f.overwrite {
			one.Message += "; its mode, overwrite, also replaces the rows that the new commit has"
		}
		if s.key == "notes.rewriteRef" {
			one = one.hint("name only the notes refs that are yours; remove this value with: git config --unset notes.rewriteRef %s",
				shellQuote("^"+regexp.QuoteMeta(s.value)+"$"))
		} else {
			one = one.hint("name only the notes refs that are yours in that variable")
		}
		out = append(out, one)
	}
	return out
}

// matchesRef reports whether a value of notes.rewriteRef means the ref, as git does:
// without a wildcard it is a ref or all below it, and * also means slashes.
func matchesRef(pattern, ref string) bool {
	if pattern == "" {
		return false
	}
	if !strings.ContainsAny(pattern, "*?[") {
		return ref == pattern || strings.HasPrefix(ref, strings.TrimSuffix(pattern, "/")+"/")
	}
	var b strings.Builder
	for _, c := range pattern {
		switch c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		case '[', ']', '-':
			b.WriteRune(c)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err := regexp.Compile("^" + b.String() + "$")
	return err == nil && re.MatchString(ref)
}

// ownSpaces are the refs that no fetch may write: they are this clone's own.
var ownSpaces = []string{"refs/okstra/", "refs/notes/okstra/", "refs/okstra-local/"}

func overwriting(f *facts) []Finding {
	var out []Finding
	for _, r := range f.remotes {
		for _, spec := range r.fetch {
			forced, hits := fetchHits(spec)
			if !hits {
				continue
			}
			key := "remote." + r.name + ".fetch"
			one := found(nil, 0, "%s = %s writes over our own refs at every fetch", key, spec).
				hint("fetch into tracking refs instead: %s = +refs/okstra/*:refs/okstra-remote/%s/state/* and +refs/notes/okstra/*:refs/okstra-remote/%s/notes/*",
					key, r.name, r.name)
			switch {
			case forced:
				one.Message += ": it is forced, so rows that were not pushed are destroyed"
			case r.prune:
				one.Message += ": fetching prunes, so what the remote lacks is deleted"
			default:
				one.Message += ", or fails once both sides have changed"
				one = one.as(Warning)
			}
			out = append(out, one)
		}
	}
	return out
}

// fetchHits reads a refspec: whether it writes refs of ours, and by force.
func fetchHits(spec string) (forced, hits bool) {
	spec, forced = strings.CutPrefix(spec, "+")
	_, dst, ok := strings.Cut(spec, ":")
	if !ok || dst == "" || strings.HasPrefix(spec, "^") {
		return forced, false
	}
	if !strings.HasPrefix(dst, "refs/") {
		dst = "refs/heads/" + dst
	}
	before, _, wild := strings.Cut(dst, "*")
	for _, own := range ownSpaces {
		if strings.HasPrefix(dst, own) || wild && (strings.HasPrefix(own, before) || strings.HasPrefix(before, own)) {
			return forced, true
		}
	}
	return forced, false
}

// plainWord reports whether a word needs no quotes in a shell.
func plainWord(s string) bool {
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_./@%+=:,-", r)
	}
	return s != "" && s[0] != '-' && utf8.ValidString(s) && strings.IndexFunc(s, other) < 0
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func initIncomplete(f *facts) []Finding {
	if len(f.unset) == 0 {
		return nil
	}
	return []Finding{found(nil, 0, "git okstra init was run here, and would now add %s", strings.Join(f.unset, ", ")).
		mendedBy(func(_ context.Context, d *Doctor) error { return d.Settings.Complete() })}
}

func notFetched(f *facts) []Finding {
	if f.anyState || len(f.remotes) == 0 {
		return nil
	}
	name := f.remotes[0].name
	if !plainWord(name) {
		name = shellQuote(name)
	}
	return []Finding{found(nil, 0, "no state of any task is in this clone; a clone does not bring it along").
		hint("if there is some in %s, bring it here with: git okstra sync %s", name, name)}
}

func staleLocks(f *facts) []Finding {
	var out []Finding
	for _, l := range f.locks {
		age := f.age(l.Time)
		one := found(nil, 0, "lock file %s stands since %s", path(l.Path), l.Time.UTC().Format(time.RFC3339))
		switch {
		case age > oldAfter:
			one.watched = true
			one = one.mendedBy(func(context.Context, *Doctor) error { return l.Remove() })
		case age > settleAfter:
			one = one.hint("if no git or git okstra process is at work here, it is left over; --repair removes it when it is an hour old")
		default:
			one = one.as(Info).hint("it may well be in use at this moment")
		}
		out = append(out, one)
	}
	return out
}

func keptPacks(f *facts) []Finding {
	var out []Finding
	for _, p := range f.packs {
		if p.Alive || f.age(p.Time) < oldAfter {
			continue
		}
		one := found(nil, 0, "%s protects a pack for process %d, which has ended: gc will never tidy it", path(p.Path), p.Pid)
		if !p.Whole {
			one = found(nil, 0, "%s protects a pack that process %d never finished", path(p.Path), p.Pid)
		}
		one.watched = true
		out = append(out, one.mendedBy(func(context.Context, *Doctor) error { return p.Release() }))
	}
	return out
}

func tempFiles(f *facts) []Finding {
	var out []Finding
	for _, t := range f.temps {
		if f.age(t.Time) < oldAfter {
			continue
		}
		what := "file"
		if t.Folder {
			what = "folder"
		}
		one := found(nil, 0, "%s is a temporary %s that nobody finished", path(t.Path), what)
		one.watched = true
		out = append(out, one.mendedBy(func(context.Context, *Doctor) error { return t.Remove() }))
	}
	return out
}

func emptyDirs(f *facts) []Finding {
	var out []Finding
	for _, e := range f.empty {
		if f.age(e.time) < oldAfter {
			continue
		}
		out = append(out, found(e.task, 0, "%s is empty: no stage of this task has a worktree there", path(e.dirs[len(e.dirs)-1])).
			mendedBy(func(context.Context, *Doctor) error { return removeEmpty(e.dirs) }))
	}
	return out
}

// removeEmpty removes folders, children first; one that is not empty any more is an
// error, one that is gone is fine.
func removeEmpty(dirs []string) error {
	for _, dir := range dirs {
		if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove empty folder: %w", err)
		}
	}
	return nil
}

// staleReservations: as stage list says it.
func staleReservations(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, n := range sorted(t.reserved) {
			if _, done := t.done[n]; done || t.stale[n] == "" {
				continue
			}
			out = append(out, found(t, n, "stage %d is reserved by %s, and stale: %s", n, t.claims[n].By, t.stale[n]).
				hint("its holder goes on with: git okstra stage start %d --resume --task %s; somebody else takes it over with --takeover instead; or give the stage back with: git okstra stage release %d --stale --task %s",
					n, t.name, n, t.name))
		}
	}
	return out
}

// leftMarks: marks go with their reservation, in the same transaction, last of all.
func leftMarks(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, n := range sorted(t.marks) {
			for _, m := range t.marks[n] {
				if strings.HasPrefix(string(m.Name), fmt.Sprintf("%s/%s/%d/%s/", seen, t.key, n, t.reserved[n])) {
					continue
				}
				tx := gitops.Transaction{Reason: "okstra: doctor removes a mark"}
				tx.Verify(t.reservedRef(n), t.reserved[n])
				tx.Delete(m.Name, m.Hash)
				out = append(out, found(t, n, "%s says when a reservation of stage %d was first seen, and that has ended", m.Name, n).
					mendedBy(apply(tx)))
			}
		}
	}
	return out
}

func unmarked(f *facts) []Finding {
	var out []Finding
	for _, w := range f.trees {
		t := f.task(w.key)
		if w.marked || !w.folder || t == nil {
			continue
		}
		one := found(t, w.stage, "the worktree %s has no mark of stage %d: it was never finished", path(w.Path), w.stage)
		if _, held := t.reserved[w.stage]; held && f.age(w.touched) < settleAfter {
			one = one.as(Info).hint("it may well be in the making at this moment")
		} else if held {
			one = one.hint("it is made anew by: git okstra stage start %d --resume --task %s", w.stage, t.name)
		} else {
			one = one.hint("nobody holds the stage; look what is in it, then: git worktree remove %s", path(w.Path))
		}
		out = append(out, one)
	}
	return out
}

func unfinished(f *facts) []Finding {
	var out []Finding
	for _, w := range f.trees {
		if !w.marked || !w.folder || w.link && w.indexed {
			continue
		}
		one := found(f.taskOf(w), w.stage, "the worktree %s of stage %d has lost its index", path(w.Path), w.stage).
			hint("put it back with: git -C %s reset", path(w.Path))
		if !w.link {
			one = found(f.taskOf(w), w.stage, "the worktree %s of stage %d has lost its .git file", path(w.Path), w.stage).
				hint("make a new one with: git worktree repair")
		}
		out = append(out, one)
	}
	return out
}

// taskOf is the task of a worktree, also one that nothing else is known of.
func (f *facts) taskOf(w tree) *task {
	if t := f.task(w.key); t != nil {
		return t
	}
	return newTask(w.key)
}

func goneTrees(f *facts) []Finding {
	var out []Finding
	for _, w := range f.trees {
		if w.folder || w.ID == "" {
			continue
		}
		one := found(f.taskOf(w), w.stage, "the worktree %s of stage %d is gone, and git still lists it", path(w.Path), w.stage)
		if w.locked {
			out = append(out, one.as(Info).hint("it is locked (%s), so it may come back", w.why()))
			continue
		}
		out = append(out, one.hint("if it was moved: git worktree repair NEW-PATH; if it is gone for good: git worktree prune"))
	}
	return out
}

// why is the reason of a lock, for people.
func (w tree) why() string {
	if w.reason == "" {
		return "no reason given"
	}
	return w.reason
}

func lockedTrees(f *facts) []Finding {
	var out []Finding
	for _, w := range f.trees {
		if w.locked && w.folder {
			out = append(out, found(f.taskOf(w), w.stage, "the worktree %s of stage %d is locked: %s", path(w.Path), w.stage, w.why()))
		}
	}
	return out
}

func markWithoutStage(f *facts) []Finding {
	var out []Finding
	for _, w := range f.trees {
		t := f.taskOf(w)
		if !w.marked || t.has(w.stage) {
			continue
		}
		out = append(out, found(t, w.stage, "the worktree %s is for stage %d, which is neither reserved nor done", path(w.Path), w.stage).
			hint("so it is after a release: the next start takes it up; or remove it with: git okstra stage release %d --remove --task %s", w.stage, t.name))
	}
	return out
}

// has reports whether a stage is reserved or done.
func (t *task) has(n plan.StageNumber) bool {
	_, done := t.done[n]
	_, held := t.reserved[n]
	return done || held
}
