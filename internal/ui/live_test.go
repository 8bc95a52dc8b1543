package ui

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// still is a view whose clock stands and that is only written when it is asked to.
func still(to *bytes.Buffer, width int) (*Live, *time.Time) {
	at := time.Unix(0, 0)
	return &Live{to: to, width: func() int { return width }, now: func() time.Time { return at }}, &at
}

func TestLive(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	l, at := still(&b, 24)
	shows := func(what, want string) {
		t.Helper()
		if got := b.String(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		b.Reset()
	}
	l.Show()
	shows("nothing", "")
	l.Begin(2, "stage 2")
	l.Begin(3, "stage 3")
	*at = at.Add(61 * time.Second)
	l.Said(3, "a line that is too long for it")
	l.Said(9, "of nobody")
	l.Show()
	shows("two", "stage 2  1m1s  \nstage 3  1m1s  a line …\n")
	l.Show()
	shows("again", "\x1b[2A\r\x1b[Jstage 2  1m1s  \nstage 3  1m1s  a line …\n")
	l.Hide()
	shows("hidden", "\x1b[2A\r\x1b[J")
	l.Hide()
	shows("hidden twice", "")
	l.End(2)
	l.End(9)
	l.Said(3, "전각 문자는 두 칸을 차지")
	l.Show()
	shows("wide", "stage 3  1m1s  전각 문…\n")
	l.End(3)
	l.Show()
	shows("over", "\x1b[1A\r\x1b[J")
	none, _ := still(&b, 0)
	none.Begin(1, "stage 1")
	none.Show()
	shows("no width", "")
}

// TestLiveTicks: the view is written by itself, and nothing comes after its end.
func TestLiveTicks(t *testing.T) {
	t.Parallel()
	b := &lockedBuffer{wrote: make(chan struct{}, 100)}
	l := NewLive(b, func() int { return 80 })
	l.Begin(1, "stage 1")
	<-b.wrote
	<-b.wrote
	l.Close()
	if text := b.text(); !strings.HasSuffix(text, "\x1b[1A\r\x1b[J") {
		t.Errorf("%q", text)
	}
}

// lockedBuffer tells of each write.
type lockedBuffer struct {
	mu    sync.Mutex
	b     bytes.Buffer
	wrote chan struct{}
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(p) > 0 {
		select {
		case l.wrote <- struct{}{}:
		default:
		}
	}
	return l.b.Write(p)
}

func (l *lockedBuffer) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
