package report

import (
	"encoding/json"
	"testing"

	"git-okstra/internal/conform"
)

func TestTouchesText(t *testing.T) {
	t.Parallel()
	found := conform.Findings{
		Touches: []conform.Touch{
			{Surface: "io", Path: "a\x1b.go", Line: 3, Side: conform.Added, Rule: "go-io-call", Text: "os.Open(\"\x1b[2J\")"},
			{Surface: "db", Path: "b.sql", Line: 1, Side: conform.Removed, Rule: "path-sql", Text: "select 1;"},
			{Surface: "io", Path: "c.go", Line: 9, Side: conform.Added, Rule: "go-io-call", Text: "os.Remove(p)"},
		},
		Ignored: []conform.Ignored{{Path: "x_test.go", Why: "test"}},
	}
	const touches = "a\\x1b.go:3: io + os.Open(\\\"\\x1b[2J\\\") (go-io-call)\nb.sql:1: db - select 1; (path-sql)\nc.go:9: io + os.Remove(p) (go-io-call)\n"
	if got := NewTouches(found).Text(true); got != touches {
		t.Errorf("short:\n%s\nwant\n%s", got, touches)
	}
	const want = touches + "x_test.go: ignored: test\ntouched: db 1, io 2\n"
	if got := NewTouches(found).Text(false); got != want {
		t.Errorf("long:\n%s\nwant\n%s", got, want)
	}
	if got := NewTouches(conform.Findings{}).Text(false); got != "touched: nothing\n" {
		t.Errorf("nothing: %q", got)
	}
}

func TestTouchesJSON(t *testing.T) {
	t.Parallel()
	for want, found := range map[string]conform.Findings{
		`{"schema":"okstra.touches/v1","touches":[],"ignored":[]}`: {},
		`{"schema":"okstra.touches/v1","touches":[{"surface":"db","path":"p","line":1,"side":"removed","rule":"r","text":"t"}],"ignored":[{"path":"q","why":"w"}]}`: {
			Touches: []conform.Touch{{Surface: "db", Path: "p", Line: 1, Side: conform.Removed, Rule: "r", Text: "t"}},
			Ignored: []conform.Ignored{{Path: "q", Why: "w"}},
		},
	} {
		got, err := json.Marshal(NewTouches(found))
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
