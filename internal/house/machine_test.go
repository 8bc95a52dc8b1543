package house

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The words that are looked for are put together here so that this file passes. A
// home folder of one letter is nobody's; samples may have it.
var (
	personal = []string{"/" + "root", "/" + "home/[A-Za-z0-9_.-]{2,}", "/" + "Users/[A-Za-z0-9_.-]{2,}"}
	proxies  = []string{"proxy." + "golang.org", "sum." + "golang.org", "goproxy" + ".io", "goproxy" + ".cn"}
)

// common are parents of a checkout that say nothing about a machine and that texts
// may well name.
var common = []string{
	"/", "/tmp", "/var/tmp", "/opt", "/srv", "/usr", "/usr/local", "/usr/src", "/usr/local/src", "/mnt",
	"/src", "/app", "/build", "/builds", "/code", "/go/src",
}

// TestNothingOfThisMachine looks through every text file that git would commit.
func TestNothingOfThisMachine(t *testing.T) {
	t.Parallel()
	h := open(t)
	words := machineWords(h.root, os.Getenv("GOPROXY"))
	names := committed(t, h.root)
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(h.root, name))
		if err != nil || !info.Mode().IsRegular() {
			continue // removed in the work tree only, or a link
		}
		text, err := os.ReadFile(filepath.Join(h.root, name))
		if err != nil {
			t.Fatal(err)
		}
		report(t, machineSpecific(name, text, words))
	}
	t.Logf("%d files", len(names))
}

// committed lists the files that git tracks or would add, slash-separated.
func committed(t *testing.T, root string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") { // a hook's variables name another index
			cmd.Env = append(cmd.Env, entry)
		}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git checkout: git ls-files: %v", err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(names) < 2 {
		t.Fatalf("git ls-files lists %q", names)
	}
	return names
}

// machineWords is a pattern for what names this machine: the checkout at root and its
// parent, people's home folders, hosts of the module proxy.
func machineWords(root, goproxy string) *regexp.Regexp {
	paths := slices.Clone(personal)
	for _, dir := range []string{root, filepath.Dir(root)} {
		if dir = filepath.ToSlash(dir); !slices.Contains(common, dir) {
			paths = append(paths, regexp.QuoteMeta(dir))
		}
	}
	var hosts []string
	for _, host := range slices.Concat(proxies, proxyHosts(goproxy)) {
		hosts = append(hosts, regexp.QuoteMeta(host))
	}
	// A path counts where it begins as one: not in the middle of another or of a URL.
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9_.~/-])(?:` + strings.Join(paths, "|") + `)/` +
		`|file://(?:` + strings.Join(paths, "|") + `)/` +
		`|\b(?:` + strings.Join(hosts, "|") + `)\b`)
}

// proxyHosts is the hosts of a GOPROXY value.
func proxyHosts(goproxy string) []string {
	var hosts []string
	for _, entry := range strings.FieldsFunc(goproxy, func(r rune) bool { return r == ',' || r == '|' }) {
		if u, err := url.Parse(strings.TrimSpace(entry)); err == nil && u.Hostname() != "" {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

// machineSpecific finds the words in a text file, line by line.
func machineSpecific(name string, text []byte, words *regexp.Regexp) []string {
	if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil // binary, as git judges it
	}
	var problems []string
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if found := words.Find(line); found != nil {
			problems = append(problems, fmt.Sprintf("%s:%d: says %q, which is specific to a machine", name, n, found))
		}
	}
	return problems
}

func TestMachineFindings(t *testing.T) {
	t.Parallel()
	words := machineWords("/data/me/checkout", "https://modules.corp.example:8080/x,direct|off")
	for text, found := range map[string]bool{
		"nothing here":                          false,
		"see /" + "root/.cache":                 true,
		"/" + "root/x":                          true,
		"the root / and $GIT_DIR/" + "root/x":   false,
		"HOME=/" + "home/anna/x":                true,
		"`/" + "Users/anna/x`":                  true,
		"HOME=/" + "home/x/y":                   false,
		"path/" + "home/anna/x":                 false,
		"https://example.com/" + "home/anna/x":  false,
		"file:///" + "home/anna/x":              true,
		"in /data/me/checkout/plan":             true,
		"in /data/me/other":                     true,
		"in /data/you/other":                    false,
		"https://" + proxies[0]:                 true,
		"x" + proxies[0]:                        false,
		"GOPROXY=https://modules.corp.example/": true,
		"direct":                                false,
		"\x00binary /" + "root/x":               false,
	} {
		if got := machineSpecific("x", []byte("line\n"+text+"\n"), words); (len(got) == 1) != found {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := machineSpecific("x", []byte("the /tmp/a\n"), machineWords("/tmp/checkout", "")); got != nil {
		t.Errorf("a checkout in a common folder: %q", got)
	}
}
