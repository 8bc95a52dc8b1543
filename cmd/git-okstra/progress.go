package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progressDelay is how long work goes on before a person is told of it.
const progressDelay = time.Second

// progress tells a person at a terminal what takes so long, after a moment, on
// standard error. The function that it returns ends that, and wipes the line.
func (a *app) progress(format string, args ...any) (end func()) {
	_, end = a.counted(format, args...)
	return end
}

// counted is progress that also shows how much of the work is done, once tell was
// called; tell is nil where nobody looks.
func (a *app) counted(format string, args ...any) (tell func(done, total int), end func()) {
	f, ok := a.std.err.(*os.File)
	if !ok || a.flags.Quiet || a.flags.JSON || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	line := &progressLine{to: f, text: fmt.Sprintf(format, args...)}
	line.timer = time.AfterFunc(progressDelay, line.show)
	return line.count, line.end
}

// progressStep is how often the line is written anew.
const progressStep = 100 * time.Millisecond

// progressLine is one line on a terminal.
type progressLine struct {
	to    io.Writer
	text  string
	timer *time.Timer

	mu          sync.Mutex
	done, total int
	shown, over bool
}

func (l *progressLine) count(done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done, l.total = max(done, l.done), total
}

// show writes the line, and again after a step.
func (l *progressLine) show() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.shown = true
	if l.total == 0 {
		_, _ = fmt.Fprintf(l.to, "\r%s…", l.text)
	} else {
		_, _ = fmt.Fprintf(l.to, "\r%s: %3d%% (%d/%d)", l.text, 100*l.done/l.total, l.done, l.total)
	}
	l.timer.Reset(progressStep)
}

func (l *progressLine) end() {
	l.timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over = true; l.shown {
		_, _ = fmt.Fprint(l.to, "\r\x1b[K")
		l.shown = false
	}
}
