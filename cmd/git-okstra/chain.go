package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"git-okstra/internal/chain"
	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

type chainCmd struct {
	planFlag `embed:""`

	Stages    []string      `arg:"" optional:"" help:"Stage numbers: 2, 2,4 or 2-4; what they wait for comes along." placeholder:"N"`
	All       bool          `help:"Every stage that is not done and that nobody has."`
	Jobs      int           `short:"j" default:"1" help:"So many stages side by side." placeholder:"N"`
	Force     bool          `help:"Side by side even where the plan predicts that two stages touch one file."`
	KeepGoing bool          `help:"After a failure go on with what does not depend on it."`
	Land      bool          `help:"Land each stage as it ends."`
	Validate  bool          `help:"Run the stage's validation commands before it counts as done."`
	Timeout   time.Duration `help:"Time limit of a worker, such as 45m." placeholder:"D"`
	DryRun    bool          `help:"Show order, waves and an estimate; change nothing."`
	Trust     bool          `help:"Let what would run here run from now on: okstra.executor, and with --validate the plan's commands."`
	Onto      string        `help:"Integration branch instead of the plan's." placeholder:"BRANCH"`
	RunID     string        `name:"run" help:"Run id, free text, recorded with the stages. Default: OKSTRA_RUN, else one is made." placeholder:"ID"`
	Local     bool          `help:"Reserve and publish in this clone alone, although okstra.remote is set."`
}

// Help describes what is not in the flags.
func (chainCmd) Help() string {
	return "git okstra chain [STAGES] [options] -- COMMAND …\n\n" +
		"COMMAND runs in each stage's worktree, with the brief on standard input and in $OKSTRA_BRIEF. It ends with 0 once the stage's commits " +
		"are there. Without a command, okstra.executor is run by sh -c, if it was trusted in this clone; without either, the queue is shown.\n\n" +
		"Exit code 0: all done, or another run has what is next. 1: a worker failed. 3: a person must decide. The same command goes on in each case."
}

// Run runs the stages.
func (c *chainCmd) Run(a *app) error {
	if c.Jobs < 1 || c.Timeout < 0 {
		return &commandError{code: exitUsage, message: "-j and --timeout take positive numbers"}
	}
	if c.All && len(c.Stages) > 0 {
		return &commandError{code: exitUsage, message: "--all and stage numbers are two choices", hints: []string{"leave one of them out"}}
	}
	numbers, err := parseStages(c.Stages)
	if err != nil {
		return err
	}
	argv, executor, err := c.command(a)
	if err != nil {
		return err
	}
	a.pinDry = a.pinDry || argv == nil // without a command nothing happens
	d, err := c.desk(a)
	if err != nil {
		return err
	}
	q, err := c.queue(d, numbers)
	if err != nil {
		return err
	}
	if c.DryRun || argv == nil {
		return a.showWaves(d, q, argv)
	}
	var need []lifecycle.Trusted
	if executor != "" {
		need = append(need, lifecycle.Trusted{What: executorSetting, Text: executor})
	}
	if c.Validate {
		need = append(need, d.validations(d.task, q.Order)...)
	}
	if err := d.trust(a.ctx, d.task.PlanCommit, need, c.Trust); err != nil {
		return err
	}
	if err := d.trustProofs(q.Order, c.Trust); err != nil {
		return err
	}
	return a.runChain(c, d, q, argv, numbers)
}

// queue is the closure of what was asked for.
func (c *chainCmd) queue(d *chainDesk, numbers []plan.StageNumber) (chain.Queue, error) {
	q := chain.Queue{Plan: d.task.Plan, Jobs: c.Jobs, Force: c.Force}
	var unknown []plan.StageNumber
	for _, n := range numbers {
		if _, ok := d.task.Plan.Stage(n); !ok {
			unknown = append(unknown, n)
		}
	}
	if len(unknown) > 0 {
		return q, d.e.Known(d.task, unknown[0])
	}
	p := d.task.Progress()
	var err error
	switch {
	case len(numbers) > 0:
		q.Order, err = p.Closure(d.task.Plan, numbers)
	default:
		// what a chain that has ended holds is to go on
		for n := range p.Reserved {
			r, _, err := d.e.Reservation(d.a.ctx, d.task, n)
			if err != nil {
				return q, err
			}
			if d.leftBehind(r) {
				delete(p.Reserved, n)
			}
		}
		q.Order, err = p.All(d.task.Plan)
	}
	return q, err
}

// unlanded are the done stages of what was asked for: a run that was killed may have
// ended them without landing them.
func (c *chainCmd) unlanded(d *chainDesk, numbers []plan.StageNumber) ([]plan.StageNumber, error) {
	if !c.Land {
		return nil, nil
	}
	if len(numbers) == 0 {
		for _, st := range d.task.Plan.Stages {
			numbers = append(numbers, st.Number)
		}
	}
	all, err := stage.Progress{}.Closure(d.task.Plan, numbers)
	return slices.DeleteFunc(all, func(n plan.StageNumber) bool { return d.task.Done[n] == "" }), err
}

// command is what is to be run in each worktree, nil for nothing; executor is that of
// the configuration, where it is the one.
func (c *chainCmd) command(a *app) (argv []string, executor string, err error) {
	repo, err := a.open()
	if err != nil || len(a.rest) > 0 {
		return a.rest, "", err
	}
	if executor = strings.TrimSpace(repo.Config().Get(executorSetting)); executor != "" {
		argv = []string{"sh", "-c", executor}
	}
	return argv, executor, nil
}

// desk opens repository and task for a chain.
func (c *chainCmd) desk(a *app) (*chainDesk, error) {
	e, t, err := a.load(c.RunID)
	if err != nil {
		return nil, err
	}
	e.Caller.Process, e.Parse = true, parsedOnce(e.Parse)
	if e.Caller.Run == "" {
		id, err := newID()
		if err != nil {
			return nil, err
		}
		e.Caller.Run = "chain-" + id
	}
	return &chainDesk{a: a, e: e, task: t, flags: startFlags{Onto: c.Onto, Local: c.Local}, validate: c.Validate}, nil
}

// parsedOnce reads a plan anew only when it is another one: a chain looks at its task
// several times a stage.
func parsedOnce(parse func([]byte, string) (*plan.Plan, error)) func([]byte, string) (*plan.Plan, error) {
	var mu sync.Mutex
	var src []byte
	var ruleset string
	var last *plan.Plan
	return func(text []byte, under string) (*plan.Plan, error) {
		mu.Lock()
		defer mu.Unlock()
		if last != nil && under == ruleset && bytes.Equal(text, src) {
			return last, nil
		}
		p, err := parse(text, under)
		if err == nil {
			src, ruleset, last = bytes.Clone(text), under, p
		}
		return p, err
	}
}

// exitOf is the exit code of a run.
func exitOf(r chain.Report) int {
	switch {
	case r.Cut:
		return exitInterrupted
	case r.State == chain.Failed:
		return exitFindings
	case r.State == chain.Gated:
		return exitGate
	}
	return 0
}

// resumeCommand is what goes on where a run stopped.
func (a *app) resumeCommand() string {
	words := make([]string, 0, len(a.args)+len(a.rest)+1)
	for _, w := range a.args {
		words = append(words, quoted(w))
	}
	if len(a.rest) > 0 {
		words = append(words, "--")
	}
	for _, w := range a.rest {
		words = append(words, quoted(w))
	}
	return "git okstra " + strings.Join(words, " ")
}

// quoted is a word as a shell reads it.
func quoted(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=@%+"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// cutCommand divides the words of a chain from the command behind "--".
func cutCommand(args []string) (words, command []string) {
	at := slices.Index(args, "--")
	if at < 0 || !slices.Contains(args[:at], "chain") {
		return args, nil
	}
	return args[:at], args[at+1:]
}

// stageWords names stages for a person.
func stageWords(list []plan.StageNumber) string {
	if len(list) == 1 {
		return fmt.Sprintf("stage %d", list[0])
	}
	return "stages " + lifecycle.Numbers(list)
}
