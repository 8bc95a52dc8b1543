package gitops

import (
	"crypto/sha1" //nolint:gosec // git's own format; nothing is trusted because of it
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// hashObject computes the id of an object.
func hashObject(useSHA256 bool, kind ObjectType, data []byte) Hash {
	var sum hash.Hash = sha1.New() //nolint:gosec // as above
	if useSHA256 {
		sum = sha256.New()
	}
	head := append([]byte(kind), ' ')
	head = append(strconv.AppendInt(head, int64(len(data)), 10), 0)
	sum.Write(head)
	sum.Write(data)
	return Hash(hex.EncodeToString(sum.Sum(nil)))
}
