package hooks

import (
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/plan"
)

func TestPlanGlobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"plan.md", "plan.md", true},
		{"plan.md", "a/b/plan.md", true},
		{"/plan.md", "plan.md", true},
		{"/plan.md", "a/plan.md", false},
		{"*.plan", "a/x.plan", true},
		{"plans/*.md", "plans/a.md", true},
		{"plans/*.md", "plans/a/b.md", false},
		{"plans/*.md", "x/plans/a.md", false},
		{"plans/**/*.md", "plans/a.md", true},
		{"plans/**/*.md", "plans/a/b/c.md", true},
		{"**/plans/**", "x/plans/y/z", true},
		{"**/plans/**", "plans", true},
		{"**", "anything/at/all", true},
		{"**/**/**/a", "a", true},
		{"a/?.txt", "a/b.txt", true},
		{"a/[bc].txt", "a/c.txt", true},
		{"a/[bc].txt", "a/d.txt", false},
		{"a", "a/b", false},
		{"한글/*.md", "한글/계획.md", true},
	} {
		if got := (PlanGlobs{c.pattern}).Match(c.name); got != c.want {
			t.Errorf("%s for %s: %v", c.pattern, c.name, got)
		}
	}
	if (PlanGlobs{}).Match("plan.md") {
		t.Error("no pattern fits")
	}
	if err := (PlanGlobs{"a", "["}).Check(); err == nil || !strings.Contains(err.Error(), `"["`) {
		t.Errorf("a bad pattern: %v", err)
	}
	if err := (PlanGlobs{"a/**", "*.md"}).Check(); err != nil {
		t.Error(err)
	}
	deep := PlanGlobs{strings.Repeat("**/", 30) + "x"}
	if deep.Match(strings.Repeat("a/", 200) + "b") {
		t.Error("fits")
	}
}

func TestHasStageMap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"## 5.5 Stage Map\n":                        true,
		"## 4.5 Stage Map\n":                        true,
		"## Stage Map\n":                            true,
		"## 12. Stage Map (단계)\n":                   true,
		"Stage Map\n---------\n":                    true,
		"## **5.5** Stage Map\n":                    true,
		"---\nokstra: 1\n---\n\n## 5.5 Stage Map\n": true,
		"\ufeff## 5.5 Stage Map\r\n":                true,
		"# Stage Map\n":                             false,
		"### 5.5 Stage Map\n":                       false,
		"## The Stage Map\n":                        false,
		"## Stage Maps\n":                           false,
		"## stage map\n":                            false,
		"## 5.5 Stage\n":                            false,
		"Stage Map\n":                               false,
		"```\n## 5.5 Stage Map\n```\n":              false,
		"~~~~\n## 5.5 Stage Map\n":                  false,
		"    ## 5.5 Stage Map\n":                    false,
		"> ## 5.5 Stage Map\n":                      false,
		"<!--\n## 5.5 Stage Map\n-->\n":             false,
		"\xff## 5.5 Stage Map\n":                    false,
		"":                                          false,
		"## 5.5 Stage Map\n\x00":                    true,
		"## 5.5 Stage Map\n\xff\n":                  true,
		"```\n## 5.5 Stage Map\n```\n\xff":          false,
		"\xff\xfe#\x00":                             false,
		"\xff\xfe":                                  false,
		utf16Text("\xff\xfe", "## 5.5 Stage Map\n"): true,
		utf16Text("\xff\xfe", "# Stage Map\n"):      false,
		"## 5.5 Stage Map\n" + strings.Repeat("long ", plan.MaxSize/5): true,
		"## Stage\n" + strings.Repeat("long ", plan.MaxSize/5):         false,
	} {
		if got := HasStageMap([]byte(text)); got != want {
			t.Errorf("%.80q: %v, want %v", text, got, want)
		}
	}
}

func TestAnyPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file gitops.StagedFile
		want bool
	}{
		{gitops.StagedFile{Path: "a.md", Mode: gitops.ModeFile}, true},
		{gitops.StagedFile{Path: "A.MARKDOWN", Mode: gitops.ModeExec}, true},
		{gitops.StagedFile{Path: "plans/a.txt", Mode: gitops.ModeFile}, true},
		{gitops.StagedFile{Path: "a.md", Mode: gitops.ModeSymlink}, false},
		{gitops.StagedFile{Path: "plans/a.txt", Mode: gitops.ModeGitlink}, false},
		{gitops.StagedFile{Path: "a.md"}, false},
		{gitops.StagedFile{Path: "a.go", Mode: gitops.ModeFile}, false},
		{gitops.StagedFile{Path: "md", Mode: gitops.ModeFile}, false},
	} {
		if got := AnyPlan([]gitops.StagedFile{{Path: "x.go", Mode: gitops.ModeFile}, c.file}, PlanGlobs{"plans/*"}); got != c.want {
			t.Errorf("%+v: %v", c.file, got)
		}
	}
}

// TestMapLine is for documents of which no block is shown, because there are too many.
func TestMapLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a\n## 5.5 Stage Map\n": true, "  ##\tStage Map": true, "    ## Stage Map": false, "### Stage Map": false, "a ## Stage Map": false, "## Stage Maps": false,
	} {
		if got := mapLine().MatchString(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// utf16Text is a text in 16 bits, low byte first.
func utf16Text(mark, text string) string {
	return mark + strings.Join(append(strings.Split(text, ""), ""), "\x00")
}
