package taskfolder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// State is a task as this repository has it.
type State struct {
	Key      plan.TaskKey
	Lines    []notes.Line // of the log, in its order
	Base     gitops.Hash
	Plan     []byte
	PlanPath string // where the plan is in the repository, "" outside
	QA       []File
}

// File is one file of an exported folder.
type File struct {
	Path    string // below the folder, slashes
	Exec    bool
	Content []byte
}

// Exported is a folder that is to be written.
type Exported struct {
	Files    []File // by path
	Imported int    // rows that came from okstra and go back as they were
	Native   int    // rows that were written here
	Foreign  int    // lines of the log that are no rows, and stay behind
}

// exporter gathers the folder's files.
type exporter struct {
	State
	out       Exported
	files     map[string][]byte
	generated map[string]string // made of rows: path to SHA-256
	carries   map[plan.StageNumber]notes.Carry
	starts    map[plan.StageNumber]notes.Row
	cycles    map[plan.StageNumber]int
	native    bool // a stage was started here
	report    string
}

// Export makes the folder. Rows that were imported stand in it byte for byte, native
// ones in the shape of the newest release; what okstra has no place for is in
// git-okstra.jsonl.
func Export(s State) (Exported, error) {
	x := &exporter{
		State: s, files: map[string][]byte{consumersFile: {}}, generated: map[string]string{},
		carries: map[plan.StageNumber]notes.Carry{}, starts: map[plan.StageNumber]notes.Row{}, cycles: map[plan.StageNumber]int{},
	}
	for i, l := range s.Lines {
		switch {
		case l.Foreign:
			x.out.Foreign++
		case l.Row.Okstra != nil:
			x.out.Imported++
			x.imported(l.Row)
		default:
			x.out.Native++
			if err := x.nativeRow(l.Row, s.Lines[i+1:]); err != nil {
				return Exported{}, err
			}
		}
	}
	if err := x.generate(); err != nil {
		return Exported{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(x.files)) {
		x.out.Files = append(x.out.Files, File{Path: name, Content: x.files[name]})
	}
	x.out.Files = append(x.out.Files, s.QA...)
	slices.SortStableFunc(x.out.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return x.out, nil
}

// imported puts what an imported row kept back where it was. What a row says of its
// file is believed only for the files that an import reads.
func (x *exporter) imported(r notes.Row) {
	o := r.Okstra
	switch {
	case r.Status == notes.Started:
		x.starts[r.Stage] = r
	case r.Status == notes.Imported && o.SHA256 != "" && isReport(o.File):
		x.report = o.File
	}
	raw := o.Bytes()
	switch {
	case raw == nil:
	case o.File == consumersFile || o.File == cyclesFile:
		x.line(o.File, raw)
	case o.File == registryFile || carryStage(o.File) > 0:
		x.files[o.File] = raw
		delete(x.carries, carryStage(o.File))
	}
}

func (x *exporter) line(file string, raw []byte) {
	x.files[file] = append(append(x.files[file], raw...), '\n')
}

// nativeRow writes a row in okstra's newest shape, where it has one. later are the
// lines that follow in the log.
func (x *exporter) nativeRow(r notes.Row, later []notes.Line) error {
	switch r.Status {
	case notes.Started:
		x.native = true
		x.starts[r.Stage] = r
	case notes.Done:
		if r.Carry != nil {
			x.carries[r.Stage] = *r.Carry
		}
	case notes.Reopened:
		return x.cycle(r, later)
	default:
		return nil
	}
	line, err := encodeLine(newConsumer(r))
	x.line(consumersFile, line)
	return err
}

// consumer is a line of consumers.jsonl in the shape of okstra 0.100, with the id of
// our row.
type consumer struct {
	Task        string           `json:"impl_task_key"`
	Stage       plan.StageNumber `json:"stage"`
	Status      notes.Status     `json:"status"`
	StartedAt   string           `json:"started_at,omitempty"`
	CompletedAt string           `json:"completed_at,omitempty"`
	Head        gitops.Hash      `json:"head_commit,omitempty"`
	Branch      string           `json:"branch,omitempty"`
	Worktree    string           `json:"worktree,omitempty"`
	ReportPath  string           `json:"report_path,omitempty"`
	CarryPath   string           `json:"carry_path,omitempty"`
	Replaces    gitops.Hash      `json:"replaces,omitempty"`
	Reason      string           `json:"reason,omitempty"`
	RowID       string           `json:"row_id"`
}

func newConsumer(r notes.Row) consumer {
	c := consumer{
		Task: r.Task, Stage: r.Stage, Status: r.Status, CompletedAt: r.At, Head: r.Head, Branch: r.Branch,
		Worktree: r.Worktree, ReportPath: r.ReportPath, Replaces: r.Replaces, Reason: r.Reason, RowID: r.ID,
	}
	if r.Status == notes.Started {
		c.StartedAt, c.CompletedAt = r.At, ""
	}
	if r.Carry != nil {
		c.CarryPath = carryFile(r.Stage)
	}
	return c
}

// cycleLine is a line of fix-cycles.jsonl.
type cycleLine struct {
	Task     string           `json:"impl_task_key"`
	Stage    plan.StageNumber `json:"stage"`
	Cycle    int              `json:"cycle"`
	Reason   string           `json:"reason"`
	OpenedAt string           `json:"opened_at"`
	ClosedAt string           `json:"closed_at,omitempty"`
	Head     gitops.Hash      `json:"head_commit,omitempty"`
	RowID    string           `json:"row_id"`
}

// cycle writes a reopening: it ends where the stage is done again.
func (x *exporter) cycle(r notes.Row, later []notes.Line) error {
	x.cycles[r.Stage]++
	c := cycleLine{Task: r.Task, Stage: r.Stage, Cycle: x.cycles[r.Stage], Reason: r.Reason, OpenedAt: r.At, RowID: r.ID}
	for _, l := range later {
		if !l.Foreign && l.Row.Stage == r.Stage && l.Row.Status == notes.Done {
			c.ClosedAt, c.Head = l.Row.At, l.Row.Head
			break
		}
	}
	line, err := encodeLine(c)
	x.line(cyclesFile, line)
	return err
}

// generate adds the files that are made of rows, and the file that tells which.
func (x *exporter) generate() error {
	for n, c := range x.carries {
		text, err := encodeFile(c)
		if err != nil {
			return err
		}
		x.make(carryFile(n), text)
	}
	if x.native {
		text, err := encodeFile(x.registry())
		if err != nil {
			return err
		}
		x.make(registryFile, text)
	}
	if x.report == "" {
		x.report = x.reportPath()
	}
	if _, taken := x.files[x.report]; taken {
		return fmt.Errorf("export: %q is named as the report and is another file", x.report)
	}
	x.make(x.report, x.Plan)
	if x.out.Native == 0 {
		return nil
	}
	header, err := encodeLine(ownHeader{ownSchema, x.Key.String(), x.generated})
	if err != nil {
		return err
	}
	x.line(ownName, header)
	for _, l := range x.Lines {
		if !l.Foreign {
			x.line(ownName, fmt.Appendf(nil, `{"commit":%q,"row":%s}`, l.Commit, l.Raw))
		}
	}
	return nil
}

func (x *exporter) make(name string, content []byte) {
	x.files[name], x.generated[name] = content, sum(content)
}

// registryData is the registry in the shape of okstra 0.100.
type registryData struct {
	SchemaVersion int             `json:"schemaVersion"`
	Base          gitops.Hash     `json:"base_commit"`
	Stages        []registryStage `json:"stages"`
}

type registryStage struct {
	Stage    plan.StageNumber `json:"stage"`
	Branch   string           `json:"branch"`
	Worktree string           `json:"worktree"`
	Base     gitops.Hash      `json:"base_commit"`
}

func (x *exporter) registry() registryData {
	d := registryData{SchemaVersion: 2, Base: x.Base, Stages: []registryStage{}}
	for _, n := range slices.Sorted(maps.Keys(x.starts)) {
		r := x.starts[n]
		d.Stages = append(d.Stages, registryStage{n, r.Branch, r.Worktree, r.Head})
	}
	return d
}

// reportPath is where the plan stands in a task folder.
func (x *exporter) reportPath() string {
	if group, task, ok := plan.KeyFromPath(x.PlanPath); ok {
		_, rest, _ := strings.Cut(x.PlanPath, path.Join(".okstra", "tasks", group, task)+"/")
		if isReport(rest) {
			return rest
		}
	}
	return "final-report.md"
}

func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode line: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func encodeFile(v any) ([]byte, error) {
	line, err := encodeLine(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return nil, fmt.Errorf("encode file: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
