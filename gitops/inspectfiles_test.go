package gitops

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLockFiles(t *testing.T) {
	t.Parallel()
	_, r, _ := repoWithHistory(t, 1)
	if got := r.LockFiles("refs/okstra"); len(got) != 0 {
		t.Errorf("%v", got)
	}
	want := []string{
		plant(t, r, "packed-refs.lock", ""), plant(t, r, "refs/okstra/a/b.lock", "x"), plant(t, r, "refs/okstra/z.lock", ""),
	}
	plant(t, r, "refs/okstra/a/nolock", "")
	plant(t, r, "refs/heads/main.lock", "")
	if err := os.MkdirAll(filepath.Join(r.commonDir, "refs", "okstra", "folder.lock"), 0o777); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range r.LockFiles("refs/okstra", "refs/absent") {
		got = append(got, l.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if l, ok := r.LockOf("refs/heads/main"); !ok || !strings.HasSuffix(l.Path, "refs/heads/main.lock") {
		t.Errorf("%v %v", l, ok)
	}
	if _, ok := r.LockOf("refs/okstra/folder"); ok {
		t.Error("a folder is no lock")
	}
	if _, ok := r.LockOf("refs/heads/other"); ok {
		t.Error("there is no such lock")
	}
}

// TestLeftFileRemove: only the very file that was seen goes.
func TestLeftFileRemove(t *testing.T) {
	t.Parallel()
	_, r, _ := repoWithHistory(t, 1)
	old := time.Now().Add(-2 * time.Hour)
	for name, meanwhile := range map[string]func(path string) error{
		"nothing": func(string) error { return nil },
		"gone":    os.Remove,
		"written": func(path string) error { return os.WriteFile(path, []byte("more"), 0o666) },
		"touched": func(path string) error { return os.Chtimes(path, time.Now(), time.Now()) },
		"another": func(path string) error {
			if err := os.WriteFile(path+"2", nil, 0o666); err != nil {
				return err
			}
			if err := os.Chtimes(path+"2", old, old); err != nil {
				return err
			}
			return os.Rename(path+"2", path)
		},
	} {
		path := plant(t, r, "packed-refs.lock", "")
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		l := r.LockFiles()[0]
		if err := meanwhile(path); err != nil {
			t.Fatal(err)
		}
		err := l.Remove()
		_, gone := os.Lstat(path)
		if fine := name == "nothing" || name == "gone"; (err == nil) != fine || os.IsNotExist(gone) != fine {
			t.Errorf("%s: %v, %v", name, err, gone)
		}
		_ = os.Remove(path)
	}
}

// deadPid is the number of a process that has ended.
func deadPid(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("git", "version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestLeftPacks(t *testing.T) {
	t.Parallel()
	_, r, _ := repoWithHistory(t, 1)
	if packs, temps := r.LeftPacks(); len(packs)+len(temps) != 0 {
		t.Errorf("%v %v", packs, temps)
	}
	w := r.NewObjects()
	blob := w.Blob([]byte("kept"))
	pack, err := w.Flush(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	packs, _ := r.LeftPacks()
	if len(packs) != 1 || packs[0].Pid != os.Getpid() || !packs[0].Alive || !packs[0].Whole {
		t.Fatalf("our own: %+v", packs)
	}
	if err := pack.Release(); err != nil {
		t.Fatal(err)
	}
	// as a process leaves it that was killed before its refs were written, and one
	// that was killed before its index was
	base := strings.TrimSuffix(packs[0].Path, ".keep")
	dead := deadPid(t)
	plant(t, r, "objects/pack/"+filepath.Base(base)+".keep", fmt.Sprintf("git-okstra %d\n", dead))
	plant(t, r, "objects/pack/pack-half.keep", fmt.Sprintf("git-okstra %d\n", dead))
	half := plant(t, r, "objects/pack/pack-half.pack", "PACK")
	plant(t, r, "objects/pack/pack-bare.keep", fmt.Sprintf("git-okstra %d\n", dead))
	temp := plant(t, r, "objects/pack/.okstra-17", "x")
	for _, foreign := range []string{"by hand", "", "git-okstra", "git-okstra x", "git-okstra -1", strings.Repeat("git-okstra 1 ", 20)} {
		plant(t, r, fmt.Sprintf("objects/pack/pack-foreign%d.keep", len(foreign)), foreign)
	}
	packs, temps := r.LeftPacks()
	if len(packs) != 3 || len(temps) != 1 || temps[0].Path != temp {
		t.Fatalf("%+v %+v", packs, temps)
	}
	whole := 0
	for _, p := range packs {
		if p.Alive || p.Pid != dead {
			t.Errorf("%+v", p)
		}
		if p.Whole {
			whole++
		}
		for range 2 { // a second time nothing is to be done
			if err := p.Release(); err != nil {
				t.Error(err)
			}
		}
	}
	if whole != 1 {
		t.Errorf("%d whole packs", whole)
	}
	if packs, _ := r.LeftPacks(); len(packs) != 0 {
		t.Errorf("%+v", packs)
	}
	if exists(half) {
		t.Error("the pack without index stayed")
	}
	if _, data, err := r.ReadObject(t.Context(), blob); err != nil || string(data) != "kept" {
		t.Errorf("%q %v", data, err)
	}
}

// TestLeftPackChanged: a .keep that another process wrote meanwhile is not ours to take.
func TestLeftPackChanged(t *testing.T) {
	t.Parallel()
	_, r, _ := repoWithHistory(t, 1)
	path := plant(t, r, "objects/pack/pack-x.keep", fmt.Sprintf("git-okstra %d\n", deadPid(t)))
	packs, _ := r.LeftPacks()
	if len(packs) != 1 {
		t.Fatalf("%+v", packs)
	}
	if err := os.WriteFile(path, []byte("git-okstra 1234567 \n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := packs[0].Release(); err != nil || !exists(path) {
		t.Errorf("%v", err)
	}
}
