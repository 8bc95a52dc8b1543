package board

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"

	"git-okstra/plan"
)

// pageView is what the page's template shows.
type pageView struct {
	Board
	Policy   string
	Refresh  int // seconds, 0 for never
	Style    template.CSS
	Script   template.JS
	Graph    graphView
	Timeline timeline
	Total    int
	Shown    []stageView
}

// stageView is a stage with its parts as lines.
type stageView struct {
	Stage
	Facts    []fact
	Chapters []chapter
}

// fact is a name and a value.
type fact struct{ Name, Value string }

// chapter is a part that opens.
type chapter struct {
	Name  string
	Lines []string
	Open  bool
}

// HTML is the board as a page. refresh is after how many seconds it loads itself anew, 0 for
// never.
func HTML(b Board, refresh int) ([]byte, error) {
	made, err := time.Parse(time.RFC3339, b.MadeAt)
	if err != nil {
		return nil, fmt.Errorf("draw board: %w", err)
	}
	style, script := asset("graph.css")+asset("style.css"), asset("page.js")
	view := pageView{
		Board: b, Refresh: refresh, Style: template.CSS(style), Script: template.JS(script),
		Policy:   fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(style), digest(script)),
		Graph:    graphView{layout: lay(b.graph()), Task: b.Task, Links: true},
		Timeline: timelineOf(b.Events, made), Total: len(b.Stages),
	}
	for _, s := range b.Stages {
		view.Shown = append(view.Shown, stageView{s, facts(s), chapters(s)})
	}
	var out bytes.Buffer
	if err := pages().ExecuteTemplate(&out, "page.html", view); err != nil {
		return nil, fmt.Errorf("draw board: %w", err)
	}
	return out.Bytes(), nil
}

// digest names a text as a content security policy does.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// facts are a stage's lines of a name and a value; those without a value are left out.
func facts(s Stage) []fact {
	holder := ""
	if s.Holder != nil {
		holder = s.Note()
	}
	declared := s.Declared.Kind
	switch declared {
	case "tests":
		list := make([]string, len(s.Declared.Requires))
		for i, r := range s.Declared.Requires {
			list[i] = string(r)
		}
		declared += " [" + strings.Join(list, ", ") + "] " + s.Declared.Script
	case "exemption":
		declared += ": " + s.Declared.Reason
	}
	var out []fact
	for _, f := range []fact{
		{"held by", holder},
		{"stale", s.StaleReason},
		{"waits for", words(s.WaitingFor)},
		{"after", words(s.DependsOn)},
		{"before", words(s.Dependents)},
		{"steps", fmt.Sprint(s.Steps)},
		{"declared", declared},
		{"base", s.Base},
		{"tip", s.Tip},
		{"branch", s.Branch},
		{"worktree", s.Worktree},
		{"report", s.ReportPath},
	} {
		if f.Value != "" {
			out = append(out, fact{f.Name, plan.Printable(f.Value)})
		}
	}
	return out
}

// chapters are a stage's longer parts, those with something in them.
func chapters(s Stage) []chapter {
	var touches, results []string
	if s.Conformance != nil {
		for _, t := range s.Conformance.Touches {
			touches = append(touches, fmt.Sprintf("%s:%d  %s  %s %s", t.Path, t.Line, t.Surface, t.Side, t.Text))
		}
	}
	for _, r := range s.Results {
		results = append(results, compact(r))
	}
	list := []chapter{{Name: "exit contract", Lines: split(s.Contract), Open: true}}
	for _, c := range s.Chapters() {
		if c.Name == "plan" {
			list = append(list, chapter{Name: "touches", Lines: touches}, chapter{Name: "results", Lines: results})
		}
		list = append(list, chapter{Name: c.Name, Lines: c.Lines})
	}
	var out []chapter
	for _, c := range list {
		if len(c.Lines) == 0 {
			continue
		}
		for i, l := range c.Lines {
			c.Lines[i] = plan.Printable(strings.ReplaceAll(l, "\t", "    "))
		}
		out = append(out, c)
	}
	return out
}

// split gives a text's lines, none for none.
func split(text string) []string {
	text = strings.Trim(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
