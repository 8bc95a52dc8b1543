//go:build !unix

package gitops

import "io/fs"

// ownFile cannot tell here.
func ownFile(fs.FileInfo) bool { return false }
