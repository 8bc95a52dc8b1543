package chain

import "sync"

// groups are the workers that run, by the numbers of their processes.
type groups struct {
	mu   sync.Mutex
	pids map[int]bool
}

// add notes a worker until the function that it gives is called.
func (g *groups) add(pid int) (remove func()) {
	if g == nil {
		return func() {}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pids == nil {
		g.pids = map[int]bool{}
	}
	g.pids[pid] = true
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.pids, pid)
	}
}

// Suspend holds all workers, calls stop, and lets them go on once it returns: what is
// done in between by stopping this process is what Ctrl-Z asks for.
func (r *Runner) Suspend(stop func()) {
	r.groups.mu.Lock()
	defer r.groups.mu.Unlock()
	for pid := range r.groups.pids {
		hold(pid)
	}
	stop()
	for pid := range r.groups.pids {
		goOn(pid)
	}
}
