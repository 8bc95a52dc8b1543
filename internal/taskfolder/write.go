package taskfolder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// ErrNotEmpty is the sentinel for a target folder that holds something.
var ErrNotEmpty = errors.New("the folder is not empty")

// Write writes the files below dir, which is made, or must be empty. No file lands
// outside of it, whatever its path says, and none is overwritten. What a failed write
// made is taken away again.
func Write(dir string, files []File) error {
	made, err := freshDir(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	var written []string
	for _, f := range files {
		if err = writeFile(root, f, &written); err != nil {
			break
		}
	}
	if err != nil {
		for _, name := range slices.Backward(written) {
			_ = root.Remove(name) // a folder goes only if it is empty
		}
		if made {
			_ = os.Remove(dir)
		}
	}
	return err
}

// freshDir makes the folder, or sees that it is empty.
func freshDir(dir string) (made bool, err error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return true, os.MkdirAll(dir, 0o777)
	}
	d, err := os.Open(dir)
	if err != nil {
		return false, err
	}
	defer func() { _ = d.Close() }()
	switch _, err := d.Readdirnames(1); {
	case err == nil:
		return false, ErrNotEmpty
	case errors.Is(err, io.EOF):
		return false, nil
	default:
		return false, err
	}
}

func writeFile(root *os.Root, f File, written *[]string) error {
	if !fs.ValidPath(f.Path) || f.Path == "." {
		return fmt.Errorf("write %q: not a path below the folder", f.Path)
	}
	if err := makeDirs(root, path.Dir(f.Path), written); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if f.Exec {
		mode = 0o777
	}
	out, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	*written = append(*written, f.Path)
	_, err = out.Write(f.Content)
	return errors.Join(err, out.Close())
}

// makeDirs makes a folder and those above it, and notes which.
func makeDirs(root *os.Root, dir string, written *[]string) error {
	if dir == "." {
		return nil
	}
	if err := makeDirs(root, path.Dir(dir), written); err != nil {
		return err
	}
	err := root.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		*written = append(*written, dir)
	}
	return err
}
