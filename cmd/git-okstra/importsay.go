package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/taskfolder"
	"git-okstra/plan"
)

// importJSON is okstra.import/v1.
type importJSON struct {
	Schema     string                 `json:"schema"`
	Task       string                 `json:"task"`
	Path       string                 `json:"path"`
	DryRun     bool                   `json:"dry_run"`
	Already    bool                   `json:"already"` // there was nothing to do
	Plan       gitops.Hash            `json:"plan"`
	Approved   bool                   `json:"approved"` // by this import
	Report     string                 `json:"report"`   // the approved report in the folder
	Base       gitops.Hash            `json:"base"`
	Lines      int                    `json:"lines"`      // rows that the folder holds
	Rows       int                    `json:"rows"`       // rows that are new
	Duplicates int                    `json:"duplicates"` // lines that stand there more than once
	Done       []importStage          `json:"done"`       // done refs that were set
	Kept       []importStage          `json:"kept"`       // done here at another commit, left as they are
	Held       []plan.StageNumber     `json:"held"`       // done there, but under way here
	Unfinished []plan.StageNumber     `json:"unfinished"` // started and not done: rows only
	OpenCycles []string               `json:"open_cycles"`
	Elsewhere  []taskfolder.Elsewhere `json:"elsewhere"` // commits that are not here
	Skipped    []taskfolder.Problem   `json:"skipped"`
	Left       []string               `json:"left"` // files that are not moved
	baseSet    bool                   // by this import
}

// importStage is a stage and the commit that it is done at.
type importStage struct {
	Stage      plan.StageNumber `json:"stage"`
	HeadCommit gitops.Hash      `json:"head_commit"`
}

func newImportReport(c *importCmd, f *taskfolder.Folder, req lifecycle.ImportRequest, rows taskfolder.Rows, out lifecycle.Import) importJSON {
	r := importJSON{
		Schema: "okstra.import/v1", Task: req.Key.String(), Path: c.Path, DryRun: c.DryRun, Already: out.Nothing(),
		Plan: out.Plan, Approved: out.Approved, Base: out.Base, Lines: f.Lines, Rows: out.Fresh, Duplicates: f.Again,
		Done: doneStages(out.Done), Kept: doneStages(out.KeptDone), Held: orEmpty(out.Held), Unfinished: orEmpty(out.Unfinished),
		OpenCycles: orEmpty(f.OpenCycles()), Elsewhere: orEmpty(rows.Elsewhere), Left: orEmpty(f.Left),
		Skipped: orEmpty(slices.Concat(f.Problems, rows.Problems)),
		baseSet: out.BaseSet,
	}
	if f.Report != nil {
		r.Report = f.Report.Path
	}
	return r
}

func doneStages(done map[plan.StageNumber]gitops.Hash) []importStage {
	out := []importStage{}
	for _, n := range slices.Sorted(maps.Keys(done)) {
		out = append(out, importStage{n, done[n]})
	}
	return out
}

// sayImported prints what was done, and then what a person should know of.
func (a *app) sayImported(r importJSON) {
	if a.flags.JSON {
		writeJSON(a.std.out, r)
		return
	}
	verb := map[bool]string{true: "would be imported", false: "imported"}[r.DryRun]
	task := plan.Printable(r.Task)
	if r.Already {
		a.tell("%s: nothing new in %s\n", task, plan.Printable(r.Path))
	} else {
		a.tell("%s: %d lines read, %d rows %s\n", task, r.Lines, r.Rows, verb)
	}
	if r.Approved {
		a.tell("  plan       %s  from %s\n", cmp.Or(r.Plan.Short(), "to be approved"), plan.Printable(r.Report))
	}
	if r.baseSet {
		a.tell("  base       %s\n", r.Base.Short())
	}
	for _, s := range r.Done {
		a.tell("  done       stage %d at %s\n", s.Stage, s.HeadCommit.Short())
	}
	for _, s := range r.Kept {
		a.tell("  kept       stage %d was done here, at %s\n", s.Stage, s.HeadCommit.Short())
	}
	if len(r.Held) > 0 {
		a.tell("  held       stage %s: done there, but under way here; end or release it, then import again\n", lifecycle.Numbers(r.Held))
	}
	if len(r.Unfinished) > 0 {
		a.tell("  unfinished stage %s: started and not done; nobody holds them here\n", lifecycle.Numbers(r.Unfinished))
	}
	for _, open := range r.OpenCycles {
		a.tell("  fix cycle  %s is open\n", open)
	}
	a.listFew("elsewhere ", len(r.Elsewhere), func(i int) string {
		e := r.Elsewhere[i]
		return fmt.Sprintf("%s:%d: stage %d: commit %s is not here; its row stands on the base", plan.Printable(e.File), e.Line, e.Stage, plan.Printable(gitops.Hash(e.Commit).Short()))
	})
	a.listFew("left      ", len(r.Left), func(i int) string { return plan.Printable(r.Left[i]) })
	for _, p := range r.Skipped {
		_, _ = fmt.Fprintf(a.std.err, "%s\n", p)
	}
	if len(r.Skipped) > 0 {
		_, _ = fmt.Fprintf(a.std.err, "error: %d of the folder's lines or files were skipped; all the rest was read\n", len(r.Skipped))
	}
}

// listFew prints the first of a list and how many there are more.
func (a *app) listFew(label string, n int, item func(int) string) {
	const most = 10
	for i := range min(n, most) {
		a.tell("  %s %s\n", label, item(i))
	}
	if n > most {
		a.tell("  %s and %d more (all with --json)\n", label, n-most)
	}
}
