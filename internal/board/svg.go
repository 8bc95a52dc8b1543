package board

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"sync"

	"git-okstra/internal/report"
	"git-okstra/plan"
)

//go:embed page.html graph.html style.css graph.css page.js
var assets embed.FS

// asset is an embedded file's text.
func asset(name string) string {
	data, err := assets.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// pages are the templates, read when the first page is made: no other command pays for them.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clean": plan.Printable, "mark": report.Mark, "fit": cut, "words": words,
		"add": func(a, b int) int { return a + b },
	}).ParseFS(assets, "page.html", "graph.html"))
})

// Path is the edge's curve in SVG's words.
func (e edge) Path() string {
	bend := max(gapAcross/2, (e.X2-e.X1)/3)
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", e.X1, e.Y1, e.X1+bend, e.Y1, e.X2-bend, e.Y2, e.X2, e.Y2)
}

// graphView is what the graph's template shows.
type graphView struct {
	layout
	Task  string
	Links bool // to the page's stages
	Style template.CSS
}

// SVG draws a graph as a picture of its own, with the colours of the reader's scheme.
func SVG(g report.Graph) (string, error) {
	var b bytes.Buffer
	view := graphView{layout: lay(g), Task: g.Task, Style: template.CSS(asset("graph.css"))}
	if err := pages().ExecuteTemplate(&b, "svgfile", view); err != nil {
		return "", fmt.Errorf("draw graph: %w", err)
	}
	return b.String(), nil
}

// cut is a text of so many columns at most.
func cut(s string, width int) string { return report.Cut(s, width) }

// words lists stage numbers.
func words(list []plan.StageNumber) string {
	out := ""
	for i, n := range list {
		if i > 0 {
			out += ", "
		}
		out += fmt.Sprint(n)
	}
	return out
}
