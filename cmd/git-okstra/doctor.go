package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/doctor"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
)

type doctorCmd struct {
	Repair   bool   `help:"Mend what can be mended: finish what was half done, put back rows that were dropped."`
	Bundle   string `help:"Write an archive for a bug report, without secrets: names, addresses and paths are replaced. .tar.gz or .zip." placeholder:"FILE"`
	WithPlan bool   `help:"With --bundle: the text of plans goes in as well."`
}

// lockWatch is how long a lock file must stand unchanged before it is removed.
const lockWatch = 2 * time.Second

// Run looks for what is wrong with refs, notes, worktrees and settings.
func (c *doctorCmd) Run(a *app) error {
	if c.Bundle != "" {
		return c.bundle(a)
	}
	if c.WithPlan {
		return &commandError{code: exitUsage, message: "--with-plan is for --bundle"}
	}
	d, err := c.doctor(a)
	if err != nil {
		return err
	}
	look := d.Examine
	if c.Repair {
		look = d.Repair
	}
	found, err := look(a.ctx)
	if err != nil {
		return err
	}
	if a.flags.Task != "" && len(found.Tasks) == 0 {
		return &commandError{
			code: exitUsage, message: fmt.Sprintf("no task here fits %q", a.flags.Task),
			hints: []string{"without --task all tasks are looked at"},
		}
	}
	c.print(a, found)
	if found.Remains() {
		a.code = exitFindings
	}
	return nil
}

// doctor opens the repository, if it is not open, and sets the doctor up.
func (c *doctorCmd) doctor(a *app) (*doctor.Doctor, error) {
	if a.repo == nil {
		// What a promisor remote has must not be fetched for a mere look.
		repo, err := gitops.Open(a.ctx, gitops.Options{Env: append(os.Environ(), "GIT_NO_LAZY_FETCH=1"), Trace: a.trace()})
		if err != nil {
			return nil, err
		}
		a.repo = repo
	}
	repo := a.repo
	root, err := workspace.Root(repo)
	if err != nil {
		root = "" // no home folder: then there are no worktrees to look for
	}
	d := &doctor.Doctor{
		Repo: repo, Lifecycle: patient{a}, Settings: initSettings{repo}, Removals: removals{a, root}, Host: gitops.Host(), Root: root, Now: time.Now, Watch: lockWatch,
		Signature: func(ctx context.Context) (gitops.Signature, error) { return repo.Committer(ctx, time.Now()) },
	}
	d.Wants, err = wanting(a.flags.Task)
	return d, err
}

func (c *doctorCmd) print(a *app, found doctor.Report) {
	out := doctorReport(found)
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return
	}
	a.print("%s", out.Text(a.flags.Quiet))
}

func doctorReport(found doctor.Report) report.Doctor {
	list := make([]report.DoctorFinding, len(found.Findings))
	for i, f := range found.Findings {
		list[i] = report.DoctorFinding{
			Code: f.Code, Severity: string(f.Severity), Task: f.Task, Stage: f.Stage,
			Message: f.Message, Hint: strings.Join(f.Hints, "\n"), Repaired: f.Repaired,
		}
	}
	return report.NewDoctor(found.Tasks, list)
}

// wanting chooses tasks by the end of their key, as --task does everywhere; nil
// is all.
func wanting(task string) (func(key string) bool, error) {
	if task == "" {
		return nil, nil
	}
	divider := "/"
	if strings.Contains(task, ":") {
		divider = ":"
	}
	segments := strings.Split(task, divider)
	for i, s := range segments {
		mapped, err := plan.MapSegment(s)
		if err != nil {
			return nil, &commandError{code: exitUsage, message: fmt.Sprintf("no task is called %q", task)}
		}
		segments[i] = mapped
	}
	end := strings.Join(segments, "/")
	return func(key string) bool { return key == end || strings.HasSuffix(key, "/"+end) }, nil
}

// patient tells the doctor what only the transitions know.
type patient struct{ a *app }

// Claim reads a reservation's tag.
func (p patient) Claim(ctx context.Context, tag gitops.Hash) doctor.Claim {
	e := &lifecycle.Engine{Repo: p.a.repo}
	r, _, err := e.Reservation(ctx, &lifecycle.Task{Reserved: map[plan.StageNumber]gitops.Hash{1: tag}}, 1)
	if err != nil {
		r.Broken = err.Error()
	}
	return doctor.Claim{
		ID: r.Claim, By: r.By, Host: r.Host, Branch: r.Branch, Worktree: r.Worktree, Base: r.Base, Broken: r.Broken,
	}
}

// Stale asks the question of stage list.
func (p patient) Stale(ctx context.Context, key string, n plan.StageNumber, tag gitops.Hash, marks []gitops.Ref) (string, error) {
	e, err := p.a.reader()
	if err != nil {
		return "", err
	}
	return e.StaleTag(ctx, key, n, tag, marks)
}

// CompleteStart finishes a start from its reservation.
func (p patient) CompleteStart(ctx context.Context, key string, n plan.StageNumber) error {
	e, err := p.a.engine("")
	if err != nil {
		return err
	}
	t, err := e.Load(ctx, key)
	if err != nil {
		return err
	}
	return e.CompleteStart(ctx, t, n)
}
