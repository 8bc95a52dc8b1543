package taskfolder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"git-okstra/notes"
	"git-okstra/plan"
)

// The files of rows.
const (
	consumersFile = "consumers.jsonl"
	cyclesFile    = "fix-cycles.jsonl"
)

// maxLine is the longest line in bytes that is read; none of okstra's comes near.
const maxLine = 1 << 20

// Problem is something in the folder that was skipped, and why.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d: %s", plan.Printable(p.File), p.Line, p.Reason)
}

// record is a row on its way in.
type record struct {
	file    string
	line    int
	raw     []byte    // as it stood, nil for a derived row
	content []byte    // what its id is made from: the line without what stands around it
	row     notes.Row // without id, task and seq
	commit  string    // the commit as the file names it, lower case
	at      time.Time // zero where the line has no time that can be read
	derived bool      // the end of a fix cycle
	cycle   int
	open    bool   // a fix cycle that has no end
	rowID   string // the row of ours that an export wrote there
}

// scan calls take for each line that is not blank, without its line end, and reports
// the lines that are too long. A line is the callee's to keep.
func scan(r io.Reader, file string, problems *[]Problem, take func(n int, raw []byte)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		raw, whole, err := readLine(in)
		switch {
		case !whole:
			*problems = append(*problems, Problem{file, n, fmt.Sprintf("it is longer than %d bytes", maxLine)})
		case len(bytes.TrimSpace(bytes.TrimPrefix(raw, bom))) > 0:
			take(n, raw)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
	}
}

// readLine reads one line; whole is false for one that is too long, which is passed over.
func readLine(in *bufio.Reader) (raw []byte, whole bool, err error) {
	whole = true
	for {
		part, err := in.ReadSlice('\n')
		if whole = whole && len(raw)+len(part) <= maxLine; whole {
			raw = append(raw, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(raw, []byte("\n")), whole, err
		}
	}
}

// parseConsumer reads a line of consumers.jsonl.
func parseConsumer(raw []byte) (record, error) {
	o, err := parseObject(raw)
	if err != nil {
		return record{}, err
	}
	r := record{commit: o.head(), rowID: o.text("row_id")}
	r.row = common(o)
	if r.row.Stage == 0 {
		return record{}, errNoStage
	}
	started, completed := o.text("started_at", "startedAt"), o.text("completed_at", "completedAt")
	r.row.Status = notes.Status(o.text("status"))
	switch {
	case r.row.Status != "":
	case completed != "":
		r.row.Status = notes.Done
	case started != "":
		r.row.Status = notes.Started
	default:
		return record{}, errNoStatus
	}
	when := []string{completed, o.text("at", "timestamp"), started}
	if r.row.Status == notes.Started {
		when = []string{started, o.text("at", "timestamp"), completed}
	}
	for _, s := range when {
		if r.row.At == "" {
			r.row.At, r.at = moment(s)
		}
	}
	return r, nil
}

// common reads what rows of both files have.
func common(o object) notes.Row {
	row := notes.Row{
		Task: o.text("impl_task_key", "implTaskKey"), Stage: o.stage(),
		By: o.text("by", "actor", "agent"), Host: o.text("host"), Run: o.text("run", "run_id", "runId"),
		Branch: o.text("branch"), ReportPath: o.text("report_path", "reportPath"), Reason: o.text("reason"),
	}
	if row.By == "" {
		row.By = "okstra"
	}
	if old := hash(o.text("replaces")); old != "" {
		row.Replaces = old
	}
	return row
}

// parseCycle reads a line of fix-cycles.jsonl: the row that reopens the stage and,
// where the cycle has ended at a commit, the one that says it is done there.
func parseCycle(raw []byte) ([]record, error) {
	o, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	opened := record{rowID: o.text("row_id"), row: common(o)}
	if opened.row.Stage == 0 {
		return nil, errNoStage
	}
	opened.row.Status, opened.row.Branch = notes.Reopened, ""
	opened.cycle = o.number("cycle", "cycle_number", "cycleNumber")
	opened.row.At, opened.at = moment(o.text("opened_at", "openedAt"))
	closed := o.text("closed_at", "closedAt")
	opened.open = closed == ""
	if opened.open || o.head() == "" {
		return []record{opened}, nil
	}
	done := record{row: common(o), commit: o.head(), derived: true}
	done.row.Status, done.row.Branch, done.row.Reason = notes.Done, "", ""
	done.row.At, done.at = moment(closed)
	return []record{opened, done}, nil
}

// merge brings the rows of both files into one order: that of each file, and between
// them that of time, where both rows have one.
func merge(rows, cycles []record) []record {
	out := make([]record, 0, len(rows)+len(cycles))
	for len(rows) > 0 && len(cycles) > 0 {
		if a, b := rows[0].at, cycles[0].at; !a.IsZero() && !b.IsZero() && b.Before(a) {
			out, cycles = append(out, cycles[0]), cycles[1:]
		} else {
			out, rows = append(out, rows[0]), rows[1:]
		}
	}
	return append(append(out, rows...), cycles...)
}
