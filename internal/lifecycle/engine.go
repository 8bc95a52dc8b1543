package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Caller is who asks, and from where: it goes into reservations and rows.
type Caller struct {
	Actor    string
	Host     string
	Run      string // run id, free text; "" for none
	Pid      int
	PidStart string // the process's start time as the system tells it; "" where it does not
	// Process says that the caller lives as long as the work does, so that its end is the
	// claim's: a chain, not a one-shot command.
	Process bool
}

// Engine carries out transitions in one repository.
type Engine struct {
	Repo   *gitops.Repo
	Caller Caller
	Now    func() time.Time
	NewID  func() (string, error) // a new unique id for a row or a claim
	// Parse reads an approved plan under the ruleset it was approved with.
	Parse func(src []byte, ruleset string) (*plan.Plan, error)
	// Folder is where a worktree below the root stands, "" where that cannot be told; nil:
	// no reservation is stale for want of its worktree.
	Folder func(worktree string) string
	// Seek looks for done stages in a history by content; nil: nothing is looked for.
	Seek func(ctx context.Context, t *Task, stages []plan.StageNumber, tip gitops.Hash) []Sought
	// Unrecorded is told why what Seek found could not be recorded; nil: that is an error.
	Unrecorded func(error)
	// MayLand is asked before a done stage's commit goes into the integration branch; its
	// error is the answer. nil: nothing is asked.
	MayLand func(ctx context.Context, t *Task, n plan.StageNumber, head gitops.Hash) error
}

// raceBudget bounds how long a transition keeps trying while others win every
// race. Each round somebody wins, so this is reached only under absurd load.
const raceBudget = 60 * time.Second

// retry runs attempt until it does not end in a lost race, with growing,
// jittered pauses.
func retry(ctx context.Context, attempt func() error) error {
	deadline := time.Now().Add(raceBudget)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		err := attempt()
		if !lostRace(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(2 * pause)):
		}
	}
}

// inTurn is retry, one process of this clone at a time: each attempt reads and then
// moves the same refs, and of many at once all but one would be in vain, the slow ones
// for ever. again says that the task has to be read anew.
func (e *Engine) inTurn(ctx context.Context, attempt func(again bool) error) error {
	leave, again := e.Repo.Queue(ctx)
	defer leave()
	return retry(ctx, func() error {
		err := attempt(again)
		again = true
		return err
	})
}

// errMoved marks an answer that was found on refs which changed meanwhile.
var errMoved = errors.New("the task's refs moved meanwhile")

// confirm stands by an error only if the task's refs are still those it was
// found on. An attempt reads refs more than once; in between another process may
// have taken the stage, and then its branch and folder are not in the way of
// anything: the attempt has lost a race. That git was killed, or could not write all that
// it was to, is no answer: the refs may have moved by its own doing.
func (e *Engine) confirm(ctx context.Context, t *Task, err error) error {
	if err == nil || lostRace(err) || cutShort(err) || ctx.Err() != nil {
		return err
	}
	states, listErr := e.listRefs(ctx)
	if listErr != nil {
		return err
	}
	now := states[t.Key.Ref()]
	if now != nil && now.plan == t.PlanCommit && now.base == t.Base && now.notes == t.NotesTip &&
		maps.Equal(now.done, t.Done) && maps.Equal(now.reserved, t.Reserved) {
		return err
	}
	return fmt.Errorf("%w: %w", errMoved, err)
}

// cutShort reports whether git was killed, or could not write all that it was to.
func cutShort(err error) bool {
	var ge *gitops.GitError
	return errors.As(err, &ge) && ge.ExitCode == -1 || errors.Is(err, gitops.ErrCutShort)
}

// lostRace reports whether an attempt failed only for what others did
// meanwhile: a ref moved, or an object was collected before a ref held it.
func lostRace(err error) bool {
	return errors.Is(err, gitops.ErrRefChanged) || errors.Is(err, errMoved)
}

// signature is the identity that okstra's own commits and tags carry.
func (e *Engine) signature(ctx context.Context) (gitops.Signature, error) {
	return e.Repo.Committer(ctx, e.Now())
}

// row starts a row about a stage with what every row has.
func (e *Engine) row(t *Task, n plan.StageNumber, status notes.Status) (notes.Row, error) {
	id, err := e.NewID()
	if err != nil {
		return notes.Row{}, err
	}
	return notes.Row{
		ID: id, Task: t.Key.String(), Stage: n, Status: status, At: notes.Time(e.Now()),
		By: e.Caller.Actor, Host: e.Caller.Host, Run: e.Caller.Run,
	}, nil
}

// record is a transition under way: its new objects and its refs.
type record struct {
	objects *gitops.ObjectWriter
	sig     gitops.Signature
	tx      gitops.Transaction
}

func (e *Engine) begin(ctx context.Context, reason string) (*record, error) {
	sig, err := e.signature(ctx)
	if err != nil {
		return nil, err
	}
	return &record{objects: e.Repo.NewObjects(), sig: sig, tx: gitops.Transaction{Reason: "okstra: " + reason}}, nil
}

// appendRow adds the row to the record's objects and its notes ref to the
// transaction; a row that stands already adds nothing.
func (e *Engine) appendRow(ctx context.Context, rec *record, t *Task, target gitops.Hash, row notes.Row) error {
	out, err := notes.Append(ctx, e.Repo, rec.objects, t.NotesTip, rec.sig, notes.Entry{Target: target, Row: row})
	if err != nil {
		return err
	}
	if !out.Stood {
		rec.tx.Update(notes.Ref(t.Key), t.NotesTip, out.Tip)
	}
	return nil
}

func (e *Engine) commit(ctx context.Context, rec *record) error {
	return e.Repo.ApplyObjects(ctx, rec.objects, rec.tx)
}
