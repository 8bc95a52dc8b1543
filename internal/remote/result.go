package remote

import (
	"cmp"
	"slices"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Change is a ref that moved; "" where it came or went.
type Change struct {
	Ref gitops.RefName `json:"ref"`
	Old gitops.Hash    `json:"old"`
	New gitops.Hash    `json:"new"`
}

// Lost is a reservation of this clone that stands no longer. Branch and worktree
// were left as they are.
type Lost struct {
	Task     string           `json:"task"`
	Stage    plan.StageNumber `json:"stage"`
	Branch   string           `json:"branch"`
	Worktree string           `json:"worktree"` // below the worktree root
	Holder   *Holder          `json:"holder"`   // who has the stage instead, null for nobody
	Done     bool             `json:"done"`     // the stage is done elsewhere
}

// Holder is who has a stage, from where and since when.
type Holder struct {
	By    string `json:"by"`
	Host  string `json:"host"`
	Since string `json:"since"`
}

// Result is what a sync did, or with a dry run would do.
type Result struct {
	Remote    string
	Fetched   []Change   // what changed here
	Pushed    []Change   // what changed at the remote
	Lost      []Lost     // claims of this clone that others hold, or ended
	Conflicts []Conflict // what a person must decide
	Refused   []Change   // what the remote did not take, without a race
	Why       error      // what git said of that
	Rounds    int        // how often the remote was asked
	there     refs       // what the remote has in the end, as far as we know
}

// Unpublished reports whether something of this clone is not at the remote.
func (r *Result) Unpublished() bool { return len(r.Refused)+len(r.Conflicts) > 0 }

// Stopped is a result with just the conflicts that stopped all of a task, nil where
// there are none. key is the task's, as in refs.
func (r *Result) Stopped(key string) *Result {
	out := *r
	out.Refused = nil
	out.Conflicts = slices.DeleteFunc(slices.Clone(r.Conflicts), func(c Conflict) bool { return !c.whole || c.Task != key })
	if len(out.Conflicts) == 0 {
		return nil
	}
	return &out
}

// Published reports whether the remote has a ref at a value.
func (r *Result) Published(ref gitops.RefName, h gitops.Hash) bool {
	return h != "" && r.there[ref] == h
}

// note adds changes to a list; a ref that moved on once more is one change.
func note(list []Change, more ...gitops.RefChange) []Change {
	for _, c := range more {
		if c.Old == c.New {
			continue
		}
		at := slices.IndexFunc(list, func(have Change) bool { return have.Ref == c.Name })
		switch {
		case at < 0:
			list = append(list, Change{c.Name, c.Old, c.New})
		case list[at].Old == c.New:
			list = slices.Delete(list, at, at+1)
		default:
			list[at].New = c.New
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(a.Ref, b.Ref) })
	return list
}
