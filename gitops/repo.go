package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Options say where and how a repository is opened.
type Options struct {
	Dir   string     // where the caller stands; "" is the working folder
	Env   []string   // the caller's environment; nil is os.Environ()
	Trace func(Call) // told of every git process; may be nil
}

// Repo is an open repository, seen from the folder it was opened in. It is safe
// for use by several goroutines. Close it to end its helper process.
type Repo struct {
	runner
	dir       string // the caller's folder
	env       []string
	gitDir    string // absolute: of this worktree
	commonDir string // absolute: shared by all worktrees
	workTree  string // absolute; "" where the caller stands in no work tree
	format    string // sha1 or sha256
	bare      bool
	shallow   bool
	config    Config
	objects   *objectStore
}

// oneByOne lets one call at a time be told.
func oneByOne(trace func(Call)) func(Call) {
	if trace == nil {
		return nil
	}
	var mu sync.Mutex
	return func(c Call) {
		mu.Lock()
		defer mu.Unlock()
		trace(c)
	}
}

// ErrNotRepository is the sentinel for a folder that no repository holds.
var ErrNotRepository = errors.New("not inside a git repository")

// ErrGitTooOld is the sentinel for a git older than the tool can work with.
var ErrGitTooOld = errors.New("this git is too old: git 2.34 or newer is needed")

var errNoGit = errors.New("git is not on PATH")

// separator divides the answers of one rev-parse call: it echoes options that it
// does not know, so that even a path with newlines in it reads back whole.
const separator = "--okstra-separator"

// Open finds the repository around opts.Dir exactly as git does, with two git
// processes: one for the facts of the place, one for the configuration.
// Errors: ErrNotRepository, ErrGitTooOld, or git's own refusal (*GitError).
func Open(ctx context.Context, opts Options) (*Repo, error) {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	r := &Repo{runner: runner{env: opts.Env, trace: oneByOne(opts.Trace)}, dir: opts.Dir, env: baseEnv(opts.Env)}
	// Neither call needs the other's answer; together they take the time of one.
	var configErr error
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		r.config, configErr = r.readConfig(ctx, r.here())
	}()
	err := r.discover(ctx)
	<-asked
	if err == nil {
		err = configErr
	}
	if err != nil {
		return nil, err
	}
	r.objects = newObjectStore(r.objectConfig())
	return r, nil
}

func (r *Repo) readConfig(ctx context.Context, p place) (Config, error) {
	out, err := r.run(ctx, p, nil, "config", "-z", "--list", "--show-scope")
	if err != nil {
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	return parseConfig(out, r.Home()), nil
}

// discover asks git for the facts of the place.
func (r *Repo) discover(ctx context.Context) error {
	out, err := r.run(ctx, r.here(), nil, "rev-parse", "--path-format=absolute", "--show-object-format",
		"--is-bare-repository", "--is-inside-work-tree", "--is-shallow-repository",
		separator, "--git-dir", separator, "--git-common-dir", separator, "--show-toplevel")
	if errors.Is(err, exec.ErrNotFound) {
		return errNoGit
	}
	parts := strings.Split(string(out), separator+"\n")
	if err != nil && len(parts) < 4 {
		return r.whyNot(ctx, err)
	}
	if len(parts) < 4 || strings.HasPrefix(parts[0], "--path-format") {
		return ErrGitTooOld
	}
	flags := strings.Fields(parts[0])
	if len(flags) != 4 {
		return ErrGitTooOld
	}
	r.format, r.bare, r.shallow = flags[0], flags[1] == "true", flags[3] == "true"
	r.gitDir, r.commonDir = strings.TrimSuffix(parts[1], "\n"), strings.TrimSuffix(parts[2], "\n")
	if flags[2] == "true" {
		r.workTree = strings.TrimSuffix(parts[3], "\n")
	}
	return nil
}

// whyNot tells a folder outside every repository from a repository that git
// refuses to read (foreign owner, broken config, unknown extension).
func (r *Repo) whyNot(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r.anyGitDirAbove() || r.lookupEnv("GIT_DIR") != "" {
		return fmt.Errorf("open repository: %w", err)
	}
	return ErrNotRepository
}

// anyGitDirAbove reports whether something named .git, or what looks like a git
// directory itself, stands where git looks for one: at the caller's folder and
// above it, up to GIT_CEILING_DIRECTORIES.
func (r *Repo) anyGitDirAbove() bool {
	dir, err := filepath.Abs(r.dir)
	if err != nil {
		return false
	}
	ceilings := filepath.SplitList(r.lookupEnv("GIT_CEILING_DIRECTORIES"))
	for {
		if exists(dir, ".git") || exists(dir, "HEAD") && exists(dir, "objects") {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir || slices.Contains(ceilings, parent) {
			return false
		}
		dir = parent
	}
}

func exists(elem ...string) bool {
	_, err := os.Lstat(filepath.Join(elem...))
	return err == nil
}

// Home returns the caller's home folder, "" where there is none.
func (r *Repo) Home() string {
	if home := r.lookupEnv("HOME"); home != "" || runtime.GOOS != "windows" {
		return home
	}
	return r.lookupEnv("USERPROFILE")
}

func (r *Repo) lookupEnv(name string) string {
	v, _ := r.variable(name)
	return v
}

// variable is one of the environment's, and whether it is set at all.
func (r *Repo) variable(name string) (value string, set bool) {
	for i := len(r.env) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(r.env[i], "="); k == name {
			return v, true
		}
	}
	return "", false
}

// here is the caller's own place, with all of git's variables as given.
func (r *Repo) here() place { return place{dir: r.dir, env: r.env} }

// common is the shared git directory, bound to no worktree: ref transactions run
// there, so that they never lock a worktree's HEAD.
func (r *Repo) common() place {
	env := append(without(r.env, bindingVars), "GIT_DIR="+r.commonDir)
	return place{dir: r.commonDir, env: env}
}

// at is another worktree of the repository: its .git file binds git to it.
func (r *Repo) at(worktree string) place {
	return place{dir: worktree, env: without(r.env, bindingVars)}
}

// objectConfig says how objects of this repository are read and written.
func (r *Repo) objectConfig() objectConfig {
	return objectConfig{
		Dirs:    r.objectDirs(),
		SHA256:  r.format != "sha1",
		NoGoGit: r.lookupEnv("GIT_ALTERNATE_OBJECT_DIRECTORIES") != "" || r.replaces(),
		Fsync:   r.fsyncPacks(),
		Git: func(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
			return r.run(ctx, r.common(), stdin, args...)
		},
		BatchCommand: func(ctx context.Context) *exec.Cmd {
			return r.command(ctx, r.common(), "cat-file", "--batch")
		},
		BatchEnded: r.note,
	}
}

func (r *Repo) objectDirs() []string {
	if dir := r.lookupEnv("GIT_OBJECT_DIRECTORY"); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(r.dir, dir)
		}
		return []string{dir}
	}
	return []string{filepath.Join(r.commonDir, "objects")}
}

// replaces reports whether git shows other objects than those that are stored
// (git-replace(1)). It is a look at two files, for Open's count of processes.
func (r *Repo) replaces() bool {
	use, err := r.config.Bool("core.useReplaceRefs", true)
	if err == nil && !use || r.lookupEnv("GIT_NO_REPLACE_OBJECTS") != "" {
		return false
	}
	if r.lookupEnv("GIT_REPLACE_REF_BASE") != "" {
		return true
	}
	if loose, err := os.ReadDir(filepath.Join(r.commonDir, "refs", "replace")); err == nil && len(loose) > 0 {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(r.commonDir, "packed-refs"))
	return err == nil && bytes.Contains(packed, []byte(" refs/replace/"))
}

// fsyncPacks follows core.fsync: git flushes packs unless told not to.
func (r *Repo) fsyncPacks() bool {
	parts := strings.Split(r.config.Get("core.fsync"), ",")
	return !slices.Contains(parts, "none") && !slices.Contains(parts, "-pack")
}

// Close ends the helper process that reads objects, if one was needed.
func (r *Repo) Close() {
	_ = r.objects.Close() // it only read: what it read was answered or failed at the time
}

// Config returns git's configuration as read at Open.
func (r *Repo) Config() Config { return r.config }

// ConfigAt returns git's configuration as it is in another worktree. Only where a
// file is included on condition can it differ (a worktree's own file counts as
// one): then git is asked again.
func (r *Repo) ConfigAt(ctx context.Context, worktree string) (Config, error) {
	perWorktree, err := r.config.Bool("extensions.worktreeConfig", false)
	if err == nil && !perWorktree && !r.config.HasSection("includeif.") {
		return r.config, nil
	}
	return r.readConfig(ctx, r.at(worktree))
}

// Env returns one variable of the caller's environment, "" where it is not set.
func (r *Repo) Env(name string) string { return r.lookupEnv(name) }

// WorkTree returns the absolute top folder of the worktree the caller stands in,
// "" in a bare repository or inside a git directory.
func (r *Repo) WorkTree() string { return r.workTree }

// GitDir returns the absolute git directory of the caller's worktree.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir returns the absolute git directory that all worktrees share.
func (r *Repo) CommonDir() string { return r.commonDir }

// Linked reports whether the caller stands in a linked worktree.
func (r *Repo) Linked() bool { return r.gitDir != r.commonDir }

// Shallow reports whether history is cut off, so that "not an ancestor" proves
// nothing.
func (r *Repo) Shallow() bool { return r.shallow }

// Name returns the repository's folder name for people: the main worktree's, or
// that of a bare repository without its ".git".
func (r *Repo) Name() string {
	base := filepath.Base(r.commonDir)
	if base == ".git" || base == ".bare" {
		return filepath.Base(filepath.Dir(r.commonDir))
	}
	return strings.TrimSuffix(base, ".git")
}

// MainDir returns the folder of the main worktree, or the git directory of a
// bare repository: what relative settings are relative to.
func (r *Repo) MainDir() string {
	if main, ok := r.mainWorktree(); ok {
		return main.Path
	}
	if filepath.Base(r.commonDir) == ".git" || filepath.Base(r.commonDir) == ".bare" {
		return filepath.Dir(r.commonDir)
	}
	return r.commonDir
}
