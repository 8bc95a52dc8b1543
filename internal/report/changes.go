package report

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

// The severities of a finding about a change. A notice never blocks.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityNotice  = "notice"
)

// The verdicts on a change.
const (
	VerdictPass      = "pass"
	VerdictBlock     = "block"
	VerdictUndecided = "undecided"
)

// Changes is what a hook or CI says of a commit, a push or a range: okstra.hooks-run/v1
// and okstra.ci/v1.
type Changes struct {
	Schema   string          `json:"schema"`
	Hook     string          `json:"hook"` // its name, or ci
	Base     string          `json:"base"` // "" where there is no range
	Head     string          `json:"head"`
	Verdict  string          `json:"verdict"`
	Why      string          `json:"why"`    // why nothing was judged, or nothing could be
	Judged   []string        `json:"judged"` // plans by their path, stages as KEY#N
	Findings []ChangeFinding `json:"findings"`
	Skipped  []SkippedRule   `json:"skipped"` // by OKSTRA_SKIP
	Commands []string        `json:"commands"`
	skip     []string
}

// ChangeFinding is one finding. Line and column are 0 where it is about a whole file,
// the file is "" where it is about none.
type ChangeFinding struct {
	Rule     string           `json:"rule"`
	Severity string           `json:"severity"`
	Ref      string           `json:"ref"` // what is pushed, "" in a commit
	Stage    plan.StageNumber `json:"stage"`
	File     string           `json:"file"`
	Line     int              `json:"line"`
	Column   int              `json:"column"`
	Message  string           `json:"message"`
	Hint     string           `json:"hint"`
}

// SkippedRule is a rule that OKSTRA_SKIP named and that had something to say.
type SkippedRule struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// NewChanges begins a report that leaves out what skip, OKSTRA_SKIP's value, names:
// rules divided by commas, or all.
func NewChanges(schema, hook, skip string) *Changes {
	c := &Changes{Schema: schema, Hook: hook, Verdict: VerdictPass, Judged: []string{}, Findings: []ChangeFinding{}, Skipped: []SkippedRule{}, Commands: []string{}}
	for _, rule := range strings.FieldsFunc(skip, func(r rune) bool { return r == ',' || r == ' ' }) {
		c.skip = append(c.skip, strings.ToLower(rule))
	}
	return c
}

// Add takes a finding in, or counts it as skipped.
func (c *Changes) Add(f ChangeFinding) {
	for _, rule := range c.skip {
		if rule != "all" && rule != strings.ToLower(f.Rule) {
			continue
		}
		for i := range c.Skipped {
			if c.Skipped[i].Rule == f.Rule {
				c.Skipped[i].Count++
				return
			}
		}
		c.Skipped = append(c.Skipped, SkippedRule{f.Rule, 1})
		return
	}
	c.Findings = append(c.Findings, f)
	if f.Severity == SeverityError && c.Verdict == VerdictPass {
		c.Verdict = VerdictBlock
	}
}

// Undecided says that nothing can be told, and what would help.
func (c *Changes) Undecided(why string, commands ...string) {
	c.Verdict, c.Why, c.Commands = VerdictUndecided, why, append(c.Commands, commands...)
}

// Silent reports whether there is nothing that a person should know.
func (c *Changes) Silent() bool {
	return len(c.Findings) == 0 && len(c.Skipped) == 0 && c.Verdict == VerdictPass && c.Why == ""
}

// Text writes the findings as compilers do, then what was skipped and how to go on all
// the same; over is how the check as a whole is left out.
func (c *Changes) Text(over string) string {
	var b strings.Builder
	for _, f := range c.Findings {
		where := plan.Printable(f.File)
		if f.Line > 0 {
			where += fmt.Sprintf(":%d:%d", f.Line, max(f.Column, 1))
		}
		if f.Ref != "" {
			where = strings.TrimSuffix(plan.Printable(f.Ref)+": "+where, ": ")
		}
		if where != "" {
			where += ": "
		}
		stage := ""
		if word := fmt.Sprintf("stage %d", f.Stage); f.Stage > 0 && !strings.Contains(f.Message, word) {
			stage = " " + word + ":"
		}
		fmt.Fprintf(&b, "%s%s %s:%s %s\n", where, f.Severity, f.Rule, stage, plan.Printable(f.Message))
		if f.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", plan.Printable(f.Hint))
		}
	}
	for _, s := range c.Skipped {
		fmt.Fprintf(&b, "skipped by OKSTRA_SKIP: %s (%s)\n", s.Rule, Count(s.Count, "finding"))
	}
	switch c.Verdict {
	case VerdictBlock:
		fmt.Fprintf(&b, "git okstra: %s refused\n", c.Hook)
		if rules := c.rules(); over != "" {
			fmt.Fprintf(&b, "hint: to go on all the same: OKSTRA_SKIP=%s, or %s\n", rules, over)
		}
	case VerdictUndecided:
		fmt.Fprintf(&b, "git okstra: cannot decide: %s\n", plan.Printable(c.Why))
		for _, command := range c.Commands {
			fmt.Fprintf(&b, "hint: %s\n", plan.Printable(command))
		}
	default:
		if c.Why != "" {
			fmt.Fprintf(&b, "git okstra: %s: nothing judged: %s\n", c.Hook, plan.Printable(c.Why))
		}
	}
	return b.String()
}

// rules are the rules that block, each once.
func (c *Changes) rules() string {
	var names []string
	had := map[string]bool{}
	for _, f := range c.Findings {
		if f.Severity == SeverityError && !had[f.Rule] {
			had[f.Rule] = true
			names = append(names, f.Rule)
		}
	}
	return strings.Join(names, ",")
}

// Annotations writes the findings as workflow commands of GitHub Actions.
func (c *Changes) Annotations() string {
	var b strings.Builder
	for _, f := range c.Findings {
		properties := []string{"title=" + commandProperty(f.title())}
		if f.File != "" {
			properties = append([]string{
				"file=" + commandProperty(f.File), fmt.Sprintf("line=%d", max(f.Line, 1)), fmt.Sprintf("col=%d", max(f.Column, 1)),
			}, properties...)
		}
		fmt.Fprintf(&b, "::%s %s::%s\n", f.Severity, strings.Join(properties, ","), commandData(f.text("\nhint: ", "")))
	}
	for _, s := range c.Skipped {
		fmt.Fprintf(&b, "::notice title=OKSTRA_SKIP::%s (%s)\n", commandData(s.Rule), Count(s.Count, "finding"))
	}
	if c.Verdict == VerdictUndecided {
		fmt.Fprintf(&b, "::error title=cannot decide::%s\n", commandData(strings.Join(append([]string{c.Why}, c.Commands...), "\n")))
	}
	return b.String()
}

func (f ChangeFinding) title() string {
	title := f.Rule
	if f.Stage > 0 {
		title += fmt.Sprintf(" in stage %d", f.Stage)
	}
	return title
}

// text is the message with what it is about and the hint.
func (f ChangeFinding) text(before, after string) string {
	out := f.Message
	if f.Ref != "" {
		out = f.Ref + ": " + out
	}
	if f.Hint != "" {
		out += before + f.Hint + after
	}
	return out
}

// SARIF gives the findings as a SARIF 2.1.0 log, ready to be encoded as JSON. What was
// skipped and what could not be decided are notifications of the run.
func (c *Changes) SARIF(version string) any {
	driver := sarifDriver{Name: "git-okstra", Version: version, Rules: []sarifRule{}}
	index := map[string]int{}
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for _, f := range c.Findings {
		at, known := index[f.Rule]
		if !known {
			at = len(driver.Rules)
			index[f.Rule] = at
			driver.Rules = append(driver.Rules, changeRule(f))
		}
		result := sarifResult{
			RuleID: f.Rule, RuleIndex: at, Level: sarifLevel(f.Severity), Message: sarifText{f.text(" (", ")")},
			Locations: []sarifLocation{}, Properties: sarifProperties{f.Stage, f.Hint},
		}
		if f.File != "" {
			result.Locations = append(result.Locations, sarifLocation{sarifPhysical{
				sarifArtifact{fileURI(f.File)}, sarifRegion{max(f.Line, 1), max(f.Column, 1)},
			}})
		}
		run.Results = append(run.Results, result)
	}
	run.Tool = sarifTool{driver}
	notes := []sarifNotification{}
	for _, s := range c.Skipped {
		notes = append(notes, sarifNotification{"note", sarifText{fmt.Sprintf("skipped by OKSTRA_SKIP: %s (%s)", s.Rule, Count(s.Count, "finding"))}})
	}
	if c.Verdict == VerdictUndecided {
		notes = append(notes, sarifNotification{"error", sarifText{strings.Join(append([]string{"cannot decide: " + c.Why}, c.Commands...), "; ")}})
	}
	run.Invocations = []sarifInvocation{{c.Verdict != VerdictUndecided, notes}}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func changeRule(f ChangeFinding) sarifRule {
	return sarifRule{
		ID: f.Rule, ShortDescription: sarifText{f.Rule}, FullDescription: sarifText{f.Rule},
		Help: sarifText{"git okstra plan explain " + f.Rule}, Configuration: sarifConfiguration{sarifLevel(f.Severity)},
	}
}

func sarifLevel(severity string) string {
	if severity == SeverityNotice {
		return "note"
	}
	return severity
}
