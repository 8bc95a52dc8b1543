package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ConfigEntry is one value of git's configuration.
type ConfigEntry struct {
	Scope string // system, global, local, worktree or command
	Key   string // section and name in lower case, subsection as written
	Value string
	bare  bool // the key stands without "=": true as a boolean
}

// Config is git's configuration as git itself reads it, includes and the
// command line's -c among it, in git's order: later entries win.
type Config struct {
	entries []ConfigEntry
	home    string // of the caller's environment, for paths
}

// parseConfig reads the output of `git config -z --list --show-scope`.
func parseConfig(out []byte, home string) Config {
	c := Config{home: home}
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, ok := strings.Cut(string(fields[i+1]), "\n")
		c.entries = append(c.entries, ConfigEntry{Scope: string(fields[i]), Key: key, Value: value, bare: !ok})
	}
	return c
}

// ReadConfig reads the values whose keys match a POSIX extended regular expression,
// in a repository or outside of any, with one git process. It is for what needs
// nothing else of git. Errors: git's own refusal (*GitError).
func ReadConfig(ctx context.Context, opts Options, keys string) (Config, error) {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	r := &Repo{runner: runner{env: opts.Env, trace: opts.Trace}, dir: opts.Dir, env: baseEnv(opts.Env)}
	out, err := r.run(ctx, r.here(), nil, "config", "-z", "--show-scope", "--get-regexp", keys)
	const noneMatches = 1
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Config{}, errNoGit
	case err != nil && ExitCode(err) != noneMatches:
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	return parseConfig(out, r.Home()), nil
}

// canonical lower-cases the section and the name of a key, as git lists them.
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// Lookup returns the value that counts (the last one) and whether there is one.
func (c Config) Lookup(key string) (string, bool) {
	e, ok := c.last(key)
	return e.Value, ok
}

func (c Config) last(key string) (ConfigEntry, bool) {
	key = canonical(key)
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].Key == key {
			return c.entries[i], true
		}
	}
	return ConfigEntry{}, false
}

// Get returns the value that counts, or "".
func (c Config) Get(key string) string {
	v, _ := c.Lookup(key)
	return v
}

// All returns every value of a multi-valued key, in git's order.
func (c Config) All(key string) []string {
	var out []string
	key = canonical(key)
	for _, e := range c.entries {
		if e.Key == key {
			out = append(out, e.Value)
		}
	}
	return out
}

// Entries are all values, in git's order.
func (c Config) Entries() []ConfigEntry { return slices.Clone(c.entries) }

// HasSection reports whether any key begins with prefix, such as "filter.".
func (c Config) HasSection(prefix string) bool {
	for _, e := range c.entries {
		if strings.HasPrefix(e.Key, prefix) {
			return true
		}
	}
	return false
}

// Subsections lists the middles of all keys that begin and end so, such as
// remote.<here>.url, each once, in git's order.
func (c Config) Subsections(prefix, suffix string) []string {
	var out []string
	for _, e := range c.entries {
		name, ok := strings.CutPrefix(e.Key, prefix)
		if name, ok2 := strings.CutSuffix(name, suffix); ok && ok2 && name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Bool reads a boolean by git's rules; def where the key is not set. An
// unknown word is an error that names the key.
func (c Config) Bool(key string, def bool) (bool, error) {
	e, ok := c.last(key)
	if !ok {
		return def, nil
	}
	if e.bare {
		return true, nil
	}
	switch strings.ToLower(e.Value) {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	}
	n, ok := parseInt(e.Value)
	if !ok {
		return def, fmt.Errorf("config %s: bad boolean %q", key, e.Value)
	}
	return n != 0, nil
}

// gitInt is the form of git's integers: strtol's, with a unit.
var gitInt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+))([kKmMgG]?)$`)
})

// parseInt reads an integer by git's rules: 32 bits, decimal, octal or
// hexadecimal, with a unit of k, m or g.
func parseInt(s string) (int64, bool) {
	m := gitInt().FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 0, 33)
	if err != nil {
		return 0, false
	}
	switch strings.ToLower(m[2]) {
	case "k":
		n <<= 10
	case "m":
		n <<= 20
	case "g":
		n <<= 30
	}
	return n, n >= -math.MaxInt32 && n <= math.MaxInt32
}

// sharedBare reports whether the repository's shared file says core.bare.
func (c Config) sharedBare() bool {
	local := Config{}
	for _, e := range c.entries {
		if e.Scope == "local" {
			local.entries = append(local.entries, e)
		}
	}
	bare, err := local.Bool("core.bare", false)
	return err == nil && bare
}

// Path reads a path by git's rules: a leading ~/ is the home folder, ~name/
// another user's. "" where the key is not set.
func (c Config) Path(key string) (string, error) {
	v := c.Get(key)
	if !strings.HasPrefix(v, "~") {
		return v, nil
	}
	name, rest, _ := strings.Cut(v[1:], "/")
	home := c.home
	if name != "" {
		u, err := user.Lookup(name)
		if err != nil {
			return "", fmt.Errorf("config %s: %w", key, err)
		}
		home = u.HomeDir
	}
	if home == "" {
		return "", fmt.Errorf("config %s: no home folder for %q", key, v)
	}
	return filepath.Join(home, rest), nil
}
