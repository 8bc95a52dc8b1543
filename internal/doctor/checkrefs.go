package doctor

import (
	"context"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// readable reports whether what the log says can be held against the refs.
func (t *task) readable() bool { return t.err == nil && t.notes != "" }

func missingLogs(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if t.notes == "" && len(t.done) > 0 {
			out = append(out, found(t, 0, "%d stages are done, but %s does not exist", len(t.done), t.notesRef()).
				hint("fetch it from a clone that has it: git fetch REMOTE '%s:%s'", t.notesRef(), t.notesRef()))
		}
	}
	return out
}

// doneWithoutRow: the row is written before the ref (storage.md §4), so no crash
// leaves this.
func doneWithoutRow(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		rows := t.doneRows()
		for _, n := range sorted(t.done) {
			if _, ok := rows[n][t.done[n]]; t.readable() && !ok {
				out = append(out, found(t, n, "%s is at %s, and the log has no done row of stage %d at that commit",
					t.doneRef(n), t.done[n].Short(), n).
					hint("something else wrote the ref or dropped the row; see: git reflog show %s; git reflog show %s", t.doneRef(n), t.notesRef()))
			}
		}
	}
	return out
}

// doneRowWithoutRef finds a last done row that the refs do not follow. It is mended
// where it is a prefix of a transaction: the row of a standing reservation whose
// branch did not move since (done), or a row that replaces what the ref has
// (reconcile).
func doneRowWithoutRef(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for n, l := range t.last() {
			have := t.done[n]
			if l.Row.Status != notes.Done || l.Row.Head == have || !t.readable() || t.leftByImport(n, l.Row) {
				continue
			}
			one := found(t, n, "the log says that stage %d is done at %s, and %s does not exist", n, l.Row.Head.Short(), t.doneRef(n))
			if have != "" {
				one = found(t, n, "the log says that stage %d is done at %s, and %s is at %s", n, l.Row.Head.Short(), t.doneRef(n), have.Short())
			}
			out = append(out, f.prefixOfDone(t, n, l.Row, one))
		}
	}
	return byStage(out)
}

// leftByImport reports whether an imported done row makes nothing done, as an import
// says it: it names no commit, the stage was ended here, or it is under way here.
func (t *task) leftByImport(n plan.StageNumber, row notes.Row) bool {
	have, held := t.done[n], t.reserved[n] != ""
	return row.Okstra != nil && (row.Head == "" || have == "" && held ||
		have != "" && slices.ContainsFunc(t.rows, func(l line) bool {
			return l.Row.Stage == n && l.Row.Status == notes.Done && l.Row.Okstra == nil && l.Row.Head == have
		}))
}

// prefixOfDone adds the repair where there is only one way to finish.
func (f *facts) prefixOfDone(t *task, n plan.StageNumber, row notes.Row, one Finding) Finding {
	have, tag, claim := t.done[n], t.reserved[n], t.claims[n]
	tx := gitops.Transaction{Reason: "okstra: doctor finishes done of stage " + number(n)}
	tx.Verify(t.notesRef(), t.notes)
	switch {
	case f.types[row.Head] != gitops.TypeCommit && row.Okstra != nil:
		return one.as(Info).hint("it was imported, and its commit is not in this repository: fetch it, then import again")
	case f.types[row.Head] != gitops.TypeCommit:
		return one.hint("that commit is not in this repository: fetch it first")
	case have != "" && row.Replaces == have:
		tx.Update(t.doneRef(n), have, row.Head)
	case have == "" && tag != "" && claim.Broken == "" && claim.ID == row.Claim:
		branch, tip := f.branchOf(t, n, claim)
		if tip == "" {
			return one.hint("its branch is not in this clone; if the stage was done in another, fetch the state from there")
		}
		if tip != row.Head {
			return one.hint("its branch has moved since; say what is true with: git okstra stage done %d --task %s", n, t.name)
		}
		tx.Verify(branch, tip)
		tx.Create(t.doneRef(n), row.Head)
		tx.Delete(t.reservedRef(n), tag)
	default:
		return one.hint("no crash leaves this, so a person must decide; see: git okstra log --stage %d --task %s", n, t.name)
	}
	return one.mendedBy(apply(tx))
}

// branchOf is the branch that holds a reserved stage's work: that of its worktree if
// the reserved name is gone, for a branch may be renamed.
func (f *facts) branchOf(t *task, n plan.StageNumber, c Claim) (gitops.RefName, gitops.Hash) {
	name := c.Branch
	if w, ok := f.tree(t, n); ok && f.heads[name] == "" && w.Branch != "" {
		name = shortName(w.Branch)
	}
	return gitops.RefName("refs/heads/" + name), f.heads[name]
}

// apply is a repair that is one transaction, each ref with its expected value.
func apply(tx gitops.Transaction) mend {
	return func(ctx context.Context, d *Doctor) error { return d.Repo.Apply(ctx, tx) }
}

func besideDone(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		rows := t.doneRows()
		for _, n := range sorted(t.reserved) {
			head, done := t.done[n]
			if !done {
				continue
			}
			c := t.claims[n]
			one := found(t, n, "stage %d is done at %s, and its reservation by %s still stands", n, head.Short(), c.By)
			if row, ok := rows[n][head]; ok && c.Broken == "" && row.Row.Claim == c.ID {
				tx := gitops.Transaction{Reason: "okstra: doctor finishes done of stage " + number(n)}
				tx.Verify(t.doneRef(n), head)
				tx.Delete(t.reservedRef(n), t.reserved[n])
				out = append(out, one.mendedBy(apply(tx)))
				continue
			}
			out = append(out, one.hint("it is not the claim that the stage was done under; if nobody works there, give it back: git okstra stage release %d --task %s",
				n, t.name))
		}
	}
	return out
}

func releasedButReserved(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		last := t.last()
		for _, n := range sorted(t.reserved) {
			if _, done := t.done[n]; done || !t.released(last, n) {
				continue
			}
			tx := gitops.Transaction{Reason: "okstra: doctor finishes release of stage " + number(n)}
			tx.Verify(t.notesRef(), t.notes)
			tx.Delete(t.reservedRef(n), t.reserved[n])
			out = append(out, found(t, n, "the log says that stage %d was released by %s, and its reservation still stands", n, last[n].Row.By).
				mendedBy(apply(tx)))
		}
	}
	return out
}

// released reports whether the standing reservation of a stage is the one that its
// latest row gave back.
func (t *task) released(last map[plan.StageNumber]line, n plan.StageNumber) bool {
	l, ok := last[n]
	c := t.claims[n]
	claim := c.ID
	if c.Broken != "" {
		claim = string(t.reserved[n]) // so a release names what it could not read
	}
	return ok && l.Row.Status == notes.Released && claim != "" && l.Row.Claim == claim
}

// unfinishedStarts calls do for each reservation that stands, can be read and is
// neither done nor given back.
func (f *facts) unfinishedStarts(do func(t *task, n plan.StageNumber, c Claim)) {
	for _, t := range f.tasks {
		last := t.last()
		for _, n := range sorted(t.reserved) {
			_, done := t.done[n]
			if c := t.claims[n]; t.err == nil && !done && c.Broken == "" && !t.released(last, n) {
				do(t, n, c)
			}
		}
	}
}

func complete(t *task, n plan.StageNumber) mend {
	return func(ctx context.Context, d *Doctor) error { return d.Lifecycle.CompleteStart(ctx, t.key, n) }
}

// missingBase: the reservation of a stage that depends on none says what the base is,
// else the started rows of such stages do if they agree. Of imported work there may be
// none.
func missingBase(f *facts) []Finding {
	under := map[*task]plan.StageNumber{}
	f.unfinishedStarts(func(t *task, n plan.StageNumber, _ Claim) {
		if old, told := under[t]; !told || t.about.Free[n] && !t.about.Free[old] {
			under[t] = n
		}
	})
	var out []Finding
	for _, t := range f.tasks {
		n, reserved := under[t]
		bases := t.startedFrom()
		one := found(t, n, "stage %d is reserved, and %s does not exist", n, t.ref("base"))
		if !reserved {
			one = found(t, 0, "%d stages are done, and %s does not exist", len(t.done), t.ref("base"))
		}
		switch {
		case t.base != "" || t.err != nil:
		case reserved && t.about.Free[n]:
			out = append(out, one.mendedBy(complete(t, n)))
		case len(bases) == 1 && f.types[bases[0]] == gitops.TypeCommit && (reserved || len(t.done) > 0):
			tx := gitops.Transaction{Reason: "okstra: doctor puts the base back"}
			tx.Verify(t.notesRef(), t.notes)
			tx.Create(t.ref("base"), bases[0])
			out = append(out, one.mendedBy(apply(tx)))
		case reserved:
			out = append(out, one.hint("the log does not say where it was; the next start of a stage that depends on none sets it anew"))
		}
	}
	return out
}

// startedFrom lists where stages that depend on none were started here.
func (t *task) startedFrom() []gitops.Hash {
	var out []gitops.Hash
	for _, l := range t.rows {
		if begins(l.Row.Status) && l.Row.Okstra == nil && t.about.Free[l.Row.Stage] && !slices.Contains(out, l.Row.Head) {
			out = append(out, l.Row.Head)
		}
	}
	return out
}

func withoutBranch(f *facts) []Finding {
	var out []Finding
	f.unfinishedStarts(func(t *task, n plan.StageNumber, c Claim) {
		if _, tip := f.branchOf(t, n, c); tip == "" && f.madeHere(t, n, c) {
			out = append(out, found(t, n, "stage %d is reserved by %s, and its branch %s does not exist", n, c.By, c.Branch).
				mendedBy(complete(t, n)))
		}
	})
	return out
}

// madeHere reports whether a reservation was made in this clone, so that its branch
// belongs here. The transaction writes the reservation first and its row last, so
// without either of the proofs between them only the host is left to tell.
func (f *facts) madeHere(t *task, n plan.StageNumber, c Claim) bool {
	if f.own[t.reserved[n]] {
		return true
	}
	_, recorded := t.startedRows()[c.ID]
	return !recorded && c.Host == f.host
}

func withoutRow(f *facts) []Finding {
	var out []Finding
	started := map[*task]map[string]line{}
	f.unfinishedStarts(func(t *task, n plan.StageNumber, c Claim) {
		if started[t] == nil {
			started[t] = t.startedRows()
		}
		if l, ok := started[t][c.ID]; !ok || l.Row.Stage != n {
			out = append(out, found(t, n, "stage %d is reserved by %s, and the log has no started row of that claim", n, c.By).
				mendedBy(complete(t, n)))
		}
	})
	return out
}

func unreadableHistory(f *facts) []Finding {
	for _, t := range f.tasks {
		if t.historyErr != nil { // one history for all tasks
			return []Finding{found(nil, 0, "the history of the done commits cannot be read: %v", t.historyErr).
				hint("look with: git fsck")}
		}
	}
	return nil
}

// unreachable finds done commits that a rewrite left behind. The done ref itself
// keeps them from being pruned.
func unreachable(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if t.history == nil || len(t.done) == 0 {
			continue
		}
		merged := t.history.Reaches(f.tips(shortName(t.about.Onto))...)
		branches := t.branches()
		var all []string
		for _, n := range sorted(branches) {
			all = append(all, branches[n]...)
		}
		for _, n := range sorted(t.done) {
			head, names := t.done[n], branches[n]
			if t.movedTo(n, head) { // perhaps with others' work: a rebase of a later stage's branch
				names = all
			}
			if _, listed := t.history[head]; !listed || merged[head] || f.onBranch(t, n, names, head) {
				continue
			}
			one := found(t, n, "stage %d is done at %s, which is neither on its branch nor on %s", n, head.Short(), shortName(t.about.Onto)).
				hint("if history was rewritten, find its work with: git okstra reconcile --task %s; the commit itself is kept by %s", t.name, t.doneRef(n))
			switch {
			case f.shallow:
				one = one.as(Info).hint("history is cut off here, so this proves nothing: git fetch --unshallow")
			case t.formerly(n, head, func(old gitops.Hash) bool { return f.onBranch(t, n, branches[n], old) }):
				one = one.as(Info).hint("what it took the place of is on the stage's branch: it was landed elsewhere, and %s lacks it here: git pull", shortName(t.about.Onto))
			case !f.published(branches[n]) && !f.startedHere(t, n, head):
				one = one.as(Info).hint("the stage was started in another clone, where its branch may well be")
			}
			out = append(out, one)
		}
	}
	return out
}

// onBranch reports whether a branch of the stage holds the commit.
func (f *facts) onBranch(t *task, n plan.StageNumber, names []string, head gitops.Hash) bool {
	var tips []gitops.Hash
	for _, name := range names {
		tips = append(tips, f.tips(name)...)
	}
	if w, ok := f.tree(t, n); ok {
		tips = append(tips, f.heads[shortName(w.Branch)], w.Head)
	}
	return t.history.Reaches(tips...)[head]
}

// published reports whether a branch of the stage is known of a remote. One that is here
// may be of an earlier round, or only have been looked at.
func (f *facts) published(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return len(f.tracked[name]) > 0 })
}

// startedHere reports whether the claim that a stage was done under was made in this
// clone.
func (f *facts) startedHere(t *task, n plan.StageNumber, head gitops.Hash) bool {
	return slices.ContainsFunc(t.rows, func(l line) bool {
		return l.Row.Status == notes.Done && l.Row.Stage == n && l.Row.Head == head && f.begun[l.Row.Claim]
	})
}

// movedTo reports whether a stage came to its done commit by a rewrite.
func (t *task) movedTo(n plan.StageNumber, head gitops.Hash) bool {
	return slices.ContainsFunc(t.rows, func(l line) bool {
		return l.Row.Status == notes.Done && l.Row.Stage == n && l.Row.Head == head && l.Row.Replaces != ""
	})
}

// formerly reports whether one of the commits that a done commit took the place of, with
// the same content, is there.
func (t *task) formerly(n plan.StageNumber, head gitops.Hash, there func(gitops.Hash) bool) bool {
	for seen := map[gitops.Hash]bool{}; !seen[head]; {
		seen[head] = true
		i := slices.IndexFunc(t.rows, func(l line) bool {
			r := l.Row
			return r.Status == notes.Done && r.Stage == n && r.Head == head && r.Replaces.Valid() && r.Reason != "manual" && r.Reason != "amend"
		})
		if i < 0 {
			return false
		}
		if head = t.rows[i].Row.Replaces; there(head) {
			return true
		}
	}
	return false
}
