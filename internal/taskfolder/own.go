package taskfolder

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/notes"
)

// ownName is the file in which an export keeps rows that okstra's files cannot hold:
// first a header, then each row as it stands in the log, with its commit. okstra does
// not look at it.
const ownName = "git-okstra.jsonl"

const ownSchema = "git-okstra.rows/v1"

// maxOwnSeq is the greatest seq that is taken over: far above any log, and far enough
// below the greatest there is that a log can go on.
const maxOwnSeq = 1 << 40

// ownHeader is the first line of the file.
type ownHeader struct {
	Schema string            `json:"schema"`
	Task   string            `json:"task"`
	Files  map[string]string `json:"files"` // what the export made of rows, with its SHA-256
}

// ownRow is one of the other lines.
type ownRow struct {
	Commit gitops.Hash     `json:"commit"`
	Row    json.RawMessage `json:"row"`
}

// ownFile is the file that was read.
type ownFile struct {
	header ownHeader
	rows   []notes.Line
	lines  []int
	ids    map[string]bool
}

// wrote reports whether a file is as the export made it from rows, so that it says
// nothing that the rows do not.
func (o ownFile) wrote(name string, raw []byte) bool { return o.header.Files[name] == sum(raw) }

func sum(raw []byte) string { return fmt.Sprintf("%x", sha256.Sum256(raw)) }

// readOwn reads what an export left.
func (f *Folder) readOwn() error {
	f.own.ids = map[string]bool{}
	in, err := f.open(ownName, maxRowsFile)
	if in == nil || err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	first := true
	return scan(in, ownName, &f.Problems, func(n int, raw []byte) {
		isHeader := first
		first = false
		if isHeader && json.Unmarshal(raw, &f.own.header) == nil && f.own.header.Schema == ownSchema {
			f.Task = f.own.header.Task
			return
		}
		var r ownRow
		line, ok := notes.Line{}, json.Unmarshal(raw, &r) == nil
		if ok {
			parsed := notes.ParseNote(r.Commit, r.Row)
			if ok = len(parsed) == 1 && !parsed[0].Foreign && parsed[0].Row.Seq <= maxOwnSeq && parsed[0].Row.Stage >= 0; ok {
				line = parsed[0]
			}
		}
		switch {
		case !ok:
			f.Problems = append(f.Problems, Problem{ownName, n, "it is no row of git okstra"})
		case f.own.ids[line.Row.ID]:
			f.Again++
		default:
			f.own.ids[line.Row.ID] = true
			f.own.rows, f.own.lines = append(f.own.rows, line), append(f.own.lines, n)
		}
	})
}
