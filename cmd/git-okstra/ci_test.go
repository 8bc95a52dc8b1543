package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// TestCIEnvironment reads both ends of a change as the two services tell them.
func TestCIEnvironment(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "one-commit")
	made.Git("config", "remote.up.url", "../up.git")
	a, b, none := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("0", 40)
	event := filepath.Join(t.TempDir(), "event.json")
	for _, c := range []struct {
		name, event string
		env         []string
		base, head  string
		fails       bool
	}{
		{name: "neither"},
		{name: "pull request", event: `{"pull_request":{"base":{"sha":"` + a + `"},"head":{"sha":"` + b + `"}},"after":"` + none + `"}`, base: a, head: b},
		{name: "push", event: `{"before":"` + a + `","after":"` + b + `"}`, base: a, head: b},
		{name: "new branch", event: `{"before":"` + none + `","after":"` + b + `","repository":{"default_branch":"trunk"}}`, base: "origin/trunk", head: b},
		{name: "deleted branch", event: `{"before":"` + a + `","after":"` + none + `"}`, base: a},
		{name: "merge queue", event: `{"merge_group":{"base_sha":"` + a + `","head_sha":"` + b + `"}}`, base: a, head: b},
		{name: "schedule", event: `{"schedule":"0 0 * * *"}`},
		{name: "no JSON", event: "nothing", fails: true},
		{name: "another shape", event: `{"before":1}`, fails: true},
		{name: "merge request", env: []string{"GITLAB_CI=true", "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + a, "CI_COMMIT_SHA=" + b}, base: a, head: b},
		{
			name: "merged result", env: []string{"GITLAB_CI=true", "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + a, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=" + b, "CI_COMMIT_SHA=" + none},
			base: a, head: b,
		},
		{name: "pipeline of a push", env: []string{"GITLAB_CI=true", "CI_COMMIT_BEFORE_SHA=" + a, "CI_COMMIT_SHA=" + b}, base: a, head: b},
		{name: "pipeline of a new branch", env: []string{"GITLAB_CI=true", "CI_COMMIT_BEFORE_SHA=" + none, "CI_DEFAULT_BRANCH=trunk", "CI_COMMIT_SHA=" + b}, base: "origin/trunk", head: b},
	} {
		env := append(slices.Clone(made.Env), c.env...)
		if c.event != "" {
			if err := os.WriteFile(event, []byte(c.event), 0o666); err != nil {
				t.Fatal(err)
			}
			env = append(env, "GITHUB_ACTIONS=true", "GITHUB_EVENT_PATH="+event)
		}
		repo, err := gitops.Open(t.Context(), gitops.Options{Dir: made.Dir, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		base, head, err := ciEnvironment(repo)
		if base != c.base || head != c.head || (err != nil) != c.fails {
			t.Errorf("%s: %q, %q, %v; want %q, %q", c.name, base, head, err, c.base, c.head)
		}
		repo.Close()
	}
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: made.Dir, Env: append(slices.Clone(made.Env), "GITHUB_HEAD_REF=topic", "GITHUB_REF_NAME=12/merge")})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	for head, want := range map[string]string{
		"HEAD": "topic 12/merge HEAD", "up/side": "topic 12/merge up/side side", "refs/remotes/up/side": "topic 12/merge refs/remotes/up/side side",
		"other/side": "topic 12/merge other/side",
	} {
		if got := strings.Join(ciBranches(repo, head), " "); got != want {
			t.Errorf("%s: %q, want %q", head, got, want)
		}
	}
}
