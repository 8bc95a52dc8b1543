// Command git-okstra builds features from an approved plan, one stage a
// worktree, with all state in refs and notes. It is run as `git okstra`.
package main

import (
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
