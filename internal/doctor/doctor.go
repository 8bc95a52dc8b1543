package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Lifecycle is what the doctor asks of the transitions.
type Lifecycle interface {
	// Claim reads the tag behind a reservation; one that cannot be read is Broken.
	Claim(ctx context.Context, tag gitops.Hash) Claim
	// Stale says why a reservation keeps nobody's work any more, "" where it does. marks
	// say when this clone first saw the reservations of that stage.
	Stale(ctx context.Context, key string, n plan.StageNumber, tag gitops.Hash, marks []gitops.Ref) (string, error)
	// Plan reads an approved plan's commit. Errors: why it is none of that task.
	Plan(ctx context.Context, key string, commit gitops.Hash) (Plan, error)
	// Surfaces says why the repository's own rules for surfaces at a commit cannot be
	// used; nil also where there are none.
	Surfaces(ctx context.Context, commit gitops.Hash) error
	// CompleteStart writes what a crash left out of a start: ports, base, branch, row.
	CompleteStart(ctx context.Context, key string, n plan.StageNumber) error
}

// Settings is what the doctor asks of git okstra init.
type Settings interface {
	// Missing lists, as KEY = VALUE, what init would add now; nothing where it never
	// was run.
	Missing() ([]string, error)
	// Complete adds it.
	Complete() error
}

// Doctor looks at one repository.
type Doctor struct {
	Repo      *gitops.Repo
	Lifecycle Lifecycle
	Settings  Settings // nil: not asked
	Removals  Removals // nil: not asked
	Host      string   // this machine, as reservations name it
	Root      string   // the worktree root, absolute; "" where there is none
	Now       func() time.Time
	// Signature is asked only where a repair writes to the log.
	Signature func(ctx context.Context) (gitops.Signature, error)
	// Wants chooses the tasks to look at, by key as in refs; nil is all.
	Wants func(key string) bool
	// Watch is how long a lock file must stand unchanged before it is removed.
	Watch time.Duration
}

// Severity says how bad a finding is.
type Severity string

// The severities. An info needs nothing done.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one thing that is wrong, or worth knowing.
type Finding struct {
	Code     string
	Severity Severity
	Task     string           // project:group:task, "" where it is about the repository
	Stage    plan.StageNumber // 0 where it is about no stage
	Message  string           // one sentence, printable
	Hints    []string         // what to do, printable
	Repaired bool
	mend     mend
	watched  bool // mend only what stood still while it was watched
}

// mend repairs what a finding found. It expects everything as it was found, and may
// be done twice.
type mend func(ctx context.Context, d *Doctor) error

// Report is what the doctor found.
type Report struct {
	Tasks    []string // the tasks that were looked at
	Findings []Finding
}

// Remains reports whether an error or a warning is left.
func (r Report) Remains() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Repaired && f.Severity != Info })
}

// Repairable reports whether a finding can be repaired here.
func (f Finding) Repairable() bool { return f.mend != nil }

// Examine looks at everything and writes nothing. Errors are those of a repository
// that cannot be looked at at all.
func (d *Doctor) Examine(ctx context.Context) (Report, error) {
	f, err := d.gather(ctx)
	if err != nil {
		return Report{}, err
	}
	return judge(f), nil
}

// judge asks every check.
func judge(f *facts) Report {
	var r Report
	for _, t := range f.tasks {
		r.Tasks = append(r.Tasks, plan.Printable(t.name))
	}
	for _, c := range table {
		for _, found := range c.bounded(f) {
			found.Code = c.Code
			if found.Severity == "" {
				found.Severity = c.Severity
			}
			found.Task, found.Message = plan.Printable(found.Task), plan.Printable(found.Message)
			for i, h := range found.Hints {
				found.Hints[i] = plan.Printable(h)
			}
			if found.mend != nil {
				found.Hints = append(found.Hints, "git okstra doctor --repair "+c.Repair)
			}
			r.Findings = append(r.Findings, found)
		}
	}
	return r
}

// maxAlike is how many findings of one kind are told one by one; a damaged log of many
// thousand rows would else drown all others.
const maxAlike = 20

// bounded asks a check, and tells what goes beyond maxAlike in a task as a number. What
// can be repaired is always told.
func (c Check) bounded(f *facts) []Finding {
	var out []Finding
	told, more := map[string]int{}, map[string]Finding{}
	for _, one := range c.find(f) {
		if told[one.Task]++; told[one.Task] <= maxAlike || one.mend != nil {
			out = append(out, one)
			continue
		}
		rest, seen := more[one.Task]
		if !seen || one.rank(c) > rest.rank(c) {
			rest.Severity = one.Severity
		}
		more[one.Task] = Finding{
			Task: one.Task, Severity: rest.Severity,
			Message: fmt.Sprintf("and %d more of this kind", told[one.Task]-maxAlike),
		}
	}
	for _, task := range slices.Sorted(maps.Keys(more)) {
		out = append(out, more[task])
	}
	return out
}

// rank orders severities; a finding without one has its check's.
func (f Finding) rank(c Check) int {
	s := f.Severity
	if s == "" {
		s = c.Severity
	}
	return slices.Index([]Severity{Info, Warning, Error}, s)
}

// maxRounds bounds how often a repair looks again: mending one thing may show
// another.
const maxRounds = 5

// Repair mends what can be mended and returns what was mended and what remains.
func (d *Doctor) Repair(ctx context.Context) (Report, error) {
	var mended []Finding
	failed := map[string]error{}
	for round := 1; ; round++ {
		r, err := d.Examine(ctx)
		if err != nil {
			return r, err
		}
		todo := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
			return f.mend == nil || failed[f.identity()] != nil
		})
		if len(todo) == 0 || round > maxRounds {
			return together(r, mended, failed), nil
		}
		if slices.ContainsFunc(todo, func(f Finding) bool { return f.watched }) {
			if err := pause(ctx, d.Watch); err != nil {
				return r, err
			}
		}
		for _, f := range todo {
			err := f.mend(ctx, d)
			switch {
			case ctx.Err() != nil:
				return r, ctx.Err()
			case err != nil && (round > 1 || f.watched): // a first failure may only be another repair's success
				failed[f.identity()] = err
			case err == nil:
				mended = append(mended, f)
			}
		}
	}
}

// identity tells whether two rounds found the same.
func (f Finding) identity() string {
	return strings.Join([]string{f.Code, f.Task, number(f.Stage), f.Message}, "\x00")
}

// together puts what was mended before what is left, which may hold it still.
func together(left Report, mended []Finding, failed map[string]error) Report {
	still := map[string]bool{}
	for i, f := range left.Findings {
		still[f.identity()] = true
		if err := failed[f.identity()]; err != nil {
			left.Findings[i].Hints = append(left.Findings[i].Hints, plan.Printable(fmt.Sprintf("not repaired: %v", err)))
		}
	}
	var all []Finding
	for _, f := range mended {
		if !still[f.identity()] {
			still[f.identity()] = true
			f.Repaired, f.Hints = true, nil
			all = append(all, f)
		}
	}
	left.Findings = append(all, left.Findings...)
	return left
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func number(n plan.StageNumber) string { return fmt.Sprint(int(n)) }
