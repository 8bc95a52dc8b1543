package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-okstra/internal/conform"
)

// tally counts judgements of one surface: each diff is one.
type tally struct{ right, extra, missed int }

func (t tally) precision() float64 { return share(t.right, t.right+t.extra) }
func (t tally) recall() float64    { return share(t.right, t.right+t.missed) }

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// scores are the tallies of many diffs.
type scores struct {
	surfaces  map[conform.Surface]*tally
	languages map[string]map[conform.Surface]*tally
	none      int      // diffs that touch nothing
	clean     int      // and of which nothing was said
	wrong     []string // what was judged wrongly
}

// score judges the cases.
func score(rules *conform.Rules, cases []labelled) (*scores, error) {
	s := &scores{surfaces: map[conform.Surface]*tally{}, languages: map[string]map[conform.Surface]*tally{}}
	for _, c := range cases {
		diff, err := conform.ParseDiff(c.diff)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.source, err)
		}
		if len(diff) == 0 {
			return nil, fmt.Errorf("%s: no diff", c.source)
		}
		found, err := rules.Touches(diff, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.source, err)
		}
		s.add(rules.LanguageOf(diff[0].Path()), c, found)
	}
	return s, nil
}

func (s *scores) add(language string, c labelled, found conform.Findings) {
	got := found.Surfaces()
	if len(c.wants) == 0 {
		s.none++
		if len(got) == 0 {
			s.clean++
		}
	}
	if s.languages[language] == nil {
		s.languages[language] = map[conform.Surface]*tally{}
	}
	for _, surface := range conform.Surfaces() {
		for _, in := range []map[conform.Surface]*tally{s.surfaces, s.languages[language]} {
			if in[surface] == nil {
				in[surface] = &tally{}
			}
			in[surface].count(slices.Contains(c.wants, surface), slices.Contains(got, surface))
		}
		switch want, is := slices.Contains(c.wants, surface), slices.Contains(got, surface); {
		case want && !is:
			s.wrong = append(s.wrong, fmt.Sprintf("%s: %s: misses %s%s", c.source, c.name, surface, first(found, "")))
		case is && !want:
			s.wrong = append(s.wrong, fmt.Sprintf("%s: %s: is no %s%s", c.source, c.name, surface, first(found, surface)))
		}
	}
}

// first shows the first touch of a surface, or why a file was ignored.
func first(f conform.Findings, surface conform.Surface) string {
	for _, t := range f.Touches {
		if t.Surface == surface {
			return fmt.Sprintf(" (%s: %s)", t.Rule, t.Text)
		}
	}
	if surface == "" && len(f.Ignored) > 0 {
		return fmt.Sprintf(" (ignored: %s)", f.Ignored[0].Why)
	}
	return ""
}

func (t *tally) count(want, is bool) {
	switch {
	case want && is:
		t.right++
	case want:
		t.missed++
	case is:
		t.extra++
	}
}

// table draws precision and recall, for a page.
func (s *scores) table() string {
	var b strings.Builder
	b.WriteString("| | touches |")
	for _, surface := range conform.Surfaces() {
		fmt.Fprintf(&b, " %s precision | recall |", surface)
	}
	b.WriteString("\n|---|--:|" + strings.Repeat("--:|--:|", len(conform.Surfaces())) + "\n")
	row := func(name string, in map[conform.Surface]*tally) {
		labels := 0
		line := ""
		for _, surface := range conform.Surfaces() {
			t := in[surface]
			if t == nil {
				t = &tally{}
			}
			labels += t.right + t.missed
			line += fmt.Sprintf(" %.3f | %.3f |", t.precision(), t.recall())
		}
		fmt.Fprintf(&b, "| %s | %d |%s\n", name, labels, line)
	}
	for _, language := range slices.Sorted(maps.Keys(s.languages)) {
		row(language, s.languages[language])
	}
	row("**all**", s.surfaces)
	for _, surface := range conform.Surfaces() {
		if t := s.surfaces[surface]; t != nil {
			fmt.Fprintf(&b, "\n%s: %d touched, %d found, %d missed, %d wrongly said.", surface, t.right+t.missed, t.right, t.missed, t.extra)
		}
	}
	fmt.Fprintf(&b, "\nnothing: %d diffs, of %d of them nothing was said.\n", s.none, s.clean)
	return b.String()
}
