package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// row is what the check needs of a row of the log.
type row struct {
	Seq               int
	ID, Status, Claim string
	Stage             int
	Head              string `json:"head_commit"`
}

// replay follows the rows and tells, for each stage, who holds it in the end, and
// how often each transition was recorded. Anything that must not follow is a fault.
func replay(rows []row, fault func(string, ...any)) (holder map[int]string, done map[int]string, count map[event]int) {
	holder, done, count = map[int]string{}, map[int]string{}, map[event]int{}
	ids := map[string]bool{}
	for i, r := range rows {
		if r.Seq != i+1 {
			fault("row %d has seq %d", i+1, r.Seq)
		}
		if ids[r.ID] {
			fault("row %s stands twice", r.ID)
		}
		ids[r.ID] = true
		count[event{r.Stage, r.Status}]++
		_, over := done[r.Stage]
		switch held := holder[r.Stage]; {
		case over:
			fault("stage %d is done, then %s (row %d)", r.Stage, r.Status, r.Seq)
		case r.Status == "started" && held != "":
			fault("stage %d is held by %s and started by %s (row %d)", r.Stage, held, r.Claim, r.Seq)
		case r.Status == "taken-over" && (held == "" || held == r.Claim):
			fault("stage %d is held by %q and taken over by %s (row %d)", r.Stage, held, r.Claim, r.Seq)
		case r.Status != "started" && r.Status != "taken-over" && held != r.Claim:
			fault("stage %d is held by %q and %s by %s (row %d)", r.Stage, held, r.Status, r.Claim, r.Seq)
		}
		switch r.Status {
		case "started", "taken-over":
			holder[r.Stage] = r.Claim
		case "done":
			done[r.Stage] = r.Head
			delete(holder, r.Stage)
		case "released":
			delete(holder, r.Stage)
		}
	}
	return holder, done, count
}

// check holds the log, the refs and the repository to what was reported.
func (r *round) check() {
	o := r.okstra(r.repo, "log", "--json")
	var log struct{ Rows []row }
	if err := json.Unmarshal([]byte(o.out), &log); o.code != 0 || err != nil {
		r.Sum.fault("log: %v: %s", err, o)
		return
	}
	fault := func(format string, args ...any) {
		r.Sum.fault("%d processes: %s", r.Procs, fmt.Sprintf(format, args...))
	}
	holder, done, count := replay(log.Rows, fault)
	for e, n := range r.said {
		if e.stage != 0 && count[e] != n {
			fault("stage %d was reported %s %d times, the log has %d rows", e.stage, e.status, n, count[e])
		}
	}
	for e, n := range count {
		if r.said[e] != n {
			fault("the log has %d rows %s of stage %d, %d were reported", n, e.status, e.stage, r.said[e])
		}
	}
	r.checkRefs(holder, done, fault)
	if out, err := r.git(context.Background(), "fsck", "--no-progress"); err != nil || out != "" {
		fault("git fsck: %v %s", err, out)
	}
	r.checkLeftovers(fault)
}

// checkRefs compares the state with the log, and the plan's revisions with what was
// approved.
func (r *round) checkRefs(holder, done map[int]string, fault func(string, ...any)) {
	out, err := r.git(context.Background(), "for-each-ref", "--format=%(refname) %(objectname)", taskRef)
	if err != nil {
		fault("for-each-ref: %v %s", err, out)
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[strings.TrimPrefix(name, taskRef+"/")] = id
	}
	for n := 1; n <= r.stages; n++ {
		if got := refs[fmt.Sprintf("done/%d", n)]; got != done[n] {
			fault("done/%d is %q, the log says %q", n, got, done[n])
		}
		if _, held := refs[fmt.Sprintf("reserved/%d", n)]; held != (holder[n] != "") {
			fault("reserved/%d is there: %v; the log's holder is %q", n, held, holder[n])
		}
	}
	revisions, err := r.git(context.Background(), "rev-list", "--count", "--first-parent", taskRef+"/plan")
	if want := fmt.Sprint(1 + r.said[event{0, "approved"}]); err != nil || revisions != want {
		fault("%s revisions of the plan, want %s", revisions, want)
	}
}

// checkLeftovers looks for locks and for packs that nobody let go of.
func (r *round) checkLeftovers(fault func(string, ...any)) {
	err := filepath.WalkDir(filepath.Join(r.repo, ".git"), func(path string, _ fs.DirEntry, err error) error {
		for _, suffix := range []string{".lock", ".keep"} {
			if strings.HasSuffix(path, suffix) {
				fault("left over: %s", path)
			}
		}
		return err
	})
	if err != nil {
		fault("look for leftovers: %v", err)
	}
}
