package lifecycle

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// TestCloneKeyAtOnce holds that processes that make the key at once all have the same one.
func TestCloneKeyAtOnce(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("OKSTRA_TEST_KEY_OF"); dir != "" {
		key, err := makeCloneKey(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(os.Getenv("OKSTRA_TEST_KEY_TO"), key, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir, out := t.TempDir(), t.TempDir()
	var all []*exec.Cmd
	for i := range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCloneKeyAtOnce$")
		cmd.Env = append(os.Environ(), "OKSTRA_TEST_KEY_OF="+dir, "OKSTRA_TEST_KEY_TO="+filepath.Join(out, string(rune('a'+i))))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	want, err := cloneKey(dir)
	if err != nil || len(want) != keySize {
		t.Fatalf("key %x, error %v", want, err)
	}
	for i := range all {
		if got, err := os.ReadFile(filepath.Join(out, string(rune('a'+i)))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("process %d has the key %x, want %x (error %v)", i, got, want, err)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, "okstra"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v lies there, error %v", left, err)
	}
}

// TestCloneKeyMode holds that nobody else can read a key.
func TestCloneKeyMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	dir := t.TempDir()
	if key, err := cloneKey(dir); key != nil || err != nil {
		t.Errorf("before there is one: %x, error %v", key, err)
	}
	if _, err := makeCloneKey(dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(keyFile(dir))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

// TestCloneKeyOdd holds that what is no key is neither followed nor used nor replaced.
func TestCloneKeyOdd(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("0a", keySize) + "\n"
	write := func(name, text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o600))
	}
	for name, tt := range map[string]struct {
		lay  func(dir string) error
		want string
	}{
		"half":   {func(dir string) error { return write(keyFile(dir), good[:40]) }, "holds no key"},
		"long":   {func(dir string) error { return write(keyFile(dir), good+good) }, "holds no key"},
		"empty":  {func(dir string) error { return write(keyFile(dir), "") }, "holds no key"},
		"folder": {func(dir string) error { return os.MkdirAll(keyFile(dir), 0o777) }, "no regular file"},
		"link": {func(dir string) error {
			return errors.Join(write(filepath.Join(dir, "okstra", "else"), good), os.Symlink("else", keyFile(dir)))
		}, "no regular file"},
		"link to nothing": {func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "okstra"), 0o777), os.Symlink("nothing", keyFile(dir)))
		}, "no regular file"},
		"folder's link": {func(dir string) error {
			return errors.Join(write(filepath.Join(dir, "else", "clone-key"), good), os.Symlink("else", filepath.Join(dir, "okstra")))
		}, "is no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := tt.lay(dir); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(keyFile(dir))
			if key, err := makeCloneKey(dir); key != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("key %x, error %v; want %q", key, err, tt.want)
			}
			after, err := os.Lstat(keyFile(dir))
			if err != nil || !os.SameFile(before, after) {
				t.Errorf("it is another file now, error %v", err)
			}
		})
	}
}

// TestCloneKeyOfOthers holds that a key that cannot be read is said to be so: what was
// agreed to with it does not count here, and nothing can be agreed to; a plan is approved
// all the same.
func TestCloneKeyOfOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agreed := []Trusted{{"x", "y"}}
	head := gitops.Hash(f.repo.Git("rev-parse", "HEAD"))
	if err := f.eng.Trust(t.Context(), agreed, head); err != nil {
		t.Fatal(err)
	}
	key := keyFile(f.eng.Repo.CommonDir())
	if err := os.Chmod(key, 0); err != nil {
		t.Fatal(err)
	}
	testrepo.ObeyModes(t)
	if left, err := f.eng.Untrusted(t.Context(), agreed); len(left) != 1 || err != nil {
		t.Errorf("%v are not trusted, error %v", left, err)
	}
	if err := f.eng.Trust(t.Context(), agreed, head); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
	rec := &record{}
	if err := f.eng.trust(t.Context(), rec, Approved{Commit: head}); err != nil || len(rec.tx.Changes) != 0 {
		t.Errorf("approval: %v, error %v", rec.tx.Changes, err)
	}
}
