package main

import (
	"fmt"

	"git-okstra/plan"
)

// stillHeld says, with what went wrong, that the stage is the caller's all the same, and
// how to try its worktree again.
func stillHeld(err error, n plan.StageNumber) error {
	e := *classify(err)
	e.hints = append(e.hints, fmt.Sprintf("stage %d stays reserved; try again with: git okstra stage start %d --resume", n, n))
	return &e
}
