package ui

import (
	"fmt"

	"github.com/mattn/go-runewidth"
)

// Key is what a person pressed, as far as a choice has a use for it.
type Key int

// The keys.
const (
	NoKey Key = iota
	KeyUp
	KeyDown
	KeyPageUp
	KeyPageDown
	KeyHome
	KeyEnd
	KeyToggle
	KeyAll
	KeyEnter
	KeyCancel
)

// Option is one line of a choice. Its label is fit for a terminal: nothing in it is
// escaped here.
type Option struct {
	Label string
	Fixed string // why it cannot be chosen, "" where it can
}

// Choice is a question to which any number of options is the answer.
type Choice struct {
	title   string
	options []Option
	note    func(chosen []int) []string
	chosen  []bool
	at      int    // the line of the cursor
	top     int    // the first line that is seen
	page    int    // how many lines are seen
	message string // what the last key came to
}

// NewChoice asks with a title. note gives lines that say what the choice so far would
// come to. The cursor begins at the first option that can be chosen.
func NewChoice(title string, options []Option, note func(chosen []int) []string) *Choice {
	c := &Choice{title: title, options: options, note: note, chosen: make([]bool, len(options)), page: 1}
	for i, o := range options {
		if o.Fixed == "" {
			c.at = i
			break
		}
	}
	return c
}

// Chosen lists the options that are chosen, by index.
func (c *Choice) Chosen() []int {
	out := []int{}
	for i, yes := range c.chosen {
		if yes {
			out = append(out, i)
		}
	}
	return out
}

// Press takes a key. It reports whether the choice is made; given up is the caller's
// business.
func (c *Choice) Press(k Key) (made bool) {
	if k == NoKey || len(c.options) == 0 {
		return false
	}
	c.message = ""
	switch k {
	case KeyUp:
		c.at--
	case KeyDown:
		c.at++
	case KeyPageUp:
		c.at -= c.page
	case KeyPageDown:
		c.at += c.page
	case KeyHome:
		c.at = 0
	case KeyEnd:
		c.at = len(c.options) - 1
	case KeyToggle:
		c.toggle()
	case KeyAll:
		c.toggleAll()
	case KeyEnter:
		if len(c.Chosen()) > 0 {
			return true
		}
		c.message = "nothing is chosen yet: choose with the space bar"
	case NoKey, KeyCancel:
	}
	c.at = max(0, min(c.at, len(c.options)-1))
	return false
}

func (c *Choice) toggle() {
	if why := c.options[c.at].Fixed; why != "" {
		c.message = why
		return
	}
	c.chosen[c.at] = !c.chosen[c.at]
}

// toggleAll chooses all that can be chosen, or none if they are.
func (c *Choice) toggleAll() {
	all := true
	for i, o := range c.options {
		all = all && (o.Fixed != "" || c.chosen[i])
	}
	for i, o := range c.options {
		c.chosen[i] = o.Fixed == "" && !all
	}
}

const help = "space choose · a all · enter take them · q give up"

// View draws the choice in lines of at most width columns, at most height of them.
func (c *Choice) View(width, height int) []string {
	below := append([]string{}, c.note(c.Chosen())...)
	below = append(below, c.message, help)
	const around = 2 // the title and a blank line
	c.page = max(1, min(len(c.options), height-around-len(below)))
	c.top = max(0, min(c.top, c.at, len(c.options)-c.page))
	c.top = max(c.top, c.at-c.page+1)
	lines := []string{c.title}
	for i := c.top; i < min(c.top+c.page, len(c.options)); i++ {
		lines = append(lines, c.line(i))
	}
	if more := len(c.options) - c.page; more > 0 {
		lines[0] = fmt.Sprintf("%s (%d-%d of %d)", c.title, c.top+1, c.top+c.page, len(c.options))
	}
	lines = append(append(lines, ""), below...)
	if len(lines) > height { // a very low window: the options come first
		lines = lines[:max(height, 1)]
	}
	for i, l := range lines {
		lines[i] = terminal.Truncate(l, max(width, 1), "…")
	}
	return lines
}

func (c *Choice) line(i int) string {
	cursor, box := "  ", "[ ] "
	if i == c.at {
		cursor = "> "
	}
	switch {
	case c.options[i].Fixed != "":
		box = "    "
	case c.chosen[i]:
		box = "[x] "
	}
	return cursor + box + c.options[i].Label
}

// terminal measures text in columns, whatever the environment says.
var terminal = runewidth.Condition{StrictEmojiNeutral: true}
