package stage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"git-okstra/plan"
)

// ErrNotANumber is the sentinel for a choice that is no stage number.
var ErrNotANumber = errors.New("not a stage number")

// maxSpan bounds a range such as 2-400, so that a slip of the finger cannot ask
// for millions of stages.
const maxSpan = 10_000

// ParseNumbers reads a choice of stages: "2", "2,4", "2-4", several arguments,
// each number once, in the order given. Errors: ErrNotANumber with the word.
func ParseNumbers(args []string) ([]plan.StageNumber, error) {
	var out []plan.StageNumber
	seen := map[plan.StageNumber]bool{}
	for _, arg := range args {
		for word := range strings.SplitSeq(arg, ",") {
			from, to, err := span(strings.TrimSpace(word))
			if err != nil {
				return nil, err
			}
			for i := range to - from + 1 { // counted from 0: to may be the greatest number
				if n := from + i; !seen[n] {
					seen[n] = true
					out = append(out, n)
				}
			}
		}
	}
	return out, nil
}

// span reads "4" or "2-4".
func span(word string) (from, to plan.StageNumber, err error) {
	first, last, isRange := strings.Cut(word, "-")
	a, errA := number(first)
	b := a
	if isRange {
		var errB error
		b, errB = number(last)
		errA = errors.Join(errA, errB)
	}
	if errA != nil || b < a || b-a > maxSpan {
		return 0, 0, fmt.Errorf("%w: %q", ErrNotANumber, word)
	}
	return a, b, nil
}

// number reads a plain positive decimal number, no sign, no spaces.
func number(s string) (plan.StageNumber, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, ErrNotANumber
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, ErrNotANumber
	}
	return plan.StageNumber(n), nil
}
