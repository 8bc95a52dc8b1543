package notes

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// seqTrailer is the trailer of a notes commit that holds the greatest seq of the
// log, so that an append need not read it all.
const seqTrailer = "Okstra-Seq"

// Ref names the notes ref of a task.
func Ref(key plan.TaskKey) gitops.RefName {
	return gitops.RefName("refs/notes/okstra/" + key.Ref())
}

// QARef names the notes ref of a task's conformance results.
func QARef(key plan.TaskKey) gitops.RefName {
	return gitops.RefName("refs/notes/okstra-qa/" + key.Ref())
}

// Repo is what the log needs of a repository.
type Repo interface {
	ReadCommit(ctx context.Context, h gitops.Hash) (gitops.Commit, error)
	NoteGet(ctx context.Context, commit, target gitops.Hash) ([]byte, error)
	NoteSet(ctx context.Context, w *gitops.ObjectWriter, commit, target gitops.Hash, content []byte) (gitops.Hash, error)
	NoteSetAll(ctx context.Context, w *gitops.ObjectWriter, commit gitops.Hash, list []gitops.Note) (gitops.Hash, error)
	Notes(ctx context.Context, commit gitops.Hash) ([]gitops.Note, error)
}

// Read returns all lines of the log whose notes commit is tip ("" is an empty
// log), each row once, ordered by (seq, id); foreign lines come last.
func Read(ctx context.Context, repo Repo, tip gitops.Hash) ([]Line, error) {
	return read(ctx, repo, tip, func([]byte) bool { return true })
}

// ReadStages is Read for the rows of some stages alone. Of a long log it takes a part
// of the time, for other rows are not decoded.
func ReadStages(ctx context.Context, repo Repo, tip gitops.Hash, stages []plan.StageNumber) ([]Line, error) {
	lines, err := read(ctx, repo, tip, func(raw []byte) bool { return maySpeakOf(raw, stages) })
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Foreign || !slices.Contains(stages, l.Row.Stage) }), err
}

// read decodes the lines that keep lets through, by as many goroutines as there are
// processors.
func read(ctx context.Context, repo Repo, tip gitops.Hash, keep func(raw []byte) bool) ([]Line, error) {
	all, err := repo.Notes(ctx, tip)
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	const worthIt = 256 // notes for one goroutine
	workers := max(1, min(runtime.GOMAXPROCS(0), len(all)/worthIt))
	parts := make([][]Line, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for _, note := range all[i*len(all)/workers : (i+1)*len(all)/workers] {
				parts[i] = append(parts[i], parseNote(note.Target, note.Content, keep)...)
			}
		})
	}
	wg.Wait()
	return Sort(slices.Concat(parts...)), nil
}

// maySpeakOf reports whether a row's line may be about one of the stages: the key
// stands in it with such a number, or there are escapes in it, which may hide one.
func maySpeakOf(raw []byte, stages []plan.StageNumber) bool {
	if bytes.Contains(raw, []byte(`\u`)) {
		return true
	}
	key := []byte(`"stage"`)
	for rest := raw; ; {
		at := bytes.Index(rest, key)
		if at < 0 {
			return false
		}
		rest = bytes.TrimLeft(rest[at+len(key):], " \t\r")
		value, ok := bytes.CutPrefix(rest, []byte(":"))
		if !ok {
			continue
		}
		value = bytes.TrimLeft(value, " \t\r")
		digits := value[:len(value)-len(bytes.TrimLeft(value, "0123456789"))]
		n, err := strconv.ParseUint(string(digits), 10, 31)
		if err != nil || slices.Contains(stages, plan.StageNumber(n)) {
			return true
		}
	}
}

// Sort orders lines by (seq, id), foreign ones last, and drops the copies of a
// row that stands on several commits: the one on its own head commit is kept.
func Sort(lines []Line) []Line {
	order := make([]int, len(lines)) // a line is too large to be moved about
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &lines[i], &lines[j]
		return cmp.Or(cmpBool(a.Foreign, b.Foreign), cmp.Compare(a.Row.Seq, b.Row.Seq),
			strings.Compare(a.Row.ID, b.Row.ID), cmpBool(!a.home(), !b.home()),
			strings.Compare(string(a.Commit), string(b.Commit)), bytes.Compare(a.Raw, b.Raw), cmp.Compare(i, j))
	})
	seen := make(map[string]bool, len(lines))
	out := make([]Line, 0, len(lines))
	for _, i := range order {
		l := lines[i]
		if !l.Foreign && seen[l.Row.ID] {
			continue
		}
		seen[l.Row.ID] = true
		out = append(out, l)
	}
	return out
}

// home reports whether a row stands on the commit it names.
func (l *Line) home() bool { return l.Row.Head == l.Commit }

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Entry is a row to append and the commit that it stands on.
type Entry struct {
	Target gitops.Hash
	Row    Row
	Raw    []byte // the row as it stood in another log, seq and all; nil: Row is written
}

// Appended is the outcome of an append.
type Appended struct {
	Tip   gitops.Hash // the new notes commit, or the old one where the row stood already
	Row   Row         // as written, with its seq
	Stood bool        // nothing was to be done
}

// Append adds a row to the log whose notes commit is tip ("" starts one). The new
// objects are in w; the caller moves the ref. A row that equals the latest
// started, done or released row of its stage in status, head and claim is a no-op.
func Append(ctx context.Context, repo Repo, w *gitops.ObjectWriter, tip gitops.Hash,
	by gitops.Signature, e Entry,
) (Appended, error) {
	note, err := repo.NoteGet(ctx, tip, e.Target)
	if err != nil {
		return Appended{}, fmt.Errorf("read note: %w", err)
	}
	// The whole log is read only where the commit itself has such a row.
	if stands(ParseNote(e.Target, note), e.Row) {
		lines, err := Read(ctx, repo, tip)
		if err != nil {
			return Appended{}, err
		}
		if stands(lines, e.Row) {
			return Appended{Tip: tip, Row: e.Row, Stood: true}, nil
		}
	}
	seq, err := lastSeq(ctx, repo, tip)
	if err != nil {
		return Appended{}, err
	}
	e.Row.V, e.Row.Seq = Version, seq+1
	next, err := addLine(ctx, repo, w, tip, e, note, by)
	return Appended{Tip: next, Row: e.Row}, err
}

// addLine writes one row and its notes commit.
func addLine(ctx context.Context, repo Repo, w *gitops.ObjectWriter, tip gitops.Hash,
	e Entry, note []byte, by gitops.Signature,
) (gitops.Hash, error) {
	line, err := e.Row.Encode()
	if err != nil {
		return "", err
	}
	tree, err := repo.NoteSet(ctx, w, tip, e.Target, join(note, line))
	if err != nil {
		return "", fmt.Errorf("write note: %w", err)
	}
	commit := gitops.CommitData{Tree: tree, Author: by, Committer: by, Message: message(e.Row)}
	if tip != "" {
		commit.Parents = []gitops.Hash{tip}
	}
	return w.Commit(commit), nil
}

func message(r Row) string {
	return fmt.Sprintf("okstra: stage %d %s\n\n%s: %d\n", r.Stage, r.Status, seqTrailer, r.Seq)
}

// join puts a line at the end of a note, on a line of its own.
func join(note, line []byte) []byte {
	out := slices.Clone(note)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(append(out, line...), '\n')
}

// stands reports whether the stage's latest transition among the lines is the
// very one that is to be recorded.
func stands(lines []Line, r Row) bool {
	var latest *Row
	for _, l := range Sort(lines) {
		if !l.Foreign && l.Row.Stage == r.Stage && transition(l.Row.Status) {
			latest = &l.Row
		}
	}
	return latest != nil && transition(r.Status) &&
		latest.Status == r.Status && latest.Head == r.Head && latest.Claim == r.Claim
}

func transition(s Status) bool { return s == Started || s == Done || s == Released }

// lastSeq reads the greatest seq from the notes commit, or, where stock git
// wrote that commit, from the whole log.
func lastSeq(ctx context.Context, repo Repo, tip gitops.Hash) (uint64, error) {
	if tip == "" {
		return 0, nil
	}
	commit, err := repo.ReadCommit(ctx, tip)
	if err != nil {
		return 0, fmt.Errorf("read log: %w", err)
	}
	for _, t := range gitops.Trailers(commit.Message) {
		if t.Key == seqTrailer {
			if n, err := strconv.ParseUint(t.Value, 10, 64); err == nil {
				return n, nil
			}
		}
	}
	lines, err := Read(ctx, repo, tip)
	var most uint64
	for _, l := range lines {
		most = max(most, l.Row.Seq)
	}
	return most, err
}
