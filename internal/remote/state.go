package remote

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// The ref namespaces that are exchanged, and those that stay in the clone.
const (
	statePrefix = "refs/okstra/"
	notesPrefix = "refs/notes/okstra/"
	qaPrefix    = "refs/notes/okstra-qa/"
	// claimPrefix holds the tags of reservations that were made in this clone,
	// keptPrefix those that came from elsewhere: once ended, they would dangle.
	claimPrefix = "refs/okstra-local/claims/"
	keptPrefix  = "refs/okstra-local/fetched/"
	// seenPrefix holds the marks of when a lease was first seen here, portPrefix which
	// reservation has which ports.
	seenPrefix = "refs/okstra-local/seen/"
	portPrefix = "refs/okstra-local/port/"
)

// tracking is where the refs of a remote are kept here.
type tracking string

// under names the namespace of a remote. Its name comes from the configuration and may
// be anything; errors: no ref can hold it.
func under(remote string) (tracking, error) {
	t := tracking("refs/okstra-remote/" + remote + "/")
	if !gitops.ValidRefName(gitops.RefName(t + "state")) {
		return "", fmt.Errorf("remote %q: no ref can hold its name", remote)
	}
	return t, nil
}

// refspecs say what a fetch brings where.
func (t tracking) refspecs() []string {
	return []string{
		"+" + statePrefix + "*:" + string(t) + "state/*",
		"+" + notesPrefix + "*:" + string(t) + "notes/*",
		"+" + qaPrefix + "*:" + string(t) + "qa/*",
	}
}

// here is where a ref of the remote is kept.
func (t tracking) here(name gitops.RefName) gitops.RefName {
	for _, kind := range [][2]string{{statePrefix, "state/"}, {notesPrefix, "notes/"}, {qaPrefix, "qa/"}} {
		if rest, ok := strings.CutPrefix(string(name), kind[0]); ok {
			return gitops.RefName(string(t) + kind[1] + rest)
		}
	}
	return ""
}

// there is the remote's name of a ref that is kept here, "" for any other ref.
func (t tracking) there(name gitops.RefName) gitops.RefName {
	rest, ok := strings.CutPrefix(string(name), string(t))
	if !ok {
		return ""
	}
	for _, kind := range [][2]string{{"state/", statePrefix}, {"notes/", notesPrefix}, {"qa/", qaPrefix}} {
		if rest, ok := strings.CutPrefix(rest, kind[0]); ok {
			return gitops.RefName(kind[1] + rest)
		}
	}
	return ""
}

// side is one task as one repository has it.
type side struct {
	plan, base, notes gitops.Hash
	done, reserved    map[plan.StageNumber]gitops.Hash
	reopened          map[plan.StageNumber]gitops.Hash // what was done before the round that is to come
}

func newSide() *side {
	return &side{
		done: map[plan.StageNumber]gitops.Hash{}, reserved: map[plan.StageNumber]gitops.Hash{}, reopened: map[plan.StageNumber]gitops.Hash{},
	}
}

// known reports whether the repository has the task at all.
func (s *side) known() bool { return s.plan != "" || s.notes != "" }

// refs are the refs that are exchanged, by the names that they have in both
// repositories.
type refs map[gitops.RefName]gitops.Hash

// snapshot is what is here at one moment.
type snapshot struct {
	ours, theirs refs
	made, kept   map[gitops.Hash]bool // tags of claims made here, and kept from elsewhere
	seen, ports  []gitops.Ref
}

// look reads everything with one git process.
func look(ctx context.Context, repo *gitops.Repo, t tracking) (*snapshot, error) {
	list, err := repo.Refs(ctx, "refs/okstra", "refs/notes/okstra", "refs/notes/okstra-qa", strings.TrimSuffix(string(t), "/"),
		strings.TrimSuffix(claimPrefix, "/"), strings.TrimSuffix(keptPrefix, "/"), strings.TrimSuffix(seenPrefix, "/"), strings.TrimSuffix(portPrefix, "/"))
	if err != nil {
		return nil, err
	}
	s := &snapshot{ours: refs{}, theirs: refs{}, made: map[gitops.Hash]bool{}, kept: map[gitops.Hash]bool{}}
	for _, ref := range list {
		name := string(ref.Name)
		switch there := t.there(ref.Name); {
		case there != "":
			s.theirs[there] = ref.Hash
		case strings.HasPrefix(name, claimPrefix):
			s.made[ref.Hash] = true
		case strings.HasPrefix(name, keptPrefix):
			s.kept[ref.Hash] = true
		case strings.HasPrefix(name, seenPrefix):
			s.seen = append(s.seen, ref)
		case strings.HasPrefix(name, portPrefix):
			s.ports = append(s.ports, ref)
		default:
			s.ours[ref.Name] = ref.Hash
		}
	}
	return s, nil
}

// tasks divides refs by their task. Names that this version does not know are left
// alone.
func (r refs) tasks() map[string]*side {
	out := map[string]*side{}
	at := func(key string) *side {
		if out[key] == nil {
			out[key] = newSide()
		}
		return out[key]
	}
	for name, h := range r {
		if key, ok := strings.CutPrefix(string(name), notesPrefix); ok && strings.Count(key, "/") == 2 {
			at(key).notes = h
			continue
		}
		rest, ok := strings.CutPrefix(string(name), statePrefix)
		if parts := strings.SplitN(rest, "/", 4); ok && len(parts) == 4 {
			at(strings.Join(parts[:3], "/")).take(parts[3], h)
		}
	}
	return out
}

func (s *side) take(what string, h gitops.Hash) {
	kind, num, _ := strings.Cut(what, "/")
	n, isNumber := stageNumber(num)
	switch {
	case what == "plan":
		s.plan = h
	case what == "base":
		s.base = h
	case kind == "done" && isNumber:
		s.done[n] = h
	case kind == "reopened" && isNumber:
		s.reopened[n] = h
	case kind == "reserved" && isNumber:
		s.reserved[n] = h
	}
}

func stageNumber(s string) (plan.StageNumber, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || strconv.Itoa(n) != s {
		return 0, false
	}
	return plan.StageNumber(n), true
}

// keys lists the tasks of several sides, in order.
func keys(sides ...map[string]*side) []string {
	all := map[string]bool{}
	for _, s := range sides {
		for key := range s {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// of is a task, empty where the repository has none of it.
func of(m map[string]*side, key string) *side {
	if s := m[key]; s != nil {
		return s
	}
	return newSide()
}
