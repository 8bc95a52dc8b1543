package manual

import (
	"fmt"
	"strings"
)

// Page is one man page of section 1.
type Page struct {
	Name string // git-okstra-stage
	Text []byte // for man(7) macros, in ASCII
}

// Pages writes the man pages: one of the program and one of each of its commands.
// version stands at the foot of each.
func Pages(program Command, common []Item, sections []Section, version string) []Page {
	out := []Page{programPage(program, common, sections, version)}
	for _, c := range program.Commands {
		out = append(out, commandPage(c, common, version))
	}
	return out
}

// roff gathers a page.
type roff struct{ strings.Builder }

func (r *roff) head(name, help, version string) {
	fmt.Fprintf(r, ".TH %s 1 \"\" %s \"Git Okstra Manual\"\n.nh\n.ad l\n", quoted(strings.ToUpper(name)), quoted("git-okstra "+version))
	r.section("NAME")
	fmt.Fprintf(r, "%s \\- %s\n", escaped(name), escaped(strings.TrimSuffix(help, ".")))
}

func (r *roff) section(title string)    { fmt.Fprintf(r, ".SH %s\n", quoted(title)) }
func (r *roff) subsection(title string) { fmt.Fprintf(r, ".SS %s\n", quoted(title)) }

func (r *roff) paragraph(text string) { fmt.Fprintf(r, ".PP\n%s\n", line(text)) }

func (r *roff) items(list []Item) {
	for _, item := range list {
		fmt.Fprintf(r, ".TP\n\\fB%s\\fR\n%s\n", escaped(item.Term), line(strings.ReplaceAll(item.Text, "\n", " ")))
	}
}

func (r *roff) synopsis(c Command) {
	r.section("SYNOPSIS")
	r.WriteString(".nf\n")
	for _, leaf := range c.Leaves() {
		fmt.Fprintf(r, "\\fB%s\\fR %s\n", escaped(Program), escaped(leaf.Usage))
	}
	r.WriteString(".fi\n")
}

func (r *roff) examples(list []Example) {
	for _, e := range list {
		r.paragraph(e.Does + ":")
		r.WriteString(".RS 4\n.nf\n")
		for _, text := range e.Run {
			r.WriteString(line(text) + "\n")
		}
		r.WriteString(".fi\n.RE\n")
	}
}

// body tells what a command does and takes.
func (r *roff) body(c Command) {
	r.paragraph(c.Help)
	for _, p := range paragraphs(c.Detail) {
		r.paragraph(p)
	}
	r.items(c.Arguments)
	r.items(c.Options)
	r.examples(c.Examples)
}

func (r *roff) page(name string) Page { return Page{name, []byte(r.String())} }

func programPage(c Command, common []Item, sections []Section, version string) Page {
	r := &roff{}
	r.head("git-okstra", "stages of an approved plan, kept in refs and notes", version)
	r.section("SYNOPSIS")
	fmt.Fprintf(r, "\\fB%s\\fR [\\-\\-version] %s\n", escaped(Program), escaped(c.Usage))
	r.section("DESCRIPTION")
	r.body(c)
	r.section("COMMANDS")
	var list []Item
	for _, item := range c.contents() {
		list = append(list, Item{"git-okstra-" + item.Term + "(1)", item.Text})
	}
	r.items(list)
	r.section("OPTIONS")
	r.paragraph("Every command takes these.")
	r.items(common)
	for _, s := range sections {
		r.section(strings.ToUpper(s.Title))
		for _, p := range s.Text {
			r.paragraph(p)
		}
		r.items(s.Items)
	}
	return r.page("git-okstra")
}

func commandPage(c Command, common []Item, version string) Page {
	r := &roff{}
	name := "git-okstra-" + c.Name
	r.head(name, c.Help, version)
	r.synopsis(c)
	r.section("DESCRIPTION")
	r.body(c)
	if len(c.Commands) > 0 {
		r.section("COMMANDS")
		for _, leaf := range c.Leaves() {
			r.subsection(leaf.Usage)
			r.body(leaf)
		}
	}
	r.section("COMMON OPTIONS")
	r.items(common)
	r.section("SEE ALSO")
	r.WriteString(line("git-okstra(1), git-worktree(1), git-notes(1)") + "\n")
	return r.page(name)
}

// escaped is text in which nothing means anything to roff but the characters themselves.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '\\':
			b.WriteString(`\e`)
		case c == '-':
			b.WriteString(`\-`)
		case c == '\'':
			b.WriteString(`\(aq`)
		case c == '`':
			b.WriteString(`\(ga`)
		case c == '^':
			b.WriteString(`\(ha`)
		case c == '~':
			b.WriteString(`\(ti`)
		case c < ' ' || c == 0x7f:
			b.WriteByte(' ')
		case c > '~':
			fmt.Fprintf(&b, `\[u%04X]`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// line is escaped text that begins a line, where a point would be a request.
func line(text string) string {
	text = escaped(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}

// quoted is an argument of a macro.
func quoted(text string) string {
	return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"`
}
