package reconcile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// store is a bare repository of our own that borrows another one's objects.
type store struct {
	ctx context.Context //nolint:containedctx // one run, one context
	dir string
	env []string
}

func newStore(t testing.TB, source string) *store {
	t.Helper()
	s := &store{ctx: t.Context(), dir: filepath.Join(t.TempDir(), "store.git"), env: testrepo.Env(t)}
	cmd := exec.CommandContext(s.ctx, "git", "clone", "-q", "--bare", "--shared", source, s.dir)
	cmd.Env = s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("clone: %v: %s", err, out)
	}
	return s
}

// errConflict is a merge that a person would have to finish.
var errConflict = errors.New("conflict")

func (s *store) git(stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(s.ctx, "git", append([]string{"--git-dir=" + s.dir}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(slices.Clone(s.env), "GIT_INDEX_FILE="+filepath.Join(s.dir, "trial-index"))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && args[0] == "merge-tree" && exit.ExitCode() == 1 {
		return "", errConflict
	}
	if err != nil {
		return "", fmt.Errorf("git %q: %w: %s", args, err, said.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// tree is a commit's tree.
func (s *store) tree(h gitops.Hash) (string, error) {
	return s.git("", "rev-parse", string(h)+"^{tree}")
}

// commit makes a commit of a tree.
func (s *store) commit(tree, message string, parents ...gitops.Hash) (gitops.Hash, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", string(p))
	}
	out, err := s.git(message, args...)
	return gitops.Hash(out), err
}

// merged is the tree of a three-way merge by git's own rules, renames included.
func (s *store) merged(base, ours, theirs gitops.Hash) (string, error) {
	var trees [3]string
	for i, h := range []gitops.Hash{base, ours, theirs} {
		t, err := s.tree(h)
		if err != nil {
			return "", err
		}
		trees[i] = t
	}
	root, err := s.commit(trees[0], "base")
	if err != nil {
		return "", err
	}
	a, err := s.commit(trees[1], "ours", root)
	if err != nil {
		return "", err
	}
	b, err := s.commit(trees[2], "theirs", root)
	if err != nil {
		return "", err
	}
	return s.mergeTree(a, b)
}

// mergeTree is git's merge of two commits. Errors: errConflict.
func (s *store) mergeTree(a, b gitops.Hash) (string, error) {
	tree, err := s.git("", "merge-tree", "--write-tree", "--no-messages", string(a), string(b))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 129 {
		return tree, err
	}
	// Before 2.38: in a worktree without a file, where what is missing counts as unchanged.
	top, err := os.MkdirTemp(s.dir, "tree")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(top) }()
	bases, err := s.git("", "merge-base", "--all", string(a), string(b))
	if err == nil {
		_, err = s.git("", "read-tree", string(a))
	}
	if err != nil {
		return "", err
	}
	args := append([]string{"-C", top, "--work-tree=" + top, "merge-recursive"}, strings.Fields(bases)...)
	if _, err = s.git("", append(args, "--", string(a), string(b))...); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", errConflict
	} else if err != nil {
		return "", err
	}
	return s.git("", "write-tree")
}

// pick makes a commit again on another one. Errors: errConflict, also where nothing
// would be left of it.
func (s *store) pick(parent, commit, onto gitops.Hash, message string) (gitops.Hash, error) {
	tree, err := s.merged(parent, onto, commit)
	if err != nil {
		return "", err
	}
	before, err := s.tree(onto)
	if err != nil {
		return "", err
	}
	if before == tree {
		return "", errConflict
	}
	return s.commit(tree, message, onto)
}

// chain is commits that follow each other, with what they stand on.
type chain struct {
	base    gitops.Hash
	commits []gitops.Hash
}

func (c chain) tip() gitops.Hash {
	if len(c.commits) == 0 {
		return c.base
	}
	return c.commits[len(c.commits)-1]
}

// parent is what the commit at i stands on.
func (c chain) parent(i int) gitops.Hash {
	if i == 0 {
		return c.base
	}
	return c.commits[i-1]
}

// replay makes some of a chain's commits again on another commit.
func (s *store) replay(c chain, onto gitops.Hash, order []int, message string) (chain, error) {
	out := chain{base: onto}
	for _, i := range order {
		h, err := s.pick(c.parent(i), c.commits[i], out.tip(), fmt.Sprintf("%s %d", message, i))
		if err != nil {
			return out, err
		}
		out.commits = append(out.commits, h)
	}
	return out, nil
}
