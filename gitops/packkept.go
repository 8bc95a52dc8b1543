package gitops

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// tempPrefix is not git's "tmp_": `git prune --expire=now` deletes those even
	// while they are written. Ours are cleared by the next flush, a day later.
	tempPrefix = ".okstra-"
	keepPrefix = "git-okstra " // what our .keep files say, before the process's id
	tempMaxAge = 24 * time.Hour
)

// KeptPack is a pack that this process wrote and protects with a .keep file,
// until Release or Discard. The zero value holds nothing.
type KeptPack struct {
	base  string // path without suffix; "" is the no-op
	store *objectStore
}

// Release removes the .keep file: the refs that hold the objects were written.
// A second call does nothing.
func (k *KeptPack) Release() error {
	if k.base == "" {
		return nil
	}
	return removeFiles(k.base, ".keep")
}

// Discard removes the pack: no ref came to hold its objects. The index goes
// first, so git never sees an index without its pack, and .keep last. No other
// process can depend on the pack by name, since its name is random.
func (k *KeptPack) Discard() error {
	if k.base == "" {
		return nil
	}
	k.store.packs.forget(k.base)
	return removeFiles(k.base, ".idx", ".pack", ".keep")
}

// removeFiles removes base with each suffix in this order; absent is fine.
func removeFiles(base string, suffixes ...string) error {
	for _, suffix := range suffixes {
		if err := os.Remove(base + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove pack file: %w", err)
		}
	}
	return nil
}

// placePack puts a pack into the repository's own object directory in git's
// order: .keep, then .pack, then .idx, which alone makes git look at it. Killed
// at any step, it leaves a temporary file, a .keep, or a .pack without index:
// all of them are garbage to git.
//
// The name is random, not the pack's checksum: two processes that write the same
// objects then never share files, so neither's Discard takes the other's objects.
// Git needs no more of a name than that it is unique.
func (s *objectStore) placePack(pack, index []byte) (*KeptPack, error) {
	dir := filepath.Join(s.cfg.Dirs[0], "pack")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make pack directory: %w", err)
	}
	clearTemps(dir, time.Now())
	var name [sha1Len]byte
	_, _ = rand.Read(name[:]) // never fails (crypto/rand)
	k := &KeptPack{base: filepath.Join(dir, "pack-"+hex.EncodeToString(name[:])), store: s}
	if err := s.placeFiles(k.base, pack, index); err != nil {
		return nil, errors.Join(err, k.Discard())
	}
	return k, nil
}

func (s *objectStore) placeFiles(base string, pack, index []byte) error {
	keep := fmt.Sprintf("%s%d\n", keepPrefix, os.Getpid())
	for _, f := range []struct {
		suffix string
		data   []byte
	}{{".keep", []byte(keep)}, {".pack", pack}, {".idx", index}} {
		if err := placeFile(base+f.suffix, f.data, s.cfg.Fsync); err != nil {
			return fmt.Errorf("place %q: %w", f.suffix, err)
		}
	}
	if s.cfg.Fsync {
		return syncDir(filepath.Dir(base))
	}
	return nil
}

// placeFile writes data beside path and renames it there, mode 0444 as far as
// the directory itself may be read (which follows core.sharedRepository).
func placeFile(path string, data []byte, sync bool) (err error) {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	err = firstErr(err, f.Chmod(0o400|0o444&info.Mode().Perm()))
	if sync && err == nil {
		err = f.Sync()
	}
	if err = firstErr(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// clearTemps removes what a killed process left long ago: its temporary files, and
// the .keep of a pack whose transaction ended with it one way or the other, so that
// git's gc takes what of the pack is in use and lets the rest go.
func clearTemps(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		temp, keep := strings.HasPrefix(e.Name(), tempPrefix), strings.HasSuffix(e.Name(), ".keep")
		if !temp && !keep {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) <= tempMaxAge || keep && !ourKeep(path) {
			continue
		}
		_ = os.Remove(path)
	}
}

// ourKeep reports whether a .keep file is one of ours. Other people's say what they
// like, and stay.
func ourKeep(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && strings.HasPrefix(string(text), keepPrefix)
}

// syncDir makes the renames in dir last.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open directory: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
