//go:build unix

package workspace

import "syscall"

// pipe makes a named pipe in the main worktree.
func (w *world) pipe(name string) { w.must(syscall.Mkfifo(w.path(name), 0o666)) }
