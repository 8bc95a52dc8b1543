package main

import (
	"fmt"
	"os/exec"
	"testing"

	"git-okstra/gitops"
)

// TestGitInterrupted: Ctrl-C that reaches git before git has a process group of its own ends
// the command like any other Ctrl-C; git that dies by something else does not.
func TestGitInterrupted(t *testing.T) {
	t.Parallel()
	for signal, want := range map[string]int{"INT": exitInterrupted, "TERM": exitInterrupted, "KILL": exitEnvironment, "ABRT": exitEnvironment} {
		died := exec.Command("sh", "-c", "kill -"+signal+" $$").Run()
		err := fmt.Errorf("list refs: %w", &gitops.GitError{Args: []string{"for-each-ref"}, ExitCode: -1, Err: died})
		if e := classify(err); died == nil || e.code != want || want == exitInterrupted && e.message != "interrupted" {
			t.Errorf("%s: %v gives exit %d: %s", signal, died, e.code, e.message)
		}
	}
	if e := classify(&gitops.GitError{Args: []string{"for-each-ref"}, ExitCode: 130, Err: exec.Command("sh", "-c", "exit 130").Run()}); e.code != exitEnvironment {
		t.Errorf("git that ended by itself: exit %d", e.code)
	}
}
