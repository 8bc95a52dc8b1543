package conform

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// voices are, for one language, ways to say the same that is code, and ways in which it
// is not. Each line is added in the middle of a file that is shown whole.
var voices = map[string]struct {
	call    string   // touches io
	harmful []string // forms of it that are code
	silent  []string // forms that are not, %s is the call
}{
	"go": {
		`os.Remove(p)`,
		[]string{"%s", "if x { %s }", "/* a */ %s", "s := \"//\"; %s", "s := `/*`; %s"},
		[]string{"// %s", "/* %s */", "x() // %s", "/*\n%s\n*/", "s := `\n%s\n`", "s := \"%s\""},
	},
	"python": {
		`os.remove(p)`,
		[]string{"%s", "if x: %s", "s = '#'; %s", "s = '''\n'''; %s"},
		[]string{"# %s", "x()  # %s", "s = '%s'", "s = \"\"\"\n%s\n\"\"\"", "def f():\n    \"\"\"A.\n\n    %s\n    \"\"\""},
	},
	"javascript": {
		`fs.rmSync(p)`,
		[]string{"%s", "/* a */ %s", "const s = '//'; %s", "const s = `${%s}`", "const r = /\\/\\*/; %s"},
		[]string{"// %s", "/* %s */", "/**\n * %s\n */", "const s = '%s'", "const s = `\n%s\n`"},
	},
	"typescript": {
		`fs.rmSync(p)`,
		[]string{"%s", "const s: string = '//'; %s", "const s = `a ${%s} b`"},
		[]string{"// %s", "/* %s */", "/**\n * %s\n */", "const s = \"%s\"", "const s = `\n%s\n`"},
	},
	"java": {
		`Files.delete(p);`,
		[]string{"%s", "String s = \"/*\"; %s", "char c = '\"'; %s"},
		[]string{"// %s", "/* %s */", "/**\n * %s\n */", "String s = \"%s\";"},
	},
	"kotlin": {
		`Files.delete(p)`,
		[]string{"%s", "val s = \"//\"; %s"},
		[]string{"// %s", "/* %s */", "/**\n * %s\n */", "val s = \"%s\"", "val s = \"\"\"\n%s\n\"\"\""},
	},
	"csharp": {
		`File.Delete(p);`,
		[]string{"%s", "var s = \"//\"; %s", "var s = @\"\\\"; %s"},
		[]string{"// %s", "/* %s */", "/// <summary>%s</summary>", "var s = \"%s\";"},
	},
	"ruby": {
		`File.delete(p)`,
		[]string{"%s", "s = '#'; %s", "x; %s if y"},
		[]string{"# %s", "x # %s", "s = '%s'", "=begin\n%s\n=end"},
	},
	"php": {
		`unlink($p);`,
		[]string{"%s", "$s = '//'; %s", "$s = \"#\"; %s"},
		[]string{"// %s", "# %s", "/* %s */", "/**\n * %s\n */", "$s = '%s';"},
	},
	"rust": {
		`fs::remove_file(p)?;`,
		[]string{"%s", "let s = \"//\"; %s", "let c = '\"'; %s"},
		[]string{"// %s", "/// %s", "/* %s */", "let s = \"%s\";", "let s = r#\"%s\"#;"},
	},
	"c": {
		`unlink(p);`,
		[]string{"%s", "s = \"/*\"; %s", "if (x) %s"},
		[]string{"// %s", "/* %s */", "/*\n * %s\n */", "s = \"%s\";"},
	},
	"cpp": {
		`unlink(p);`,
		[]string{"%s", "auto s = \"//\"; %s", "if (x) %s"},
		[]string{"// %s", "/* %s */", "/*\n %s\n */", "auto s = \"%s\";"},
	},
	"swift": {
		`FileManager.default.removeItem(u)`,
		[]string{"%s", "let s = \"//\"; %s"},
		[]string{"// %s", "/// %s", "/* %s */", "let s = \"%s\""},
	},
	"shell": {
		`rm -rf dir`,
		[]string{"%s", "x && %s", "echo '#'; %s"},
		[]string{"# %s", "x # %s", "s='%s'"},
	},
	"sql": {
		`select 1;`,
		nil, // a file of SQL is touched by its path: as io nothing is
		[]string{"-- %s", "/* %s */", "/*\n%s\n*/"},
	},
}

// wholeFile is a diff that adds text between two lines of a file that is shown whole.
func wholeFile(path, text string) string {
	added := strings.Split(text, "\n")
	return fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,2 +1,%d @@\n \n+%s\n \n", path, path, 2+len(added), strings.Join(added, "\n+"))
}

// TestVoices holds every language's comments and literals apart from its code.
func TestVoices(t *testing.T) {
	t.Parallel()
	for _, language := range Builtin().languages {
		v, ok := voices[language.Name]
		if !ok && len(Builtin().indexOf(&language).code.list) > 0 && language.Name != "sql" {
			t.Errorf("%s: no voices", language.Name)
		}
		path := sample[language.Name]
		for _, form := range v.harmful {
			text := fmt.Sprintf(form, v.call)
			if got := judge(t, wholeFile(path, text), nil); len(got) != 1 || !strings.HasSuffix(got[0], " added io") {
				t.Errorf("%s: %q: %q", language.Name, text, got)
			}
		}
		for _, form := range v.silent {
			text := fmt.Sprintf(form, v.call)
			got := judge(t, wholeFile(path, text), nil)
			if slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, " added ") }) {
				t.Errorf("%s: %q: %q", language.Name, text, got)
			}
		}
	}
}

// TestImports holds what counts as imported, in each language's way of saying it.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language, line string
		want           []string
	}{
		{"go", "\tpq \"github.com/lib/pq\"", []string{"github.com/lib/pq"}},
		{"go", "import _ \"x/y\" // why", []string{"x/y"}},
		{"go", "\t\"x\",", nil},
		{"python", "from google.cloud import storage, pubsub", []string{"google.cloud", "google.cloud.storage", "google.cloud.pubsub"}},
		{"python", "import a.b as c", []string{"a.b"}},
		{"python", "import os, boto3", []string{"os", "boto3"}},
		{"python", "m = importlib.import_module('boto3')", []string{"boto3"}},
		{"javascript", "const { a } = require(\"a/b\");", []string{"a/b"}},
		{"javascript", "} from 'x';", []string{"x"}},
		{"typescript", "const m = await import('x');", []string{"x"}},
		{"typescript", "import type { A } from \"@a/b\";", []string{"@a/b"}},
		{"java", "import static a.b.C.d;", []string{"a.b.C.d"}},
		{"kotlin", "import a.b.C as D", []string{"a.b.C"}},
		{"csharp", "global using static A.B;", []string{"A.B"}},
		{"csharp", "using X = A.B.C;", []string{"A.B.C"}},
		{"csharp", "using var x = y();", nil},
		{"ruby", "require_relative 'a/b'", nil},
		{"php", "use A\\B\\{C, D};", []string{"A\\B\\", "A\\B\\C", "A\\B\\D"}},
		{"php", "use function A\\b;", []string{"A\\b"}},
		{"rust", "pub(crate) use a::b::{c, d};", []string{"a::b::", "a::b::c", "a::b::d"}},
		{"rust", "extern crate a;", []string{"a"}},
		{"c", "# include <a/b.h>", []string{"a/b.h"}},
		{"cpp", "#import \"a.h\"", []string{"a.h"}},
		{"swift", "@testable import struct A.B", []string{"A.B"}},
	} {
		files, err := ParseDiff([]byte(wholeFile(sample[test.language], test.line)))
		if err != nil {
			t.Fatal(err)
		}
		j, err := Builtin().read(files[0], never)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.language.modulesOf(j.changes[0].full); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q imports %q, want %q", test.language, test.line, got, test.want)
		}
	}
}

// TestSQLInLiterals holds statements in literals apart from prose with their words.
func TestSQLInLiterals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"SELECT a FROM t":                             true,
		"select a, b from t":                          true,
		"select count(*) from t":                      true,
		"select name from users where id = 1":         true,
		"  WITH x AS (SELECT 1) SELECT * FROM x":      true,
		"insert into t (a) values (1)":                true,
		"update t set a = 1":                          true,
		"delete from t where a = ?":                   true,
		"delete from t":                               true,
		"CREATE UNIQUE INDEX i ON t (a)":              true,
		"drop table if exists t;":                     true,
		"alter table t add column a int":              true,
		"AND t.a = $1":                                true,
		" ORDER BY a DESC":                            true,
		"LEFT JOIN u ON u.id = t.u":                   true,
		"PRAGMA journal_mode = WAL":                   true,
		"TRUNCATE TABLE t":                            true,
		"select a file from the list":                 false,
		"select one from many":                        false,
		"Select all":                                  false,
		"Update the settings to set the theme":        false,
		"update your profile":                         false,
		"delete from cart and start over":             false,
		"Insert coin into the slot":                   false,
		"insert into the form what you know":          false,
		"create table of contents":                    false,
		"drop the table from the view":                false,
		"where do you want to go?":                    false,
		"and then there were none":                    false,
		"order by phone":                              false,
		"Join us on Monday":                           false,
		"with great power":                            false,
		"The SELECT statement reads, DELETE removes.": false,
		"database":                                    false,
	} {
		got := touched(t, "a.go", fmt.Sprintf("s := %q", text))
		if (len(got) > 0) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
