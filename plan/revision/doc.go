// Package revision compares two revisions of a plan: stage by stage, as a worker
// of a stage is concerned by it, and word by word, as a reader sees it. It is the
// home of go-diff.
package revision
