package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/term"

	"git-okstra/gitops"
	"git-okstra/internal/chain"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/ui"
	"git-okstra/plan"
)

// How long workers get to end, and what they left to give the worktree back.
const (
	chainEndGrace  = 5 * time.Second
	chainLockGrace = 10 * time.Second
	// So often it is looked at whether somebody took a stage away from its worker.
	chainWatch = 2 * time.Second
)

// runChain runs the queue and tells of it.
func (a *app) runChain(c *chainCmd, d *chainDesk, q chain.Queue, argv []string, numbers []plan.StageNumber) error {
	unlanded, err := c.unlanded(d, numbers)
	if err != nil {
		return err
	}
	in, release := watchSignals(func() { os.Exit(exitInterrupted) })
	defer release()
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	say := a.chainStory(d)
	defer say.close()
	say.gone = func() {
		in.got(syscall.SIGPIPE)
		cancel()
	}
	say.tell(chain.Event{
		Schema: chain.Schema, Event: chain.EventQueue, At: time.Now().UTC().Format(time.RFC3339),
		Task: d.task.Key.String(), Of: len(d.task.Plan.Stages), Queue: orEmpty(q.Order),
	})
	r := chain.Runner{
		Desk: d, Queue: q, Argv: argv, KeepGoing: c.KeepGoing, Validate: c.Validate, Timeout: c.Timeout, Watch: chainWatch,
		Grace: chain.Grace{End: chainEndGrace, Lock: chainLockGrace, Hurry: in.hurry}, Land: c.lander(d), Unlanded: unlanded,
		Signal: in.signal, Now: time.Now, Tell: say.tell, Output: say.output,
	}
	defer watchSuspend(r.Suspend)()
	report, err := r.Run(ctx)
	e := chain.Event{
		Schema: chain.Schema, Event: chain.EventSummary, At: time.Now().UTC().Format(time.RFC3339), Task: d.task.Key.String(),
		Seconds: report.Seconds, Done: report.Done, Left: report.Left,
	}
	code := exitOf(report)
	if err != nil {
		code = classify(err).code
	}
	e.Exit = &code
	if len(report.Left) > 0 {
		e.Resume = a.resumeCommand()
	}
	say.tell(e)
	a.code = code
	return err
}

// chainStory tells of a chain: as events, in a live view on a terminal, or in lines.
func (a *app) chainStory(d *chainDesk) *chainSay {
	s := &chainSay{a: a, of: len(d.task.Plan.Stages)}
	f, ok := a.terminal()
	if ok && !a.flags.JSON && !a.flags.Quiet {
		s.live = ui.NewLive(a.std.out, func() int {
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 0
			}
			return width
		})
	}
	return s
}

// terminal is standard output, where that is one, or what the pager behind it shows on.
func (a *app) terminal() (*os.File, bool) {
	if a.pager != nil {
		return a.pager.terminal, true
	}
	out := a.std.out
	if c, ok := out.(*checkedWriter); ok {
		out = c.w
	}
	f, ok := out.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// lander lands a stage for a run, if that was asked for.
func (c *chainCmd) lander(d *chainDesk) func(ctx context.Context, n plan.StageNumber) (bool, error) {
	if !c.Land {
		return nil
	}
	return func(ctx context.Context, n plan.StageNumber) (bool, error) {
		t, err := d.e.Reload(ctx, d.task)
		if err != nil {
			return false, err
		}
		out, err := d.e.Land(ctx, t, lifecycle.LandRequest{
			Stages: []plan.StageNumber{n}, Onto: c.Onto, Signing: gitops.Signing{Terminal: d.a.interactive(), Limit: signingLimit},
		})
		if err != nil {
			return false, d.stop(err)
		}
		fresh := false
		for _, s := range out.Stages {
			if len(s.Conflicts) > 0 {
				return false, landConflict(shortName(out.Onto), s)
			}
			fresh = s.How != lifecycle.LandedBefore
		}
		return fresh, nil
	}
}

// landConflict stops at a stage that a person has to merge.
func landConflict(onto string, s lifecycle.StageLanding) *chain.Stop {
	text := fmt.Sprintf("stage %d conflicts with %s at %s; nothing of it was written:", s.Stage, plan.Printable(onto), s.At.Short())
	for _, p := range s.Conflicts {
		text += "\n  " + plan.Printable(p)
	}
	return &chain.Stop{State: chain.Gated, Message: text, Hints: []string{
		fmt.Sprintf("merge the stage's branch into %s yourself and solve it there, or: git okstra stage reopen %d", plan.Printable(onto), s.Stage),
	}}
}

// seconds writes a time for a person.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
