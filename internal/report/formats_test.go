package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"

	"git-okstra/plan"
	"git-okstra/plan/rules"
)

func sarifOf(t *testing.T, p *PlanCheck) []byte {
	t.Helper()
	data, err := json.MarshalIndent(p.SARIF("1.2.3"), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

// sarifSchema is the standard's own JSON schema. The module that is imported here
// carries it as a constant of its own, so it is read from that source.
var sarifSchema = sync.OnceValues(func() (*gojsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", reflect.TypeFor[sarif.Report]().PkgPath()).Output()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "schema" {
			text, err = strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if !strings.Contains(text, "sarif-schema-2.1.0.json") {
		return nil, errors.New("another schema")
	}
	return gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
})

// validSARIF holds a log against that schema.
func validSARIF(data []byte) error {
	schema, err := sarifSchema()
	if err != nil {
		return err
	}
	res, err := schema.Validate(gojsonschema.NewBytesLoader(data))
	if err != nil || res.Valid() {
		return err
	}
	return fmt.Errorf("%v", res.Errors())
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	p := findings()
	p.Place(func(name string) string {
		if name == "one.md" {
			return "docs/한글 plan#1.md"
		}
		return ""
	})
	data := sarifOf(t, p)
	golden(t, "findings.sarif", string(data))
	if err := validSARIF(data); err != nil {
		t.Error(err)
	}
	if err := validSARIF(sarifOf(t, &PlanCheck{})); err != nil {
		t.Errorf("nothing checked: %v", err)
	}
	// The check itself can fail: a log that breaks the standard is refused.
	for from, to := range map[string]string{
		`"2.1.0"`: `"2.0.0"`, `"level": "error"`: `"level": "bad"`, `"startLine": 1`: `"startLine": 0`,
		`"driver"`: `"driven"`, `"unicodeCodePoints"`: `"runes"`,
	} {
		bad := bytes.ReplaceAll(data, []byte(from), []byte(to))
		if bytes.Equal(bad, data) || validSARIF(bad) == nil {
			t.Errorf("%s instead of %s is taken", to, from)
		}
	}
}

// TestSARIFRules: every code of the table is described once, and each result points
// at its own.
func TestSARIFRules(t *testing.T) {
	t.Parallel()
	log := findings().SARIF("x").(sarifLog)
	driver, results := log.Runs[0].Tool.Driver, log.Runs[0].Results
	seen := map[string]bool{}
	for _, r := range driver.Rules {
		if seen[r.ID] || r.FullDescription.Text == "" || r.ShortDescription.Text == "" {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
	for _, r := range rules.Table() {
		if !seen[r.Code] {
			t.Errorf("%s is not described", r.Code)
		}
	}
	for _, r := range results {
		if driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s points at %s", r.RuleID, driver.Rules[r.RuleIndex].ID)
		}
	}
}

func TestFileURI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"plan.md": "plan.md", "docs/a b.md": "docs/a%20b.md", "-": "stdin", "/abs/p.md": "file:///abs/p.md",
		"HEAD:docs/p.md": "HEAD%3Adocs/p.md", "../up.md": "../up.md", "100%.md": "100%25.md", "계획.md": "%EA%B3%84%ED%9A%8D.md",
		"a?b#c.md": "a%3Fb%23c.md", "new\nline.md": "new%0Aline.md",
	} {
		got := fileURI(name)
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if u, err := url.Parse(got); err != nil || name != "-" && u.Path != name {
			t.Errorf("%q reads back as %v, %v", name, u, err)
		}
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	golden(t, "findings.github", findings().Annotations())
}

// TestAnnotationsCannotBeForged: whatever a plan or a file's name holds, each finding
// is one line that begins with its own command.
func TestAnnotationsCannotBeForged(t *testing.T) {
	t.Parallel()
	evil := "x\n::error::forged\r\n::set-output name=a::b%0A::stop-commands::t\u2028\x1b[2J"
	var p PlanCheck
	p.Add(evil, nil, rules.Result{Ruleset: "0.100.0", Findings: []rules.Finding{
		{Code: "S1", Severity: rules.Error, Pos: plan.Position{Line: 3, Column: 2}, Message: evil, Hint: evil},
		{Code: "S5", Severity: rules.Warning, Stage: 4, Message: "100%"},
	}}, false)
	lines := strings.Split(strings.TrimSuffix(p.Annotations(), "\n"), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "::error file=") || !strings.HasPrefix(lines[1], "::warning file=") {
		t.Fatalf("%q", lines)
	}
	for _, l := range lines {
		head, _, _ := strings.Cut(strings.TrimPrefix(l, "::"), "::")
		if strings.Count(head, ",") != 3 || strings.ContainsAny(l, "\r\x1b\u2028") {
			t.Errorf("%q", l)
		}
	}
	if !strings.HasSuffix(lines[1], "title=S5 in stage 4::100%25") || !strings.Contains(lines[1], "line=1,col=1") {
		t.Errorf("%q", lines[1])
	}
}
