package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sample() *Choice {
	return NewChoice("which?", []Option{{"one", "one is done"}, {"two", ""}, {"three", ""}, {"four", "four is taken"}}, func(chosen []int) []string {
		return []string{fmt.Sprint("so far ", chosen)}
	})
}

func TestChoiceByKeys(t *testing.T) {
	t.Parallel()
	const (
		up, down, top, end = KeyUp, KeyDown, KeyHome, KeyEnd
		space, all, enter  = KeyToggle, KeyAll, KeyEnter
		nothing            = "nothing is chosen yet: choose with the space bar"
	)
	for _, c := range []struct {
		keys []Key
		made bool
		want []int
		says string
	}{
		{nil, false, nil, ""},
		{[]Key{enter}, false, nil, nothing},
		{[]Key{space, enter}, true, []int{1}, ""}, // it begins at what can be chosen
		{[]Key{space, space, enter}, false, nil, nothing},
		{[]Key{up, space}, false, nil, "one is done"},
		{[]Key{end, space}, false, nil, "four is taken"},
		{[]Key{end, space, down, down, down, up, up, space}, false, []int{1}, ""},
		{[]Key{up, up, up, up, down, space}, false, []int{1}, ""},
		{[]Key{all, enter}, true, []int{1, 2}, ""},
		{[]Key{all, all}, false, nil, ""},
		{[]Key{space, all}, false, []int{1, 2}, ""},
		{[]Key{space, down, space}, false, []int{1, 2}, ""},
		{[]Key{top, space}, false, nil, "one is done"},
		{[]Key{top, space, down}, false, nil, ""}, // the message goes with the next key
		{[]Key{top, space, NoKey}, false, nil, "one is done"},
	} {
		choice := sample()
		made := false
		for _, k := range c.keys {
			made = choice.Press(k)
		}
		if got := choice.Chosen(); made != c.made || !slices.Equal(got, c.want) || choice.message != c.says {
			t.Errorf("%v: made %v, %v, %q; want %v, %v, %q", c.keys, made, got, choice.message, c.made, c.want, c.says)
		}
	}
}

func TestChoiceView(t *testing.T) {
	t.Parallel()
	c := sample()
	c.Press(KeyToggle)
	c.Press(KeyDown)
	want := []string{"which?", "      one", "  [x] two", "> [ ] three", "      four", "", "so far [1]", "", help}
	if got := c.View(80, 24); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	want = []string{"which? (2-3 of 4)", "  [x] two", "> [ ] three", "", "so far [1]", "", help}
	if got := c.View(80, 7); !slices.Equal(got, want) {
		t.Errorf("in 7 lines\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := c.View(8, 24)[3]; got != "> [ ] t…" {
		t.Errorf("in 8 columns: %q", got)
	}
	empty := NewChoice("none", nil, func([]int) []string { return nil })
	if empty.Press(KeyEnter) || len(empty.View(80, 24)) != 4 {
		t.Errorf("without options: %q", empty.View(80, 24))
	}
}

// TestChoiceKeepsItsPromises: whatever is pressed in a window of whatever size, what
// cannot be chosen is not, the drawing fits, and the line of the cursor is in it.
func TestChoiceKeepsItsPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var options []Option
		for i := range rapid.IntRange(1, 40).Draw(t, "options") {
			o := Option{Label: fmt.Sprintf("<%d> 가나 %s", i, strings.Repeat("x", i))}
			if rapid.Bool().Draw(t, "fixed") {
				o.Fixed = "no"
			}
			options = append(options, o)
		}
		c := NewChoice("which?", options, func(chosen []int) []string { return []string{fmt.Sprint(chosen), ""} })
		for range rapid.IntRange(0, 30).Draw(t, "presses") {
			k := Key(rapid.IntRange(int(NoKey), int(KeyCancel)).Draw(t, "key"))
			before := c.Chosen()
			if made := c.Press(k); made != (k == KeyEnter && len(before) > 0) {
				t.Fatalf("key %d with %v chosen: made %v", k, before, made)
			}
			width, height := rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height")
			lines := c.View(width, height)
			if len(lines) > height {
				t.Fatalf("%d lines in a window of %d", len(lines), height)
			}
			cursor := false
			for _, l := range lines {
				if w := terminal.StringWidth(l); w > width {
					t.Fatalf("%q has %d columns, the window %d", l, w, width)
				}
				cursor = cursor || strings.HasPrefix(l, ">")
			}
			const least = 2 // the title and one option, two columns
			if height >= least && width >= least && !cursor {
				t.Fatalf("no cursor in %q", lines)
			}
			for _, i := range c.Chosen() {
				if options[i].Fixed != "" {
					t.Fatalf("%d is chosen", i)
				}
			}
		}
	})
}

// TestEveryOptionIsReached walks down and up through more options than the window has
// lines for.
func TestEveryOptionIsReached(t *testing.T) {
	t.Parallel()
	var options []Option
	for i := range 25 {
		options = append(options, Option{Label: fmt.Sprint("option ", i)})
	}
	c := NewChoice("which?", options, func([]int) []string { return nil })
	seen := map[string]bool{}
	look := func() {
		for _, l := range c.View(80, 9) {
			if name, ok := strings.CutPrefix(l, "> [ ] "); ok {
				seen[name] = true
			}
		}
	}
	for _, step := range []Key{KeyDown, KeyUp} {
		clear(seen)
		for range options {
			look()
			c.Press(step)
		}
		if len(seen) != len(options) {
			t.Errorf("key %d: %d of %d options seen", step, len(seen), len(options))
		}
	}
	c.View(80, 9)
	for range 5 { // five lines are seen at a time
		c.Press(KeyPageDown)
		look()
	}
	if c.at != len(options)-1 {
		t.Errorf("five pages down: at %d", c.at)
	}
	c.Press(KeyPageUp)
	if c.at != len(options)-1-5 {
		t.Errorf("a page up: at %d", c.at)
	}
}
