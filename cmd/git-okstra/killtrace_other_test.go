//go:build !linux || !amd64

package main

// canTrace says that there is no tracer here: only the calls of git are killed.
const canTrace = false

// traceMain and watchCalls are for the tracer.
func traceMain() {}

func watchCalls() {}
