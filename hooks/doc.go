// Package hooks is what git's hooks call: one function a hook, which gets the hook's
// arguments and input as git gave them.
package hooks
