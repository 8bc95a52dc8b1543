package report

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

// StageList is okstra.stage-list/v1.
type StageList struct {
	Schema string      `json:"schema"`
	Task   string      `json:"task"`
	Stages []StageLine `json:"stages"`
}

// StageLine is one stage's state.
type StageLine struct {
	Stage       plan.StageNumber   `json:"stage"`
	Title       string             `json:"title"`
	State       string             `json:"state"` // done, active, ready or blocked
	Stale       bool               `json:"stale"` // active, but nobody is at it any more
	StaleReason string             `json:"stale_reason"`
	DependsOn   []plan.StageNumber `json:"depends_on"`
	Steps       int                `json:"steps"`
	Holder      *Holder            `json:"holder"` // null where nobody holds it
	Branch      string             `json:"branch"`
	Worktree    string             `json:"worktree"`
	PortBase    int                `json:"port_base"`   // of an active stage in the clone where it was started, else 0
	HeadCommit  string             `json:"head_commit"` // of a done stage
	WaitingFor  []plan.StageNumber `json:"waiting_for"`
}

// Holder is who holds a stage.
type Holder struct {
	By    string `json:"by"`
	Host  string `json:"host"`
	Run   string `json:"run"`
	Since string `json:"since"`
}

// Text draws the list for a person.
func (l StageList) Text() string {
	done := 0
	rows := [][]string{{"stage", "state", "steps", "title", "note"}}
	for _, s := range l.Stages {
		if s.State == "done" {
			done++
		}
		rows = append(rows, []string{fmt.Sprint(s.Stage), s.state(), fmt.Sprint(s.Steps), s.Title, s.Note()})
	}
	return fmt.Sprintf("task %s: %d of %d stages done\n\n%s", plan.Printable(l.Task), done, len(l.Stages), Table(rows))
}

// state is the state in words.
func (s StageLine) state() string {
	if s.Stale {
		return s.State + " (stale: " + s.StaleReason + ")"
	}
	return s.State
}

// Note says what a person would ask next about the stage.
func (s StageLine) Note() string {
	switch {
	case s.Holder != nil && s.Holder.Since == "":
		return s.Holder.By
	case s.Holder != nil:
		return fmt.Sprintf("%s since %s", s.Holder.By, s.Holder.Since)
	case s.State == "done":
		return "at " + s.HeadCommit[:min(10, len(s.HeadCommit))]
	case len(s.WaitingFor) > 0:
		return "waits for " + join(s.WaitingFor)
	}
	return ""
}

func join(list []plan.StageNumber) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}
