package workspace

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAttributeLines holds what each line makes of some paths.
func TestAttributeLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"": "", "# * text eol=crlf": "", "*.png binary": "", "*.md diff=x merge=union -diff": "",
		"* text=auto": "", "*.txt -text": "", "*.txt !text": "", "*.txt\ttext": "text", "* crlf=input": "text", "*.sh text eol=lf\r": "text",
		"*.po filter": "", "*.po -filter": "", "*.po filter=unknown": "", "[attr]x -diff": "",
		"*.txt filter=lfs":              "a.txt d/a.txt d/e/b.txt filtered",
		"*.txt eol=crlf":                "text a.txt d/a.txt d/e/b.txt",
		"*.txt eol=CRLF":                "text a.txt d/a.txt d/e/b.txt",
		"*.TXT eol=crlf":                "text",
		"a.txt eol=crlf":                "text a.txt d/a.txt",
		"/a.txt eol=crlf":               "text a.txt",
		"d/a.txt eol=crlf":              "text d/a.txt",
		"/d/** working-tree-encoding=x": "d/a.txt d/e/b.txt d/e/c.c",
		"d/**/b.txt ident":              "d/e/b.txt",
		"**/b.txt ident":                "d/e/b.txt",
		"**/a.txt ident":                "a.txt d/a.txt",
		"d/**/a.txt ident":              "d/a.txt",
		"**/d/** ident":                 "a.txt d/a.txt d/e/b.txt d/e/c.c",
		"[ab].t?t ident":                "a.txt d/a.txt d/e/b.txt",
		"* ident":                       "a.txt d/a.txt d/e/b.txt d/e/c.c",
		"*.c -diff ident":               "d/e/c.c",
		`a\.txt ident`:                  "any",
		"!a.txt ident":                  "any",
		"[[:alpha:]].txt ident":         "any",
		"a]b[c ident":                   "any",
		"[attr]x ident":                 "any",
		`"a.txt" eol=crlf`:              "any text",
		`"a.txt" -diff`:                 "text",
		`"a.txt"filter=lfs`:             "any text",
	} {
		if got := describeAttributes(line); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

// describeAttributes is what a line at the top says of four paths, where a filter lfs is
// set up.
func describeAttributes(line string) string {
	var a attributes
	a.add("", line)
	var out []string
	if a.any {
		out = append(out, "any")
	}
	if a.text {
		out = append(out, "text")
	}
	some, filtered := a.under([]string{"lfs"})
	for _, name := range []string{"a.txt", "d/a.txt", "d/e/b.txt", "d/e/c.c"} {
		if slices.ContainsFunc(some, func(c converted) bool { return c.matches(name) }) {
			out = append(out, name)
		}
	}
	if filtered {
		out = append(out, "filtered")
	}
	return strings.Join(out, " ")
}

// TestCopiesBesideAttributes holds that attributes keep only those files from being copied
// whose bytes they change.
func TestCopiesBesideAttributes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attributes string
		config     []string
		written    int // of six files, .gitattributes among them
	}{
		"text=auto":                  {"* text=auto\n", nil, 0},
		"line ends of Unix":          {"* text eol=lf\n", nil, 0},
		"core.eol says the same":     {"* text=auto\n", []string{"core.eol", "lf"}, 0},
		"line ends of Windows":       {"* text=auto\nsub/*.txt text eol=crlf\n", nil, 2},
		"all of Windows":             {"* text eol=crlf\n", nil, 6},
		"core.eol says otherwise":    {"* text=auto\n", []string{"core.eol", "crlf"}, 6},
		"autocrlf":                   {"* text=auto\n", []string{"core.autocrlf", "input"}, 6},
		"a filter that is not there": {"*.txt filter=lfs\n", nil, 0},
		"a filter":                   {"a.* filter=lfs\n", []string{"filter.lfs.smudge", "tr a-z A-Z"}, 1},
		"a filter of nothing":        {"*.png filter=lfs\n", []string{"filter.lfs.smudge", "tr a-z A-Z"}, 0},
		"ident":                      {"/b.txt ident\n", nil, 1},
		"nobody knows":               {"a.tx\\t ident\n", nil, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := small(t)
			w.Write(".gitattributes", c.attributes)
			w.Git("add", "-A")
			w.Git("commit", "-q", "-m", "attributes")
			if c.config != nil {
				w.Git(append([]string{"config"}, c.config...)...)
			}
			w.Git("rm", "-q", "-r", "--cached", ".")
			w.Git("reset", "-q", "--hard")
			w.settle()
			if res := w.sameAsGit("main"); res.Written != c.written || res.Copied != 6-c.written {
				t.Errorf("%d copied, %d written, not %d", res.Copied, res.Written, c.written)
			}
		})
	}
}

// TestCopiesBesideSubmodule holds that a submodule's empty folder is git's, and the rest
// is copied.
func TestCopiesBesideSubmodule(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.Git("update-index", "--add", "--cacheinfo", "160000,"+w.Git("rev-parse", "HEAD")+",a-module")
	w.Git("commit", "-q", "-m", "module")
	w.must(os.Mkdir(w.path("a-module"), 0o777))
	w.settle()
	if res := w.sameAsGit("main"); res.Copied != 5 || res.Written != 1 {
		t.Errorf("result %+v", res)
	}
}

// TestTextWithCR holds that a file that is text and has a CR is not copied: git may call it
// changed, and when it does is its own affair.
func TestTextWithCR(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.Write("cr.txt", "a\r\nb\n")
	w.Write("large.txt", strings.Repeat("a\n", smallFile)+"\r\n")
	w.Git("-c", "core.autocrlf=false", "add", "-A")
	w.Git("commit", "-q", "-m", "cr")
	w.Write(".gitattributes", "*.txt text\n")
	w.Git("add", ".gitattributes")
	w.Git("commit", "-q", "-m", "attributes")
	w.settle()
	if _, res := w.mustProvision("main"); res.Copied != 6 || res.Written != 2 {
		t.Errorf("result %+v", res)
	}
}
