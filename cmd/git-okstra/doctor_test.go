package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"git-okstra/internal/report"
)

// doctor runs git okstra doctor and reads its answer.
func (b *bench) doctor(words ...string) (report.Doctor, int) {
	b.t.Helper()
	o := b.run(b.repo.Dir, append([]string{"doctor", "--json"}, words...)...)
	var d report.Doctor
	if err := json.Unmarshal([]byte(o.out), &d); err != nil {
		b.t.Fatalf("%v: %+v", err, o)
	}
	return d, o.code
}

// TestKilledAndRepaired kills starts, ends and releases at random moments. Whatever is left
// then, a repair leaves no error, and only worktrees to be made anew.
func TestKilledAndRepaired(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	b := newBench(t, rounds)
	for n := 1; n <= rounds; n++ {
		stage := fmt.Sprint(n)
		b.killed([]string{"stage", "start", stage, "--run", "r" + stage}, time.Duration(rand.N(70))*time.Millisecond)
		b.settled()
		b.must(b.repo.Dir, "stage", "start", stage, "--run", "r"+stage)
		wt := filepath.Join(b.home, "worktrees", "demo", "greeter", "HELLO-1", "stage-"+stage)
		b.repo.Git("-C", wt, "commit", "-q", "--allow-empty", "-m", stage)
		verb := "done"
		if n%3 == 0 {
			verb = "release"
		}
		b.killed([]string{"stage", verb, stage}, time.Duration(rand.N(50))*time.Millisecond)
		b.settled()
		b.run(b.repo.Dir, "stage", verb, stage) // released twice is refused, done twice is not
	}
	if d, code := b.doctor(); code != 0 {
		t.Errorf("after all: %d %+v", code, d.Findings)
	}
	// what protected packs of killed processes goes an hour later
	packs := filepath.Join(b.repo.Dir, ".git", "objects", "pack")
	old := time.Now().Add(-2 * time.Hour)
	for _, pattern := range []string{"*.keep", ".okstra-*"} {
		left, err := filepath.Glob(filepath.Join(packs, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if d, code := b.doctor("--repair"); code != 0 {
		t.Errorf("an hour later: %d %+v", code, d.Findings)
	}
	for _, pattern := range []string{"*.keep", ".okstra-*"} {
		if left, err := filepath.Glob(filepath.Join(packs, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left over: %q %v", left, err)
		}
	}
	if out, errOut, code := b.repo.TryGit("fsck", "--no-dangling"); code != 0 || out+errOut != "" {
		t.Errorf("fsck: %d %s%s", code, out, errOut)
	}
}

// settled repairs until what a killed command's git children were still at has ended.
func (b *bench) settled() {
	b.t.Helper()
	var d report.Doctor
	for range 50 {
		d, _ = b.doctor("--repair")
		fine := true
		for _, f := range d.Findings {
			fine = fine && (f.Repaired || f.Severity == "info" || strings.HasPrefix(f.Code, "worktree-") || f.Code == "reservation-stale")
		}
		if fine {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Errorf("not repaired: %+v", d.Findings)
}

// TestDoctorBesideWork repairs in a loop while stages start and end: it finds nothing to
// mend in what is merely under way, and nothing is lost.
func TestDoctorBesideWork(t *testing.T) {
	n := 8
	if testing.Short() {
		n = 4
	}
	b := newBench(t, n)
	stop := make(chan struct{})
	var looks, workers sync.WaitGroup
	looks.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			o := b.run(b.repo.Dir, "doctor", "--repair", "--json")
			var d report.Doctor
			if err := json.Unmarshal([]byte(o.out), &d); err != nil {
				t.Errorf("%v: %+v", err, o)
				return
			}
			for _, f := range d.Findings {
				if f.Severity == "error" {
					t.Errorf("found beside work: %+v", f)
				}
			}
		}
	})
	for i := 1; i <= n; i++ {
		workers.Go(func() {
			stage := fmt.Sprint(i)
			for _, words := range [][]string{
				{"stage", "start", stage}, {"stage", "release", stage}, {"stage", "start", stage}, {"stage", "done", stage, "--allow-empty"},
			} {
				if o := b.run(b.repo.Dir, words...); o.code != 0 {
					t.Errorf("%q: %+v", words, o)
				}
			}
		})
	}
	workers.Wait()
	close(stop)
	looks.Wait()
	for status, want := range map[string]int{"started": 2 * n, "released": n, "done": n} {
		if got := b.rows(status); got != want {
			t.Errorf("%d %s rows, want %d", got, status, want)
		}
	}
	if d, code := b.doctor(); code != 0 || len(d.Findings) != 0 {
		t.Errorf("%d %+v", code, d.Findings)
	}
	b.wholesome()
}

// TestDoctorsAtOnce: several repairs of one repository at the same time mend it once.
func TestDoctorsAtOnce(t *testing.T) {
	b := newBench(t, 4)
	for i := 1; i <= 4; i++ {
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(i))
		b.must(b.repo.Dir, "stage", "done", fmt.Sprint(i), "--allow-empty")
	}
	ref := "refs/notes/okstra/demo/greeter/HELLO-1"
	rows := b.rows("started") + b.rows("done")
	b.repo.Git("update-ref", ref, ref+"~6")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if o := b.run(b.repo.Dir, "doctor", "--repair"); o.code != 0 {
				t.Errorf("%+v", o)
			}
		})
	}
	all.Wait()
	if got := b.rows("started") + b.rows("done"); got != rows {
		t.Errorf("%d rows, want %d", got, rows)
	}
	if n := b.repo.Git("rev-list", "--count", ref); n != fmt.Sprint(rows-6+1) {
		t.Errorf("%s notes commits, want one more than %d", n, rows-6)
	}
	b.wholesome()
}

func TestWanting(t *testing.T) {
	for _, c := range []struct {
		task, key string
		want      bool
	}{
		{"", "a/b/c", true},
		{"c", "a/b/c", true},
		{"b:c", "a/b/c", true},
		{"a/b/c", "a/b/c", true},
		{"c", "a/b/bc", false},
		{"x:b:c", "a/b/c", false},
		{"a b", "x/y/a-b", true},
	} {
		wants, err := wanting(c.task)
		if err != nil {
			t.Fatal(err)
		}
		if got := wants == nil || wants(c.key); got != c.want {
			t.Errorf("%q wants %q: %v", c.task, c.key, got)
		}
	}
	if _, err := wanting("a::b"); err == nil {
		t.Error("an empty segment names no task")
	}
}
