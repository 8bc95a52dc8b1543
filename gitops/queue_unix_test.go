//go:build unix

package gitops

import (
	"context"
	"testing"
	"time"
)

// TestQueue: one at a time, whoever waits is told so, and nobody waits for ever.
func TestQueue(t *testing.T) {
	s := newSandbox(t)
	s.repo("plain")
	a, b := s.open("plain"), s.open("plain")
	leave, waited := a.Queue(t.Context())
	if waited {
		t.Error("waited for nobody")
	}
	turn := make(chan bool)
	go func() {
		leave, waited := b.Queue(t.Context())
		defer leave()
		turn <- waited
	}()
	select {
	case <-turn:
		t.Error("two are through")
	case <-time.After(50 * time.Millisecond):
	}
	leave()
	if !<-turn {
		t.Error("the second was not told that it waited")
	}

	leave, _ = a.Queue(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	gaveUp, _ := b.Queue(ctx)
	gaveUp()
	patience := queuePatience
	defer func() { queuePatience = patience }()
	queuePatience = time.Millisecond
	gaveUp, waited = b.Queue(t.Context())
	if gaveUp(); !waited {
		t.Error("who gave up waiting was not told that it waited")
	}
	leave()
	queuePatience = patience
	leave, _ = b.Queue(t.Context()) // those that gave up are out of the way
	leave()
}
