package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestJSONIsPure is field report G1: with --json, stdout is one JSON object with
// a schema, in success and in failure, however much is said on stderr.
func TestJSONIsPure(t *testing.T) {
	b := newBench(t, 2)
	for _, c := range []struct {
		words string
		code  int
	}{
		{"version", 0},
		{"plan check plan.md", 0},
		{"plan check none.md", exitUsage},
		{"plan check plan.md --ruleset 0.46.0", exitFindings},
		{"plan approve plan.md", 0},
		{"plan approve none.md", exitUsage},
		{"stage list", 0},
		{"stage list --task nix", exitUsage},
		{"stage show 1", 0},
		{"stage show", exitUsage},
		{"task list", 0},
		{"task list --task nix", exitUsage},
		{"stage next --budget 0", exitUsage},
		{"stage next --dry-run", 0},
		{"stage next", 0},
		{"stage start 1", exitNothing},
		{"stage start 1 --resume", 0},
		{"stage start 7", exitUsage},
		{"stage start", exitUsage},
		{"stage done 1", exitFindings},
		{"stage done 1 --allow-empty", 0},
		{"stage done 1 --carry none.json", exitUsage},
		{"stage done 1", 0},
		{"stage land 1", 0},
		{"stage land 1 --squash --rebase", exitUsage},
		{"stage land 2", exitFindings},
		{"stage land 1 --onto nix", exitEnvironment},
		{"stage reopen 1", exitUsage},
		{"stage reopen 2 --why x", exitFindings},
		{"stage reopen 1 --why x", 0},
		{"stage start 2", 0},
		{"stage release 2 --why tired", 0},
		{"stage release 2", exitFindings},
		{"stage next --onto nix", 0},
		{"log", 0},
		{"log --stage x", exitUsage},
		{"doctor", 0},
		{"doctor --repair", 0},
		{"doctor --task nix", exitUsage},
		{"demo", exitUsage},
		{"nix", exitUsage},
		{"stage list --nix", exitUsage},
		{"", exitUsage},
	} {
		for _, extra := range []string{"", "-v", "-vv", "-q"} {
			if extra != "" && changes(c.words) {
				continue
			}
			o := b.run(b.repo.Dir, append(strings.Fields(c.words), strings.Fields("--json "+extra)...)...)
			if o.code != c.code {
				t.Errorf("%q: exit %d, want %d: %s%s", c.words, o.code, c.code, o.out, o.errOut)
			}
			oneObject(t, c.words+" "+extra, o.out)
		}
	}
}

// changes reports whether running the command twice is another case.
func changes(words string) bool {
	return strings.HasPrefix(words, "stage ") && !strings.Contains(words, "list") && !strings.Contains(words, "--dry-run")
}

// oneObject demands exactly one JSON object with a schema.
func oneObject(t *testing.T, name, out string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(out))
	var v struct {
		Schema string
	}
	if err := dec.Decode(&v); err != nil || !strings.HasPrefix(v.Schema, "okstra.") || !strings.HasSuffix(v.Schema, "/v1") {
		t.Errorf("%s: %v, schema %q in %q", name, err, v.Schema, out)
	}
	if err := dec.Decode(&v); err != io.EOF {
		t.Errorf("%s: more than one value: %q", name, out)
	}
}
