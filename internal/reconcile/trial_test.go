package reconcile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"git-okstra/gitops"
)

// figures count by way.
type figures struct {
	order  []string
	by     map[string]*count
	stages int
	wrong  []string
}

type count struct{ there, found, absent, unknown int }

func (f *figures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d stages\n\n| rewritten by | made | there | found | missed | wrongly matched | cannot tell |\n|---|---|---|---|---|---|---|\n", f.stages)
	for _, name := range f.order {
		c, wrong := f.by[name], 0
		for _, w := range f.wrong {
			if strings.HasPrefix(w, name+":") {
				wrong++
			}
		}
		share := "–"
		if c.there > 0 {
			share = fmt.Sprintf("%d (%.1f %%)", c.found, 100*float64(c.found)/float64(c.there))
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %d | %d |\n", name, c.there+c.absent, c.there, share, c.there-c.found, wrong, c.unknown)
	}
	return b.String()
}

// TestTrial takes real commits of a repository, makes stages of them, rewrites these in
// eight ways with stock git and two that lose something, and counts what is found,
// missed and wrongly matched. The gate's part of it is on a made repository; with
// OKSTRA_TRIAL_REPO=PATH it is on that one, which is borrowed from and never written to,
// and OKSTRA_TRIAL_STAGES=N stages are made. The figures are in docs/benchmarks.md.
func TestTrial(t *testing.T) {
	t.Parallel()
	source, want, back := os.Getenv("OKSTRA_TRIAL_REPO"), 6, 6
	if source == "" {
		source = madeHistory(t)
	} else {
		want, back = 300, 20
	}
	if n, err := strconv.Atoi(os.Getenv("OKSTRA_TRIAL_STAGES")); err == nil {
		want = n
	}
	f, err := trial(t, newStore(t, source), want, back)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + f.String())
	for _, text := range f.wrong {
		t.Error("wrongly matched: ", text)
	}
	for name, least := range map[string]float64{"message amended": 0.99, "rebase onto later upstream": 0.99, "squash": 0.95} {
		if c := f.by[name]; c.there == 0 || float64(c.found) < least*float64(c.there) {
			t.Errorf("%s: %d of %d found", name, c.found, c.there)
		}
	}
}

// madeHistory is a repository whose commits edit, add, rename and remove files.
func madeHistory(t testing.TB) string {
	t.Helper()
	f := newFixture(t)
	for i := range 40 {
		switch name := string(rune('a' + i%3)); {
		case i%10 == 3:
			f.made.Write(fmt.Sprintf("new%d", i), text(fmt.Sprint(i), 9))
			f.edit("a", 2+i, fmt.Sprint("with a file ", i))
		case i == 15:
			f.made.Git("mv", "new13", "moved")
			f.made.Commit("renamed")
		case i == 27:
			f.made.Git("rm", "-q", "new23")
			f.made.Commit("removed")
		default:
			f.edit(name, 2+i, fmt.Sprint("edit ", i))
		}
	}
	return f.made.Dir
}

// trial makes stages of evenly chosen commits and rewrites them.
func trial(t testing.TB, s *store, want, back int) (*figures, error) {
	t.Helper()
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: s.dir, Env: s.env})
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	out, err := s.git("", "rev-list", "--first-parent", "--parents", "HEAD")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(out, "\n")
	f := &figures{by: map[string]*count{}}
	for _, w := range ways() {
		f.order, f.by[w.name] = append(f.order, w.name), &count{}
	}
	step := max(1, (len(lines)-back-4)/(3*want))
	for i := 0; i+back+4 < len(lines) && f.stages < want; i += step {
		sample, err := s.sample(lines, i, back, f.stages%3)
		if errors.Is(err, errConflict) || errors.Is(err, errNone) {
			continue
		}
		if err == nil {
			f.stages++
			err = f.try(t.Context(), repo, sample)
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// sample takes one to three commits that follow each other and makes them again on a
// commit that is older than what they stand on.
func (s *store) sample(lines []string, i, back, more int) (*sample, error) {
	var found chain
	for k := i + more; k >= i; k-- {
		fields := strings.Fields(lines[k])
		if len(fields) != 2 { // a merge
			return nil, errNone
		}
		if found.base == "" {
			found.base = gitops.Hash(fields[1])
		}
		found.commits = append(found.commits, gitops.Hash(fields[0]))
	}
	at := func(n int) gitops.Hash { return gitops.Hash(strings.Fields(lines[n])[0]) }
	out := &sample{store: s, up: found.base, half: at(i + more + 1 + back/2)}
	out.stage = found
	var err error
	out.stage, err = s.replay(found, at(i+more+1+back), out.all(), "stage")
	return out, err
}

// try rewrites one sample in every way that goes without conflict.
func (f *figures) try(ctx context.Context, repo *gitops.Repo, s *sample) error {
	stage := Stage{Number: 1, Base: s.stage.base, Head: s.stage.tip()}
	for _, w := range ways() {
		tip, there, err := w.make(s)
		if errors.Is(err, errConflict) || errors.Is(err, errNone) {
			continue
		}
		if err != nil {
			return err
		}
		answer, err := Find(ctx, repo, []Stage{stage}, tip, 0)
		if err != nil {
			return err
		}
		c, r := f.by[w.name], answer.Results[0]
		if there {
			c.there++
		} else {
			c.absent++
		}
		switch {
		case r.Verdict == Done && !there:
			f.wrong = append(f.wrong, fmt.Sprintf("%s: %+v in %s", w.name, r, tip))
		case r.Verdict == Done:
			c.found++
		case r.Verdict == CannotTell:
			c.unknown++
		}
	}
	return nil
}
