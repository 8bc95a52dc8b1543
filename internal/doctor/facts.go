package doctor

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Claim is what the tag behind a reservation says.
type Claim struct {
	ID, By, Host string
	Branch       string // short name
	Worktree     string // below the worktree root, slashes
	Base         gitops.Hash
	Broken       string // why the tag cannot be read; then the rest is empty
}

// Plan is what an approved plan's commit says.
type Plan struct {
	Task string                    // project:group:task in the original spelling
	Onto gitops.RefName            // the integration branch
	Free map[plan.StageNumber]bool // depend on no stage, so they branch from the task's base
	// Manifest is what is wrong with the conformance manifest that is pinned with it, each
	// with its place.
	Manifest []string
}

// facts is everything that the checks look at, gathered at one moment.
type facts struct {
	now       time.Time
	host      string
	root      string // the worktree root
	shallow   bool
	partial   bool // missing objects may be elsewhere on purpose
	anyState  bool // some state ref stands, of whichever task
	tasks     []*task
	broken    []gitops.RefName
	types     map[gitops.Hash]gitops.ObjectType // of what is here
	heads     map[string]gitops.Hash            // branches, by short name
	tracked   map[string][]gitops.Hash          // the same branches of remotes, as last fetched
	own       map[gitops.Hash]bool              // tags of the reservations that were made in this clone
	begun     map[string]bool                   // and their claims; read where a stage is done
	slots     []slot
	remotes   []remote
	unset     []string  // what init would add
	rewrites  []setting // what makes git copy notes when it rewrites commits
	overwrite bool      // it then writes over the notes of the new commit
	notesRefs []gitops.RefName
	formats   []string // codes of the format checks that apply
	trees     []tree
	locks     []gitops.LeftFile
	packs     []gitops.LeftPack
	temps     []gitops.LeftFile
	empty     []emptyFolders
	removals  []halfRemoved
	landings  []halfLanded
}

// remote is a configured remote.
type remote struct {
	name  string
	fetch []string
	prune bool
}

// setting is one value of git's configuration or environment.
type setting struct{ key, value string }

// emptyFolders are folders below the worktree root with nothing in them, children
// first.
type emptyFolders struct {
	task *task
	dirs []string
	time time.Time // of the newest
}

// tree is a worktree that is, or looks like, a stage's.
type tree struct {
	gitops.Worktree
	key          string
	stage        plan.StageNumber
	marked       bool
	folder, link bool // the folder is there; its .git file is there
	indexed      bool
	touched      time.Time // when its administrative folder last changed
	locked       bool
	reason       string
}

// task is one task as refs and notes have it.
type task struct {
	key, name         string // as in refs; in the original spelling where that is known
	plan, base, notes gitops.Hash
	done, reserved    map[plan.StageNumber]gitops.Hash
	reopened          map[plan.StageNumber]gitops.Hash
	claims            map[plan.StageNumber]Claim
	stale             map[plan.StageNumber]string // why nobody is at a reserved stage any more
	marks             map[plan.StageNumber][]gitops.Ref
	about             Plan
	planErr           error
	history           gitops.History
	historyErr        error
	rules             []badRules
	log
}

// badRules are rules for surfaces that cannot be used, on a branch.
type badRules struct {
	branch string
	err    error
}

// log is what a task's notes hold.
type log struct {
	lines    []line // as they stand, foreign ones and copies too
	rows     []line // each row once, by (seq, id)
	err      error  // why the notes cannot be read
	clock    uint64 // of the notes commit's trailer
	hasClock bool
	twice    []gitops.Hash // commits noted at several depths
	mixed    bool
	lost     []notes.Line // rows of earlier tips that are gone
	changed  []notes.Line // rows of earlier tips that read otherwise now
	partly   bool         // the reflog was too long to be looked through
}

// line is a line of a note, with its number there.
type line struct {
	notes.Line
	no int
}

func newTask(key string) *task {
	return &task{
		key: key, name: strings.ReplaceAll(key, "/", ":"),
		done: map[plan.StageNumber]gitops.Hash{}, reserved: map[plan.StageNumber]gitops.Hash{}, claims: map[plan.StageNumber]Claim{},
		reopened: map[plan.StageNumber]gitops.Hash{}, stale: map[plan.StageNumber]string{}, marks: map[plan.StageNumber][]gitops.Ref{},
	}
}

// ref names one of the task's state refs.
func (t *task) ref(rest string) gitops.RefName {
	return gitops.RefName("refs/okstra/" + t.key + "/" + rest)
}

func (t *task) doneRef(n plan.StageNumber) gitops.RefName { return t.ref("done/" + number(n)) }

func (t *task) reservedRef(n plan.StageNumber) gitops.RefName { return t.ref("reserved/" + number(n)) }

func (t *task) notesRef() gitops.RefName { return gitops.RefName("refs/notes/okstra/" + t.key) }

func sorted[V any](m map[plan.StageNumber]V) []plan.StageNumber {
	out := make([]plan.StageNumber, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// last is the latest row of each stage that says where the stage stands.
func (t *task) last() map[plan.StageNumber]line {
	out := map[plan.StageNumber]line{}
	for _, l := range t.rows {
		switch l.Row.Status {
		case notes.Started, notes.TakenOver, notes.Done, notes.Released, notes.Reopened:
			out[l.Row.Stage] = l
		}
	}
	return out
}

// doneRows lists where rows say that a stage was done.
func (t *task) doneRows() map[plan.StageNumber]map[gitops.Hash]line {
	out := map[plan.StageNumber]map[gitops.Hash]line{}
	for _, l := range t.rows {
		if l.Row.Status == notes.Done {
			if out[l.Row.Stage] == nil {
				out[l.Row.Stage] = map[gitops.Hash]line{}
			}
			out[l.Row.Stage][l.Row.Head] = l
		}
	}
	return out
}

// begins reports whether a row of this status begins a claim.
func begins(s notes.Status) bool { return s == notes.Started || s == notes.TakenOver }

// startedRows finds the row that begins each claim; where it was also started again
// after half a release, the later one.
func (t *task) startedRows() map[string]line {
	out := map[string]line{}
	for _, l := range t.rows {
		if begins(l.Row.Status) {
			out[l.Row.Claim] = l
		}
	}
	return out
}

// branches lists the branches that a stage had, by reservation and by rows.
func (t *task) branches() map[plan.StageNumber][]string {
	out := map[plan.StageNumber][]string{}
	add := func(n plan.StageNumber, name string) {
		if name != "" && gitops.ValidRefName(gitops.RefName("refs/heads/"+name)) && !slices.Contains(out[n], name) {
			out[n] = append(out[n], name)
		}
	}
	for n, c := range t.claims {
		add(n, c.Branch)
	}
	for _, l := range t.rows {
		if begins(l.Row.Status) {
			add(l.Row.Stage, l.Row.Branch)
		}
	}
	return out
}

// tree finds the marked worktree of a stage.
func (f *facts) tree(t *task, n plan.StageNumber) (tree, bool) {
	for _, w := range f.trees {
		if w.marked && w.key == t.key && w.stage == n {
			return w, true
		}
	}
	return tree{}, false
}

// task finds a task by its key, nil where it is not looked at.
func (f *facts) task(key string) *task {
	for _, t := range f.tasks {
		if t.key == key {
			return t
		}
	}
	return nil
}

// order sorts rows by (seq, id) and keeps each id once: the copy on its own head
// commit, as the log is read everywhere.
func order(lines []line) []line {
	var rows []line
	for _, l := range lines {
		if !l.Foreign {
			rows = append(rows, l)
		}
	}
	slices.SortStableFunc(rows, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Row.Seq, b.Row.Seq), strings.Compare(a.Row.ID, b.Row.ID),
			cmp.Compare(away(a), away(b)), strings.Compare(string(a.Commit), string(b.Commit)), slices.Compare(a.Raw, b.Raw))
	})
	seen := make(map[string]bool, len(rows))
	return slices.DeleteFunc(rows, func(l line) bool {
		again := seen[l.Row.ID]
		seen[l.Row.ID] = true
		return again
	})
}

func away(l line) int {
	if l.Row.Head == l.Commit {
		return 0
	}
	return 1
}
