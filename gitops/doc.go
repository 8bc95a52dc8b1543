// Package gitops is the only door to git. It opens a repository, runs git with
// a controlled environment, reads and writes objects through go-git's decoder
// under a memory-mapped pack index, changes refs in `git update-ref` transactions,
// and fills worktrees. It knows no word of the plan.
//
// Which part of git does which job was measured; ARCHITECTURE.md has the table.
package gitops
