package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
)

// fill repeats a text to the largest size that a plan may have.
func fill(head, unit string) string {
	return head + strings.Repeat(unit, (plan.MaxSize-len(head))/len(unit))
}

// hostile are documents of 16 MiB, each against one part of the way through.
func hostile() map[string]func() string {
	mapTop := "## 5.5 Stage Map\n\n" + mapHead
	section := strings.Replace(three, "## 9. Appendix", "", 1)
	out := map[string]func() string{
		"items":      func() string { return fill("", "-\n") },
		"item text":  func() string { return fill("", "- a\n") },
		"paragraphs": func() string { return fill("", "a\n\n") },
		"headings":   func() string { return fill("", "# a\n") },
		"sections":   func() string { return fill(mapTop+"| 1 | t | | 1 | |\n\n", "## 5.5.1 Stage 1: t\n") },
		"map rows":   func() string { return fill(mapTop, "| 1 | a | (none) | 1 | x |\n") },
		"tables":     func() string { return fill("", "|a|\n|-|\n\n") },
		"one row":    func() string { return fill(mapTop, "|a") },
		"quotes":     func() string { return fill("", strings.Repeat(">", 50)+"\n") },
		"nested":     func() string { return fill("", strings.Repeat("- ", 50)+"a\n") },
		"one line":   func() string { return fill("# ", "한 ") },
		"blank":      func() string { return fill("", "\n") },
		"tokens":     func() string { return fill(section, "Slice value: **a** `b`\n\n") },
		"one token":  func() string { return fill("Slice value:\n", "a *b*\n") },
		"emphasis":   func() string { return fill("", "Acceptance: *a **b ***c ~~d [e](f\n\n") },
		"ticks":      func() string { return fill("", "Acceptance: ` `` ``` ````\n\n") },
		"brackets":   func() string { return fill("# ", "[") },
		"defs":       func() string { return fill("", "[a]: b\n\n") },
		"entities":   func() string { return fill("", "# &amp;&#65;\n") },
		"options":    func() string { return fill("## Option Candidates\n", "### A\nCreate: a — b\n") },
		"questions":  func() string { return fill("## 1. Clarification Items\n\n|id|blocks|\n|-|-|\n", "|C-1|approval|\n") },
		"verdicts": func() string {
			return fill("### 5.5.9 Plan Body Verification\n\n|Classification|\n|-|\n", "|majority-disagree → C-1|\n")
		},
		"many verdicts, many questions": func() string {
			var b strings.Builder
			b.WriteString("## 1. Clarification Items\n\n|id|blocks|\n|-|-|\n")
			for i := range 100_000 {
				fmt.Fprintf(&b, "|C-%d|approval|\n", i)
			}
			b.WriteString("\n### 5.5.9 Plan Body Verification\n\n|Classification|\n|-|\n")
			for i := range 100_000 {
				fmt.Fprintf(&b, "|majority-disagree → D-%d|\n", i)
			}
			return b.String()
		},
		"gates":   func() string { return fill("### 5.5.9 Plan Body Verification\n\n", "Gate result: x\n\n") },
		"files":   func() string { return fill(strings.Split(section, "- `f3.go`")[0], "- `a/b.go` c.go\n") },
		"a file":  func() string { return fill(strings.Split(section, "- `f3.go`")[0]+"- `", "a/") },
		"tags":    func() string { return manyTags(100_000) },
		"pairs":   pairsLine,
		"stages":  func() string { return many(60_000, "| %[1]d | t | 1 | 0 | x |\n", "- a/shared.go\n\nSlice value: x") },
		"comment": func() string { return fill("", "<!-- ") },
		"html":    func() string { return fill("", "<div>\n\n") },
		"fences":  func() string { return fill("", "```\n") },
		"yaml":    func() string { return fill("---\n", "a: b\n") + "\n---\n" },
	}
	return out
}

func manyTags(n int) string {
	var b strings.Builder
	b.WriteString("## 5.5 Stage Map\n\n" + mapHead)
	for i := range n {
		fmt.Fprintf(&b, "| %d | [p%d] x | | 0 | x |\n", i+1, i)
	}
	return b.String() + "\nCross-project parallelism: p1-p2\n"
}

// pairsLine is one long line about two projects whose names overlap.
func pairsLine() string {
	src := tagged("Cross-project parallelism: "+strings.Repeat("a-", plan.MaxSize/2-2000), "[a] x", "[a-a] y")
	return src
}

// BenchmarkHostile judges the documents above; run one at a time with
// -benchtime 1x to see its time and, with time -v, its memory.
func BenchmarkHostile(b *testing.B) {
	docs := hostile()
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		b.Run(name, func(b *testing.B) {
			src := []byte(docs[name]())
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Check(plan.Parse(src), Options{Approval: true})
			}
		})
	}
}
