package conform

import (
	"fmt"
	"strings"
	"testing"
)

// bulk is a diff of n files with so many changed lines each, in the languages that
// people use most, code that touches something and code that does not side by side.
func bulk(files, lines int) string {
	kinds := []struct {
		ext  string
		code []string
	}{
		{"go", []string{"\trows, err := s.db.QueryContext(ctx, query, id)", "\tif err != nil {", "\t\treturn fmt.Errorf(\"read %s: %w\", name, err)", "\t}", "\ttotal += item.Price * item.Count // so far"}},
		{"py", []string{"    rows = self.load(name, limit=10)", "    for row in rows:", "        total += row.price * row.count  # so far", "    with open(path) as f:", "        return json.loads(text)"}},
		{"ts", []string{"  const rows = await this.load(name, { limit: 10 });", "  for (const row of rows) {", "    total += row.price * row.count; // so far", "  }", "  return fetch(`${base}/items/${id}`);"}},
		{"java", []string{"        List<Item> rows = load(name, 10);", "        for (Item row : rows) {", "            total += row.price() * row.count(); // so far", "        }", "        return Files.readString(path);"}},
		{"rb", []string{"    rows = load(name, limit: 10)", "    rows.each do |row|", "      total += row.price * row.count # so far", "    end", "    File.read(path)"}},
	}
	var b strings.Builder
	for f := range files {
		k := kinds[f%len(kinds)]
		name := fmt.Sprintf("src/part%d/file%d.%s", f%7, f, k.ext)
		fmt.Fprintf(&b, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -10,%d +10,%d @@\n", name, name, name, name, 6, lines+6)
		for range 3 {
			b.WriteString(" x\n")
		}
		for i := range lines {
			fmt.Fprintf(&b, "+%s\n", strings.ReplaceAll(k.code[i%len(k.code)], "total", fmt.Sprintf("total%d", i)))
		}
		for range 3 {
			b.WriteString(" x\n")
		}
	}
	return b.String()
}

// BenchmarkTouches judges 1,000 changed lines in 50 files, the reading of the diff and
// the lexers in it; the rules are compiled before.
func BenchmarkTouches(b *testing.B) {
	src := []byte(bulk(50, 20))
	judge := func() int {
		files, err := ParseDiff(src)
		if err != nil {
			b.Fatal(err)
		}
		found, err := Builtin().Touches(files, nil)
		if err != nil {
			b.Fatal(err)
		}
		return len(found.Touches)
	}
	if judge() == 0 {
		b.Fatal("nothing is touched")
	}
	b.ReportAllocs()
	for b.Loop() {
		judge()
	}
}
