package conform

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/chroma/v2"
)

var slowLexers sync.Map // name to *chroma.RegexLexer

// slow reads a text as chroma itself does: every rule is tried by its regular expression.
func slow(t testing.TB, name, src string) []chroma.Token {
	t.Helper()
	kept, _ := slowLexers.LoadOrStore(name, chroma.MustNewXMLLexer(definitions, "lexers/"+name+".xml"))
	next, err := kept.(*chroma.RegexLexer).Tokenise(&chroma.TokeniseOptions{State: "root"}, src)
	if err != nil {
		t.Fatal(err)
	}
	return next.Tokens()
}

// quick reads it as we do.
func quick(t testing.TB, name, src string) []chroma.Token {
	t.Helper()
	d, err := lexerFor(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []chroma.Token
	if err := d.tokens(src, func(token chroma.Token) bool {
		out = append(out, token)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// sameTokens holds our reading of a text to chroma's.
func sameTokens(t *testing.T, name, src string) {
	t.Helper()
	want, got := slow(t, name, src), quick(t, name, src)
	for i := range max(len(want), len(got)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s: token %d of\n%q\nis %v, chroma says %v", name, i, src, got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))])
		}
	}
}

// corpusHunk is a case of the corpus: the lines of its diff, by language.
type corpusHunk struct {
	language *Language
	path     string
	lines    []string // with their signs
}

// corpus reads the labelled diffs.
func corpus(t testing.TB) []corpusHunk {
	t.Helper()
	files, err := filepath.Glob("../conformscore/testdata/corpus/*/*.cases")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	var out []corpusHunk
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(src), "\n=== ")[1:] {
			head, body, _ := strings.Cut(part, "\n")
			path := strings.TrimSpace(strings.Split(head, "|")[1])
			out = append(out, corpusHunk{Builtin().language(path), path, strings.Split(strings.TrimRight(body, "\n"), "\n")})
		}
	}
	return out
}

// plain is the text of a case without the signs of its lines.
func (h corpusHunk) plain() []string {
	var out []string
	for _, line := range h.lines {
		out = append(out, line[min(1, len(line)):])
	}
	return out
}

// openings begin and end things in one language or another, or are odd.
var openings = []string{
	"/*", "*/", "//", "#", "--", "\"", "'", "`", "${", "}", "\"\"\"", "'''", "\\", "<<EOF", "EOF", "<<~SQL", "<?php", "?>", "R\"x(", ")x\"", "%w(", "%q{", "$'", "\\(", "r#\"", "\"#", "@\"", "$\"{", "=begin", "=end",
	"é", "☃", "\x00", "\u2028", "\v", "\r", "#{", "/re/", "<!--", "<div a='b'>", "[[", "::", "=>", "x:", "0x1F", "1_000.5e3", ":sym", "?a", "__END__", "#!sh", "#if 0", "#endif", "\xff",
}

// TestQuickLexer holds our reading to chroma's: over the whole corpus, case by case, and
// over mixtures of its lines and of what opens and closes things.
func TestQuickLexer(t *testing.T) {
	t.Parallel()
	lines := map[string][]string{}
	texts := map[string][]string{}
	for _, h := range corpus(t) {
		if h.language == nil || h.language.Lexer == "" || h.language.Lexer == "go" {
			continue
		}
		name := h.language.Lexer
		lines[name] = append(lines[name], h.plain()...)
		texts[name] = append(texts[name], strings.Join(h.plain(), "\n")+"\n")
	}
	if len(texts) < 15 {
		t.Fatalf("only %d languages", len(texts))
	}
	for name, list := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, src := range list {
				sameTokens(t, name, src)
			}
			random := rand.New(rand.NewPCG(8, 30)) //nolint:gosec // the same mixtures each time
			for range 150 {
				sameTokens(t, name, mixture(random, lines[name]))
			}
		})
	}
}

// mixture is a text of some lines with some openings put in anywhere.
func mixture(random *rand.Rand, lines []string) string {
	var b strings.Builder
	for range 1 + random.IntN(12) {
		line := lines[random.IntN(len(lines))]
		for range random.IntN(3) {
			at := random.IntN(len(line) + 1)
			line = line[:at] + openings[random.IntN(len(openings))] + line[at:]
		}
		b.WriteString(line)
		if random.IntN(12) > 0 {
			b.WriteByte('\n')
		}
	}
	return strings.ToValidUTF8(b.String(), "?")
}

// TestQuickVerdicts holds what is said of diffs to what is said when chroma itself reads
// them: the whole corpus, and mixtures of its lines.
func TestQuickVerdicts(t *testing.T) {
	t.Parallel()
	reference := *Builtin()
	reference.pieces = func(name, src string, _ func() bool) ([]piece, string, error) {
		if name == "go" {
			return goPieces(src), "", nil
		}
		var list []piece
		for _, token := range slow(t, name, strings.ToValidUTF8(src, "?")) {
			list = append(list, piece{kindOf(token), token.Value})
		}
		return list, "", nil
	}
	random := rand.New(rand.NewPCG(8, 31)) //nolint:gosec // the same mixtures each time
	touches := 0
	same := func(path string, body []string) {
		diff, err := ParseDiff(hunkOf(path, body))
		if err != nil {
			t.Fatal(err)
		}
		want, err := reference.Touches(diff, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Builtin().Touches(diff, nil)
		if err != nil || !slices.Equal(got.Touches, want.Touches) || !slices.Equal(got.Ignored, want.Ignored) {
			t.Fatalf("%s:\n%s\ngives %v, %v\nthe slow way %v", path, strings.Join(body, "\n"), got, err, want)
		}
		touches += len(got.Touches)
	}
	byPath := map[string][]string{}
	all := corpus(t)
	for _, h := range all {
		if slices.ContainsFunc(h.lines, func(l string) bool { return strings.HasPrefix(l, "@@ ") || strings.HasPrefix(l, "---") }) {
			continue
		}
		same(h.path, h.lines)
		byPath[filepath.Ext(h.path)] = append(byPath[filepath.Ext(h.path)], h.lines...)
	}
	for range 600 {
		h := all[random.IntN(len(all))]
		list := byPath[filepath.Ext(h.path)]
		if len(list) == 0 {
			continue
		}
		var body []string
		for range 1 + random.IntN(25) {
			line := list[random.IntN(len(list))]
			if random.IntN(6) == 0 && len(line) > 1 {
				at := 1 + random.IntN(len(line)-1)
				line = line[:at] + openings[random.IntN(len(openings))] + line[at:]
			}
			body = append(body, line)
		}
		same(h.path, body)
	}
	if touches < 1000 {
		t.Errorf("only %d touches were compared", touches)
	}
}

// hunkOf makes a diff of the lines of a hunk.
func hunkOf(path string, body []string) []byte {
	var b strings.Builder
	old, cur := 0, 0
	for _, line := range body {
		if line == "" {
			line = " "
		}
		if line[0] != '+' && line[0] != '-' {
			line = " " + line[1:]
		}
		if line[0] != '+' {
			old++
		}
		if line[0] != '-' {
			cur++
		}
		b.WriteString(line + "\n")
	}
	return []byte(fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -41,%d +41,%d @@\n%s", path, path, old, cur, b.String()))
}

// TestSiftedPatterns holds what is sifted by the texts that patterns need to the patterns
// alone: imports over the lines of the corpus, globs over its paths.
func TestSiftedPatterns(t *testing.T) {
	t.Parallel()
	modules, paths := 0, 0
	var sets []*globSet
	for i := range Builtin().languages {
		sets = append(sets, Builtin().languages[i].files())
	}
	for _, e := range Builtin().ignored {
		sets = append(sets, e.paths())
	}
	for i := range Builtin().List {
		if rule := &Builtin().List[i]; rule.paths != nil {
			sets = append(sets, rule.paths())
		}
	}
	for _, h := range corpus(t) {
		for _, set := range sets {
			want := slices.ContainsFunc(set.list, func(re func() *regexp.Regexp) bool { return re().MatchString(h.path) })
			if want {
				paths++
			}
			if got := set.MatchString(h.path); got != want {
				t.Errorf("%s: %v, without the sieve %v", h.path, got, want)
			}
		}
		if h.language == nil {
			continue
		}
		for _, line := range h.plain() {
			var want int
			for _, re := range h.language.imports {
				want += len(re().FindAllString(line, -1))
			}
			plain := *h.language
			plain.importing = func() *filter { return &filter{always: []int{0, 1, 2}[:len(plain.imports)]} }
			got := h.language.modulesOf(line)
			if modules += len(got); want > len(got) || !slices.Equal(got, plain.modulesOf(line)) {
				t.Errorf("%s: %q imports %q, %d without the sieve", h.path, line, got, want)
			}
		}
	}
	if modules < 200 || paths < 1000 {
		t.Errorf("only %d imports and %d paths", modules, paths)
	}
}
