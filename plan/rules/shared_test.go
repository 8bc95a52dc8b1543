package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
)

// covered says whether the table has a rule with the code.
func covered(code string) bool {
	return slices.ContainsFunc(Table(), func(r Rule) bool { return r.Code == code })
}

// outline writes findings as the .expect files do, sorted.
func outline(findings []Finding) []string {
	lines := []string{}
	for _, f := range findings {
		mark := ""
		if f.Severity == Warning {
			mark = "~"
		}
		lines = append(lines, fmt.Sprintf("%s%s stage=%d", mark, f.Code, f.Stage))
	}
	slices.Sort(lines)
	return lines
}

func expected(t *testing.T, file string) []string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func TestSharedPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/shared/*.md")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d plans, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := expected(t, strings.TrimSuffix(file, ".md")+".expect")
			got := Check(plan.Parse(src), Options{})
			if !slices.Equal(outline(got.Findings), want) {
				t.Errorf("findings %v, want %v\n%v", outline(got.Findings), want, got.Findings)
			}
			if strings.HasPrefix(name, "ok-") && (!got.OK() || got.Plan == nil) {
				t.Error("a good plan is not OK")
			}
		})
	}
}
