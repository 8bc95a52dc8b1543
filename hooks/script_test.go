package hooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestScriptReadsBack holds what is written into a hook's file to be recognised, whatever
// the program's folder is called.
func TestScriptReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := script{
			name: rapid.SampledFrom(append(Names(), OptIn()...)).Draw(t, "name"),
			dir:  rapid.StringMatching(`(/[a-z' "$\\;#]{1,12}){0,3}`).Draw(t, "dir"),
			made: rapid.Bool().Draw(t, "made"),
		}
		text := want.String()
		got, ours, whole := parseScript(text, want.name)
		if got != want || !ours || !whole {
			t.Fatalf("%q: %+v, %v, %v", text, got, ours, whole)
		}
		if strings.Count(text, "\n") != 2 {
			t.Fatalf("%q is not two lines", text)
		}
		if _, ours, _ := parseScript(text, want.name+"x"); ours {
			t.Fatal("taken for another hook's")
		}
		if _, ours, whole := parseScript(text+"echo mine\n", want.name); !ours || whole {
			t.Fatalf("with a line more: ours %v, whole %v", ours, whole)
		}
	})
	for _, text := range []string{"", "#!/bin/sh\n", "#!/bin/sh\necho\n", "#!/bin/bash\n" + mark + "pre-commit\n", mark + "pre-commit"} {
		if _, ours, _ := parseScript(text, "pre-commit"); ours {
			t.Errorf("%q is taken for ours", text)
		}
	}
}

// TestScriptFolders runs scripts whose fallback is a folder of any name.
func TestScriptFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "with blank", "it's", `a"b`, "$HOME", "`x`", "a;b", "ü"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		program := "#!/bin/sh\necho \"ran $*\"\n"
		if err := os.WriteFile(filepath.Join(dir, "git-okstra"), []byte(program), 0o755); err != nil {
			t.Fatal(err)
		}
		hook := filepath.Join(t.TempDir(), "pre-push")
		if err := os.WriteFile(hook, []byte(script{name: "pre-push", dir: dir}.String()), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(hook, "origin", "a b")
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if want := "ran hooks run --hook=" + hook + " pre-push origin a b\n"; err != nil || string(out) != want {
			t.Errorf("%s: %q, %v; want %q", name, out, err, want)
		}
	}
}
