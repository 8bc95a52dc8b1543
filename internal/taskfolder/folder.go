package taskfolder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"git-okstra/plan"
)

// The bounds on what is read of a folder.
const (
	maxRowsFile = 1 << 30
	maxFile     = 16 << 20 // evidence, registry
	maxEntries  = 20_000   // files and folders that are looked at
)

// Folder is a task folder that was read.
type Folder struct {
	Report   *Report   // the newest approved report, nil where there is none
	Task     string    // the key that an export noted, "" in okstra's own folders
	Problems []Problem // what was skipped
	Left     []string  // files that hold nothing an import moves, sorted
	Lines    int       // rows read, duplicates and skipped lines left out
	Again    int       // lines that stand there more than once

	records  []record
	evidence []evidence
	files    []kept
	registry registry
	own      ownFile
	root     *os.Root
}

// kept is a file that comes back as it is.
type kept struct {
	path  string
	stage plan.StageNumber
	raw   []byte
}

// Open reads the folder. Errors are those of the file system; everything that is
// wrong with a file is a problem. Close ends the use of FS.
func Open(ctx context.Context, dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root, registry: registry{stages: map[plan.StageNumber]string{}}}
	if err := f.read(ctx); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

// Close gives the folder back.
func (f *Folder) Close() { _ = f.root.Close() } // nothing was written

// FS is the folder as a file system that no link leads out of.
func (f *Folder) FS() fs.FS { return f.root.FS() }

// HasEvidence reports whether there is evidence to compare with what stands.
func (f *Folder) HasEvidence() bool { return len(f.evidence) > 0 }

func (f *Folder) read(ctx context.Context) error {
	if err := f.readOwn(); err != nil {
		return err
	}
	rows, err := f.readRows(ctx, consumersFile, func(raw []byte) ([]record, error) {
		r, err := parseConsumer(raw)
		return []record{r}, err
	})
	if err != nil {
		return err
	}
	cycles, err := f.readRows(ctx, cyclesFile, parseCycle)
	if err != nil {
		return err
	}
	f.records = merge(rows, cycles)
	names, err := f.list(ctx)
	if err != nil {
		return err
	}
	if err := f.readReport(names); err != nil {
		return err
	}
	for _, name := range names {
		if err := f.readOther(name); err != nil {
			return err
		}
	}
	slices.SortFunc(f.evidence, func(a, b evidence) int { return int(a.stage) - int(b.stage) })
	slices.Sort(f.Left)
	return nil
}

// readRows reads one file of rows. The same line is one row, however often it stands
// there; a line that an export wrote for a row of ours is that row.
func (f *Folder) readRows(ctx context.Context, file string, parse func([]byte) ([]record, error)) ([]record, error) {
	in, err := f.open(file, maxRowsFile)
	if in == nil || err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	var out []record
	seen := map[string]bool{}
	err = scan(in, file, &f.Problems, func(n int, raw []byte) {
		if ctx.Err() != nil {
			return
		}
		records, err := parse(raw)
		if err != nil {
			f.Problems = append(f.Problems, Problem{file, n, err.Error()})
			return
		}
		content := bytes.TrimSpace(bytes.TrimPrefix(raw, bom))
		if seen[string(content)] {
			f.Again++
			return
		}
		seen[string(content)] = true
		f.Lines++
		if id := records[0].rowID; id != "" && f.own.ids[id] {
			return
		}
		for i := range records {
			records[i].file, records[i].line, records[i].content = file, n, content
			if !records[i].derived {
				records[i].raw = raw
			}
		}
		out = append(out, records...)
	})
	return out, errors.Join(err, ctx.Err())
}

// open opens a regular file; nil where there is none, or where it is a problem.
func (f *Folder) open(name string, limit int64) (*os.File, error) {
	info, err := f.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil: // such as a link that leads out
		f.Problems = append(f.Problems, Problem{name, 0, reason(err)})
		return nil, nil
	case !info.Mode().IsRegular():
		f.Problems = append(f.Problems, Problem{name, 0, "it is no regular file"})
		return nil, nil
	case info.Size() > limit:
		f.Problems = append(f.Problems, Problem{name, 0, fmt.Sprintf("it is larger than %d bytes", limit)})
		return nil, nil
	}
	return f.root.Open(name)
}

// reason is an error without the path, which is said already.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// content reads a whole file; nil as open.
func (f *Folder) content(name string, limit int64) ([]byte, error) {
	in, err := f.open(name, limit)
	if in == nil || err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	raw, err := io.ReadAll(io.LimitReader(in, limit))
	if raw == nil {
		raw = []byte{}
	}
	return raw, err
}

// list lists all that is no folder, in order; links are listed and not followed.
func (f *Folder) list(ctx context.Context) ([]string, error) {
	var names []string
	seen := 0
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > maxEntries {
			f.Problems = append(f.Problems, Problem{name, 0, fmt.Sprintf("more than %d files; the rest was not looked at", maxEntries)})
			return fs.SkipAll
		}
		switch {
		case err != nil:
			f.Problems = append(f.Problems, Problem{name, 0, reason(err)})
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir():
			names = append(names, name)
		}
		return ctx.Err()
	})
	return names, err
}

// readOther files what is no file of rows and not the report.
func (f *Folder) readOther(name string) error {
	n := carryStage(name)
	switch {
	case name == consumersFile || name == cyclesFile || name == ownName || f.Report != nil && name == f.Report.Path:
		return nil
	case name == "qa/conformance-manifest.json" || strings.HasPrefix(name, "qa/scripts/"):
		return nil // the plan's; whoever pins it reads them
	case n == 0 && name != registryFile:
		f.Left = append(f.Left, name)
		return nil
	}
	raw, err := f.content(name, maxFile)
	if raw == nil || err != nil {
		return err
	}
	if n == 0 {
		f.registry, err = parseRegistry(raw)
	} else {
		var e evidence
		if e, err = parseCarry(n, raw); err == nil && !f.own.wrote(name, raw) {
			f.evidence = append(f.evidence, e)
		}
	}
	switch {
	case err != nil:
		f.Problems = append(f.Problems, Problem{name, 1, err.Error()})
	case !f.own.wrote(name, raw):
		f.files = append(f.files, kept{path.Clean(name), n, raw})
	}
	return nil
}
