package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/report"
)

type ciCmd struct {
	Base   string `help:"What the change starts from; in GitHub Actions and GitLab CI the environment tells." placeholder:"REV"`
	Head   string `help:"Its end; HEAD if nothing tells." placeholder:"REV"`
	Stage  string `help:"The stage whose change it is, where the branch's name does not tell." placeholder:"N"`
	Format string `help:"text, json, sarif (SARIF 2.1.0) or github (workflow annotations, the default in GitHub Actions)." enum:"text,json,sarif,github," default:"" placeholder:"FORMAT"`
}

// Run judges a range as the hooks judge it: 0 fine, 1 refused, 3 where it cannot be
// decided.
func (c *ciCmd) Run(a *app) error {
	repo, err := a.open()
	if err != nil {
		return err
	}
	base, head, err := c.ends(repo)
	if err != nil {
		return err
	}
	if c.Format == "" && repo.Env("GITHUB_ACTIONS") == "true" && !a.flags.JSON {
		c.Format = "github"
	}
	out := report.NewChanges("okstra.ci/v1", "ci", repo.Env("OKSTRA_SKIP"))
	if err := c.judgeRange(a, out, base, head); err != nil {
		return err
	}
	if out.Silent() && c.Format != "json" && c.Format != "sarif" && !a.flags.JSON {
		a.tell("ok: %s..%s\n", gitops.Hash(out.Base).Short(), gitops.Hash(out.Head).Short())
	}
	a.showChanges(out, c.Format, "", a.std.out)
	return nil
}

// ends are the words for both ends: the flags', else what the environment tells.
func (c *ciCmd) ends(repo *gitops.Repo) (base, head string, err error) {
	base, head = c.Base, c.Head
	if base == "" {
		var told string
		base, told, err = ciEnvironment(repo)
		if err != nil {
			return "", "", err
		}
		head = firstNonEmpty(head, told)
	}
	if base == "" {
		return "", "", &commandError{
			code: exitUsage, message: "no base: nothing tells where the change starts",
			hints: []string{"name it: git okstra ci --base origin/main"},
		}
	}
	return base, firstNonEmpty(head, "HEAD"), nil
}

// ciEvent is what of a GitHub event matters.
type ciEvent struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Pull   struct {
		Base struct{ SHA string } `json:"base"`
		Head struct{ SHA string } `json:"head"`
	} `json:"pull_request"`
	Group struct {
		Base string `json:"base_sha"`
		Head string `json:"head_sha"`
	} `json:"merge_group"`
	Repository struct {
		Default string `json:"default_branch"`
	} `json:"repository"`
}

// ciEnvironment reads both ends from the environment of GitHub Actions or GitLab CI; "" where it
// is neither. A branch that is new there starts from the default branch.
func ciEnvironment(repo *gitops.Repo) (base, head string, err error) {
	switch {
	case repo.Env("GITHUB_ACTIONS") == "true":
		var e ciEvent
		data, err := os.ReadFile(repo.Env("GITHUB_EVENT_PATH"))
		if err == nil {
			err = json.Unmarshal(data, &e)
		}
		if err != nil {
			return "", "", fmt.Errorf("read GitHub's event: %w", err)
		}
		base = firstNonEmpty(e.Pull.Base.SHA, e.Group.Base, nonZero(e.Before))
		head = firstNonEmpty(e.Pull.Head.SHA, e.Group.Head, nonZero(e.After))
		if base == "" && e.Repository.Default != "" {
			base = "origin/" + e.Repository.Default
		}
		return base, head, nil
	case repo.Env("GITLAB_CI") != "":
		base = firstNonEmpty(repo.Env("CI_MERGE_REQUEST_DIFF_BASE_SHA"), nonZero(repo.Env("CI_COMMIT_BEFORE_SHA")))
		if base == "" && repo.Env("CI_DEFAULT_BRANCH") != "" {
			base = "origin/" + repo.Env("CI_DEFAULT_BRANCH")
		}
		return base, firstNonEmpty(nonZero(repo.Env("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")), repo.Env("CI_COMMIT_SHA")), nil
	}
	return "", "", nil
}

// nonZero is an id, or "" for the one that means none.
func nonZero(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// fetchAll is what a clone without enough history needs.
const fetchAll = "git fetch --unshallow"

// fetchOf is the command that fetches a base, where its name is one that a server could
// know and a person can paste: it may come from a build's environment.
func fetchOf(base string) []string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._/-", r)
	}
	if base == "" || strings.HasPrefix(base, "-") || strings.ContainsFunc(base, func(r rune) bool { return !plain(r) }) {
		return nil
	}
	return []string{"git fetch origin " + base}
}

// judgeRange judges what a range changes. What a cut-off history hides is never passed.
func (c *ciCmd) judgeRange(a *app, out *report.Changes, base, head string) error {
	to, err := a.repo.ResolveCommit(a.ctx, head)
	if err != nil {
		return noCommit(head, err)
	}
	out.Head = string(to)
	from, err := a.repo.ResolveCommit(a.ctx, base)
	switch {
	case err != nil && a.ctx.Err() != nil:
		return a.ctx.Err()
	case err != nil && a.repo.Shallow():
		out.Undecided(fmt.Sprintf("%s is not in this shallow clone", base), append([]string{fetchAll}, fetchOf(base)...)...)
		return nil
	case err != nil && gitops.Hash(base).Valid():
		out.Undecided(fmt.Sprintf("%s is not in this clone", base), fetchOf(base)...)
		return nil
	case err != nil:
		return noCommit(base, err)
	}
	out.Base = string(from)
	fork, err := a.repo.MergeBase(a.ctx, from, to)
	if err != nil {
		return err
	}
	// In a shallow clone a later common ancestor may be hidden; only the base itself is certain.
	if a.repo.Shallow() && fork != from {
		out.Undecided("this clone is shallow: where the change starts is not in it", fetchAll)
		return nil
	}
	files, err := a.changedFiles(fork, to)
	if err != nil {
		return err
	}
	if err := a.judgePlans(out, files, ""); err != nil {
		return err
	}
	s, err := a.stageJudge(out)
	if err != nil {
		return err
	}
	return s.inRange(c.Stage, fork, to, ciBranches(a.repo, head))
}

// ciBranches are the names that the head of a change may have as a branch.
func ciBranches(repo *gitops.Repo, head string) []string {
	var names []string
	for _, name := range []string{
		repo.Env("GITHUB_HEAD_REF"), repo.Env("GITHUB_REF_NAME"), repo.Env("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"), repo.Env("CI_COMMIT_BRANCH"), head,
	} {
		if name == "" {
			continue
		}
		names = append(names, name)
		for _, remote := range repo.Config().Subsections("remote.", ".url") {
			if rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "refs/remotes/"), remote+"/"); ok {
				names = append(names, rest)
			}
		}
	}
	return names
}

// inRange judges the stage whose change a range is, and the done stages that it brings to
// their integration branch.
func (s *stageJudge) inRange(word string, from, to gitops.Hash, names []string) error {
	t, n, err := s.stageOf(names...)
	if err != nil {
		return err
	}
	if word != "" {
		if n, err = oneStage(word); err != nil {
			return err
		}
		if len(s.tasks) != 1 {
			return &commandError{code: exitUsage, message: "of which task is the stage?", hints: []string{"name it with --task"}}
		}
		t = s.tasks[0]
		if err := s.e.Known(t, n); err != nil {
			return err
		}
	}
	if n != 0 {
		if err := s.branch(t, n, to, ""); err != nil {
			return err
		}
	}
	for _, other := range s.tasks {
		if n != 0 && other == t {
			continue
		}
		if err := s.landed(other, from, to, ""); err != nil {
			return err
		}
	}
	return nil
}

// changedFiles lists the files of one commit that another one has otherwise; without
// another one, all.
func (a *app) changedFiles(from, to gitops.Hash) ([]gitops.StagedFile, error) {
	if from == "" {
		return a.repo.TreeFiles(a.ctx, to, nil)
	}
	paths, err := a.repo.ChangedPaths(a.ctx, from, to)
	if err != nil {
		return nil, err
	}
	return a.repo.TreeFiles(a.ctx, to, orEmpty(paths))
}

func noCommit(word string, err error) error {
	return &commandError{code: exitUsage, message: fmt.Sprintf("%q is no commit here", word), hints: gitHint(err)}
}
