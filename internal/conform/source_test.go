package conform

import (
	"slices"
	"strings"
	"testing"
)

// wide is text in UTF-16, little or big end first, as lines of a diff have it.
func wide(s string, big bool) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if big {
			b.WriteByte(0)
		}
		b.WriteByte(c)
		if !big {
			b.WriteByte(0)
		}
	}
	return b.String()
}

// TestNothingHidesCode has, for each way to write code that a lexer takes for something
// else, a line that a compiler or interpreter runs.
func TestNothingHidesCode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path string
		line string // the first of the file
		want []string
	}{
		"a mark before code":                {"a.py", "\xef\xbb\xbfimport sqlite3", []string{"db"}},
		"UTF-16, little end first":          {"a.cs", "\xff\xfe" + wide("using System.Net.Http;", false), []string{"http"}},
		"UTF-16, big end first":             {"a.cs", "\xfe\xff" + wide("using System.Net.Http;", true), []string{"http"}},
		"UTF-16 without a mark":             {"a.sql", wide("DROP TABLE users;", false), []string{"db"}},
		"a comment that a lone CR ends":     {"a.js", "// x\rfs.unlinkSync(p)", []string{"io"}},
		"one in Python":                     {"a.py", "# x\ros.remove(p)", []string{"io"}},
		"CRLF ends no comment":              {"a.js", "// fs.unlinkSync(p)\r", nil},
		"a comment that U+2028 ends":        {"a.js", "// x\u2028fs.unlinkSync(p)", []string{"io"}},
		"one that U+2029 ends":              {"a.ts", "// x\u2029fs.unlinkSync(p)", []string{"io"}},
		"one that U+0085 ends":              {"a.cs", "// x\u0085File.Delete(p);", []string{"io"}},
		"PHP's end in a comment":            {"a.php", "<?php // x ?><?php unlink($p);", []string{"io"}},
		"PHP's end in another comment":      {"a.php", "<?php # x ?><?= file_get_contents($p) ?>", []string{"io"}},
		"PHP's comment without an end":      {"a.php", "<?php // unlink($p);", nil},
		"a script named in capitals":        {"A.PY", "import sqlite3", []string{"db"}},
		"a folder's capitals are its own":   {"A.PY/a.txt", "import sqlite3", nil},
		"a schema named in capitals":        {"SCHEMA.SQL", "DROP TABLE users;", []string{"db"}},
		"a comment in UTF-16 is a comment":  {"a.cs", "\xff\xfe" + wide("// File.Delete(p);", false), nil},
		"a mark before a comment":           {"a.py", "\xef\xbb\xbf# os.remove(p)", nil},
		"a mark in the middle of a comment": {"a.py", "# \xef\xbb\xbf os.remove(p)", nil},
	} {
		diff := "--- /dev/null\n+++ b/" + test.path + "\n@@ -0,0 +1,1 @@\n+" + test.line + "\n"
		files, err := ParseDiff([]byte(diff))
		if err != nil {
			t.Fatal(err)
		}
		found, err := Builtin().Touches(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range found.Surfaces() {
			got = append(got, string(s))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q: %v", name, got, test.want, found)
		}
	}
}

// TestFirstLineNamesLanguage judges scripts whose name does not tell what they are.
func TestFirstLineNamesLanguage(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]string{
		"#!/bin/sh": "shell", "#! /usr/bin/env bash": "shell", "#!/usr/bin/env -S python3 -u": "python", "#!/usr/bin/python3.12": "python",
		"#!/usr/bin/env A=b node": "javascript", "#!/usr/bin/env ruby": "ruby", "\xef\xbb\xbf#!/bin/sh": "shell",
		"# /bin/sh": "", "#!": "", "#!/usr/bin/awk -f": "", "": "",
	} {
		for _, path := range []string{"tool", "bin/do.it"} {
			files, err := ParseDiff([]byte("--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1,2 @@\n+" + first + "\n+x\n"))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if l := Builtin().languageIn(cleared(files[0])); l != nil {
				got = l.Name
			}
			if got != want {
				t.Errorf("%s, %q: %q, want %q", path, first, got, want)
			}
		}
	}
	files, err := ParseDiff([]byte("--- a/tool\n+++ b/tool\n@@ -2,1 +2,1 @@\n-x\n+#!/bin/sh\n"))
	if err != nil || Builtin().languageIn(files[0]) != nil {
		t.Errorf("a second line was taken for the first: %v", err)
	}
}

// TestReplace holds what was read again in the place of what was found before.
func TestReplace(t *testing.T) {
	t.Parallel()
	f := Findings{
		Touches: []Touch{{Path: "a", Line: 1}, {Path: "c", Line: 1}},
		Ignored: []Ignored{{Path: "a", Why: Unreadable}, {Path: "b", Why: Unreadable}, {Path: "d", Why: "binary"}},
	}
	if got := f.Unread(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("unread: %q", got)
	}
	f.Replace([]string{"a", "b"}, Findings{Touches: []Touch{{Path: "b", Line: 9}}, Ignored: []Ignored{{Path: "a", Why: layout}}})
	want := Findings{Touches: []Touch{{Path: "b", Line: 9}, {Path: "c", Line: 1}}, Ignored: []Ignored{{Path: "a", Why: layout}, {Path: "d", Why: "binary"}}}
	if !slices.Equal(f.Touches, want.Touches) || !slices.Equal(f.Ignored, want.Ignored) {
		t.Errorf("%v, want %v", f, want)
	}
}
