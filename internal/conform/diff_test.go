package conform

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseDiff(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		src  string
		want []FileDiff
	}{
		"nothing": {"", nil},
		"text":    {"--- a title\nno diff\n", nil},
		"git": {
			"diff --git a/x y b/x y\nindex 1..2 100644\n--- a/x y\t\n+++ b/x y\t\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n\\ No newline at end of file\n",
			[]FileDiff{{Old: "x y", New: "x y", Mode: "100644", Hunks: [][]Line{{{' ', 1, 1, "a"}, {'-', 2, 0, "b"}, {'+', 0, 2, "c"}}}}},
		},
		"lines that look like heads": {
			"--- a/q.sql\n+++ b/q.sql\n@@ -4,2 +4,1 @@\n--- of old\n a\n--- a/r\n+++ b/r\n@@ -1 +1 @@\n-x\n+++ y\n",
			[]FileDiff{
				{Old: "q.sql", New: "q.sql", Hunks: [][]Line{{{'-', 4, 0, "-- of old"}, {' ', 5, 4, "a"}}}},
				{Old: "r", New: "r", Hunks: [][]Line{{{'-', 1, 0, "x"}, {'+', 0, 1, "++ y"}}}},
			},
		},
		"new, deleted, mode, empty": {
			"diff --git a/n b/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n" +
				"diff --git a/d b/d\ndeleted file mode 100644\nindex 1..0\ndiff --git a/m b/m\nold mode 100644\nnew mode 100755\n",
			[]FileDiff{
				{New: "n", Mode: "100755", Hunks: [][]Line{{{'+', 0, 1, "x"}}}},
				{Old: "d"},
				{Old: "m", New: "m", Mode: "100755"},
			},
		},
		"rename, copy, binary": {
			"diff --git a/o b/p\nsimilarity index 90%\nrename from o\nrename to p\n--- a/o\n+++ b/p\n@@ -1 +1 @@\n-a\n+b\n" +
				"diff --git \"a/\\303\\244\\\"\" b/c\ncopy from \"\\303\\244\\\"\"\ncopy to c\nindex 1..2\nBinary files a/o and b/c differ\n",
			[]FileDiff{
				{Old: "o", New: "p", Hunks: [][]Line{{{'-', 1, 0, "a"}, {'+', 0, 1, "b"}}}},
				{Old: "ä\"", New: "c", Binary: true},
			},
		},
		"two hunks, blanks lost in the mail, carriage returns": {
			"--- old/x.go\t2020\r\n+++ x.go\r\n@@ -1,2 +1,2 @@\r\n\n-a\r\n+b\r\n@@ -9 +9,0 @@\n-z\n",
			[]FileDiff{{Old: "old/x.go", New: "x.go", Hunks: [][]Line{
				{{' ', 1, 1, ""}, {'-', 2, 0, "a\r"}, {'+', 0, 2, "b\r"}},
				{{'-', 9, 0, "z"}},
			}}},
		},
		"removed file": {
			"--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
			[]FileDiff{{Old: "gone.py", Hunks: [][]Line{{{'-', 1, 0, "x"}}}}},
		},
	} {
		got, err := ParseDiff([]byte(test.src))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v\n%+v\nwant\n%+v", name, err, got, test.want)
		}
	}
}

func TestParseDiffRefuses(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"diff --cc a\n":                               "line 1 of the diff: a combined diff",
		"x\ndiff --combined a\n":                      "line 2 of the diff: a combined diff",
		"@@@ -1 -1 +1 @@@\n":                          "a combined diff",
		"@@ -1 +1 @@\n":                               "a hunk before any file",
		"--- a\n+++ b\n@@ -x @@\n":                    "is no head of a hunk",
		"--- a\n+++ b\n@@ -1 +1 @@\n-a\n":             "ends within a hunk",
		"--- a\n+++ b\n@@ -1 +1 @@\n+a\n+b\n":         "line 5 of the diff: the hunk's lines",
		"--- /dev/null\n+++ /dev/null\n":              "a file without a name",
		"--- a\n+++ b\n@@ -1,99999999999 +1 @@\n-a\n": "is no head of a hunk",
	} {
		var problem *DiffError
		if _, err := ParseDiff([]byte(src)); !errors.As(err, &problem) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
}

// FuzzDiff holds the reader and the engine to any text: no panic, line numbers that
// exist, and touches of changed lines only.
func FuzzDiff(f *testing.F) {
	f.Add([]byte("diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n@@ -3,2 +3,2 @@\n x := `\n-SELECT 1\n+os.Open(\"x\")\n"))
	f.Add([]byte("--- /dev/null\n+++ \"b/\\303\\244.py\"\n@@ -0,0 +1,2 @@\n+\"\"\"\n+import requests\n"))
	f.Add([]byte("--- a/x.rb\n+++ b/x.rb\n@@ -9,1 +9,2 @@\n # x\n+User.where(a: 1)\n\\ No newline at end of file\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		files, err := ParseDiff(src)
		if err != nil {
			return
		}
		changed := map[Touch]bool{}
		for _, file := range files {
			for _, hunk := range file.Hunks {
				for _, l := range hunk {
					switch l.Op {
					case '+':
						changed[Touch{Path: file.New, Line: l.New, Side: Added}] = true
					case '-':
						changed[Touch{Path: file.Old, Line: l.Old, Side: Removed}] = true
					}
				}
			}
		}
		found, err := Builtin().Touches(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, touch := range found.Touches {
			if !changed[Touch{Path: touch.Path, Line: touch.Line, Side: touch.Side}] {
				t.Errorf("%+v is no changed line", touch)
			}
		}
	})
}
