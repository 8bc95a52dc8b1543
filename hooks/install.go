package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// RefusedError is why a hook's file is not touched, with what to do instead.
type RefusedError struct {
	Message string
	Hints   []string
}

func (e *RefusedError) Error() string { return e.Message }

func refused(hint, format string, args ...any) error {
	return &RefusedError{Message: fmt.Sprintf(format, args...), Hints: []string{hint}}
}

// Done is what was done to a hook's file.
type Done string

// What an install or an uninstall does to one hook.
const (
	Installed Done = "installed"
	Chained   Done = "chained" // installed, and what was there runs first
	Renewed   Done = "renewed"
	Present   Done = "present"
	Removed   Done = "removed"
	Restored  Done = "restored" // removed, and what was there before is back
	Nothing   Done = "absent"
)

// MayInstall tells why a hook's script cannot be put where the hook's file is; nil where
// it can. Errors: *RefusedError.
func (f Folder) MayInstall(h Hook) error {
	byHand := "add this line to it yourself: " + sharedLine(h.Name, `"$@"`)
	switch {
	case h.State == Blocked:
		return refused("see what it is for, and move it away", "%q is a folder", h.Path)
	case h.State == Edited:
		return refused("take your lines out of it first, into a hook of your own", "%q is ours, but somebody has written into it", h.Path)
	case h.State == Foreign && h.Kept != "":
		return refused("see which of the two you want, and remove the other", "%q is not ours, and %q is there from an earlier install", h.Path, h.Kept)
	case h.State == Foreign && h.asksItsName():
		return refused(byHand, "%q asks for its own name, so it cannot be kept under another one", h.Path)
	}
	return nil
}

// Install puts the script for a hook into place. A hook that was there keeps every byte
// under another name. dir is the program's folder. Each step is one rename: killed in
// between, the hook that was there is either still in place or kept, and the same
// install finishes.
func (f Folder) Install(h Hook, dir string) (Done, error) {
	clearBeside(h.Path)
	h, err := f.Look(h.Name) // another install may have been there meanwhile
	if err != nil {
		return "", err
	}
	if err := f.MayInstall(h); err != nil {
		return "", err
	}
	s := script{name: h.Name, dir: dir, made: h.made}
	if h.State == Ours && h.Runs && h.text == s.String() {
		return Present, nil
	}
	if _, err := os.Stat(f.Path); errors.Is(err, fs.ErrNotExist) {
		s.made = true
		if err := os.MkdirAll(f.Path, 0o777); err != nil {
			return "", err
		}
	}
	if h.State == Absent && !s.made && f.madeByUs() {
		s.made = true
	}
	temp, err := writeBeside(h.Path, s.String(), 0o777)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temp) }() // gone by then, unless something failed
	done := Installed
	switch {
	case h.State == Foreign:
		if err := os.Rename(h.Path, KeptOf(h.Path)); err != nil {
			return "", err
		}
		done = Chained
	case h.State != Absent:
		done = Renewed
	case h.Kept != "": // an install that was cut short
		done = Chained
	}
	return done, os.Rename(temp, h.Path)
}

// madeByUs reports whether the folder was made by an install: one of our scripts says so.
func (f Folder) madeByUs() bool {
	for _, name := range append(Names(), OptIn()...) {
		if h, err := f.Look(name); err == nil && h.made {
			return true
		}
	}
	return false
}

// Uninstall takes the script away and puts back what was there before. Errors:
// *RefusedError where something else stands there now.
func (f Folder) Uninstall(h Hook) (Done, error) {
	clearBeside(h.Path)
	h, err := f.Look(h.Name)
	if err != nil {
		return "", err
	}
	switch {
	case h.State == Edited:
		return "", refused("remove the file, or your lines in it, yourself", "%q is ours, but somebody has written into it", h.Path)
	case h.State == Foreign && h.Kept != "":
		return "", refused("see which of the two you want, and remove the other",
			"%q took our hook's place; what was there before is in %q", h.Path, h.Kept)
	case h.State == Blocked && h.Kept != "":
		return "", refused("move it away, and uninstall again", "%q is a folder; what was there before is in %q", h.Path, h.Kept)
	case h.State == Foreign, h.State == Blocked, h.State == Absent && h.Kept == "":
		return Nothing, nil
	case h.Kept != "":
		return Restored, os.Rename(h.Kept, h.Path)
	}
	if err := os.Remove(h.Path); err != nil {
		return "", err
	}
	if h.made && !f.madeByUs() {
		err := os.Remove(f.Path) // no further than that, and only if it is empty
		if entries, readErr := os.ReadDir(f.Path); err != nil && readErr == nil && len(entries) == 0 {
			return "", err
		}
	}
	return Removed, nil
}
