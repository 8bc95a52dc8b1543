package manual

import (
	"fmt"
	"strings"
)

// Example is something to do with a command, and how.
type Example struct {
	Does   string   // one line
	Run    []string // lines for a shell
	Before []string // lines for a shell that a test runs before them; they are not shown
}

// ParseExamples reads the file of examples. A line "= WORDS" begins those of a command,
// or of a group; a line of text says what the next ones do; "$ …" is shown and run, and
// "% …" is run before the next of these and not shown. Empty lines and those that begin
// with # say nothing. An error names the line, counted from 1.
func ParseExamples(text string) (map[string][]Example, error) {
	all := map[string][]Example{}
	name, open := "", false
	var before []string
	at := func(n int, what string) error { return fmt.Errorf("examples, line %d: %s", n+1, what) }
	for n, line := range strings.Split(text, "\n") {
		list := all[name]
		head, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || head == "#":
			continue
		case head == "=":
			if _, twice := all[rest]; rest == "" || twice {
				return nil, at(n, fmt.Sprintf("%q has no name, or was there before", line))
			}
			if len(before) > 0 {
				return nil, at(n, "nothing follows what is run before")
			}
			name, open = rest, false
			all[name] = nil
			continue
		case name == "":
			return nil, at(n, "no command was named")
		case head == "%":
			before = append(before, rest)
			continue
		case head == "$" && !open:
			return nil, at(n, "nothing says what it does")
		case head == "$":
			last := &list[len(list)-1]
			last.Run = append(last.Run, rest)
			last.Before = append(last.Before, before...)
			before = nil
		default:
			if open && len(list[len(list)-1].Run) == 0 {
				return nil, at(n, "the line before says already what it does")
			}
			list, open = append(list, Example{Does: line}), true
		}
		all[name] = list
	}
	for name, list := range all {
		if len(before) > 0 || len(list) == 0 || len(list[len(list)-1].Run) == 0 {
			return nil, fmt.Errorf("examples: those of %q have no end", name)
		}
	}
	return all, nil
}
