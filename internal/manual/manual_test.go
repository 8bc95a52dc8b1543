package manual

import (
	"reflect"
	"strings"
	"testing"
)

// sample is a program with a group, a command, and text that each form has to escape.
func sample() (Command, []Item) {
	leaf := Command{
		Name: "stage go", Help: "Go <there> or *not*.", Detail: "First.\n\n.Second it's `so`.", Usage: "stage go N… [options]",
		Arguments: []Item{{"N…", "Which."}},
		Options:   []Item{{"--to PLACE", "Where: a\\b."}, {"-x, --a-very-long-option-name VALUE", "Long."}},
		Examples:  []Example{{Does: "Go at once", Run: []string{".go 'x' -- ~^ \\n", "git okstra stage go 1"}, Before: []string{"hidden"}}},
	}
	return Command{
		Help: "Does things.", Usage: "COMMAND [options]",
		Commands: []Command{
			{Name: "stage", Help: "Of stages.", Usage: "stage COMMAND [options]", Commands: []Command{leaf}},
			{Name: "log", Help: "Shows.", Usage: "log [options]"},
		},
	}, []Item{{"-h, --help", "Help."}, {"--json", "JSON."}}
}

func TestText(t *testing.T) {
	all, common := sample()
	for _, c := range []struct {
		of   Command
		want string
	}{
		{all, `usage: git okstra [--version] COMMAND [options]

Does things.

Commands:
  stage  Of stages.
         go
  log    Shows.

Options of every command:
  -h, --help  Help.
  --json      JSON.

More: git okstra COMMAND -h, git help okstra, man git-okstra-COMMAND.
`},
		{all.Commands[0], `usage: git okstra stage COMMAND [options]

Of stages.

Commands:
  go  Go <there> or *not*.

Of one of them: git okstra stage COMMAND -h. Every command takes -h, --json: git
okstra -h. All of it: man git-okstra-stage.
`},
		{all.Commands[0].Commands[0], `usage: git okstra stage go N… [options]

Go <there> or *not*.

First.

.Second it's ` + "`so`" + `.

Arguments:
  N…  Which.

Options:
  --to PLACE  Where: a\b.
  -x, --a-very-long-option-name VALUE
              Long.

Examples:
  # Go at once
  .go 'x' -- ~^ \n
  git okstra stage go 1

Every command takes -h, --json: git okstra -h. All of it: man git-okstra-stage.
`},
	} {
		if got := c.of.Text(80, common); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.of.Name, got, c.want)
		}
	}
}

func TestRoff(t *testing.T) {
	all, common := sample()
	sections := ParseSections("= Exit codes\n0 | Fine.\nMore about it.\n")
	pages := Pages(all, common, sections, "v1-2")
	if len(pages) != 3 || pages[0].Name != "git-okstra" || pages[1].Name != "git-okstra-stage" || pages[2].Name != "git-okstra-log" {
		t.Fatalf("%d pages", len(pages))
	}
	for i, wants := range [][]string{
		{".TH \"GIT\\-OKSTRA\" 1 \"\" \"git\\-okstra v1\\-2\"", "\n\\fBgit\\-okstra\\-stage(1)\\fR\nOf stages. go\n", ".SH \"EXIT CODES\"\n.PP\nMore about it.\n.TP\n\\fB0\\fR\nFine.\n"},
		{
			"\ngit\\-okstra\\-stage \\- Of stages\n", ".SS \"stage go N\\[u2026] [options]\"", ".PP\n\\&.Second it\\(aqs \\(gaso\\(ga.\n",
			"\n\\&.go \\(aqx\\(aq \\-\\- \\(ti\\(ha \\en\n", "\\fB\\-\\-to PLACE\\fR\nWhere: a\\eb.\n", "\\fBgit okstra\\fR stage go N",
		},
		{".SH \"COMMON OPTIONS\"\n.TP\n\\fB\\-h, \\-\\-help\\fR\nHelp.\n"},
	} {
		text := string(pages[i].Text)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: nothing of %q in\n%s", pages[i].Name, want, text)
			}
		}
		if strings.Contains(text, "hidden") {
			t.Errorf("%s shows what is hidden", pages[i].Name)
		}
		for _, c := range text {
			if c > '~' || c < ' ' && c != '\n' {
				t.Errorf("%s: %q is not ASCII", pages[i].Name, c)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	all, common := sample()
	text := Markdown(all, common, ParseSections("= Settings\na_b | It's *one*.\n"))
	for _, want := range []string{
		"\n### stage go\n\nGo \\<there> or \\*not\\*.\n\n```\ngit okstra stage go N… [options]\n```\n\nFirst.\n",
		"\n- `--to PLACE`: Where: a\\\\b.\n", "\n```sh\n# Go at once\n.go 'x' -- ~^ \\n\ngit okstra stage go 1\n```\n",
		"\n## Settings\n\n- `a_b`: It's \\*one\\*.\n", "\n- `--json`: JSON.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %q in\n%s", want, text)
		}
	}
}

func TestParseExamples(t *testing.T) {
	got, err := ParseExamples("# head\n= a b\nDoes it\n% before\n$ run 1\n$ run 2\n\nAgain\n$ run 3\n= c\nOnce\n$ x\n")
	want := map[string][]Example{
		"a b": {{"Does it", []string{"run 1", "run 2"}, []string{"before"}}, {"Again", []string{"run 3"}, nil}},
		"c":   {{"Once", []string{"x"}, nil}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %+v", err, got)
	}
	for text, what := range map[string]string{
		"= a\nx\n$ y\n= a\nx\n$ y": "line 4", "$ x": "no command", "= a\n$ x": "what it does", "= a\nx\ny\n$ z": "line 3",
		"= a\nx": "no end", "= a": "no end", "= a\nx\n$ y\n% z": "no end", "= a\nx\n$ y\n% z\n= b": "line 5", "= ": "line 1",
	} {
		if _, err := ParseExamples(text); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v, want %s", text, err, what)
		}
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"one two":        "one\n  two",
		"a  b\nc":        "a b c",
		"longerthanthat": "longerthanthat",
		"… … … …":        "… … …\n  …",
	} {
		if got := wrap(text, 5, 2); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
