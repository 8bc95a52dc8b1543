package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// asked is an Ask whose keys come through a pipe.
type asked struct {
	keys   *os.File
	chosen []int
	err    error
	done   chan struct{}
}

func ask(ctx context.Context, t *testing.T) *asked {
	t.Helper()
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = in.Close(), keys.Close(), out.Close() })
	ctx, stop := context.WithTimeout(ctx, time.Minute) // one that hangs is to fail
	t.Cleanup(stop)
	a := &asked{keys: keys, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.chosen, a.err = Ask(ctx, in, out, sample())
	}()
	return a
}

func (a *asked) types(text string) {
	_, _ = a.keys.WriteString(text)
}

// TestKeys: what a terminal sends, in the words of several of them, is what the choice is
// told. Each text ends with an answer or gives up.
func TestKeys(t *testing.T) {
	t.Parallel()
	given := []int(nil) // given up
	for _, c := range []struct {
		text string
		want []int
	}{
		{" \r", []int{1}},
		{"x\n", []int{1}},
		{"a\r", []int{1, 2}},
		{"jx\r", []int{2}},
		{"jk \r", []int{1}},
		{"\x0e\x10\x0e \r", []int{2}}, // Ctrl-N, Ctrl-P
		{"gjj \r", []int{2}},
		{"Gk \r", []int{2}},
		{"\x1b[B \r", []int{2}},
		{"\x1bOB\x1bOA \r", []int{1}}, // in application mode
		{"\x1b[F\x1b[A \r", []int{2}},
		{"\x1bOH\x1bOB \r", []int{1}},
		{"\x1b[4~\x1b[A \x1b[1~\x1b[B \r", []int{1, 2}},
		{"\x1b[8~\x1b[A \x1b[7~\x1b[B \r", []int{1, 2}},
		{"\x1b[6~ \r", []int{2}}, // of one line, before the size is known
		{"\x1b[6~\x1b[5~ \r", []int{1}},
		{"\x1b[106u\x1b[32u\x1b[13u", []int{2}},                      // kitty's words for j, space and Enter
		{"\x1b[3~\x1b[15~\x1b[C\x1bOPz1\xff \r", []int{1}},           // no keys of ours
		{"한\x1b[200~q\x03\r\x1b[201~ \r", []int{1}},                  // what is pasted is not typed
		{"\x1b]11;rgb:0/0/0\x07\x1b[?2026;2$y\x1b[?0u \r", []int{1}}, // a terminal's answers
		{" q", given},
		{" \x03", given},
		{"\x04", given},
		{"\x1b[99;5u", given}, // kitty's Ctrl-C
	} {
		t.Run(fmt.Sprintf("%q", c.text), func(t *testing.T) {
			t.Parallel()
			a := ask(t.Context(), t)
			a.types(c.text)
			<-a.done
			switch {
			case c.want == nil && !errors.Is(a.err, ErrGivenUp):
				t.Errorf("%v, %v", a.chosen, a.err)
			case c.want != nil && (a.err != nil || !slices.Equal(a.chosen, c.want)):
				t.Errorf("%v, %v; want %v", a.chosen, a.err, c.want)
			}
		})
	}
}

// TestEscapeIsNoKey: neither alone nor before what comes a while later.
func TestEscapeIsNoKey(t *testing.T) {
	t.Parallel()
	a := ask(t.Context(), t)
	a.types("\x1b")
	select {
	case <-a.done:
		t.Fatalf("ended: %v", a.err)
	case <-time.After(150 * time.Millisecond): // longer than the library waits
	}
	a.types(" \r")
	if <-a.done; a.err != nil || !slices.Equal(a.chosen, []int{1}) {
		t.Errorf("%v, %v", a.chosen, a.err)
	}
}

// TestHungUp: a terminal that is gone is no reason to wait.
func TestHungUp(t *testing.T) {
	t.Parallel()
	a := ask(t.Context(), t)
	a.types(" ")
	_ = a.keys.Close()
	if <-a.done; !errors.Is(a.err, ErrGivenUp) {
		t.Errorf("%v, %v", a.chosen, a.err)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := ask(ctx, t)
	a.types(" ")
	cancel()
	if <-a.done; !errors.Is(a.err, context.Canceled) {
		t.Errorf("%v, %v", a.chosen, a.err)
	}
}
