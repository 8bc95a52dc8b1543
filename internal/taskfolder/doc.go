// Package taskfolder reads and writes the folder in which okstra keeps a task,
// .okstra/tasks/<group>/<task>: rows as JSON lines, evidence, the worktree registry
// and the approved report. Nothing documents that folder; docs/moving-in-and-out.md
// says what is read how. Folders are foreign: nothing outside of them is read or
// written, sizes are bounded, and what cannot be read is told and left out.
package taskfolder
