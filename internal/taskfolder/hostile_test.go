package taskfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
)

// TestLinksOutAreNotFollowed: nothing outside the folder is read, wherever links lead.
func TestLinksOutAreNotFollowed(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	fill(t, top, map[string]string{
		"out/secret.jsonl": `{"stage":1,"status":"done"}` + "\n", "out/plan.md": approvedReport, "out/stage-1.json": "{}",
		"task/inside.jsonl": `{"stage":2,"status":"done"}` + "\n", "task/runs/note.md": "# no report\n",
	})
	dir := filepath.Join(top, "task")
	for link, to := range map[string]string{
		"consumers.jsonl": "../out/secret.jsonl", "final-report.md": filepath.Join(top, "out", "plan.md"), "runs/x.md": "../../out/plan.md",
		"carry": "../out", "registry.json": "/dev/zero", "runs/more": "../../out", "fix-cycles.jsonl": "inside.jsonl", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Report != nil || len(f.evidence) > 0 || len(f.files) > 0 {
		t.Errorf("read from outside: %+v %+v %+v", f.Report, f.evidence, f.files)
	}
	if len(f.records) != 1 || f.records[0].row.Stage != 2 {
		t.Errorf("%+v", f.records)
	}
	var files []string
	for _, p := range f.Problems {
		files = append(files, p.File)
	}
	for _, want := range []string{"consumers.jsonl", "registry.json"} {
		if !strings.Contains(strings.Join(files, " "), want) {
			t.Errorf("%s is no problem: %v", want, f.Problems)
		}
	}
}

// TestOddFiles: folders and sparse giants where files belong are told, not read.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, dir, map[string]string{"consumers.jsonl/x": "", "carry/stage-1.json": "", "empty.md": ""})
	if err := os.Truncate(filepath.Join(dir, "carry", "stage-1.json"), maxFile+1); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Problems) != 2 || f.Problems[0].Reason != "it is no regular file" || !strings.HasPrefix(f.Problems[1].Reason, "it is larger than") {
		t.Errorf("%v", f.Problems)
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "empty.md")); err == nil {
		t.Error("a file was opened as a folder")
	}
}

// TestOwnFileIsNotBelieved: what stands in git-okstra.jsonl is checked like all else.
func TestOwnFileIsNotBelieved(t *testing.T) {
	t.Parallel()
	good := `{"commit":"` + commit("a") + `","row":{"v":1,"seq":3,"id":"x","stage":1,"status":"done","head_commit":"` + commit("a") + `"}}`
	f := open(t, map[string]string{ownName: strings.Join([]string{
		`{"schema":"git-okstra.rows/v1","task":"p:g:t","files":{"final-report.md":"00"}}`, good, good, `{"commit":"x","row":7}`, `{"row":{"id":""}}`, `[]`,
		`{"commit":"","row":{"v":1,"seq":9007199254740992,"id":"huge","stage":1,"status":"done"}}`,
		`{"commit":"","row":{"v":1,"seq":1,"id":"minus","stage":-1,"status":"done"}}`,
		`{"schema":"git-okstra.rows/v1","task":"other:g:t"}`,
	}, "\n"), "final-report.md": approvedReport})
	if f.Task != "p:g:t" || len(f.own.rows) != 1 || f.Again != 1 || len(f.Problems) != 6 {
		t.Errorf("%q %d %d %v", f.Task, len(f.own.rows), f.Again, f.Problems)
	}
	rows := f.Rows(key, Known{})
	if len(rows.Entries) != 2 || rows.Entries[0].Raw == nil || rows.Entries[0].Target != "" || len(rows.Elsewhere) != 1 {
		t.Errorf("%+v", rows)
	}
}

// TestWriteStaysInside: whatever paths say, nothing lands outside, nothing is
// overwritten, and a failure leaves nothing.
func TestWriteStaysInside(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"../x", "/x", "a/../../x", "", ".", "a//b", "a/./b", "ok/y\x00z", "first"} {
		top := t.TempDir()
		dir := filepath.Join(top, "in", "out")
		err := Write(dir, []File{{Path: "first", Content: []byte("1")}, {Path: "d/e/second"}, {Path: path}})
		if err == nil {
			t.Errorf("%q was written", path)
		}
		if left, _ := os.ReadDir(filepath.Join(top, "in")); len(left) != 0 {
			t.Errorf("%q: left over: %v", path, left)
		}
	}
	dir := t.TempDir()
	if err := Write(dir, []File{{Path: "a/run.sh", Exec: true, Content: []byte("x")}, {Path: "a/b"}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a", "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("%v %v", info, err)
	}
	if err := Write(dir, nil); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("%v", err)
	}
	if err := Write(filepath.Join(dir, "a", "b"), nil); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// TestExportBelievesNoRow: a row that names another file than an import reads puts
// nothing there.
func TestExportBelievesNoRow(t *testing.T) {
	t.Parallel()
	var entries []notes.Entry
	for i, file := range []string{"../../evil", "qa/scripts/x.sh", "consumers.jsonl/..", "carry/stage-1.json/x", "/etc/x"} {
		o := &notes.Origin{File: file, Text: "evil"}
		entries = append(entries, notes.Entry{Row: notes.Row{ID: string(rune('a' + i)), Status: notes.Imported, Okstra: o}})
	}
	for i, file := range []string{"../../evil.md", "qa/x.md", "a/b.md"} {
		o := &notes.Origin{File: file, SHA256: "0"}
		entries = append(entries, notes.Entry{Row: notes.Row{ID: string(rune('m' + i)), Status: notes.Imported, Okstra: o}})
	}
	out, err := Export(State{Key: key, Lines: log(t, entries), Plan: []byte("plan")})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range out.Files {
		names = append(names, f.Path)
	}
	if strings.Join(names, " ") != "consumers.jsonl final-report.md" {
		t.Errorf("%q", names)
	}
}

func TestReportIsTheNewestApproved(t *testing.T) {
	t.Parallel()
	for want, files := range map[string][]string{
		"runs/a/r-10.md":    {"runs/a/r-9.md", "runs/a/r-10.md", "final-report.md", "-runs/a/r-11.md", "qa/z.md", "other/z.md"},
		"final-report.md":   {"final-report.md", "-runs/a/z.md"},
		"runs/2026-10/x.md": {"runs/2026-9/x.md", "runs/2026-10/x.md"},
		"":                  {"-final-report.md", "carry/x.md"},
	} {
		all := map[string]string{}
		for _, name := range files {
			if rest, not := strings.CutPrefix(name, "-"); not {
				all[rest] = "---\napproved: false\n---\n"
			} else {
				all[name] = approvedReport
			}
		}
		f := open(t, all)
		got := ""
		if f.Report != nil {
			got = f.Report.Path
		}
		if got != want {
			t.Errorf("%q: %q, want %q", files, got, want)
		}
	}
}

func TestParseRegistry(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"worktrees":{"1":{"base":"A"},"stage-2":{"base":"b"},"x":{"base":"c"},"3":7}}`:                   "1=a 2=b ",
		`{"version":1,"entries":[{"stageNumber":1,"baseCommit":"a"},{"baseCommit":"b"},null,{"stage":2}]}`: "1=a ",
		`{"base_commit":"T","stages":[{"stage":2,"base_commit":"b"}]}`:                                     "2=b t",
		`{"stages":"none"}`: "",
	} {
		r, err := parseRegistry([]byte(text))
		got := ""
		for n := range 9 {
			if base := r.stages[number(n)]; base != "" {
				got += string(rune('0'+n)) + "=" + base + " "
			}
		}
		if got += r.base; err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestBaseIsOfAnIndependentStage: never the base of a stage that stands on another, as
// long as there is anything better.
func TestBaseIsOfAnIndependentStage(t *testing.T) {
	t.Parallel()
	line := func(stage, digit string) string {
		return `{"stage":` + stage + `,"status":"started","head_commit":"` + commit(digit) + `"}` + "\n"
	}
	for _, c := range []struct {
		registry, lines, here string
		want                  string
	}{
		{`{"worktrees":{"2":{"base":"` + commit("b") + `"},"3":{"base":"` + commit("c") + `"}}}`, line("1", "a"), "abc", "c"},
		{`{"base":"` + commit("d") + `"}`, line("1", "a"), "ad", "d"},
		{`{}`, line("2", "b") + line("1", "a"), "ab", "a"},
		{`{}`, line("2", "b") + line("1", "a"), "b", "b"},
		{`{}`, line("1", "a"), "", ""},
	} {
		f := open(t, map[string]string{registryFile: c.registry, consumersFile: c.lines})
		k := Known{Commits: map[string]gitops.Hash{}}
		for _, d := range strings.Split(c.here, "") {
			if d != "" {
				k.Commits[commit(d)] = gitops.Hash(commit(d))
			}
		}
		want := gitops.Hash("")
		if c.want != "" {
			want = gitops.Hash(commit(c.want))
		}
		if got := f.Base(func(n number) bool { return n != 2 }, k); got != want {
			t.Errorf("%s: %.3s, want %.3s", c.registry, got, want)
		}
	}
}

// TestOtherEvidenceForTheSameCommit is refused; for another commit it is new evidence.
func TestOtherEvidenceForTheSameCommit(t *testing.T) {
	t.Parallel()
	carry := func(digit, note string) string {
		return `{"stageCommitRange":{"head":"` + commit(digit) + `"},"notes":["` + note + `"]}`
	}
	f := open(t, map[string]string{"carry/stage-1.json": carry("a", "new")})
	for old, refused := range map[string]bool{carry("a", "old"): true, carry("b", "old"): false, carry("a", "new"): false} {
		k := knows(commit("a"))
		k.Evidence = map[number][]byte{1: []byte(old)}
		if got := f.Rows(key, k); (len(got.Problems) == 1) != refused || len(got.Entries) < 1 {
			t.Errorf("%s: %+v", old, got)
		}
	}
}
