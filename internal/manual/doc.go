// Package manual turns the description of commands into what people read: the text
// of -h, man pages and the reference in Markdown. It is pure: values in, bytes out.
package manual

import (
	"strings"
	"unicode/utf8"
)

// Command is one command, or a group of them, as its pages show it.
type Command struct {
	Name      string    // the words after git okstra; "" for the program
	Help      string    // one sentence
	Detail    string    // paragraphs that follow it, "" for none
	Usage     string    // without the program's name
	Arguments []Item    // in their order
	Options   []Item    // of this command alone
	Commands  []Command // of a group
	Examples  []Example
}

// Item is a term and what it means: an option, an argument, a setting.
type Item struct{ Term, Text string }

// Program is the name that every command follows.
const Program = "git okstra"

// Call is how the command is called: the program and its words.
func (c Command) Call() string { return strings.TrimSpace(Program + " " + c.Name) }

// Leaves are the commands that can be run: the command itself, or all below it.
func (c Command) Leaves() []Command {
	if len(c.Commands) == 0 {
		return []Command{c}
	}
	var out []Command
	for _, sub := range c.Commands {
		out = append(out, sub.Leaves()...)
	}
	return out
}

// last is the last of the command's words.
func (c Command) last() string {
	return c.Name[strings.LastIndexByte(c.Name, ' ')+1:]
}

// wrap breaks text into lines of at most width code points, each after the first
// indented by so many blanks; a word that is longer stands alone.
func wrap(text string, width, indent int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// paragraphs are the parts of a text between blank lines, without empty ones.
func paragraphs(text string) []string {
	var out []string
	for _, p := range strings.Split(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
