// Package house has no code, only tests that hold the house's own rules: which room
// may import what (the table in ARCHITECTURE.md), how long files and functions may
// be, that what is exported is explained, that nothing of one person's machine gets
// into the repository, and that install.sh does what it says.
//
// A new package gets a line in the table in layers_test.go; a new library one in
// the table below it.
package house
