package notes

import (
	"bytes"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// TestOriginGivesBack: a line comes back byte for byte, through a row and its log, as
// JSON where that is possible.
func TestOriginGivesBack(t *testing.T) {
	t.Parallel()
	for line, asJSON := range map[string]bool{
		`{"a":1,"한":[1e5,null,"\ud800 <&>"]}`: true,
		`{"a": 1}`:                            false,
		`{"a":"\u2028"}`:                      false,
		"{\"a\":\"\u2028\"}":                  true,
		`{"a":"\\u2028"}`:                     false,
		"{\"a\":1}\r":                         false,
		"\ufeff{}":                            false,
		`not JSON`:                            false,
		`{"a":1,"a":2}`:                       true,
	} {
		o := NewOrigin("f", []byte(line))
		if (o.Line != nil) != asJSON {
			t.Errorf("%q: %+v", line, o)
		}
		raw, err := Row{ID: "x", Okstra: o}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		lines := ParseNote("", raw)
		if len(lines) != 1 || lines[0].Foreign || string(lines[0].Row.Okstra.Bytes()) != line {
			t.Errorf("%q became %q", line, raw)
		}
	}
	if (&Origin{File: "f"}).Bytes() != nil {
		t.Error("a derived row has a line")
	}
	rapid.Check(t, func(t *rapid.T) {
		line := []byte(text.Draw(t, "line"))
		if len(line) == 0 {
			return
		}
		raw, err := Row{ID: "x", Okstra: NewOrigin("f", line)}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if lines := ParseNote("", raw); len(lines) != 1 || !bytes.Equal(lines[0].Row.Okstra.Bytes(), line) {
			t.Fatalf("%q became %q", line, raw)
		}
	})
}

// TestDerivedID: the same thing has one id, anything else another, and all are UUIDs of
// version 8.
func TestDerivedID(t *testing.T) {
	t.Parallel()
	key := plan.TaskKey{Project: "p", Group: "g", Task: "t"}
	id := DerivedID(key, "consumers.jsonl", []byte(`{"stage":1}`))
	if id != "5fd46443-5437-896d-b8a8-4c5b0988c476" { // other versions have to make the same
		t.Errorf("%q", id)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("%q", id)
	}
	seen := map[string]bool{id: true}
	for _, other := range []string{
		DerivedID(plan.TaskKey{Project: "p", Group: "g", Task: "u"}, "consumers.jsonl", []byte(`{"stage":1}`)),
		DerivedID(key, "fix-cycles.jsonl", []byte(`{"stage":1}`)), DerivedID(key, "consumers.jsonl", []byte(`{"stage":2}`)),
		DerivedID(key, "consumers.jsonl ", []byte(`{"stage":1}`)), DerivedID(key, "consumers.jsonl", nil),
	} {
		if seen[other] {
			t.Errorf("%s stands twice", other)
		}
		seen[other] = true
	}
	if again := DerivedID(key, "consumers.jsonl", []byte(`{"stage":1}`)); again != id {
		t.Errorf("%s, then %s", id, again)
	}
}

// TestAppendRaw: rows of another log stand as they stood, the next ones behind the
// greatest seq, also where many notes are written at once.
func TestAppendRaw(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "one-commit")
	commits := l.manyNotes(150)
	var entries []Entry
	for i, c := range commits[:100] {
		entries = append(entries, Entry{Target: c, Row: row("many", Revised, i, "", "")})
		entries[i].Row.ID += string(c)
	}
	raw := []byte(`{"seq":900,"id":"own","stage":1,"new":[1, 2]}`)
	entries = append(entries, Entry{Target: l.head, Row: ParseNote(l.head, raw)[0].Row, Raw: raw})
	l.addAll(entries...)
	if got := l.note(l.head); got != string(raw) {
		t.Errorf("%q", got)
	}
	lines := l.read()
	if len(lines) != 251 || lines[150].Row.ID != "own" || lines[151].Row.Seq != 901 || lines[250].Row.Seq != 1000 {
		t.Errorf("%d lines: %+v %+v", len(lines), lines[150].Row, lines[250].Row)
	}
	if after := l.add(l.head, row("after", Started, 1, l.head, "c")); after.Row.Seq != 1001 {
		t.Errorf("seq %d", after.Row.Seq)
	}
	l.Git("fsck", "--strict")
}
