package report

import (
	"net/url"
	"path"
	"strings"

	"git-okstra/plan"
	"git-okstra/plan/rules"
)

// The shapes below are the part of SARIF 2.1.0 that a check needs (OASIS standard
// "Static Analysis Results Interchange Format", section 3).
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`

	Invocations []sarifInvocation `json:"invocations,omitempty"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string             `json:"id"`
	ShortDescription sarifText          `json:"shortDescription"`
	FullDescription  sarifText          `json:"fullDescription"`
	Help             sarifText          `json:"help"`
	Configuration    sarifConfiguration `json:"defaultConfiguration"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID     string          `json:"ruleId"`
	RuleIndex  int             `json:"ruleIndex"`
	Level      string          `json:"level"`
	Message    sarifText       `json:"message"`
	Locations  []sarifLocation `json:"locations"`
	Properties sarifProperties `json:"properties"`
}

type sarifProperties struct {
	Stage plan.StageNumber `json:"stage"` // 0: the whole plan
	Hint  string           `json:"hint"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

// SARIF gives the check as a SARIF 2.1.0 log, ready to be encoded as JSON. version
// is the tool's own.
func (p *PlanCheck) SARIF(version string) any {
	driver := sarifDriver{Name: "git-okstra", Version: version}
	index := map[string]int{}
	for _, r := range rules.Table() {
		if _, known := index[r.Code]; known {
			continue
		}
		index[r.Code] = len(driver.Rules)
		lesson, _ := rules.Explain(r.Code)
		driver.Rules = append(driver.Rules, sarifRule{
			ID: r.Code, ShortDescription: sarifText{r.Title}, FullDescription: sarifText{lesson.Why},
			Help: sarifText{"git okstra plan explain " + r.Code}, Configuration: sarifConfiguration{string(r.Severity)},
		})
	}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for i, f := range p.Files {
		for _, x := range f.Findings {
			text := x.Message
			if x.Hint != "" {
				text += " (" + x.Hint + ")"
			}
			run.Results = append(run.Results, sarifResult{
				RuleID: x.Code, RuleIndex: index[x.Code], Level: x.Severity, Message: sarifText{text},
				Locations: []sarifLocation{{sarifPhysical{
					sarifArtifact{fileURI(p.place(i))}, sarifRegion{max(x.Line, 1), max(x.Column, 1)},
				}}},
				Properties: sarifProperties{x.Stage, x.Hint},
			})
		}
	}
	return sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	}
}

// fileURI writes a file's name as a URI reference: relative names stay relative,
// absolute ones are file URIs.
func fileURI(name string) string {
	switch {
	case name == "-":
		return "stdin"
	case path.IsAbs(name):
		return (&url.URL{Scheme: "file", Path: name}).String()
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		// A colon in the first part would make it a scheme.
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
