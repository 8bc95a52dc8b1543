package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"git-okstra/gitops"
)

// digest stands for every file below some folders, as far as their names, kinds, sizes
// and times tell.
type digest [sha256.Size]byte

// fingerprint takes the digest of folders. Times of the folders themselves do not count,
// for a rename changes them; what comes into them or goes does.
func fingerprint(ctx context.Context, dirs ...string) (digest, error) {
	sum := sha256.New()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if d.IsDir() {
				fmt.Fprintf(sum, "%q %v\n", rel, info.Mode())
				return nil
			}
			s := gitops.StatOf(info)
			fmt.Fprintf(sum, "%q %v %d %d %d %d\n", rel, info.Mode(), info.Size(), info.ModTime().UnixNano(), s.CTime.UnixNano(), s.Ino)
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			return digest{}, errChanged // it went while it was looked at
		}
		if err != nil {
			return digest{}, fmt.Errorf("look at %q: %w", dir, err)
		}
		fmt.Fprintln(sum)
	}
	return digest(sum.Sum(nil)), nil
}
