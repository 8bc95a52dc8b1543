package conform

import "testing"

// TestTypesAreCapped asks for more types than are remembered: the answers are the same,
// and the memory ends.
func TestTypesAreCapped(t *testing.T) {
	t.Parallel()
	var c typeCache
	rules := []*Rule{{ID: "a"}}
	for i := range mostTypes + 100 {
		c.keep(change{line: i}.number(), rules)
		c.keep("0", rules)
	}
	n := 0
	c.known.Range(func(any, any) bool { n++; return true })
	if n != mostTypes {
		t.Errorf("%d are remembered, want %d", n, mostTypes)
	}
}
