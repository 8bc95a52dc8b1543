package main

import (
	"context"
	"strings"
	"time"
)

// beside is git at work in a loop while stages start and end.
type beside struct {
	name  string
	words []string
	// mayLose says that git may fail beside a writer; a reader may not.
	mayLose bool
	pause   time.Duration
}

var besides = []beside{
	{"gc", []string{"gc", "-q", "--prune=now"}, true, 500 * time.Millisecond},
	{"pack-refs", []string{"pack-refs", "--all"}, true, 200 * time.Millisecond},
	{"repack", []string{"repack", "-adq"}, true, 700 * time.Millisecond},
	{"fetch", []string{
		"--git-dir=CLONE", "fetch", "-q", "REPO", "+refs/okstra/*:refs/okstra/*", "+refs/notes/*:refs/notes/*", "+refs/heads/*:refs/heads/*",
	}, true, 300 * time.Millisecond},
	{"notes", []string{"notes", "--ref=" + notesRef, "list"}, false, 200 * time.Millisecond},
	{"log", []string{"log", "-3", "--notes=" + notesRef, "refs/soak/work-0"}, false, 200 * time.Millisecond},
}

func besideNames() []string {
	var names []string
	for _, b := range besides {
		names = append(names, b.name)
	}
	return names
}

// loop runs one of them again and again until the context ends.
func (r *round) loop(ctx context.Context, b beside) {
	names := strings.NewReplacer("CLONE", r.clone, "REPO", r.repo)
	words := make([]string, len(b.words))
	for i, w := range b.words {
		words[i] = names.Replace(w)
	}
	for ctx.Err() == nil {
		out, err := r.git(context.WithoutCancel(ctx), words...) // never cut short: it would leave its locks
		r.Sum.ranBeside(b.name, err == nil)
		if err != nil && !b.mayLose {
			r.Sum.fault("git %q: %v: %s", words, err, out)
		}
		select {
		case <-ctx.Done():
		case <-time.After(b.pause):
		}
	}
}
