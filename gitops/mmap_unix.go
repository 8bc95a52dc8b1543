//go:build unix

package gitops

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a whole file read-only. The mapping outlives the file's name, so
// a pack that a gc beside us unlinks stays readable until unmapFile.
func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("stat: %w", err)
	}
	if info.Size() == 0 || info.Size() > math.MaxInt {
		return nil, fmt.Errorf("map %q: size %d", path, info.Size())
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %q: %w", path, err)
	}
	return data, nil
}

// unmapFile ends a mapping made by mapFile.
func unmapFile(data []byte) error { return unix.Munmap(data) }
