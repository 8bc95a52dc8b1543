package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"git-okstra/internal/manual"
)

// streams are the command's standard streams: data goes to out, everything said
// to a person about it goes to err.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// globals are the flags that every command takes.
type globals struct {
	JSON    bool   `help:"Print one JSON object instead of text."`
	Task    string `help:"The task, PROJECT:GROUP:TASK or any unambiguous end of it." placeholder:"KEY"`
	Quiet   bool   `short:"q" help:"Say nothing but errors."`
	Verbose int    `short:"v" type:"counter" help:"Say more; twice: every git call with its time."`
}

// cli is the command line but for its commands.
type cli struct{ globals }

// hiddenCommands are for programs, and no page tells of them.
func hiddenCommands() []command {
	return []command{
		{"pages", "Write the man pages into a folder.", &pagesCmd{}},
		{"complete", "Say what may stand in place of the last word.", &completeCmd{}},
	}
}

// command is one word that may follow git okstra.
type command struct {
	name, help string
	model      any
}

// commands lists them in the order of the help.
func commands() []command {
	return []command{
		{"plan", "Check, compare, draw and approve plans.", &planCmd{}},
		{"stage", "Choose, start and end stages.", &stageCmd{}},
		{"chain", "Run stages one after the other through a command.", &chainCmd{}},
		{"task", "See the tasks of this repository.", &taskCmd{}},
		{"conform", "See what a diff touches: databases, files, HTTP, third parties.", &conformCmd{}},
		{"init", "Write the settings that show the log and fetch the state of others.", &initCmd{}},
		{"sync", "Exchange the state with a remote.", &syncCmd{}},
		{"board", "Show the task as a page: graph, timeline, every stage.", &boardCmd{}},
		{"log", "Show the rows of the task's log.", &logCmd{}},
		{"reconcile", "Find done stages again where history was rewritten.", &reconcileCmd{}},
		{"verify", "See that a task or a stage can be verified, and record the verdict.", &verifyCmd{}},
		{"handoff", "Merge accepted stages on a branch of their own, with a pull request's text.", &handoffCmd{}},
		{"import", "Take an okstra task folder over.", &importCmd{}},
		{"export", "Write the task as an okstra task folder.", &exportCmd{}},
		{"doctor", "Find what is wrong with refs, notes and worktrees, and mend it.", &doctorCmd{}},
		{"hooks", "Install and run the hooks that judge commits and pushes.", &hooksCmd{}},
		{"ci", "Judge a range as the hooks do.", &ciCmd{}},
		{"demo", "Run the whole flow in a throw-away repository.", &demoCmd{}},
		{"completion", "Print the script that makes a shell complete git okstra.", &completionCmd{}},
		{"schema", "Print the JSON Schema of an output.", &schemaCmd{}},
		{"version", "Print the version.", &versionCmd{}},
	}
}

// grammar builds the model of the command line: of the one command that is named
// first, if it is one, else of all. Building all of it takes longer than most
// commands do.
func grammar(args []string) []kong.Option {
	var all []kong.Option
	for _, c := range commands() {
		if len(args) > 0 && args[0] == c.name {
			return []kong.Option{kong.DynamicCommand(c.name, c.help, "", narrow(c.model, args[1:]))}
		}
		all = append(all, kong.DynamicCommand(c.name, c.help, "", c.model))
	}
	for _, c := range hiddenCommands() {
		hidden := kong.DynamicCommand(c.name, c.help, "", c.model, `hidden:""`)
		if len(args) > 0 && args[0] == c.name {
			return []kong.Option{hidden}
		}
		all = append(all, hidden)
	}
	return all
}

// narrow is a command's model with just the subcommand that is named first, the whole
// model where that is none.
func narrow(model any, args []string) any {
	if len(args) == 0 {
		return model
	}
	t := reflect.TypeOf(model).Elem()
	for i := range t.NumField() {
		f := t.Field(i)
		if _, sub := f.Tag.Lookup("cmd"); sub && strings.ToLower(f.Name) == args[0] {
			return reflect.New(reflect.StructOf([]reflect.StructField{f})).Interface()
		}
	}
	return model
}

// exitRequest carries kong's wish to exit (after printing help) out of Parse.
type exitRequest int

// run is the whole program: it parses, runs one command and returns the exit
// code.
func run(args []string, std streams) (code int) {
	out := &checkedWriter{w: std.out}
	std.out = out
	defer func() { code = out.orFailed(std, code) }()
	if plainVersion(args) {
		_ = versionCmd{}.Run(&app{std: std})
		return code
	}
	if c := plainCheck(args); c != nil {
		a := &app{ctx: context.Background(), std: std}
		defer a.close()
		if err := c.Run(a); err != nil {
			return fail(std, false, err)
		}
		return a.code
	}
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	if c := plainHook(args); c != nil {
		a := &app{ctx: ctx, std: std, args: args}
		defer a.close()
		if err := c.Run(a); err != nil {
			return fail(std, false, err)
		}
		return a.code
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exitRequest:
			code = int(r)
		default:
			panic(r)
		}
	}()
	return runContext(ctx, args, std)
}

// checkedWriter remembers the first write that failed; what follows goes nowhere.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	if c.err == nil {
		_, c.err = c.w.Write(p)
	}
	return len(p), nil
}

// orFailed is the exit code, unless what was written did not arrive, as on a full
// disk. A reader that went away, or an output closed from the start, is no failure; and who
// was interrupted, as by the end of his terminal, has said why.
func (c *checkedWriter) orFailed(std streams, code int) int {
	if c.err == nil || code == exitInterrupted || errors.Is(c.err, syscall.EPIPE) || errors.Is(c.err, syscall.EBADF) || errors.Is(c.err, os.ErrClosed) {
		return code
	}
	return fail(std, false, fmt.Errorf("write standard output: %w", c.err))
}

// runContext is run under a context that ends the command.
func runContext(ctx context.Context, args []string, std streams) int {
	args, command := cutCommand(args)
	args = asGit(args)
	var c cli
	parser, err := newParser(&c, args, std)
	if err != nil {
		return fail(std, slices.Contains(args, "--json"), err)
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		return fail(std, slices.Contains(args, "--json"), usageError(err))
	}
	a := &app{ctx: ctx, std: std, flags: c.globals, args: args, rest: command}
	defer a.close()
	a.pinFrom(kctx)
	if pages(kctx.Selected().Path()) {
		a.startPager()
		defer a.endPager()
	}
	if err := kctx.Run(a); err != nil {
		return fail(a.std, a.flags.JSON, err)
	}
	return a.code
}

// newParser is the parser of a command line that has these words.
func newParser(c *cli, args []string, std streams) (*kong.Kong, error) {
	return kong.New(c, append(grammar(args),
		kong.Name(manual.Program),
		kong.Description(summary),
		kong.Writers(std.out, std.err),
		kong.Exit(func(code int) { panic(exitRequest(code)) }),
		kong.Help(printHelp(std)),
		kong.KindMapper(reflect.String, kong.MapperFunc(verbatim)),
	)...)
}

// asGit reads the two words that git knows in place of a command.
func asGit(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "-h")
	}
	return args
}

// verbatim takes a word as it is: kong's own way goes through JSON, where a file
// name that is not UTF-8 becomes another one.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	word, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	target.SetString(word.String())
	return nil
}

// usageError turns kong's complaint into ours.
func usageError(err error) error {
	e := &commandError{code: exitUsage, message: err.Error(), hints: []string{"see: git okstra -h"}}
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if sel := parse.Context.Selected(); sel != nil {
			e.hints = []string{fmt.Sprintf("see: git okstra %s -h", sel.Path())}
		}
	}
	return e
}
