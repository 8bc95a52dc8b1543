package gitops

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestReadParity(t *testing.T) {
	tests := []struct {
		name string
		prep func(r *objRepo)
	}{
		{"loose", func(*objRepo) {}},
		{"ofs deltas", func(r *objRepo) { r.git("repack", "-adfq", "--depth=50") }},
		{"ref deltas", func(r *objRepo) {
			r.git("config", "repack.useDeltaBaseOffset", "false")
			r.git("repack", "-adfq", "--depth=50")
		}},
		{"several packs", func(r *objRepo) {
			r.git("repack", "-dq")
			r.write("more", "more")
			r.git("add", "-A")
			r.git("commit", "-qm", "more")
			r.git("repack", "-dq")
			r.write("loose", "loose")
			r.git("add", "-A")
		}},
		{"large offsets", func(r *objRepo) {
			r.git("config", "pack.indexVersion", "2")
			r.git("repack", "-adfq")
			pack := glob1(r.t, filepath.Join(r.objects(), "pack", "*.pack"))
			// 0x100: every offset beyond it goes into the 64-bit table.
			r.git("index-pack", "--index-version=2,0x100", pack)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newObjRepo(t)
			r.history(16)
			tt.prep(r)
			r.sameAsGit(openStore(t, r.noGit()).read)
		})
	}
}

func glob1(t testing.TB, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

func TestReadFallsBackToGit(t *testing.T) {
	tests := []struct {
		name string
		init []string
		prep func(r *objRepo, c *objectConfig)
	}{
		{"SHA-256", []string{"--object-format=sha256"}, func(_ *objRepo, c *objectConfig) { c.SHA256 = true }},
		{"forced", nil, func(_ *objRepo, c *objectConfig) { c.NoGoGit = true }},
		{"index version 1", nil, func(r *objRepo, _ *objectConfig) {
			r.git("config", "pack.indexVersion", "1")
			r.git("repack", "-adfq")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newObjRepo(t, tt.init...)
			r.history(5)
			started := 0
			cfg := r.config(&started)
			tt.prep(r, &cfg)
			r.sameAsGit(openStore(t, cfg).read)
			if started != 1 {
				t.Errorf("git cat-file started %d times", started)
			}
		})
	}
}

func TestReadAlternates(t *testing.T) {
	a := newObjRepo(t)
	a.history(3)
	b := newObjRepo(t)
	b.git("fetch", "-q", a.dir) // gives b objects of its own, too
	c := newObjRepo(t)
	relative, err := filepath.Rel(c.objects(), b.objects())
	if err != nil {
		t.Fatal(err)
	}
	writeAlternates(t, c, "# a comment\n"+relative+"\n")
	writeAlternates(t, b, `"`+a.objects()+"\"\n"+c.objects()+"\n/nonexistent\n") // a cycle, and a dead end
	b.git("repack", "-adq")
	c.sameAsGit(openStore(t, c.noGit()).read)
	dirs := objectDirs([]string{c.objects()})
	if len(dirs) != 4 {
		t.Errorf("dirs = %q", dirs)
	}
}

func writeAlternates(t *testing.T, r *objRepo, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.objects(), "info", "alternates"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestReadMissing(t *testing.T) {
	r := newObjRepo(t)
	absent := Hash(strings.Repeat("ab", 20))
	s := openStore(t, r.config(nil))
	_, _, err := s.read(t.Context(), absent)
	var missing *MissingError
	if !errors.Is(err, ErrMissing) || !errors.As(err, &missing) || missing.Hash != absent {
		t.Errorf("err = %v", err)
	}
	for _, h := range []Hash{"", "zz", "abcd", absent + "\n", Hash(strings.Repeat("AB", 20)), Hash(strings.Repeat("ab", 32))} {
		if _, _, err := s.read(t.Context(), h); err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("%q: err = %v", h, err)
		}
	}
	if kind, data, err := s.read(t.Context(), emptyTreeSHA1); kind != TypeTree || len(data) != 0 || err != nil {
		t.Errorf("empty tree: %s %q %v", kind, data, err)
	}
}

// A git that cannot answer is a failure, not an absent object.
func TestReadBrokenGitIsNotMissing(t *testing.T) {
	r := newObjRepo(t)
	for name, script := range map[string]string{
		"dies":    "echo boom >&2; exit 3",
		"cut":     "read x; echo $x blob 10; printf abc",
		"strange": "read x; echo hello",
		"other":   "read x; echo " + strings.Repeat("cd", 20) + " blob 0; echo",
	} {
		cfg := r.config(nil)
		cfg.BatchCommand = func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "sh", "-c", script) }
		_, _, err := openStore(t, cfg).read(t.Context(), Hash(strings.Repeat("ab", 20)))
		if err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("%s: err = %v", name, err)
		}
		if name == "dies" && !strings.Contains(err.Error(), "boom") {
			t.Errorf("stderr lost: %v", err)
		}
	}
}

func TestReadCorruptIsNotMissing(t *testing.T) {
	r := newObjRepo(t)
	h := Hash(r.gitIn("some text", "hash-object", "-w", "--stdin"))
	path := filepath.Join(r.objects(), string(h[:2]), string(h[2:]))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("not zlib"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openStore(t, r.config(nil)).read(t.Context(), h); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("err = %v", err)
	}
}

func TestReadLimited(t *testing.T) {
	r := newObjRepo(t)
	text := strings.Repeat("0123456789", 100)
	h := Hash(r.gitIn(text, "hash-object", "-w", "--stdin"))
	s := openStore(t, r.config(nil))
	for range 2 { // loose, then packed
		if _, _, err := s.readLimited(t.Context(), h, 999); !errors.Is(err, ErrTooLarge) {
			t.Errorf("err = %v", err)
		}
		if _, data, err := s.readLimited(t.Context(), h, 1000); err != nil || string(data) != text {
			t.Errorf("read %d bytes, %v", len(data), err)
		}
		r.git("tag", "-f", "keep", string(h))
		r.git("repack", "-adq")
		r.git("prune-packed")
	}
}

func TestReadContext(t *testing.T) {
	r := newObjRepo(t)
	cfg := r.config(nil)
	cfg.BatchCommand = func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "sleep", "60") }
	s := openStore(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := s.read(ctx, Hash(strings.Repeat("ab", 20)))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// An idle process that was killed is replaced without an error.
func TestReadRestartsGit(t *testing.T) {
	r := newObjRepo(t)
	h := Hash(r.gitIn("text", "hash-object", "-w", "--stdin"))
	started := 0
	cfg := r.config(&started)
	cfg.NoGoGit = true
	s := openStore(t, cfg)
	for range 2 {
		if _, data, err := s.read(t.Context(), h); err != nil || string(data) != "text" {
			t.Fatalf("%q, %v", data, err)
		}
		s.batch.proc.kill()
		_, _ = s.batch.proc.cmd.Process.Wait()
	}
	if started != 2 {
		t.Errorf("started %d times", started)
	}
	s.batch.proc = nil
}

func TestReadAfterClose(t *testing.T) {
	r := newObjRepo(t)
	s := newObjectStore(r.noGit())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.read(t.Context(), Hash(strings.Repeat("ab", 20))); !errors.Is(err, os.ErrClosed) {
		t.Errorf("err = %v", err)
	}
}

func TestReadConcurrently(t *testing.T) {
	r := newObjRepo(t)
	r.history(20)
	r.git("repack", "-adfq", "--depth=50")
	objects := r.all()
	s := openStore(t, r.noGit())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for h, want := range objects { // map order: another one in each
				_, data, err := s.read(t.Context(), h)
				if err != nil || !bytes.Equal(data, want.data) {
					t.Errorf("%s: %v", h, err)
				}
				clear(data) // the caller's own
			}
		})
	}
	wg.Wait()
}

// Whatever a repack does to the files beneath a store, its reads go on.
func TestReadBesideRepack(t *testing.T) {
	r := newObjRepo(t)
	r.history(5)
	r.git("repack", "-adq")
	objects := r.all()
	s := openStore(t, r.noGit())
	if _, _, err := s.read(t.Context(), Hash(r.git("rev-parse", "HEAD"))); err != nil {
		t.Fatal(err)
	}
	listed := openStore(t, r.noGit()) // knows the pack's name and has not opened it
	listed.packs.rescan()
	r.git("-c", "core.compression=1", "repack", "-adfFq")
	r.write("new", "new")
	r.git("add", "-A")
	r.git("commit", "-qm", "new")
	r.git("repack", "-adq")
	for h := range objects {
		for _, store := range []*objectStore{s, listed} {
			if _, _, err := store.read(t.Context(), h); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.sameAsGit(s.read)
}

// A pack that is cut short while it is mapped gives an error, not a crash.
func TestReadTruncatedBeneath(t *testing.T) {
	r := newObjRepo(t)
	h := Hash(r.gitIn(strings.Repeat("incompressible? no\n", 10), "hash-object", "-w", "--stdin"))
	r.git("tag", "t", string(h))
	r.git("repack", "-adq")
	s := openStore(t, r.config(nil))
	if _, _, err := s.read(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"pack", "idx"} {
		path := glob1(t, filepath.Join(r.objects(), "pack", "*."+suffix))
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.read(t.Context(), h); err == nil {
			t.Errorf("%s: no error", suffix)
		}
	}
}
