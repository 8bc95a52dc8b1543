package doctor

import (
	"fmt"
	"slices"
	"strconv"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Check is one thing that the doctor looks for.
type Check struct {
	Code     string // stable
	Severity Severity
	Meaning  string // one sentence
	Repair   string // what --repair does, continuing "git okstra doctor --repair"; "" for nothing
	find     func(f *facts) []Finding
}

// Checks lists every check in the order of the report.
func Checks() []Check { return append([]Check(nil), table...) }

// table is the checks in the order in which they are asked and repaired: what has to
// be whole for another repair comes before it.
var table = []Check{
	{"ref-broken", Error, "a ref file holds no object id", "", brokenRefs},
	{"ref-wrong-type", Error, "a ref points to an object of another kind than it is for", "", wrongTypes},
	{"object-missing", Error, "a ref points to an object that is not in this repository", "", missingObjects},
	{"plan-missing", Error, "a task has state and no approved plan", "", missingPlans},
	{"plan-unreadable", Error, "the approved plan cannot be read", "", unreadablePlans},
	{"manifest-unsound", Warning, "the conformance manifest that is pinned with the approved plan cannot be relied on", "", unsoundManifests},
	{"surfaces-unsound", Error, "a repository's own rules for surfaces cannot be used", "", unsoundRules},
	{"reservation-unreadable", Warning, "the tag that says who holds a stage cannot be read", "", unreadableClaims},
	{"log-unreadable", Error, "the notes of a task cannot be read", "", unreadableLogs},
	{"log-missing", Error, "stages are done, but the task has no notes at all", "", missingLogs},
	{"rows-dropped", Error, "rows that once stood in the log are gone", "puts them back where they stood", droppedRows},
	{"row-changed", Warning, "a row reads otherwise than it once did", "", changedRows},
	{"row-id-twice", Error, "two different rows have the same id", "", sameIDs},
	{"claim-twice", Error, "two stages were started under the same claim", "", sameClaims},
	{"seq-backwards", Warning, "a claim ends before it begins in the order of the log", "", backwards},
	{"seq-trailer-low", Warning, "the notes commit says a lower clock than the log has", "writes the right one", lowClocks},
	{"note-foreign-line", Warning, "a line in the notes is no row of this task", "", foreignLines},
	{"note-on-missing", Warning, "a note stands on an object that is not in this repository", "", notesOnMissing},
	{"note-at-several-depths", Info, "a commit is noted at several fan-out depths", "", severalDepths},
	{"note-fanout-mixed", Info, "the notes tree mixes notes and fan-out in one level", "", mixedFanout},
	{"done-without-row", Error, "a stage is done at a commit for which the log has no done row", "", doneWithoutRow},
	{"done-row-without-ref", Error, "the log says that a stage is done, and no ref does", "finishes it", doneRowWithoutRef},
	{"reopen-cut-short", Warning, "the log says that a stage was reopened, and its done ref still stands", "finishes it", halfReopened},
	{"reservation-beside-done", Warning, "a stage is done and still reserved", "takes the reservation away", besideDone},
	{"released-but-reserved", Warning, "the log says that a reservation was given back, and it still stands", "takes it away", releasedButReserved},
	{"base-missing", Warning, "the base from which stages were started is gone", "puts it back", missingBase},
	{"reservation-without-branch", Warning, "the branch of a reserved stage is missing", "makes it at the stage's base", withoutBranch},
	{"reservation-without-row", Warning, "a stage is reserved, and the log has no started row for it", "writes it from the reservation", withoutRow},
	{"reservation-without-port", Warning, "a stage is reserved in this clone, and has no ports of its own", "gives it some", withoutSlot},
	{"port-left-over", Info, "ports are held for a stage that is done, or for none", "frees them", slotsLeft},
	{"reservation-stale", Warning, "a reservation keeps nobody's work any more: its process or worktree is gone, or its lease is over", "", staleReservations},
	{"seen-left-over", Info, "a mark of when a reservation was first seen has outlived it", "removes it", leftMarks},
	{"history-unreadable", Error, "the history of the done commits cannot be read", "", unreadableHistory},
	{"done-unreachable", Warning, "a done commit is neither on its stage's branch nor on the integration branch", "", unreachable},
	{"notes-rewrite", Warning, "git is told to copy notes of ours when it rewrites commits", "", rewriting},
	{"fetch-overwrites", Error, "a fetch would write over refs or notes of ours", "", overwriting},
	{"init-incomplete", Warning, "settings that `git okstra init` has written once are no longer all there", "writes them", initIncomplete},
	{"state-not-fetched", Info, "there is no state here, but a remote that may have it", "", notFetched},
	{"stale-lock", Warning, "a lock file stands in the way of every change", "removes it if it is older than an hour and does not change", staleLocks},
	{"pack-kept", Warning, "a pack is protected for a process that has ended", "takes the protection away", keptPacks},
	{"temp-file", Info, "a killed process left a temporary file", "removes it", tempFiles},
	{"folder-empty", Info, "empty folders of a task stand below the worktree root", "removes them", emptyDirs},
	{"worktree-half-removed", Warning, "the removal of a worktree was cut short", "finishes it if it was decided, else puts the worktree back", halfRemovedTrees},
	{"worktree-half-landed", Warning, "a worktree was to follow its branch when a landing was killed", "puts it back to what its branch has", halfLandings},
	{"worktree-unmarked", Warning, "a worktree stands where a stage's belongs, but was never finished", "", unmarked},
	{"worktree-unfinished", Warning, "a stage's worktree has lost a part of itself", "", unfinished},
	{"worktree-gone", Warning, "git knows a stage's worktree whose folder is gone", "", goneTrees},
	{"worktree-locked", Info, "a stage's worktree is locked", "", lockedTrees},
	{"mark-without-stage", Info, "a worktree is for a stage that is neither reserved nor done", "", markWithoutStage},
	{"format-sha256", Info, "object ids are SHA-256", "", format("format-sha256",
		"object ids are SHA-256: every object is read through git, slower, with the same results")},
	{"format-reftable", Info, "refs are in a reftable", "", format("format-reftable",
		"refs are in a reftable: worktrees are asked one by one, and lock files are not looked for")},
	{"format-alternates", Info, "objects are borrowed from another repository", "", format("format-alternates",
		"objects are borrowed from another repository (alternates): a gc over there can take away what only stands here")},
	{"format-partial-clone", Info, "this is a partial clone", "", format("format-partial-clone",
		"this is a partial clone: objects that are not here are fetched by git when they are needed, and their absence is no finding")},
	{"format-shallow", Info, "history is cut off", "", format("format-shallow",
		"history is cut off (shallow): whether a commit was merged cannot be told beyond that")},
	{"format-replace", Info, "objects are replaced", "", format("format-replace",
		"there are replacement objects (git replace): every object is read through git, slower")},
	{"format-sparse", Info, "the checkout is sparse", "", format("format-sparse",
		"the checkout is sparse: stage worktrees are filled by git and not by copying, slower")},
	{"format-sparse-index", Info, "the index is sparse", "", format("format-sparse-index",
		"the index is sparse (index.sparse): nothing is copied from a worktree that has one")},
	{"format-split-index", Info, "the index is split", "", format("format-split-index",
		"the index is split (core.splitIndex): nothing is copied from a worktree that has one")},
}

// found starts a finding about a task; stage 0 is none.
func found(t *task, n plan.StageNumber, format string, args ...any) Finding {
	f := Finding{Stage: n, Message: sprint(format, args)}
	if t != nil {
		f.Task = t.name
	}
	return f
}

// hint adds what to do.
func (f Finding) hint(format string, args ...any) Finding {
	f.Hints = append(f.Hints, sprint(format, args))
	return f
}

// path is a path in quotes, for messages.
type path string

// sprint is fmt.Sprintf that escapes what comes from a repository piece by piece, so
// that one odd character in a piece changes nothing around it.
func sprint(format string, args []any) string {
	for i, a := range args {
		switch a := a.(type) {
		case path:
			args[i] = strconv.Quote(string(a))
		case string, error, fmt.Stringer:
			args[i] = plan.Printable(fmt.Sprint(a))
		case gitops.RefName:
			args[i] = plan.Printable(string(a))
		case gitops.Hash:
			args[i] = plan.Printable(string(a))
		case notes.Status:
			args[i] = plan.Printable(string(a))
		}
	}
	return fmt.Sprintf(format, args...)
}

// as gives the finding another severity than its check has.
func (f Finding) as(s Severity) Finding {
	f.Severity = s
	return f
}

// mendedBy adds the repair.
func (f Finding) mendedBy(m mend) Finding {
	f.mend = m
	return f
}

// format is the check for a property of the repository.
func format(code, says string) func(*facts) []Finding {
	return func(f *facts) []Finding {
		for _, c := range f.formats {
			if c == code {
				return []Finding{found(nil, 0, "%s", says)}
			}
		}
		return nil
	}
}

// brokenRefs: storage.md §1, each ref holds an object id.
func brokenRefs(f *facts) []Finding {
	var out []Finding
	for _, name := range f.broken {
		out = append(out, found(nil, 0, "ref %s is broken: its file holds no object id", name).
			hint("its last values are in its reflog, if it has one: logs/%s in the git directory; or fetch it from a clone that has it", name))
	}
	return out
}

// eachRef lists a task's refs with the type that each is for.
func (t *task) eachRef(do func(name gitops.RefName, h gitops.Hash, want gitops.ObjectType, n plan.StageNumber)) {
	do(t.ref("plan"), t.plan, gitops.TypeCommit, 0)
	do(t.ref("base"), t.base, gitops.TypeCommit, 0)
	do(t.notesRef(), t.notes, gitops.TypeCommit, 0)
	for _, n := range sorted(t.done) {
		do(t.doneRef(n), t.done[n], gitops.TypeCommit, n)
	}
	for _, n := range sorted(t.reserved) {
		do(t.reservedRef(n), t.reserved[n], gitops.TypeTag, n)
	}
}

func wrongTypes(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		t.eachRef(func(name gitops.RefName, h gitops.Hash, want gitops.ObjectType, n plan.StageNumber) {
			if have := f.types[h]; have != "" && have != want {
				out = append(out, found(t, n, "%s points to a %s (%s), and should to a %s", name, have, h.Short(), want).
					hint("something else wrote it; see its earlier values with: git reflog show %s", name))
			}
		})
	}
	return out
}

func missingObjects(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		t.eachRef(func(name gitops.RefName, h gitops.Hash, want gitops.ObjectType, n plan.StageNumber) {
			if h == "" || f.types[h] != "" {
				return
			}
			one := found(t, n, "%s points to %s %s, which is not in this repository", name, want, h.Short()).
				hint("fetch it from a clone that has it")
			if f.partial {
				one = one.as(Info)
			}
			out = append(out, one)
		})
	}
	return out
}

// missingPlans: without its plan every command says that there is no such task.
func missingPlans(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if ref := t.ref("plan"); t.plan == "" && !slices.Contains(f.broken, ref) && (t.base != "" || len(t.done)+len(t.reserved) > 0) {
			out = append(out, found(t, 0, "the task has state, but %s does not exist", ref).
				hint("fetch it from a clone that has it: git fetch REMOTE '%s:%s'", ref, ref))
		}
	}
	return out
}

func unreadablePlans(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if t.planErr != nil && f.types[t.plan] == gitops.TypeCommit {
			out = append(out, found(t, 0, "the approved plan in %s cannot be read: %v", t.ref("plan"), t.planErr).
				hint("see its revisions with: git log %s", t.ref("plan")))
		}
	}
	return out
}

func unreadableClaims(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, n := range sorted(t.reserved) {
			if c := t.claims[n]; c.Broken != "" && f.types[t.reserved[n]] == gitops.TypeTag {
				out = append(out, found(t, n, "the reservation of stage %d cannot be read: %s", n, c.Broken).
					hint("give the stage back with: git okstra stage release %d --task %s", n, t.name))
			}
		}
	}
	return out
}
