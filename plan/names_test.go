package plan

import (
	"strings"
	"testing"
)

// TestBarePath: a word of running text is a file only if its name says so.
func TestBarePath(t *testing.T) {
	for word, want := range map[string]string{
		"a.go":                    "a.go",
		"src/a.go":                "src/a.go",
		"./src/a.go":              "./src/a.go",
		"src/a.go:10":             "src/a.go",
		"src/a.go:10-20":          "src/a.go",
		"src/a.go:Func":           "src/a.go",
		"src/a.go#L10":            "src/a.go",
		"src/a.go.":               "src/a.go",
		"src/a.go!":               "src/a.go",
		"(src/a.go)":              "src/a.go",
		"\"src/a.go\"":            "src/a.go",
		"“src/a.go”":              "src/a.go",
		"「src/a.go」":              "src/a.go",
		"src/a.go를":               "src/a.go",
		"src/a.tsx에서":             "src/a.tsx",
		"src/주문.ts":               "src/주문.ts",
		"A.JAVA":                  "A.JAVA",
		"a.test.ts":               "a.test.ts",
		"a.d.ts":                  "a.d.ts",
		"Makefile":                "Makefile",
		"deploy/Dockerfile":       "deploy/Dockerfile",
		"go.mod":                  "go.mod",
		"go.sum,":                 "",
		".gitignore":              ".gitignore",
		".github/workflows/x.yml": ".github/workflows/x.yml",
		"../a.go":                 "../a.go",
		"makefiles":               "",
		"README":                  "",
		"README.md":               "README.md",
		"a.b":                     "",
		"a.b.c":                   "",
		"v1.2.3":                  "",
		"1.5":                     "",
		"e.g.":                    "",
		"i.e":                     "",
		"etc.":                    "",
		"and/or":                  "",
		"src/api":                 "",
		"/a.go":                   "",
		"/api/users.json":         "",
		"https://x.org/a.go":      "",
		"www.x.org/a.html":        "",
		"x@y.py":                  "",
		"$HOME/a.go":              "",
		"${X}/a.go":               "",
		"%TEMP%/a.bat":            "",
		"~/a.go":                  "",
		"-o/a.go":                 "",
		"--out=a.go":              "",
		"x=a.go":                  "",
		"main.go()":               "",
		"fmt.Println":             "",
		"os.path":                 "",
		"res.json()":              "",
		"Node.js":                 "",
		"vue.js.":                 "",
		"ASP.NET":                 "",
		".go":                     "",
		"a.":                      "",
		".":                       "",
		"..":                      "",
		"":                        "",
		"—":                       "",
		"x.map":                   "",
		"x.log":                   "",
	} {
		if got := barePath(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

// TestCodePath: a code span is a file if it looks like a path at all.
func TestCodePath(t *testing.T) {
	for span, want := range map[string]string{
		"a.go":                 "a.go",
		"src/api":              "src/api",
		"src/api/":             "src/api/",
		"src/a.go:10-20":       "src/a.go",
		"src/a.go:Type.Method": "src/a.go",
		"cmd/tool":             "cmd/tool",
		"Makefile":             "Makefile",
		"a/__b__.py":           "a/__b__.py",
		"src/주문/상태":            "src/주문/상태",
		"../x":                 "../x",
		"a b.go":               "",
		"go test ./...":        "",
		"GET /price":           "",
		"/price":               "",
		"/src/a.go":            "",
		"and/or":               "",
		"AND/OR":               "",
		"n/a":                  "",
		"application/json":     "",
		"text/html":            "",
		"github.com/x/y":       "",
		"example.org/a":        "",
		"@scope/pkg":           "",
		"users/{id}":           "",
		"users/<id>":           "",
		"a|b/c":                "",
		"main()":               "",
		"pkg/main()":           "",
		"OrderState":           "",
		"DATABASE_URL":         "",
		"A=b/c":                "",
		"$X/y":                 "",
		"http://x/y.go":        "",
		"1.2.3":                "",
		"":                     "",
		"/":                    "",
	} {
		if got := codePath(span); got != want {
			t.Errorf("%q: %q, want %q", span, got, want)
		}
	}
}

// TestEveryName: each known ending and name is one, in a folder too.
func TestEveryName(t *testing.T) {
	for ext := range extensions() {
		for _, name := range []string{"x." + ext, "dir/x." + ext, "dir/x." + ext + ":1"} {
			if barePath(name) == "" || codePath(name) == "" {
				t.Errorf("%q is no file", name)
			}
		}
		if strings.ToLower(ext) != ext || strings.Trim(ext, ".") != ext {
			t.Errorf("the ending %q is never looked up", ext)
		}
	}
	for name := range wellKnown() {
		if codePath(name) == "" || codePath("dir/"+name) == "" || barePath("dir/"+name) == "" {
			t.Errorf("%q is no file", name)
		}
	}
	for name := range frameworks() {
		for _, form := range []string{name, strings.ToUpper(name), name + ".", "(" + name + ")"} {
			if got := barePath(form); got != "" {
				t.Errorf("%q is the file %q", form, got)
			}
		}
	}
	for name := range proseSlashes() {
		if got := codePath(name); got != "" {
			t.Errorf("%q is the file %q", name, got)
		}
	}
}

func TestPlanStage(t *testing.T) {
	p := &Plan{Stages: []Stage{{Number: 1, Title: "a"}, {Number: 3, Title: "c"}}}
	for n, want := range map[StageNumber]string{1: "a", 3: "c", 2: "", 0: "", -1: ""} {
		s, ok := p.Stage(n)
		if ok != (want != "") || s.Title != want {
			t.Errorf("stage %d: %+v, %v", n, s, ok)
		}
	}
}
