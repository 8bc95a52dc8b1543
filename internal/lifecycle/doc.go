// Package lifecycle changes the state of a task: it approves plans, reserves
// stages, ends them and gives them back. Each change is one ref transaction with
// the row that records it; a lost race is read anew and tried again, or reported
// with the winner's name.
package lifecycle
