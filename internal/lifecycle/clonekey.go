package lifecycle

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the size of a clone's key in bytes.
const keySize = 32

// keyFile is where a clone keeps its key: in the git directory and in no ref, so that
// nothing that git exchanges brings it along.
func keyFile(commonDir string) string { return filepath.Join(commonDir, "okstra", "clone-key") }

// cloneKey is the secret that makes what this clone agreed to its own; nil where it has
// none yet, which is before anything was agreed to. A key of another user cannot be read,
// which is an fs.ErrPermission. A link is followed nowhere: it is an error, as is a file that
// holds no key.
func cloneKey(commonDir string) ([]byte, error) {
	file := keyFile(commonDir)
	key, err := readKey(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read this clone's key %q: %w", file, err)
	}
	return key, nil
}

func readKey(file string) ([]byte, error) {
	if err := plainFolder(filepath.Dir(file)); err != nil {
		return nil, err
	}
	there, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !there.Mode().IsRegular() { // before it is opened: a pipe would never answer
		return nil, errors.New("it is no regular file; remove it, and agree again")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if opened, err := f.Stat(); err != nil || !os.SameFile(there, opened) {
		return nil, errors.Join(errors.New("it was replaced while it was read"), err)
	}
	text, err := io.ReadAll(io.LimitReader(f, 2*keySize+2))
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(text[:max(len(text)-1, 0)]))
	if err != nil || len(key) != keySize {
		return nil, errors.New("it holds no key; remove it, and agree again")
	}
	return key, nil
}

// plainFolder is an error for anything but a folder itself.
func plainFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%q is no folder", dir)
	}
	return err
}

// makeCloneKey is cloneKey, and makes a key where there is none. Of two processes that do
// so at once, both get the same one.
func makeCloneKey(commonDir string) ([]byte, error) {
	key, err := cloneKey(commonDir)
	if key != nil || err != nil {
		return key, err
	}
	if err := writeKey(keyFile(commonDir)); err != nil {
		return nil, fmt.Errorf("make this clone's key: %w", err)
	}
	return cloneKey(commonDir)
}

// writeKey puts a new key into its place in one step, unless one is there by then.
func writeKey(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "clone-key.new-") // its mode is 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // another name of the key by then, or gone
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	_, err = temp.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	err = os.Link(temp.Name(), file)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	// There are no links here. Of two at once the last one stays, and what was agreed to
	// under the other is asked about again.
	return os.Rename(temp.Name(), file)
}
