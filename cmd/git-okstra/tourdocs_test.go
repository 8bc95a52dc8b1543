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

// inGreeter is a tour that begins in a repository with the demo's plan.
func inGreeter(t *testing.T, page string) *tour {
	t.Helper()
	to := newTour(t, page)
	to.sh("git init -q -b main greeter && cd greeter")
	to.write("plan.md", string(demoPlan))
	to.sh("git add . && git commit -qm 'the plan'")
	return to
}

// TestReadme runs what the README shows, which stays short, and finds each command in it.
func TestReadme(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "../README.md")
	to.free = true
	to.walk(9)
	text := to.text.String()
	if n := strings.Count(text, "\n"); n > 130 {
		t.Errorf("%d lines", n)
	}
	all, _ := program(t)
	for _, leaf := range all.Leaves() {
		words := strings.Fields(leaf.Name)
		if !regexp.MustCompile("`(?:" + words[0] + " )?" + words[len(words)-1] + "`").MatchString(text) {
			t.Errorf("it has no %q", leaf.Name)
		}
	}
}

// TestParallelPage runs the page about several workers.
func TestParallelPage(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "agents-in-parallel.md")
	to.sh("git okstra plan approve -q plan.md && git commit -qam approved && git config core.excludesFile ~/.gitignore && echo worker.sh >~/.gitignore")
	to.walk(15)
}

// TestPlanPages runs the pages about a plan's form and about writing one; the whole plan
// of the first is the second's.
func TestPlanPages(t *testing.T) {
	t.Parallel()
	form := newTour(t, "plan-format.md")
	form.sh("git init -q -b main shop && cd shop")
	form.walk(2)
	whole, err := os.ReadFile(filepath.Join(form.dir, "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	to := newTour(t, "writing-a-plan.md")
	to.sh("git init -q -b main shop && cd shop && git commit -q --allow-empty -m start")
	to.write("good.md", string(whole))
	to.walk(14)
}

// TestCIPage runs the page about CI in a clone, and holds what the workflows do to what is
// run there.
func TestCIPage(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "ci.md")
	to.sh("git okstra plan approve -q plan.md && git commit -qam approved && cd .. && git init -q --bare hub.git && cd greeter && " +
		"git remote add origin ../hub.git && git push -q origin main && git okstra sync -q && cd .. && git clone -q -b main hub.git ci && cd ci")
	to.walk(7)
	fetches := regexp.MustCompile(`git fetch (?:-q )?(origin .*)`).FindAllStringSubmatch(to.text.String(), -1)
	for _, f := range fetches {
		if f[1] != fetches[0][1] {
			t.Errorf("the workflows fetch %s and %s", fetches[0][1], f[1])
		}
	}
	if len(fetches) != 3 {
		t.Errorf("%d fetches", len(fetches))
	}
}

// TestExitCodesPage runs the page about exit codes, of which it shows 0 to 4.
func TestExitCodesPage(t *testing.T) {
	t.Parallel()
	inGreeter(t, "exit-codes.md").walk(8)
}

// TestStoragePage runs the page about refs and notes.
func TestStoragePage(t *testing.T) {
	t.Parallel()
	to := inGreeter(t, "storage.md")
	to.sh("git okstra plan approve -q plan.md && cd \"$(git okstra stage next --print-path)\" && git commit -q --allow-empty -m work && " +
		"git okstra stage done -q && git okstra stage next -q && cd ~/greeter")
	to.walk(7)
}

// TestSecurityPage: the scripts that the page gives as proof are there.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, list := range regexp.MustCompile("\\((`[a-z_]+`(?:,\\s+`[a-z_]+`)*)\\)").FindAllStringSubmatch(string(text), -1) {
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(list[1], -1) {
			named++
			if _, err := os.Stat(filepath.Join("testdata", "script", m[1]+".txtar")); err != nil {
				t.Error(err)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d scripts", named)
	}
}

// TestTutorial runs the tutorial: a first plan, from nothing to a verdict.
func TestTutorial(t *testing.T) {
	t.Parallel()
	newTour(t, "tutorial.md").walk(25)
}
