package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// line makes a line of the results' log.
func line(id string) func(uint64) ([]byte, error) {
	return func(seq uint64) ([]byte, error) {
		return fmt.Appendf(nil, `{"v":1,"seq":%d,"id":%q,"status":"conformance","stage":1}`, seq, id), nil
	}
}

// TestRecordResultRaces holds that no result is lost where many are written at once.
func TestRecordResultRaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.approve("1\n2:1\n")
	task := f.task()
	if task.QATip != "" {
		t.Fatalf("results before there are any: %s", task.QATip)
	}
	head := gitops.Hash(strings.TrimSpace(f.repo.Git("rev-parse", "HEAD")))
	var wg sync.WaitGroup
	const writers = 8
	errs := make([]error, writers)
	for i := range writers {
		wg.Go(func() { _, errs[i] = f.eng.RecordResult(t.Context(), task, head, line(fmt.Sprintf("id-%d", i))) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	lines, err := notes.Read(t.Context(), f.eng.Repo, f.task().QATip)
	if err != nil || len(lines) != writers {
		t.Fatalf("%d results of %d (%v)", len(lines), writers, err)
	}
	for i, l := range lines {
		if l.Row.Seq != uint64(i+1) || l.Commit != head {
			t.Errorf("result %d: seq %d on %s", i, l.Row.Seq, l.Commit)
		}
	}
	if got := f.repo.Git("notes", "--ref=okstra-qa/p/g/T-1", "show", "HEAD"); strings.Count(got, "conformance") != writers {
		t.Errorf("stock git shows\n%s", got)
	}
}

// TestResultsOfTwoClones holds that results are merged as rows are: each once, whichever
// side is asked first.
func TestResultsOfTwoClones(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.approve("1\n")
	task := f.task()
	head := gitops.Hash(f.repo.Git("rev-parse", "HEAD"))
	record := func(id string) gitops.Hash {
		tip, err := f.eng.RecordResult(t.Context(), task, head, line(id))
		if err != nil {
			t.Fatal(err)
		}
		return tip
	}
	both := record("both")
	ours := record("ours")
	f.repo.Git("update-ref", string(notes.QARef(task.Key)), string(both))
	theirs := record("theirs")
	for _, side := range [][2]gitops.Hash{{ours, theirs}, {theirs, ours}, {both, theirs}} {
		w := f.eng.Repo.NewObjects()
		sig, err := f.eng.signature(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tip, err := notes.Merge(t.Context(), f.eng.Repo, w, side[0], side[1], sig, nil)
		if err != nil {
			t.Fatal(err)
		}
		tx := gitops.Transaction{Reason: "test"}
		now := gitops.Hash(f.repo.Git("rev-parse", string(notes.QARef(task.Key))))
		tx.Update(notes.QARef(task.Key), now, tip)
		if err := f.eng.Repo.ApplyObjects(t.Context(), w, tx); err != nil {
			t.Fatal(err)
		}
		lines, err := notes.Read(t.Context(), f.eng.Repo, tip)
		want := 3
		if side[0] == both {
			want = 2
		}
		if err != nil || len(lines) != want || lines[0].Row.ID != "both" {
			t.Errorf("%d results, want %d (%v)", len(lines), want, err)
		}
	}
}

func TestWaive(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.approve("1\n2:1\n")
	_, err := f.eng.Waive(t.Context(), f.task(), WaiveRequest{Stage: 9, Surfaces: []string{"db"}, Why: "x"})
	f.mustKind(err, Usage)
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[plan.StageNumber]gitops.Hash{1: f.task().Base, 2: f.task().PlanCommit} {
		rows, err := f.eng.Waive(t.Context(), f.task(), WaiveRequest{Stage: n, Surfaces: []string{"db", "io"}, Why: "no server", Until: "2030-01-01"})
		if err != nil || len(rows) != 2 {
			t.Fatalf("%v, %v", rows, err)
		}
		found := 0
		for _, l := range f.rows() {
			if l.Row.Status == notes.Waived && l.Row.Stage == n && l.Commit == want && l.Row.Reason == "no server" && l.Row.Until == "2030-01-01" {
				found++
			}
		}
		if found != 2 {
			t.Errorf("stage %d: %d rows on %s, want 2", n, found, want)
		}
	}
	waivers, err := f.eng.Waivers(t.Context(), f.task())
	if err != nil || len(waivers[1]) != 2 || waivers[1][0].Surface != "db" || waivers[1][1].Surface != "io" || len(waivers[2]) != 2 {
		t.Errorf("waivers %v (%v)", waivers, err)
	}
}

// TestFinishAsksWhatConforms holds that the very commits that are recorded are asked about,
// that a refusal writes nothing, and that the row says what is waived.
func TestFinishAsksWhatConforms(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.approve("1\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	branch, _ := branchNames(f.task(), 1)
	head := gitops.Hash(f.repo.Git("commit-tree", string(branch)+"^{tree}", "-p", string(branch), "-m", "work"))
	f.repo.Git("update-ref", string(branch), string(head))
	before := f.refs()
	no := errors.New("no")
	_, err := f.eng.Finish(t.Context(), f.task(), DoneRequest{Stage: 1, Conforms: func(_ context.Context, task *Task, n plan.StageNumber, base, tip gitops.Hash) (string, error) {
		if n != 1 || base != task.Base || tip != head {
			t.Errorf("asked about stage %d, %s..%s", n, base, tip)
		}
		return "", no
	}})
	if !errors.Is(err, no) || f.refs() != before {
		t.Errorf("error %v, refs\n%s", err, f.refs())
	}
	if _, err := f.eng.Finish(t.Context(), f.task(), DoneRequest{Stage: 1, Conforms: func(context.Context, *Task, plan.StageNumber, gitops.Hash, gitops.Hash) (string, error) {
		return "db,io", nil
	}}); err != nil {
		t.Fatal(err)
	}
	rows := f.rows()
	if last := rows[len(rows)-1].Row; last.Status != notes.Done || last.Surface != "db,io" {
		t.Errorf("row %+v", last)
	}
}

// TestTrust holds that a plan is trusted where it was approved, and that trust is for one
// thing.
func TestTrust(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	approve := func(qa ...File) Approved {
		out, err := f.eng.Approve(t.Context(), ApproveRequest{
			Key: plan.TaskKey{Project: "p", Group: "g", Task: "T 1"}, Source: []byte("1\n"), Plan: lines("1\n"), QA: qa, Trust: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	manifest := File{Path: "qa/conformance-manifest.json", Mode: gitops.ModeFile, Content: []byte("[]")}
	bare := approve()
	out := approve(manifest)
	a, b := Trusted{"x", "y"}, Trusted{"x\x00y", ""}
	untrusted := func(list ...Trusted) int {
		got, err := f.eng.Untrusted(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		return len(got)
	}
	if untrusted(TrustedPlan(out.Commit), TrustedPlan(bare.Commit)) != 0 {
		t.Error("a plan that was approved here is not trusted")
	}
	if n := untrusted(a, b, a); n != 2 {
		t.Errorf("%d are not trusted, want 2", n)
	}
	for range 2 {
		if err := f.eng.Trust(t.Context(), []Trusted{a, a}, out.Commit); err != nil {
			t.Fatal(err)
		}
	}
	if untrusted(a) != 0 || untrusted(b) != 1 {
		t.Error("trust in one thing is trust in another")
	}
	// the form of older versions, which another clone may have sent
	key, err := cloneKey(f.eng.Repo.CommonDir())
	if err != nil {
		t.Fatal(err)
	}
	f.repo.Git("update-ref", TrustedPrefix+b.hash(), string(out.Commit))
	f.repo.Git("update-ref", string(b.ref([]byte("another clone's key"))), string(out.Commit))
	if untrusted(b) != 1 {
		t.Error("a ref without this clone's proof is trust")
	}
	// a revision that came from elsewhere, and is then approved here
	f.repo.Git("update-ref", "-d", string(TrustedPlan(out.Commit).ref(key)))
	if again := approve(manifest); !again.Already || untrusted(TrustedPlan(out.Commit)) != 0 {
		t.Errorf("approved again: %+v, and not trusted", again)
	}
}
