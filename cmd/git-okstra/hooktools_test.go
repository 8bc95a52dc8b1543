package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// The peers that the tests install and run, at these versions.
const (
	huskyVersion    = "9.1.7"
	lefthookVersion = "v1.13.6"
)

// realCache is the user's own, also where a script has another home.
var realCache, errCache = os.UserCacheDir()

// peer gives a script a real hook manager: `peer husky` sets HUSKY to the folder of its
// package, `peer lefthook` puts the program first on PATH. They come from npm and the
// Go module proxy, once for a machine.
func peer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: peer husky|lefthook")
	}
	ts.Check(errCache)
	cache := filepath.Join(realCache, "git-okstra-ci")
	switch args[0] {
	case "husky":
		dir := filepath.Join(cache, "husky-"+huskyVersion)
		ts.Check(installed(dir, func(temp string) error {
			return quietly(temp, "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", temp, "husky@"+huskyVersion)
		}))
		ts.Setenv("HUSKY_BIN", filepath.Join(dir, "node_modules", "husky", "bin.js"))
	case "lefthook":
		dir := filepath.Join(cache, "lefthook-"+lefthookVersion)
		ts.Check(installed(dir, func(temp string) error {
			return quietly(temp, "env", "GOBIN="+temp, "GOFLAGS=", "go", "install", "github.com/evilmartians/lefthook@"+lefthookVersion)
		}))
		ts.Setenv("PATH", dir+string(filepath.ListSeparator)+ts.Getenv("PATH"))
	default:
		ts.Fatalf("no peer %q", args[0])
	}
}

// installed makes a folder, whole or not at all.
func installed(dir string, fill func(temp string) error) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	if err := fill(temp); err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := os.Rename(temp, dir); err != nil {
		if _, there := os.Stat(dir); there == nil { // another test was first
			return os.RemoveAll(temp)
		}
		return err
	}
	return nil
}

// quietly runs a program with the machine's own environment, and says what it said only
// where it fails.
func quietly(dir string, words ...string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, out)
	}
	return nil
}
