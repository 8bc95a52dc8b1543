// Package notes is the log of a task: rows of JSON Lines in git notes under
// refs/notes/okstra/<project>/<group>/<task>. A row stands on the commit it
// speaks of. Rows are only ever added; lines that are not rows are kept as they
// are. Stock git reads all of it.
package notes
