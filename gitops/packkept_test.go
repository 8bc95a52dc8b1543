package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Every state in which a kill can leave the directory is fine for git and for us.
func TestWriterKilledAnywhere(t *testing.T) {
	pack, index, err := encodePack([]rawObject{{TypeBlob, []byte("text")}})
	if err != nil {
		t.Fatal(err)
	}
	h := hashObject(false, TypeBlob, []byte("text"))
	files := []struct {
		name string
		data []byte
	}{
		{tempPrefix + "1", pack[:5]},
		{"pack-1.keep", nil},
		{tempPrefix + "2", pack},
		{"pack-1.pack", pack},
		{tempPrefix + "3", index[:50]},
		{"pack-1.idx", index},
	}
	for n := range files {
		r := newObjRepo(t)
		r.history(1)
		for _, f := range files[:n+1] {
			path := filepath.Join(r.objects(), "pack", f.name)
			if err := os.WriteFile(path, f.data, 0o444); err != nil {
				t.Fatal(err)
			}
		}
		s := openStore(t, r.config(nil))
		_, _, err := s.read(t.Context(), h)
		if whole := n == len(files)-1; whole != (err == nil) || !whole && !errors.Is(err, ErrMissing) {
			t.Errorf("after %s: %v", files[n].name, err)
		}
		r.fsck()
		r.git("gc", "-q", "--prune=now")
		r.fsck()
		r.sameAsGit(s.read)
	}
}

func TestWriterClearsOldTemps(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{tempPrefix + "old": 25 * time.Hour, tempPrefix + "new": time.Hour, "pack-x.pack": 99 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"a.keep": keepPrefix + "7\n", "b.keep": "by hand\n", "c.keep": ""} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-25 * time.Hour)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "young.keep"), []byte(keepPrefix+"8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clearTemps(dir, time.Now())
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	want := fmt.Sprint([]string{dir + "/" + tempPrefix + "new", dir + "/b.keep", dir + "/c.keep", dir + "/pack-x.pack", dir + "/young.keep"})
	if got := fmt.Sprint(left); err != nil || got != want {
		t.Errorf("left %s, want %s; %v", got, want, err)
	}
}

// gc and repack run without a pause beside a writer that lets them run between
// each Flush and its ref; nothing that was kept may go.
func TestWriterBesideGC(t *testing.T) {
	r := newObjRepo(t)
	r.history(3)
	stop := make(chan struct{})
	done := make(chan error)
	var rounds atomic.Int64
	go func() {
		var err error
		for args := range cycle(stop, [][]string{{"gc", "-q", "--prune=now"}, {"repack", "-adq"}, {"prune", "--expire=now"}}) {
			if _, gitErr := r.run(context.Background(), nil, args...); gitErr != nil {
				err = errors.Join(err, gitErr)
			}
			rounds.Add(1)
		}
		done <- err
	}()
	s := openStore(t, r.config(nil))
	parent := Hash(r.git("rev-parse", "main"))
	for i := 0; i < 20 || rounds.Load() < 6; i++ { // until git has been at it some times
		w := s.newWriter()
		blob := w.Blob(fmt.Appendf(nil, "text %d", i))
		tree := mustTree(t, w, []TreeEntry{{"f", ModeFile, blob}})
		commit := w.Commit(CommitData{Tree: tree, Parents: []Hash{parent}, Author: testSignature(), Committer: testSignature(), Message: "m"})
		kept, err := w.Flush(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond)
		if i%4 == 3 { // lost the race
			if err := kept.Discard(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		r.git("update-ref", "refs/heads/main", string(commit), string(parent))
		if err := kept.Release(); err != nil {
			t.Fatal(err)
		}
		for _, h := range []Hash{blob, tree, commit, parent} {
			if _, _, err := s.read(t.Context(), h); err != nil {
				t.Fatal(err)
			}
		}
		parent = commit
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
	r.fsck()
	r.sameAsGit(s.read)
}

// cycle yields the values in turn until stop is closed.
func cycle[T any](stop chan struct{}, values []T) func(func(T) bool) {
	return func(yield func(T) bool) {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				if !yield(values[i%len(values)]) {
					return
				}
			}
		}
	}
}

// victimEnv makes the test binary a writer that flushes until it is killed.
const victimEnv = "GITOPS_TEST_VICTIM"

// TestMainVictim is that writer; as a test of its own it does nothing.
func TestMainVictim(t *testing.T) {
	dir := os.Getenv(victimEnv)
	if dir == "" {
		return
	}
	s := newObjectStore(objectConfig{Dirs: []string{dir}, Fsync: true})
	for i := 0; ; i++ {
		w := s.newWriter()
		w.Blob(fmt.Appendf(nil, "%d %d", os.Getpid(), i))
		w.Blob(bytes.Repeat([]byte("x"), 100_000))
		kept, err := w.Flush(context.Background())
		if err == nil && i%2 == 0 {
			err = kept.Discard()
		} else if err == nil {
			err = kept.Release()
		}
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 { // one pack was taken back, one stays
			fmt.Println("at work")
		}
	}
}

// Writers that are killed for real leave nothing that confuses git or us.
func TestWriterKilled(t *testing.T) {
	r := newObjRepo(t)
	r.history(2)
	for i := range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMainVictim$")
		cmd.Env = append(os.Environ(), victimEnv+"="+r.objects())
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // it is at work
			t.Fatal(err)
		}
		time.Sleep(time.Duration(3*i) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if found, _ := filepath.Glob(filepath.Join(r.objects(), "pack", "*")); len(found) == 0 {
		t.Error("the writers wrote nothing")
	}
	r.fsck()
	s := openStore(t, r.config(nil))
	r.sameAsGit(s.read)
	r.git("gc", "-q", "--prune=now")
	r.fsck()
	r.sameAsGit(s.read)
}

// Several writers at once, each with its own store, as processes would be.
func TestWritersSideBySide(t *testing.T) {
	r := newObjRepo(t)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			s := newObjectStore(r.config(nil))
			defer s.Close()
			for i := range 10 {
				w := s.newWriter()
				h := w.Blob(fmt.Appendf(nil, "%d", i)) // the same in all of them
				w.Blob(fmt.Appendf(nil, "%d of %d", i, n))
				kept, err := w.Flush(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if _, _, err := s.read(t.Context(), h); err != nil {
					t.Error(err)
				}
				if err := errors.Join(kept.Release(), kept.Discard()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if found, _ := filepath.Glob(filepath.Join(r.objects(), "pack", "*")); len(found) > 0 {
		t.Errorf("left: %q", found)
	}
}

// What is placed may be read by whoever may read the directory, and no one else.
func TestPlaceFileModes(t *testing.T) {
	for dirMode, want := range map[os.FileMode]os.FileMode{0o700: 0o400, 0o750: 0o440, 0o755: 0o444, 0o775: 0o444} {
		dir := filepath.Join(t.TempDir(), "pack")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, dirMode)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "f")
		if err := placeFile(path, []byte("x"), true); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%o: %v, %v", dirMode, info.Mode(), err)
		}
	}
}

func TestPlaceFileCleansUp(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := placeFile(filepath.Join(dir, "taken"), []byte("x"), false); err == nil {
		t.Error("no error")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
