package conform

import (
	"slices"
	"strings"
	"sync"
	count "sync/atomic"
)

// typeCache remembers what types are known for: only the first mostTypes that are asked
// for, as a diff has as many names as whoever wrote it likes.
type typeCache struct {
	known sync.Map
	size  count.Int64
}

const mostTypes = 1 << 13

// keep remembers a type's rules while there is room.
func (c *typeCache) keep(form string, rules []*Rule) {
	if c.size.Load() >= mostTypes {
		return
	}
	if _, there := c.known.LoadOrStore(strings.Clone(form), rules); !there {
		c.size.Add(1)
	}
}

// typeRules are the rules of calls that know a type by its name, if that is the kind of
// type through which one speaks to a thing.
func (x *index) typeRules(word string) []*Rule {
	if !handleType().MatchString(word) {
		return nil
	}
	return x.callRules(word+"(", word+" x;", "new "+word+"(")
}

// callRules are those that fit one of some forms of code.
func (x *index) callRules(forms ...string) []*Rule {
	if kept, ok := x.types.known.Load(forms[0]); ok {
		return kept.([]*Rule) //nolint:forcetypeassert // only such lists are stored
	}
	var out []*Rule
	for _, form := range forms {
		x.code.each(form, func(rule *Rule, _ *part) {
			if rule.Kind == kindCall && !rule.unlessFits(form) && !slices.Contains(out, rule) {
				out = append(out, rule)
			}
		})
	}
	x.types.keep(forms[0], out)
	return out
}
