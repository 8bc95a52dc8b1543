package rules

import (
	"os"
	"strings"
	"testing"

	"git-okstra/plan"
)

// TestWildPlans: plans as people write them, long and in two languages. Two
// have nothing wrong, one has more than a dozen different faults.
func TestWildPlans(t *testing.T) { expectations(t, "wild", 3) }

// TestWildContracts: what later commands read out of them.
func TestWildContracts(t *testing.T) {
	for _, tc := range []struct {
		file, files string
		n           int
	}{
		{"korean-shop", "src/주문/상태.ts; src/주문/상태기계.ts; db/migrations/0042_refund.down.sql db/migrations/0042_refund.sql; src/order/cancel.controller.ts; web/src/pages/OrderCancel.tsx; src/refund/amount.ts; src/refund/pg.client.ts; src/notify/mail.ts; config/push.yaml src/notify/push.ts", 9},
		{"old-billing", "billing/tax/service.go; billing/invoice/service.go", 12},
	} {
		src, err := os.ReadFile("testdata/wild/" + tc.file + ".md")
		if err != nil {
			t.Fatal(err)
		}
		p := Check(plan.Parse(src), Options{}).Plan
		if p == nil || len(p.Stages) != tc.n {
			t.Fatalf("%s: %+v", tc.file, p)
		}
		for i, want := range strings.Split(tc.files, "; ") {
			if got := strings.Join(p.Stages[i].Files, " "); got != want {
				t.Errorf("%s, stage %d: files %q, want %q", tc.file, i+1, got, want)
			}
		}
	}
}
