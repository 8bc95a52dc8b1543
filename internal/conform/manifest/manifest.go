// Package manifest reads qa/conformance-manifest.json: what proves each stage of a plan.
// A manifest is held against its published schema and against the plan that it is pinned
// with. The package is pure.
package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// Path is the manifest's place below the task root, and in the tree of a plan's commit;
// Scripts is the folder of what it may run.
const (
	Path    = "qa/conformance-manifest.json"
	Scripts = "qa/scripts/"
)

// Entry is what proves one stage.
type Entry struct {
	StageKey       string            `json:"stageKey"`
	Script         string            `json:"script"`
	RunCommand     string            `json:"runCommand"`
	RequirementIDs []string          `json:"requirementIds"`
	Requires       []conform.Surface `json:"requires"`
	Exempt         bool              `json:"-"` // the entry says why there is no script
	Waivers        []verdict.Waiver  `json:"-"`

	pointer string // where it stands in the file
}

// Problem is something that is wrong with a manifest, at a place in it. Line and Column
// are 1-based; the message shows foreign text escaped.
type Problem struct {
	Line, Column  int
	Message, Hint string
}

// Error gives the problem with its place.
func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", Path, p.Line, p.Column, p.Message)
}

// Manifest is a manifest that fits the schema.
type Manifest struct {
	Entries []Entry
	places  places
}

// Stage is the stage's number in the entry's key, and what stands before it.
func (e Entry) Stage() (task string, n plan.StageNumber) {
	const mark = "-stage-"
	at := strings.LastIndex(e.StageKey, mark)
	if at < 0 {
		return e.StageKey, 0
	}
	number, err := strconv.ParseInt(e.StageKey[at+len(mark):], 10, 32)
	if err != nil {
		return e.StageKey, 0
	}
	return e.StageKey[:at], plan.StageNumber(number)
}

// Entry gives the entry of a stage. Of a manifest that fits its plan there is at most one.
func (m *Manifest) Entry(n plan.StageNumber) (Entry, bool) {
	for _, e := range m.Entries {
		if _, stage := e.Stage(); stage == n {
			return e, true
		}
	}
	return Entry{}, false
}

// rawEntry has the parts of an entry that come in several shapes.
type rawEntry struct {
	Entry
	Exemption json.RawMessage `json:"exemption"`
	Waiver    json.RawMessage `json:"waiver"`
}

type rawWaiver struct {
	Surface  conform.Surface   `json:"surface"`
	Surfaces []conform.Surface `json:"surfaces"`
	Why      string            `json:"why"`
	Reason   string            `json:"reason"`
	Until    string            `json:"until"`
	By       string            `json:"by"`
	At       string            `json:"at"`
}

// Parse reads a manifest and holds it against the schema. Of one with problems nothing
// else is given.
func Parse(src []byte) (*Manifest, []Problem) {
	at, problem := locate(src)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	if problems := validate(src, at); len(problems) > 0 {
		return nil, problems
	}
	var list []rawEntry
	prefix := ""
	if err := json.Unmarshal(src, &list); err != nil {
		var object struct {
			Entries []rawEntry `json:"entries"`
		}
		if err := json.Unmarshal(src, &object); err != nil {
			return nil, []Problem{at.problem("", "%s", plan.Printable(err.Error()))}
		}
		list, prefix = object.Entries, "/entries"
	}
	m := &Manifest{places: at}
	for i, raw := range list {
		e := raw.Entry
		e.pointer = prefix + "/" + strconv.Itoa(i)
		e.Exempt = len(raw.Exemption) > 0 && string(raw.Exemption) != "null"
		var err error
		if e.Waivers, err = waivers(raw.Waiver); err != nil {
			return nil, []Problem{at.problem(e.pointer+"/waiver", "%s", plan.Printable(err.Error()))}
		}
		m.Entries = append(m.Entries, e)
	}
	return m, nil
}

// waivers reads one waiver, several, or none.
func waivers(raw json.RawMessage) ([]verdict.Waiver, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var list []rawWaiver
	if json.Unmarshal(raw, &list) != nil {
		list = make([]rawWaiver, 1)
		if err := json.Unmarshal(raw, &list[0]); err != nil {
			return nil, err
		}
	}
	var out []verdict.Waiver
	for _, w := range list {
		if _, err := verdict.ParseUntil(w.Until); err != nil {
			return nil, fmt.Errorf("until: %w", err)
		}
		for _, s := range conform.Surfaces() {
			if s == w.Surface || slices.Contains(w.Surfaces, s) {
				why := w.Why
				if why == "" {
					why = w.Reason
				}
				out = append(out, verdict.Waiver{Surface: s, Why: why, By: w.By, At: w.At, Until: w.Until, From: verdict.FromManifest})
			}
		}
	}
	return out, nil
}
