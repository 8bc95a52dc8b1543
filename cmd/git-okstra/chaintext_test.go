package main

import (
	"testing"

	"git-okstra/internal/lifecycle"
)

// TestOccupied: who holds a stage is named in one line, and a run only where there is one.
func TestOccupied(t *testing.T) {
	for want, r := range map[string]lifecycle.Reservation{
		"stage 3 is taken by Ada on host h":               {By: "Ada", Host: "h"},
		"stage 3 is taken by Ada on host h (run r2)":      {By: "Ada", Host: "h", Run: "r2"},
		`stage 3 is taken by A\x1b on host h\n (run r\t)`: {By: "A\x1b", Host: "h\n", Run: "r\t"},
	} {
		if got := occupied(3, r).Message; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
