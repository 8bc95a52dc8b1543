// Package remote exchanges the state of tasks with another repository: it fetches
// the remote's refs into a namespace of their own, merges them with ours by the table of
// storage.md §5, and pushes what the remote lacks, each ref with its expected value. The
// merge itself is a pure function of refs and rows. Both sides are at every moment in a
// state that the next sync, from whichever clone, can go on from.
package remote
