package gitops

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// encodeIndex writes an index of version 2, its entries in git's order.
func encodeIndex(to io.Writer, entries []IndexEntry) error {
	byName := func(a, b IndexEntry) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(entries, byName) {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, byName)
	}
	if int64(len(entries)) > math.MaxUint32 {
		return fmt.Errorf("%d paths are too many for an index", len(entries))
	}
	sum := sha1.New() //nolint:gosec // as above
	w := bufio.NewWriterSize(io.MultiWriter(to, sum), 256<<10)
	buf := append(make([]byte, 0, 4096), "DIRC\x00\x00\x00\x02"...)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(entries)))
	for i := range entries {
		if _, err := w.Write(buf); err != nil {
			return err
		}
		var err error
		if buf, err = entries[i].encode(buf[:0]); err != nil {
			return err
		}
	}
	if _, err := w.Write(buf); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := to.Write(sum.Sum(nil))
	return err
}

// encode appends one entry. Where the file is not known its stat data are zero, which
// no file's are.
func (e *IndexEntry) encode(b []byte) ([]byte, error) {
	var s Stat
	var times [4]uint32
	if e.Known {
		s = e.Stat
		for i, t := range []time.Time{e.CTime, e.MTime} {
			if t.Unix() < 0 || t.Unix() > math.MaxUint32 {
				return nil, fmt.Errorf("time of %q does not fit into an index", e.Name)
			}
			times[2*i], times[2*i+1] = uint32(t.Unix()), uint32(t.Nanosecond())
		}
	}
	for _, v := range []uint32{times[0], times[1], times[2], times[3], s.Dev, s.Ino, uint32(e.TreeEntry.Mode), s.UID, s.GID, s.Size} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	id, err := hex.AppendDecode(b, []byte(e.Hash))
	if err != nil || len(id) != len(b)+sha1Len {
		return nil, fmt.Errorf("id %q of %q does not fit into an index", e.Hash, e.Name)
	}
	b = binary.BigEndian.AppendUint16(id, uint16(min(len(e.Name), indexNameLen)))
	size := len(b) + len(e.Name)
	b = append(b, e.Name...)
	return append(b, make([]byte, (size+8)&^7-size)...), nil
}
