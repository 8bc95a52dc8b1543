package chain

import (
	"git-okstra/gitops"
	"git-okstra/plan"
)

// Schema names the form of an event: okstra.chain/v1, one JSON object a line.
const Schema = "okstra.chain/v1"

// The kinds of event.
const (
	EventQueue    = "queue"   // the first: what is to be run
	EventStarted  = "started" // a stage was taken and its worker starts
	EventDone     = "done"
	EventLanded   = "landed"
	EventFailed   = "failed"
	EventGate     = "gate"
	EventOccupied = "occupied"
	EventLost     = "lost"
	EventWarning  = "warning"
	EventSummary  = "summary" // the last
)

// Event is okstra.chain/v1: one line of a chain's story. Keys that say nothing of an event are left out.
type Event struct {
	Schema   string             `json:"schema"`
	Event    string             `json:"event"`
	At       string             `json:"at"` // RFC 3339, UTC
	Task     string             `json:"task,omitempty"`
	Stage    plan.StageNumber   `json:"stage,omitempty"`
	Title    string             `json:"title,omitempty"`
	Of       int                `json:"of,omitempty"` // so many stages has the plan
	Queue    []plan.StageNumber `json:"queue,omitempty"`
	Next     plan.StageNumber   `json:"next,omitempty"`
	Worktree string             `json:"worktree,omitempty"`
	Branch   string             `json:"branch,omitempty"`
	Log      string             `json:"log,omitempty"` // the file that keeps the output
	Resumed  bool               `json:"resumed,omitempty"`
	Head     gitops.Hash        `json:"head_commit,omitempty"`
	Seconds  float64            `json:"seconds,omitempty"`
	Why      string             `json:"why,omitempty"`
	Hints    []string           `json:"hints,omitempty"`
	Tail     []string           `json:"tail,omitempty"` // the last lines of its output
	Done     []Ended            `json:"done,omitempty"`
	Left     []Left             `json:"left,omitempty"`
	Resume   string             `json:"resume,omitempty"` // the command that goes on
	Exit     *int               `json:"exit,omitempty"`   // of the summary
}

// Ended is a stage that this run finished.
type Ended struct {
	Stage   plan.StageNumber `json:"stage"`
	Head    gitops.Hash      `json:"head_commit"`
	Seconds float64          `json:"seconds"`
}

// Left is a stage of the queue that is not done, and why.
type Left struct {
	Stage plan.StageNumber `json:"stage"`
	State State            `json:"state"`
	Why   string           `json:"why"`
}

// Report is what a run came to.
type Report struct {
	Done    []Ended
	Left    []Left
	Seconds float64
	State   State // the worst that happened: Finished, Occupied, Gated, Failed
	Cut     bool  // somebody interrupted it
}
