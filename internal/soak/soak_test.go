package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyProcesses drives about 2,000 transitions by 2, 8 and 32 processes at once,
// beside git's maintenance, a fetching clone and stock readers: nothing may be lost,
// nothing be there twice. `go run ./internal/soak` does the same for hours.
func TestManyProcesses(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "git-okstra")
	if err := build(t.Context(), binary); err != nil {
		t.Fatal(err)
	}
	for _, size := range []struct{ procs, transitions int }{{2, 800}, {8, 900}, {32, 300}} {
		t.Run(fmt.Sprint(size.procs), func(t *testing.T) {
			if testing.Short() {
				size.transitions /= 20
			}
			sum := newFigures()
			for round := 0; sum.transitions() < size.transitions && sum.faults() == 0; round++ {
				err := soak(t.Context(), options{
					Dir: filepath.Join(t.TempDir(), fmt.Sprint(round)), Binary: binary, Procs: size.procs,
					Seed: uint64(round), Most: size.transitions - sum.transitions(), Sum: sum, //nolint:gosec // small
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			sum.print(&out)
			if t.Log(&out); sum.faults() > 0 {
				t.Fail()
			}
		})
	}
}

// TestReplay: the check itself sees what it is there for.
func TestReplay(t *testing.T) {
	for rows, want := range map[string]string{
		"":                      "",
		"started 1 a, done 1 a": "",
		"started 1 a, started 2 b, released 1 a, started 1 c, done 1 c": "",
		"started 1 a, taken-over 1 b, started 2 c, done 1 b":            "",
		"taken-over 1 a":                        `stage 1 is held by "" and taken over by a (row 1)`,
		"started 1 a, taken-over 1 b, done 1 a": `stage 1 is held by "b" and done by a (row 3)`,
		"started 1 a, started 1 b":              "stage 1 is held by a and started by b (row 2)",
		"started 1 a, released 1 b":             `stage 1 is held by "a" and released by b (row 2)`,
		"done 1 a":                              `stage 1 is held by "" and done by a (row 1)`,
		"started 1 a, done 1 a, started 1 b":    "stage 1 is done, then started (row 3)",
		"started 1 a, again":                    "row id-1 stands twice",
		"started 1 a, gap":                      "row 2 has seq 3",
	} {
		var list []row
		for text := range strings.SplitSeq(rows, ", ") {
			n := len(list) + 1
			r := row{Seq: n, ID: fmt.Sprintf("id-%d", n)}
			switch text {
			case "":
				continue
			case "again":
				r.ID, r.Status, r.Stage, r.Claim = "id-1", "started", 2, "b"
			case "gap":
				r.Seq, r.Status, r.Stage, r.Claim = 3, "started", 2, "b"
			default:
				if _, err := fmt.Sscan(text, &r.Status, &r.Stage, &r.Claim); err != nil {
					t.Fatal(err)
				}
			}
			list = append(list, r)
		}
		var got []string
		holder, done, count := replay(list, func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) })
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", rows, got, want)
		}
		if strings.HasSuffix(rows, "done 1 c") && (len(holder) != 1 || holder[2] != "b" || len(done) != 1 || count[event{1, "started"}] != 2) {
			t.Errorf("%s: %v, %v, %v", rows, holder, done, count)
		}
	}
}
