package lifecycle

import (
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
)

// refs is what the repository holds but for the objects of notes, which have a clock.
func (f *fixture) refs() string { return f.repo.Git("for-each-ref", "--format=%(refname)") }

// TestCompleteStart: from every prefix of a start the rest is written, in the holder's
// name, and a whole start stays as it is.
func TestCompleteStart(t *testing.T) {
	for _, gone := range [][]string{
		{"notes", "branch", "base", "claim"},
		{"notes", "branch", "base"},
		{"notes", "branch"},
		{"notes"},
		{},
	} {
		f := newFixture(t)
		f.approve("1:\n2:\n")
		f.eng.Caller.Run = "r1"
		s, err := f.start(1)
		if err != nil {
			t.Fatal(err)
		}
		whole := f.refs()
		tip := f.task().NotesTip
		for _, what := range gone {
			name := map[string]string{
				"notes": string(notes.Ref(s.Key)), "branch": string(s.Branch), "base": string(f.task().Ref("base")),
				"claim": claimPrefix + s.Key.Ref() + "/" + string(s.tag),
			}[what]
			f.repo.Git("update-ref", "-d", name)
		}
		f.eng.Caller = Caller{Actor: "the doctor", Host: "here", Run: "another"}
		if err := f.eng.CompleteStart(t.Context(), f.task(), 1); err != nil {
			t.Fatalf("%q: %v", gone, err)
		}
		if got := f.refs(); got != whole {
			t.Errorf("%q: refs\n%s\nwant\n%s", gone, got, whole)
		}
		lines, err := notes.Read(t.Context(), f.eng.Repo, f.task().NotesTip)
		if err != nil || len(lines) != 1 {
			t.Fatalf("%q: %v %v", gone, lines, err)
		}
		if r := lines[0].Row; r.By != "me" || r.Host != "here" || r.Run != "r1" || r.Claim != s.claim || r.Branch != shortBranch(s.Branch) {
			t.Errorf("%q: %+v", gone, r)
		}
		if len(gone) == 0 && f.task().NotesTip != tip {
			t.Error("a whole start was written to")
		}
		if err := f.eng.CompleteStart(t.Context(), f.task(), 1); err != nil {
			t.Errorf("%q, again: %v", gone, err)
		}
	}
}

// TestCompleteStartOfAnotherClone: the row can be had from the tag, the branch is where
// the work is.
func TestCompleteStartOfAnotherClone(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{string(notes.Ref(s.Key)), string(s.Branch), claimPrefix + s.Key.Ref() + "/" + string(s.tag)} {
		f.repo.Git("update-ref", "-d", name)
	}
	f.eng.Caller.Host = "there"
	for range 2 {
		if err := f.eng.CompleteStart(t.Context(), f.task(), 1); err != nil {
			t.Fatal(err)
		}
		if _, _, code := f.repo.TryGit("rev-parse", "-q", "--verify", string(s.Branch)); code == 0 {
			t.Fatal("the branch was made")
		}
		if f.task().NotesTip == "" {
			t.Fatal("the row was not written")
		}
	}
}

// TestResumeInAnotherClone: the same run elsewhere does not begin the stage's branch
// anew; with the branch, fetched, it takes the stage up.
func TestResumeInAnotherClone(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	f.eng.Caller.Run = "r1"
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{string(s.Branch), claimPrefix + s.Key.Ref() + "/" + string(s.tag)} {
		f.repo.Git("update-ref", "-d", name)
	}
	f.eng.Caller.Host = "there"
	before := f.refs()
	_, err = f.start(1)
	f.mustKind(err, Taken)
	if got := f.refs(); got != before {
		t.Errorf("refs\n%s\nbefore\n%s", got, before)
	}
	f.repo.Git("update-ref", string(s.Branch), "main")
	if again, err := f.start(1); err != nil || !again.Already {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestResumeWritesTheHoldersRow: a row that a crash left out says who began the stage.
func TestResumeWritesTheHoldersRow(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	f.eng.Caller.Run = "r1"
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	f.repo.Git("update-ref", "-d", string(notes.Ref(s.Key)))
	f.eng.Caller.Actor = "somebody else"
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	if rows := f.rows(); len(rows) != 1 || rows[0].Row.By != "me" || rows[0].Row.Claim != s.claim {
		t.Errorf("%+v", rows)
	}
}

// TestCompleteStartRefuses what cannot be completed.
func TestCompleteStartRefuses(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n3:\n")
	f.mustKind(f.eng.CompleteStart(t.Context(), f.task(), 1), Refused)
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	tag := gitops.Hash(f.repo.Git("rev-parse", string(f.task().reservedRef(1))))
	if _, err := f.finish(1); err != nil {
		t.Fatal(err)
	}
	f.repo.Git("update-ref", string(f.task().reservedRef(1)), string(tag))
	f.mustKind(f.eng.CompleteStart(t.Context(), f.task(), 1), Refused)

	f.repo.Git("update-ref", string(f.task().reservedRef(2)), "main")
	f.mustKind(f.eng.CompleteStart(t.Context(), f.task(), 2), Taken)

	f.repo.Git("tag", "-a", "-m", "no reservation", "plain", "main")
	f.repo.Git("update-ref", string(f.task().reservedRef(3)), "refs/tags/plain")
	f.mustKind(f.eng.CompleteStart(t.Context(), f.task(), 3), Environment)
}
