package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	widest    = 24 // the column of terms is no wider; longer terms have a line of their own
	leastText = 20 // columns for what they mean, however narrow the terminal is
)

// Text is the short help of a command: at most width columns where words allow it.
// common are the options that every command takes.
func (c Command) Text(width int, common []Item) string {
	var b strings.Builder
	usage := c.Usage
	if c.Name == "" {
		usage = "[--version] " + usage
	}
	fmt.Fprintf(&b, "usage: %s %s\n\n%s\n", Program, usage, wrap(c.Help, width, 0))
	for _, p := range paragraphs(c.Detail) {
		fmt.Fprintf(&b, "\n%s\n", wrap(p, width, 0))
	}
	items(&b, "Arguments", c.Arguments, width)
	items(&b, "Options", c.Options, width)
	items(&b, "Commands", c.contents(), width)
	if c.Name == "" {
		items(&b, "Options of every command", common, width)
	}
	examples(&b, c.Examples)
	b.WriteString("\n")
	b.WriteString(wrap(c.more(common), width, 0) + "\n")
	return b.String()
}

// contents are the commands of a group, each with the words that may follow it.
func (c Command) contents() []Item {
	var out []Item
	for _, sub := range c.Commands {
		text := sub.Help
		var words []string
		for _, below := range sub.Commands {
			words = append(words, below.last())
		}
		if len(words) > 0 {
			text += "\n" + strings.Join(words, ", ")
		}
		out = append(out, Item{sub.last(), text})
	}
	return out
}

// more says where the rest is to be read.
func (c Command) more(common []Item) string {
	if c.Name == "" {
		return "More: git okstra COMMAND -h, git help okstra, man git-okstra-COMMAND."
	}
	var terms []string
	for _, item := range common {
		short, _, _ := strings.Cut(item.Term, ", ")
		terms = append(terms, short)
	}
	page, _, _ := strings.Cut(c.Name, " ")
	text := fmt.Sprintf("Every command takes %s: git okstra -h. All of it: man git-okstra-%s.", strings.Join(terms, ", "), page)
	if len(c.Commands) > 0 {
		text = "Of one of them: " + c.Call() + " COMMAND -h. " + text
	}
	return text
}

// items writes a titled list in two columns. A line end in a text begins a new line.
func items(b *strings.Builder, title string, list []Item, width int) {
	if len(list) == 0 {
		return
	}
	column := 0
	for _, item := range list {
		if n := utf8.RuneCountInString(item.Term); n <= widest {
			column = max(column, n)
		}
	}
	column += 4
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, item := range list {
		gap := column - 2 - utf8.RuneCountInString(item.Term)
		b.WriteString("  " + item.Term)
		if gap < 2 {
			b.WriteString("\n")
			gap = column
		}
		for i, line := range strings.Split(item.Text, "\n") {
			if i > 0 {
				gap = column
			}
			b.WriteString(strings.Repeat(" ", gap) + wrap(line, max(width-column, leastText), column) + "\n")
		}
	}
}

func examples(b *strings.Builder, list []Example) {
	for i, e := range list {
		if i == 0 {
			b.WriteString("\nExamples:\n")
		}
		fmt.Fprintf(b, "  # %s\n", e.Does)
		for _, line := range e.Run {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}
