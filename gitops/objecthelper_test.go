package gitops

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// objRepo is a real repository, run hermetically, for the object layer's tests.
type objRepo struct {
	t   testing.TB
	dir string
}

func newObjRepo(t testing.TB, initArgs ...string) *objRepo {
	t.Helper()
	r := &objRepo{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	r.git("config", "gc.auto", "0")
	return r
}

func (r *objRepo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=1700000000 +0100",
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com", "GIT_COMMITTER_DATE=1700000001 -0330")
	return cmd
}

func (r *objRepo) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := r.command(ctx, args...)
	cmd.Stdin = stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %q: %w: %s", args, err, stderr.String())
	}
	return out, err
}

func (r *objRepo) gitIn(stdin string, args ...string) string {
	r.t.Helper()
	out, err := r.run(context.Background(), strings.NewReader(stdin), args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (r *objRepo) git(args ...string) string {
	r.t.Helper()
	return r.gitIn("", args...)
}

func (r *objRepo) objects() string { return filepath.Join(r.dir, ".git", "objects") }

// write makes a file in the worktree.
func (r *objRepo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// config is a store configuration; BatchCommand counts its calls.
func (r *objRepo) config(started *int) objectConfig {
	return objectConfig{
		Dirs: []string{r.objects()},
		Git:  r.run,
		BatchCommand: func(ctx context.Context) *exec.Cmd {
			if started != nil {
				*started++
			}
			return r.command(ctx, "cat-file", "--batch")
		},
	}
}

// noGit is a configuration in which asking git fails the test.
func (r *objRepo) noGit() objectConfig {
	cfg := r.config(nil)
	cfg.BatchCommand = func(ctx context.Context) *exec.Cmd {
		r.t.Error("git cat-file was started")
		return r.command(ctx, "cat-file", "--batch")
	}
	return cfg
}

func openStore(t testing.TB, cfg objectConfig) *objectStore {
	t.Helper()
	s := newObjectStore(cfg)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// history makes commits whose files grow, so that a repack finds deltas.
func (r *objRepo) history(commits int) {
	r.t.Helper()
	var log strings.Builder
	for i := range commits {
		fmt.Fprintf(&log, "line %d of a file that only grows\n", i*i)
		r.write("dir/growing.txt", log.String())
		r.write(fmt.Sprintf("dir/sub%d/file.txt", i%7), strings.Repeat(strconv.Itoa(i), 50))
		r.git("add", "-A")
		r.git("commit", "-q", "-m", fmt.Sprintf("commit %d\n\nKey: %d", i, i))
	}
	r.git("tag", "-a", "v1", "-m", "a tag")
}

type rawObj struct {
	kind ObjectType
	data []byte
}

// all is every object as git itself reads it.
func (r *objRepo) all() map[Hash]rawObj {
	r.t.Helper()
	out := bufio.NewReader(strings.NewReader(r.git("cat-file", "--batch", "--batch-all-objects", "--unordered") + "\n"))
	objects := map[Hash]rawObj{}
	for {
		line, err := out.ReadString('\n')
		f := strings.Fields(line)
		if err != nil || len(f) != 3 {
			return objects
		}
		size, err := strconv.Atoi(f[2])
		if err != nil {
			r.t.Fatal(err)
		}
		data := make([]byte, size+1)
		if _, err := io.ReadFull(out, data); err != nil {
			r.t.Fatal(err)
		}
		objects[Hash(f[0])] = rawObj{ObjectType(f[1]), data[:size]}
	}
}

// sameAsGit reads every object that git has.
func (r *objRepo) sameAsGit(read func(context.Context, Hash) (ObjectType, []byte, error)) {
	r.t.Helper()
	objects := r.all()
	if len(objects) == 0 {
		r.t.Fatal("no objects")
	}
	for h, want := range objects {
		kind, data, err := read(r.t.Context(), h)
		if err != nil {
			r.t.Fatal(err)
		}
		if kind != want.kind || !bytes.Equal(data, want.data) {
			r.t.Fatalf("%s: %s %q, want %s %q", h, kind, data, want.kind, want.data)
		}
	}
}

// fsck lets git check everything.
func (r *objRepo) fsck() {
	r.t.Helper()
	if out := r.git("fsck", "--strict", "--no-dangling", "--no-progress"); out != "" {
		r.t.Errorf("fsck: %s", out)
	}
}

func mustTree(t testing.TB, w *ObjectWriter, entries []TreeEntry) Hash {
	t.Helper()
	h, err := w.Tree(entries)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
