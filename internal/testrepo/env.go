package testrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Identity and clock of everything that a test writes. The clock stands still but
// for commits made through [Repo.Commit] and the recipes' commit statement, which
// are Tick apart so that history has an order.
const (
	Name  = "Test Person"
	Email = "test@example.com"
	Tick  = time.Minute
)

// Epoch is the pinned time, in UTC.
func Epoch() time.Time { return time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC) }

// kept are the only variables that come from the caller's environment: where the
// programs are and what the Go tool chain's coverage and
// race detector listen to.
var kept = []string{"PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "GOCOVERDIR", "GORACE"}

// gitconfig is the whole global configuration. Background maintenance would still
// write while the test's folder is being removed.
const gitconfig = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

// Env returns a hermetic environment, as for exec.Cmd.Env: a fresh HOME with a
// global git configuration that only stops background maintenance, no system
// configuration, pinned identity and date, UTC, no prompt and no editor. No GIT_*,
// OKSTRA_* or XDG_* variable is inherited, and no repository above the test's
// temporary folders is found.
func Env(t testing.TB) []string {
	t.Helper()
	home := tempDir(t)
	global := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(global, []byte(gitconfig), 0o644); err != nil {
		t.Fatalf("write global git config: %v", err)
	}
	var env []string
	for _, name := range kept {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	env = append(
		env,
		"HOME="+home,
		"TMPDIR="+tempDir(t), // what a killed process leaves goes with the test
		"LC_ALL=C.UTF-8",
		"TZ=UTC",
		"GIT_CONFIG_GLOBAL="+global,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(home),
		"GIT_TERMINAL_PROMPT=0",
		"GIT_EDITOR=:",
		"GIT_AUTHOR_NAME="+Name,
		"GIT_AUTHOR_EMAIL="+Email,
		"GIT_COMMITTER_NAME="+Name,
		"GIT_COMMITTER_EMAIL="+Email,
	)
	return append(env, dates(0)...)
}

// Setenv makes env (see [Env]) the environment of the test's own process until the
// test ends, for code that reads it there. The test must not be parallel.
func Setenv(t testing.TB, env []string) {
	t.Helper()
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		for _, prefix := range []string{"GIT_", "OKSTRA_", "XDG_"} {
			if strings.HasPrefix(name, prefix) {
				t.Setenv(name, "") // registers the restoring
				if err := os.Unsetenv(name); err != nil {
					t.Fatalf("unset %s: %v", name, err)
				}
			}
		}
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
}

// dates pins author and committer date, n ticks after the epoch.
func dates(n int) []string {
	date := fmt.Sprintf("%d +0000", Epoch().Add(time.Duration(n)*Tick).Unix())
	return []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
}

// tempDir is t.TempDir with symbolic links resolved, so that paths compare equal
// with the ones git prints.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatalf("resolve temporary folder: %v", err)
	}
	return dir
}
