package taskfolder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// evidence is one carry/stage-<N>.json.
type evidence struct {
	stage  plan.StageNumber
	file   string
	raw    []byte
	commit string // the head of its range, as the file names it
	at     string
	carry  *notes.Carry // nil where its fields are not those of schema version 1
}

// carryFile is where a stage's evidence stands.
func carryFile(n plan.StageNumber) string { return fmt.Sprintf("carry/stage-%d.json", n) }

// carryStage is the stage that a path is the evidence of, 0 for another path.
func carryStage(path string) plan.StageNumber {
	digits, ok := strings.CutPrefix(path, "carry/stage-")
	digits, ok2 := strings.CutSuffix(digits, ".json")
	n, err := stage.ParseNumbers([]string{digits})
	if !ok || !ok2 || err != nil || len(n) != 1 || carryFile(n[0]) != path {
		return 0
	}
	return n[0]
}

func parseCarry(n plan.StageNumber, raw []byte) (evidence, error) {
	o, err := parseObject(raw)
	if err != nil {
		return evidence{}, err
	}
	e := evidence{stage: n, file: carryFile(n), raw: raw, commit: o.head()}
	if r := o.object("stageCommitRange", "commitRange", "stage_commit_range"); r != nil {
		e.commit = r.head()
	}
	e.at, _ = moment(o.text("completedAt", "completed_at"))
	c := &notes.Carry{}
	if json.Unmarshal(bytes.TrimPrefix(raw, bom), c) != nil {
		return e, nil
	}
	c.StageNumber = n
	if c.SchemaVersion == 0 {
		c.SchemaVersion = 1
	}
	if c.StageCommitRange.Head == "" {
		c.StageCommitRange.Head = hash(e.commit)
	}
	for _, list := range []*[]string{&c.FilesChanged, &c.NewIdentifiers, &c.ValidationsPassed, &c.Notes} {
		if *list == nil {
			*list = []string{}
		}
	}
	if c.StepResults == nil {
		c.StepResults = []notes.StepResult{}
	}
	e.carry = c
	return e, nil
}

// hash is a whole object id as it stands in a file, "" for anything else.
func hash(s string) gitops.Hash {
	if h := gitops.Hash(strings.ToLower(s)); h.Valid() {
		return h
	}
	return ""
}
