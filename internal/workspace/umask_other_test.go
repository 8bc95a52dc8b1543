//go:build !unix

package workspace

// umask does nothing where files have no permissions to take away.
func umask(int) {}
