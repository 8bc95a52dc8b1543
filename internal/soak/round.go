package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// options say how one round is driven.
type options struct {
	Dir    string // made by the round, removed where nothing was wrong
	Binary string
	Procs  int
	Seed   uint64
	Most   int // transitions, 0: until all stages are done
	Sum    *figures
}

// round is one repository with one task, from its first start to the last done.
type round struct {
	options
	stages int
	repo   string
	clone  string // that fetches from repo
	env    []string

	mu     sync.Mutex
	plans  int         // revisions so far
	holder map[int]int // stage to worker, from its start to the call that ends it
	said   map[event]int
	count  int
}

// event is a transition of a stage that a process reported as done.
type event struct {
	stage  int
	status string
}

const (
	taskRef  = "refs/okstra/soak/load/task"
	notesRef = "refs/notes/okstra/soak/load/task"
	works    = 8 // commits that stages end at, made beforehand
)

// build makes the command as it is installed.
func build(ctx context.Context, binary string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "git-okstra/cmd/git-okstra")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return nil
}

// soak drives one round and checks it. Faults go into the figures; an error is
// something that kept it from running.
func soak(ctx context.Context, o options) error {
	r := &round{options: o, stages: max(12, 2*o.Procs), holder: map[int]int{}, said: map[event]int{}}
	if err := r.prepare(); err != nil {
		return err
	}
	quiet, cancel := context.WithCancel(context.Background())
	var beside, workers sync.WaitGroup
	for _, loop := range besides {
		beside.Go(func() { r.loop(quiet, loop) })
	}
	for i := range o.Procs {
		workers.Go(func() { r.work(ctx, i+1) })
	}
	workers.Wait()
	cancel()
	beside.Wait()
	before := o.Sum.faults()
	r.check()
	o.Sum.add(&o.Sum.rounds, 1)
	if o.Sum.faults() > before {
		return nil // the folder stays for as long as the program's own does
	}
	return os.RemoveAll(o.Dir)
}

// prepare makes the repository, with the commits that stages will end at: a commit
// made beside `git gc --prune=now` can lose its objects to it, which is git's own.
func (r *round) prepare() error {
	r.repo, r.clone = filepath.Join(r.Dir, "repo"), filepath.Join(r.Dir, "clone")
	home := filepath.Join(r.Dir, "home")
	for _, dir := range []string{r.repo, home} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	config := "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[okstra]\n\tlease = 1h\n[user]\n\tname = Soak\n\temail = soak@example.com\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o666); err != nil {
		return err
	}
	r.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + r.Dir, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"TMPDIR=" + os.TempDir(), "OKSTRA_HOME=" + filepath.Join(r.Dir, "okstra"),
	}
	if err := os.WriteFile(filepath.Join(r.repo, "plan.md"), planText(r.stages, 0), 0o666); err != nil {
		return err
	}
	script := "init -q -b main|add .|commit -qm start|okstra plan approve plan.md -q|commit -qam approved"
	for i := range works {
		script += fmt.Sprintf("|commit -q --allow-empty -m work-%d|update-ref refs/soak/work-%d HEAD|reset -q --hard HEAD~1", i, i)
	}
	script += "|clone -q --bare . " + r.clone
	for line := range strings.SplitSeq(script, "|") {
		words := strings.Fields(line)
		if words[0] == "okstra" {
			if o := r.okstra(r.repo, words[1:]...); o.code != 0 {
				return fmt.Errorf("prepare: %s", o)
			}
			continue
		}
		if out, err := r.git(context.Background(), words...); err != nil {
			return fmt.Errorf("prepare: git %s: %w\n%s", line, err, out)
		}
	}
	return nil
}

// outcome is how one process of the command ended.
type outcome struct {
	args     []string
	code     int
	out, err string
}

func (o outcome) String() string {
	return fmt.Sprintf("%q: exit %d\n%s%s", o.args, o.code, o.out, o.err)
}

// okstra runs one process of the command.
func (r *round) okstra(dir string, args ...string) outcome {
	var out, errOut bytes.Buffer
	cmd := exec.Command(r.Binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, r.env, &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{args, -1, "", err.Error()}
	}
	return outcome{args, cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
}

// git runs stock git in the repository and returns both of its outputs.
func (r *round) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = r.repo, r.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
