package hooks

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"git-okstra/internal/marked"
)

// TestAddLefthook adds to files of many shapes: what they said before they still say,
// our command is where lefthook reads it, and all of it goes again.
func TestAddLefthook(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		path string // where the command is, by keys
	}{
		"empty":              {"", "pre-commit.commands.git-okstra"},
		"comment alone":      {"# nothing yet\n", "pre-commit.commands.git-okstra"},
		"another hook":       {"commit-msg:\n  commands:\n    a:\n      run: x\n", "pre-commit.commands.git-okstra"},
		"commands":           {"pre-commit:\n  commands:\n    a:\n      run: x\n", "pre-commit.commands.git-okstra"},
		"deep indent":        {"pre-commit:\n      commands:\n          a:\n             run: x\n", "pre-commit.commands.git-okstra"},
		"comments between":   {"pre-commit: # one\n  # two\n  commands: # three\n    # four\n    a: # five\n      run: x # six\n# seven\n", "pre-commit.commands.git-okstra"},
		"jobs":               {"pre-commit:\n  jobs:\n    - name: a\n      run: x\n    - run: y\n", "pre-commit.jobs"},
		"jobs, flat":         {"pre-commit:\n  jobs:\n  - run: y\n", "pre-commit.jobs"},
		"scripts alone":      {"pre-commit:\n  parallel: true\n  scripts:\n    x.sh:\n      runner: sh\n", "pre-commit.commands.git-okstra"},
		"nothing in it":      {"pre-commit:\nother: 1\n", "pre-commit.commands.git-okstra"},
		"no commands in it":  {"pre-commit:\n  commands:\n  parallel: true\n", "pre-commit.commands.git-okstra"},
		"no end of the line": {"pre-commit:\n  commands:\n    a:\n      run: x", "pre-commit.commands.git-okstra"},
		"quoted keys":        {"\"pre-commit\":\n  'commands':\n    a:\n      run: x\n", "pre-commit.commands.git-okstra"},
		"block text":         {"pre-commit:\n  commands:\n    a:\n      run: |\n        pre-commit:\n          x\n", "pre-commit.commands.git-okstra"},
		"a document's start": {"---\npre-commit:\n  commands:\n    a:\n      run: x\n", "pre-commit.commands.git-okstra"},
		"windows":            {"pre-commit:\r\n  commands:\r\n    a:\r\n      run: x\r\n", "pre-commit.commands.git-okstra"},
	} {
		after, err := addLefthook([]byte(c.text), "pre-commit")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var now map[string]any
		if err := yaml.Unmarshal(after, &now); err != nil {
			t.Errorf("%s: %v\n%s", name, err, after)
			continue
		}
		if !strings.Contains(runOf(now, strings.Split(c.path, ".")), "git okstra hooks run pre-commit {0}") {
			t.Errorf("%s: the command is not at %s:\n%s", name, c.path, after)
		}
		for _, word := range []string{"x", "y"} {
			if n := strings.Count(c.text, ": "+word); strings.Count(string(after), ": "+word) < n {
				t.Errorf("%s: lost %s:\n%s", name, word, after)
			}
		}
		rest, _, ok := marked.Remove(after)
		if !ok || string(rest) != c.text {
			t.Errorf("%s: %q came back as %q", name, c.text, rest)
		}
	}
}

// runOf is the run entry of our command below some keys, "" where there is none.
func runOf(at any, keys []string) string {
	for _, key := range keys {
		m, ok := at.(map[string]any)
		if !ok {
			return ""
		}
		at = m[key]
	}
	if list, ok := at.([]any); ok {
		for _, item := range list {
			if m, ok := item.(map[string]any); ok && m["name"] == "git-okstra" {
				at = m
			}
		}
	}
	m, _ := at.(map[string]any)
	run, _ := m["run"].(string)
	return run
}

// TestLeftToPeople leaves alone what cannot be added to for certain.
func TestLeftToPeople(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"pre-commit: {commands: {}}\n", "pre-commit:\n  commands: {a: {run: x}}\n", "pre-commit:\n  jobs: [{run: x}]\n",
		"a: 1\n---\nb: 2\n", "- a\n- b\n", "just words\n", "pre-commit: &x\n  commands:\n    a: {run: y}\n", "pre-commit: *x\n",
		"a: b: c\n", "\tpre-commit:\n", "pre-commit: words\n", "a: [\n",
	} {
		if after, err := addLefthook([]byte(text), "pre-commit"); err == nil {
			t.Errorf("%q was added to:\n%s", text, after)
		}
	}
	for _, text := range []string{"repos: []\n", "repos: {}\n", "- repo: local\n", "repos: words\n", "a: 1\n---\nrepos:\n- repo: x\n"} {
		if after, err := addPreCommit([]byte(text)); err == nil {
			t.Errorf("%q was added to:\n%s", text, after)
		}
	}
}

// TestAddTwice adds one hook after the other, and takes all of them out at once.
func TestAddTwice(t *testing.T) {
	t.Parallel()
	const text = "# us\npre-push:\n  commands:\n    a:\n      run: x\n"
	after := []byte(text)
	for _, name := range append(Names(), OptIn()...) {
		var err error
		if after, err = addLefthook(after, name); err != nil {
			t.Fatal(err)
		}
		if !runs(after, name) {
			t.Errorf("%s is not there", name)
		}
	}
	var now map[string]map[string]map[string]map[string]any
	if err := yaml.Unmarshal(after, &now); err != nil {
		t.Fatalf("%v\n%s", err, after)
	}
	for name, stdin := range map[string]any{"pre-commit": nil, "pre-push": true, "post-rewrite": true, "prepare-commit-msg": nil} {
		if got := now[name]["commands"]["git-okstra"]["use_stdin"]; got != stdin {
			t.Errorf("%s: use_stdin is %v, want %v", name, got, stdin)
		}
	}
	if rest, _, _ := marked.Remove(after); string(rest) != text {
		t.Errorf("came back as %q", rest)
	}
}

// TestAddPreCommit adds a repository to lists as people write them.
func TestAddPreCommit(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":       "",
		"none yet":    "fail_fast: true\n",
		"flat":        "repos:\n- repo: meta\n  hooks:\n  - id: identity\n",
		"indented":    "repos:\n    # theirs\n    -   repo: meta\n        hooks:\n        -   id: identity\nci:\n    skip: []\n",
		"after other": "ci:\n  skip: []\n\nrepos:\n  - repo: meta\n    hooks: [{id: identity}]\n",
	} {
		after, err := addPreCommit([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var now struct {
			Repos []struct {
				Repo  string
				Hooks []map[string]any
			}
		}
		if err := yaml.Unmarshal(after, &now); err != nil || len(now.Repos) == 0 || now.Repos[0].Repo != "local" {
			t.Errorf("%s: %v, %+v\n%s", name, err, now, after)
			continue
		}
		hook := now.Repos[0].Hooks[0]
		if hook["id"] != "git-okstra" || hook["always_run"] != true || hook["pass_filenames"] != false || !strings.HasPrefix(hook["entry"].(string), "sh -c '") {
			t.Errorf("%s: %v", name, hook)
		}
		if rest, _, ok := marked.Remove(after); !ok || string(rest) != text {
			t.Errorf("%s: %q came back as %q", name, text, rest)
		}
	}
}

// TestYAMLNeverPanics adds to anything at all, or says why not.
func TestYAMLNeverPanics(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"pre-commit", ":", " ", "  ", "\n", "commands", "jobs", "-", "- ", "{", "}", "[", "]", "&a", "*a", "|", ">", "'", "\"", "#", "!x", "---\n", "a", "\r\n", "\t", "? "}
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(t, "words"), ""))
		for _, add := range []func([]byte) ([]byte, error){func(b []byte) ([]byte, error) { return addLefthook(b, "pre-commit") }, addPreCommit} {
			after, err := add(bytes.Clone(text))
			if err != nil {
				continue
			}
			if rest, _, ok := marked.Remove(after); !ok || !bytes.Equal(rest, text) {
				t.Fatalf("%q became %q, then %q", text, after, rest)
			}
			var was, now any
			if yaml.Unmarshal(text, &was) == nil && yaml.Unmarshal(after, &now) != nil {
				t.Fatalf("%q was YAML, %q is none", text, after)
			}
		}
	})
}

// TestAddHK holds hk's file to its usual forms.
func TestAddHK(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		fails bool
	}{
		"no hooks":       {"amends \"x\"\n", true},
		"empty hooks":    {"hooks {\n}\n", false},
		"typed":          {"hooks: Mapping<String, Hook> {\n}\n", false},
		"another hook":   {"hooks {\n\t[\"check\"] {\n\t}\n}\n", false},
		"with steps":     {"hooks {\n  [\"pre-commit\"] {\n    steps {\n    }\n  }\n}\n", false},
		"shared steps":   {"hooks {\n  [\"pre-commit\"] {\n    steps = linters\n  }\n}\n", true},
		"without steps":  {"hooks {\n  [\"pre-commit\"] {\n    fix = true\n  }\n  [\"check\"] {\n    steps {\n    }\n  }\n}\n", true},
		"on one line":    {"hooks { [\"pre-commit\"] { steps {} } }\n", true},
		"an expression":  {"hooks {\n  [\"pre-commit\"] = base\n}\n", true},
		"windows":        {"hooks {\r\n  [\"pre-commit\"] {\r\n    steps {\r\n    }\r\n  }\r\n}\r\n", false},
		"comment behind": {"hooks { // all\n}\n", true},
	} {
		after, err := addHK([]byte(c.text), "pre-commit")
		if (err != nil) != c.fails {
			t.Errorf("%s: %v\n%s", name, err, after)
			continue
		}
		if c.fails {
			continue
		}
		if strings.Count(string(after), "{") != strings.Count(string(after), "}") || !runs(after, "pre-commit") {
			t.Errorf("%s:\n%s", name, after)
		}
		if rest, _, ok := marked.Remove(after); !ok || string(rest) != c.text {
			t.Errorf("%s: %q came back as %q", name, c.text, rest)
		}
	}
}

// TestSamples holds what is printed to what is written: a person who adds the lines has
// the same calls.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ manager, file string }{
		{"husky", ".husky/x"},
		{"lefthook", "lefthook.yml"},
		{"lefthook", "lefthook.toml"},
		{"lefthook", "lefthook.json"},
		{"lefthook", ""},
		{"pre-commit", ".pre-commit-config.yaml"},
		{"prek", "prek.toml"},
		{"hk", "hk.pkl"},
	} {
		m := Manager{Name: c.manager, names: configured[c.manager]}
		text := strings.Join(m.sample(c.file, m.names), "\n")
		for _, name := range m.names {
			if !runs([]byte(text), name) {
				t.Errorf("%s, %s: no %s in\n%s", c.manager, c.file, name, text)
			}
		}
		if strings.HasSuffix(c.file, ".yml") || strings.HasSuffix(c.file, ".yaml") {
			var v map[string]any
			if err := yaml.Unmarshal([]byte(text), &v); err != nil {
				t.Errorf("%s: %v", c.file, err)
			}
		}
		if _, err := m.add("x.json", nil, "pre-commit"); c.file == "lefthook.json" && err == nil {
			t.Error("a JSON file was added to")
		}
	}
}
