package lifecycle

import (
	"context"
	"maps"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// ImportRequest is a task as another tool, or another clone, kept it.
type ImportRequest struct {
	Key     plan.TaskKey
	Approve *ApproveRequest // pinned where no plan is approved yet; nil: there is none
	Base    gitops.Hash     // the anchor where none is set yet; "": not known
	// Entries are the rows in their order, with ids. A Target that is "" stands for
	// the base, or the plan's commit where there is none.
	Entries []notes.Entry
	// Here holds the commits among the rows' heads that this repository has: only
	// they become done refs.
	Here   map[gitops.Hash]bool
	DryRun bool
}

// Import is what an import did, or with DryRun would do.
type Import struct {
	Plan       gitops.Hash // the approved plan's commit; "" where a dry run would approve it
	Approved   bool        // the plan is approved by this import
	Base       gitops.Hash
	BaseSet    bool                             // by this import
	Done       map[plan.StageNumber]gitops.Hash // done refs that this import sets
	KeptDone   map[plan.StageNumber]gitops.Hash // done refs of stages that were ended here, which differ
	Held       []plan.StageNumber               // done in the rows, but held here: left to its holder
	Fresh      int                              // rows that are new
	Unfinished []plan.StageNumber               // started at last, not done, and held by nobody here
}

// Nothing reports whether there was nothing to do.
func (i Import) Nothing() bool {
	return !i.Approved && !i.BaseSet && len(i.Done) == 0 && i.Fresh == 0
}

// Import takes rows, plan, base and done refs over in one transaction. What stands
// already stays: rows are known by their ids, an approved plan and a base that is set
// are never changed, and a stage that was ended or is held here is not ended otherwise. Errors:
// *Refusal, e.g. where no plan is approved and none comes along.
func (e *Engine) Import(ctx context.Context, req ImportRequest) (Import, error) {
	var out Import
	err := retry(ctx, func() (err error) {
		out, err = e.importOnce(ctx, req)
		return err
	})
	return out, err
}

func (e *Engine) importOnce(ctx context.Context, req ImportRequest) (Import, error) {
	states, err := e.listRefs(ctx)
	if err != nil {
		return Import{}, err
	}
	old, err := e.current(ctx, states, req.Key)
	if err != nil {
		return Import{}, err
	}
	if old == nil && req.Approve == nil {
		return Import{}, refuse(Refused, "approve it with: git okstra plan approve FILE, then import again",
			"no plan of %s is approved, and none that is comes along", plan.Printable(req.Key.String()))
	}
	now := states[req.Key.Ref()]
	if now == nil {
		now = &refState{}
	}
	standing, err := notes.Read(ctx, e.Repo, now.notes)
	if err != nil {
		return Import{}, err
	}
	out, fresh := compare(now, standing, req)
	if old != nil {
		out.Plan = old.PlanCommit
	}
	if req.DryRun || out.Nothing() {
		return out, nil
	}
	err = e.writeImport(ctx, req, old, now, fresh, &out)
	return out, err
}

// compare decides what is missing here.
func compare(now *refState, standing []notes.Line, req ImportRequest) (Import, []notes.Entry) {
	out := Import{
		Approved: now.plan == "", Base: now.base,
		Done: map[plan.StageNumber]gitops.Hash{}, KeptDone: map[plan.StageNumber]gitops.Hash{},
	}
	if now.base == "" && req.Base != "" {
		out.Base, out.BaseSet = req.Base, true
	}
	known := map[string]bool{}
	for _, l := range standing {
		if !l.Foreign {
			known[l.Row.ID] = true
		}
	}
	var fresh []notes.Entry
	for _, entry := range req.Entries {
		if !known[entry.Row.ID] {
			known[entry.Row.ID] = true
			fresh = append(fresh, entry)
		}
	}
	out.Fresh = len(fresh)
	s := settle(standing, fresh)
	for n, head := range s.done {
		switch {
		case !req.Here[head] || now.done[n] == head:
		case now.done[n] == "" && now.reserved[n] != "":
			out.Held = append(out.Held, n)
		case now.done[n] == "" || !s.ours[n]:
			out.Done[n] = head
		default:
			out.KeptDone[n] = now.done[n]
		}
	}
	slices.Sort(out.Held)
	for n, status := range s.latest {
		if status == notes.Started && now.reserved[n] == "" && now.done[n] == "" && out.Done[n] == "" {
			out.Unfinished = append(out.Unfinished, n)
		}
	}
	slices.Sort(out.Unfinished)
	return out, fresh
}

// settled is what a log says of its stages.
type settled struct {
	done   map[plan.StageNumber]gitops.Hash // at the last done row; none where it was reopened here
	ours   map[plan.StageNumber]bool        // a done row was written here, not imported
	latest map[plan.StageNumber]notes.Status
}

// settle reads the log as it will be: rows that keep their seq in its place, the
// others behind.
func settle(standing []notes.Line, fresh []notes.Entry) settled {
	s := settled{map[plan.StageNumber]gitops.Hash{}, map[plan.StageNumber]bool{}, map[plan.StageNumber]notes.Status{}}
	all := slices.Clone(standing)
	var behind []notes.Row
	for _, entry := range fresh {
		if entry.Raw != nil {
			all = append(all, notes.Line{Commit: entry.Target, Row: entry.Row})
		} else {
			behind = append(behind, entry.Row)
		}
	}
	for _, l := range notes.Sort(all) {
		if !l.Foreign {
			s.take(l.Row)
		}
	}
	for _, row := range behind {
		s.take(row)
	}
	return s
}

func (s settled) take(row notes.Row) {
	imported := row.Okstra != nil
	if row.Stage < 1 { // of the task
		return
	}
	switch row.Status {
	case notes.Done:
		if row.Head != "" {
			s.done[row.Stage] = row.Head
		}
		s.ours[row.Stage] = s.ours[row.Stage] || !imported
		s.latest[row.Stage] = row.Status
	case notes.Started, notes.TakenOver:
		s.latest[row.Stage] = notes.Started
	case notes.Released:
		delete(s.latest, row.Stage)
	case notes.Reopened:
		if !imported {
			delete(s.done, row.Stage)
		}
	default:
	}
}

// writeImport carries the transaction out. Its order: a plan without the rest is a
// task that nothing has happened to, rows without done refs are completed by the next
// import.
func (e *Engine) writeImport(ctx context.Context, req ImportRequest, old *Task, now *refState, fresh []notes.Entry, out *Import) error {
	rec, err := e.begin(ctx, "import "+req.Key.String())
	if err != nil {
		return err
	}
	if old == nil {
		approved, err := e.pin(ctx, rec, *req.Approve, nil)
		if err != nil {
			return err
		}
		out.Plan = approved.Commit
	} else {
		rec.tx.Verify(old.Ref("plan"), old.PlanCommit)
	}
	t := &Task{Key: req.Key}
	if out.BaseSet {
		rec.tx.Create(t.Ref("base"), out.Base)
	}
	if err := e.importRows(ctx, rec, t, now.notes, fresh, *out); err != nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(out.Done)) {
		rec.tx.Update(t.doneRef(n), now.done[n], out.Done[n])
	}
	return e.commit(ctx, rec)
}

// importRows writes the new rows as one notes commit; where there is none, the log
// has to be the one that the done refs were read from.
func (e *Engine) importRows(ctx context.Context, rec *record, t *Task, tip gitops.Hash, fresh []notes.Entry, out Import) error {
	ref := notes.Ref(t.Key)
	if len(fresh) == 0 {
		rec.tx.Verify(ref, tip)
		return nil
	}
	home := out.Base
	if home == "" {
		home = out.Plan
	}
	entries := slices.Clone(fresh)
	for i := range entries {
		if entries[i].Target == "" {
			entries[i].Target = home
		}
	}
	next, err := notes.AppendAll(ctx, e.Repo, rec.objects, tip, rec.sig, entries)
	if err != nil {
		return err
	}
	rec.tx.Update(ref, tip, next)
	return nil
}
