package gitops

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
type Config struct{ entries []ConfigEntry }

// parseConfig reads the output of `git config -z --list --show-scope`.
func parseConfig(out []byte) Config {
	var c Config
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, ok := strings.Cut(string(fields[i+1]), "\n")
		c.entries = append(c.entries, ConfigEntry{Scope: string(fields[i]), Key: key, Value: value, bare: !ok})
	}
	return c
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

// HasSection reports whether any key begins with prefix, such as "filter.".
func (c Config) HasSection(prefix string) bool {
	for _, e := range c.entries {
		if strings.HasPrefix(e.Key, prefix) {
			return true
		}
	}
	return false
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
	n, err := strconv.Atoi(e.Value)
	if err != nil {
		return def, fmt.Errorf("config %s: bad boolean %q", key, e.Value)
	}
	return n != 0, nil
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

// Path reads a path by git's rules: a leading ~/ is the home folder. "" where
// the key is not set.
func (c Config) Path(key string) (string, error) {
	v := c.Get(key)
	if v != "~" && !strings.HasPrefix(v, "~/") {
		return v, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("config %s: %w", key, err)
	}
	return filepath.Join(home, strings.TrimPrefix(v, "~")), nil
}
