package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Exit codes of the command that are answers and no failures.
const (
	exitRefused = 1 // it is done already
	exitNothing = 4 // nothing is ready, or it is taken
)

// worker is one of those that take and end stages, a process at a time.
type worker struct {
	*round
	id   int
	rand *rand.Rand
	runs int
}

// work takes and ends stages until all are done or the round is over.
func (r *round) work(ctx context.Context, id int) {
	w := &worker{round: r, id: id, rand: rand.New(rand.NewPCG(r.Seed, uint64(id)))} //nolint:gosec // no secret
	for ctx.Err() == nil && !r.enough() {
		if w.rand.IntN(40) == 0 {
			w.revise()
			continue
		}
		stage, path, over := w.take()
		switch {
		case over:
			return
		case stage != 0:
			w.hold(stage, path)
			w.end(stage, path)
		default: // nothing was free: somebody is at work
			time.Sleep(time.Duration(1+w.rand.IntN(20)) * time.Millisecond)
		}
	}
}

func (r *round) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Most > 0 && r.count >= r.Most
}

// do runs one command and notes its time and its lost races.
func (w *worker) do(what, dir string, args ...string) outcome {
	began := time.Now()
	o := w.okstra(dir, append(args, "-vv")...)
	if n := strings.Count(o.err, " --stdin  ["); n > 1 {
		w.Sum.add(&w.Sum.retries, n-1)
	}
	if o.code == 0 {
		w.Sum.transition(what, time.Since(began))
	}
	return o
}

// take takes the next stage or a random one. over says that all are done.
func (w *worker) take() (stage int, path string, over bool) {
	w.runs++
	run := fmt.Sprintf("w%d-%d", w.id, w.runs)
	args := []string{"stage", "next", "--json", "--run", run}
	if w.rand.IntN(3) == 0 {
		args = []string{"stage", "start", fmt.Sprint(1 + w.rand.IntN(w.stages)), "--json", "--run", run}
	}
	o := w.do("start", w.repo, args...)
	if o.code != 0 {
		w.expect(o, exitNothing, exitRefused)
		return 0, "", false
	}
	var receipt struct {
		Stages []struct {
			Stage    int
			Worktree string
			Already  bool
		}
	}
	if err := json.Unmarshal([]byte(o.out), &receipt); err != nil {
		w.Sum.fault("receipt: %v: %s", err, o)
		return 0, "", true
	}
	if len(receipt.Stages) == 0 {
		return 0, "", true
	}
	s := receipt.Stages[0]
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.holder[s.Stage]; other != 0 || s.Already || len(receipt.Stages) != 1 {
		w.Sum.fault("stage %d is held by worker %d and given to %d: %s", s.Stage, other, w.id, o.out)
	}
	w.holder[s.Stage] = w.id
	w.said[event{s.Stage, "started"}]++
	w.count++
	return s.Stage, s.Worktree, false
}

// hold renews the lease of a stage now and then, or loses the worktree, so that the stage
// is stale, and takes it over as another run would.
func (w *worker) hold(stage int, path string) {
	n := fmt.Sprint(stage)
	switch w.rand.IntN(8) {
	case 0:
		if o := w.do("renew", path, "stage", "renew", n); o.code != 0 {
			w.expect(o)
		}
	case 1:
		if err := os.RemoveAll(path); err != nil {
			w.Sum.fault("lose a worktree: %v", err)
			return
		}
		w.runs++
		o := w.do("takeover", w.repo, "stage", "start", n, "--takeover", "--json", "--run", fmt.Sprintf("w%d-%d", w.id, w.runs))
		if o.code != 0 || !strings.Contains(o.out, `"taken_over":true`) {
			w.Sum.fault("stage %d was not taken over: %s", stage, o)
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said[event{stage, "taken-over"}]++
		w.count++
	}
}

// end gives a stage back or finishes it. From the call on it may be somebody else's.
func (w *worker) end(stage int, path string) {
	what, status := "release", "released"
	args := []string{"stage", "release", fmt.Sprint(stage), "--why", "by chance"}
	if w.rand.IntN(3) == 0 {
		what, status = "done", "done"
		args = []string{"stage", "done", fmt.Sprint(stage), "--allow-empty"}
		if w.rand.IntN(2) == 0 {
			work := fmt.Sprintf("refs/soak/work-%d", w.rand.IntN(works))
			if out, err := w.git(context.Background(), "-C", path, "reset", "-q", "--hard", work); err != nil {
				w.Sum.fault("work in %s: %v: %s", path, err, out)
			}
		}
	}
	dir := w.repo
	if w.rand.IntN(2) == 0 {
		dir = path
	}
	w.mu.Lock()
	delete(w.holder, stage)
	w.mu.Unlock()
	o := w.do(what, dir, args...)
	if o.code != 0 {
		w.expect(o)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said[event{stage, status}]++
	w.count++
}

// revise approves another revision, which changes no stage.
func (w *worker) revise() {
	w.mu.Lock()
	w.plans++
	n := w.plans
	w.mu.Unlock()
	file := filepath.Join(w.Dir, fmt.Sprintf("plan-%d.md", n))
	if err := os.WriteFile(file, planText(w.stages, n), 0o666); err != nil {
		w.Sum.fault("write a plan: %v", err)
		return
	}
	if o := w.do("approve", w.repo, "plan", "approve", file); o.code != 0 {
		w.expect(o)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said[event{0, "approved"}]++
	w.count++
}

// expect notes a refusal, or a fault where the exit code is none of these.
func (w *worker) expect(o outcome, codes ...int) {
	for _, code := range codes {
		if o.code == code {
			w.Sum.add(&w.Sum.refused, 1)
			return
		}
	}
	w.Sum.fault("%s", o)
}
