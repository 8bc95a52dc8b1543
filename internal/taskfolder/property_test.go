package taskfolder

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// word draws text that an encoding could get wrong.
var word = rapid.OneOf(
	rapid.StringMatching(`[a-z -]{0,12}`),
	rapid.SampledFrom([]string{"", "한글", "\u2028", `\u2028`, `"`, `\`, "<&>", "\x00", "\r\n", "../../x", "--", "\ufeff"}),
)

// drawCommit draws one of few commits, whole or abbreviated, here or not.
func drawCommit(t *rapid.T) string {
	c := commit(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "commit"))
	return c[:rapid.SampledFrom([]int{7, 12, 40, 40, 40}).Draw(t, "digits")]
}

var here = knows(commit("a"), commit("a")[:7], commit("a")[:12], commit("b"), commit("b")[:12], commit("c"))

// jsonLine draws an object with some of the keys, in any order, spaced in one of the
// ways that JSON allows.
func jsonLine(t *rapid.T, must, may map[string]any) string {
	var parts []string
	blank := rapid.SampledFrom([]string{"", "", " "}).Draw(t, "blank")
	add := func(key string, v any) {
		k, _ := json.Marshal(key)
		x, _ := json.Marshal(v)
		parts = append(parts, string(k)+":"+blank+string(x))
	}
	for _, key := range slices.Sorted(maps.Keys(must)) {
		add(key, must[key])
	}
	for _, key := range slices.Sorted(maps.Keys(may)) {
		if rapid.Bool().Draw(t, key) {
			add(key, may[key])
		}
	}
	order := rapid.Permutation(parts).Draw(t, "order")
	return blank + "{" + strings.Join(order, ","+blank) + "}" + rapid.SampledFrom([]string{"", "", "\r"}).Draw(t, "end")
}

func drawTime(t *rapid.T) any {
	return rapid.SampledFrom([]any{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123+09:00", "2026-02-02T03:04:05Z", "soon", 7, nil}).Draw(t, "time")
}

func drawConsumer(t *rapid.T) string {
	stage := rapid.SampledFrom([]string{"stage", "stage_number", "stageNumber"}).Draw(t, "key")
	return jsonLine(t, map[string]any{
		stage:    rapid.IntRange(1, 4).Draw(t, "stage"),
		"status": rapid.SampledFrom([]string{"started", "done", "done", "paused"}).Draw(t, "status"),
	}, map[string]any{
		"impl_task_key": word.Draw(t, "task"), "started_at": drawTime(t), "completed_at": drawTime(t), "head_commit": drawCommit(t),
		"branch": word.Draw(t, "branch"), "report_path": word.Draw(t, "report"), "reason": word.Draw(t, "reason"), "replaces": drawCommit(t),
		word.Draw(t, "unknown"): []any{word.Draw(t, "value"), 1.5, nil, map[string]any{}},
	})
}

func drawCycle(t *rapid.T) string {
	return jsonLine(t, map[string]any{"stage": rapid.IntRange(1, 4).Draw(t, "stage")}, map[string]any{
		"cycle": rapid.IntRange(0, 3).Draw(t, "cycle"), "reason": word.Draw(t, "reason"), "opened_at": drawTime(t), "closed_at": drawTime(t),
		"head_commit": drawCommit(t), "extra": word.Draw(t, "extra"),
	})
}

// drawLines draws a file of lines, none twice.
func drawLines(t *rapid.T, line func(*rapid.T) string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for range rapid.IntRange(0, 8).Draw(t, "lines") {
		l := line(t)
		if !seen[strings.TrimSpace(l)] {
			seen[strings.TrimSpace(l)] = true
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// drawFolder draws all that okstra stores of a task.
func drawFolder(t *rapid.T) map[string]string {
	files := map[string]string{
		consumersFile: drawLines(t, drawConsumer),
		rapid.SampledFrom([]string{"final-report.md", "runs/a/plan.md", "runs/b/r-2.md"}).Draw(t, "report"): approvedReport + rapid.StringMatching(`[a-z한 \n]{0,20}`).Draw(t, "body"),
	}
	if lines := drawLines(t, drawCycle); lines != "" {
		files[cyclesFile] = lines
	}
	for n := range 4 {
		if rapid.Bool().Draw(t, "carry") {
			files[carryFile(plan.StageNumber(n+1))] = fmt.Sprintf("{\n  \"stageNumber\": %d, \"notes\": [\"%d\"],\n  \"stageCommitRange\": {\"head\": %q}, \"x\": 1}", n+1, n, drawCommit(t))
		}
	}
	if rapid.Bool().Draw(t, "registry") {
		files[registryFile] = fmt.Sprintf(`{"worktrees": {"1": {"base": %q, "path": "/w"}}}`, drawCommit(t)) + "\n"
	}
	return files
}

// enter reads a folder's files into a log.
func enter(t *rapid.T, dir string, files map[string]string, k Known) (*Folder, []notes.Line) {
	fill(t, dir, files)
	f, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	rows := f.Rows(key, k)
	if len(f.Problems)+len(rows.Problems) > 0 {
		t.Fatalf("%v %v", f.Problems, rows.Problems)
	}
	return f, log(t, rows.Entries)
}

// leave exports a log and gives the files.
func leave(t *rapid.T, lines []notes.Line, source string) map[string]string {
	out, err := Export(State{Key: key, Lines: lines, Base: gitops.Hash(commit("a")), Plan: []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range out.Files {
		files[f.Path] = string(f.Content)
	}
	return files
}

func same2(t *rapid.T, what string, got, want map[string]string) {
	for name := range maps.Keys(want) {
		if got[name] != want[name] {
			t.Errorf("%s: %s is\n%q\nwant\n%q", what, name, got[name], want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s was not there: %q", what, name, got[name])
		}
	}
}

// TestExportUndoesImport: whatever okstra stores comes back byte for byte.
func TestExportUndoesImport(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := drawFolder(rt)
		f, lines := enter(rt, t.TempDir(), files, here)
		same2(rt, "export", leave(rt, lines, string(f.Report.Source)), files)
	})
}

// TestImportUndoesExport: a log with rows of both kinds is the same after an export and
// an import elsewhere, and again after another one.
func TestImportUndoesExport(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, lines := enter(rt, t.TempDir(), drawFolder(rt), here)
		lines = append(lines, drawNative(rt, lines)...)
		files := leave(rt, lines, string(f.Report.Source))
		_, again := enter(rt, t.TempDir(), files, here)
		a, b := text(lines), text(again)
		if a != b {
			rt.Fatalf("%s\nbecame\n%s", a, b)
		}
		same2(rt, "second export", leave(rt, again, string(f.Report.Source)), files)
	})
}

// drawNative draws rows as this tool writes them, behind those that stand.
func drawNative(t *rapid.T, standing []notes.Line) []notes.Line {
	seq := uint64(len(standing)) + 10
	var out []notes.Line
	for i := range rapid.IntRange(1, 6).Draw(t, "native") {
		seq += uint64(rapid.IntRange(0, 2).Draw(t, "step"))
		head := gitops.Hash(commit(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "head")))
		row := notes.Row{
			V: 1, Seq: seq, ID: fmt.Sprintf("id-%d", i), Task: key.String(), Stage: plan.StageNumber(rapid.IntRange(1, 4).Draw(t, "stage")),
			Status: rapid.SampledFrom([]notes.Status{notes.Started, notes.Done, notes.Released, notes.Reopened, "verified"}).Draw(t, "status"),
			At:     "2026-03-04T05:06:07Z", By: word.Draw(t, "by"), Claim: word.Draw(t, "claim"), Reason: word.Draw(t, "reason"),
		}
		if row.Status == notes.Started || row.Status == notes.Done {
			row.Head = head
		}
		if row.Status == notes.Done && rapid.Bool().Draw(t, "evidence") {
			row.Carry = &notes.Carry{SchemaVersion: 1, StageNumber: row.Stage, FilesChanged: []string{word.Draw(t, "file")}}
		}
		raw, err := row.Encode()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, notes.ParseNote(head, raw)...)
	}
	return notes.Sort(out)
}

func text(lines []notes.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.Write(append(l.Raw, '\n'))
	}
	return b.String()
}

// TestSameRowsEverywhere: two imports of one folder give the same ids, whatever commits
// are here.
func TestSameRowsEverywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		_, a := enter(rt, dir, drawFolder(rt), here)
		f, err := Open(t.Context(), dir)
		if err != nil {
			rt.Fatal(err)
		}
		defer f.Close()
		ids := map[string]bool{}
		for _, l := range a {
			ids[l.Row.ID] = true
		}
		for _, e := range f.Rows(key, knows(commit("b"))).Entries {
			if !ids[e.Row.ID] && e.Row.Okstra.Bytes() != nil {
				rt.Errorf("another row: %+v", e.Row)
			}
		}
	})
}
