package rules

import (
	"fmt"
	"strings"
	"testing"
)

// tagged makes a plan of stages with these titles and a line under its map.
func tagged(line string, titles ...string) string {
	p := genPlan{number: "5.5"}
	for i, title := range titles {
		p.stages = append(p.stages, genStage{title: title, steps: 2, files: []string{fmt.Sprintf("f%d.go", i+1)}})
	}
	return strings.Replace(p.text(), "\n## 5.5.1", "\n"+line+"\n\n## 5.5.1", 1)
}

func TestProjects(t *testing.T) {
	two, three := []string{"[api] a", "[web] b", "[web] c"}, []string{"[api] a", "[web] b", "[ops] c"}
	for _, tc := range []struct {
		line   string
		titles []string
		want   string
	}{
		{"", []string{"a", "b"}, ""},
		{"", []string{"[api] a", "b", "[API] c"}, ""},
		{"", []string{"[] a", "b [web]", "[x"}, ""},
		{"", two, "P8"},
		{"Cross-project parallelism: single project", two, "P8"},
		{"Cross-project parallelism:", two, "P8"},
		{"Cross-project parallelism: api ↔ web: web after stage 1", two, ""},
		{"- **Cross-project parallelism:** `web`/`api` run together", two, ""},
		{"Cross-project parallelism: [api]–[web] in parallel", two, ""},
		{"Cross-project parallelism: api와 web은 따로 간다", two, ""},
		{"Cross-project parallelism: API waits for Web", two, ""},
		{"Cross-project parallelism: api, web", two, "P8"},
		{"Cross-project parallelism: apis and webs", two, "P8"},
		{"cross-project parallelism: api-web", two, "P8"},
		{"`Cross-project parallelism: api-web`", two, "P8"},
		{"> Cross-project parallelism: api-web", two, "P8"},
		{"Cross-project parallelism: api-web: yes; api-ops: no; ops/web: yes", three, ""},
		{"Cross-project parallelism: api-web: yes\n\nCross-project parallelism: api-ops: no\n\nCross-project parallelism: ops-web", three, ""},
		{"Cross-project parallelism: api ↔ web yes and web ↔ ops no", three, "P8"},
		{"Cross-project parallelism: api-web", three, "P8"},
		{"Cross-project parallelism: api-gateway and web", []string{"[api] a", "[web] b"}, "P8"},
		{"Cross-project parallelism: api-gateway and web", []string{"[api-gateway] a", "[web] b"}, ""},
		{"Cross-project parallelism: api-gateway-api: no", []string{"[api] a", "[api-gateway] b"}, ""},
		{"Cross-project parallelism: 결제와 주문은 함께", []string{"[결제] a", "[주문] b"}, ""},
		{"", []string{"[api][web] a"}, "P8"},
	} {
		if got := codes(check(tagged(tc.line, tc.titles...), Options{}).Findings); got != tc.want {
			t.Errorf("%v, %q: %s, want %s", tc.titles, tc.line, got, tc.want)
		}
	}
}

// TestProjectsLineElsewhere: only a line under the Stage Map counts.
func TestProjectsLineElsewhere(t *testing.T) {
	src := strings.Replace(tagged("", "[api] a", "[web] b"), appendix, appendix+"\nCross-project parallelism: api ↔ web: free\n", 1)
	if got := codes(check(src, Options{}).Findings); got != "P8" {
		t.Error(got)
	}
}

func TestProjectsMessage(t *testing.T) {
	r := check(tagged("Cross-project parallelism: api-web", "[api] a", "[web] b", "[ops] c"), Options{})
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, "api ↔ ops, ops ↔ web") || r.Findings[0].Stage != 0 {
		t.Errorf("%+v", r.Findings)
	}
	var many []string
	for i := range maxProjects + 1 {
		many = append(many, fmt.Sprintf("[p%d] x", i))
	}
	r = check(tagged("Cross-project parallelism: p1-p2", many...), Options{})
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, "too many") {
		t.Errorf("%+v", r.Findings)
	}
}

func TestTags(t *testing.T) {
	for title, want := range map[string]string{
		"[api] x": "api", "[API][Web]  x": "api,web", "[ a b ] x": "a b", "x [api]": "", "[] x": "", "[api": "", "": "", "[[a]] x": "[a",
	} {
		if got := strings.Join(tags(title), ","); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestProjectRoots(t *testing.T) {
	roots := map[string]string{"api": "services/api", "web": "./web/", "lib": "services/api/lib", "out": "../x", "abs": "/y", "none": " "}
	for _, tc := range []struct {
		files string
		roots map[string]string
		want  string
	}{
		{"`services/api/a.go` `web/b.go`", nil, ""},
		{"`services/api/a.go` `services/api/b.go`", roots, ""},
		{"`services/api/a.go` `web/b.go`", roots, "~P9 stage=0"},
		{"`web/b.go` `services/api/a.go` `web/c.go` `services/api/d.go`", roots, "~P9 stage=0"},
		{"`services/api/a.go` `services/api/lib/b.go`", roots, "~P9 stage=0"},
		{"`services/api/a.go` `README.md` `services/apiary/b.go`", roots, ""},
		{"`web/a.go` `../x/b.go`", roots, "~S9 stage=1"},
		{"`web/a.go` `README.md`", map[string]string{"web": "web", "rest": "."}, "~P9 stage=0"},
		{"`web/a.go` `web/b.go`", map[string]string{"web": "web", "site": "web/"}, ""},
	} {
		src := strings.Replace(three, "- `f1.go`", "- "+tc.files, 1)
		r := check(src, Options{ProjectRoots: tc.roots})
		if got := strings.Join(outline(r.Findings), " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.files, got, tc.want)
		}
		if strings.Contains(tc.want, "P9") && check(src, Options{ProjectRoots: tc.roots, Strict: true}).OK() {
			t.Errorf("%s: passes under strict", tc.files)
		}
	}
}
