package remote

import (
	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// history is what the union of both logs says, in order.
type history []notes.Line

// takenOver is the status of a row by which a claim replaces the one that stood.
const takenOver = notes.TakenOver

// end is how a claim on a stage ended: the last that the log says of it is that it was
// done or released, or another took the stage over behind that. It is "" for one that
// stands. A claim without a row stands: its row may have been cut off by a crash.
func (h history) end(n plan.StageNumber, claim string) notes.Status {
	how := notes.Status("")
	for _, l := range h {
		if l.Foreign || l.Row.Stage != n {
			continue
		}
		switch mine := l.Row.Claim == claim; {
		case mine && (l.Row.Status == notes.Done || l.Row.Status == notes.Released):
			how = l.Row.Status
		case mine && (l.Row.Status == notes.Started || l.Row.Status == takenOver):
			how = ""
		case !mine && l.Row.Status == takenOver && l.Row.Claim != "":
			how = takenOver
		}
	}
	return how
}

// reopened reports whether a stage that was done is not so any more.
func (h history) reopened(n plan.StageNumber) bool {
	again := false
	for _, l := range h {
		if l.Foreign || l.Row.Stage != n || l.Row.Okstra != nil {
			continue
		}
		switch l.Row.Status {
		case notes.Done:
			again = false
		case notes.Reopened:
			again = true
		}
	}
	return again
}

// reopenedFrom is the commit that a stage was done at when it was last reopened.
func (h history) reopenedFrom(n plan.StageNumber) gitops.Hash {
	from := gitops.Hash("")
	for _, l := range h {
		if !l.Foreign && l.Row.Stage == n && l.Row.Status == notes.Reopened && l.Row.Okstra == nil {
			from = l.Row.Head
		}
	}
	return from
}

// newer decides between two commits that a stage is done at: the one whose done row
// replaces the other, over any number of rows; where both do, the one of the last
// row. ok is false where neither does.
func (h history) newer(n plan.StageNumber, a, b gitops.Hash) (winner gitops.Hash, ok bool) {
	replaced := map[gitops.Hash][]gitops.Hash{}
	last := gitops.Hash("")
	for _, l := range h {
		if l.Foreign || l.Row.Stage != n || l.Row.Status != notes.Done {
			continue
		}
		if l.Row.Replaces != "" {
			replaced[l.Row.Head] = append(replaced[l.Row.Head], l.Row.Replaces)
		}
		if l.Row.Head == a || l.Row.Head == b {
			last = l.Row.Head
		}
	}
	switch overB, overA := reaches(replaced, a, b), reaches(replaced, b, a); {
	case overA && overB:
		return last, true
	case overB:
		return a, true
	case overA:
		return b, true
	}
	return "", false
}

// reaches follows replacements from one commit to another.
func reaches(next map[gitops.Hash][]gitops.Hash, from, to gitops.Hash) bool {
	seen := map[gitops.Hash]bool{}
	queue := []gitops.Hash{from}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, h := range next[at] {
			if h == to {
				return true
			}
			if !seen[h] {
				seen[h] = true
				queue = append(queue, h)
			}
		}
	}
	return false
}
