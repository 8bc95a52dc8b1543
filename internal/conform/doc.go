// Package conform says what a diff touches: databases, files and processes, HTTP, or
// third parties' services. It is pure: a diff and rules in, touches out. The rules are
// data, see surfaces.yaml; docs/surfaces.md describes them for a user.
package conform

//go:generate lexers/update.sh
