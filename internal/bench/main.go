// Command bench times git-okstra beside its peer in one run, whole processes in
// turn, and prints medians and the ratio. Figures in docs/benchmarks.md come from
// it:
//
//	go run ./internal/bench [-runs N] REPOSITORY
//	go run ./internal/bench [-runs N] scale
//
// REPOSITORY is cloned into a temporary folder first and never written to.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 3 && args[0] == "read" {
		return readOne(args[1], gitops.Hash(args[2]))
	}
	if len(args) == 2 && args[0] == "append" {
		return appendOne(ctx, args[1])
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	runs := flags.Int("runs", 7, "counted runs of each command")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.Arg(0) == "scale" {
		b, err := newBench(ctx, "", *runs)
		if err != nil {
			return err
		}
		return b.scale()
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("name one repository")
	}
	b, err := newBench(ctx, flags.Arg(0), *runs)
	if err != nil {
		return err
	}
	return b.all()
}

// readOne is the whole process that reads one object through the product's own
// reader, to be timed beside `git cat-file`.
func readOne(dir string, h gitops.Hash) error {
	data, err := gitops.ReadObjectIn(filepath.Join(dir, ".git", "objects"), h)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(data)
	return err
}

// bench is a temporary clone with an approved plan.
type bench struct {
	ctx  context.Context //nolint:containedctx // one run, one context
	root string
	repo string
	okst string
	self string
	runs int
}

func newBench(ctx context.Context, source string, runs int) (*bench, error) {
	root, err := os.MkdirTemp("", "git-okstra-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{ctx: ctx, root: root, repo: filepath.Join(root, "repo"), okst: filepath.Join(root, "git-okstra"), runs: runs}
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile("cmd/git-okstra/demo/plan.md")
	if err != nil {
		return nil, err
	}
	plan := filepath.Join(root, "plan.md") // a copy: approving it marks it
	if err := os.WriteFile(plan, text, 0o666); err != nil {
		return nil, err
	}
	if err := b.exec("", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.okst, "./cmd/git-okstra"); err != nil || source == "" {
		return b, err
	}
	for _, words := range [][]string{
		{"git", "clone", "-q", "--no-local", source, b.repo},
		{"git", "-C", b.repo, "config", "user.name", "Bench"},
		{"git", "-C", b.repo, "config", "user.email", "bench@example.org"},
	} {
		if err := b.exec("", words...); err != nil {
			return nil, err
		}
	}
	err = b.exec(b.repo, b.okst, "plan", "approve", plan, "--onto", b.branch())
	return b, err
}

// branch is the clone's branch.
func (b *bench) branch() string {
	out, err := exec.CommandContext(b.ctx, "git", "-C", b.repo, "symbolic-ref", "--short", "HEAD").Output()
	if err != nil {
		return "main"
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) exec(dir string, words ...string) error {
	cmd := exec.CommandContext(b.ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OKSTRA_HOME="+filepath.Join(b.root, "home"), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w: %s", words, err, out)
	}
	return nil
}

// side is one of the two commands of a pair; after tidies up, untimed.
type side struct {
	words, after []string
}

// compare runs both sides in turn and prints medians and the ratio.
func (b *bench) compare(what string, ours, peer side) error {
	var times [2][]time.Duration
	for i := range b.runs + 1 { // the first is a warm-up
		for j, s := range []side{ours, peer} {
			began := time.Now()
			if err := b.exec(b.repo, s.words...); err != nil {
				return err
			}
			if i > 0 {
				times[j] = append(times[j], time.Since(began))
			}
			for cmd := range slices.Chunk(s.after, max(1, len(s.after))) {
				if err := b.exec(b.repo, "sh", "-c", strings.Join(cmd, " && ")); err != nil {
					return err
				}
			}
		}
	}
	a, p := median(times[0]), median(times[1])
	fmt.Printf("| %s | %s | %s | %.2f |\n", what, a, p, float64(a)/float64(p))
	return nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2].Round(100 * time.Microsecond)
}

func (b *bench) all() error {
	fmt.Printf("| what | git-okstra | peer | ratio |\n|---|---|---|---|\n")
	blob, err := exec.CommandContext(b.ctx, "git", "-C", b.repo, "ls-tree", "-r", "--object-only", "HEAD").Output()
	if err != nil {
		return err
	}
	quick := *b
	quick.runs *= 10 // these take milliseconds
	if err := quick.compare("`plan check` of an ordinary plan, beside `git --version`",
		side{words: []string{b.okst, "plan", "check", filepath.Join(b.root, "plan.md")}}, side{words: []string{"git", "--version"}}); err != nil {
		return err
	}
	hash, _, _ := strings.Cut(string(blob), "\n")
	tree := filepath.Join(b.root, "peer-tree")
	err = b.compare("read one packed blob, beside `git cat-file blob`",
		side{words: []string{b.self, "read", b.repo, hash}}, side{words: []string{"git", "cat-file", "blob", hash}})
	if err == nil {
		err = b.compare("`stage list`, beside `git for-each-ref`",
			side{words: []string{b.okst, "stage", "list"}}, side{words: []string{"git", "for-each-ref"}})
	}
	if err == nil {
		err = b.compare("`stage next`, beside `git worktree add`",
			side{words: []string{b.okst, "stage", "next", "-q"}, after: []string{
				"git worktree remove --force " + filepath.Join(b.root, "home", "worktrees", "demo", "greeter", "HELLO-1", "stage-1"),
				b.okst + " stage release 1", "git branch -D feat-HELLO-1-s1",
			}},
			side{words: []string{"git", "worktree", "add", "-q", "-b", "peer", tree}, after: []string{
				"git worktree remove --force " + tree, "git branch -D peer",
			}})
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(b.root)
}
