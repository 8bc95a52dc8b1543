package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"git-okstra/internal/manual"
)

const summary = "Validate a plan, take its stages one by one in worktrees of their own, and keep all state in refs and notes."

// exampleText has the examples of every command: a new command gets its own there.
//
//go:embed help/examples.txt
var exampleText string

// sectionText is the part of the manual that belongs to no command.
//
//go:embed help/general.txt
var sectionText string

// printHelp prints the help of the command that was asked for.
func printHelp(std streams) kong.HelpPrinter {
	return func(_ kong.HelpOptions, ctx *kong.Context) error {
		examples, err := manual.ParseExamples(exampleText)
		if err != nil {
			return err
		}
		node := ctx.Selected()
		if node == nil {
			node = ctx.Model.Node
		}
		a := &app{std: std}
		width := a.width()
		const usual, most = 80, 100
		if width == 0 {
			width = usual
		}
		_, err = fmt.Fprint(std.out, describe(node, examples).Text(min(width, most), commonOptions(ctx.Model)))
		return err
	}
}

// describe is a command as its pages show it, with all below it that is not hidden.
func describe(node *kong.Node, examples map[string][]manual.Example) manual.Command {
	c := manual.Command{Name: node.Path(), Help: node.Help, Detail: node.Detail, Usage: usageOf(node), Examples: examples[node.Path()]}
	if c.Name == "" {
		c.Examples = examples["okstra"]
	}
	for _, arg := range node.Positional {
		c.Arguments = append(c.Arguments, manual.Item{Term: argumentTerm(arg), Text: arg.Help})
	}
	if node.Type != kong.ApplicationNode {
		c.Options = optionItems(node.Flags)
	}
	for _, sub := range node.Children {
		if !sub.Hidden {
			c.Commands = append(c.Commands, describe(sub, examples))
		}
	}
	return c
}

// usageOf is one line: the command's words, what has to follow and what may.
func usageOf(node *kong.Node) string {
	words := strings.Fields(node.Path())
	for _, f := range node.Flags {
		if f.Required {
			words = append(words, optionTerm(f, false))
		}
	}
	for _, arg := range node.Positional {
		word := argumentTerm(arg)
		if !arg.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	if len(node.Children) > 0 {
		words = append(words, "COMMAND")
	}
	return strings.Join(append(words, "[options]"), " ")
}

// argumentTerm names an argument, with … where it may be given more than once.
func argumentTerm(arg *kong.Value) string {
	name := arg.Tag.PlaceHolder
	if name == "" {
		name = strings.ToUpper(arg.Name)
	}
	if arg.IsCumulative() {
		name += "…"
	}
	return name
}

// optionTerm is an option with its value's name: -j, --jobs N.
func optionTerm(f *kong.Flag, short bool) string {
	term := "--" + f.Name
	if f.IsBool() && f.Tag.Negatable != "" {
		term = "--[no-]" + f.Name
	}
	if short && f.Short != 0 {
		term = fmt.Sprintf("-%c, %s", f.Short, term)
	}
	if !f.IsBool() && !f.IsCounter() {
		term += " " + strings.ReplaceAll(f.FormatPlaceHolder(), " ", "-")
	}
	return term
}

func optionItems(flags []*kong.Flag) []manual.Item {
	var out []manual.Item
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		text := f.Help
		if f.HasDefault && f.Default != "" {
			text += " Default: " + f.Default + "."
		}
		out = append(out, manual.Item{Term: optionTerm(f, true), Text: text})
	}
	return out
}

// commonOptions are those that every command takes.
func commonOptions(app *kong.Application) []manual.Item {
	items := optionItems(app.Flags)
	for i := range items {
		if items[i].Term == "-h, --help" {
			items[i].Text = "Show this for a command or a group of them."
		}
	}
	return items
}

// wholeManual describes every command of the program.
func (a *app) wholeManual() (manual.Command, []manual.Item, error) {
	parser, err := newParser(&cli{}, nil, a.std)
	if err != nil {
		return manual.Command{}, nil, err
	}
	examples, err := manual.ParseExamples(exampleText)
	if err != nil {
		return manual.Command{}, nil, err
	}
	return describe(parser.Model.Node, examples), commonOptions(parser.Model), nil
}

type pagesCmd struct {
	Dir string `arg:"" help:"The folder, which is made if it is not there." placeholder:"DIR"`
}

// Run writes the man pages, for install.sh and packages.
func (c *pagesCmd) Run(a *app) error {
	program, common, err := a.wholeManual()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	for _, page := range manual.Pages(program, common, manual.ParseSections(sectionText), version) {
		if err := os.WriteFile(filepath.Join(c.Dir, page.Name+".1"), page.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
