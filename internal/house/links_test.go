package house

import (
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestLinks: every link of a page leads to a file of ours, and to a heading of it where
// it names one; and docs/README.md leads to every page.
func TestLinks(t *testing.T) {
	t.Parallel()
	root := open(t).root
	found := pages(t, root)
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		problems = append(problems, links(root, name, found)...)
	}
	report(t, problems)
	index := found["docs/README.md"]
	for name := range found {
		rel, err := filepath.Rel("docs", name)
		if err != nil || name == "docs/README.md" || !strings.HasPrefix(name, "docs/") {
			continue
		}
		if !strings.Contains(index, "]("+filepath.ToSlash(rel)) {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}

// pages are the Markdown files at the top and below docs, by their path, without what is
// in code.
func pages(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	read := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(rel)] = withoutFences(string(text))
	}
	top, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range top {
		read(path)
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			read(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// withoutFences blanks the lines of fenced code.
func withoutFences(text string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := regexp.MustCompile("^ {0,3}(```+|~~~+)").FindStringSubmatch(line)
		switch {
		case fence == "" && mark != nil:
			fence = mark[1]
			line = "\n"
		case fence != "":
			if strings.HasPrefix(strings.TrimSpace(line), fence) {
				fence = ""
			}
			line = "\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

var (
	inlineCode = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
	linkTarget = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	pageName   = regexp.MustCompile(`(?:^|[\s(])(docs/[a-zA-Z-]+\.md)\b`)
	aHeading   = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *#*$`)
)

// links finds the links of a page that lead nowhere, and the pages that it only names and
// that are not there.
func links(root, name string, all map[string]string) []string {
	var problems []string
	for i, line := range strings.Split(all[name], "\n") {
		plain := inlineCode.ReplaceAllString(line, "")
		for _, m := range linkTarget.FindAllStringSubmatch(plain, -1) {
			if why := leads(root, name, m[1], all); why != "" {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %s", name, i+1, m[1], why))
			}
		}
		for _, m := range pageName.FindAllStringSubmatch(plain, -1) {
			if all[m[1]] == "" {
				problems = append(problems, fmt.Sprintf("%s:%d: there is no %s", name, i+1, m[1]))
			}
		}
	}
	return problems
}

// leads says why a link leads nowhere, "" where it does not.
func leads(root, from, target string, all map[string]string) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return "" // of the web
	}
	path, anchor, _ := strings.Cut(target, "#")
	path, err := url.PathUnescape(path)
	if err != nil {
		return err.Error()
	}
	to := from
	if path != "" {
		to = filepath.ToSlash(filepath.Join(filepath.Dir(from), path))
	}
	if !filepath.IsLocal(to) {
		return "it leads out of the repository"
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
		return "there is no such file"
	}
	if anchor != "" && !slices.Contains(anchors(all[to]), anchor) {
		return "there is no such heading"
	}
	return ""
}

// anchors are the names of a page's headings, as GitHub and GitLab make them.
func anchors(text string) []string {
	var out []string
	times := map[string]int{}
	for _, m := range aHeading.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1"))
		n := times[name]
		times[name]++
		if n > 0 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		out = append(out, name)
	}
	return out
}

func TestLinksFindings(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	text := "# A `b`, c — d\n\n## Twice\n\n## Twice\n\n[x](#a-b-c--d) [x](#twice-1) [x](other.md#가격) [x](https://example.com/#y) `[x](no.md)`\n" +
		"see docs/gone.md\n[x](gone.md) [x](#twice-2) [x](other.md#b) [x](../../etc) [x](other%20two.md)\n```\n[x](no.md)\n# No\n```\n"
	all := map[string]string{"docs/a.md": withoutFences(text), "docs/other.md": "# 가격\n", "docs/other two.md": "x"}
	for name, text := range all {
		if err := os.MkdirAll(filepath.Join(root, "docs"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, links(root, "docs/a.md", all), []string{
		"docs/a.md:8: there is no docs/gone.md",
		"docs/a.md:9: #twice-2: there is no such heading",
		"docs/a.md:9: ../../etc: it leads out of the repository",
		"docs/a.md:9: gone.md: there is no such file",
		"docs/a.md:9: other.md#b: there is no such heading",
	})
}
