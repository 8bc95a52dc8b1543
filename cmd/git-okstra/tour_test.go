package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

// tour runs a page from its first block to its last, as a reader would who types all of
// it at one prompt. A console block has commands and what they print, on both streams; a
// command fails where it prints a line "error: …", and only there, unless the page catches
// that (" || ") or does not wait for it (" & "). A block behind the comment "<!-- file: NAME -->" is written to that file.
// Hashes, times and the home folder are not compared. With -update, what is printed now
// takes the place of what does not fit.
type tour struct {
	t    *testing.T
	page string
	dir  string // where the prompt is
	home string
	env  []string
	text strings.Builder // the page as it would be now
	ran  int
	free bool // the page may have blocks that are not run
}

// newTour is somebody in an empty folder, with a home of his own.
func newTour(t *testing.T, page string) *tour {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("its commands are for a shell")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	to := &tour{t: t, page: "../../docs/" + page, dir: filepath.Join(dir, "home"), home: filepath.Join(dir, "home")}
	if err := os.Mkdir(to.home, 0o777); err != nil {
		t.Fatal(err)
	}
	to.env = append(testrepo.Env(t), "HOME="+to.home, "GIT_CEILING_DIRECTORIES="+dir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		to.env = append(to.env, "GIT_"+who+"_NAME=Ada", "GIT_"+who+"_EMAIL=ada@example.org")
	}
	return to
}

// sh runs commands that the page does not show.
func (to *tour) sh(command string) {
	to.t.Helper()
	if out, err := to.run(command); err != nil {
		to.t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// run runs one command, and is afterwards where the command has gone.
func (to *tour) run(command string) (string, error) {
	cmd := exec.CommandContext(to.t.Context(), "sh", "-c", command+"\ncode=$?; pwd >\"$HOME/.at\"; exit $code")
	cmd.Dir, cmd.Env = to.dir, slices.Clone(to.env)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if at, readErr := os.ReadFile(filepath.Join(to.home, ".at")); readErr == nil {
		to.dir = strings.TrimSpace(string(at))
	}
	return strings.ReplaceAll(out.String(), to.home, "~"), err
}

// varies are the parts of an output that are others each time.
var varies = regexp.MustCompile(`\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b|\b[0-9a-f]{7}\b|\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ|\b\d+\.\d+s\b|on host [^\s]+`)

// fits compares what a page has with what was printed.
func fits(want, got string) bool {
	return matches(varies.ReplaceAllString(want, "…"), got)
}

// walk runs the page; it has to have so many commands at least, and no block that is
// neither run nor written.
func (to *tour) walk(least int) {
	to.t.Helper()
	text, err := os.ReadFile(to.page)
	if err != nil {
		to.t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		to.text.WriteString(lines[i])
		kind, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "```")
		if !ok {
			continue
		}
		end := i + 1 + slices.IndexFunc(lines[i+1:], func(l string) bool { return strings.HasPrefix(l, "```") })
		block := lines[i+1 : end]
		name, isFile := strings.CutPrefix(strings.TrimSpace(lines[max(i-1, 0)]), "<!-- file: ")
		switch {
		case isFile:
			to.write(strings.TrimSuffix(name, " -->"), strings.Join(block, ""))
			to.text.WriteString(strings.Join(block, ""))
		case kind == "console":
			to.console(block)
		default:
			if !to.free {
				to.t.Errorf("%s:%d: a block that nobody runs", to.page, i+1)
			}
			to.text.WriteString(strings.Join(block, ""))
		}
		to.text.WriteString(lines[end])
		i = end
	}
	if to.ran < least {
		to.t.Errorf("only %d commands", to.ran)
	}
	if *update && to.text.String() != string(text) {
		if err := os.WriteFile(to.page, []byte(to.text.String()), 0o666); err != nil {
			to.t.Fatal(err)
		}
	}
}

func (to *tour) write(name, text string) {
	to.t.Helper()
	path := filepath.Join(to.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		to.t.Fatal(err)
	}
	mode := os.FileMode(0o666)
	if strings.HasPrefix(text, "#!") {
		mode = 0o777
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		to.t.Fatal(err)
	}
}

// failing is how a page shows that a command fails.
var failing = regexp.MustCompile(`(?m)^error: `)

// console runs the commands of a block. A line that ends with a backslash goes on.
func (to *tour) console(block []string) {
	to.t.Helper()
	for i := 0; i < len(block); {
		command := block[i]
		for i++; strings.HasSuffix(command, "\\\n"); i++ {
			command += block[i]
		}
		from := i
		for i < len(block) && !strings.HasPrefix(block[i], "$ ") {
			i++
		}
		want := strings.Join(block[from:i], "")
		got, err := to.run(strings.TrimPrefix(command, "$ "))
		to.ran++
		to.text.WriteString(command)
		caught := strings.Contains(command, " || ") || strings.Contains(command, " & ")
		if !caught && (err != nil) != failing.MatchString(got) {
			to.t.Errorf("%s: $ %s: %v\n%s", to.page, command, err, got)
		}
		if fits(want, got) {
			to.text.WriteString(want)
			continue
		}
		to.text.WriteString(got)
		if !*update {
			to.t.Errorf("$ %s%s\nthe page has\n%s", command, got, want)
		}
	}
}
