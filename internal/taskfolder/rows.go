package taskfolder

import (
	"slices"
	"strconv"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Known is what a repository knows that decides how rows are placed.
type Known struct {
	Commits  map[string]gitops.Hash      // of the words that Commits lists, those that are commits here
	Evidence map[plan.StageNumber][]byte // imported before
}

// Elsewhere is a row whose commit this repository does not have.
type Elsewhere struct {
	File   string           `json:"file"`
	Line   int              `json:"line"`
	Stage  plan.StageNumber `json:"stage"`
	Commit string           `json:"commit"`
}

// Rows are what a folder becomes.
type Rows struct {
	Entries   []notes.Entry
	Elsewhere []Elsewhere // kept all the same, on the base
	Problems  []Problem
}

// Commits lists all words of the folder that stand for commits.
func (f *Folder) Commits() []string {
	var words []string
	for _, r := range f.records {
		words = append(words, r.commit)
	}
	for _, e := range f.evidence {
		words = append(words, e.commit)
	}
	for _, l := range f.own.rows {
		words = append(words, string(l.Commit), string(l.Row.Head))
	}
	return append(words, f.bases(nil)...)
}

// Base is the commit that independent stages branch from: the registry's base of the
// first stage that depends on none, or of the task; else that of the earliest started
// row. Only a commit that is here counts; "" where there is none.
func (f *Folder) Base(independent func(plan.StageNumber) bool, k Known) gitops.Hash {
	for _, word := range f.bases(independent) {
		if h := k.Commits[word]; h != "" {
			return h
		}
	}
	return ""
}

// bases lists the candidates; without a way to tell, of all stages.
func (f *Folder) bases(independent func(plan.StageNumber) bool) []string {
	var words, dependent []string
	var numbers []plan.StageNumber
	for n := range f.registry.stages {
		if independent == nil || independent(n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		words = append(words, f.registry.stages[n])
	}
	words = append(words, f.registry.base)
	for _, r := range f.records {
		switch {
		case r.row.Status != notes.Started:
		case independent == nil || independent(r.row.Stage):
			words = append(words, r.commit)
		default:
			dependent = append(dependent, r.commit)
		}
	}
	return append(words, dependent...)
}

// OpenCycles lists fix cycles without an end, as stage and number.
func (f *Folder) OpenCycles() []string {
	var out []string
	closed := map[string]bool{}
	name := func(r record) string {
		return "stage " + strconv.Itoa(int(r.row.Stage)) + " cycle " + strconv.Itoa(r.cycle)
	}
	for _, r := range f.records {
		if r.row.Status == notes.Reopened && r.raw != nil && !r.open {
			closed[name(r)] = true
		}
	}
	for _, r := range f.records {
		if r.row.Status == notes.Reopened && r.raw != nil && r.open && !closed[name(r)] && !slices.Contains(out, name(r)) {
			out = append(out, name(r))
		}
	}
	return out
}

// placer makes entries of records.
type placer struct {
	key   plan.TaskKey
	known Known
	own   map[string]bool               // ids of rows that an export kept
	done  map[plan.StageNumber][]string // commits of done rows in the files, as they name them
	last  map[plan.StageNumber]gitops.Hash
	out   Rows
}

// Rows makes the task's rows, each on its commit, or with no target where that is not
// here. Rows of an export keep their seq; the files' rows follow in their order, then
// rows for evidence that has none, then the files that are kept as they are.
func (f *Folder) Rows(key plan.TaskKey, k Known) Rows {
	p := &placer{key: key, known: k, own: f.own.ids, done: map[plan.StageNumber][]string{}, last: map[plan.StageNumber]gitops.Hash{}}
	for i, l := range f.own.rows {
		target := k.Commits[string(l.Commit)]
		if target == "" && l.Row.Head != "" && k.Commits[string(l.Row.Head)] == "" {
			p.elsewhere(ownName, f.own.lines[i], l.Row.Stage, string(l.Row.Head))
		}
		p.out.Entries = append(p.out.Entries, notes.Entry{Target: target, Row: l.Row, Raw: l.Raw})
		p.took(l.Row.Stage, l.Row.Status, string(l.Row.Head), target)
	}
	for _, r := range f.records {
		if r.row.Status == notes.Done && !r.derived {
			p.done[r.row.Stage] = append(p.done[r.row.Stage], r.commit)
		}
	}
	carries := f.assign()
	for i, r := range f.records {
		p.record(r, carries[i])
	}
	for _, e := range f.evidence {
		p.backfill(e)
	}
	for _, file := range f.files {
		p.keep(file)
	}
	if f.Report != nil && !f.own.wrote(f.Report.Path, f.Report.Source) {
		o := &notes.Origin{File: f.Report.Path, SHA256: sum(f.Report.Source)}
		p.add("", notes.Row{Status: notes.Imported, By: "okstra", Okstra: o}, f.Report.Path, []byte(o.SHA256))
	}
	return p.out
}

// assign gives each stage's evidence to its done row: the last one at the commit that
// the evidence names, else the last one.
func (f *Folder) assign() map[int]*notes.Carry {
	out := map[int]*notes.Carry{}
	for _, e := range f.evidence {
		at := -1
		for i, r := range f.records {
			if r.row.Stage == e.stage && r.row.Status == notes.Done && (at < 0 || same(r.commit, e.commit) || !same(f.records[at].commit, e.commit)) {
				at = i
			}
		}
		if at >= 0 {
			out[at] = e.carry
		}
	}
	return out
}

// same reports whether two words mean one commit, one of them perhaps abbreviated.
func same(a, b string) bool {
	return len(a) >= 7 && len(b) >= 7 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

func (p *placer) record(r record, carry *notes.Carry) {
	row := r.row
	name := r.file
	if row.Okstra = notes.NewOrigin(r.file, r.raw); r.derived {
		row.Okstra, name = &notes.Origin{File: r.file}, r.file+"#closed"
	}
	if p.own[notes.DerivedID(p.key, name, r.content)] {
		if r.derived { // it says for another one, too, that the stage is done there
			p.done[row.Stage] = append(p.done[row.Stage], r.commit)
		}
		return
	}
	target := p.known.Commits[r.commit]
	if r.derived {
		if slices.ContainsFunc(p.done[row.Stage], func(c string) bool { return same(c, r.commit) }) {
			return // the stage's own rows say so already
		}
		p.done[row.Stage] = append(p.done[row.Stage], r.commit)
	}
	if row.Status == notes.Reopened {
		target = p.last[row.Stage]
	} else if row.Head = target; target == "" {
		row.Head = hash(r.commit)
		if r.commit != "" {
			p.elsewhere(r.file, r.line, row.Stage, r.commit)
		}
	}
	row.Carry = carry
	p.took(row.Stage, row.Status, r.commit, target)
	p.add(target, row, name, r.content)
}

// took remembers where a stage was last done.
func (p *placer) took(n plan.StageNumber, status notes.Status, commit string, target gitops.Hash) {
	if status != notes.Done {
		return
	}
	p.done[n] = append(p.done[n], commit)
	if target != "" {
		p.last[n] = target
	}
}

// backfill makes the done row of evidence that has none, if its commit is here.
func (p *placer) backfill(e evidence) {
	if len(p.done[e.stage]) > 0 {
		return
	}
	head := p.known.Commits[e.commit]
	if head == "" {
		p.elsewhere(e.file, 1, e.stage, e.commit)
		return
	}
	row := notes.Row{Stage: e.stage, Status: notes.Done, At: e.at, By: "okstra", Head: head, Carry: e.carry, Okstra: &notes.Origin{File: e.file}}
	p.last[e.stage] = head
	p.add(head, row, e.file+"#done", []byte(head))
}

// keep makes the row that holds a file. Evidence that was imported before is not
// replaced by other evidence for the same commit.
func (p *placer) keep(file kept) {
	row := notes.Row{Stage: file.stage, Status: notes.Imported, By: "okstra", Okstra: &notes.Origin{File: file.path, Text: string(file.raw)}}
	if old, ok := p.known.Evidence[file.stage]; ok && file.stage > 0 && string(old) != string(file.raw) {
		was, err := parseCarry(file.stage, old)
		now, err2 := parseCarry(file.stage, file.raw)
		if err == nil && err2 == nil && same(was.commit, now.commit) {
			p.out.Problems = append(p.out.Problems, Problem{file.path, 1, "it differs from the evidence for the same commit that was imported before"})
			return
		}
	}
	p.add(p.last[file.stage], row, file.path, file.raw)
}

func (p *placer) add(target gitops.Hash, row notes.Row, name string, content []byte) {
	if row.ID = notes.DerivedID(p.key, name, content); p.own[row.ID] {
		return
	}
	if row.Task == "" {
		row.Task = p.key.String()
	}
	p.out.Entries = append(p.out.Entries, notes.Entry{Target: target, Row: row})
}

func (p *placer) elsewhere(file string, line int, n plan.StageNumber, commit string) {
	p.out.Elsewhere = append(p.out.Elsewhere, Elsewhere{file, line, n, commit})
}
