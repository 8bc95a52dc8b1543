package conform

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestBindings follows what imports are called: a line is a touch only for what stands
// above it, which did not change.
func TestBindings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, above, line string
		want              []Surface
	}{
		{"a.go", "import \"github.com/nutsdb/nutsdb\"", "\treturn nutsdb.Opts(x)", []Surface{"db"}},
		{"a.go", "import \"github.com/nutsdb/nutsdb\"", "\treturn nuts.Opts(x)", nil},
		{"a.go", "import kv \"github.com/nutsdb/nutsdb\"", "\treturn kv.Opts(x)", []Surface{"db"}},
		{"a.go", "import \"github.com/riverqueue/river/v2\"", "\treturn river.Args{}", []Surface{"external"}},
		{"a.go", "import \"github.com/me/own/internal/kafka\"", "\treturn kafka.Name", nil},
		{"a.go", "import \"github.com/nutsdb/nutsdb\"\ntype s struct {\n\tbox *nutsdb.DB\n}", "\treturn s.box.Keep(x)", []Surface{"db"}},
		{"a.go", "c := exec.Command(x)", "\tc.Env = env", []Surface{"io"}},
		{"a.py", "from playhouse import Keep as K2", "    return K2(x)", []Surface{"db"}},
		{"a.py", "from playhouse import (\n    Keep,\n    Other,\n)", "    return Other(x)", []Surface{"db"}},
		{"a.py", "import playhouse", "    return house(x)", nil},
		{"a.py", "import urllib.request", "    return urllib.parse.quote(x)", nil},
		{"a.py", "from playhouse import Keep\nbox = Keep(1)", "    return box.anything()", []Surface{"db"}},
		{"a.py", "from playhouse import Keep\nbox = Keep(1).name", "    return box.upper()", nil},
		{"a.py", "from playhouse import Keep", "    return x.Keep", nil},
		{"a.py", "from playhouse import Keep", "    call(Keep=1)", nil},
		{"a.ts", "import { keep as hold } from 'lokijs';", "  return hold(x);", []Surface{"db"}},
		{"a.ts", "import {\n  keep,\n  other,\n} from 'lokijs';", "  return other(x);", []Surface{"db"}},
		{"a.js", "const { keep: hold } = require('lokijs');", "  return hold(x);", []Surface{"db"}},
		{"a.js", "const { keep } = require('./lokijs');", "  return keep(x);", nil},
		{"a.ts", "import { Consumer } from 'sqs-consumer';", "  return Consumer.create({ x });", []Surface{"external"}},
		{"a.ts", "import { Router } from 'rxjs';", "  return Router();", nil},
		{"A.java", "import com.gocardless.Pull;\nprivate final Pull pull;", "    pull.everything();", []Surface{"external"}},
		{"A.kt", "import com.gocardless.Pull as P", "    P.everything()", []Surface{"external"}},
		{"a.php", "use Mailjet\\Client as MJ;", "    new MJ($x);", []Surface{"external"}},
		{"a.rs", "use mailjet_rs::{Note, Send as S2};", "    S2::now(x)", []Surface{"external"}},
		{"A.cs", "using Npgsql;", "    box.BulkCopyRows(x);", []Surface{"db"}},
		{"A.cs", "using System;", "    box.BulkCopyRows(x);", nil},
	} {
		above := strings.Split(test.above, "\n")
		n := len(above)
		diff := fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n %s\n+%s\n", test.path, test.path, n, n+1, strings.Join(above, "\n "), test.line)
		files, err := ParseDiff([]byte(diff))
		if err != nil {
			t.Fatal(err)
		}
		found, err := Builtin().Touches(files, nil)
		if got := found.Surfaces(); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q below %q: %v, want %v (%v)", test.path, test.line, test.above, found.Touches, test.want, err)
		}
	}
}

// TestHeads judges a line by the call or the chain that it stands in.
func TestHeads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, above, line string
		want              []Surface
	}{
		{"a.py", "x = requests.get(\n    url,", "    verify=True,", []Surface{"http"}},
		{"a.py", "x = compute(\n    url,", "    verify=True,", nil},
		{"a.py", "x = requests.get(url)", "y = 1", nil},
		{"a.ts", "app.get('/x', (q) => {", "  const a = q + 1;", nil},
		{"a.ts", "return fetch(url, {", "  keepalive: true,", []Surface{"http"}},
		{"a.ts", "return db\n  .selectFrom('x')", "  .where('a', '=', 1);", []Surface{"db"}},
		{"a.ts", "return list\n  .map(f)", "  .filter(g);", nil},
		{"a.sh", "curl -s \\", "  --retry 3 \\", []Surface{"http"}},
		{"a.sh", "echo a \\", "  --retry 3 \\", nil},
		{"A.cs", "var p = new ProcessStartInfo(\"x\")\n{", "    UseShellExecute = false,", []Surface{"io"}},
		{"A.cs", "void File(string x)\n{", "    UseShellExecute = false;", nil},
		{"a.py", "@app.get(\"/x\")\ndef x(\n    a,", "    b=1,", []Surface{"http"}},
		{"a.ts", "return fetch(url, {", "  }", nil},
	} {
		above := strings.Split(test.above, "\n")
		n := len(above)
		diff := fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n %s\n+%s\n", test.path, test.path, n, n+1, strings.Join(above, "\n "), test.line)
		files, err := ParseDiff([]byte(diff))
		if err != nil {
			t.Fatal(err)
		}
		found, err := Builtin().Touches(files, nil)
		if got := found.Surfaces(); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q below %q: %v, want %v (%v)", test.path, test.line, test.above, found.Touches, test.want, err)
		}
	}
}
