// Command soak drives one task with many processes of the built command at once:
// they take, end and give back stages at random and revise the plan, while git
// collects, packs and fetches in loops beside them and stock readers look on. After
// each round the log is replayed and held to what the processes reported:
//
//	go run ./internal/soak -for 30m [-procs N] [-seed N]
//
// It works in a temporary folder of its own ($TMPDIR) and prints figures each minute
// and at the end; it ends with 1 where anything was lost or seen twice.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	length := flags.Duration("for", time.Minute, "how long")
	procs := flags.Int("procs", 0, "processes at once; 0: 2, 8 and 32 in turn")
	seed := flags.Uint64("seed", uint64(os.Getpid()), "where the random choices begin")
	if err := flags.Parse(args); err != nil {
		return err
	}
	top, err := os.MkdirTemp("", "okstra-soak-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(top) }()
	binary := filepath.Join(top, "git-okstra")
	if err := build(ctx, binary); err != nil {
		return err
	}
	sizes := []int{2, 8, 32}
	if *procs > 0 {
		sizes = []int{*procs}
	}
	sum := newFigures()
	deadline := time.Now().Add(*length)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	go sum.eachMinute(ctx, os.Stdout)
	for round := 0; ctx.Err() == nil; round++ {
		err := soak(ctx, options{
			Dir: filepath.Join(top, fmt.Sprintf("round-%d", round)), Binary: binary,
			Procs: sizes[round%len(sizes)], Seed: *seed + uint64(round), Sum: sum,
		})
		if err != nil {
			return err
		}
	}
	sum.print(os.Stdout)
	if n := sum.faults(); n > 0 {
		return fmt.Errorf("%d faults (seed %d)", n, *seed)
	}
	return nil
}
