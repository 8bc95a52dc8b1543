//go:build !unix

package main

// watchSuspend has nothing to watch: nothing is suspended here.
func watchSuspend(func(stop func())) (release func()) { return func() {} }
