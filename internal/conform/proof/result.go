package proof

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// Status is the status of a result's line.
const Status = "conformance"

// Result is the outcome of one run: a line of a note on the commit that was tested. Its
// first keys are those of every row, so that logs of results are merged as all others.
type Result struct {
	V            int              `json:"v"`
	Seq          uint64           `json:"seq"`
	ID           string           `json:"id"`
	Task         string           `json:"impl_task_key"`
	Stage        plan.StageNumber `json:"stage"`
	Status       string           `json:"status"`
	At           string           `json:"at"` // RFC 3339, UTC
	By           string           `json:"by"`
	Host         string           `json:"host"`
	Run          string           `json:"run"`
	Head         string           `json:"head_commit"` // the commit that was tested
	Tree         string           `json:"tree"`        // its tree
	Plan         string           `json:"plan"`        // the plan's revision
	Script       string           `json:"script"`      // the script's blob
	Command      string           `json:"command"`
	Verdict      Word             `json:"verdict"`
	Reason       string           `json:"reason,omitempty"`
	ExitCode     int              `json:"exit_code"`
	DurationMS   int64            `json:"duration_ms"`
	Requirements []Requirement    `json:"requirements"`
}

// Encode writes the line without its line end.
func (r Result) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if r.Requirements == nil {
		r.Requirements = []Requirement{}
	}
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads a line. ok is false for what is no result.
func Decode(line []byte) (r Result, ok bool) {
	if json.Unmarshal(line, &r) != nil || r.Status != Status || r.ID == "" {
		return Result{}, false
	}
	return r, r.Verdict == Pass || r.Verdict == Fail
}

// Wanted is what a result must be of to count.
type Wanted struct {
	Stage        plan.StageNumber
	Tree, Script string
	Command      string
	Requirements []string
}

// Counts says what a stage's results prove for a tree and a script: the last one of these
// counts. The result is the one that does, or, of a stale stage, the last of another.
func Counts(results []Result, w Wanted) (verdict.Proof, *Result) {
	var own []Result
	for _, r := range results {
		if r.Stage == w.Stage {
			own = append(own, r)
		}
	}
	if len(own) == 0 {
		return verdict.Proof{State: verdict.NoProof}, nil
	}
	slices.SortStableFunc(own, func(a, b Result) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.ID, b.ID)) })
	for i := len(own) - 1; i >= 0; i-- {
		r := &own[i]
		if r.Tree != w.Tree || r.Script != w.Script || r.Command != w.Command {
			continue
		}
		if missing := lacking(r.Requirements, w.Requirements); r.Verdict == Pass && missing != "" {
			return verdict.Proof{State: verdict.Stale, Why: "the result says nothing of requirement " + plan.Quote(missing)}, r
		}
		if r.Verdict != Pass {
			return verdict.Proof{State: verdict.Failed, Why: r.Reason}, r
		}
		return verdict.Proof{State: verdict.Proved}, r
	}
	last := &own[len(own)-1]
	why := "the command is another one"
	switch {
	case last.Tree != w.Tree:
		why = "the last result is of another tree, of commit " + short(last.Head)
	case last.Script != w.Script:
		why = "the last result is of another revision of the script"
	}
	return verdict.Proof{State: verdict.Stale, Why: why}, last
}

func short(hash string) string { return hash[:min(10, len(hash))] }

// lacking is the first wanted requirement of which nothing good is said.
func lacking(have []Requirement, wanted []string) string {
	for _, id := range wanted {
		if !slices.ContainsFunc(have, func(q Requirement) bool { return q.ID == id && q.Verdict == Pass }) {
			return id
		}
	}
	return ""
}
