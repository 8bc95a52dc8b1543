// Package verify judges whether a task, or one stage of it, is in a state that can be
// verified: what is missing is gathered whole, in the order of the checks.
package verify
