package gitops

import "testing"

// TestOperation brings a linked worktree into each operation with real commands; a
// conflict keeps it there.
func TestOperation(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"":            {"status"},
		"merge":       {"merge", "main"},
		"rebase":      {"rebase", "main"},
		"cherry-pick": {"cherry-pick", "main"},
		"revert":      {"revert", "--no-edit", "HEAD^"},
		"bisect":      {"bisect", "start", "HEAD", "HEAD^^"},
	} {
		operation(t, want, args)
	}
	operation(t, "rebase", []string{"rebase", "--apply", "main"})
}

func operation(t *testing.T, want string, args []string) {
	t.Helper()
	s := newSandbox(t)
	s.repo("plain")
	s.git("plain", "worktree", "add", "-q", "-b", "side", "../side")
	for _, text := range []string{"one", "two"} {
		for _, dir := range []string{"plain", "side"} {
			s.write(dir+"/file.txt", text+" in "+dir+"\n")
			s.git(dir, "commit", "-q", "-a", "-m", text)
		}
	}
	r := s.open("plain")
	wt, _, err := r.WorktreeAt(t.Context(), s.path("side"))
	if err != nil || wt.Operation() != "" {
		t.Fatal(wt.Operation(), err)
	}
	_, _ = s.try("side", nil, "", args...) // ends with a conflict
	if got := wt.Operation(); got != want {
		t.Errorf("%q: %q, want %q", args, got, want)
	}
	main, _, err := r.WorktreeAt(t.Context(), s.path("plain"))
	if err != nil || main.Operation() != "" {
		t.Errorf("%q: the main worktree is in %q, %v", args, main.Operation(), err)
	}
}
