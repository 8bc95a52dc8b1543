package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes a commit of entries as `git mktree` takes them, without its checks of
// names and order, and returns its id. At its place stands a file that the sibling
// has, too, so that there is something to copy.
func (w *world) tree(entries ...string) string {
	w.t.Helper()
	at := slices.IndexFunc(entries, func(e string) bool { return strings.SplitN(e, "\t", 2)[1] > "a.txt" })
	if at < 0 {
		at = len(entries)
	}
	entries = slices.Insert(slices.Clone(entries), at, "100644 "+w.Git("rev-parse", "main:a.txt")+"\ta.txt")
	return w.Git("commit-tree", "-m", "made by hand", w.mktree(entries...))
}

func (w *world) mktree(entries ...string) string {
	w.t.Helper()
	var raw strings.Builder
	for _, e := range entries {
		meta, name, _ := strings.Cut(e, "\t")
		f := strings.Fields(meta)
		var id []byte
		if _, err := fmt.Sscanf(f[1], "%x", &id); err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&raw, "%s %s\x00%s", f[0], name, id)
	}
	return w.stdin(raw.String(), "hash-object", "--literally", "-w", "-t", "tree", "--stdin")
}

// stdin runs git with input.
func (w *world) stdin(in string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.Dir, w.Env, strings.NewReader(in)
	out, err := cmd.Output()
	w.must(err)
	return strings.TrimSpace(string(out))
}

// TestHostileTrees holds that a tree which somebody made by hand is taken or refused
// exactly as git does it, and that a refusal leaves nothing, inside or outside.
func TestHostileTrees(t *testing.T) {
	t.Parallel()
	w := small(t)
	blob := w.stdin("payload\n", "hash-object", "-w", "--stdin")
	link := w.stdin("../../../../outside", "hash-object", "-w", "--stdin")
	sub := w.mktree("100644 " + blob + "\tpwned")
	file := func(name string) string { return "100644 " + blob + "\t" + name }
	dir := func(name string) string { return "40000 " + sub + "\t" + name }
	for what, commit := range map[string]string{
		".git":                    w.tree(dir(".git")),
		".GIT":                    w.tree(dir(".GIT")),
		".git as a file":          w.tree(file(".git")),
		"parent":                  w.tree(dir("..")),
		"itself":                  w.tree(dir(".")),
		"slash":                   w.tree(file("a/../../../../outside")),
		"backslash":               w.tree(file(`a\..\b`)),
		"short name":              w.tree(dir("GIT~1")),
		"stream":                  w.tree(dir(".git::$INDEX_ALLOCATION")),
		"blanks behind":           w.tree(dir(".git  ")),
		"invisible":               w.tree(dir(".g\u200cit")),
		"link and folder":         w.tree("120000 "+link+"\tx", dir("x")),
		"folder and file":         w.tree(dir("x"), file("x")),
		"twice":                   w.tree(file("x"), file("x")),
		"not in order":            w.tree(file("b"), file("a")),
		"link .gitmodules":        w.tree("120000 " + link + "\t.gitmodules"),
		"link .GITMODULES":        w.tree("120000 " + link + "\t.GITMODULES"),
		"link .gitattributes":     w.tree("120000 " + link + "\t.gitattributes"),
		"link out of the tree":    w.tree("120000 "+link+"\tx", file("y")),
		"group may write":         w.tree("100664 " + blob + "\tx"),
		"strange mode":            w.tree("100600 " + blob + "\tx"),
		"submodule":               w.tree("160000 "+w.Git("rev-parse", "main")+"\tmodule", file("y")),
		"nothing":                 w.Git("commit-tree", "-m", "empty", w.mktree()),
		"missing blob":            w.tree("100644 " + strings.Repeat("12", 20) + "\tx"),
		"empty folder":            w.tree("40000 "+w.mktree()+"\tempty", file("y")),
		"unicode out of encoding": w.tree(file("\xff\xfe")),
	} {
		t.Run(what, func(t *testing.T) {
			defer func(outer testing.TB) { w.t = outer }(w.t)
			w.t = t
			sameFate(t, w, what, commit)
		})
	}
	for _, outside := range []string{filepath.Join(w.root, "outside"), filepath.Join(w.root, "..", "outside"), w.path("pwned")} {
		if exists(outside) {
			t.Errorf("%s was written", outside)
		}
	}
}

func sameFate(t *testing.T, w *world, what, commit string) {
	t.Helper()
	target, _, err := w.provision(commit)
	oracle := target.Path + "-by-git"
	_, stderr, code := w.TryGit("worktree", "add", "-q", "--detach", oracle, commit)
	switch complaint, _, _ := strings.Cut(stderr, "\n"); {
	case (err == nil) != (code == 0):
		t.Errorf("%v; git exits %d: %s", err, code, stderr)
	case err == nil:
		w.compare(target.Path, oracle)
	case what != "missing blob" && !strings.Contains(err.Error(), strings.TrimPrefix(complaint, "error: ")):
		t.Errorf("%v; git says %s", err, complaint)
	case exists(target.Path) || strings.Contains(w.Git("worktree", "list"), target.Path+" "):
		t.Error("something is left")
	}
}

// TestAttributesFromOutside holds that attributes which are not in the tree are
// applied too.
func TestAttributesFromOutside(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(*world){
		"info": func(w *world) { w.Write(".git/info/attributes", "*.txt eol=crlf\n") },
		"configured": func(w *world) {
			w.Write("../attr", "*.txt eol=crlf\n")
			w.Git("config", "core.attributesFile", w.path("../attr"))
		},
		"xdg": func(w *world) {
			w.Write("../xdg/git/attributes", "*.txt eol=crlf\n")
			w.Env = append(w.Env, "XDG_CONFIG_HOME="+w.path("../xdg"))
		},
		"home": func(w *world) {
			w.Write("../home/.config/git/attributes", "*.txt eol=crlf\n")
			w.Env = append(w.Env, "HOME="+w.path("../home"))
		},
		"command line":      func(w *world) { w.Env = append(w.Env, "GIT_CONFIG_PARAMETERS='core.autocrlf'='true'") },
		"for the branch":    func(w *world) { w.Write("../inc", "[core]\nautocrlf = true\n"); w.includeForStages() },
		"macro in the tree": func(w *world) { w.Write(".gitattributes", "[attr]win eol=crlf\n*.txt win\n"); w.Commit("macro") },
		"odd blank":         func(w *world) { w.Write(".gitattributes", "\u00a0# text\n*.txt\teol=crlf\n"); w.Commit("blank") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := small(t)
			put(w)
			target, res := w.mustProvision("main")
			data, err := os.ReadFile(filepath.Join(target.Path, "a.txt"))
			if err != nil || string(data) != "content of a.txt\r\n" || res.Copied > 2 || res.Copied > 0 && name != "odd blank" { // its other two files
				t.Errorf("%q, %v, %+v", data, err, res)
			}
		})
	}
}

// includeForStages makes a setting that holds on the stages' branches only.
func (w *world) includeForStages() {
	w.Git("config", "includeIf.onbranch:stage-*.path", w.path("../inc"))
}

// TestUmask provisions in a process of its own, with a umask that leaves nothing to
// others, and compares permissions with git's under the same one.
func TestUmask(t *testing.T) {
	if os.Getenv("WORKSPACE_TEST_UMASK") != "" {
		umask(0o077)
		w := small(t)
		w.must(os.Chmod(w.path("a.txt"), 0o644)) // as from a time with another umask
		w.settle()
		if res := w.sameAsGit("main"); res.Copied != 5 {
			t.Errorf("result %+v", res)
		}
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUmask$")
	cmd.Env = append(os.Environ(), "WORKSPACE_TEST_UMASK=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
