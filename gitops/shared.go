package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// MakeFolder makes one folder as git would: in a repository that users share
// (core.sharedRepository), others get their rights in it and what is made in it stays
// their group's. Errors: as of os.Mkdir.
func (r *Repo) MakeFolder(path string) error {
	if err := os.Mkdir(path, 0o777); err != nil {
		return err
	}
	perm, whole, err := sharedPerm(r.config)
	if err != nil || perm == 0 {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	mode := info.Mode().Perm() | perm
	if whole {
		mode = perm
	}
	mode |= mode & 0o444 >> 2 // who may read may enter
	if mode&0o060 != 0 {
		mode |= fs.ModeSetgid
	}
	return os.Chmod(path, mode|info.Mode()&fs.ModeSetgid)
}

// MakeFolders makes a folder and those above it that are missing, as MakeFolder does.
func (r *Repo) MakeFolders(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil
	}
	if up := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && up != path {
		if err := r.MakeFolders(up); err != nil {
			return err
		}
	}
	err = r.MakeFolder(path)
	if errors.Is(err, fs.ErrExist) { // another process was quicker, or it is no folder
		if info, gone := os.Stat(path); gone == nil && info.IsDir() {
			return nil
		}
	}
	return err
}

// sharedPerm reads core.sharedRepository as git-config(1) has it: the rights to add, or,
// where whole is true, to have; 0 where the umask decides alone.
func sharedPerm(c Config) (perm fs.FileMode, whole bool, err error) {
	const key, group, everybody, owner = "core.sharedRepository", 0o660, 0o664, 0o600
	switch value := c.Get(key); value {
	case "umask":
		return 0, false, nil
	case "group":
		return group, false, nil
	case "all", "world", "everybody":
		return everybody, false, nil
	default:
		n, err := strconv.ParseUint(value, 8, 16)
		switch {
		case err != nil:
			shared, err := c.Bool(key, false)
			if shared {
				perm = group
			}
			return perm, false, err
		case n == 0:
			return 0, false, nil
		case n == 1:
			return group, false, nil
		case n == 2:
			return everybody, false, nil
		case n&owner != owner:
			return 0, false, fmt.Errorf("%s is %q: the owner must be able to read and write", key, value)
		}
		return fs.FileMode(n & 0o666), true, nil
	}
}
