package gitops

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

// readLoose reads a loose object from the first directory that has it.
func readLoose(dirs []string, h Hash, limit int64) (ObjectType, []byte, error) {
	for _, dir := range dirs {
		f, err := os.Open(filepath.Join(dir, string(h[:2]), string(h[2:])))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, fmt.Errorf("open loose object: %w", err)
		}
		kind, data, err := decodeLoose(f, h, limit)
		_ = f.Close()
		if err != nil {
			return "", nil, fmt.Errorf("read loose object: %w", err)
		}
		return kind, data, nil
	}
	return "", nil, errNotHere
}

// decodeLoose inflates one loose object and holds it against its name.
func decodeLoose(f io.Reader, h Hash, limit int64) (ObjectType, []byte, error) {
	r, err := objfile.NewReader(bufio.NewReader(f))
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	kind, size, err := r.Header()
	if err != nil {
		return "", nil, err
	}
	if size > limit {
		return "", nil, fmt.Errorf("inflate %d bytes: %w", size, ErrTooLarge)
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return "", nil, err
	}
	if int64(len(data)) != size {
		return "", nil, fmt.Errorf("%d bytes instead of %d", len(data), size)
	}
	if got := r.Hash().String(); got != string(h) {
		return "", nil, fmt.Errorf("hash is %q", got)
	}
	return ObjectType(kind.String()), data, nil
}
