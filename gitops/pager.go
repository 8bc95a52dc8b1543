package gitops

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Pager is the command line that shows long output in pages on a terminal, for a shell:
// GIT_PAGER, core.pager, PAGER or git's own default, in that order, as git decides it, in
// a repository or outside of any. "" where there is to be none. Errors: git's own (*GitError).
func Pager(ctx context.Context, opts Options) (string, error) {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	r := &Repo{runner: runner{env: opts.Env, trace: opts.Trace}, dir: opts.Dir, env: baseEnv(opts.Env)}
	out, err := r.run(ctx, r.here(), nil, "var", "GIT_PAGER")
	if err != nil {
		return "", fmt.Errorf("ask for the pager: %w", err)
	}
	command := strings.TrimSuffix(string(out), "\n")
	if command == "cat" {
		return "", nil
	}
	return command, nil
}
