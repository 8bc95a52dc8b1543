//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// watchSuspend lets Ctrl-Z hold what runs elsewhere for this process too, until release is
// called: hold calls its argument in between, which returns once this process goes on.
func watchSuspend(hold func(stop func())) (release func()) {
	if signal.Ignored(syscall.SIGTSTP) {
		return func() {}
	}
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-signals:
				hold(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) })
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(over)
	}
}
