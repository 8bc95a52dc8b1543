package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReleaseFiles makes what a release has beside the program, and holds the paths in
// .goreleaser.yaml to it: one that matches nothing would only be noticed at a release.
func TestReleaseFiles(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	at := filepath.Join(t.TempDir(), "a folder")
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, ".ci", "release-files"), at, "9.8.7")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(at, "man", "git-okstra.1"))
	if err != nil || !strings.Contains(string(page), "9.8.7") {
		t.Errorf("%v: no version in the page: %.200s", err, page)
	}
	for _, name := range []string{"git-okstra.bash", "_git-okstra", "git-okstra.fish", "git-okstra.ps1"} {
		if text, err := os.ReadFile(filepath.Join(at, "completions", name)); err != nil || !strings.Contains(string(text), "git-okstra complete") && !strings.Contains(string(text), "okstra complete") {
			t.Errorf("%s: %v: %.200s", name, err, text)
		}
	}
	recipe, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sources := regexp.MustCompile(`src: ([^,}\s]+)`).FindAllStringSubmatch(string(recipe), -1)
	if len(sources) < 10 {
		t.Errorf("only %d sources", len(sources))
	}
	for _, m := range sources {
		pattern := filepath.Join(root, m[1])
		if rest, ok := strings.CutPrefix(m[1], ".release/"); ok {
			pattern = filepath.Join(at, rest)
		}
		if found, err := filepath.Glob(pattern); err != nil || len(found) == 0 {
			t.Errorf("nothing is at %s (%v)", m[1], err)
		}
	}
}

// TestReleaseBuildsAsTheGate: a release is built with the flags that the gate compares the
// bytes of, and that install.sh uses.
func TestReleaseBuildsAsTheGate(t *testing.T) {
	t.Parallel()
	for file, words := range map[string][]string{
		".goreleaser.yaml":  {"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "-s -w -X main.version="},
		".ci/release-files": {"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "-s -w -X main.version="},
		"install.sh":        {"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "-s -w -X main.version="},
		".ci/run":           {"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "-s -w"},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s: no %s", file, w)
			}
		}
	}
}
