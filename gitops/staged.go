package gitops

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// StagedFile is a path that the index has otherwise than a commit, or a commit otherwise than
// another one.
type StagedFile struct {
	Path string
	Mode Mode // 0 where the path was removed
	Blob Hash // "" where it was removed
}

// stagedArgs list what is staged; what git would only add later (add --intent-to-add) is
// not. No setting of the user has a say.
var stagedArgs = []string{
	"diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative", "--ita-invisible-in-index", "--ignore-submodules=none",
}

// StagedOnHead lists what the index, the one that git's variables name, has otherwise
// than HEAD. It is for what needs nothing else of the repository: one git process, and
// an error where there is no HEAD yet or no repository.
func StagedOnHead(ctx context.Context, opts Options) ([]StagedFile, error) {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	r := &Repo{runner: runner{env: opts.Env, trace: opts.Trace}, dir: opts.Dir, env: baseEnv(opts.Env)}
	return r.stagedFrom(ctx, "HEAD")
}

// Staged lists what the index, the one that git's variables name, has otherwise than a
// commit; "" is nothing at all.
func (r *Repo) Staged(ctx context.Context, from Hash) ([]StagedFile, error) {
	if from == "" {
		from = r.emptyTree()
	}
	return r.stagedFrom(ctx, string(from))
}

func (r *Repo) stagedFrom(ctx context.Context, from string) ([]StagedFile, error) {
	p := r.here()
	p.env = without(p.env, diffVars)
	out, err := r.run(ctx, p, nil, append(append([]string{}, stagedArgs...), from, "--")...)
	if err != nil {
		return nil, fmt.Errorf("list what is staged: %w", err)
	}
	return parseRaw(out)
}

// parseRaw reads git's raw diff with NULs and whole ids, without renames.
func parseRaw(out []byte) ([]StagedFile, error) {
	words := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	if len(out) == 0 {
		return nil, nil
	}
	if len(words)%2 != 0 {
		return nil, fmt.Errorf("list changes: unexpected answer of %d words", len(words))
	}
	list := make([]StagedFile, 0, len(words)/2)
	for i := 0; i < len(words); i += 2 {
		f := StagedFile{Path: string(words[i+1])}
		fields := strings.Fields(strings.TrimPrefix(string(words[i]), ":"))
		if len(fields) != 5 {
			return nil, fmt.Errorf("list changes: unexpected line %q", words[i])
		}
		mode, err := strconv.ParseUint(fields[1], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("list changes: unexpected mode %q", fields[1])
		}
		if f.Mode = Mode(mode); f.Mode != 0 {
			f.Blob = Hash(fields[3])
		}
		list = append(list, f)
	}
	return list, nil
}
