package ui

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
)

// liveStep is how often the view is written anew.
const liveStep = 200 * time.Millisecond

// Live is a view of jobs under way, a line each, at the bottom of a terminal: name, how
// long it has been at it, and what it said last. What is written by others goes between
// Hide and Show.
type Live struct {
	to    io.Writer
	width func() int
	now   func() time.Time

	mu    sync.Mutex
	jobs  []liveJob
	shown int // so many lines of it are on the screen
	over  chan struct{}
	done  chan struct{}
}

type liveJob struct {
	key   int
	name  string
	since time.Time
	last  string
}

// NewLive starts a view. Close ends it.
func NewLive(to io.Writer, width func() int) *Live {
	l := &Live{to: to, width: width, now: time.Now, over: make(chan struct{}), done: make(chan struct{})}
	go l.tick()
	return l
}

func (l *Live) tick() {
	defer close(l.done)
	t := time.NewTicker(liveStep)
	defer t.Stop()
	for {
		select {
		case <-l.over:
			return
		case <-t.C:
			l.Show()
		}
	}
}

// Close wipes the view and ends it.
func (l *Live) Close() {
	close(l.over)
	<-l.done
	l.Hide()
}

// Begin adds a job.
func (l *Live) Begin(key int, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs = append(l.jobs, liveJob{key: key, name: name, since: l.now()})
}

// Said notes a job's last line, in which nothing moves the cursor.
func (l *Live) Said(key int, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.jobs {
		if l.jobs[i].key == key {
			l.jobs[i].last = line
		}
	}
}

// End takes a job out.
func (l *Live) End(key int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.jobs {
		if l.jobs[i].key == key {
			l.jobs = append(l.jobs[:i:i], l.jobs[i+1:]...)
			return
		}
	}
}

// Hide takes the view off the screen.
func (l *Live) Hide() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wipe()
}

func (l *Live) wipe() {
	if l.shown > 0 {
		_, _ = fmt.Fprintf(l.to, "\x1b[%dA\r\x1b[J", l.shown)
		l.shown = 0
	}
}

// Show writes the view as it is now.
func (l *Live) Show() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wipe()
	width := l.width() - 1
	if width < 1 {
		return
	}
	var text strings.Builder
	for _, j := range l.jobs {
		line := fmt.Sprintf("%s  %s  %s", j.name, l.now().Sub(j.since).Round(time.Second), j.last)
		text.WriteString(runewidth.Truncate(line, width, "…") + "\n")
	}
	_, _ = io.WriteString(l.to, text.String())
	l.shown = len(l.jobs)
}
