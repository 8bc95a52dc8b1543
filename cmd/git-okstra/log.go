package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/report"
	"git-okstra/notes"
	"git-okstra/plan"
)

type logCmd struct {
	Stage string `help:"Only the rows of these stages: 2, 2,4 or 2-4." placeholder:"N"`
}

// logJSON is okstra.log/v1.
type logJSON struct {
	Schema string            `json:"schema"`
	Task   string            `json:"task"`
	Rows   []json.RawMessage `json:"rows"` // as stored, each with its commit
}

// Run prints the rows of the task's log in their own order.
func (c *logCmd) Run(a *app) error {
	var only []plan.StageNumber
	if c.Stage != "" {
		var err error
		if only, err = parseStages([]string{c.Stage}); err != nil {
			return err
		}
	}
	_, t, err := a.load("")
	if err != nil {
		return err
	}
	for _, n := range only {
		if _, ok := t.Plan.Stage(n); !ok {
			return &commandError{
				code: exitUsage, message: fmt.Sprintf("stage %d is not in the plan's Stage Map", n),
				hints: []string{fmt.Sprintf("the plan has stages 1 to %d", len(t.Plan.Stages))},
			}
		}
	}
	lines, err := notes.Read(a.ctx, a.repo, t.NotesTip)
	if err != nil {
		return err
	}
	lines = wanted(lines, only)
	if a.flags.JSON {
		return a.logJSON(t.Key, lines)
	}
	rows := [][]string{}
	for _, l := range lines {
		rows = append(rows, logRow(l))
	}
	a.print("%s", report.Table(rows))
	return nil
}

// wanted drops foreign lines and, where stages were named, those of others.
func wanted(lines []notes.Line, only []plan.StageNumber) []notes.Line {
	var out []notes.Line
	for _, l := range lines {
		keep := len(only) == 0
		for _, n := range only {
			keep = keep || l.Row.Stage == n
		}
		if keep && !l.Foreign {
			out = append(out, l)
		}
	}
	return out
}

func logRow(l notes.Line) []string {
	r := l.Row
	at := r.At
	if t, err := time.Parse(time.RFC3339Nano, r.At); err == nil {
		at = t.Format("2006-01-02 15:04:05Z")
	}
	what := r.Branch
	if r.Reason != "" {
		what = r.Reason
	}
	return []string{strconv.FormatUint(r.Seq, 10), at, fmt.Sprintf("stage %d", r.Stage), string(r.Status), l.Commit.Short(), r.By, what}
}

// logJSON prints the stored rows with the commit that each stands on.
func (a *app) logJSON(key plan.TaskKey, lines []notes.Line) error {
	out := logJSON{Schema: "okstra.log/v1", Task: key.String(), Rows: []json.RawMessage{}}
	for _, l := range lines {
		raw, err := withCommit(l.Raw, l.Commit)
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, raw)
	}
	writeJSON(a.std.out, out)
	return nil
}

// withCommit adds the key "commit" to a stored object, which keeps all its own
// keys, also those that this version does not know.
func withCommit(raw []byte, commit gitops.Hash) (json.RawMessage, error) {
	body := bytes.TrimSuffix(bytes.TrimSpace(raw), []byte("}"))
	value, err := json.Marshal(commit)
	if err != nil {
		return nil, fmt.Errorf("encode row: %w", err)
	}
	return fmt.Appendf(bytes.Clone(body), `,"commit":%s}`, value), nil
}
