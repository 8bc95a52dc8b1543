// Package hooks is about git's hooks: how ours come into place beside those of others and
// go again, and what is staged, pushed or rewritten when git calls one.
package hooks
