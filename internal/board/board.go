// Package board draws a task as one HTML page that needs nothing beside itself, and a
// plan's graph as SVG. It is pure: data in, text out. All words of a plan, of rows and of
// commits are hostile: they go through html/template's escaping and plan.Printable, and
// none of them becomes a link, a style or a script.
package board

import (
	"encoding/json"

	"git-okstra/internal/conform"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

// Board is okstra.board/v1: a task with all that is known of its stages.
type Board struct {
	Schema   string  `json:"schema"`
	Task     string  `json:"task"`
	Title    string  `json:"title"`    // of the plan
	File     string  `json:"file"`     // the plan's, as it was approved
	Revision string  `json:"revision"` // the approved plan's commit
	Onto     string  `json:"onto"`
	MadeAt   string  `json:"made_at"` // RFC 3339, UTC
	Counts   Counts  `json:"counts"`
	Stages   []Stage `json:"stages"` // in the order of the map
	Events   []Event `json:"events"` // of the log, in its order
}

// Counts are the numbers of stages by state.
type Counts struct {
	Done    int `json:"done"`
	Active  int `json:"active"`
	Ready   int `json:"ready"`
	Blocked int `json:"blocked"`
}

// Stage is what stage show says of a stage, and what the plan declares for it.
type Stage struct {
	report.StageShow
	Declared Declared `json:"declared"`
}

// Declared is the conformance that the plan's stage declares.
type Declared struct {
	Kind     string            `json:"kind"` // tests, exemption, or ""
	Reason   string            `json:"reason"`
	Script   string            `json:"script"`
	Requires []conform.Surface `json:"requires"`
}

// Event is one row of the log.
type Event struct {
	Stage  plan.StageNumber `json:"stage"`
	Seq    uint64           `json:"seq"`
	At     string           `json:"at"` // as the row says it
	Status string           `json:"status"`
	By     string           `json:"by"`
}

// New is a board of stages, counted; what is missing in it are lists without entries.
func New(b Board) Board {
	b.Schema = "okstra.board/v1"
	b.Counts = Counts{}
	if b.Stages == nil {
		b.Stages = []Stage{}
	}
	if b.Events == nil {
		b.Events = []Event{}
	}
	for i, s := range b.Stages {
		if s.Declared.Requires == nil {
			b.Stages[i].Declared.Requires = []conform.Surface{}
		}
		switch s.State {
		case "done":
			b.Counts.Done++
		case "active":
			b.Counts.Active++
		case "ready":
			b.Counts.Ready++
		case "blocked":
			b.Counts.Blocked++
		}
	}
	return b
}

// graph is the board's graph.
func (b Board) graph() report.Graph {
	g := report.Graph{Task: b.Task}
	for _, s := range b.Stages {
		g.Stages = append(g.Stages, report.GraphStage{Stage: s.Stage, Title: s.Title, State: s.State, DependsOn: s.DependsOn})
	}
	return g
}

// compact is stored JSON on one line, as it is where it is none.
func compact(raw json.RawMessage) string { return plan.Printable(string(raw)) }
