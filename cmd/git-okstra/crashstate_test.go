package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	benchKey    = "demo/greeter/HELLO-1"
	stageBranch = "feat-HELLO-1-s1"

	collectorBranch = "feat-HELLO-1-handoff-1"
)

// step is one ref of a transaction and what it holds afterwards, in the words of
// crash.state.
type step struct{ ref, value string }

// transition is a command that changes refs, with the state that it begins in and
// its changes in the order of storage.md §4.
type transition struct {
	name      string
	prepare   func(b *bench)
	args      []string
	from      map[string]string
	steps     []step
	undone    []step // what follows where git fails and not the command
	worktrees int    // how many are there in the end, beside the main one
	removes   bool   // none is, though there was one, and nothing of it
	lands     bool   // the main worktree follows its branch
	// fails says that it is refused in the end and that what it did is undone; mend
	// removes the reason, so that it succeeds.
	fails bool
	mend  func(b *bench)
	also  []string // other good ends, beside that of the steps
	// over is what the repeated command says where all was done already.
	over string
}

// tracked are the parts of a state, in the order in which it is written.
var tracked = []string{"plan", "base", "reserved", "claims", "ports", "seen", "branch", "done", "reopened", "main", "collector", "log"}

// absent is what a part holds that a state does not name.
var absent = map[string]string{
	"plan": "-", "base": "-", "reserved": "-", "claims": "0", "ports": "0", "seen": "0", "branch": "-", "done": "-",
	"reopened": "-", "main": "old", "collector": "-",
}

// said writes a state.
func said(values map[string]string) string {
	var words []string
	for _, name := range tracked {
		value, ok := values[name]
		if !ok {
			value = absent[name]
		}
		words = append(words, name+"="+value)
	}
	return strings.Join(words, " ")
}

// prefixes are the states that a kill may leave: git's file back end carries out a
// beginning of the changes, and nothing else.
func (tr transition) prefixes() []string {
	now := map[string]string{}
	for name, value := range tr.from {
		now[name] = value
	}
	out := []string{said(now)}
	for _, s := range slices.Concat(tr.steps, tr.undone) {
		now[s.ref] = s.value
		out = append(out, said(now))
	}
	return out
}

// final are the states that a repeated command may end in.
func (tr transition) final() []string {
	if tr.fails {
		return tr.also
	}
	return append([]string{tr.end()}, tr.also...)
}

// end is the state after all of the steps.
func (tr transition) end() string { return tr.prefixes()[len(tr.steps)] }

// snapshotOfRefs is every ref with the object that it holds and, for a tag, the one
// that that is for.
type snapshotOfRefs map[string]string

// has reports whether the task has the state ref.
func (r snapshotOfRefs) has(name string) bool { return r["refs/okstra/"+benchKey+"/"+name] != "" }

// claimed reports whether the tag is that of a reservation made in this clone.
func (r snapshotOfRefs) claimed(tag string) bool {
	return r["refs/okstra-local/claims/"+benchKey+"/"+tag] != ""
}

func (c *crash) refs() snapshotOfRefs {
	c.t.Helper()
	all := snapshotOfRefs{}
	for line := range strings.Lines(c.repo.Git("for-each-ref", "--format=%(refname) %(objectname) %(*objectname)")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = value
	}
	return all
}

// state says what the refs and the log hold, without ids and times. Where a ref
// holds what it must not, or one changed that is none of the transition's, it says
// so and fits nothing.
func (c *crash) state() string {
	c.t.Helper()
	now := map[string]string{}
	refs := c.refs()
	main, claims, ports, seen := c.before["refs/heads/main"], 0, 0, 0
	landed := strings.TrimSpace(refs["refs/heads/main"])
	base := c.before["refs/okstra/"+benchKey+"/base"] // main may have moved since
	if base == "" {
		base = main
	}
	main = strings.TrimSpace(base)
	now["main"] = changed(landed, strings.TrimSpace(c.before["refs/heads/main"]))
	work := strings.TrimSpace(refs["refs/heads/"+stageBranch])
	if work == "" {
		work = main // it landed, and its branch is gone
	}
	for name, value := range refs {
		id, target, _ := strings.Cut(value, " ")
		short, ours := strings.CutPrefix(name, "refs/okstra/"+benchKey+"/")
		switch {
		case ours && short == "plan":
			now["plan"] = changed(id, c.before[name])
		case ours && short == "base":
			now["base"] = same(id, main)
		case ours && short == "reserved/1":
			now["reserved"] = same(target, main)
		case ours && short == "done/1":
			now["done"] = same(id, work)
			if id == landed && now["main"] == "new" {
				now["done"] = "landed"
			}
		case ours && short == "reopened/1":
			now["reopened"] = same(id, work)
		case name == "refs/heads/main": // above
		case name == "refs/heads/"+collectorBranch:
			now["collector"] = changed(id, c.before[name])
		case name == "refs/heads/"+stageBranch:
			now["branch"] = changed(id, main)
		case strings.HasPrefix(name, "refs/okstra-local/claims/"+benchKey+"/"):
			claims++
			if !strings.HasSuffix(name, "/"+id) || target != main {
				now["claims"] = "wrong "
			}
		case strings.HasPrefix(name, "refs/okstra-local/port/"):
			ports++
			if !refs.claimed(id) {
				now["ports"] = "wrong "
			}
		case strings.HasPrefix(name, "refs/okstra-local/seen/"+benchKey+"/1/"):
			seen++
		case strings.HasPrefix(name, "refs/okstra-local/trusted/"): // without it, it is asked about
			if !strings.HasPrefix(name, "refs/okstra-local/trusted/"+id+"-") {
				now["log"] += "wrong trust "
			}
		case name == "refs/notes/okstra/"+benchKey: // below, as rows
		case c.before[name] != value:
			now["log"] += "foreign ref " + name + " "
		}
	}
	for name := range c.before {
		if refs[name] == "" && !strings.Contains(name, "okstra") && !strings.HasSuffix(name, stageBranch) {
			now["log"] += "lost ref " + name + " "
		}
	}
	now["claims"] += fmt.Sprint(claims)
	now["ports"] += fmt.Sprint(ports)
	now["seen"] = fmt.Sprint(seen)
	if refs.has("plan") {
		now["log"] += c.log()
	}
	return said(now)
}

// changed is "old" for an unchanged id, else "new".
func changed(id, before string) string {
	if id == before {
		return "old"
	}
	return "new"
}

// same is "good" for the wanted id.
func same(id, want string) string {
	if id == want {
		return "good"
	}
	return "bad"
}

// log lists the statuses of the rows of stage 1 and says where one is not as it
// must be: an id twice, a claim's transition twice running, a gap or a tie in seq.
func (c *crash) log() string {
	c.t.Helper()
	o := c.must(c.repo.Dir, "log", "--json")
	var log struct {
		Rows []struct {
			Seq                               int
			ID, Status, Claim, Plan, Replaces string
			Stage                             int
		}
	}
	if err := json.Unmarshal([]byte(o.out), &log); err != nil {
		c.t.Fatalf("log: %v: %+v", err, o)
	}
	var words []string
	seen, last := map[string]bool{}, map[string]string{}
	for i, r := range log.Rows {
		what := r.Status + " " + r.Plan + " " + r.Replaces
		if seen[r.ID] || last[r.Claim] == what || r.Seq != i+1 || r.Stage != 1 {
			words = append(words, "WRONG")
		}
		seen[r.ID], last[r.Claim] = true, what
		words = append(words, r.Status)
	}
	return strings.Join(words, ",")
}

// transitions are all that there are, each with the smallest repository that has
// everything it looks at.
func transitions() []transition {
	started := map[string]string{"plan": "old", "base": "good", "reserved": "good", "claims": "1", "ports": "1", "branch": "old", "log": "started"}
	with := func(from map[string]string, name, value string) map[string]string {
		out := map[string]string{name: value}
		for k, v := range from {
			if k != name {
				out[k] = v
			}
		}
		return out
	}
	start := func(b *bench) { b.must(b.repo.Dir, "stage", "start", "1", "--run", "r1") }
	startSteps := []step{{"reserved", "good"}, {"claims", "1"}, {"ports", "1"}, {"base", "good"}, {"branch", "old"}, {"log", "started"}}
	landableState := map[string]string{
		"plan": "old", "base": "good", "claims": "1", "branch": "new", "done": "good", "log": "started,done",
	}
	undone := []step{{"log", "started,released"}, {"reserved", "-"}, {"branch", "-"}}
	return append(lateTransitions(started, with), []transition{
		{
			name: "approve", args: []string{"plan", "approve", "plan.md"}, prepare: unapproved,
			steps: []step{{"plan", "new"}},
		},
		{
			name: "approve-force", args: []string{"plan", "approve", "plan.md", "--amend", "--force", "--why", "tried"},
			prepare: func(b *bench) { start(b); revise(b) }, from: started, worktrees: 1,
			steps: []step{{"log", "started,revised"}, {"plan", "new"}},
			// The rows come first: those of a revision that did not come stay.
			also: []string{said(with(with(started, "plan", "new"), "log", "started,revised,revised"))},
		},
		{
			name: "start", args: []string{"stage", "start", "1", "--run", "r1"}, prepare: func(*bench) {},
			from: map[string]string{"plan": "old"}, steps: startSteps, worktrees: 1, undone: undone,
			also: []string{said(with(with(started, "log", "started,released,started"), "claims", "2"))},
		},
		{
			name: "start-again", args: []string{"stage", "start", "1", "--run", "r2"}, worktrees: 1,
			prepare: func(b *bench) { start(b); b.must(b.repo.Dir, "stage", "release", "1") },
			from:    with(with(started, "reserved", "-"), "log", "started,released"),
			steps:   []step{{"reserved", "good"}, {"claims", "2"}, {"log", "started,released,started"}},
			undone:  []step{{"log", "started,released,started,released"}, {"reserved", "-"}},
			also:    []string{said(with(with(started, "log", "started,released,started,released,started"), "claims", "3"))},
		},
		{
			name: "start-ready", args: []string{"stage", "start", "1", "--run", "r1"}, prepare: withIgnored,
			from: map[string]string{"plan": "old"}, steps: startSteps, worktrees: 1, undone: undone,
			also: []string{said(with(with(started, "log", "started,released,started"), "claims", "2"))},
		},
		{
			name: "done", args: []string{"stage", "done", "1"}, worktrees: 1,
			prepare: func(b *bench) {
				start(b)
				b.repo.Git("-C", b.stagePath(1), "commit", "-q", "--allow-empty", "-m", "work")
			},
			from:  with(started, "branch", "new"),
			steps: []step{{"log", "started,done"}, {"done", "good"}, {"reserved", "-"}, {"ports", "0"}},
		},
		{
			name: "land", args: []string{"stage", "land", "1"}, prepare: landable, worktrees: 1, lands: true,
			from:  landableState,
			steps: []step{{"main", "new"}},
		},
		{
			name: "land-squash", args: []string{"stage", "land", "1", "--squash"}, prepare: landable, worktrees: 1, lands: true,
			from:  landableState,
			steps: []step{{"main", "new"}, {"log", "started,done,done"}, {"done", "landed"}},
		},
		{
			name: "reopen", args: []string{"stage", "reopen", "1", "--why", "tried"}, prepare: landable, worktrees: 1,
			from:  landableState,
			steps: []step{{"reopened", "good"}, {"log", "started,done,reopened"}, {"done", "-"}},
		},
		{
			name: "done-again", args: []string{"stage", "done", "1"}, worktrees: 1,
			prepare: func(b *bench) {
				landable(b)
				b.must(b.repo.Dir, "stage", "reopen", "1", "--why", "tried")
				start(b)
				b.repo.Git("-C", b.stagePath(1), "commit", "-q", "--allow-empty", "-m", "again")
			},
			from: map[string]string{
				"plan": "old", "base": "good", "reserved": "bad", "claims": "wrong 2", "ports": "1", "branch": "new",
				"reopened": "bad", "log": "started,done,reopened,started",
			},
			steps: []step{{"log", "started,done,reopened,started,done"}, {"done", "good"}, {"reserved", "-"}, {"reopened", "-"}, {"ports", "0"}},
		},
		{
			name: "reconcile", args: []string{"reconcile"}, worktrees: 1,
			prepare: func(b *bench) {
				start(b)
				wt := b.stagePath(1)
				if err := os.WriteFile(filepath.Join(wt, "work"), []byte("work\n"), 0o666); err != nil {
					b.t.Fatal(err)
				}
				b.repo.Git("-C", wt, "add", "work")
				b.repo.Git("-C", wt, "commit", "-q", "-m", "work")
				b.must(b.repo.Dir, "stage", "done", "1")
				b.repo.Git("-C", b.stagePath(1), "commit", "-q", "--amend", "-m", "reworded")
			},
			from:  with(with(with(with(with(started, "branch", "new"), "reserved", "-"), "ports", "0"), "done", "bad"), "log", "started,done"),
			steps: []step{{"log", "started,done,done"}, {"done", "good"}},
		},
		{
			name: "waive", args: []string{"conform", "waive", "1", "--surface", "db", "--why", "tried"}, prepare: start, worktrees: 1,
			from: started, steps: []step{{"log", "started,waived"}},
		},
		{
			name: "release", args: []string{"stage", "release", "1", "--why", "tried"}, prepare: start, worktrees: 1,
			from: started, steps: []step{{"log", "started,released"}, {"reserved", "-"}}, over: "nobody holds stage 1",
		},
		{
			name: "release-remove", args: []string{"stage", "release", "1", "--remove", "--why", "tried"}, prepare: start, removes: true,
			from: started, steps: []step{{"log", "started,released"}, {"reserved", "-"}, {"branch", "-"}}, over: "nobody holds stage 1",
		},
		{
			name: "clean", args: []string{"stage", "clean"}, removes: true,
			prepare: func(b *bench) { start(b); b.must(b.repo.Dir, "stage", "done", "1", "--allow-empty") },
			from:    with(with(with(with(started, "reserved", "-"), "ports", "0"), "done", "good"), "log", "started,done"),
			steps:   []step{{"branch", "-"}},
		},
		{
			name: "renew", args: []string{"stage", "renew", "1", "--run", "r1"}, worktrees: 1,
			prepare: func(b *bench) { lease(b); start(b) }, from: with(started, "seen", "1"),
			// The new tag's refs come before it, the old mark goes last.
			steps: []step{{"claims", "2"}, {"seen", "2"}, {"reserved", "good"}, {"seen", "1"}},
			also:  []string{said(with(with(started, "seen", "1"), "claims", "3"))},
		},
		{
			name: "takeover", args: []string{"stage", "start", "1", "--takeover", "--run", "r2"}, worktrees: 1,
			prepare: func(b *bench) { lease(b); start(b); loseWorktree(b) }, from: with(started, "seen", "1"),
			steps: []step{{"claims", "2"}, {"seen", "2"}, {"reserved", "good"}, {"log", "started,taken-over"}, {"seen", "1"}},
			also:  []string{said(with(with(with(started, "seen", "1"), "claims", "3"), "log", "started,taken-over"))},
		},
		{
			name: "undo", args: []string{"stage", "start", "1", "--run", "r1"}, prepare: badFilter, fails: true, worktrees: 1,
			mend:  func(b *bench) { b.repo.Git("config", "filter.bad.smudge", "cat") },
			from:  map[string]string{"plan": "old"},
			steps: slices.Concat(startSteps, undone),
			also: []string{
				said(started), // it was resumed and then finished
				said(with(started, "log", "started,released,started")), // the same, of a half release
				said(with(with(started, "log", "started,released,started"), "claims", "2")),
				said(with(with(started, "log", "started,released,started,released,started"), "claims", "3")),
			},
		},
	}...)
}

// landable is a stage that is done, and a main branch that has moved since.
func landable(b *bench) {
	b.t.Helper()
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "r1")
	wt := b.stagePath(1)
	for name, text := range map[string]string{"work": strings.Repeat("work\n", 3000), "src/main.txt": "mine\n"} {
		if err := os.WriteFile(filepath.Join(wt, name), []byte(text), 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
	b.repo.Git("-C", wt, "add", ".")
	b.repo.Git("-C", wt, "commit", "-q", "-m", "work")
	b.must(b.repo.Dir, "stage", "done", "1")
	b.repo.Write("other", "other\n")
	b.repo.Commit("main moves")
}

// unapproved takes the bench's approval back.
func unapproved(b *bench) {
	b.repo.Git("update-ref", "-d", "refs/okstra/"+benchKey+"/plan")
	b.repo.Git("gc", "-q", "--prune=now")
	b.repo.Write("plan.md", widePlan(2))
	b.repo.Commit("not approved")
}

// withIgnored lets ignored files come along, and a command run after them.
func withIgnored(b *bench) {
	b.repo.Write(".gitignore", ".env\ntools/\nready\n")
	b.repo.Write(".worktreeinclude", ".env\ntools\n")
	b.repo.Commit("what is ignored")
	b.repo.Write(".env", "KEY=1\n")
	b.repo.Write("tools/bin/run", strings.Repeat("x", 5000))
	b.repo.Git("config", "okstra.postProvision", "cat .env tools/bin/run >ready")
}

// lease gives what is started from now on an expiry.
func lease(b *bench) { b.repo.Git("config", "okstra.lease", "1h") }

// loseWorktree removes the worktree of stage 1 behind git's back.
func loseWorktree(b *bench) {
	b.t.Helper()
	if err := os.RemoveAll(b.stagePath(1)); err != nil {
		b.t.Fatal(err)
	}
}

// revise changes stage 1 in the plan file.
func revise(b *bench) {
	name := filepath.Join(b.repo.Dir, "plan.md")
	text, err := os.ReadFile(name)
	if err != nil {
		b.t.Fatal(err)
	}
	b.repo.Write("plan.md", strings.Replace(string(text), "Slice value: ", "Slice value: now ", 1))
}

// badFilter commits a file that git cannot write.
func badFilter(b *bench) {
	b.repo.Write(".gitattributes", "*.bad filter=bad\n")
	b.repo.Write("x.bad", "x\n")
	b.repo.Git("config", "filter.bad.clean", "cat")
	b.repo.Commit("a file that needs a filter")
	b.repo.Git("config", "filter.bad.required", "true")
	b.repo.Git("config", "filter.bad.smudge", "false")
}
