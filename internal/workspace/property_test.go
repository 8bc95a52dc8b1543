package workspace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProvisionIsWhatGitWouldLeave compares us with `git worktree add` in generated
// repositories: files of all kinds, attributes, settings, and a sibling that somebody
// works in.
func TestProvisionIsWhatGitWouldLeave(t *testing.T) {
	t.Parallel()
	seeds := uint64(8)
	if testing.Short() {
		seeds = 4
	}
	copied, written := 0, 0
	for seed := range seeds {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), world: newWorld(t, "empty")}
		g.files()
		g.attributes(seed)
		g.Commit("first")
		g.Git("branch", "first")
		g.change(0.3)
		g.Commit("second")
		g.settle()
		g.settings(seed)
		g.disturb()
		for _, rev := range []string{"main", "first"} {
			res := g.sameAsGit(rev)
			copied, written = copied+res.Copied, written+res.Written
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n%s", seed, strings.Join(g.log, "\n"), g.Git("ls-files", "-s"))
		}
	}
	if copied < 20 || written < 40 {
		t.Errorf("%d files copied, %d written: one way was hardly tried", copied, written)
	}
}

type generator struct {
	*rand.Rand
	*world
	names []string
	log   []string
}

// name makes a path; some lie in folders, some are awkward.
func (g *generator) name(i int) string {
	base := []string{"file", "with space", "한국어", "naïve", "-dash", "tab\tnewline\n", "quote\"d", "UPPER", ".dot", "a.txt", "b.bin"}[g.IntN(11)]
	dir := []string{"", "", "src/", "src/deep/er/", "other dir/", "한/"}[g.IntN(6)]
	return fmt.Sprintf("%s%s%d", dir, base, i)
}

// content makes text or bytes, also none and much, with all line ends.
func (g *generator) content() string {
	size := []int{0, 1, 30, 500, 8000, 100_000}[g.IntN(6)]
	if g.IntN(3) == 0 {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(g.Uint32())
		}
		return string(b)
	}
	line := []string{"text\n", "text with $Id$\n", "windows\r\n", "한국어 text\n", "lone\rcr\n"}
	var b strings.Builder
	ends := g.IntN(len(line))
	for b.Len() < size {
		b.WriteString(line[(ends+g.IntN(2))%len(line)])
	}
	return b.String()
}

func (g *generator) files() {
	for i := range 12 + g.IntN(12) {
		name := g.name(i)
		g.names = append(g.names, name)
		if i%6 == 5 {
			if err := os.MkdirAll(filepath.Dir(g.path(name)), 0o777); err != nil {
				g.t.Fatal(err)
			}
			if err := os.Symlink([]string{"file0", "../no/where", "/dev/null", ".."}[g.IntN(4)], g.path(name)); err != nil {
				g.t.Fatal(err)
			}
			continue
		}
		g.Write(name, g.content())
		if g.IntN(4) == 0 {
			g.chmod(name, 0o755)
		}
	}
}

func (g *generator) chmod(name string, mode os.FileMode) {
	if err := os.Chmod(g.path(name), mode); err != nil {
		g.t.Fatal(err)
	}
}

// attributes are there in every third run; harmless ones in another third.
func (g *generator) attributes(seed uint64) {
	g.Git("config", "filter.rot.clean", "tr a-z n-za-m")
	g.Git("config", "filter.rot.smudge", "tr n-za-m a-z")
	g.Git("config", "filter.rot.required", "true")
	all := []string{"* text=auto", "*.txt* eol=crlf", "*file* filter=rot", "* ident", "*UPPER* working-tree-encoding=ISO-8859-1", "*.bin* -text"}
	switch seed % 3 {
	case 0:
		g.Write(".gitattributes", all[g.IntN(len(all))]+"\n"+all[g.IntN(len(all))]+"\n")
	case 1:
		g.Write("src/.gitattributes", "# text\n*.png binary\n*.md diff=markdown merge=union export-ignore\n")
	}
}

// change edits, removes and adds some files.
func (g *generator) change(share float64) {
	for _, name := range g.names {
		if g.Float64() > share {
			continue
		}
		switch _ = os.Remove(g.path(name)); g.IntN(3) {
		case 0:
			g.Write(name, g.content())
		case 1:
			g.Write(name, "changed\n")
			g.chmod(name, 0o755)
		}
	}
	g.Write(fmt.Sprintf("new %d", g.IntN(1000)), g.content())
}

// settings are what the user's configuration adds, after the files were written.
func (g *generator) settings(seed uint64) {
	switch seed % 8 {
	case 3:
		g.set("core.autocrlf", []string{"true", "input"}[g.IntN(2)])
	case 4:
		g.set("core.fileMode", "false")
	case 5:
		g.Git("sparse-checkout", "set", "--no-cone", "/src/", "/*0")
		g.log = append(g.log, "sparse")
	case 6:
		g.set("core.symlinks", "false")
	case 7:
		g.set("index.version", "4")
		g.set("core.untrackedCache", "true")
	}
}

func (g *generator) set(key, value string) {
	g.Git("config", key, value)
	g.log = append(g.log, key+"="+value)
}

// disturb leaves the sibling as somebody who works in it would: edits without
// commits, some of them staged, files gone and files nobody knows.
func (g *generator) disturb() {
	if g.IntN(4) == 0 {
		return
	}
	g.change(0.3)
	if g.IntN(2) == 0 {
		g.Git("add", "-A")
	}
	g.change(0.2)
	g.Write("untracked/file", "x")
}
