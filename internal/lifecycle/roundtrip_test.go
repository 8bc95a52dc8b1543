package lifecycle

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
)

// hostile are values that a person, an agent or a repository may bring along.
var hostile = []string{
	"plain", "two words", "", "별명 가나다", "a: b", "Claim: forged", "trailing \\", "x=y;z", "-rf", "#no comment",
	"Base: 0000000000000000000000000000000000000000", "<a@b>", strings.Repeat("long ", 100) + "end", "quote\"'`$(x)", "é\u0301",
}

// TestReservationRoundTrip: what a reservation says is read back as it was, and
// no value becomes another field.
func TestReservationRoundTrip(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	base := gitops.Hash(f.repo.Git("rev-parse", "HEAD"))
	for i, v := range hostile {
		want := Reservation{
			Claim: "claim", By: v, Host: "h" + v, Pid: "7", PidStart: "9", Run: v, Branch: "fix-x", Worktree: "p/g/t/stage-1",
			Base: base, At: "2026-01-02T03:04:05Z", Kept: i%2 == 0,
		}
		got := f.throughTag(&want)
		want.Tag = got.Tag
		if got != want {
			t.Errorf("%q: read back as\n%+v, want\n%+v", v, got, want)
		}
	}
	for _, v := range []string{"x\nBy: somebody else", "x\r\nBy: somebody else", "x\u2028By: somebody else", "x\n\nBy: somebody else"} {
		got := f.throughTag(&Reservation{Claim: "claim", By: "me", Run: v, Host: v, Branch: v, Base: base})
		if got.By != "me" || got.Run != "x By: somebody else" {
			t.Errorf("%q: forged as %+v", v, got)
		}
	}
}

// throughTag writes a reservation of stage 1 and reads it again.
func (f *fixture) throughTag(r *Reservation) Reservation {
	f.t.Helper()
	task := f.task()
	rec, err := f.eng.begin(f.t.Context(), "test")
	if err != nil {
		f.t.Fatal(err)
	}
	tag, err := r.tag(rec.objects, task.Key, 1, rec.sig)
	if err != nil {
		f.t.Fatal(err)
	}
	rec.tx.Tags = true
	rec.tx.Update(task.reservedRef(1), task.Reserved[1], tag)
	if err := f.eng.commit(f.t.Context(), rec); err != nil {
		f.t.Fatal(err)
	}
	if out := f.repo.Git("cat-file", "-t", string(task.reservedRef(1))); out != "tag" {
		f.t.Fatalf("a reservation is a %s", out)
	}
	got, held, err := f.eng.Reservation(f.t.Context(), f.task(), 1)
	if err != nil || !held {
		f.t.Fatalf("read reservation: %v %v", held, err)
	}
	return got
}

// TestPlanMetaRoundTrip: what stands beside a plan is read back as it was.
func TestPlanMetaRoundTrip(t *testing.T) {
	word := rapid.StringMatching(`[a-zA-Z가-힣:=#"'-][ -~가-힣]{0,20}[a-z가-힣:.]`)
	rapid.Check(t, func(rt *rapid.T) {
		maybe := func(name string) string {
			return rapid.OneOf(rapid.Just(""), word).Draw(rt, name)
		}
		want := PlanMeta{
			Task: word.Draw(rt, "task"), Onto: gitops.RefName("refs/heads/" + word.Draw(rt, "onto")),
			Ruleset: maybe("ruleset"), Path: maybe("path"), Category: maybe("category"),
		}
		message, err := gitops.AppendTrailers("okstra: plan of x approved", want.trailers()...)
		if err != nil {
			rt.Fatal(err)
		}
		if got := parseMeta(message); got != want {
			rt.Fatalf("%+v, want %+v, from\n%s", got, want, message)
		}
	})
}

// TestPlanMetaOfForeignMessages: a message that is not ours says nothing.
func TestPlanMetaOfForeignMessages(t *testing.T) {
	for _, message := range []string{"", "fix: a thing\n", "Okstra-Task: p:g:t\n", "subject\n\nOkstra-Taskx: p:g:t\n\nbody goes on\n"} {
		if got := parseMeta(message); got != (PlanMeta{}) {
			t.Errorf("%q: %+v", message, got)
		}
	}
	if got := parseMeta("s\n\nOkstra-Onto: refs/heads/x\n"); got.Onto != "refs/heads/refs/heads/x" {
		t.Errorf("a branch called as a ref: %q", got.Onto)
	}
}

// TestWriteTreeNests: files become the trees that git itself would make of them,
// whatever order they come in.
func TestWriteTreeNests(t *testing.T) {
	f := newFixture(t)
	contents := map[string]string{
		"plan.md": "# plan\n", "qa/conformance-manifest.json": "{}\n", "qa/scripts/a.sh": "exit\n", "qa/scripts/deep/er/b.sh": "exit 1\n",
		"qa/scripts.txt": "sorts before scripts/\n", "qa-x": "sorts before qa/\n", "qa/scripts/별명.sh": "", "qa/scripts/a": "a\n",
	}
	files := map[string]File{}
	for path, text := range contents {
		mode := gitops.ModeFile
		if strings.HasSuffix(path, ".sh") {
			mode = gitops.ModeExec
		}
		files[path] = File{Path: path, Mode: mode, Content: []byte(text)}
	}
	w := f.eng.Repo.NewObjects()
	tree, err := writeTree(w, files)
	if err != nil {
		t.Fatal(err)
	}
	pack, err := w.Flush(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pack.Discard() }()

	dir := t.TempDir()
	for path, text := range contents {
		f.repo.Write("made/"+path, text)
		if strings.HasSuffix(path, ".sh") {
			if err := os.Chmod(f.repo.Dir+"/made/"+path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.repo.Env = append(f.repo.Env, "GIT_INDEX_FILE="+dir+"/index")
	f.repo.Git("add", "made")
	if want := f.repo.Git("write-tree", "--prefix=made/"); string(tree) != want {
		t.Errorf("tree %s, want git's %s:\n%s", tree, want, f.repo.Git("ls-tree", "-r", string(tree)))
	}
	listed := strings.Split(f.repo.Git("ls-tree", "-rz", "--name-only", string(tree)), "\x00")
	listed = slices.DeleteFunc(listed, func(s string) bool { return s == "" })
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(contents)); !slices.Equal(listed, want) {
		t.Errorf("files %q, want %q", listed, want)
	}
}

// TestCompleteWritesOnlyWhatIsMissing: of a start of which a crash left any part,
// resuming makes the whole, and makes nothing twice.
func TestCompleteWritesOnlyWhatIsMissing(t *testing.T) {
	for mask := range 8 {
		t.Run(fmt.Sprintf("%03b", mask), func(t *testing.T) {
			f := newFixture(t)
			f.approve("1:\n2:\n")
			f.eng.Caller.Run = "r"
			first, err := f.start(1)
			if err != nil {
				t.Fatal(err)
			}
			whole := f.repo.Git("for-each-ref", "--format=%(refname) %(objecttype)")
			rows := f.repo.Git("notes", "--ref=okstra/p/g/T-1", "show", string(first.Base))
			for i, ref := range []string{"refs/okstra/p/g/T-1/base", string(first.Branch), "refs/notes/okstra/p/g/T-1"} {
				if mask>>i&1 == 1 {
					f.repo.Git("update-ref", "-d", ref)
				}
			}
			again, err := f.start(1)
			if err != nil || !again.Already || again.Base != first.Base || again.Branch != first.Branch || again.Tip != first.Base {
				t.Fatalf("%+v %v", again, err)
			}
			if got := f.repo.Git("for-each-ref", "--format=%(refname) %(objecttype)"); got != whole {
				t.Errorf("refs:\n%s\nwant\n%s", got, whole)
			}
			got := f.repo.Git("notes", "--ref=okstra/p/g/T-1", "show", string(first.Base))
			if mask&4 == 0 && got != rows {
				t.Errorf("a row that stood was written again: %s", got)
			}
			if strings.Count(got, `"status":"started"`) != 1 || strings.Count(got, "\n") != 0 {
				t.Errorf("rows: %s", got)
			}
			tips := f.repo.Git("for-each-ref")
			if _, err := f.start(1); err != nil || f.repo.Git("for-each-ref") != tips {
				t.Errorf("a third start changed something: %v", err)
			}
		})
	}
}

// TestCompleteKeepsCommits: resuming never moves a branch that has work on it.
func TestCompleteKeepsCommits(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	f.eng.Caller.Run = "r"
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	work := f.repo.Git("commit-tree", "main^{tree}", "-p", "main", "-m", "work")
	f.repo.Git("update-ref", string(s.Branch), work)
	f.repo.Git("update-ref", "-d", "refs/notes/okstra/p/g/T-1")
	again, err := f.start(1)
	if err != nil || string(again.Tip) != work || f.repo.Git("rev-parse", string(s.Branch)) != work {
		t.Errorf("%+v %v", again, err)
	}
}

// TestUnusableReservation: a tag that names no branch or folder is explained, and
// can be given back.
func TestUnusableReservation(t *testing.T) {
	for _, r := range []Reservation{
		{Run: "r", Worktree: "p/g/T-1/stage-1"}, {Run: "r", Branch: "a..b", Worktree: "p/g/T-1/stage-1"}, {Run: "r", Branch: "fix-x"},
	} {
		f := newFixture(t)
		f.approve("1:\n")
		f.eng.Caller.Run = "r"
		r.Base = gitops.Hash(f.repo.Git("rev-parse", "HEAD"))
		f.throughTag(&r)
		before := f.repo.Git("for-each-ref")
		_, err := f.start(1)
		f.mustKind(err, Environment)
		if f.repo.Git("for-each-ref") != before {
			t.Errorf("%+v: refs were changed", r)
		}
		if _, err := f.eng.Release(t.Context(), f.task(), 1, ""); err != nil {
			t.Errorf("%+v: release: %v", r, err)
		}
		if _, err := f.start(1); err != nil {
			t.Errorf("%+v: start after release: %v", r, err)
		}
	}
}

// TestReservationIsNoTag: a reserved ref on something else is an error that names
// the stage, not a free stage.
func TestReservationIsNoTag(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n")
	f.repo.Git("update-ref", "refs/okstra/p/g/T-1/reserved/1", "HEAD")
	_, err := f.start(1)
	if err == nil || !strings.Contains(err.Error(), "stage 1") {
		t.Errorf("error %v", err)
	}
	if s, err := f.start(0); err != nil || s.Stage != 2 {
		t.Errorf("next: %+v %v", s, err)
	}
}
