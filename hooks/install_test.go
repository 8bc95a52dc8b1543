package hooks

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallCutShort finishes an install, or an uninstall, that was killed between two of its
// steps, and loses nothing.
func TestInstallCutShort(t *testing.T) {
	t.Parallel()
	const theirs = "#!/bin/sh\necho theirs\n"
	ours := script{name: "pre-commit", dir: "/x"}.String()
	for name, c := range map[string]struct {
		hook, kept string // what is there, "" for nothing
		install    Done
	}{
		"nothing was done":              {theirs, "", Chained},
		"theirs is kept, ours not yet":  {"", theirs, Chained},
		"all was done":                  {ours, theirs, Present},
		"ours, and nothing was before":  {ours, "", Present},
		"ours of another place":         {script{name: "pre-commit", dir: "/y"}.String(), theirs, Renewed},
		"ours, without a known program": {script{name: "pre-commit"}.String(), "", Renewed},
	} {
		dir := t.TempDir()
		f := Folder{Path: dir}
		path := filepath.Join(dir, "pre-commit")
		for file, text := range map[string]string{path: c.hook, KeptOf(path): c.kept} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		h, err := f.Look("pre-commit")
		if err != nil {
			t.Fatal(err)
		}
		done, err := f.Install(h, "/x")
		if err != nil || done != c.install {
			t.Errorf("%s: %s, %v; want %s", name, done, err, c.install)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != ours {
			t.Errorf("%s: %v, %q", name, err, data)
		}
		if h, err = f.Look("pre-commit"); err != nil || h.State != Ours || !h.Runs {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
		if _, err := f.Uninstall(h); err != nil {
			t.Fatal(err)
		}
		want := theirs
		if c.kept == "" && c.hook != theirs {
			want = ""
		}
		data, err := os.ReadFile(path)
		if string(data) != want || (err == nil) != (want != "") {
			t.Errorf("%s: left %q, %v", name, data, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 1 {
			t.Errorf("%s: left %v, %v", name, entries, err)
		}
	}
}

// TestKeptEveryByte keeps hooks of any kind under another name and puts them back: modes, links,
// programs that are no scripts.
func TestKeptEveryByte(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"a program":         func(p string) error { return os.WriteFile(p, []byte("\x7fELF\x00\x01"), 0o711) },
		"not to be run":     func(p string) error { return os.WriteFile(p, []byte("#!/bin/sh\n"), 0o640) },
		"a link":            func(p string) error { return os.Symlink("elsewhere", p) },
		"a link to nowhere": func(p string) error { return os.Symlink("/nowhere/at/all", p) },
		"empty":             func(p string) error { return os.WriteFile(p, nil, 0o755) },
		"large":             func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte("#\n"), maxHook), 0o755) },
	} {
		dir := t.TempDir()
		f := Folder{Path: dir}
		path := filepath.Join(dir, "pre-push")
		if err := os.WriteFile(filepath.Join(dir, "elsewhere"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		before := seen(t, path)
		h, err := f.Look("pre-push")
		if err != nil || h.State != Foreign {
			t.Fatalf("%s: %+v, %v", name, h, err)
		}
		if done, err := f.Install(h, ""); err != nil || done != Chained {
			t.Fatalf("%s: %s, %v", name, done, err)
		}
		if h, err = f.Look("pre-push"); err != nil {
			t.Fatal(err)
		}
		if done, err := f.Uninstall(h); err != nil || done != Restored {
			t.Fatalf("%s: %s, %v", name, done, err)
		}
		if after := seen(t, path); after != before {
			t.Errorf("%s: was %q, is %q", name, before, after)
		}
	}
}

// seen is all that there is to see of a file.
func seen(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	target, _ := os.Readlink(path) // none where it is no link
	data, _ := os.ReadFile(path)   // none where it leads nowhere
	return strings.Join([]string{info.Mode().String(), info.ModTime().String(), target, string(data)}, "\x00")
}

// TestRefused leaves files alone of which it cannot tell what would be lost.
func TestRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := Folder{Path: dir}
	path := filepath.Join(dir, "pre-commit")
	for name, text := range map[string]string{
		"basename": "#!/bin/sh\nn=$(basename \"$0\")\n", "shell": "n=${0##*/}\n", "ruby": "hook = File.basename($PROGRAM_NAME)\n",
		"ruby, too": "File.basename(__FILE__)", "python": "#!/usr/bin/python3\nimport sys\nprint(sys.argv[0])\n", "node": "process.argv[1]",
		"edited": script{name: "pre-commit"}.String() + "echo more\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		h, err := f.Look("pre-commit")
		if err != nil {
			t.Fatal(err)
		}
		var refused *RefusedError
		if _, err := f.Install(h, ""); !errors.As(err, &refused) || len(refused.Hints) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := f.Look("pre-commit")
	if err != nil || h.State != Blocked {
		t.Fatalf("a folder: %+v, %v", h, err)
	}
	var refused *RefusedError
	if _, err := f.Install(h, ""); !errors.As(err, &refused) || !strings.Contains(refused.Message, "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if done, err := f.Uninstall(h); done != Nothing || err != nil {
		t.Errorf("a folder: %s, %v", done, err)
	}
	if err := os.WriteFile(KeptOf(path), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Uninstall(h); !errors.As(err, &refused) {
		t.Errorf("a folder, and a hook that is kept: %v", err)
	}
}

// TestInstalledMeanwhile holds that who looked before another install was done takes
// nothing away: our script must not be kept as the hook that was there before.
func TestInstalledMeanwhile(t *testing.T) {
	t.Parallel()
	f := Folder{Path: t.TempDir()}
	path := filepath.Join(f.Path, "pre-commit")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho theirs\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := seen(t, path)
	looked, err := f.Look("pre-commit")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Done{Chained, Present} {
		if done, err := f.Install(looked, ""); err != nil || done != want {
			t.Fatalf("%s, %v, want %s", done, err, want)
		}
	}
	if kept := seen(t, KeptOf(path)); kept != before {
		t.Errorf("kept is %q", kept)
	}
	if looked, err = f.Look("pre-commit"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []Done{Restored, Nothing} {
		if done, err := f.Uninstall(looked); err != nil || done != want {
			t.Fatalf("%s, %v, want %s", done, err, want)
		}
	}
	if after := seen(t, path); after != before {
		t.Errorf("is %q", after)
	}
}
