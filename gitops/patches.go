package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Diff is a comparison of two commits. From "" is the first parent of To, or nothing
// where To has none.
type Diff struct{ From, To Hash }

// Patch is what a diff changes, wherever in its files that is.
type Patch struct {
	// ID is git's stable patch id of the diff without context lines; "" where nothing
	// differs.
	ID string
	// Exact tells what a patch id does not: spaces, modes and the bytes of binary files.
	// Inverse is the Exact of the diff that takes this one back.
	Exact, Inverse string
	Files          []FilePatch // in git's order
}

// FilePatch is what a diff changes in one file. Equal changes of files of different
// names have the same Exact.
type FilePatch struct {
	Path  string // raw bytes
	Exact string
}

// Empty reports whether nothing differs.
func (p Patch) Empty() bool { return len(p.Files) == 0 }

// Paths lists the files.
func (p Patch) Paths() []string {
	out := make([]string, len(p.Files))
	for i, f := range p.Files {
		out[i] = f.Path
	}
	return out
}

// Same reports whether two diffs make the same change; empty ones are the same as none.
func (p Patch) Same(q Patch) bool {
	return !p.Empty() && p.ID != "" && p.ID == q.ID && p.Exact == q.Exact
}

// quiet is the common place for reading diffs: without variables that change a diff,
// and without the fetching of missing objects in the middle of a comparison.
func (r *Repo) quiet() place {
	p := r.common()
	p.env = append(without(p.env, []string{
		"GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
	}),
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none") // the second for git before 2.45
	return p
}

// diffTree is `git diff-tree --stdin` for patches. Plumbing ignores most of the user's
// settings; the rest, and what attributes may say, is given here.
var diffTree = []string{
	"-c", "diff.suppressBlankEmpty=false", "-c", "core.quotePath=true",
	"diff-tree", "--stdin", "--always", "--root", "-r", "-p", "-U0", "--inter-hunk-context=0", "--full-index", "--text",
	"--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
	"--diff-algorithm=myers", "--indent-heuristic", "--submodule=short", "--ignore-submodules=none",
}

// Patches computes the patches of any number of diffs with two git processes, in
// bounded memory but for the answer. A merge with From "" has an empty one.
func (r *Repo) Patches(ctx context.Context, diffs []Diff) ([]Patch, error) {
	if len(diffs) == 0 {
		return nil, nil
	}
	var in bytes.Buffer
	var order []int
	// Commits with their own parents come first: git remembers others that it was given.
	for _, given := range []bool{false, true} {
		for i, d := range diffs {
			if !d.To.Valid() || d.From != "" && !d.From.Valid() {
				return nil, fmt.Errorf("compare: bad id %q or %q", d.From, d.To)
			}
			if given == (d.From != "") {
				order = append(order, i)
				in.WriteString(strings.TrimSuffix(string(d.To)+" "+string(d.From), " ") + "\n")
			}
		}
	}
	out := make([]Patch, len(diffs))
	ids, err := r.patchPipe(ctx, &in, newPatchReader(out, order, len(r.zero())))
	if err != nil {
		return nil, fmt.Errorf("compare commits: %w", err)
	}
	for line := range bytes.Lines(ids) {
		var n int
		id, number, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if _, err := fmt.Sscanf(number, "%x", &n); err != nil || n < 1 || n > len(out) {
			return nil, fmt.Errorf("compare commits: unexpected line %q of patch-id", line)
		}
		out[order[n-1]].ID = id
	}
	return out, nil
}

// patchPipe runs diff-tree into patch-id with the reader between them.
func (r *Repo) patchPipe(ctx context.Context, in io.Reader, pr *patchReader) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := r.quiet()
	diff, ids := r.command(ctx, p, diffTree...), r.command(ctx, p, "patch-id", "--stable")
	var said, saidIDs, answer bytes.Buffer
	diff.Stdin, diff.Stderr = in, &said
	ids.Stderr, ids.Stdout = &saidIDs, &answer
	from, err := diff.StdoutPipe()
	if err != nil {
		return nil, err
	}
	to, err := ids.StdinPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for _, cmd := range []*exec.Cmd{ids, diff} {
		if err := cmd.Start(); err != nil {
			return nil, &GitError{Args: maskAll(cmd.Args[1:]), ExitCode: -1, Err: err}
		}
	}
	w := bufio.NewWriterSize(to, 1<<16)
	readErr := pr.read(from, w)
	if readErr != nil {
		cancel()
	}
	readErr = errors.Join(readErr, w.Flush(), to.Close())
	diffErr, idsErr := diff.Wait(), ids.Wait()
	r.note(diff, began)
	r.note(ids, began)
	switch {
	case diffErr != nil:
		return nil, &GitError{Args: maskAll(diff.Args[1:]), ExitCode: exitCode(diff), Stderr: Mask(said.String()), Err: diffErr}
	case idsErr != nil:
		return nil, &GitError{Args: maskAll(ids.Args[1:]), ExitCode: exitCode(ids), Stderr: Mask(saidIDs.String()), Err: idsErr}
	case readErr != nil:
		return nil, readErr
	}
	return answer.Bytes(), pr.end()
}
