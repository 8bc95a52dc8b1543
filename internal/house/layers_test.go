package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// room says what one package may import. The rules hold for its tests too, which may
// use testrepo besides.
type room struct {
	ours      []string // our packages; "all" for every one that is not for tests only
	pure      bool     // no clock, environment, network, processes or randomness
	workflow  bool     // one of the workflows that the command composes
	testsOnly bool     // may be imported by _test files only
}

// workflow is the usual line of a workflow room.
var workflow = room{ours: []string{"gitops", "plan", "plan/stage", "notes"}, workflow: true}

// rooms is the table of ARCHITECTURE.md.
var rooms = map[string]room{
	"plan":       {pure: true},
	"plan/rules": {pure: true, ours: []string{"plan"}},
	"plan/stage": {pure: true, ours: []string{"plan"}},

	"plan/revision": {pure: true, ours: []string{"plan"}},

	"gitops": {},
	"notes":  {ours: []string{"gitops", "plan", "plan/stage"}},
	"hooks": {ours: []string{
		"gitops", "plan", "plan/rules", "plan/stage", "notes", "internal/marked",
		"internal/conform", "internal/conform/verdict", "internal/conform/manifest", "internal/conform/proof",
	}},

	"internal/conform":          {pure: true, ours: []string{"plan"}},
	"internal/conform/verdict":  {pure: true, ours: []string{"plan", "plan/rules", "internal/conform"}},
	"internal/conform/manifest": {pure: true, ours: []string{"plan", "plan/rules", "internal/conform", "internal/conform/verdict"}},
	"internal/conform/proof":    {pure: true, ours: []string{"plan", "internal/conform", "internal/conform/verdict", "internal/conform/manifest"}},

	"internal/conformscore": {ours: []string{"internal/conform"}},
	"internal/report": {pure: true, ours: []string{
		"plan", "plan/rules", "plan/stage", "plan/revision",
		"internal/conform", "internal/conform/verdict", "internal/conform/manifest", "internal/conform/proof",
	}},

	"internal/lifecycle":  workflow,
	"internal/workspace":  {ours: []string{"gitops", "plan"}, workflow: true},
	"internal/taskfolder": workflow,
	"internal/reconcile":  workflow,
	"internal/chain": {ours: []string{
		"gitops", "plan", "plan/stage", "notes", "internal/lines",
	}, workflow: true},
	"internal/verify": workflow,
	"internal/prove": {ours: []string{
		"gitops", "plan", "plan/stage", "notes", "internal/conform/proof", "internal/lines",
	}, workflow: true},
	"internal/remote": workflow,
	"internal/doctor": workflow,

	"internal/board":    {pure: true, ours: []string{"plan", "internal/conform", "internal/report"}},
	"internal/bundle":   {pure: true},
	"internal/manual":   {pure: true},
	"internal/lines":    {pure: true},
	"internal/marked":   {pure: true},
	"docs/schemas":      {pure: true},
	"internal/ui":       {},
	"internal/bench":    {ours: []string{"gitops", "notes", "plan"}},
	"internal/soak":     {},
	"internal/testrepo": {testsOnly: true},
	"internal/house":    {testsOnly: true},
	"cmd/git-okstra":    {ours: []string{"all"}},
}

// libraries says in which rooms a library is at home, by the beginning of its import
// path; "tests" stands for every _test file.
var libraries = map[string][]string{
	"github.com/alecthomas/chroma/v2":  {"internal/conform"},
	"github.com/alecthomas/kong":       {"cmd/git-okstra"},
	"github.com/dlclark/regexp2/v2":    {"internal/conform"},
	"github.com/google/jsonschema-go":  {"internal/conform/manifest", "tests"},
	"github.com/google/uuid":           {"cmd/git-okstra"},
	"github.com/go-git":                {"gitops"},
	"github.com/Masterminds/semver/v3": {"plan/rules"},
	"github.com/sergi/go-diff":         {"plan/revision"},
	"github.com/owenrumney/go-sarif":   {"tests"},
	"github.com/xeipuuv/gojsonschema":  {"tests"},
	"github.com/yuin/goldmark":         {"plan"},
	"github.com/goccy/go-yaml":         {"plan", "plan/rules", "internal/conform", "hooks"},
	"github.com/mattn/go-runewidth":    {"internal/ui", "internal/report"},
	"charm.land/bubbletea/v2":          {"internal/ui"},
	"github.com/charmbracelet/x/vt":    {"tests"},
	"golang.org/x/term":                {"cmd/git-okstra"},
	"golang.org/x/sys":                 {"internal/testrepo", "gitops", "internal/workspace", "tests"},
	"golang.org/x/text":                {"plan"},
	"github.com/rogpeppe/go-internal":  {"tests", "internal/testrepo"},
	"pgregory.net/rapid":               {"tests"},
}

// impure are the standard packages that a pure room does without, with those below
// them.
var impure = []string{"os", "net", "syscall", "math/rand", "crypto/rand", "io/ioutil", "log", "plugin"}

// harmless are exceptions below impure: they compute and touch nothing.
var harmless = []string{"net/url"}

// impureCalls are functions and variables that a pure room does not use, from
// packages that it may otherwise import.
var impureCalls = map[string][]string{
	"time": {
		"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker",
		"Local", "LoadLocation",
	},
	"path/filepath": {"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"},
}

func TestLayers(t *testing.T) {
	t.Parallel()
	h := open(t)
	var problems []string
	for _, s := range h.files {
		problems = append(problems, layers(h.module, s)...)
		problems = append(problems, purity(s)...)
	}
	report(t, problems)
}

// TestTable holds the table to the sentences that it came from.
func TestTable(t *testing.T) {
	t.Parallel()
	for name, r := range rooms {
		for _, our := range r.ours {
			if our == "all" {
				continue
			}
			other, ok := rooms[our]
			switch {
			case !ok:
				t.Errorf("%s: %s is not in the table", name, our)
			case other.testsOnly:
				t.Errorf("%s: %s is for tests only", name, our)
			case r.pure && !other.pure:
				t.Errorf("%s is pure, %s is not", name, our)
			case r.workflow && other.workflow:
				t.Errorf("%s and %s are both workflows", name, our)
			}
		}
	}
	if ours := rooms["gitops"].ours; len(ours) != 0 {
		t.Errorf("gitops knows %q; it is to know no word of the plan", ours)
	}
}

// layers checks a file's imports of our packages and of libraries.
func layers(module string, s source) []string {
	here, known := rooms[s.room()]
	if !known {
		return []string{fmt.Sprintf("%s: package folder %q is not in the table of rooms; add it to internal/house/layers_test.go and to ARCHITECTURE.md",
			s.path, s.room())}
	}
	var problems []string
	for from := range s.imports() {
		var problem string
		switch {
		case from == module || strings.HasPrefix(from, module+"/"):
			problem = ours(s, here, strings.TrimPrefix(strings.TrimPrefix(from, module), "/"))
		case strings.Contains(strings.Split(from, "/")[0], "."):
			problem = library(s, from)
		case from == "C":
			problem = "cgo: the command is built with CGO_ENABLED=0"
		}
		if problem != "" {
			problems = append(problems, s.path+": "+problem)
		}
	}
	return problems
}

// ours judges the import of our package to by s, a file of the room here.
func ours(s source, here room, to string) string {
	there, known := rooms[to]
	switch {
	case !known:
		return fmt.Sprintf("imports %s, which is not in the table of rooms", to)
	case there.testsOnly && !s.test():
		return fmt.Sprintf("imports %s, which is for tests only", to)
	case there.testsOnly, to == s.room(), slices.Contains(here.ours, to), slices.Contains(here.ours, "all"):
		return ""
	}
	return fmt.Sprintf("%s may not import %s", s.room(), to)
}

// library judges the import of a package of another module by s.
func library(s source, from string) string {
	for name, homes := range libraries {
		if from != name && !strings.HasPrefix(from, name+"/") {
			continue
		}
		if slices.Contains(homes, s.room()) || s.test() && slices.Contains(homes, "tests") {
			return ""
		}
		return fmt.Sprintf("imports %s, which is at home in %s", from, strings.Join(homes, ", "))
	}
	return fmt.Sprintf("imports %s, which is not in the table of libraries; add it to internal/house/layers_test.go", from)
}

// purity checks that a pure room's code, its tests aside, depends on nothing but its
// arguments.
func purity(s source) []string {
	if !rooms[s.room()].pure || s.test() {
		return nil
	}
	var problems []string
	calls := map[string][]string{} // by the package's name in this file
	for from, name := range s.imports() {
		for _, bad := range impure {
			if (from == bad || strings.HasPrefix(from, bad+"/")) && !slices.Contains(harmless, from) {
				problems = append(problems, fmt.Sprintf("%s: %s is pure and may not import %s", s.path, s.room(), from))
			}
		}
		if names, ok := impureCalls[from]; ok {
			calls[name] = names
			if name == "." {
				problems = append(problems, fmt.Sprintf("%s: dot import of %s", s.path, from))
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := selector.X.(*ast.Ident); ok && slices.Contains(calls[pkg.Name], selector.Sel.Name) {
			problems = append(problems, fmt.Sprintf("%s: %s is pure and may not use %s.%s",
				s.at(n.Pos()), s.room(), pkg.Name, selector.Sel.Name))
		}
		return true
	})
	return problems
}

func TestLayersFindings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, imports string
		want          []string
	}{
		{"plan/rules/a.go", `"m/plan"; "github.com/Masterminds/semver/v3"; "strings"`, nil},
		{"plan/a.go", `"github.com/yuin/goldmark/ast"`, nil},
		{"plan/a.go", `"m/plan/rules"`, []string{"plan may not import plan/rules"}},
		{"plan/a_test.go", `"m/plan"; "m/internal/testrepo"; "pgregory.net/rapid"`, nil},
		{"plan/a_test.go", `"m/gitops"`, []string{"plan may not import gitops"}},
		{"plan/a.go", `"pgregory.net/rapid"`, []string{"at home in tests"}},
		{"plan/a.go", `"m/internal/testrepo"`, []string{"for tests only"}},
		{"plan/a.go", `"github.com/Masterminds/semver/v3"`, []string{"at home in plan/rules"}},
		{"notes/a.go", `g "github.com/go-git/go-git/v5/plumbing"`, []string{"at home in gitops"}},
		{"gitops/a.go", `"github.com/go-git/go-git/v5/plumbing"; "os/exec"`, nil},
		{"gitops/a.go", `"m/plan"`, []string{"gitops may not import plan"}},
		{"internal/lifecycle/a.go", `"m/internal/workspace"`, []string{"internal/lifecycle may not import internal/workspace"}},
		{"internal/lifecycle/a.go", `"github.com/alecthomas/kong"`, []string{"at home in cmd/git-okstra"}},
		{"internal/ui/a.go", `"example.com/new"`, []string{"not in the table of libraries"}},
		{"internal/ui/a.go", `"github.com/alecthomas/kongx"`, []string{"not in the table of libraries"}},
		{"internal/new/a.go", `"m/plan"`, []string{`"internal/new" is not in the table of rooms`}},
		{"cmd/git-okstra/a.go", `"m/internal/chain"; "m/hooks"; "github.com/alecthomas/kong"`, nil},
		{"cmd/git-okstra/a.go", `"m/internal/new"`, []string{"not in the table of rooms"}},
		{"cmd/git-okstra/a.go", `"m/internal/house"`, []string{"for tests only"}},
		{"cmd/git-okstra/a.go", `"C"`, []string{"cgo"}},
		{"a.go", `"m"`, []string{`"." is not in the table of rooms`}},
	} {
		s := parse(t, test.path, "package "+packageName(test.path)+"\nimport ("+test.imports+")\n")
		expect(t, layers("m", s), test.want)
	}
}

func TestPurityFindings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, text string
		want       []string
	}{
		{"plan/a.go", `import "time"; func f(t time.Time) time.Duration { return t.Sub(t) }`, nil},
		{"plan/a.go", `import "time"; var t = time.Now()`, []string{"may not use time.Now"}},
		{"plan/a.go", `import "time"; var now = time.Now`, []string{"may not use time.Now"}},
		{"plan/a.go", `import clock "time"; var t = clock.Since(x)`, []string{"may not use clock.Since"}},
		{"plan/a.go", `import . "time"`, []string{"dot import of time"}},
		{"plan/a.go", `import ("os"; "os/exec"; "net/http"; "net/url")`, []string{"import net/http", "import os", "import os/exec"}},
		{"plan/stage/a.go", `import ("math"; "math/rand/v2"; "path/filepath")`, []string{"import math/rand/v2"}},
		{"internal/conform/a.go", `import "path/filepath"; var a, b = filepath.Abs("x")`, []string{"filepath.Abs"}},
		{"plan/a_test.go", `import ("os"; "time"); var t = time.Now()`, nil},
		{"gitops/a.go", `import ("os"; "time"); var t = time.Now()`, nil},
	} {
		s := parse(t, test.path, "package "+packageName(test.path)+"\n"+test.text+"\n")
		expect(t, purity(s), test.want)
	}
}

// packageName is a package name for a sample file.
func packageName(file string) string {
	return strings.NewReplacer("git-okstra", "main", ".", "root").Replace(path.Base(path.Dir(file)))
}

// TestLibrariesDoNotOverlap keeps the table's answer independent of map order.
func TestLibrariesDoNotOverlap(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(libraries))
	for i := 1; i < len(names); i++ {
		if strings.HasPrefix(names[i], names[i-1]+"/") {
			t.Errorf("%s lies in %s", names[i], names[i-1])
		}
	}
}
