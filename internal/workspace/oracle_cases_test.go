package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"git-okstra/gitops"
)

// oracleCase is one thing that a repository can have. Of a group only one is taken.
type oracleCase struct {
	name, group string
	make        func(*oracle)
	refused     bool // git does not make the worktree
	byGit       bool // nothing can be copied
}

// oracleCases are the named cases.
func oracleCases() []oracleCase {
	return append(append(contentCases(), treeCases()...), sourceCases()...)
}

// contentCases convert bytes on the way to the file.
func contentCases() []oracleCase {
	return []oracleCase{
		{name: "eol", byGit: true, make: func(g *oracle) {
			g.attribute([]string{
				"* text=auto", "*.txt eol=crlf", "* text=auto eol=crlf", "*.txt -text", "*.txt crlf=input", "* text eol=lf", "* text",
				"/src/** text eol=crlf", "**/lines.txt eol=crlf", "/lines.* eol=crlf", "l*nes.[a-t]?t eol=crlf", `"lines.txt" eol=crlf`, "lines.tx\\t eol=crlf",
				"[attr]win text eol=crlf\n*.txt win", "*.txt filter=unknown", "src/**/x*.txt eol=crlf", "\ufeff*.txt eol=crlf",
			}[g.IntN(17)])
			g.file("lines.txt", "a\nb\r\nc\n")
			g.file("src/more lines.txt", "a\nb\n")
			g.file("src/deep/x.txt", "a\nb\n")
			if g.IntN(3) == 0 {
				g.set("core", "eol", "crlf")
			}
		}},
		{name: "autocrlf", byGit: true, make: func(g *oracle) { g.set("core", "autocrlf", []string{"true", "input"}[g.IntN(2)]) }},
		{name: "filter required", byGit: true, make: func(g *oracle) { g.filter("rot", "tr a-z n-za-m", "required", "true") }},
		{name: "filter not required", byGit: true, make: func(g *oracle) { g.filter("up", "tr a-z A-Z") }},
		{name: "filter process", byGit: true, make: func(g *oracle) {
			g.attribute("*.proc filter=proc")
			g.set(`filter "proc"`, "process", processFilter(), "required", []string{"true", "false"}[g.IntN(2)])
			for i := range 3 {
				g.file(fmt.Sprintf("%d.proc", i), g.content())
			}
		}},
		{name: "filter fails", byGit: true, make: func(g *oracle) { g.filter("bad", "cat; exit 1") }},
		{name: "filter missing", byGit: true, make: func(g *oracle) { g.filter("gone", "/no/such/program") }},
		{name: "required filter fails", refused: true, make: func(g *oracle) { g.requiredFilter("cat; exit 1") }},
		{name: "required filter missing", refused: true, make: func(g *oracle) { g.requiredFilter("/no/such/program") }},
		{name: "large file store", byGit: true, make: (*oracle).largeFiles},
		{name: "ident", byGit: true, make: func(g *oracle) {
			g.attribute("*.c ident")
			g.file("x.c", "$Id$\n")
			g.file("y.c", "$Id: old $ and $Id$\n")
		}},
		{name: "encoding", byGit: true, make: func(g *oracle) {
			enc := []string{"UTF-16", "UTF-16LE-BOM", "SHIFT-JIS", "ISO-8859-1", "no-such-encoding"}[g.IntN(5)]
			g.attribute("*.enc working-tree-encoding=" + enc)
			g.file("x.enc", "naïve text\n")
			g.file("y.enc", "plain\n")
		}},
		{name: "attributes differ", byGit: true, make: func(g *oracle) {
			g.attributesOld = []string{[]string{"*.txt eol=crlf", "* -text", "*.c ident", "# none", "*.txt filter=none text"}[g.IntN(5)]}
			g.revs = append(g.revs, "first")
		}},
		{name: "harmless attributes", make: func(g *oracle) {
			g.file("src/.gitattributes", "# text\n*.png binary\n*.md diff=markdown merge=union export-ignore\n")
		}},
		{name: "huge", make: func(g *oracle) {
			g.set("core", "bigFileThreshold", "64k")
			g.file("huge.bin", strings.Repeat(g.content()+"\x00\n", 1)+strings.Repeat("0123456789abcde\n", 20_000))
			g.file("huge.txt", strings.Repeat("a line of text\n", 9_000))
		}},
	}
}

// filter sets a filter up and has a file for it.
func (g *oracle) filter(name, program string, more ...string) {
	g.attribute("*." + name + " filter=" + name)
	g.file("x."+name, "filtered text\n")
	g.file("src/y."+name, g.content())
	g.set(fmt.Sprintf("filter %q", name), append([]string{"smudge", program, "clean", program}, more...)...)
}

// requiredFilter makes the worktree impossible; the source was there before it.
func (g *oracle) requiredFilter(program string) {
	g.attributes = append(g.attributes, "*.no filter=no")
	g.file("src/x.no", "filtered text\n")
	g.setIn(true, `filter "no"`, "smudge", program, "clean", "cat", "required", "true")
}

// largeFiles has pointers in the commits and the content elsewhere, as git-lfs has it.
func (g *oracle) largeFiles() {
	store := filepath.Join(g.root, "store")
	g.put(filepath.Join(store, "0001"), strings.Repeat("large\n", 1000))
	g.put(filepath.Join(store, "smudge"), "read -r v; read -r oid; if [ -f '"+store+"'/$oid ]; then cat '"+store+"'/$oid; else printf '%s\\n%s\\n' \"$v\" \"$oid\"; fi\n")
	g.put(filepath.Join(store, "clean"), "cat >/dev/null; printf 'large file\\n0001\\n'\n")
	g.attribute("*.big filter=big diff=big merge=big -text")
	g.file("a.big", "large file\n0001\n")
	g.file("src/b.big", "large file\n0001\n")
	g.set(`filter "big"`, "smudge", "sh '"+store+"/smudge' %f", "clean", "sh '"+store+"/clean' %f", "required", "true")
}

// treeCases are kinds of entries and names.
func treeCases() []oracleCase {
	return []oracleCase{
		{name: "symlinks", make: func(g *oracle) { g.links() }},
		{name: "symlinks off", byGit: true, make: func(g *oracle) { g.links(); g.set("core", "symlinks", "false") }},
		{name: "modes", make: func(g *oracle) {
			g.entry("100755", "run", "#!/bin/sh\n")
			g.entry("100755", "src/run", "x\n")
			g.first["run"] = oracleFile{"100644", "#!/bin/sh\n"}
		}},
		{name: "fileMode off", byGit: true, make: func(g *oracle) {
			g.entry("100755", "tool", "#!/bin/sh\n")
			g.set("core", "fileMode", "false")
		}},
		{name: "submodule", byGit: true, make: func(g *oracle) {
			g.file(".gitmodules", "[submodule \"m\"]\n\tpath = mod ule\n\turl = ./nowhere\n")
			g.entry("160000", "mod ule", strings.Repeat("1234567890", 4))
			if g.IntN(2) == 0 {
				g.set("submodule", "recurse", "true")
			}
		}},
		{name: "case collides", make: func(g *oracle) {
			g.file("READ", "upper\n")
			g.file("read", "lower\n")
			g.file("Dir/x", "upper\n")
			g.file("dir/X", "lower\n")
			if g.IntN(2) == 0 {
				g.set("core", "ignoreCase", "true")
			}
		}},
		{name: "not UTF-8", make: func(g *oracle) {
			g.file("caf\xe9.txt", "latin\n")
			g.file("\xff\xfe/\x80", "bytes\n")
			if g.IntN(3) == 0 {
				g.set("core", "quotePath", "false")
			}
		}},
		{name: "refused names", refused: true, make: func(g *oracle) {
			g.after = append(g.after, func() { g.revs = []string{g.refusedTree()} })
		}},
		{name: "empty tree", make: func(g *oracle) { g.revs = append(g.revs, "empty") }},
		{name: "odd names", byGit: true, make: func(g *oracle) {
			g.file(`back\slash`, "x\n")
			g.file("colon:name", "x\n")
			g.file("tilde~1", "x\n")
			g.file(strings.Repeat("long", 50)+"/"+strings.Repeat("n", 200), "x\n")
			g.file(" lead/ trail ", "x\n")
			g.file(".gitignore", "*.o\n/ignored\n")
			g.file(".git-not/x", "x\n")
			if g.IntN(3) == 0 {
				g.set("core", "protectNTFS", "false")
			}
		}},
		{name: "crowded folders", make: func(g *oracle) {
			g.file("d/e/f/g/h/i", "deep\n")
			g.file("d-e", "sorts between\n")
			g.file("d.e", "sorts between\n")
			g.first["k"] = oracleFile{"100644", "a file\n"} // a folder later
			g.second["k/l"] = oracleFile{"100644", "in a folder\n"}
		}},
	}
}

func (g *oracle) links() {
	g.entry("120000", "link", "a.txt")
	g.entry("120000", "src/up", "../no/where")
	g.entry("120000", "out", "/dev/null")
	g.entry("120000", "folder link", "src")
	if g.IntN(2) == 0 {
		g.first["link"] = oracleFile{"100644", "was a file\n"}
	}
}

// refusedTree has a path in it that git does not write.
func (g *oracle) refusedTree() string {
	blob := g.stdin("payload\n", "hash-object", "-w", "--stdin")
	sub := g.mktree("100644 " + blob + "\tpwned")
	name := []string{".git", "..", ".GIT", "GIT~1", ".git ", ".g\u200cit", ".git::$INDEX_ALLOCATION", `a\..\b`, "."}[g.IntN(9)]
	g.append(".git/config", "[core]\n\tprotectHFS = true\n\tprotectNTFS = true\n")
	g.log = append(g.log, fmt.Sprintf("tree with %q", name))
	return g.tree("40000 " + sub + "\t" + name)
}

// sourceCases are states of the source worktree and its index.
func sourceCases() []oracleCase {
	do := func(f func(*oracle)) func(*oracle) {
		return func(g *oracle) { g.after = append(g.after, func() { f(g) }) }
	}
	return []oracleCase{
		{name: "sparse cone", byGit: true, group: "sparse", make: do(func(g *oracle) {
			words := []string{"sparse-checkout", "set", "--cone"}
			if g.IntN(3) == 0 {
				words = append(words, "--sparse-index")
			}
			g.sparse(append(words, "src/deep", "한")...)
		})},
		{name: "sparse patterns", byGit: true, group: "sparse", make: do(func(g *oracle) {
			g.sparse("sparse-checkout", "set", "--no-cone", "/src/", "*.txt", "!/src/deep/")
		})},
		{name: "skip-worktree", byGit: true, make: do(func(g *oracle) {
			g.try("update-index", "--skip-worktree", "a.txt")
			g.put(g.path("a.txt"), "mine\n")
		})},
		{name: "assume-unchanged", byGit: true, make: do(func(g *oracle) {
			g.try("update-index", "--assume-unchanged", "a.txt")
			g.put(g.path("a.txt"), "mine\n")
		})},
		{name: "racily clean", make: do((*oracle).racily)},
		{name: "changed while copied", make: (*oracle).rewriter},
		{name: "index version 2", group: "index", make: func(g *oracle) { g.set("index", "version", "2") }},
		{name: "index version 3", byGit: true, make: do(func(g *oracle) {
			g.Write("later", "x")
			g.try("add", "-N", "later")
		})},
		{name: "index version 4", byGit: true, group: "index", make: func(g *oracle) {
			if g.IntN(2) == 0 {
				g.set("index", "version", "4")
			} else {
				g.after = append(g.after, func() { g.try("update-index", "--index-version", "4") })
			}
		}},
		{name: "many files", byGit: true, make: func(g *oracle) { g.set("feature", "manyFiles", "true") }},
		{name: "split index", byGit: true, make: func(g *oracle) {
			if g.IntN(2) == 0 {
				g.set("core", "splitIndex", "true")
			} else {
				g.after = append(g.after, func() { g.try("update-index", "--split-index") })
			}
		}},
		{name: "fsmonitor", byGit: true, make: func(g *oracle) {
			g.put(filepath.Join(g.root, "monitor"), "#!/bin/sh\nprintf 'token\\0/\\0'\n")
			g.must(os.Chmod(filepath.Join(g.root, "monitor"), 0o755))
			g.set("core", "fsmonitor", filepath.Join(g.root, "monitor"))
			g.after = append(g.after, func() { g.try("update-index", "--fsmonitor") })
		}},
		{name: "untracked cache", byGit: true, make: func(g *oracle) {
			g.set("core", "untrackedCache", "true")
		}},
		{name: "conflict", byGit: true, make: do(func(g *oracle) {
			blob := g.stdin("other\n", "hash-object", "-w", "--stdin")
			g.stdin(fmt.Sprintf("0 %040d\ta.txt\n100644 %s 2\ta.txt\n100644 %s 3\ta.txt\n", 0, blob, blob), "update-index", "--index-info")
		})},
		{name: "hook", make: do((*oracle).hook)},
		{name: "shared repository", byGit: true, make: func(g *oracle) {
			g.set("core", "sharedRepository", []string{"group", "all", "0660"}[g.IntN(3)])
		}},
		{name: "linked source", make: do(func(g *oracle) {
			side := filepath.Join(g.root, "side")
			if !g.try("worktree", "add", "-q", "-b", "side", side, "main") {
				return // a filter that is required
			}
			g.settle(side)
			if g.IntN(2) == 0 {
				g.Git("symbolic-ref", "HEAD", "refs/heads/nothing")
				g.try("read-tree", "--empty")
			}
		})},
	}
}

// try prepares something by git, which may not be possible beside the other cases: git
// itself aborts on some of them.
func (g *oracle) try(args ...string) bool {
	cmd := exec.CommandContext(g.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = g.Dir, g.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.log = append(g.log, fmt.Sprintf("git %q: %v: %.80s", args, err, out))
	}
	return err == nil
}

// sparse does what it is told where git gives new worktrees the patterns. Before 2.36
// Preflight refuses, and 2.35 writes bad trees for some of the indexes made here.
func (g *oracle) sparse(args ...string) {
	if g.try("worktree", "list", "--porcelain", "-z") {
		g.try(args...)
	}
}

// racily changes a file so that everything but its content says that it is as
// committed, as in the race that git calls racily clean.
func (g *oracle) racily() {
	repo := g.open()
	all, err := repo.Worktrees(g.t.Context())
	g.must(err)
	idx, err := repo.ReadIndex(all[0])
	if err != nil {
		g.log = append(g.log, "no index to make racy: "+err.Error())
		return
	}
	var newest time.Time
	for i := range idx.Entries {
		e := &idx.Entries[i]
		data, err := os.ReadFile(g.path(e.Name))
		if err != nil || len(data) == 0 || g.IntN(3) > 0 {
			continue
		}
		data[0] ^= 1
		g.must(os.WriteFile(g.path(e.Name), data, 0o666))
		info, err := os.Lstat(g.path(e.Name))
		g.must(err)
		if info.Mode().IsRegular() {
			e.Stat, newest = gitops.StatOf(info), info.ModTime()
		}
	}
	g.must(repo.WriteIndex(all[0], idx.Entries))
	if g.IntN(2) == 0 && !newest.IsZero() {
		g.must(os.Chtimes(filepath.Join(all[0].GitDir, "index"), newest, newest))
	}
}

// rewriter changes files of the source while we are at work, with size and time kept.
func (g *oracle) rewriter() {
	g.beside = append(g.beside, func(i int) {
		files := g.sourceFiles()
		if len(files) == 0 {
			return
		}
		path := g.path(files[i%len(files)])
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 {
			return
		}
		data[len(data)/2] ^= 0x20
		if os.WriteFile(path, data, 0o666) == nil {
			_ = os.Chtimes(path, info.ModTime(), info.ModTime()) // it may be gone again
		}
	})
}

// hook is a post-checkout hook that says how it was called.
func (g *oracle) hook() {
	dir := g.path(".git/hooks")
	switch g.IntN(3) {
	case 0:
		dir = filepath.Join(g.root, "hooks")
		g.append(".git/config", "[core]\n\thooksPath = "+quoteConfig(dir)+"\n")
	case 1:
		dir = g.path("my hooks")
		g.append(".git/config", "[core]\n\thooksPath = my hooks\n")
	}
	g.put(filepath.Join(dir, "post-checkout"), hookText)
	g.must(os.Chmod(filepath.Join(dir, "post-checkout"), 0o755))
}

const hookText = `#!/bin/sh
{
	printf '%s\n' "$0" "$@" "$PWD" "$(git rev-parse --absolute-git-dir)" "$(git ls-files | wc -l)" "$(ls -A | wc -l)"
	env | grep -E '^(GIT_|OKSTRA)' | grep -vE '^(GIT_EXEC_PATH|GIT_CEILING)' | sort
	cat
} >>"$PWD/../called"
`
