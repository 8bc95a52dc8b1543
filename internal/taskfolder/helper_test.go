package taskfolder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

var key = plan.TaskKey{Project: "p", Group: "g", Task: "t"}

// commit is a whole id made of one digit.
func commit(digit string) string { return strings.Repeat(digit, 40) }

// fill writes files into a new folder.
func fill(t interface {
	Helper()
	Fatal(...any)
}, dir string, files map[string]string,
) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// open reads a folder of the files.
func open(t *testing.T, files map[string]string) *Folder {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir, files)
	f, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// knows says that the given commits, made of one digit, are here.
func knows(words ...string) Known {
	k := Known{Commits: map[string]gitops.Hash{}}
	for _, w := range words {
		k.Commits[w] = gitops.Hash(commit(w[:1]))
	}
	return k
}

// log writes entries as a log would and reads them back.
func log(t interface {
	Helper()
	Fatal(...any)
}, entries []notes.Entry,
) []notes.Line {
	t.Helper()
	var lines []notes.Line
	seq := uint64(0)
	for _, e := range entries {
		seq = max(seq, e.Row.Seq)
	}
	for _, e := range entries {
		raw := e.Raw
		if raw == nil {
			seq++
			e.Row.V, e.Row.Seq = notes.Version, seq
			var err error
			if raw, err = e.Row.Encode(); err != nil {
				t.Fatal(err)
			}
		}
		target := e.Target
		if target == "" {
			target = gitops.Hash(commit("f"))
		}
		got := notes.ParseNote(target, raw)
		if len(got) != 1 || got[0].Foreign {
			t.Fatal("not a row: ", string(raw))
		}
		lines = append(lines, got...)
	}
	return notes.Sort(lines)
}

const approvedReport = "---\napproved: true\n---\n# Report\n"

type number = plan.StageNumber
