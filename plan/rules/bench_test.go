package rules

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"git-okstra/plan"
)

// thousand is a plan of 1,000 stages in the form of the shared plans, about 1 MB.
func thousand() []byte {
	const n = 1000
	p := genPlan{number: "5.5"}
	var b strings.Builder
	b.WriteString("---\nokstra: 0.100.0\napproved: true\n---\n" + chapters + "## 5.5 Stage Map\n\n" + mapHead)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "| %d | [api] 단계 %d `x \\| y` | %s | 3 | services/pkg%d/handler.go, GET /items/%d |\n", i, i, depends(i), i, i)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\n## %s.%d Stage %d: [api] 단계 %d `x | y`\n\n", p.number, i, i, i)
		fmt.Fprintf(&b, "**Slice value:** a shopper sees item %d\n\nAcceptance: `GET /items/%d` answers 200 with the stored item\n\n", i, i)
		b.WriteString("- Test case (success): the stored item comes back\n- Test case (boundary): an empty list\n- Test case (failure): an unknown id gives 404\n\n")
		fmt.Fprintf(&b, "Conformance tests: stage-%d — qa/scripts/stage-%d.sh (requires=[db,http])\n\n", i, i)
		b.WriteString("### Carry-In\n\n- task brief and the exit contracts of the stages before\n\n### Stepwise Execution Order\n\n")
		b.WriteString("| step | action | files | command | expected |\n|------|--------|-------|---------|----------|\n")
		fmt.Fprintf(&b, "| 1 | RED: write the failing test | services/pkg%d/handler_test.go | `go test ./services/pkg%d` | FAIL |\n", i, i)
		fmt.Fprintf(&b, "| 2 | GREEN: minimal code | services/pkg%d/handler.go | `go test ./services/pkg%d` | PASS |\n", i, i)
		b.WriteString("| 3 | REFACTOR: names | | `go vet ./...` | clean |\n\n")
		fmt.Fprintf(&b, "### Stage Exit Contract\n\n- `services/pkg%d/handler.go`: the handler\n- GET /items/%d\n\n### Stage Validation\n\n- post: `go test ./...`\n", i, i)
	}
	b.WriteString("\n" + appendix)
	return []byte(b.String())
}

func depends(i int) string {
	switch {
	case i == 1:
		return "(none)"
	case i < 4:
		return "1"
	}
	return fmt.Sprintf("%d, %d", i-1, i/2)
}

// BenchmarkCheck1000 reads and judges a plan of 1,000 stages. Beside Go's own
// figures it reports the memory allocated in a run and the heap that is alive
// at its end, both as multiples of the plan's size.
func BenchmarkCheck1000(b *testing.B) {
	src := thousand()
	if r := Check(plan.Parse(src), Options{}); len(r.Findings) > 0 || len(r.Plan.Stages) != 1000 {
		b.Fatalf("%d findings, the first %+v", len(r.Findings), r.Findings[0])
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		Check(plan.Parse(src), Options{})
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(len(src)), "alloc/size")
}
