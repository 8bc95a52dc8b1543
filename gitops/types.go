package gitops

import (
	"errors"
	"fmt"
)

// Hash is an object id: lower-case hexadecimal, 40 digits (SHA-1) or 64 (SHA-256).
// The empty Hash means "no object" (an absent ref, an empty tree slot).
type Hash string

// Short returns the first 10 digits, for people.
func (h Hash) Short() string {
	if len(h) <= 10 {
		return string(h)
	}
	return string(h[:10])
}

// Valid reports whether h is a whole, lower-case object id of either format.
func (h Hash) Valid() bool {
	if len(h) != 40 && len(h) != 64 {
		return false
	}
	for _, c := range []byte(h) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// RefName is a full ref name, such as refs/heads/main.
type RefName string

// ObjectType is one of git's four object types, as cat-file prints it.
type ObjectType string

// The four object types.
const (
	TypeBlob   ObjectType = "blob"
	TypeTree   ObjectType = "tree"
	TypeCommit ObjectType = "commit"
	TypeTag    ObjectType = "tag"
)

// Mode is a tree entry's mode, in git's own octal form.
type Mode uint32

// The modes that git writes into trees.
const (
	ModeTree    Mode = 0o040000
	ModeFile    Mode = 0o100644
	ModeExec    Mode = 0o100755
	ModeSymlink Mode = 0o120000
	ModeGitlink Mode = 0o160000
)

// TreeEntry is one entry of a tree. Name is the entry's own name in a tree and
// the whole slash-separated path in a flattened one; raw bytes, any encoding.
type TreeEntry struct {
	Name string
	Mode Mode
	Hash Hash
}

// ErrMissing is the sentinel for an object that the repository does not have.
var ErrMissing = errors.New("object missing")

// MissingError names the object that is not there; it matches ErrMissing.
type MissingError struct{ Hash Hash }

func (e *MissingError) Error() string { return fmt.Sprintf("object %s missing", e.Hash) }

// Is makes errors.Is(err, ErrMissing) true.
func (e *MissingError) Is(target error) bool { return target == ErrMissing }
