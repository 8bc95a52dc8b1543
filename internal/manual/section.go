package manual

import "strings"

// Section is a part of the manual that belongs to no command.
type Section struct {
	Title string
	Text  []string // paragraphs
	Items []Item
}

// ParseSections reads the manual's general part: "= TITLE" begins a section, a line with
// " | " in it is a term and what it means, other lines are paragraphs.
func ParseSections(text string) []Section {
	var out []Section
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		title, isTitle := strings.CutPrefix(line, "= ")
		switch {
		case line == "":
		case isTitle:
			out = append(out, Section{Title: title})
		case len(out) == 0:
		default:
			s := &out[len(out)-1]
			if term, meaning, ok := strings.Cut(line, " | "); ok {
				s.Items = append(s.Items, Item{term, meaning})
			} else {
				s.Text = append(s.Text, line)
			}
		}
	}
	return out
}
