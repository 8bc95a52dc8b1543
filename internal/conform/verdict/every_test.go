package verdict

import (
	"slices"
	"testing"

	"git-okstra/internal/conform"
)

// subsets are all sets of two surfaces, which is enough for every relation of two sets.
func subsets() [][]conform.Surface {
	return [][]conform.Surface{nil, {"db"}, {"io"}, {"db", "io"}}
}

// expected is the table of the specification in other words than Judge: the waived leave
// both sets first, and then one row fits.
func expected(c Case, waived []conform.Surface) Word {
	left := func(list []conform.Surface) []conform.Surface {
		var out []conform.Surface
		for _, s := range list {
			if !slices.Contains(waived, s) {
				out = append(out, s)
			}
		}
		return out
	}
	var touched []conform.Surface
	for _, t := range c.Touches {
		touched = append(touched, t.Surface)
	}
	used := len(left(touched)) < len(touched)
	if c.Declared.Kind == Tests {
		used = used || len(left(c.Declared.Requires)) < len(c.Declared.Requires)
	}
	best := Pass
	if used {
		best = Notice
	}
	switch c.Declared.Kind {
	case Undeclared:
		return Notice
	case Exemption:
		if len(left(touched)) > 0 {
			return Block
		}
		return best
	case Tests:
	}
	required := left(c.Declared.Requires)
	for _, s := range left(touched) {
		if !slices.Contains(required, s) {
			return Block
		}
	}
	if len(required) == 0 || c.Proof.State == Proved {
		return best
	}
	if c.Moment == Commit || c.Moment == PushWIP {
		return Notice
	}
	return Block
}

// TestEveryCase holds Judge against the table over all that two surfaces can be: declared,
// touched, waived, proved and at each moment.
func TestEveryCase(t *testing.T) {
	t.Parallel()
	n := 0
	for _, kind := range []Kind{Undeclared, Exemption, Tests} {
		for _, required := range subsets() {
			if kind != Tests && required != nil {
				continue
			}
			for _, touched := range subsets() {
				for _, waived := range subsets() {
					for _, state := range []State{NoProof, Stale, Failed, Proved} {
						for _, moment := range moments {
							c := Case{
								Stage: 1, Declared: Declaration{Kind: kind, Requires: required}, Touches: touch(touched...),
								Waivers: waive(waived...), Proof: Proof{State: state}, Now: now, Moment: moment,
							}
							n++
							if v := Judge(c); v.Word != expected(c, waived) {
								t.Errorf("%q requires %v, touched %v, waived %v, %s, %s: %s, want %s (%s)",
									kind, required, touched, waived, state, moment, v.Word, expected(c, waived), codes(v))
							}
						}
					}
				}
			}
		}
	}
	if n != (1+1+4)*4*4*4*5 {
		t.Errorf("%d cases", n)
	}
}
