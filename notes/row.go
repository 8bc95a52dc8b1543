package notes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Status says what a row records.
type Status string

// The statuses that this version writes. Others survive unread.
const (
	Started  Status = "started"
	Done     Status = "done"
	Released Status = "released"
	// TakenOver rows begin a claim on a stage whose reservation was stale.
	TakenOver Status = "taken-over"
	Revised   Status = "revised"
	Reopened  Status = "reopened"
	// Verified rows hold a verdict on a done commit.
	Verified Status = "verified"
	// HandedOff rows say on which branch a stage was handed on.
	HandedOff Status = "handed-off"
	// Waived rows take a surface out of a stage's judgement, until a time or for good.
	Waived Status = "waived"
	// Imported rows keep a file of an okstra task folder.
	Imported Status = "imported"
)

// maxSeq is the largest logical clock that a row may have: beyond it readers that
// keep numbers as doubles lose count, and a hand-written one would overflow ours.
const maxSeq = 1 << 53

// Version is the row format's version, field "v".
const Version = 1

// Row is one line of the log. Its fields are written in this order; empty ones
// from Head on are left out.
type Row struct {
	V          int              `json:"v"`
	Seq        uint64           `json:"seq"` // logical clock of the log
	ID         string           `json:"id"`  // UUIDv7
	Task       string           `json:"impl_task_key"`
	Stage      plan.StageNumber `json:"stage"`
	Status     Status           `json:"status"`
	At         string           `json:"at"` // RFC 3339, UTC
	By         string           `json:"by"`
	Host       string           `json:"host"`
	Run        string           `json:"run"`
	Head       gitops.Hash      `json:"head_commit,omitempty"`
	Claim      string           `json:"claim,omitempty"`
	Branch     string           `json:"branch,omitempty"`
	Worktree   string           `json:"worktree,omitempty"` // below the worktree root
	Plan       gitops.Hash      `json:"plan,omitempty"`
	Carry      *Carry           `json:"carry,omitempty"`
	ReportPath string           `json:"report_path,omitempty"`
	Replaces   gitops.Hash      `json:"replaces,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Surface    string           `json:"surface,omitempty"`
	Until      string           `json:"until,omitempty"`
	Verdict    string           `json:"verdict,omitempty"`
	Okstra     *Origin          `json:"okstra,omitempty"` // what it was imported from
}

// Carry is the evidence of a done stage, schemaVersion 1 of okstra's
// carry/stage-<N>.json.
type Carry struct {
	SchemaVersion     int              `json:"schemaVersion"`
	SourcePlanPath    string           `json:"sourcePlanPath"`
	StageNumber       plan.StageNumber `json:"stageNumber"`
	StageTitle        string           `json:"stageTitle"`
	CompletedAt       string           `json:"completedAt"`
	StageCommitRange  CommitRange      `json:"stageCommitRange"`
	FilesChanged      []string         `json:"filesChanged"`
	NewIdentifiers    []string         `json:"newIdentifiers"`
	StepResults       []StepResult     `json:"stepResults"`
	ValidationsPassed []string         `json:"validationsPassed"`
	Notes             []string         `json:"notes"`
}

// CommitRange is base (left out) to head (included).
type CommitRange struct {
	Base gitops.Hash `json:"base"`
	Head gitops.Hash `json:"head"`
}

// StepResult is what came of one step of the stage.
type StepResult struct {
	Step   int         `json:"step"`
	Status string      `json:"status"`
	Commit gitops.Hash `json:"commit"`
}

// Time writes a time as rows keep it.
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Encode writes the row as one line without its line end: fixed key order, no
// insignificant space, letters of any script as they are.
func (r Row) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("encode row: %w", err)
	}
	return unescapeSeparators(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// unescapeSeparators writes U+2028 and U+2029 as they are, which the encoder
// always escapes. What follows a backslash belongs to it.
func unescapeSeparators(line []byte) []byte {
	out := make([]byte, 0, len(line))
	for len(line) > 0 {
		switch {
		case bytes.HasPrefix(line, []byte(`\u2028`)), bytes.HasPrefix(line, []byte(`\u2029`)):
			out, line = append(out, 0xe2, 0x80, line[5]-'8'+0xa8), line[6:]
		case line[0] == '\\':
			out, line = append(out, line[:2]...), line[2:]
		default:
			out, line = append(out, line[0]), line[1:]
		}
	}
	return out
}

// Line is one line of a note as it stands there: a row, or something foreign
// that is kept and never breaks anything.
type Line struct {
	Commit  gitops.Hash // the commit that the note is on
	Raw     []byte
	Row     Row
	Foreign bool // not a JSON object with the fields of a row
}

// ParseNote splits a note into its lines. Blank lines are dropped. It never
// fails: what is no row comes back as Foreign.
func ParseNote(commit gitops.Hash, content []byte) []Line {
	return parseNote(commit, content, func([]byte) bool { return true })
}

// parseNote is ParseNote for the lines that keep lets through.
func parseNote(commit gitops.Hash, content []byte, keep func(raw []byte) bool) []Line {
	var out []Line
	for raw := range bytes.Lines(content) {
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 || !keep(raw) {
			continue
		}
		line := Line{Commit: commit, Raw: raw}
		if raw[0] != '{' || json.Unmarshal(raw, &line.Row) != nil || line.Row.ID == "" || line.Row.Seq > maxSeq {
			line.Row, line.Foreign = Row{}, true
		}
		out = append(out, line)
	}
	return out
}
