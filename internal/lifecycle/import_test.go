package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

var importKey = plan.TaskKey{Project: "p", Group: "g", Task: "T 1"}

// from is what an imported row keeps of where it came from.
var from = &notes.Origin{File: "consumers.jsonl", Text: "x"}

// incoming is an imported row on a commit.
func incoming(id string, status notes.Status, n plan.StageNumber, head gitops.Hash) notes.Entry {
	return notes.Entry{Target: head, Row: notes.Row{ID: id, Task: importKey.String(), Stage: n, Status: status, Head: head, Okstra: from}}
}

// commits makes n commits on main and returns them; all are here.
func (f *fixture) commits(n int) ([]gitops.Hash, map[gitops.Hash]bool) {
	f.t.Helper()
	var out []gitops.Hash
	here := map[gitops.Hash]bool{}
	for i := range n {
		f.repo.Git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("c", i))
		out = append(out, gitops.Hash(f.repo.Git("rev-parse", "HEAD")))
		here[out[i]] = true
	}
	return out, here
}

func (f *fixture) take(req ImportRequest) Import {
	f.t.Helper()
	req.Key = importKey
	out, err := f.eng.Import(f.t.Context(), req)
	if err != nil {
		f.t.Fatal(err)
	}
	f.clean()
	return out
}

func (f *fixture) clean() {
	f.t.Helper()
	if out, errOut, code := f.repo.TryGit("fsck"); code != 0 || out+errOut != "" {
		f.t.Errorf("git fsck: %s%s", out, errOut)
	}
}

func approval(src string) *ApproveRequest {
	return &ApproveRequest{Key: importKey, Source: []byte(src), Plan: lines(src), Category: "bugfix"}
}

// logOf lists the log as id:stage:status.
func (f *fixture) logOf() string {
	f.t.Helper()
	all, err := notes.Read(f.t.Context(), f.eng.Repo, f.task().NotesTip)
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, l := range all {
		out = append(out, fmt.Sprintf("%d.%s:%s", l.Row.Seq, l.Row.ID, l.Commit.Short()[:4]))
	}
	return strings.Join(out, " ")
}

// TestImportIsOneTransaction: plan, base, rows and done refs come together; the last
// done row of a stage counts, and only one whose commit is here.
func TestImportIsOneTransaction(t *testing.T) {
	f := newFixture(t)
	c, here := f.commits(3)
	gone := gitops.Hash(strings.Repeat("1", 40))
	req := ImportRequest{
		Approve: approval("1:\n2: 1\n3:\n"), Base: c[0], Here: here,
		Entries: []notes.Entry{
			incoming("s1", notes.Started, 1, c[0]), incoming("d1", notes.Done, 1, c[1]), incoming("d1b", notes.Done, 1, c[2]),
			incoming("d1c", notes.Done, 1, c[1]), incoming("s2", notes.Started, 2, c[1]),
			{Row: notes.Row{ID: "d3", Stage: 3, Status: notes.Done, Head: gone, Okstra: from}},
		},
	}
	dry := req
	dry.DryRun = true
	if out := f.take(dry); out.Fresh != 6 || !out.Approved || out.Plan != "" || len(out.Done) != 1 || f.repo.Git("for-each-ref", "refs/okstra", "refs/notes") != "" {
		t.Errorf("dry run: %+v", out)
	}
	out := f.take(req)
	task := f.task()
	if out.Nothing() || out.Plan != task.PlanCommit || task.Base != c[0] || len(task.Done) != 1 || task.Done[1] != c[1] || len(task.Reserved) != 0 {
		t.Errorf("%+v %+v", out, task)
	}
	if !slices.Equal(out.Unfinished, []plan.StageNumber{2}) {
		t.Errorf("unfinished: %v", out.Unfinished)
	}
	short := func(i int) string { return c[i].Short()[:4] }
	want := fmt.Sprintf("1.s1:%s 2.d1:%s 3.d1b:%s 4.d1c:%s 5.s2:%s 6.d3:%s", short(0), short(1), short(2), short(1), short(1), short(0))
	if got := f.logOf(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if n := f.repo.Git("rev-list", "--count", string(notes.Ref(importKey))); n != "1" {
		t.Errorf("%s notes commits", n)
	}
	before := f.repo.Git("for-each-ref")
	if again := f.take(req); !again.Nothing() || f.repo.Git("for-each-ref") != before {
		t.Errorf("a second import: %+v", again)
	}
}

// TestImportCompletesACrash: rows without their done refs are a state that the next
// import completes.
func TestImportCompletesACrash(t *testing.T) {
	f := newFixture(t)
	c, here := f.commits(2)
	req := ImportRequest{Approve: approval("1:\n2:\n"), Here: here, Entries: []notes.Entry{incoming("d1", notes.Done, 1, c[0]), incoming("d2", notes.Done, 2, c[1])}}
	f.take(req)
	f.repo.Git("update-ref", "-d", string(f.task().doneRef(2)))
	if out := f.take(req); out.Fresh != 0 || len(out.Done) != 1 || f.task().Done[2] != c[1] {
		t.Errorf("%+v", out)
	}
}

// TestImportLeavesWhatIsHere: a plan, a base and a stage that was ended here stay; a
// done ref that an import set moves on with the rows.
func TestImportLeavesWhatIsHere(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n3:\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	mine, err := f.finish(1)
	if err != nil {
		t.Fatal(err)
	}
	base := f.task().Base
	c, here := f.commits(3)
	req := ImportRequest{
		Approve: approval("1:\n9:\n"), Base: c[0], Here: here,
		Entries: []notes.Entry{incoming("d1", notes.Done, 1, c[0]), incoming("d2", notes.Done, 2, c[1])},
	}
	out := f.take(req)
	task := f.task()
	if out.Approved || out.BaseSet || task.Base != base || task.Done[1] != mine.Head || task.Done[2] != c[1] || out.KeptDone[1] != mine.Head || len(task.Plan.Stages) != 3 {
		t.Errorf("%+v %+v", out, task)
	}
	req.Entries = append(req.Entries, incoming("d2b", notes.Done, 2, c[2]))
	if out := f.take(req); out.Done[2] != c[2] || f.task().Done[2] != c[2] {
		t.Errorf("%+v", out)
	}
	if _, err := f.start(3); err != nil {
		t.Fatal(err)
	}
	req.Entries = append(req.Entries, incoming("d3", notes.Done, 3, c[2]))
	if out := f.take(req); len(out.Held) != 1 || out.Fresh != 1 || f.task().Done[3] != "" {
		t.Errorf("a stage that is held here: %+v", out)
	}
	if _, err := f.eng.Release(t.Context(), f.task(), 3, ""); err != nil {
		t.Fatal(err)
	}
	if out := f.take(req); out.Done[3] != c[2] {
		t.Errorf("after its release: %+v", out)
	}
	if done, err := f.eng.Finish(t.Context(), f.task(), DoneRequest{Stage: 1}); err != nil || !done.Already {
		t.Errorf("%+v %v", done, err)
	}
}

// TestImportOfRowsFromAnotherLog: rows with a seq of their own keep it, byte for byte,
// those without go on behind, and so does what is done here afterwards.
func TestImportOfRowsFromAnotherLog(t *testing.T) {
	f := newFixture(t)
	c, here := f.commits(2)
	raw := []byte(`{"v":1,"seq":40,"id":"own","stage":1,"status":"done","head_commit":"` + string(c[1]) + `","new":{"b":1}}`)
	row := notes.ParseNote(c[1], raw)[0].Row
	reopened := []byte(`{"v":1,"seq":41,"id":"re","stage":2,"status":"reopened"}`)
	out := f.take(ImportRequest{
		Approve: approval("1:\n2:\n3:\n"), Here: here,
		Entries: []notes.Entry{
			{Target: c[1], Row: row, Raw: raw},
			incoming("d1", notes.Done, 1, c[0]), incoming("s3", notes.Started, 3, c[0]),
			{Target: c[0], Row: notes.ParseNote(c[0], reopened)[0].Row, Raw: reopened},
		},
	})
	if out.Done[1] != c[0] || !strings.Contains(f.repo.Git("notes", "--ref="+string(notes.Ref(importKey)), "show", string(c[1])), `"new":{"b":1}`) {
		t.Errorf("%+v", out)
	}
	if got := f.logOf(); !strings.HasPrefix(got, "40.own:") || !strings.Contains(got, " 41.re:") || !strings.Contains(got, " 42.d1:") || !strings.Contains(got, " 43.s3:") {
		t.Errorf("%s", got)
	}
	if _, err := f.start(2); err != nil {
		t.Fatal(err)
	}
	if got := f.logOf(); !strings.Contains(got, " 44.id-") {
		t.Errorf("%s", got)
	}
}

// TestImportAfterAReopening: a stage that was reopened here is not done again by rows
// that were imported before.
func TestImportAfterAReopening(t *testing.T) {
	s := settle([]notes.Line{
		{Row: notes.Row{Seq: 1, ID: "a", Stage: 1, Status: notes.Done, Head: "x", Okstra: from}},
		{Row: notes.Row{Seq: 2, ID: "b", Stage: 1, Status: notes.Reopened}},
		{Row: notes.Row{Seq: 3, ID: "c", Stage: 2, Status: notes.Done, Head: "y", Okstra: from}},
		{Row: notes.Row{Seq: 4, ID: "d", Stage: 2, Status: notes.Reopened, Okstra: from}},
		{Row: notes.Row{Seq: 5, ID: "e", Stage: 3, Status: notes.Started}},
		{Row: notes.Row{Seq: 6, ID: "f", Stage: 3, Status: notes.Released}},
		{Row: notes.Row{Seq: 7, ID: "g", Status: notes.Done, Head: "z"}},
		{Foreign: true},
	}, nil)
	if s.done[0] != "" {
		t.Error("a row of no stage ends one")
	}
	if _, done := s.done[1]; done || s.done[2] != "y" || s.latest[3] != "" || s.ours[2] {
		t.Errorf("%+v", s)
	}
}

// TestImportNeedsAPlan: rows alone are refused, and a key that is spelled otherwise too.
func TestImportNeedsAPlan(t *testing.T) {
	f := newFixture(t)
	_, err := f.eng.Import(t.Context(), ImportRequest{Key: importKey})
	f.mustKind(err, Refused)
	f.approve("1:\n")
	_, err = f.eng.Import(t.Context(), ImportRequest{Key: plan.TaskKey{Project: "p", Group: "g", Task: "T:1"}})
	f.mustKind(err, Refused)
	detached := newFixture(t)
	detached.repo.Git("checkout", "-q", "--detach")
	_, err = detached.eng.Import(t.Context(), ImportRequest{Key: importKey, Approve: approval("1:\n")})
	detached.mustKind(err, Usage)
	if detached.repo.Git("for-each-ref", "refs/okstra") != "" {
		t.Error("a refused import changed refs")
	}
}

// TestImportLosesARace: a log that moves while the import is made is read again, and no
// row of either side is lost or doubled.
func TestImportLosesARace(t *testing.T) {
	f := newFixture(t)
	c, here := f.commits(1)
	f.approve("1:\n2:\n")
	req := ImportRequest{Key: importKey, Here: here, Entries: []notes.Entry{incoming("a", notes.Done, 1, c[0]), incoming("b", notes.Started, 2, c[0])}}
	states, err := f.eng.listRefs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stale := *states[importKey.Ref()]
	old, err := f.eng.current(t.Context(), states, importKey)
	if err != nil {
		t.Fatal(err)
	}
	f.take(req)
	out, fresh := compare(&stale, nil, req)
	if err := f.eng.writeImport(t.Context(), req, old, &stale, fresh, &out); !lostRace(err) {
		t.Errorf("a stale import: %v", err)
	}
	if out := f.take(req); !out.Nothing() || strings.Count(f.logOf(), " ") != 1 {
		t.Errorf("%+v %s", out, f.logOf())
	}
}
