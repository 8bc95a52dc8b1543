// Package chain runs stages of a plan one after the other, or side by side, through
// any worker: a command that gets a brief and leaves commits. It decides what may run
// when ([Queue.Pick], a pure function), runs the workers so that what a kill leaves
// behind can be found and ended, and tells of it in events. Taking, ending and landing
// a stage is done by the [Desk] that the command hands in.
package chain
