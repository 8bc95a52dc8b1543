package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestPortsAtOnce starts the stages of two tasks at once, all of which would like the
// same ports; each gets its own.
func TestPortsAtOnce(t *testing.T) {
	n := 12
	if testing.Short() {
		n = 4
	}
	b := newBench(t, n)
	b.repo.Write("plan2.md", strings.ReplaceAll(widePlan(n), "HELLO-1", "HELLO-2"))
	b.must(b.repo.Dir, "plan", "approve", "plan2.md")
	seen := map[int]bool{}
	for _, o := range b.atOnce(2*n, func(i int) (string, []string) {
		return b.repo.Dir, []string{"stage", "start", fmt.Sprint(i/2 + 1), "--json", "--task", fmt.Sprintf("HELLO-%d", i%2+1)}
	}) {
		var got struct {
			Stages []struct {
				Port int `json:"port_base"`
			}
		}
		if err := json.Unmarshal([]byte(o.out), &got); err != nil || o.code != 0 || len(got.Stages) != 1 {
			t.Fatalf("start: %v: %+v", err, o)
		}
		if port := got.Stages[0].Port; port < 20000 || seen[port] {
			t.Errorf("ports from %d were given twice, or are none", port)
		}
		seen[got.Stages[0].Port] = true
	}
	if refs := b.repo.Git("for-each-ref", "refs/okstra-local/port"); strings.Count(refs, "\n")+1 != 2*n {
		t.Errorf("slots:\n%s", refs)
	}
	b.wholesome()
}
