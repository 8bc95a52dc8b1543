package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// CommitsBetween lists the commits that tip has and base has not, newest first as git
// log does, at most so many; more says that there are others. Both must be here. It
// takes one git process.
func (r *Repo) CommitsBetween(ctx context.Context, base, tip Hash, most int) (list []Hash, more bool, err error) {
	for _, h := range []Hash{base, tip} {
		if !h.Valid() {
			return nil, false, fmt.Errorf("list commits: bad id %q", h)
		}
	}
	out, err := r.run(ctx, r.common(), nil, "rev-list", "--max-count="+strconv.Itoa(most+1), string(tip), "^"+string(base), "--")
	if err != nil {
		return nil, false, fmt.Errorf("list commits: %w", err)
	}
	for line := range bytes.Lines(out) {
		h := Hash(strings.TrimSpace(string(line)))
		if !h.Valid() {
			return nil, false, fmt.Errorf("list commits: unexpected line %q", line)
		}
		list = append(list, h)
	}
	if len(list) > most {
		return list[:most], true, nil
	}
	return list, false, nil
}
