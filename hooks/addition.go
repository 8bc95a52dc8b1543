package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"git-okstra/internal/marked"
)

// sample is what a person would write for the hooks.
func (m Manager) sample(file string, names []string) []string {
	var out []string
	switch m.Name {
	case "husky":
		for _, name := range names {
			out = append(out, huskyLines(name)...)
		}
	case "lefthook":
		for _, name := range names {
			if filepath.Ext(file) == ".toml" {
				out = append(out, lefthookTOML(name)...)
				continue
			}
			out = append(append(out, name+":", "  commands:"), indented(lefthookCommand(name), 4)...)
		}
	case "pre-commit", "prek":
		if filepath.Ext(file) == ".toml" {
			return prekTOML()
		}
		out = append([]string{"repos:"}, indented(localRepo(), 2)...)
	case "hk":
		out = append(out, "hooks {")
		for _, name := range names {
			out = append(out, indented(hkHook(name), 2)...)
		}
		out = append(out, "}")
	}
	return out
}

// add is the file with what it needs for one hook. Errors say why that is left to a
// person.
func (m Manager) add(file string, text []byte, name string) ([]byte, error) {
	switch kind := filepath.Ext(file); {
	case m.Name == "husky":
		return addHusky(text, name)
	case m.Name == "hk":
		return addHK(text, name)
	case m.Name == "lefthook" && kind == ".toml":
		return marked.Block{Comment: "#", Lines: lefthookTOML(name)}.Insert(text, len(text)), nil
	case m.Name == "prek" && kind == ".toml":
		return marked.Block{Comment: "#", Lines: prekTOML()}.Insert(text, len(text)), nil
	case kind != ".yml" && kind != ".yaml":
		return nil, fmt.Errorf("%s files are not written by us", strings.TrimPrefix(kind, "."))
	case m.Name == "lefthook":
		return addLefthook(text, name)
	}
	return addPreCommit(text)
}

func indented(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.Repeat(" ", n) + l
	}
	return out
}

// huskyLines are for a script that a shell runs. What else is in it could read git's input, or we
// could: the shell has it, and gives it to both.
func huskyLines(name string) []string {
	if name != "pre-push" && name != "post-rewrite" {
		return []string{sharedLine(name, `"$@"`)}
	}
	return []string{
		"okstra_input=$(cat)",
		`printf '%s\n' "$okstra_input" | ` + sharedLine(name, `"$@"`),
		"if [ -n \"$okstra_input\" ]; then exec <<OKSTRA",
		"$okstra_input",
		"OKSTRA",
		"fi",
	}
}

// early ends a script before its last line, as far as one can see.
var early = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(exit|exec)\b`)
})

// addHusky puts our lines behind all others, or, where they need git's input, before.
func addHusky(text []byte, name string) ([]byte, error) {
	b := marked.Block{Comment: "#", Lines: huskyLines(name)}
	if len(b.Lines) == 1 {
		if early().Match(text) {
			return nil, errors.New("it may end before its last line")
		}
		return b.Insert(text, len(text)), nil
	}
	at := 0
	for line, end := 0, 0; end < len(text); line++ {
		start := end
		if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n + 1
		} else {
			end = len(text)
		}
		// husky 8's line runs the whole script anew: nothing may stand before it.
		if s := text[start:end]; line == 0 && bytes.HasPrefix(s, []byte("#!")) || bytes.Contains(s, []byte("husky.sh")) {
			at = end
		}
	}
	return b.Insert(text, at), nil
}

func lefthookCommand(name string) []string {
	lines := []string{"git-okstra:", "  run: |", "    " + sharedLine(name, "{0}")}
	if name == "pre-push" || name == "post-rewrite" {
		lines = append(lines, "  use_stdin: true")
	}
	return lines
}

func lefthookTOML(name string) []string {
	lines := []string{"[" + name + ".commands.git-okstra]", "run = '''" + sharedLine(name, "{0}") + "'''"}
	if name == "pre-push" || name == "post-rewrite" {
		lines = append(lines, "use_stdin = true")
	}
	return lines
}

// preCommitEntry is split into words as a shell does, but run by none.
func preCommitEntry() string {
	return "sh -c '" + strings.ReplaceAll(sharedLine("pre-commit", ""), "'", `"`) + "'"
}

func localRepo() []string {
	return []string{
		"- repo: local",
		"  hooks:",
		"    - id: git-okstra",
		"      name: git okstra",
		"      entry: >-",
		"        " + preCommitEntry(),
		"      language: system",
		"      always_run: true",
		"      pass_filenames: false",
		"      stages: [pre-commit]",
	}
}

func prekTOML() []string {
	return []string{
		"[[repos]]",
		`repo = "local"`,
		"[[repos.hooks]]",
		`id = "git-okstra"`,
		`name = "git okstra"`,
		"entry = '''" + preCommitEntry() + "'''",
		`language = "system"`,
		"always_run = true",
		"pass_filenames = false",
		`stages = ["pre-commit"]`,
	}
}

// hkStep is one step of a hook. hk reads git's input itself and hands it on.
func hkStep(name string) []string {
	args, input := "", []string(nil)
	if name == "pre-push" {
		args, input = "{{hook_args}}", []string{`  stdin = "{{hook_stdin}}"`}
	}
	return append(append([]string{`["git-okstra"] {`, `  check = #"` + sharedLine(name, args) + `"#`}, input...), "}")
}

func hkHook(name string) []string {
	lines := append([]string{`["` + name + `"] {`, "  steps {"}, indented(hkStep(name), 4)...)
	return append(lines, "  }", "}")
}

// addHK adds to a file whose braces stand where they usually do: `hooks {` on a line of its
// own, in it `["pre-commit"] {`, in that `steps {`.
func addHK(text []byte, name string) ([]byte, error) {
	hooks, indent, ok := openAfter(text, 0, `hooks`)
	if !ok {
		return nil, errors.New("there is no line `hooks {`")
	}
	hook, hookIndent, ok := openAfter(text, hooks, `["`+name+`"]`)
	if !ok {
		if runsIn := regexp.MustCompile(`\["` + name + `"\]`); runsIn.Match(text[hooks:]) {
			return nil, fmt.Errorf("what stands behind [%q] has no brace on its line", name)
		}
		return marked.Block{Comment: "//", Indent: indent + "  ", Lines: hkHook(name)}.Insert(text, hooks), nil
	}
	steps, stepIndent, ok := openAfter(text, hook, `steps`)
	sibling := regexp.MustCompile(`(?m)^` + hookIndent + `[\["}]`).FindIndex(text[hook:])
	if !ok || len(sibling) > 0 && hook+sibling[0] < steps {
		return nil, fmt.Errorf("[%q] has no line `steps {`", name)
	}
	return marked.Block{Comment: "//", Indent: stepIndent + "  ", Lines: hkStep(name)}.Insert(text, steps), nil
}

// openAfter finds the line `word {` behind an offset: where the next line begins, and the
// line's indentation.
func openAfter(text []byte, from int, word string) (at int, indent string, ok bool) {
	re := regexp.MustCompile(`(?m)^([ \t]*)` + regexp.QuoteMeta(word) + `[^\n{}=]*\{[ \t\r]*\n`)
	m := re.FindSubmatchIndex(text[from:])
	if m == nil {
		return 0, "", false
	}
	return from + m[1], string(text[from+m[2] : from+m[3]]), true
}
