package main

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

// endSignals are the signals by which somebody asks a command to end. One that was ignored
// from the start stays so: nohup and a shell's background jobs want that.
func endSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, func(s os.Signal) bool {
		return s != syscall.SIGTERM && signal.Ignored(s)
	})
}

// interrupts are the signals that a chain got.
type interrupts struct {
	signals chan os.Signal
	first   chan struct{} // closed once sig is known
	sig     os.Signal
	// hurry is closed once somebody asked twice: then nothing is waited for.
	hurry chan struct{}
	note  sync.Once
}

// lastWait is how long a chain may take to end after it was asked twice. What it may hang
// on is a reader of its output that does not read.
const lastWait = 3 * time.Second

// watchSignals notes signals until release is called. leave ends the process.
func watchSignals(leave func()) (in *interrupts, release func()) {
	in = &interrupts{signals: make(chan os.Signal, 1), first: make(chan struct{}), hurry: make(chan struct{})}
	signal.Notify(in.signals, endSignals()...)
	// Without this, a write to a pipe that nobody reads would end this process at once,
	// and leave its workers alone.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	over := make(chan struct{})
	go in.follow(over, leave)
	return in, func() {
		signal.Stop(in.signals)
		signal.Stop(pipes)
		close(over)
	}
}

// follow takes what comes. A closed terminal is told of by the kernel and by the shell:
// only Ctrl-C and SIGTERM say for a second time that it is urgent.
func (in *interrupts) follow(over <-chan struct{}, leave func()) {
	for asked := 0; asked < 2; {
		select {
		case <-over:
			return
		case sig := <-in.signals:
			if asked == 0 || sig != syscall.SIGHUP {
				asked++
			}
			in.got(sig)
		}
	}
	close(in.hurry)
	select {
	case <-over:
	case <-time.After(lastWait):
		leave()
	}
}

// got notes the first signal.
func (in *interrupts) got(sig os.Signal) {
	in.note.Do(func() {
		in.sig = sig
		close(in.first)
	})
}

// signal is the first one that came, or that of a program that something else ended.
func (in *interrupts) signal() os.Signal {
	select {
	case <-in.first:
		return in.sig
	case <-time.After(time.Second):
		return syscall.SIGTERM
	}
}
