package taskfolder

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"git-okstra/plan"
)

const registryFile = "registry.json"

// registry is what the worktree registry says of bases, as it names them.
type registry struct {
	base   string // of the task, where the release keeps one
	stages map[plan.StageNumber]string
}

var baseKeys = []string{"base_commit", "baseCommit", "base", "base_ref", "anchor"}

// parseRegistry reads the registry of any release: the stages are a list of objects or
// one object by stage number.
func parseRegistry(raw []byte) (registry, error) {
	o, err := parseObject(raw)
	if err != nil {
		return registry{}, err
	}
	r := registry{base: strings.ToLower(o.text(baseKeys...)), stages: map[plan.StageNumber]string{}}
	for _, key := range []string{"stages", "entries", "worktrees"} {
		var list []json.RawMessage
		if json.Unmarshal(o[key], &list) == nil {
			for _, item := range list {
				if entry, err := parseObject(item); err == nil {
					r.add(entry.stage(), entry)
				}
			}
		}
		byNumber := o.object(key)
		for _, name := range slices.Sorted(maps.Keys(byNumber)) {
			entry, err := parseObject(byNumber[name])
			n, numErr := strconv.ParseInt(strings.TrimPrefix(name, "stage-"), 10, 32)
			if err == nil && numErr == nil {
				r.add(plan.StageNumber(n), entry)
			}
		}
	}
	return r, nil
}

func (r registry) add(n plan.StageNumber, entry object) {
	if base := entry.text(baseKeys...); n > 0 && base != "" {
		r.stages[n] = strings.ToLower(base)
	}
}
