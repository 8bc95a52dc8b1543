package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// figures counts what happened, over all rounds.
type figures struct {
	mu      sync.Mutex
	began   time.Time
	took    map[string][]time.Duration // by transition, of those that succeeded
	refused int                        // answers such as "taken" or "nothing is ready"
	retries int                        // ref transactions beyond the first of a process
	beside  map[string]int             // runs of git beside the processes
	lost    map[string]int             // and how many of them git lost, as it may
	rounds  int
	wrong   []string
}

func newFigures() *figures {
	return &figures{
		began: time.Now(), took: map[string][]time.Duration{}, beside: map[string]int{}, lost: map[string]int{},
	}
}

// transition notes a command that succeeded.
func (f *figures) transition(what string, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.took[what] = append(f.took[what], took)
}

// add adds to a counter of these figures.
func (f *figures) add(counter *int, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*counter += n
}

// ranBeside notes a git call beside the processes.
func (f *figures) ranBeside(what string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.beside[what]++
	if !ok {
		f.lost[what]++
	}
}

// fault notes something that must not be.
func (f *figures) fault(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

// faults counts what must not be.
func (f *figures) faults() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.wrong)
}

// transitions counts the commands that succeeded.
func (f *figures) transitions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, all := range f.took {
		n += len(all)
	}
	return n
}

// eachMinute prints a line a minute until the context ends.
func (f *figures) eachMinute(ctx context.Context, to io.Writer) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			n := f.transitions()
			f.mu.Lock()
			fmt.Fprintf(to, "%s: %d rounds, %d transitions, %d faults, %d retries, %d refusals\n",
				time.Since(f.began).Round(time.Second), f.rounds, n, len(f.wrong), f.retries, f.refused)
			f.mu.Unlock()
		}
	}
}

// print writes everything.
func (f *figures) print(to io.Writer) {
	n := f.transitions()
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(to, "%d rounds, %d transitions in %s, %d faults, %d retries, %d refusals\n",
		f.rounds, n, time.Since(f.began).Round(time.Second), len(f.wrong), f.retries, f.refused)
	for _, what := range []string{"start", "done", "release", "renew", "takeover", "approve"} {
		all := slices.Clone(f.took[what])
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		fmt.Fprintf(to, "  %-8s %6d  median %s, 99 of 100 within %s, longest %s\n", what, len(all),
			short(all[len(all)/2]), short(all[len(all)*99/100]), short(all[len(all)-1]))
	}
	for _, what := range besideNames() {
		fmt.Fprintf(to, "  beside: %5d × git %s, %d lost\n", f.beside[what], what, f.lost[what])
	}
	for _, w := range f.wrong {
		fmt.Fprintln(to, "FAULT:", w)
	}
}

func short(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
