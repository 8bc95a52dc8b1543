package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// FilterDrivers lists the names of the filters that the configuration sets up for
// attributes to name (gitattributes(5), "filter").
func (c Config) FilterDrivers() []string {
	var out []string
	for _, what := range []string{".smudge", ".process", ".clean", ".required"} {
		for _, name := range c.Subsections("filter.", what) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// ResetHardUnfiltered is ResetHard without the named filters: what they would change
// stays as it is stored. Git keeps such a file for unchanged as long as nobody touches it;
// only one that is as young as the index it would ask the filter about, in each status, and
// then call it changed. So the index is written again when it has a second of its own.
func (r *Repo) ResetHardUnfiltered(ctx context.Context, wt Worktree, workers int, drivers []string) error {
	at := r.at(wt.Path)
	at.env = r.withoutFilters(at.env, drivers)
	_, err := r.run(ctx, at, nil, "-c", fmt.Sprintf("checkout.workers=%d", workers),
		"reset", "--hard", "--quiet", "--no-recurse-submodules")
	if err != nil {
		return fmt.Errorf("write files: %w", err)
	}
	info, err := os.Stat(filepath.Join(wt.GitDir, "index"))
	if err != nil {
		return fmt.Errorf("write files: %w", err)
	}
	next := info.ModTime().Truncate(time.Second).Add(time.Second)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(max(0, min(time.Until(next), time.Second)) + 10*time.Millisecond):
	}
	if _, err := r.run(ctx, at, nil, "update-index", "-q", "--refresh", "--force-write-index"); err != nil {
		return fmt.Errorf("refresh index: %w", err)
	}
	return nil
}

// withoutFilters adds configuration to an environment that makes filters do nothing.
func (r *Repo) withoutFilters(env, drivers []string) []string {
	const count = "GIT_CONFIG_COUNT"
	n, err := strconv.Atoi(r.lookupEnv(count))
	if err != nil || n < 0 {
		n = 0
	}
	env = without(env, []string{count})
	for _, d := range drivers {
		for _, set := range [][2]string{{"smudge", ""}, {"clean", ""}, {"process", ""}, {"required", "false"}} {
			env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=filter.%s.%s", n, d, set[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, set[1]))
			n++
		}
	}
	return append(env, fmt.Sprintf("%s=%d", count, n))
}
