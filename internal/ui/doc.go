// Package ui asks a person at a terminal. A question and all that is said about it goes
// to standard error, so that standard output stays data: a prompt never mixes with what
// a script reads. Where there is no terminal the caller says so and asks nothing.
package ui
