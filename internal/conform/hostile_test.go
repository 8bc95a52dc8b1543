package conform

import (
	"fmt"
	"strings"
	"testing"
)

// TestHostileSource feeds each lexer what opens and never closes. However it backtracks,
// it stops when it is told to, and each line of the file is judged.
func TestHostileSource(t *testing.T) {
	t.Parallel()
	for _, language := range Builtin().languages {
		for _, opens := range []string{"/*", "`${", "\"#{", "<<A ", "((", "R\"(", "%w(", "'''", "\"\\(", "${", "r#\"", "\xff\xfe"} {
			const lines = 4
			line := strings.Repeat(opens, 60)
			path := sample[language.Name]
			diff := fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,1 +1,%d @@\n x\n%s", path, path, lines+1, strings.Repeat("+"+line+"\n", lines))
			tokens := 0
			ctx := Context{Watch: func() func() bool {
				return func() bool {
					tokens++
					return tokens > 50
				}
			}}
			if _, err := Builtin().TouchesOf(strings.NewReader(diff), ctx); err != nil {
				t.Errorf("%s: %q: %v", language.Name, opens, err)
			}
			if tokens > 60 {
				t.Errorf("%s: %q: the lexer went on for %d tokens", language.Name, opens, tokens)
			}
			files, err := ParseDiff([]byte(diff))
			if err != nil {
				t.Fatal(err)
			}
			tokens = 0
			j, err := Builtin().read(files[0], ctx.Watch())
			if err != nil || len(j.changes) != lines {
				t.Errorf("%s: %q: %d changes, %v", language.Name, opens, len(j.changes), err)
			}
		}
	}
}
