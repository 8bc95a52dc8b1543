package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProgressLine holds what a person sees: the text, then how far it is and never back,
// and at the end an empty line; nothing once it is over.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	line := &progressLine{to: &out, text: "copying", timer: time.NewTimer(time.Hour)}
	line.show()
	line.count(30, 60)
	line.count(15, 60)
	line.show()
	line.end()
	line.show()
	line.count(60, 60)
	if want := "\rcopying…\rcopying:  50% (30/60)\r\x1b[K"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	var quick strings.Builder
	line = &progressLine{to: &quick, text: "copying", timer: time.NewTimer(time.Hour)}
	line.count(1, 2)
	line.end()
	if quick.String() != "" {
		t.Errorf("what is over at once said %q", quick.String())
	}
}

// TestProgressNeedsTerminal holds that nothing is counted where nobody looks.
func TestProgressNeedsTerminal(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, a := range []*app{
		{std: streams{err: file}},
		{std: streams{err: &strings.Builder{}}},
		{std: streams{err: os.Stderr}, flags: globals{JSON: true}},
		{std: streams{err: os.Stderr}, flags: globals{Quiet: true}},
	} {
		tell, end := a.counted("text")
		end()
		if tell != nil {
			t.Errorf("%+v counts", a.flags)
		}
	}
}
