package main

import (
	"time"

	"git-okstra/plan"
)

type stageRenewCmd struct {
	planFlag `embed:""`

	Stage string `arg:"" optional:"" help:"Stage number; not needed inside its worktree." placeholder:"N"`
	RunID string `name:"run" help:"Run id that the stage was started under. Default: OKSTRA_RUN." placeholder:"ID"`
	Local bool   `help:"Do not publish it now, although okstra.remote is set."`
}

// renewJSON is okstra.stage-renew/v1.
type renewJSON struct {
	Schema string           `json:"schema"`
	Task   string           `json:"task"`
	Stage  plan.StageNumber `json:"stage"`
	Claim  string           `json:"claim"`
	Lease  string           `json:"lease"` // a duration such as 2h0m0s; "" where the reservation has no expiry
	Until  string           `json:"until"` // by this machine's clock; "" likewise
}

// Help describes what is not in the flags.
func (stageRenewCmd) Help() string {
	return "Only the holder can: the same run, inside the stage's worktree, or the same actor on the same host.\n\n" +
		"A stage has a lease where okstra.lease was set when it was started, or is now."
}

// Run lets a stage's lease begin anew.
func (c *stageRenewCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	r, err := e.Renew(a.ctx, t, n)
	if err != nil {
		return err
	}
	if err := a.publishRenewal(e, t, r, c.Local); err != nil {
		return err
	}
	out := renewJSON{Schema: "okstra.stage-renew/v1", Task: t.Key.String(), Stage: r.Stage, Claim: r.Claim}
	if r.Lease > 0 {
		out.Lease, out.Until = r.Lease.String(), r.Until.UTC().Format(time.RFC3339)
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	if r.Lease == 0 {
		a.tell("stage %d has no lease: it is held until it is done or released\n", r.Stage)
		return nil
	}
	a.tell("stage %d renewed for %s, until %s\n", r.Stage, r.Lease, out.Until)
	return nil
}
