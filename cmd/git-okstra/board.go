package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/board"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/notes"
	"git-okstra/plan"
)

type boardCmd struct {
	Out   string `help:"Write the page to this file; default: a file in the git directory, whose name is printed. - is standard output." placeholder:"FILE"`
	Open  bool   `help:"Show it in the browser that git would take (web.browser)."`
	Watch bool   `help:"Go on until Ctrl-C: write the page again when a ref changes. The page loads itself anew."`
}

// watchEvery is how often refs are looked at, pageReload after how many seconds the page is.
const (
	watchEvery = time.Second
	pageReload = 2
)

// Run writes the board.
func (c *boardCmd) Run(a *app) error {
	if a.flags.JSON && (c.Watch || c.Open || c.Out != "") || c.Out == "-" && (c.Watch || c.Open) {
		return &commandError{code: exitUsage, message: "--json and --out - print the board once, so they go with no file, --open or --watch", hints: []string{"leave one of them out"}}
	}
	var seen []gitops.Ref
	if c.Watch { // before the board, so that what changes meanwhile is seen
		var err error
		if seen, err = a.watched(a.ctx); err != nil {
			return err
		}
	}
	b, key, err := a.board()
	if err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, b)
		return nil
	}
	refresh := 0
	if c.Watch {
		refresh = pageReload
	}
	page, err := board.HTML(b, refresh)
	if err != nil {
		return err
	}
	if c.Out == "-" {
		a.print("%s", page)
		return nil
	}
	file, err := c.file(a, key)
	if err != nil {
		return err
	}
	if err := writeWhole(file, page); err != nil {
		return err
	}
	a.tell("%s\n", plan.Printable(file))
	if c.Open {
		if err := a.repo.Browse(a.ctx, file); err != nil {
			return err
		}
	}
	if !c.Watch {
		return nil
	}
	return a.watchBoard(file, b, seen)
}

// file is where the page goes, absolute.
func (c *boardCmd) file(a *app, key plan.TaskKey) (string, error) {
	if c.Out == "" {
		file := filepath.Join(a.repo.CommonDir(), "okstra", "board", filepath.FromSlash(key.Ref())+".html")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return "", fmt.Errorf("write board: %w", err)
		}
		return filepath.Abs(file)
	}
	file, err := filepath.Abs(c.Out)
	if err != nil {
		return "", fmt.Errorf("write board: %w", err)
	}
	return file, nil
}

// writeWhole puts a file in place in one step: a reader, and another writer's reader, find
// one page or the other, never half of one.
// What is there and no file, such as a device, is never replaced.
func writeWhole(file string, data []byte) error {
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return &commandError{code: exitFindings, message: fmt.Sprintf("%q is no regular file", file), hints: []string{"name another file, or - for standard output"}}
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".okstra-board-*")
	if err != nil {
		return fmt.Errorf("write board: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("write board: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// board gathers what the board shows.
func (a *app) board() (board.Board, plan.TaskKey, error) {
	e, t, err := a.look()
	if err != nil {
		return board.Board{}, plan.TaskKey{}, err
	}
	out := board.Board{
		Task: t.Key.String(), File: t.Meta.Path, Revision: string(t.PlanCommit),
		Onto: shortName(t.Meta.Onto), MadeAt: e.Now().UTC().Format(time.RFC3339),
	}
	src, err := a.repo.FileAt(a.ctx, t.PlanCommit, "plan.md")
	if err != nil {
		return out, t.Key, err
	}
	out.Title = planTitle(src)
	rows, err := notes.Read(a.ctx, a.repo, t.NotesTip)
	if err != nil {
		return out, t.Key, err
	}
	rows = slices.DeleteFunc(rows, func(l notes.Line) bool { return l.Foreign || ofAnother(t.Key, l.Row) })
	by := map[plan.StageNumber][]notes.Line{}
	for _, l := range rows {
		by[l.Row.Stage] = append(by[l.Row.Stage], l)
		out.Events = append(out.Events, board.Event{Stage: l.Row.Stage, Seq: l.Row.Seq, At: l.Row.At, Status: string(l.Row.Status), By: l.Row.By})
	}
	out.Stages, err = a.boardStages(e, t, by)
	return board.New(out), t.Key, err
}

// boardStages gathers the stages.
func (a *app) boardStages(e *lifecycle.Engine, t *lifecycle.Task, rows map[plan.StageNumber][]notes.Line) ([]board.Stage, error) {
	all, err := a.conformance(a.ctx, e, t)
	if err != nil {
		return nil, err
	}
	var out []board.Stage
	for _, st := range t.Plan.Stages {
		shown, err := a.stageOf(all, st.Number, rows[st.Number])
		if err != nil {
			return nil, err
		}
		d := verdict.DeclarationOf(st)
		out = append(out, board.Stage{StageShow: shown, Declared: board.Declared{Kind: string(d.Kind), Reason: d.Reason, Script: d.Script, Requires: d.Requires}})
	}
	return out, nil
}

// watched are the values of the refs that a board is made from.
func (a *app) watched(ctx context.Context) ([]gitops.Ref, error) {
	repo, err := a.open()
	if err != nil {
		return nil, err
	}
	return repo.Refs(ctx, "refs/okstra", "refs/notes", "refs/heads")
}

// watchBoard writes the page again whenever refs changed, until Ctrl-C; then once more, as a
// page that stays as it is.
func (a *app) watchBoard(file string, b board.Board, seen []gitops.Ref) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-a.ctx.Done():
			page, err := board.HTML(b, 0)
			if err == nil {
				err = writeWhole(file, page)
			}
			return errors.Join(a.ctx.Err(), err)
		case <-tick.C:
		}
		now, err := a.watched(a.ctx)
		if err == nil && !slices.Equal(now, seen) {
			err = a.boardAgain(file, &b)
			seen = now
		}
		if err != nil && a.ctx.Err() == nil {
			return err
		}
	}
}

// boardAgain writes the board as it is now.
func (a *app) boardAgain(file string, b *board.Board) error {
	next, _, err := a.board()
	if err != nil {
		return err
	}
	*b = next
	page, err := board.HTML(next, pageReload)
	if err != nil {
		return err
	}
	a.say("written again: %s", strings.Join([]string{
		fmt.Sprint(next.Counts.Done, " done"), fmt.Sprint(next.Counts.Active, " active"),
		fmt.Sprint(next.Counts.Ready, " ready"), fmt.Sprint(next.Counts.Blocked, " blocked"),
	}, ", "))
	return writeWhole(file, page)
}
