package gitops

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// Stamp remembers in this clone that something happened just now, under any name. It
// is an empty file whose time counts, as git's own FETCH_HEAD is used.
func (r *Repo) Stamp(name string) error {
	file := r.stampFile(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("stamp %q: %w", name, err)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		return fmt.Errorf("stamp %q: %w", name, err)
	}
	now := time.Now()
	if err := os.Chtimes(file, now, now); err != nil {
		return fmt.Errorf("stamp %q: %w", name, err)
	}
	return nil
}

// Stamped tells when that was; false where it never was.
func (r *Repo) Stamped(name string) (time.Time, bool) {
	info, err := os.Stat(r.stampFile(name))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

func (r *Repo) stampFile(name string) string {
	return filepath.Join(r.commonDir, "okstra", "stamp-"+url.PathEscape(name))
}
