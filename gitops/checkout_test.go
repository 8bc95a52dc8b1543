package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// recordingHook records its folder, arguments and the variables that bind git.
const recordingHook = `#!/bin/sh
{ pwd; echo "$@"; env | grep '^GIT_\(DIR\|WORK_TREE\|INDEX_FILE\)='; } >>"$RECORD"
exit 0
`

// TestPostCheckoutAsGitRunsIt adds a worktree by git, then calls the hook for it, and
// compares what the hook saw. It is called from a subfolder, with a relative hooks
// path that only the main worktree has, and without a first line for the system.
func TestPostCheckoutAsGitRunsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ hooksPath, at, text string }{
		{"", "plain/.git/hooks", recordingHook},
		{".husky/_", "plain/.husky/_", recordingHook},
		{"~/hooks", "", recordingHook},
		{"", "plain/.git/hooks", strings.TrimPrefix(recordingHook, "#!/bin/sh\n")},
	} {
		s := newSandbox(t)
		s.repo("plain")
		s.write("plain/sub/x", "")
		s.env = append(s.env, "RECORD="+s.path("record"), "HOME="+s.path(""))
		if c.at == "" {
			c.at = "hooks"
		}
		if c.hooksPath != "" {
			s.git("plain", "config", "core.hooksPath", c.hooksPath)
		}
		s.write(c.at+"/post-checkout", c.text)
		if err := os.Chmod(s.path(c.at+"/post-checkout"), 0o755); err != nil {
			t.Fatal(err)
		}
		s.git("plain/sub", "worktree", "add", "-q", "-b", "side", s.path("side"))
		byGit := take(t, s.path("record"))
		r := s.open("plain/sub", "GIT_INDEX_FILE="+s.path("plain/.git/index"))
		if err := r.RunPostCheckout(t.Context(), s.path("side"), Hash(s.git("side", "rev-parse", "HEAD"))); err != nil {
			t.Errorf("%q: %v", c.hooksPath, err)
		}
		if byUs := take(t, s.path("record")); byUs != byGit || byGit == "" {
			t.Errorf("%q: the hook saw %q, from git %q", c.hooksPath, byUs, byGit)
		}
	}
}

// take reads a file and removes it; "" where there is none.
func take(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	_ = os.Remove(path)
	return string(text)
}

func TestPostCheckoutAbsentOrFailing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	head := Hash(s.git("plain", "rev-parse", "HEAD"))
	r := s.open("plain")
	if err := r.RunPostCheckout(t.Context(), s.path("plain"), head); err != nil {
		t.Errorf("no hook: %v", err)
	}
	hook := "plain/.git/hooks/post-checkout"
	s.write(hook, "#!/bin/sh\necho 'hook says no' >&2\nexit 3\n")
	if err := r.RunPostCheckout(t.Context(), s.path("plain"), head); err != nil {
		t.Errorf("hook that may not run: %v", err)
	}
	if err := os.Chmod(s.path(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.RunPostCheckout(t.Context(), s.path("plain"), head); err == nil || !strings.Contains(err.Error(), "exit status 3: hook says no") {
		t.Errorf("failing hook: %v", err)
	}
}

func TestCheckoutIndexWritesOnlyWhatIsAsked(t *testing.T) {
	t.Parallel()
	s, r, wt := everyIndexForm(t)
	for _, name := range []string{"file.txt", "new\nline", "exec"} {
		s.write("a/"+name, "changed")
	}
	calls := &callCount{}
	r.trace = calls.add
	if err := r.CheckoutIndex(t.Context(), wt.Path, nil); err != nil || calls.take() != 0 {
		t.Errorf("nothing asked: %v, or git was", err)
	}
	if err := r.CheckoutIndex(t.Context(), wt.Path, []string{"file.txt", "new\nline"}); err != nil || calls.take() != 1 {
		t.Errorf("%v, or not one process", err)
	}
	if got := s.git("a", "diff-files", "--name-only", "-z"); got != "exec\x00" {
		t.Errorf("still to be refreshed: %q", got)
	}
	if err := r.CheckoutIndex(t.Context(), wt.Path, []string{"none"}); err == nil {
		t.Error("a path that the index does not have")
	}
}

// TestCancelEndsGit holds that a cancelled context ends a git process that is stuck in
// a filter, with the context's error.
func TestCancelEndsGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.write("plain/.gitattributes", "file.txt filter=slow\n")
	s.git("plain", "config", "filter.slow.smudge", fmt.Sprintf("sleep 60; touch '%s'; cat", s.path("late")))
	r := s.open("plain")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s.write("plain/file.txt", "changed, so that it is written\n")
	if err := r.ResetHard(ctx, s.path("plain"), 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := os.Stat(s.path("late")); err == nil {
		t.Error("the filter was let run to its end")
	}
}
