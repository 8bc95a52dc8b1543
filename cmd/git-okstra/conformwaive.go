package main

import (
	"fmt"
	"slices"
	"strings"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

type conformWaiveCmd struct {
	Stage   string   `arg:"" help:"Stage number." placeholder:"N"`
	Surface []string `help:"db, io, http or external; may be repeated, or a list with commas." placeholder:"SURFACE"`
	Why     string   `help:"The reason; it goes into every output." placeholder:"TEXT"`
	Until   string   `help:"A day such as 2030-12-31, to its end in UTC, or an RFC 3339 time. Default: for good." placeholder:"DATE"`
	RunID   string   `name:"run" help:"Run id, recorded with the waiver. Default: OKSTRA_RUN." placeholder:"ID"`
	Local   bool     `help:"Do not publish it now, although okstra.remote is set."`
}

// conformWaiveJSON is okstra.conform-waive/v1.
type conformWaiveJSON struct {
	Schema string              `json:"schema"`
	Task   string              `json:"task"`
	Waived []report.WaiverLine `json:"waived"`
}

// Run records waivers.
func (c *conformWaiveCmd) Run(a *app) error {
	req, err := c.request()
	if err != nil {
		return err
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	if end, err := verdict.ParseUntil(c.Until); err != nil || !end.IsZero() && !end.After(e.Now()) {
		wrong := &commandError{code: exitUsage, message: fmt.Sprintf("--until %s is over already", plan.Quote(c.Until)), hints: []string{"name a day that is to come, such as 2030-12-31"}}
		if err != nil {
			wrong.message = "--until: " + err.Error()
		}
		return wrong
	}
	rows, err := e.Waive(a.ctx, t, req)
	if err != nil {
		return err
	}
	a.publish(c.Local)
	out := conformWaiveJSON{Schema: "okstra.conform-waive/v1", Task: t.Key.String(), Waived: []report.WaiverLine{}}
	for _, r := range rows {
		w := verdict.Waiver{Surface: conform.Surface(r.Surface), Why: r.Reason, By: r.By, At: r.At, Until: r.Until, From: verdict.FromRow}
		out.Waived = append(out.Waived, report.NewWaiver(req.Stage, w, false))
		if !a.flags.JSON {
			a.tell("stage %d: %s\n", req.Stage, w)
		}
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
	}
	return nil
}

// request checks the words of the command.
func (c *conformWaiveCmd) request() (lifecycle.WaiveRequest, error) {
	req := lifecycle.WaiveRequest{Why: oneLine(c.Why), Until: strings.TrimSpace(c.Until)}
	n, err := oneStage(c.Stage)
	if err != nil {
		return req, err
	}
	req.Stage = n
	for _, list := range c.Surface {
		for word := range strings.SplitSeq(list, ",") {
			word = strings.TrimSpace(word)
			if !slices.Contains(conform.Surfaces(), conform.Surface(word)) {
				return req, &commandError{code: exitUsage, message: fmt.Sprintf("%s is no surface", plan.Quote(word)), hints: []string{"the surfaces are db, io, http and external"}}
			}
			if !slices.Contains(req.Surfaces, word) {
				req.Surfaces = append(req.Surfaces, word)
			}
		}
	}
	switch {
	case len(req.Surfaces) == 0:
		return req, &commandError{code: exitUsage, message: "which surface is waived?", hints: []string{"name it with --surface db, io, http or external"}}
	case req.Why == "":
		return req, &commandError{code: exitUsage, message: "a waiver needs a reason", hints: []string{"give it with --why TEXT"}}
	}
	return req, nil
}
