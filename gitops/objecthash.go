package gitops

import (
	"crypto/sha1" //nolint:gosec // git's own format; nothing is trusted because of it
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

func newHash(useSHA256 bool) hash.Hash {
	if useSHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's own format
}

// hashObject computes the id of an object.
func hashObject(useSHA256 bool, kind ObjectType, data []byte) Hash {
	sum := newHash(useSHA256)
	head := append([]byte(kind), ' ')
	head = append(strconv.AppendInt(head, int64(len(data)), 10), 0)
	sum.Write(head)
	sum.Write(data)
	return Hash(hex.EncodeToString(sum.Sum(nil)))
}
