// Package reconcile finds the work of done stages again where history was rewritten:
// by ancestry, else by content. It only looks; what was found is recorded by others.
//
// A stage's work is in a history if its done commit is, or if for each commit of its
// range there is one there that makes the same change, or if one commit or a run of
// commits makes the change of the whole range. Two changes are the same if git's stable
// patch id of their diffs without context is, if spaces, modes and binary content agree
// as well, and if the one, made again where the other was, gives the same files. So a
// match is never a guess; what cannot be proved is left to a person.
package reconcile
