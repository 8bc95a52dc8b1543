package manual

import (
	"fmt"
	"strings"
)

// Markdown is the reference of all commands as one page.
func Markdown(program Command, common []Item, sections []Section) string {
	var b strings.Builder
	b.WriteString("# The command line\n\n")
	b.WriteString("Generated from the program, as are its help and its man pages; `go test ./cmd/git-okstra -run TestReference -update` writes it anew.\n\n")
	fmt.Fprintf(&b, "%s\n\n```\n%s [--version] %s\n```\n\nEvery command takes these options:\n\n", prose(program.Help), Program, program.Usage)
	markdownItems(&b, common)
	for _, c := range program.Commands {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.Name, prose(c.Help))
		if len(c.Commands) == 0 {
			markdownBody(&b, c)
			continue
		}
		markdownDetail(&b, c)
		markdownExamples(&b, c.Examples)
		for _, leaf := range c.Leaves() {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n", leaf.Name, prose(leaf.Help))
			markdownBody(&b, leaf)
		}
	}
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, p := range s.Text {
			fmt.Fprintf(&b, "\n%s\n", prose(p))
		}
		b.WriteString("\n")
		markdownItems(&b, s.Items)
	}
	return b.String()
}

func markdownBody(b *strings.Builder, c Command) {
	fmt.Fprintf(b, "\n```\n%s %s\n```\n", Program, c.Usage)
	markdownDetail(b, c)
	if list := append(append([]Item{}, c.Arguments...), c.Options...); len(list) > 0 {
		b.WriteString("\n")
		markdownItems(b, list)
	}
	markdownExamples(b, c.Examples)
}

func markdownDetail(b *strings.Builder, c Command) {
	for _, p := range paragraphs(c.Detail) {
		fmt.Fprintf(b, "\n%s\n", prose(p))
	}
}

func markdownExamples(b *strings.Builder, list []Example) {
	for i, e := range list {
		if i == 0 {
			b.WriteString("\n```sh\n")
		}
		fmt.Fprintf(b, "# %s\n%s\n", e.Does, strings.Join(e.Run, "\n"))
		if i == len(list)-1 {
			b.WriteString("```\n")
		}
	}
}

func markdownItems(b *strings.Builder, list []Item) {
	for _, item := range list {
		fmt.Fprintf(b, "- `%s`: %s\n", item.Term, prose(item.Text))
	}
}

// prose is text in which Markdown sees no marks.
func prose(text string) string {
	return strings.NewReplacer(`\`, `\\`, "<", `\<`, "*", `\*`, "_", `\_`, "`", "\\`", "~", `\~`, "[", `\[`).Replace(strings.Join(strings.Fields(text), " "))
}
