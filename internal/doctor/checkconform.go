package doctor

import (
	"context"
	"maps"
	"slices"

	"git-okstra/gitops"
)

// readRules looks at the rules for surfaces where stages are judged: on the integration
// branch and on the branches of stages under way. The same mistake is told once a task.
func (d *Doctor) readRules(ctx context.Context, f *facts) {
	broken := map[gitops.Hash]error{}
	for _, t := range f.tasks {
		if t.plan == "" || t.planErr != nil {
			continue
		}
		names := []string{shortName(t.about.Onto)}
		for _, n := range slices.Sorted(maps.Keys(t.claims)) {
			names = append(names, t.claims[n].Branch)
		}
		told := map[string]bool{}
		for _, name := range names {
			at := f.heads[name]
			if f.types[at] != gitops.TypeCommit {
				continue
			}
			err, known := broken[at]
			if !known {
				err = d.Lifecycle.Surfaces(ctx, at)
				broken[at] = err
			}
			if err != nil && !told[err.Error()] {
				told[err.Error()] = true
				t.rules = append(t.rules, badRules{name, err})
			}
		}
	}
}

// unsoundManifests: conformance.md §2. Nothing of such a manifest runs.
func unsoundManifests(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, problem := range t.about.Manifest {
			out = append(out, found(t, 0, "%s", problem).hint("mend it beside the plan, and approve the plan again"))
		}
	}
	return out
}

// unsoundRules: conformance.md §1, a bad file is an error and never ignored.
func unsoundRules(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, r := range t.rules {
			out = append(out, found(t, 0, "on the branch %s: %v", path(r.branch), r.err).hint("mend the file there; until then no change is judged"))
		}
	}
	return out
}
