package house

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stub stands for the command: it is quick to build and says how it was called.
const stub = `package main

import "os"

var version = "unset"

func main() {
	if len(os.Args) == 3 && os.Args[1] == "pages" {
		os.Mkdir(os.Args[2], 0o700)
		os.WriteFile(os.Args[2]+"/git-okstra.1", []byte("page"), 0o600)
		os.WriteFile(os.Args[2]+"/git-okstra-log.1", []byte("page"), 0o600)
		return
	}
	for _, arg := range os.Args[1:] {
		os.Stdout.WriteString(arg + " ")
	}
	os.Stdout.WriteString(version + "\n")
}
`

// installed is what install.sh leaves below an empty prefix.
const installed = "\n/bin\n/bin/git-okstra\n/share\n/share/bash-completion\n/share/bash-completion/completions\n/share/bash-completion/completions/git-okstra" +
	"\n/share/fish\n/share/fish/vendor_completions.d\n/share/fish/vendor_completions.d/git-okstra.fish" +
	"\n/share/man\n/share/man/man1\n/share/man/man1/git-okstra-log.1\n/share/man/man1/git-okstra.1" +
	"\n/share/zsh\n/share/zsh/site-functions\n/share/zsh/site-functions/_git-okstra"

// clone makes a folder, with a blank in its name, that install.sh takes for the
// module, and returns it.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a clone")
	script, err := os.ReadFile(filepath.Join("..", "..", "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"install.sh":             string(script),
		"go.mod":                 "module git-okstra\n\ngo " + field(string(mod), "go") + "\n",
		"cmd/git-okstra/main.go": stub,
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text, 0o755)
	}
	return dir
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// install runs dir's install.sh in another folder and returns what it printed and
// its exit code.
func install(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errout bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "/bin/sh", append([]string{filepath.Join(dir, "install.sh")}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(os.Environ(), "MANPATH=", "SHELL=/bin/sh"), env...)
	cmd.Stdout = &out
	cmd.Stderr = &errout
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errout.String(), cmd.ProcessState.ExitCode()
}

// tree lists what is below dir.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(name, dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

func TestInstall(t *testing.T) {
	t.Parallel()
	dir := clone(t)
	before := tree(t, dir)
	top := t.TempDir()
	prefix := filepath.Join(top, "the prefix")
	bin := filepath.Join(prefix, "bin")
	binary := filepath.Join(bin, "git-okstra")

	stdout, stderr, code := install(t, dir, nil, "--prefix", prefix, "--demo")
	want := "installed " + binary + "\n" +
		bin + " is not on PATH; this puts it there:\n" +
		"  export PATH=\"" + bin + ":$PATH\"\n" +
		"demo dev\n"
	if code != 0 || stdout != want || stderr != "" {
		t.Fatalf("install = %d\n%s%s\nwant\n%s", code, stdout, stderr, want)
	}
	if got := tree(t, prefix); got != installed {
		t.Errorf("installed:%s", got)
	}
	if got := tree(t, dir); got != before {
		t.Errorf("the clone changed:%s", got)
	}

	stdout, stderr, code = install(t, dir, nil, "--uninstall", "--prefix="+prefix+"/")
	if code != 0 || stdout != "removed "+binary+"\n" || stderr != "" {
		t.Errorf("uninstall = %d\n%s%s", code, stdout, stderr)
	}
	if got := tree(t, top); got != "" {
		t.Errorf("left:%s", got)
	}
	stdout, _, code = install(t, dir, nil, "--uninstall", "--prefix", prefix)
	if code != 0 || stdout != "nothing to remove: no "+binary+"\n" {
		t.Errorf("second uninstall = %d\n%s", code, stdout)
	}
}

// TestInstallBesideOthers installs over an older command on PATH, in a checkout with
// a tag, below $PREFIX, and leaves alone what else is there.
func TestInstallBesideOthers(t *testing.T) {
	t.Parallel()
	dir := clone(t)
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "."},
		{"-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "x"},
		{"tag", "v1.2.3"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	prefix := t.TempDir()
	bin := filepath.Join(prefix, "bin")
	write(t, filepath.Join(bin, "git-okstra"), "old", 0o755)
	write(t, filepath.Join(bin, "other"), "other", 0o755)
	pages := filepath.Join(prefix, "share", "man", "man1")
	write(t, filepath.Join(pages, "git-okstra-gone.1"), "of an older version", 0o644)
	write(t, filepath.Join(pages, "git-other.1"), "other", 0o644)
	env := []string{"PREFIX=" + prefix, "PATH=" + os.Getenv("PATH") + ":" + bin}

	stdout, stderr, code := install(t, dir, env)
	if code != 0 || stdout != "installed "+filepath.Join(bin, "git-okstra")+"\n" {
		t.Fatalf("install = %d\n%s%s", code, stdout, stderr)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "git-okstra")).Output()
	if err != nil || string(out) != "v1.2.3\n" {
		t.Errorf("version = %q, %v", out, err)
	}
	if info, err := os.Stat(filepath.Join(pages, "git-okstra.1")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the page: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(pages, "git-okstra-gone.1")); !os.IsNotExist(err) {
		t.Errorf("a page of an older version: %v", err)
	}
	if _, _, code = install(t, dir, env, "--uninstall"); code != 0 {
		t.Errorf("uninstall = %d", code)
	}
	if got := tree(t, prefix); got != "\n/bin\n/bin/other\n/share\n/share/man\n/share/man/man1\n/share/man/man1/git-other.1" {
		t.Errorf("left:%s", got)
	}
}

func TestInstallMisused(t *testing.T) {
	t.Parallel()
	dir := clone(t)
	for _, test := range []struct{ args, want string }{
		{"--wrong", "error: unknown option '--wrong' (see install.sh --help)\n"},
		{"--demo extra", "error: unknown option 'extra' (see install.sh --help)\n"},
		{"--prefix", "error: --prefix needs a folder (see install.sh --help)\n"},
		{"--prefix=", "error: --prefix needs a folder (see install.sh --help)\n"},
		{"--demo --uninstall", "error: --demo and --uninstall exclude each other (see install.sh --help)\n"},
	} {
		stdout, stderr, code := install(t, dir, nil, strings.Fields(test.args)...)
		if code != 2 || stdout != "" || stderr != test.want {
			t.Errorf("install %s = %d\n%s%s", test.args, code, stdout, stderr)
		}
	}
	if stdout, _, code := install(t, dir, nil, "--help"); code != 0 || !strings.HasPrefix(stdout, "usage: install.sh ") {
		t.Errorf("--help = %d\n%s", code, stdout)
	}
}

// TestInstallEnvironment puts other versions of go and git before the real ones.
func TestInstallEnvironment(t *testing.T) {
	t.Parallel()
	dir := clone(t)
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	needed := field(string(mod), "go")
	for _, test := range []struct{ name, git, golang, path, want string }{
		{name: "old git", git: "echo git version 2.33.1", want: "error: git 2.33.1 is too old\nhint: install git 2.34 or newer\n"},
		{name: "old go", golang: "echo go1.19.13", want: "error: Go 1.19.13 is too old; Go " + needed + " or newer is needed"},
		{name: "forbidden tool chain", golang: `[ "$GOTOOLCHAIN" = local ] && echo go1.22.1`, want: "error: Go 1.22.1 is too old; Go " + needed},
		{name: "no go", path: "/usr/bin:/bin", want: "error: go is not on PATH; Go " + needed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat("/usr/bin/go"); err == nil && test.path != "" {
				t.Skip("go is beside the system's tools")
			}
			fake, prefix := t.TempDir(), filepath.Join(t.TempDir(), "p")
			for name, body := range map[string]string{"git": test.git, "go": test.golang} {
				if body != "" {
					write(t, filepath.Join(fake, name), "#!/bin/sh\n"+body+"\n", 0o755)
				}
			}
			path := test.path
			if path == "" {
				path = fake + ":" + os.Getenv("PATH")
			}
			stdout, stderr, code := install(t, dir, []string{"PATH=" + path, "GOTOOLCHAIN=auto"}, "--prefix", prefix)
			if code != 128 || stdout != "" || !strings.HasPrefix(stderr, test.want) || strings.Count(stderr, "error: ") != 1 {
				t.Errorf("install = %d\n%s%s\nwant 128, %s", code, stdout, stderr, test.want)
			}
			if _, err := os.Stat(prefix); !os.IsNotExist(err) {
				t.Errorf("%s: %v", prefix, err)
			}
		})
	}
}

// TestInstallBroken holds a command that does not build to one clear error, with
// the old command still in its place.
func TestInstallBroken(t *testing.T) {
	t.Parallel()
	dir, prefix := clone(t), t.TempDir()
	write(t, filepath.Join(dir, "cmd", "git-okstra", "main.go"), "package main\n\nfunc main() { wrong }\n", 0o644)
	binary := filepath.Join(prefix, "bin", "git-okstra")
	write(t, binary, "old", 0o755)
	_, stderr, code := install(t, dir, nil, "--prefix", prefix)
	if code != 128 || !strings.HasSuffix(stderr, "error: build git-okstra: go build did not succeed\n") {
		t.Errorf("install = %d\n%s", code, stderr)
	}
	if got := tree(t, prefix); got != "\n/bin\n/bin/git-okstra" {
		t.Errorf("left:%s", got)
	}
	if text, err := os.ReadFile(binary); err != nil || string(text) != "old" {
		t.Errorf("old command: %q, %v", text, err)
	}
}

// TestInstallSays: what man and zsh have to be told, and only where they do not know.
func TestInstallSays(t *testing.T) {
	t.Parallel()
	dir := clone(t)
	prefix := filepath.Join(t.TempDir(), "a $prefix")
	pages := filepath.Join(prefix, "share", "man")
	tools := t.TempDir()
	write(t, filepath.Join(tools, "manpath"), "#!/bin/sh\necho \"${MANPATH:-/usr/share/man:$KNOWN}\"\n", 0o755)
	path := "PATH=" + tools + string(os.PathListSeparator) + os.Getenv("PATH")
	quoted := strings.ReplaceAll(prefix, "$", `\$`)
	const man, zsh = "man does not look in ", "zsh completes git okstra"
	for name, c := range map[string]struct {
		env        []string
		want, none []string
	}{
		"nothing known": {[]string{path}, []string{man + pages, `  export MANPATH="` + quoted + `/share/man:$MANPATH"` + "\n"}, []string{zsh}},
		"man knows":     {[]string{path, "KNOWN=" + pages}, nil, []string{man, zsh}},
		"MANPATH set":   {[]string{path, "MANPATH=/x"}, []string{man + pages}, []string{zsh}},
		"MANPATH knows": {[]string{path, "MANPATH=/x:" + pages + ":"}, nil, []string{man, zsh}},
		"zsh": {
			[]string{path, "KNOWN=" + pages, "SHELL=/usr/bin/zsh"},
			[]string{zsh, `  fpath=("` + quoted + `/share/zsh/site-functions" $fpath)` + "\n"},
			[]string{man},
		},
	} {
		stdout, stderr, code := install(t, dir, c.env, "--prefix", prefix)
		if code != 0 || stderr != "" {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", name, want, stdout)
			}
		}
		for _, none := range c.none {
			if strings.Contains(stdout, none) {
				t.Errorf("%s: %q in\n%s", name, none, stdout)
			}
		}
	}
}
