// Package stage decides, from a plan and what is done and taken, which state
// each stage is in, which comes next, and why none does. It is pure: the same
// arguments give the same answers.
package stage
