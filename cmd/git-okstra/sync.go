package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/remote"
	"git-okstra/plan"
)

type syncCmd struct {
	Remote string `arg:"" optional:"" help:"A configured remote. Default: okstra.remote, else the integration branch's, else origin or the only one." placeholder:"REMOTE"`
	DryRun bool   `help:"Look at the remote and show what would be exchanged; change nothing of ours and nothing there."`
}

// Run exchanges the state of all tasks with a remote.
func (c *syncCmd) Run(a *app) error {
	repo, err := a.open()
	if err != nil {
		return err
	}
	if c.Remote == "" && repo.Config().Get("okstra.remote") == "" {
		if c.Remote, err = a.usualRemote(); err != nil {
			return err
		}
	}
	s, err := a.syncer(c.Remote)
	if err != nil {
		return err
	}
	leave, _ := repo.QueueRemote(a.ctx)
	defer leave()
	res, err := a.sync(s, c.DryRun)
	if err != nil {
		return err
	}
	a.saySynced(res, c.DryRun)
	return a.syncVerdict(res)
}

// usualRemote is the remote where nobody named one.
func (a *app) usualRemote() (string, error) {
	refs, err := a.repo.Refs(a.ctx, "refs/okstra")
	if err != nil {
		return "", err
	}
	var branches []gitops.RefName
	for _, ref := range refs {
		if !strings.HasSuffix(string(ref.Name), "/plan") {
			continue
		}
		meta, err := lifecycle.ReadMeta(a.ctx, a.repo, ref.Hash)
		if err == nil && meta.Onto != "" { // what is no plan of ours says nothing
			branches = append(branches, meta.Onto)
		}
	}
	current, err := a.repo.CurrentBranch(a.ctx)
	if err != nil {
		return "", err
	}
	return chooseRemote(a.repo.Config(), "", append(branches, current))
}

func chooseRemote(c gitops.Config, named string, branches []gitops.RefName) (string, error) {
	name, err := remote.Choose(c, named, branches)
	var unknown *remote.UnknownError
	if errors.As(err, &unknown) {
		hints := []string{"name one: git okstra sync REMOTE, or for good: git config okstra.remote REMOTE"}
		if len(unknown.Known) == 0 {
			hints = []string{"add one first: git remote add NAME URL"}
		} else if named := cmp.Or(named, c.Get("okstra.remote")); named != "" {
			hints = []string{"configured are: " + plan.Printable(strings.Join(unknown.Known, ", "))}
		}
		return "", &commandError{code: exitUsage, message: plan.Printable(unknown.Error()), hints: hints}
	}
	return name, err
}

// syncer is set up for the named remote, or for okstra.remote where that is "".
func (a *app) syncer(named string) (*remote.Syncer, error) {
	name, err := chooseRemote(a.repo.Config(), named, nil)
	if err != nil {
		return nil, err
	}
	s := &remote.Syncer{Repo: a.repo, Remote: name, Now: time.Now, NewID: newID}
	s.Caller = remote.Caller{Host: gitops.Host(), Run: oneLine(a.repo.Env("OKSTRA_RUN"))}
	// Who has no identity can fetch; what has to be written in a name fails by itself.
	s.Caller.Actor, _ = actorOf(a.ctx, a.repo)
	return s, nil
}

// sync runs a sync and remembers when. The error says that nothing was lost.
func (a *app) sync(s *remote.Syncer, dryRun bool) (*remote.Result, error) {
	end := a.progress("exchanging the state with %s", plan.Printable(s.Remote))
	res, err := s.Sync(a.ctx, dryRun)
	end()
	if err != nil {
		if a.ctx.Err() != nil || errors.Is(err, context.Canceled) {
			return nil, err
		}
		e := *classify(err)
		e.hints = append(e.hints, "what only this clone has is kept here, and is unpublished; when the remote answers, run: git okstra sync "+plan.Printable(s.Remote))
		return nil, &e
	}
	if !dryRun {
		a.sayLost(res)
		if err := a.notice(res); err != nil {
			return nil, err
		}
		if err := a.repo.Stamp(stampOf(s.Remote)); err != nil {
			a.say("warning: %s", printableLines(err.Error()))
		}
	}
	return res, nil
}

func stampOf(remote string) string { return "sync-" + remote }

// syncVerdict is the error of what could not be exchanged, nil where all could.
func (a *app) syncVerdict(res *remote.Result) error {
	if !res.Unpublished() {
		return nil
	}
	e := refusedBy(res)
	if len(res.Conflicts) > 0 {
		e.code = exitGate
	}
	e.silent = a.flags.JSON // the result has it all
	return e
}

// refusedBy words what could not be exchanged.
func refusedBy(res *remote.Result) *commandError {
	e := &commandError{code: exitEnvironment}
	var lines []string
	for _, c := range res.Conflicts {
		if !strings.HasPrefix(c.Message, c.Ref) { // else it says enough
			c.Message = fmt.Sprintf("task %s: %s", c.Task, c.Message)
		}
		lines = append(lines, c.Message)
		if h := plan.Printable(c.Hint); !slices.Contains(e.hints, h) {
			e.hints = append(e.hints, h)
		}
	}
	if n := len(res.Refused); n > 0 {
		lines = append(lines, fmt.Sprintf("%s refused %d refs, which are kept here and unpublished:", res.Remote, n))
		for _, c := range res.Refused[:min(n, mostListed)] {
			lines = append(lines, "  "+string(c.Ref))
		}
		if n > mostListed {
			lines = append(lines, fmt.Sprintf("  and %d more (all with --json)", n-mostListed))
		}
		e.hints = append(e.hints, gitSaid(res.Why)...)
	}
	e.message = printableLines(strings.Join(lines, "\n"))
	if len(res.Conflicts) > 0 {
		e.hints = append(e.hints, "what is in conflict is kept here, and is unpublished")
	}
	return e
}

// gitSaid shows the first lines of what git and the remote said.
func gitSaid(err error) []string {
	var ge *gitops.GitError
	if !errors.As(err, &ge) {
		return nil
	}
	var out []string
	for line := range strings.Lines(ge.Stderr) {
		if line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "\x1b[K")); line != "" && len(out) < 5 {
			out = append(out, "git says: "+plan.Printable(line))
		}
	}
	return out
}

// mostListed is how many refs are named to a person.
const mostListed = 10

// syncJSON is okstra.sync/v1.
type syncJSON struct {
	Schema      string            `json:"schema"`
	Remote      string            `json:"remote"`
	DryRun      bool              `json:"dry_run"`
	Fetched     []remote.Change   `json:"fetched"` // changed here
	Pushed      []remote.Change   `json:"pushed"`  // changed there
	Lost        []remote.Lost     `json:"lost"`    // claims of this clone that do not stand
	Conflicts   []remote.Conflict `json:"conflicts"`
	Refused     []remote.Change   `json:"refused"` // what the remote did not take
	Unpublished bool              `json:"unpublished"`
	Rounds      int               `json:"rounds"`
}

func (a *app) saySynced(res *remote.Result, dryRun bool) {
	if a.flags.JSON {
		writeJSON(a.std.out, syncJSON{
			"okstra.sync/v1", res.Remote, dryRun, orEmpty(res.Fetched), orEmpty(res.Pushed), orEmpty(res.Lost),
			orEmpty(res.Conflicts), orEmpty(res.Refused), res.Unpublished(), res.Rounds,
		})
		return
	}
	name := plan.Printable(res.Remote)
	switch {
	case dryRun:
		a.tell("%s: %d refs would change here, %d there\n", name, len(res.Fetched), len(res.Pushed))
	case len(res.Fetched)+len(res.Pushed) == 0:
		a.tell("%s: nothing to exchange\n", name)
	default:
		a.tell("%s: %d refs changed here, %d there\n", name, len(res.Fetched), len(res.Pushed))
	}
	a.listFew("here ", len(res.Fetched), func(i int) string { return changeLine(res.Fetched[i]) })
	a.listFew("there", len(res.Pushed), func(i int) string { return changeLine(res.Pushed[i]) })
	a.sayLFS(res)
}

func changeLine(c remote.Change) string {
	ref := plan.Printable(string(c.Ref))
	switch {
	case c.Old == "":
		return fmt.Sprintf("%s  new at %s", ref, c.New.Short())
	case c.New == "":
		return fmt.Sprintf("%s  gone, was %s", ref, c.Old.Short())
	}
	return fmt.Sprintf("%s  %s → %s", ref, c.Old.Short(), c.New.Short())
}

// sayLFS: a done commit's files may be in the large file storage, which our push does
// not touch.
func (a *app) sayLFS(res *remote.Result) {
	if _, err := os.Stat(filepath.Join(a.repo.CommonDir(), "lfs", "objects")); err != nil {
		return
	}
	for _, c := range res.Pushed {
		if strings.Contains(string(c.Ref), "/done/") && c.New != "" {
			a.say("note: LFS objects of done commits are not uploaded; push them with: git lfs push --all %s", plan.Printable(res.Remote))
			return
		}
	}
}

// sayLost tells of claims that others hold.
func (a *app) sayLost(res *remote.Result) {
	for _, l := range res.Lost {
		why := fmt.Sprintf("its reservation is gone at %s", res.Remote)
		switch {
		case l.Done:
			why = "it was done elsewhere"
		case l.Holder != nil:
			why = fmt.Sprintf("%s holds it since %s on host %s", l.Holder.By, l.Holder.Since, l.Holder.Host)
		}
		a.say("warning: %s", plan.Printable(fmt.Sprintf("stage %d of %s is not this clone's any more: %s; branch %s and its worktree were left as they are",
			l.Stage, l.Task, why, l.Branch)))
	}
}
