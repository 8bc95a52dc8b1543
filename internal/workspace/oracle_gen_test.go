package workspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// oracle is a generated repository: two commits, the settings and attributes that its
// cases ask for, and a main worktree that serves as source.
type oracle struct {
	*rand.Rand
	*world
	chosen        []oracleCase
	first, second map[string]oracleFile // the files of the two commits
	attributes    []string              // of both, unless attributesOld is set
	attributesOld []string              // of the first commit
	early, late   strings.Builder       // configuration before and after the checkout
	after         []func()              // done to the source after its checkout
	beside        []func(i int)         // done over and over while we provision
	old           bool                  // every file of the source is older than this second
	cases, log    []string
	revs          []string
}

type oracleFile struct{ mode, data string }

// take adds a case, unless one that excludes it was taken.
func (g *oracle) take(c oracleCase) {
	for _, have := range g.chosen {
		if have.group != "" && have.group == c.group {
			return
		}
	}
	g.chosen, g.cases = append(g.chosen, c), append(g.cases, c.name)
}

// file puts a file into both commits.
func (g *oracle) file(name, data string) {
	g.first[name] = oracleFile{"100644", data}
	g.second[name] = g.first[name]
}

func (g *oracle) entry(mode, name, data string) {
	g.first[name] = oracleFile{mode, data}
	g.second[name] = g.first[name]
}

// attribute adds a line to .gitattributes, or says the same in .git/info/attributes.
func (g *oracle) attribute(line string) {
	if g.IntN(6) == 0 {
		g.after = append(g.after, func() { g.append(".git/info/attributes", line+"\n") })
	} else {
		g.attributes = append(g.attributes, line)
	}
	g.log = append(g.log, line)
}

func (g *oracle) append(name, text string) {
	g.t.Helper()
	w := g.world
	w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o777))
	f, err := os.OpenFile(w.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	w.must(err)
	_, err = f.WriteString(text)
	w.must(err)
	w.must(f.Close())
}

// set writes configuration, one time in three only when the source is checked out
// already: then the source is as the settings before wanted it.
func (g *oracle) set(section string, pairs ...string) {
	g.setIn(g.IntN(3) == 0, section, pairs...)
}

func (g *oracle) setIn(late bool, section string, pairs ...string) {
	to := &g.early
	if late {
		to = &g.late
	}
	fmt.Fprintf(to, "[%s]\n", section)
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(to, "\t%s = %s\n", pairs[i], quoteConfig(pairs[i+1]))
	}
	g.log = append(g.log, fmt.Sprintf("[%s] %q late=%v", section, pairs, late))
}

func quoteConfig(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
}

// build makes the repository.
func (g *oracle) build() {
	g.t.Helper()
	g.plainFiles()
	for _, c := range g.chosen {
		c.make(g)
	}
	g.writeAttributes()
	g.append(".git/config", g.early.String())
	g.stdin(g.stream(), "fast-import", "--quiet")
	start := "main"
	if g.IntN(4) == 0 {
		start = "first"
		g.Git("symbolic-ref", "HEAD", "refs/heads/first")
	}
	g.log = append(g.log, "source at "+start)
	g.Git("reset", "-q", "--hard")
	g.append(".git/config", g.late.String())
	if g.old = g.IntN(5) > 0; g.old {
		g.settle()
	}
	for _, f := range g.after {
		f()
	}
	if g.IntN(3) == 0 {
		g.revs = append(g.revs, "first")
	}
	g.disturb()
}

// plainFiles are what every repository has beside its cases.
func (g *oracle) plainFiles() {
	names := []string{"file", "with space", "한국어", "-dash", "tab\tnewline\n", "quote\"d", ".dot", "a.txt", "b.bin", "id.c"}
	dirs := []string{"", "", "src/", "src/deep/er/", "other dir/", "한/"}
	for i := range 4 + g.IntN(12) {
		name := fmt.Sprintf("%s%d%s", dirs[g.IntN(len(dirs))], i, names[g.IntN(len(names))])
		g.file(name, g.content())
		switch g.IntN(6) {
		case 0:
			delete(g.first, name)
		case 1:
			g.second[name] = oracleFile{"100644", g.content()}
		case 2:
			delete(g.second, name)
		}
	}
	g.file("a.txt", "text\n")
}

// content is text or bytes, also none, with all line ends.
func (g *oracle) content() string {
	size := []int{0, 1, 30, 500, 5000}[g.IntN(5)]
	if g.IntN(4) == 0 {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(g.Uint32())
		}
		return string(b)
	}
	line := []string{"text\n", "text with $Id$\n", "windows\r\n", "한국어 text\n", "lone\rcr\n"}
	var b strings.Builder
	for ends := g.IntN(len(line)); b.Len() < size; {
		b.WriteString(line[(ends+g.IntN(2))%len(line)])
	}
	return b.String()
}

func (g *oracle) writeAttributes() {
	text := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
	if len(g.attributes) > 0 {
		g.file(".gitattributes", text(g.attributes))
	}
	if g.attributesOld != nil {
		g.first[".gitattributes"] = oracleFile{"100644", text(g.attributesOld)}
	}
}

// stream is the two commits, and an empty one, for git fast-import.
func (g *oracle) stream() string {
	var b strings.Builder
	commit := func(branch, from string, files map[string]oracleFile) {
		fmt.Fprintf(&b, "commit refs/heads/%s\ncommitter T <t@example.com> 1767323045 +0000\ndata 1\nx\n%sdeleteall\n", branch, from)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if f := files[name]; f.mode == "160000" {
				fmt.Fprintf(&b, "M 160000 %s %s\n", f.data, quotePath(name))
			} else {
				fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", f.mode, quotePath(name), len(f.data), f.data)
			}
		}
		b.WriteString("\n")
	}
	commit("first", "", g.first)
	commit("main", "from refs/heads/first\n", g.second)
	commit("empty", "", nil)
	return b.String()
}

// quotePath is git's form of a path with any bytes in it.
func quotePath(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(name) {
		fmt.Fprintf(&b, `\%03o`, c)
	}
	b.WriteByte('"')
	return b.String()
}

// disturb leaves the source as somebody who works in it would.
func (g *oracle) disturb() {
	if g.IntN(3) == 0 {
		return
	}
	for _, name := range g.sourceFiles() {
		switch g.IntN(10) {
		case 0:
			g.must(os.Remove(g.path(name)))
		case 1:
			g.must(os.WriteFile(g.path(name), []byte("edited\n"), 0o666))
		case 2:
			g.must(os.Chmod(g.path(name), 0o755))
		}
	}
	if g.IntN(3) == 0 {
		g.try("add", "-A")
	}
	g.Write("untracked/file", "x")
}

// sourceFiles are the regular files of the source that the second commit has.
func (g *oracle) sourceFiles() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(g.second)) {
		if info, err := os.Lstat(g.path(name)); err == nil && info.Mode().IsRegular() && name != ".gitattributes" {
			out = append(out, name)
		}
	}
	return out
}

// whileWorking runs what is to happen beside the provisioning until do has ended.
func (g *oracle) whileWorking(do func()) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for _, f := range g.beside {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					f(i)
					time.Sleep(100 * time.Microsecond)
				}
			}
		})
	}
	do()
	close(stop)
	wg.Wait()
}
