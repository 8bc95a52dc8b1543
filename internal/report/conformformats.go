package report

import (
	"fmt"
	"path"
	"strings"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/manifest"
	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// codeManifest is the code of what is wrong with the manifest.
const codeManifest = "manifest"

// conformFinding is one place that a machine shows: a reason has as many as it has
// touches, and else one.
type conformFinding struct {
	code         string
	level        string // error or note, as SARIF says; annotations say notice
	stage        plan.StageNumber
	path         string
	line, column int
	message      string
	hint         string
}

func (c ConformCheck) findings() []conformFinding {
	var out []conformFinding
	for _, s := range c.Stages {
		for _, r := range s.Reasons {
			f := conformFinding{code: string(r.Code), level: "note", stage: s.Stage, message: r.Message, hint: r.Hint, line: 1, column: 1}
			if r.Level == verdict.Block {
				f.level = "error"
			}
			places := r.touches
			if len(places) == 0 {
				p := r.Path
				if p == "" {
					p = c.planPath
				}
				places = []conform.Touch{{Path: p, Line: 1}}
			}
			for _, t := range places {
				f.path, f.line = t.Path, max(t.Line, 1)
				if t.Surface != "" {
					f.message = fmt.Sprintf("%s: %s (%s)", r.Message, t.Surface, plan.Printable(t.Rule))
				}
				out = append(out, f)
			}
		}
	}
	for _, p := range c.Manifest {
		out = append(out, conformFinding{codeManifest, "error", 0, path.Join(path.Dir(orDot(c.planPath)), manifest.Path), p.Line, p.Column, p.Message, p.Hint})
	}
	return out
}

func orDot(s string) string {
	if s == "" {
		return "."
	}
	return s
}

// SARIF gives the check as a SARIF 2.1.0 log, ready to be encoded as JSON. version is the
// tool's own.
func (c ConformCheck) SARIF(version string) any {
	driver := sarifDriver{Name: "git-okstra", Version: version}
	index := map[string]int{}
	add := func(id, help, level string) {
		index[id] = len(driver.Rules)
		driver.Rules = append(driver.Rules, sarifRule{
			ID: id, ShortDescription: sarifText{help}, FullDescription: sarifText{help},
			Help: sarifText{"docs/conformance.md"}, Configuration: sarifConfiguration{level},
		})
	}
	for _, code := range verdict.Codes() {
		level := "error"
		if code.Code == verdict.CodeWaived || code.Code == verdict.CodeUndeclared || code.Code == verdict.CodeUnplanned {
			level = "note"
		}
		add(string(code.Code), code.Help, level)
	}
	add(codeManifest, "the manifest does not fit its schema or the plan", "error")
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for _, f := range c.findings() {
		text := f.message
		if f.hint != "" {
			text += " (" + f.hint + ")"
		}
		r := sarifResult{
			RuleID: f.code, RuleIndex: index[f.code], Level: f.level, Message: sarifText{text},
			Locations: []sarifLocation{}, Properties: sarifProperties{f.stage, f.hint},
		}
		if f.path != "" {
			r.Locations = append(r.Locations, sarifLocation{sarifPhysical{sarifArtifact{fileURI(f.path)}, sarifRegion{f.line, f.column}}})
		}
		run.Results = append(run.Results, r)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// Annotations writes the check as workflow commands of GitHub Actions, one a line.
func (c ConformCheck) Annotations() string {
	var b strings.Builder
	for _, f := range c.findings() {
		level := "notice"
		if f.level == "error" {
			level = "error"
		}
		title := f.code
		if f.stage > 0 {
			title += fmt.Sprintf(" in stage %d", f.stage)
		}
		message := f.message
		if f.hint != "" {
			message += "\nhint: " + f.hint
		}
		place := ""
		if f.path != "" {
			place = fmt.Sprintf("file=%s,line=%d,col=%d,", commandProperty(f.path), f.line, f.column)
		}
		fmt.Fprintf(&b, "::%s %stitle=%s::%s\n", level, place, commandProperty(title), commandData(message))
	}
	return b.String()
}
