package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"git-okstra/gitops"
)

// ended waits until a process whose number is in a file has ended.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FILE")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	for range 200 {
		if gitops.ProcessEnded(pid, "") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("process %d still runs", pid)
}
