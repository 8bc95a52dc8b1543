package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"git-okstra/notes"
	"git-okstra/plan"
)

// maxEvidence bounds the evidence of one stage: it becomes one line of a note.
const maxEvidence = 1 << 20

// evidenceTitle is the heading in a report under which evidence stands.
const evidenceTitle = "Stage Carry Evidence"

// evidence reads what only the worker knows of stage n: from a file or standard input
// if one is named, else from the report, if it is there and has such a heading; nil
// where nobody says anything.
func (a *app) evidence(n plan.StageNumber, name, report string) (*notes.Carry, error) {
	if name == "" {
		return a.evidenceOfReport(n, report)
	}
	src, err := a.readEvidence(name)
	if err != nil {
		return nil, err
	}
	c, err := notes.ParseEvidence(src)
	if err != nil {
		return nil, badEvidence(name, err, func(offset int) plan.Position { return positionIn(src, offset) })
	}
	return c, ofStage(n, c, name)
}

func (a *app) readEvidence(name string) ([]byte, error) {
	src, err := a.interruptible(func() ([]byte, error) {
		in := a.std.in
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			defer func() { _ = f.Close() }()
			in = f
		}
		return io.ReadAll(io.LimitReader(in, maxEvidence+1))
	})
	switch {
	case isMissing(err):
		return nil, &commandError{code: exitUsage, message: fmt.Sprintf("no evidence at %q", name), hints: []string{"name a JSON file, or - for standard input"}}
	case err != nil:
		return nil, fmt.Errorf("read evidence: %w", err)
	case len(src) > maxEvidence:
		return nil, &commandError{code: exitFindings, message: fmt.Sprintf("the evidence in %q is larger than 1 MiB", name), hints: []string{"keep what is large in a file of the repository"}}
	}
	return src, nil
}

// evidenceOfReport looks into a report. One that is not here is only a name.
func (a *app) evidenceOfReport(n plan.StageNumber, name string) (*notes.Carry, error) {
	if name == "" || !isRegular(name) {
		return nil, nil
	}
	src, err := readFile(name)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(src, []byte(evidenceTitle)) {
		return nil, nil
	}
	headings, blocks := plan.Parse(src).Fenced(evidenceTitle)
	var fits, all []*notes.Carry
	for _, b := range blocks {
		if b.Language != "" && b.Language != "json" {
			continue
		}
		c, err := notes.ParseEvidence([]byte(b.Text))
		if err != nil {
			return nil, badEvidence(name, err, b.Position)
		}
		if all = append(all, c); c.StageNumber == n {
			fits = append(fits, c)
		}
	}
	switch {
	case len(headings) == 0:
		return nil, nil
	case len(all) == 1:
		return all[0], ofStage(n, all[0], name)
	case len(fits) == 1:
		return fits[0], nil
	}
	what := "no fenced JSON block stands under this heading"
	if len(all) > 0 {
		what = fmt.Sprintf("%d blocks of evidence, and not one alone says that it is for stage %d (stageNumber)", len(all), n)
	}
	return nil, badEvidence(name, errors.New(what), func(int) plan.Position { return headings[0].Pos })
}

// ofStage refuses evidence that says it is for another stage.
func ofStage(n plan.StageNumber, c *notes.Carry, name string) error {
	if c.StageNumber == 0 || c.StageNumber == n || n == 0 {
		return nil
	}
	return &commandError{code: exitFindings, message: fmt.Sprintf("the evidence in %q is for stage %d, not %d", name, c.StageNumber, n)}
}

// badEvidence names the place of what is wrong.
func badEvidence(name string, err error, position func(offset int) plan.Position) error {
	offset := 0
	var bad *notes.EvidenceError
	if errors.As(err, &bad) {
		offset = bad.Offset
	}
	return &commandError{
		code:    exitFindings,
		message: fmt.Sprintf("%s:%s: evidence: %s", plan.Printable(name), position(offset), plan.Printable(err.Error())),
		hints:   []string{"nothing was recorded; the keys that a worker knows are newIdentifiers, stepResults, validationsPassed and notes"},
	}
}

// positionIn is the place of an offset in a file, as plans count it.
func positionIn(src []byte, offset int) plan.Position {
	before := src[:min(offset, len(src))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	return plan.Position{Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(line) + 1}
}
