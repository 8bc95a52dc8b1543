package gitops

import (
	"context"
	"path/filepath"
	"slices"
)

// nearCommits is how many commits are read to settle ancestry without a process: stages
// have a few.
const nearCommits = 16

// nearAncestor settles, by reading commits, whether a is b or an ancestor of it where
// they are close: b's parents lead to a, or a's lead to b, which then is no descendant.
// Not known where they are not, and where a commit's parents are not what it says
// (replace refs, grafts, a shallow clone).
func (r *Repo) nearAncestor(ctx context.Context, a, b Hash) (yes, known bool) {
	if !r.objects.fast() || !a.Valid() || !b.Valid() || r.cutHistory() {
		return false, false
	}
	if r.leadsTo(ctx, b, a) {
		return true, true
	}
	return false, r.leadsTo(ctx, a, b)
}

// cutHistory reports whether git may take other parents for a commit's than it names.
func (r *Repo) cutHistory() bool {
	return r.shallow || exists(r.commonDir, "shallow") || exists(r.commonDir, filepath.Join("info", "grafts")) ||
		r.lookupEnv("GIT_SHALLOW_FILE") != "" || r.lookupEnv("GIT_GRAFT_FILE") != "" || r.MayReplace()
}

// leadsTo reports whether a commit's near ancestors, itself among them, have another one,
// which is read too.
func (r *Repo) leadsTo(ctx context.Context, from, wanted Hash) bool {
	reader := withoutGit{r.objects}
	queue := []Hash{from}
	for i := 0; i < len(queue) && i < nearCommits; i++ {
		kind, data, err := reader.read(ctx, queue[i])
		if err != nil || kind != TypeCommit {
			continue
		}
		if queue[i] == wanted {
			return true
		}
		c, err := ParseCommit(data)
		if err != nil {
			continue
		}
		for _, p := range c.Parents {
			if !slices.Contains(queue, p) {
				queue = append(queue, p)
			}
		}
	}
	return false
}
