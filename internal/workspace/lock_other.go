//go:build !unix

package workspace

import "context"

// lockDir has no folder lock here; git's own checks remain.
func lockDir(context.Context, string) (func(), error) { return func() {}, nil }
