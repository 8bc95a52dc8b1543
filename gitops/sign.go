package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrSigning is the sentinel for a commit that the user's git could not sign.
var ErrSigning = errors.New("cannot sign the commit")

// Signing says how the signing program is run.
type Signing struct {
	// Terminal: a person can answer the program's questions. It then stays in the
	// caller's process group, where it may read from the terminal, and may take its
	// time.
	Terminal bool
	// Limit is how long it may take without a terminal: nobody will answer it.
	Limit time.Duration
}

// SignsCommits reports whether the user's git signs commits (commit.gpgSign).
func (r *Repo) SignsCommits() (bool, error) { return r.config.Bool("commit.gpgsign", false) }

// SignedCommit is ObjectWriter.Commit with the signature that `git commit` would
// make here: by gpg.format, gpg.program and user.signingKey. The commit's tree must be
// in w. git makes the commit in an object folder of its own, beside the
// repository's, so that nothing loose is left there. Errors: ErrSigning with what
// the program said.
func (r *Repo) SignedCommit(ctx context.Context, w *ObjectWriter, c CommitData, how Signing) (Hash, error) {
	plain, err := encodeCommit(c)
	if err != nil {
		return "", err
	}
	want, err := ParseCommit(plain) // as git will write it
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "okstra-sign-")
	if err != nil {
		return "", fmt.Errorf("sign commit: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Mkdir(filepath.Join(dir, "info"), 0o700); err != nil {
		return "", fmt.Errorf("sign commit: %w", err)
	}
	p := r.quarantine(dir, want)
	if out, err := r.run(ctx, p, bytes.NewReader(w.content(c.Tree)), "hash-object", "-t", "tree", "-w", "--stdin"); err != nil {
		return "", err
	} else if got := Hash(strings.TrimSpace(string(out))); got != c.Tree {
		return "", fmt.Errorf("sign commit: git reads tree %s as %s", c.Tree, got)
	}
	hash, err := r.commitTree(ctx, p, want, how)
	if err != nil {
		return "", err
	}
	data, err := r.run(ctx, p, nil, "cat-file", "commit", string(hash))
	if err != nil {
		return "", err
	}
	got := w.add(TypeCommit, data)
	signed, err := ParseCommit(data)
	if err != nil || got != hash || signed.Tree != want.Tree || signed.Message != want.Message {
		return "", fmt.Errorf("sign commit: git made another commit than it was asked for (%s)", hash)
	}
	return hash, nil
}

// content is one of the writer's own objects, nil where it has none such.
func (w *ObjectWriter) content(h Hash) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending[h].data
}

// quarantine is a place whose new objects go to dir, and where the commit's names
// and dates are git's.
func (r *Repo) quarantine(dir string, c CommitData) place {
	p := r.common()
	alternates := make([]string, 0, 2)
	for _, d := range r.objectDirs() {
		alternates = append(alternates, quoteAlternate(d))
	}
	if more := r.lookupEnv("GIT_ALTERNATE_OBJECT_DIRECTORIES"); more != "" {
		alternates = append(alternates, more)
	}
	date := func(s Signature) string { return "@" + strconv.FormatInt(s.When.Unix(), 10) + s.When.Format(" -0700") }
	p.env = append(p.env,
		"GIT_OBJECT_DIRECTORY="+dir,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+strings.Join(alternates, string(filepath.ListSeparator)),
		"GIT_AUTHOR_NAME="+c.Author.Name, "GIT_AUTHOR_EMAIL="+c.Author.Email, "GIT_AUTHOR_DATE="+date(c.Author),
		"GIT_COMMITTER_NAME="+c.Committer.Name, "GIT_COMMITTER_EMAIL="+c.Committer.Email, "GIT_COMMITTER_DATE="+date(c.Committer),
	)
	return p
}

// quoteAlternate writes a path as git reads it in that list.
func quoteAlternate(path string) string {
	if !strings.ContainsAny(path, "\"\\\n"+string(filepath.ListSeparator)) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// commitTree makes the signed commit.
func (r *Repo) commitTree(ctx context.Context, p place, c CommitData, how Signing) (Hash, error) {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S", "-F", "-"}
	for _, parent := range c.Parents {
		args = append(args, "-p", string(parent))
	}
	args = append(args, string(c.Tree))
	if !how.Terminal {
		limited, cancel := context.WithTimeout(ctx, how.Limit)
		defer cancel()
		out, err := r.run(limited, p, strings.NewReader(c.Message), args...)
		if errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
			return "", fmt.Errorf("%w: the signing program did not end within %s, and there is no terminal where it could ask", ErrSigning, how.Limit)
		}
		return signedHash(out, err)
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, p.env, 5*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.Message), &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	r.note(cmd, start)
	if err != nil {
		err = &GitError{Args: maskAll(args), ExitCode: exitCode(cmd), Stderr: Mask(stderr.String()), Err: err}
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return signedHash(stdout.Bytes(), err)
}

func signedHash(out []byte, err error) (Hash, error) {
	switch {
	case errors.Is(err, context.Canceled):
		return "", err
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrSigning, err)
	}
	return Hash(strings.TrimSpace(string(out))), nil
}
