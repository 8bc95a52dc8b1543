package main

import (
	"encoding/json"
	"slices"
	"testing"

	"git-okstra/plan"
)

// TestBatchesAtOnce lets several processes take batches of a plan of independent stages
// of two steps each: no stage goes to two of them, none is left, and what one took is
// within its budget.
func TestBatchesAtOnce(t *testing.T) {
	const stages, takers, most = 9, 4, 3
	b := newBench(t, stages)
	var all []plan.StageNumber
	for i, o := range b.atOnce(takers, func(int) (string, []string) {
		return b.repo.Dir, []string{"stage", "next", "--budget", "7", "--json"}
	}) {
		var got startJSON
		if o.code == exitNothing {
			continue
		}
		if err := json.Unmarshal([]byte(o.out), &got); err != nil || o.code != 0 || len(got.Stages) > most {
			t.Errorf("taker %d: %+v, %v", i, o, err)
		}
		for _, s := range got.Stages {
			all = append(all, s.Stage)
		}
	}
	slices.Sort(all)
	if len(all) != stages || len(slices.Compact(all)) != stages {
		t.Errorf("taken: %v", all)
	}
}
