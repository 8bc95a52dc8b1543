package doctor

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocs holds docs/doctor.md against the table: every code is there once, with its
// severity, whether it is repaired, and what it means, and nothing else is.
func TestDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n### ")[1:]
	found := map[string]string{}
	for _, s := range sections {
		head, body, _ := strings.Cut(s, "\n")
		if _, again := found[head]; again {
			t.Errorf("%q is there twice", head)
		}
		found[head], _, _ = strings.Cut(body, "\n## ")
	}
	for _, c := range Checks() {
		repaired := ""
		if c.Repair != "" {
			repaired = ", repaired"
		}
		head := fmt.Sprintf("%#q (%s%s)", c.Code, c.Severity, repaired)
		body, ok := found[head]
		if !ok {
			t.Errorf("no section %q", head)
		}
		delete(found, head)
		if plain := strings.Join(strings.Fields(body), " "); !strings.Contains(strings.ToLower(plain), strings.ToLower(c.Meaning)) {
			t.Errorf("%s: the section does not say that %s", c.Code, c.Meaning)
		}
	}
	for head := range found {
		t.Errorf("%q is no check", head)
	}
}

// TestTable: codes are unique and of one form, and every check has what a report needs.
func TestTable(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`)
	seen := map[string]bool{}
	for _, c := range Checks() {
		if !form.MatchString(c.Code) || seen[c.Code] {
			t.Errorf("code %q", c.Code)
		}
		seen[c.Code] = true
		if c.Meaning == "" || strings.HasSuffix(c.Meaning, ".") || c.find == nil {
			t.Errorf("%s: meaning %q", c.Code, c.Meaning)
		}
		if c.Severity != Error && c.Severity != Warning && c.Severity != Info {
			t.Errorf("%s: severity %q", c.Code, c.Severity)
		}
	}
}

// TestNothingIsFoundInNothing asks every check about an empty repository.
func TestNothingIsFoundInNothing(t *testing.T) {
	t.Parallel()
	r := judge(&facts{tasks: []*task{newTask("p/g/t")}})
	if len(r.Findings) != 0 || r.Remains() || len(r.Tasks) != 1 || r.Tasks[0] != "p:g:t" {
		t.Errorf("%+v", r)
	}
}
