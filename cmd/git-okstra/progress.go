package main

import (
	"fmt"
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
	f, ok := a.std.err.(*os.File)
	if !ok || a.flags.Quiet || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	text := fmt.Sprintf(format, args...)
	var mu sync.Mutex
	shown, over := false, false
	timer := time.AfterFunc(progressDelay, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			_, _ = fmt.Fprint(f, text+"…")
			shown = true
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if over = true; shown {
			_, _ = fmt.Fprint(f, "\r\x1b[K")
			shown = false
		}
	}
}
