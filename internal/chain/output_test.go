package chain

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestOutputAnyPieces: however a worker's output comes in, the log has its bytes, and the
// lines put together again are what it wrote.
func TestOutputAnyPieces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.SampledFrom([]byte("ab\n\r\x00"))).Draw(t, "text")
		log := filepath.Join(dir, "log")
		var lines []string
		o, err := openOutput(log, false, func(l []byte) { lines = append(lines, string(l)) })
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = bytes.NewReader(text)
		if rapid.Bool().Draw(t, "bytewise") {
			r = iotest.OneByteReader(r)
		}
		o.copyFrom(r)
		_ = o.log.Close()
		if got, err := os.ReadFile(log); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("the log has %q, %v", got, err)
		}
		var want []string
		for l := range strings.Lines(string(text)) {
			want = append(want, strings.TrimRight(l, "\r\n"))
		}
		if strings.Join(lines, "|") != strings.Join(want, "|") || len(lines) != len(want) {
			t.Fatalf("lines %q, want %q", lines, want)
		}
		if n := len(o.tail); n > tailLines || n != min(tailLines, len(want)) {
			t.Fatalf("a tail of %d of %d lines", n, len(want))
		}
	})
}

func TestOutputBounds(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "deep", "log")
	longest, all := 0, 0
	o, err := openOutput(log, false, func(l []byte) { longest, all = max(longest, len(l)), all+len(l) })
	if err != nil {
		t.Fatal(err)
	}
	o.copyFrom(strings.NewReader(strings.Repeat("x", 3*maxLine+7)))
	if longest != maxLine || all != 3*maxLine+7 {
		t.Errorf("%d bytes in lines of up to %d", all, longest)
	}
	_ = o.log.Close()
	for resumed, want := range map[bool]int{true: 3*maxLine + 9, false: 2} {
		o, err := openOutput(log, resumed, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.copyFrom(strings.NewReader("y\n"))
		_ = o.log.Close()
		text, err := os.ReadFile(log)
		if err != nil || resumed && len(text) != want {
			t.Errorf("resumed %v: %d bytes, %v", resumed, len(text), err)
		}
		if err := os.WriteFile(log, bytes.Repeat([]byte("x"), 3*maxLine+7), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := openOutput(filepath.Join(log, "below-a-file"), false, nil); err == nil {
		t.Error("a log below a file")
	}
}
