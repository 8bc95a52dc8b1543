package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// Push is one ref of a push: what is to stand at the remote, and what stands there.
type Push struct {
	Local  string      // the ref, or whatever words name the commit; "(delete)"
	New    gitops.Hash // "" where the ref is deleted
	Remote gitops.RefName
	Old    gitops.Hash // "" where the ref is new
}

// ParsePushes reads what git writes to pre-push, a line for each ref that changes. Words for
// a local commit may have blanks in them, so a line is read from its end.
func ParsePushes(input []byte) ([]Push, error) {
	var out []Push
	for line := range strings.Lines(string(input)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		words := strings.Split(line, " ")
		n := len(words)
		if n < 4 {
			return nil, fmt.Errorf("unexpected line %.100q from git", line)
		}
		p := Push{strings.Join(words[:n-3], " "), gitops.Hash(words[n-3]), gitops.RefName(words[n-2]), gitops.Hash(words[n-1])}
		if !p.New.Valid() || !p.Old.Valid() {
			return nil, fmt.Errorf("unexpected line %.100q from git", line)
		}
		for _, h := range []*gitops.Hash{&p.New, &p.Old} {
			if strings.Trim(string(*h), "0") == "" {
				*h = ""
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// protectedPrefixes are the refs of ours at a remote, which only `git okstra sync` takes
// back or deletes.
var protectedPrefixes = []string{"refs/okstra/", "refs/notes/okstra/", "refs/notes/okstra-qa/"}

// Protected reports whether a ref is state or history of ours.
func Protected(name gitops.RefName) bool {
	return slices.ContainsFunc(protectedPrefixes, func(p string) bool { return strings.HasPrefix(string(name), p) })
}

// Harm tells what a push would do to a protected ref: "" if nothing. A ref that is replaced by what
// does not descend from it counts as taken back, and so does one of which this clone
// cannot tell.
func (p Push) Harm(ctx context.Context, repo *gitops.Repo) (string, error) {
	switch {
	case !Protected(p.Remote) || p.Old == "":
		return "", nil
	case p.New == "":
		return "would delete it", nil
	case p.Old == p.New:
		return "", nil
	}
	kinds, err := repo.ObjectTypes(ctx, []gitops.Hash{p.Old, p.New})
	if err != nil {
		return "", err
	}
	if _, here := kinds[p.Old]; !here {
		return "would replace " + p.Old.Short() + ", which this clone does not have", nil
	}
	if kinds[p.Old] != gitops.TypeCommit || kinds[p.New] != gitops.TypeCommit {
		return "would replace " + p.Old.Short() + " by another " + string(kinds[p.New]), nil
	}
	further, err := repo.IsAncestor(ctx, p.Old, p.New)
	if err != nil || further {
		return "", err
	}
	return "would take it back from " + p.Old.Short(), nil
}

// Pushed is what a push brings to a remote.
type Pushed struct {
	Remote string // its name, "" where it has none
	known  []gitops.Hash
	repo   *gitops.Repo
}

// NewPushed finds what the remote has already, as far as this clone knows: the values that git
// tells, and the remote-tracking refs. name and url are the hook's arguments.
func NewPushed(ctx context.Context, repo *gitops.Repo, name, url string, pushes []Push) (Pushed, error) {
	out := Pushed{repo: repo}
	config := repo.Config()
	for _, remote := range config.Subsections("remote.", ".url") {
		urls := append(config.All("remote."+remote+".url"), config.All("remote."+remote+".pushurl")...)
		if remote == name || out.Remote == "" && (slices.Contains(urls, url) || slices.Contains(urls, name)) {
			out.Remote = remote
		}
	}
	var old []gitops.Hash
	for _, p := range pushes {
		if p.Old != "" && !slices.Contains(old, p.Old) {
			old = append(old, p.Old)
		}
	}
	if len(old) == 0 {
		return out, nil
	}
	kinds, err := repo.ObjectTypes(ctx, old)
	if err != nil {
		return out, err
	}
	for _, h := range old {
		if kind := kinds[h]; kind == gitops.TypeCommit || kind == gitops.TypeTag {
			out.known = append(out.known, h)
		}
	}
	return out, nil
}

// Has is a value that stands at the remote, "" where it is not in this clone.
func (p Pushed) Has(h gitops.Hash) gitops.Hash {
	if slices.Contains(p.known, h) {
		return h
	}
	return ""
}

// Files lists the files at a tip that new commits changed and that may be plans. Where
// nothing is known of the remote, all commits are new, and so is every file.
func (p Pushed) Files(ctx context.Context, tip gitops.Hash, globs PlanGlobs) ([]gitops.StagedFile, error) {
	tracking := p.Remote
	if tracking != "" {
		refs, err := p.repo.Refs(ctx, "refs/remotes/"+tracking)
		if err != nil {
			return nil, err
		}
		if len(refs) == 0 {
			tracking = ""
		}
	}
	if tracking == "" && len(p.known) == 0 {
		return p.repo.TreeFiles(ctx, tip, nil)
	}
	paths, err := p.repo.NewPaths(ctx, tip, p.known, tracking)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(name string) bool { return !IsMarkdown(name) && !globs.Match(name) })
	if paths == nil {
		paths = []string{}
	}
	return p.repo.TreeFiles(ctx, tip, paths)
}
