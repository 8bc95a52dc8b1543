package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/notes"
	"git-okstra/plan"
)

type logCmd struct {
	Stage string `help:"Only the rows of these stages: 2, 2,4 or 2-4." placeholder:"N"`
	Since string `help:"Only rows written since then, as git log takes it: 2026-01-31, yesterday, 2 hours ago." placeholder:"DATE"`
}

// logJSON is okstra.log/v1.
type logJSON struct {
	Schema string            `json:"schema"`
	Task   string            `json:"task"`
	Rows   []json.RawMessage `json:"rows"` // as stored, each with its commit
}

// Run prints the rows of the task's log in their own order.
func (c *logCmd) Run(a *app) error {
	e, t, err := a.look()
	if err != nil {
		return err
	}
	stages, since, err := c.filter(a, e, t)
	if err != nil {
		return err
	}
	var lines []notes.Line
	if len(stages) > 0 {
		lines, err = notes.ReadStages(a.ctx, a.repo, t.NotesTip, stages)
	} else {
		lines, err = notes.Read(a.ctx, a.repo, t.NotesTip)
	}
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(l notes.Line) bool {
		at, err := time.Parse(time.RFC3339Nano, l.Row.At)
		old := err == nil && at.Before(since) // a row without a readable time is shown
		return l.Foreign || old || ofAnother(t.Key, l.Row)
	})
	if a.flags.JSON {
		return a.logJSON(t.Key, lines)
	}
	rows := [][]string{}
	for _, l := range lines {
		rows = append(rows, a.logRow(l))
	}
	a.print("%s", report.Table(rows))
	return nil
}

// ofAnother reports whether a row, by stock git or by hand, came to the wrong task's
// notes. One that does not say is taken as this task's, and so is one that was imported:
// it keeps the key that it had there.
func ofAnother(key plan.TaskKey, r notes.Row) bool {
	if r.Task == key.String() || r.Okstra != nil {
		return false
	}
	other, err := plan.ParseTaskKey(r.Task)
	return err == nil && other.Ref() != key.Ref()
}

// filter says which stages are wanted, none for all, and since when.
func (c *logCmd) filter(a *app, e *lifecycle.Engine, t *lifecycle.Task) (stages []plan.StageNumber, since time.Time, err error) {
	if c.Stage != "" {
		if stages, err = parseStages([]string{c.Stage}); err != nil {
			return nil, since, err
		}
	}
	for _, n := range stages {
		if err := e.Known(t, n); err != nil {
			return nil, since, err
		}
	}
	if c.Since == "" {
		return stages, since, nil
	}
	since, err = a.repo.Date(a.ctx, c.Since)
	if errors.Is(err, gitops.ErrNoDate) {
		err = &commandError{code: exitUsage, message: fmt.Sprintf("%q is no date", c.Since), hints: []string{"write it as git log takes it, such as 2026-01-31 or '2 hours ago'"}}
	}
	return stages, since, err
}

// logRow is a row for a person: the commit that it stands on, and in words what the
// row alone knows, else the commit's subject.
func (a *app) logRow(l notes.Line) []string {
	r := l.Row
	at := r.At
	if t, err := time.Parse(time.RFC3339Nano, r.At); err == nil {
		at = t.Format("2006-01-02 15:04:05Z")
	}
	what := r.Branch
	switch {
	case r.Replaces != "":
		what = "was " + r.Replaces.Short() + " (" + r.Reason + ")"
	case r.Reason != "":
		what = r.Reason
	case r.Verdict != "":
		what = r.Verdict
	case what == "":
		what = a.subject(l.Commit)
	}
	whose := fmt.Sprintf("stage %d", r.Stage)
	if r.Status == notes.Imported && r.Okstra != nil {
		what = r.Okstra.File
		if r.Stage == 0 {
			whose = "task"
		}
	}
	return []string{strconv.FormatUint(r.Seq, 10), at, whose, string(r.Status), l.Commit.Short(), r.By, what}
}

// subject is the first line of a commit's message, "" where the commit is not here: a
// row may stand on one that this clone lacks.
func (a *app) subject(h gitops.Hash) string {
	c, err := a.repo.ReadCommit(a.ctx, h)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return line
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
