package rules

import (
	"os"
	"slices"
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

func wild(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile("testdata/wild/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// TestWildUnderOptions: the same plans judged in other ways.
func TestWildUnderOptions(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts Options
		ok   bool
		want string
	}{
		{"korean-shop", Options{}, true, ""},
		{"korean-shop", Options{Strict: true}, true, ""},
		{"korean-shop", Options{Approval: true}, true, ""},
		{"korean-shop", Options{Ruleset: "0.99.0"}, true, ""},
		{"korean-shop", Options{Ruleset: "0.56.0"}, false, "P3"},
		{"korean-shop", Options{Ruleset: "0.49.0"}, false, "P3 P5 P6 S1"}, // no verdict is read, so none names the questions
		{"korean-shop", Options{Ruleset: "next"}, false, "P2"},
		{"korean-shop", Options{ConfigRuleset: "next"}, true, ""},
		{"korean-shop", Options{ProjectRoots: map[string]string{"web": "web", "db": "db"}}, true, ""},
		{"korean-shop", Options{ProjectRoots: map[string]string{"src": "src", "conf": "config"}}, true, "P9"},
		{"korean-shop", Options{ProjectRoots: map[string]string{"src": "src", "conf": "config"}, Strict: true}, false, "P9"},
		{"old-billing", Options{Strict: true, Approval: true}, true, ""},
		{"old-billing", Options{Ruleset: "0.50.0"}, false, "P5 S1"},
		{"old-billing", Options{Ruleset: "0.35.0"}, true, ""},
		{"many-faults", Options{Approval: true, Strict: true}, false, "P2 P3 P4 P5 P6 P7 P8 S10a S10b S10c S10d S11 S3 S4 S6 S7 S9"},
	} {
		r := check(wild(t, tc.name), tc.opts)
		if got := codes(r.Findings); got != tc.want || r.OK() != tc.ok {
			t.Errorf("%s under %+v: %s, OK %v", tc.name, tc.opts, got, r.OK())
		}
	}
}

// TestWildForms: line ends, a byte order mark and text after the end change no
// finding about a stage.
func TestWildForms(t *testing.T) {
	for _, name := range []string{"korean-shop", "old-billing", "many-faults"} {
		src := strings.TrimPrefix(strings.ReplaceAll(wild(t, name), "\r\n", "\n"), "\ufeff")
		want := check(src, Options{})
		for form, s := range map[string]string{
			"CRLF": strings.ReplaceAll(src, "\n", "\r\n"), "CR": strings.ReplaceAll(src, "\n", "\r"), "BOM": "\ufeff" + src,
		} {
			if got := check(s, Options{}); !slices.Equal(got.Findings, want.Findings) {
				t.Errorf("%s as %s: %v", name, form, got.Findings)
			}
		}
		for _, tail := range tails {
			after := src + "\n## 99. Notes\n\n" + tail
			if got := check(after, Options{}); !slices.Equal(stageFindings(got.Findings), stageFindings(want.Findings)) {
				t.Errorf("%s with %q: %v", name, tail, got.Findings)
			}
		}
	}
}
