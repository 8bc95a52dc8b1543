package reconcile

import (
	"fmt"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// BenchmarkFind looks for a stage that is not there in a history of 20,000 commits, and
// for one that was squashed at its beginning: field report C4. Either the commits change
// other files than the stage, or all of them the same one.
func BenchmarkFind(b *testing.B) {
	const commits = 20000
	for _, busy := range []bool{false, true} {
		for _, there := range []bool{false, true} {
			b.Run(fmt.Sprintf("same_file=%v/there=%v", busy, there), func(b *testing.B) {
				repo, stage, tip := longHistory(b, commits, busy, there)
				b.ResetTimer()
				for range b.N {
					answer, err := Find(b.Context(), repo, []Stage{stage}, tip, 0)
					if err != nil {
						b.Fatal(err)
					}
					if r := answer.Results[0]; (r.Verdict == Done) != there {
						b.Fatalf("%+v", answer)
					}
				}
			})
		}
	}
}

// longHistory makes a stage of two commits on files a and b, and a history of commits on
// one of 200 files in folders, or on a.
func longHistory(t testing.TB, commits int, busy, there bool) (*gitops.Repo, Stage, gitops.Hash) {
	t.Helper()
	made := testrepo.New(t, "empty")
	var s strings.Builder
	n := 0
	commit := func(branch, from, name, text string) {
		n++
		fmt.Fprintf(&s, "commit refs/heads/%s\nmark :%d\ncommitter T <t@example.com> %d +0000\ndata 2\nm\n\n%sM 100644 inline %s\ndata %d\n%s\n",
			branch, n, 1700000000+n, from, name, len(text), text)
	}
	commit("main", "", "a", text("a", 60))
	commit("main", "", "b", text("b", 60))
	commit("stage", "from :2\n", "a", "stage\n"+text("a", 60))
	commit("stage", "", "b", "stage\n"+text("b", 60))
	if there {
		commit("main", "", "a", "stage\n"+text("a", 60))
		b := "stage\n" + text("b", 60)
		fmt.Fprintf(&s, "M 100644 inline b\ndata %d\n%s\n", len(b), b)
	}
	for i := range commits {
		name := fmt.Sprintf("dir%d/file%d", i%20, i%200)
		if busy {
			name = "a"
		}
		commit("main", "", name, fmt.Sprintf("%d\n", i)+text("a", 60))
	}
	made.Write("script", s.String())
	made.Git("-c", "alias.load=!git fast-import --quiet <script", "load")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	at := func(rev string) gitops.Hash { return gitops.Hash(made.Git("rev-parse", rev)) }
	return repo, Stage{1, at("stage~2"), at("stage")}, at("main")
}
