package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// The ref namespaces of storage.md §1.
const (
	statePrefix = "refs/okstra/"
	notesPrefix = "refs/notes/okstra/"
	qaPrefix    = "refs/notes/okstra-qa/"
	herePrefix  = "refs/worktree/okstra/"
	// claimPrefix holds the tag of every reservation made in this clone, so that
	// it does not dangle once it has ended. (A reflog cannot hold it: git gc
	// complains of tags there.)
	claimPrefix = "refs/okstra-local/claims/"
)

// Task is one task as the refs have it.
type Task struct {
	Key        plan.TaskKey // original spelling
	PlanCommit gitops.Hash
	Meta       PlanMeta
	Plan       *plan.Plan
	Base       gitops.Hash // the anchor, "" before the first start
	Done       map[plan.StageNumber]gitops.Hash
	Reserved   map[plan.StageNumber]gitops.Hash // the reservation's tag object
	Reopened   map[plan.StageNumber]gitops.Hash // where stages were done that are to be done again
	NotesTip   gitops.Hash
	QATip      gitops.Hash                       // the log of conformance results, "" for none
	Here       plan.StageNumber                  // the stage whose worktree the caller stands in, or 0
	marks      map[plan.StageNumber][]gitops.Ref // when this clone first saw reservations, see lease.go
	siblings   []string                          // ref keys of the other tasks in this repository
	ports      *portTable
}

// Progress is the task's state as the selection rules want it.
func (t *Task) Progress() stage.Progress {
	p := stage.Progress{Done: map[plan.StageNumber]bool{}, Reserved: map[plan.StageNumber]bool{}}
	for n := range t.Done {
		p.Done[n] = true
	}
	for n := range t.Reserved {
		p.Reserved[n] = true
	}
	return p
}

// Ref names one of the task's state refs, such as plan or done/3.
func (t *Task) Ref(rest string) gitops.RefName {
	return gitops.RefName(statePrefix + t.Key.Ref() + "/" + rest)
}

func (t *Task) doneRef(n plan.StageNumber) gitops.RefName { return t.Ref(fmt.Sprintf("done/%d", n)) }

func (t *Task) reservedRef(n plan.StageNumber) gitops.RefName {
	return t.Ref(fmt.Sprintf("reserved/%d", n))
}

func (t *Task) reopenedRef(n plan.StageNumber) gitops.RefName {
	return t.Ref(fmt.Sprintf("reopened/%d", n))
}

// claimRef names the ref that keeps a reservation's tag in this clone.
func (t *Task) claimRef(tag gitops.Hash) gitops.RefName {
	return gitops.RefName(claimPrefix + t.Key.Ref() + "/" + string(tag))
}

// BindRef names the per-worktree ref that marks a stage's worktree.
func (t *Task) BindRef(n plan.StageNumber) gitops.RefName {
	return gitops.RefName(fmt.Sprintf("%s%s/%d", herePrefix, t.Key.Ref(), n))
}

// refState is what the refs say of one task before its plan is read.
type refState struct {
	key            string // project/group/task, mapped
	plan, base     gitops.Hash
	notes, qa      gitops.Hash
	done, reserved map[plan.StageNumber]gitops.Hash
	reopened       map[plan.StageNumber]gitops.Hash
	here           plan.StageNumber
	marks          map[plan.StageNumber][]gitops.Ref
	ports          *portTable // one for all tasks
}

// listRefs reads the state of all tasks in one pass over the refs.
func (e *Engine) listRefs(ctx context.Context) (map[string]*refState, error) {
	refs, err := e.Repo.Refs(ctx, "refs/okstra", "refs/notes/okstra", "refs/notes/okstra-qa", "refs/worktree/okstra",
		strings.TrimSuffix(portPrefix, "/"), strings.TrimSuffix(seenPrefix, "/"))
	if err != nil {
		return nil, err
	}
	tasks := map[string]*refState{}
	ports := &portTable{slots: map[int]gitops.Hash{}, reserved: map[string]map[plan.StageNumber]gitops.Hash{}}
	at := func(key string) *refState {
		if tasks[key] == nil {
			tasks[key] = &refState{
				key: key, done: map[plan.StageNumber]gitops.Hash{}, reserved: map[plan.StageNumber]gitops.Hash{},
				reopened: map[plan.StageNumber]gitops.Hash{}, marks: map[plan.StageNumber][]gitops.Ref{}, ports: ports,
			}
			ports.reserved[key] = tasks[key].reserved
		}
		return tasks[key]
	}
	for _, ref := range refs {
		name := string(ref.Name)
		if rest, ok := strings.CutPrefix(name, statePrefix); ok {
			if key, what, ok := splitKey(rest); ok {
				at(key).take(what, ref.Hash)
			}
		} else if rest, ok := strings.CutPrefix(name, notesPrefix); ok && strings.Count(rest, "/") == 2 {
			at(rest).notes = ref.Hash
		} else if rest, ok := strings.CutPrefix(name, qaPrefix); ok && strings.Count(rest, "/") == 2 {
			at(rest).qa = ref.Hash
		} else if rest, ok := strings.CutPrefix(name, herePrefix); ok {
			if key, what, ok := splitKey(rest); ok {
				at(key).here, _ = stageNumber(what)
			}
		} else if rest, ok := strings.CutPrefix(name, portPrefix); ok {
			ports.take(rest, ref.Hash)
		} else if rest, ok := strings.CutPrefix(name, seenPrefix); ok {
			if key, what, ok := splitKey(rest); ok {
				at(key).takeMark(what, ref)
			}
		}
	}
	return tasks, nil
}

// splitKey divides "project/group/task/rest".
func splitKey(s string) (key, rest string, ok bool) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) < 4 {
		return "", "", false
	}
	return strings.Join(parts[:3], "/"), parts[3], true
}

// take files one state ref. Names that this version does not know are left
// alone.
func (s *refState) take(what string, h gitops.Hash) {
	kind, num, _ := strings.Cut(what, "/")
	n, isNumber := stageNumber(num)
	switch {
	case what == "plan":
		s.plan = h
	case what == "base":
		s.base = h
	case kind == "done" && isNumber:
		s.done[n] = h
	case kind == "reserved" && isNumber:
		s.reserved[n] = h
	case kind == "reopened" && isNumber:
		s.reopened[n] = h
	}
}

// takeMark files the mark of a reservation, "<N>/<tag>/<clone>".
func (s *refState) takeMark(what string, ref gitops.Ref) {
	num, _, _ := strings.Cut(what, "/")
	if n, ok := stageNumber(num); ok {
		s.marks[n] = append(s.marks[n], ref)
	}
}

func stageNumber(s string) (plan.StageNumber, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || strconv.Itoa(n) != s {
		return 0, false
	}
	return plan.StageNumber(n), true
}

// Load reads the task that a request is about. want is what the user named
// (--task), "" for none: then the caller's own stage worktree, okstra.task, or
// the only approved plan decides. Errors: *Refusal where none or several fit.
func (e *Engine) Load(ctx context.Context, want string) (*Task, error) {
	states, err := e.listRefs(ctx)
	if err != nil {
		return nil, err
	}
	s, err := e.pick(states, want)
	if err != nil {
		return nil, err
	}
	return e.task(ctx, states, s)
}

// task reads the plan of one of the listed tasks.
func (e *Engine) task(ctx context.Context, states map[string]*refState, s *refState) (*Task, error) {
	t := &Task{
		PlanCommit: s.plan, Base: s.base, Done: s.done, Reserved: s.reserved, Reopened: s.reopened, NotesTip: s.notes, QATip: s.qa, Here: s.here,
		ports: s.ports, marks: s.marks,
	}
	for key, other := range states {
		if key != s.key && other.plan != "" {
			t.siblings = append(t.siblings, key)
		}
	}
	slices.Sort(t.siblings)
	return t, e.readPlan(ctx, t, s.key)
}

// Reload reads the same task again, after a lost race or a change of one's own.
func (e *Engine) Reload(ctx context.Context, t *Task) (*Task, error) {
	states, err := e.listRefs(ctx)
	if err != nil {
		return nil, err
	}
	s := states[t.Key.Ref()]
	if s == nil || s.plan == "" {
		return nil, e.NoTask()
	}
	return e.task(ctx, states, s)
}

// readPlan fills in what the plan's commit holds.
func (e *Engine) readPlan(ctx context.Context, t *Task, refKey string) error {
	meta, err := ReadMeta(ctx, e.Repo, t.PlanCommit)
	if err != nil {
		return fmt.Errorf("read approved plan %s%s/plan: %w", statePrefix, refKey, err)
	}
	key, err := plan.ParseTaskKey(meta.Task)
	if err != nil || key.Ref() != refKey {
		return refuse(Environment, "the ref was written by something else: look with git log refs/okstra/"+refKey+"/plan",
			"%s%s/plan is not a plan approved by git okstra", statePrefix, refKey)
	}
	src, err := e.Repo.FileAt(ctx, t.PlanCommit, planFile)
	if err != nil {
		return fmt.Errorf("read approved plan: %w", err)
	}
	t.Key, t.Meta = key, meta
	t.Plan, err = e.Parse(src, meta.Ruleset)
	if err != nil {
		return fmt.Errorf("read approved plan: %w", err)
	}
	return nil
}

// pick chooses the task among those that have an approved plan.
func (e *Engine) pick(states map[string]*refState, want string) (*refState, error) {
	var all, here []*refState
	for _, s := range states {
		if s.plan == "" {
			continue
		}
		all = append(all, s)
		if s.here != 0 {
			here = append(here, s)
		}
	}
	if len(all) == 0 {
		return nil, e.NoTask()
	}
	fits := all
	switch configured := e.Repo.Config().Get("okstra.task"); {
	case want != "":
		fits = matching(all, want)
	case len(here) > 0:
		fits = here
	case configured != "":
		want, fits = configured, matching(all, configured)
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return nil, refuse(Usage, "tasks here: "+keyList(all), "no task here fits %q", want)
	}
	return nil, refuse(Usage, "name one with --task: "+keyList(fits), "%d tasks fit, one must be named", len(fits))
}

// matching lists the tasks whose key ends with the segments that were named,
// divided by colons (or, as in refs, by slashes if there is no colon).
func matching(all []*refState, want string) []*refState {
	divider := "/"
	if strings.Contains(want, ":") {
		divider = ":"
	}
	segments := strings.Split(want, divider)
	for i, s := range segments {
		mapped, err := plan.MapSegment(s)
		if err != nil {
			return nil
		}
		segments[i] = mapped
	}
	suffix := strings.Join(segments, "/")
	var out []*refState
	for _, s := range all {
		if suffix != "" && (s.key == suffix || strings.HasSuffix(s.key, "/"+suffix)) {
			out = append(out, s)
		}
	}
	return out
}

func keyList(states []*refState) string {
	var keys []string
	for _, s := range states {
		keys = append(keys, strings.ReplaceAll(s.key, "/", ":"))
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}
