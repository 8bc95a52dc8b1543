// Package workspace gives a stage its worktree: where it stands, how it is
// filled (copied from a clean sibling where that is provably the same, by git
// where not), and how a half-made one is undone.
package workspace
