package gitops

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DiffSides says what is compared. From "" is nothing at all. To "" is the index where
// Staged, else the files of the work tree.
type DiffSides struct {
	From, To Hash
	Staged   bool
	// Paths are what alone is compared, literally and from the top; none is everything.
	Paths []string
	// Text shows the lines also of files that git takes for binary ones.
	Text bool
}

// wholeFiles is the number of lines of context with which a diff has whole files.
const wholeFiles = "--unified=100000000"

// diffVars are variables that change what a diff looks like.
var diffVars = []string{
	"GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// DiffText is [Repo.DiffStream] read to its end.
func (r *Repo) DiffText(ctx context.Context, d DiffSides) (out []byte, err error) {
	err = r.DiffStream(ctx, d, func(in io.Reader) error {
		out, err = io.ReadAll(in)
		return err
	})
	return out, err
}

// DiffStream gives read a unified diff with whole files as its context, as git writes it,
// in one git process. No setting of the user changes its form. An error of read ends git
// and is given back.
func (r *Repo) DiffStream(ctx context.Context, d DiffSides, read func(io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from := d.From
	if from == "" {
		from = r.emptyTree()
	}
	args := []string{"-c", "core.quotePath=true", "-c", "diff.suppressBlankEmpty=false"}
	switch {
	case d.To != "":
		args = append(args, "diff-tree", "-r")
	case d.Staged:
		args = append(args, "diff-index", "--cached")
	default:
		args = append(args, "diff-index")
	}
	if d.Text {
		args = append(args, "--text")
	}
	args = append(args, "-p", wholeFiles, "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
		"--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=myers", "--indent-heuristic", "--submodule=short", "--ignore-submodules=none", string(from))
	if d.To != "" {
		args = append(args, string(d.To))
	}
	paths := []string{"--"}
	for _, path := range d.Paths {
		paths = append(paths, ":(top,literal)"+path)
	}
	p := r.here()
	p.env = without(p.env, diffVars)
	cmd := r.command(ctx, p, append(args, paths...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("compare: %w", &GitError{Args: maskAll(cmd.Args[1:]), ExitCode: -1, Err: err})
	}
	readErr := read(out)
	if readErr != nil {
		cancel()
	}
	err = cmd.Wait()
	r.note(cmd, began)
	if readErr != nil {
		return readErr
	}
	if err != nil {
		return fmt.Errorf("compare: %w", &GitError{Args: maskAll(cmd.Args[1:]), ExitCode: exitCode(cmd), Stderr: Mask(said.String()), Err: err})
	}
	return nil
}

func (r *Repo) emptyTree() Hash {
	if r.objects.cfg.SHA256 {
		return emptyTreeSHA256
	}
	return emptyTreeSHA1
}

// MergeBase is the best common ancestor of two commits, "" where they have none.
func (r *Repo) MergeBase(ctx context.Context, a, b Hash) (Hash, error) {
	return r.commonAncestor(ctx, []Hash{a, b})
}

// Head is the commit that HEAD names, "" on a branch without one.
func (r *Repo) Head(ctx context.Context) (Hash, error) {
	out, err := r.run(ctx, r.here(), nil, "rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}")
	if ExitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	return lastHash(out)
}

// Attributes are values of attributes by path, then by name; unspecified ones are
// absent, plain ones are "set" and "unset".
type Attributes map[string]map[string]string

// AttributesOf reads attributes of paths as the To side of a diff has them: those of
// a commit's tree, of the index, or of the work tree.
func (r *Repo) AttributesOf(ctx context.Context, d DiffSides, paths, names []string) (Attributes, error) {
	if len(paths) == 0 {
		return Attributes{}, nil
	}
	p := r.here()
	args := []string{"check-attr", "-z", "--stdin"}
	if d.Staged || d.To != "" {
		args = append(args, "--cached")
	}
	if d.To != "" {
		// Before git 2.40 there is no --source: an index of that tree, made for this.
		dir, err := os.MkdirTemp("", "okstra-attributes-")
		if err != nil {
			return nil, fmt.Errorf("make an index: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		p.env = append(without(p.env, []string{"GIT_INDEX_FILE"}), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
		if _, err := r.run(ctx, p, nil, "read-tree", string(d.To)); err != nil {
			return nil, fmt.Errorf("read attributes: %w", err)
		}
	}
	top := r.workTree
	if top != "" {
		p.dir = top // paths on standard input count from there
	}
	in := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := r.run(ctx, p, in, append(args, names...)...)
	if err != nil {
		return nil, fmt.Errorf("read attributes: %w", err)
	}
	return parseAttributes(out)
}

// parseAttributes reads path, name and value, each ended by a NUL.
func parseAttributes(out []byte) (Attributes, error) {
	words := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	if len(words)%3 != 0 {
		return nil, fmt.Errorf("read attributes: unexpected answer of %d words", len(words))
	}
	all := Attributes{}
	for i := 0; i < len(words); i += 3 {
		path, name, value := string(words[i]), string(words[i+1]), string(words[i+2])
		if value == "unspecified" {
			continue
		}
		if all[path] == nil {
			all[path] = map[string]string{}
		}
		all[path][name] = value
	}
	return all, nil
}

// FileOn reads a file as the To side of a diff has it. Errors: fs.ErrNotExist where it
// is not there.
func (r *Repo) FileOn(ctx context.Context, d DiffSides, path string) ([]byte, error) {
	switch {
	case d.To != "":
		return r.FileAt(ctx, d.To, path)
	case d.Staged:
		return r.indexFile(ctx, path)
	case r.workTree == "":
		return nil, fmt.Errorf("read %q: %w", path, fs.ErrNotExist)
	}
	return os.ReadFile(filepath.Join(r.workTree, filepath.FromSlash(path)))
}

// indexFile reads a file from the index.
func (r *Repo) indexFile(ctx context.Context, path string) ([]byte, error) {
	out, err := r.run(ctx, r.here(), nil, "ls-files", "-z", "--stage", "--full-name", "--", ":(top,literal)"+path)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		head, name, _ := strings.Cut(line, "\t")
		if words := strings.Fields(head); name == path && len(words) == 3 && words[2] == "0" {
			return r.readTyped(ctx, Hash(words[1]), TypeBlob)
		}
	}
	return nil, fmt.Errorf("read %q from the index: %w", path, fs.ErrNotExist)
}
