package house

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listOnly are files that list names, of git's too, and read none of them here.
var listOnly = []string{"internal/bundle/settings.go", "gitops/ashead.go"}

// ownPrograms are the rooms that are not in the program: what they set for themselves is no
// setting of it.
var ownPrograms = []string{"internal/testrepo", "internal/house", "internal/bench", "internal/soak", "internal/conformscore"}

// names are a setting or a variable of the environment. The name of an output's form
// (okstra.NAME/v1) is none, nor is a file of ours.
var names = regexp.MustCompile(`\bokstra\.[a-z][A-Za-z]*(?:/v1|-)?|\b(?:OKSTRA|GIT|GITHUB|GITLAB|CI)_[A-Z_]*[A-Z]`)

func namesIn(text string) []string {
	return slices.DeleteFunc(names.FindAllString(text, -1), func(n string) bool {
		return strings.HasSuffix(n, "/v1") || strings.HasSuffix(n, "-") || n == "okstra.jsonl"
	})
}

// TestConfigurationPage: each setting and each variable that a string of the program names
// is on the page, and the page has no other.
func TestConfigurationPage(t *testing.T) {
	t.Parallel()
	h := open(t)
	read := map[string]string{} // name → a file that has it
	for _, s := range h.files {
		if s.test() || slices.Contains(ownPrograms, s.room()) || slices.Contains(listOnly, s.path) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					for _, name := range namesIn(text) {
						read[name] = s.at(lit.Pos())
					}
				}
			}
			return true
		})
	}
	page, err := os.ReadFile(filepath.Join(h.root, "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := namesIn(string(page))
	for _, name := range slices.Sorted(maps.Keys(read)) {
		if !slices.Contains(shown, name) {
			t.Errorf("%s has %s, of which docs/configuration.md says nothing", read[name], name)
		}
	}
	for _, name := range shown {
		if read[name] == "" {
			t.Errorf("docs/configuration.md has %s, which nothing reads or sets", name)
		}
	}
	if len(read) < 50 {
		t.Errorf("only %d names found", len(read))
	}
}
