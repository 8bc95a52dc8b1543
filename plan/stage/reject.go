package stage

import (
	"strconv"
	"strings"

	"git-okstra/plan"
)

// Reason says why a chosen stage cannot be started.
type Reason int

// The reasons in the order in which they are looked for. That a word is no number comes
// before them all; see ParseNumbers.
const (
	NotInMap Reason = iota + 1
	AlreadyDone
	TakenAlready
	NotReady // a dependency is not done
)

// Rejection is why a choice cannot be started: the first reason that holds for any of
// its stages, and all stages that it holds for, in the order in which they were chosen.
type Rejection struct {
	Reason Reason
	Stages []plan.StageNumber
}

// Reject checks a choice of stages, all of them for one reason before any for the
// next; nil where all can be started. A reserved stage passes if mine says that the
// reservation is the caller's, for then it is taken up again.
func (p Progress) Reject(pl *plan.Plan, chosen []plan.StageNumber, mine func(plan.StageNumber) bool) *Rejection {
	at := places(pl)
	found := map[Reason][]plan.StageNumber{}
	for _, n := range chosen {
		i, known := at[n]
		switch {
		case !known:
			found[NotInMap] = append(found[NotInMap], n)
		case p.Done[n]:
			found[AlreadyDone] = append(found[AlreadyDone], n)
		case p.Reserved[n] && mine(n):
		case p.Reserved[n]:
			found[TakenAlready] = append(found[TakenAlready], n)
		case len(p.WaitingFor(pl.Stages[i])) > 0:
			found[NotReady] = append(found[NotReady], n)
		}
	}
	for reason := NotInMap; reason <= NotReady; reason++ {
		if len(found[reason]) > 0 {
			return &Rejection{reason, found[reason]}
		}
	}
	return nil
}

// maxRanges bounds how many ranges are written out.
const maxRanges = 20

// Ranges writes stage numbers for a person, runs of three and more as a range, and no
// more than a line can hold: "1-4, 7, 9".
func Ranges(list []plan.StageNumber) string {
	var words []string
	for i := 0; i < len(list); {
		if len(words) == maxRanges {
			words = append(words, "and "+strconv.Itoa(len(list)-i)+" more")
			break
		}
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		const worthIt = 2
		if end-i >= worthIt {
			words = append(words, strconv.Itoa(int(list[i]))+"-"+strconv.Itoa(int(list[end])))
			i = end + 1
			continue
		}
		words = append(words, strconv.Itoa(int(list[i])))
		i++
	}
	return strings.Join(words, ", ")
}
