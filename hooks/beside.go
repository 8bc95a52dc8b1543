package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// newMark stands between a file's name and the number of the process that writes its new
// content beside it.
const newMark = ".okstra-new-"

// clearBeside removes what killed processes left beside a file. A living process's file
// stays: at worst a number that was given again leaves one for the next time.
func clearBeside(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // the folder may not be there yet; whoever writes says what is wrong
	}
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+newMark)
		pid, err := strconv.Atoi(number)
		if ok && err == nil && pid > 0 && e.Type().IsRegular() && !lives(pid) {
			_ = os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

// writeBeside writes a file next to where it is to be, whole and flushed to disk.
func writeBeside(path, text string, mode fs.FileMode) (temp string, err error) {
	clearBeside(path)
	temp = path + newMark + strconv.Itoa(os.Getpid())
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(temp))
	}
	return temp, nil
}

// replaceFile gives a file another content and leaves its mode; a link stays one.
func replaceFile(path string, text []byte) error {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	temp, err := writeBeside(path, string(text), info.Mode().Perm())
	if err != nil {
		return err
	}
	if err := os.Chmod(temp, info.Mode().Perm()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, path)
}
