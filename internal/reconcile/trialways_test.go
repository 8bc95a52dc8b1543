package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// sample is a stage made of real commits, and an upstream that has gone on.
type sample struct {
	*store
	stage chain
	up    gitops.Hash // upstream, later than the stage's base
	half  gitops.Hash // between the two
}

// way rewrites a sample and returns a tip, and whether the stage's work is there.
type way struct {
	name string
	make func(s *sample) (tip gitops.Hash, there bool, err error)
}

// errNone is a sample that a way is nothing for.
var errNone = errors.New("not for this one")

func ways() []way {
	return []way{
		{"rebase onto later upstream", (*sample).rebase},
		{"message amended", (*sample).message},
		{"content amended", (*sample).content},
		{"cherry-pick", (*sample).cherry},
		{"squash", (*sample).squash},
		{"split", (*sample).split},
		{"reorder", (*sample).reorder},
		{"merge commit", (*sample).merge},
		{"one commit left out", (*sample).without},
		{"not merged at all", func(s *sample) (gitops.Hash, bool, error) { return s.up, false, nil }},
	}
}

func (s *sample) all() []int {
	var out []int
	for i := range s.stage.commits {
		out = append(out, i)
	}
	return out
}

func (s *sample) rebased() (chain, error) { return s.replay(s.stage, s.up, s.all(), "rebased") }

func (s *sample) rebase() (gitops.Hash, bool, error) {
	c, err := s.rebased()
	return c.tip(), true, err
}

func (s *sample) message() (gitops.Hash, bool, error) {
	c, err := s.replay(s.stage, s.stage.base, s.all(), "amended")
	return c.tip(), true, err
}

func (s *sample) cherry() (gitops.Hash, bool, error) {
	c, err := s.replay(s.stage, s.half, s.all(), "picked")
	return c.tip(), true, err
}

func (s *sample) squash() (gitops.Hash, bool, error) {
	tree, err := s.merged(s.stage.base, s.up, s.stage.tip())
	if err != nil {
		return "", false, err
	}
	tip, err := s.commit(tree, "squashed", s.up)
	return tip, true, err
}

func (s *sample) reorder() (gitops.Hash, bool, error) {
	if len(s.stage.commits) < 2 {
		return "", false, errNone
	}
	order := s.all()
	slices.Reverse(order)
	c, err := s.replay(s.stage, s.up, order, "reordered")
	return c.tip(), true, err
}

func (s *sample) merge() (gitops.Hash, bool, error) {
	tree, err := s.mergeTree(s.up, s.stage.tip())
	if err != nil {
		return "", false, err
	}
	tip, err := s.commit(tree, "merged", s.up, s.stage.tip())
	return tip, true, err
}

func (s *sample) without() (gitops.Hash, bool, error) {
	n := len(s.stage.commits)
	if n < 2 {
		return "", false, errNone
	}
	c, err := s.replay(s.stage, s.up, append(s.all()[:n/2], s.all()[n/2+1:]...), "some")
	return c.tip(), false, err
}

// content adds a line to a file of the last commit.
func (s *sample) content() (gitops.Hash, bool, error) {
	c, err := s.rebased()
	if err != nil {
		return "", false, err
	}
	files, err := s.changed(c.parent(len(c.commits)-1), c.tip())
	if err != nil {
		return "", false, err
	}
	for _, f := range files {
		if f.blob == "" || !strings.HasPrefix(f.mode, "100") {
			continue
		}
		text, err := s.git("", "cat-file", "blob", f.blob)
		if err != nil {
			return "", false, err
		}
		if f.blob, err = s.git(text+"\namended\n", "hash-object", "-w", "--stdin"); err != nil {
			return "", false, err
		}
		tree, err := s.treeWith(c.tip(), []file{f})
		if err != nil {
			return "", false, err
		}
		tip, err := s.commit(tree, "amended", c.parent(len(c.commits)-1))
		return tip, false, err
	}
	return "", false, errNone
}

// split makes two commits of the stage, each with half of the files.
func (s *sample) split() (gitops.Hash, bool, error) {
	c, err := s.rebased()
	if err != nil {
		return "", false, err
	}
	files, err := s.changed(s.up, c.tip())
	if err != nil {
		return "", false, err
	}
	if len(files) < 2 {
		return "", false, errNone
	}
	tree, err := s.treeWith(s.up, files[:len(files)/2])
	if err != nil {
		return "", false, err
	}
	first, err := s.commit(tree, "first half", s.up)
	if err != nil {
		return "", false, err
	}
	if tree, err = s.tree(c.tip()); err != nil {
		return "", false, err
	}
	tip, err := s.commit(tree, "second half", first)
	return tip, true, err
}

// file is a changed path; blob "" where it is gone.
type file struct{ mode, blob, path string }

func (s *store) changed(from, to gitops.Hash) ([]file, error) {
	out, err := s.git("", "diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", string(from), string(to))
	if err != nil {
		return nil, err
	}
	words := strings.Split(out, "\x00")
	var files []file
	for i := 0; i+1 < len(words); i += 2 {
		fields := strings.Fields(words[i])
		if len(fields) < 5 {
			return nil, fmt.Errorf("unexpected answer %q", words[i])
		}
		f := file{mode: fields[1], blob: fields[3], path: words[i+1]}
		if fields[4] == "D" {
			f.blob = ""
		}
		files = append(files, f)
	}
	return files, nil
}

// treeWith is a commit's tree with some files as given.
func (s *store) treeWith(h gitops.Hash, files []file) (string, error) {
	if _, err := s.git("", "read-tree", string(h)); err != nil {
		return "", err
	}
	var in strings.Builder
	for _, f := range files {
		if f.blob == "" {
			fmt.Fprintf(&in, "0 %s\t%s\x00", strings.Repeat("0", 40), f.path)
		} else {
			fmt.Fprintf(&in, "%s %s\t%s\x00", f.mode, f.blob, f.path)
		}
	}
	if _, err := s.git(in.String(), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return s.git("", "write-tree")
}
