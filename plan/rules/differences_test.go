package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
)

// expectations checks every plan of a folder of testdata against the findings
// that stand beside it.
func expectations(t *testing.T, folder string, atLeast int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.md"))
	if err != nil || len(files) < atLeast {
		t.Fatalf("%d plans, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := expected(t, strings.TrimSuffix(file, ".md")+".expect")
			got := Check(plan.Parse(src), Options{})
			if !slices.Equal(outline(got.Findings), want) {
				t.Errorf("findings %v, want %v\n%v", outline(got.Findings), want, got.Findings)
			}
		})
	}
}

func TestDifferences(t *testing.T) { expectations(t, "differences", 12) }

var (
	sectionStart = regexp.MustCompile("(?m)^### ")
	planName     = regexp.MustCompile("Plan: `([a-z-]+\\.md)`")
	codeBlock    = regexp.MustCompile("(?s)```markdown\n(.*?)```")
)

// TestDifferencesPage: each section of the page names a plan and shows a part
// of it, and each plan has its section.
func TestDifferencesPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/differences-from-okstra.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, s := range sectionStart.Split(string(page), -1)[1:] {
		title, _, _ := strings.Cut(s, "\n")
		name, block := planName.FindStringSubmatch(s), codeBlock.FindStringSubmatch(s)
		if name == nil || block == nil {
			t.Errorf("the section %q names no plan or shows nothing of it", title)
			continue
		}
		src, err := os.ReadFile(filepath.Join("testdata/differences", name[1]))
		if err != nil || !strings.Contains(string(src), block[1]) {
			t.Errorf("the section %q shows what is not in its plan, %v", title, err)
		}
		shown[name[1]] = true
	}
	files, _ := filepath.Glob("testdata/differences/*.md")
	for _, file := range files {
		if !shown[filepath.Base(file)] {
			t.Errorf("%s is on no page", file)
		}
	}
}
