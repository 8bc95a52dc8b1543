package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// quietVars begin the names of git's variables that have no say in what the index has
// otherwise than HEAD, or are looked at here.
var quietVars = []string{
	"GIT_INDEX_FILE=", "GIT_DIR=", "GIT_PREFIX=", "GIT_CONFIG", "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_EDITOR=", "GIT_SEQUENCE_EDITOR=",
	"GIT_PAGER=", "GIT_EXEC_PATH=", "GIT_SSL_", "GIT_SSH", "GIT_ASKPASS=", "GIT_TERMINAL_PROMPT=", "GIT_REFLOG_ACTION=", "GIT_TRACE",
	"GIT_OPTIONAL_LOCKS=", "GIT_MERGE_AUTOEDIT=", "GIT_CEILING_DIRECTORIES=",
}

// AsHead reports whether certainly no file that is picked by its path, and is in the
// index, is there otherwise than in HEAD; what was removed does not count. The
// index is the one that git's variables name, gitDir the worktree's git directory, the
// caller's folder the worktree's top. It reads files and starts no process; where
// anything is not as it mostly is (another format, another owner, a variable or a
// setting that it does not know) it says no, and git is to be asked. picks may not keep
// the path.
func AsHead(ctx context.Context, opts Options, gitDir string, picks func(path []byte) bool) bool {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	if !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(opts.Dir, gitDir)
	}
	r := &Repo{dir: opts.Dir, env: opts.Env, gitDir: gitDir, format: "sha1"}
	if !r.asUsual() {
		return false
	}
	head, ok := r.headOnDisk()
	if !ok {
		return false
	}
	data, err := mapFile(r.usedIndex())
	if err != nil {
		return false
	}
	defer func() { _ = unmapFile(data) }() // it was only read
	same := false
	err = guardFaults(func() error {
		index, ok := scanIndex(data, picks)
		same = ok && (len(index.picked) == 0 || r.pickedAsHead(ctx, head, index))
		return nil
	})
	return err == nil && same
}

// pickedAsHead reads HEAD's trees where the files that were picked are.
func (r *Repo) pickedAsHead(ctx context.Context, head Hash, index *indexScan) bool {
	r.objects = newObjectStore(objectConfig{Dirs: []string{filepath.Join(r.commonDir, "objects")}})
	defer r.Close()
	w := headWalk{ctx, withoutGit{r.objects}}
	kind, data, err := w.reader.read(ctx, head)
	if err != nil || kind != TypeCommit {
		return false
	}
	c, err := ParseCommit(data)
	return err == nil && w.same(c.Tree, index.tree, "", index.picked)
}

// asUsual looks for all that changes what git reads, and finds the common directory.
func (r *Repo) asUsual() bool {
	for _, kv := range r.env {
		if strings.HasPrefix(kv, "GIT_") && !slices.ContainsFunc(quietVars, func(v string) bool { return strings.HasPrefix(kv, v) }) {
			return false
		}
	}
	r.commonDir = r.gitDir
	data, err := os.ReadFile(filepath.Join(r.gitDir, "commondir"))
	if err == nil {
		r.commonDir = joinPath(r.gitDir, strings.TrimRight(string(data), "\r\n"))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	top := filepath.Join(r.dir, ".git")
	for _, owned := range []string{r.gitDir, top, filepath.Dir(top)} { // safe.directory
		if info, err := os.Lstat(owned); err != nil || !ownFile(info) {
			return false
		}
	}
	return usualConfig(filepath.Join(r.commonDir, "config")) && exists(r.commonDir, "refs") && !r.replaces()
}

// usualConfig reports whether a repository's own configuration has the first format, no
// extension and no other worktree.
func usualConfig(file string) bool {
	data, err := os.ReadFile(file)
	text := strings.ToLower(string(data))
	return err == nil && strings.Count(text, "repositoryformatversion") == strings.Count(text, "\n\trepositoryformatversion = 0\n") &&
		!strings.Contains(text, "extensions") && !strings.Contains(text, "worktree") && !strings.Contains(text, "usereplacerefs")
}

// usedIndex is the index that git's variables name.
func (r *Repo) usedIndex() string {
	if name := r.lookupEnv("GIT_INDEX_FILE"); name != "" {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(r.dir, name)
	}
	return filepath.Join(r.gitDir, "index")
}

// headOnDisk reads HEAD where it is a commit or a branch in a file.
func (r *Repo) headOnDisk() (Hash, bool) {
	info, err := os.Lstat(filepath.Join(r.gitDir, "HEAD"))
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := os.ReadFile(filepath.Join(r.gitDir, "HEAD"))
	name, symbolic := strings.CutPrefix(string(text), "ref: ")
	if err != nil || !symbolic {
		return hashLine(string(text))
	}
	name = strings.TrimSuffix(name, "\n")
	if !strings.HasPrefix(name, "refs/heads/") || !fs.ValidPath(name) {
		return "", false
	}
	if text, err = os.ReadFile(filepath.Join(r.commonDir, filepath.FromSlash(name))); err == nil {
		return hashLine(string(text))
	}
	packed, err := os.ReadFile(filepath.Join(r.commonDir, "packed-refs"))
	if err != nil {
		return "", false
	}
	before, _, found := strings.Cut(string(packed), " "+name+"\n")
	if !found {
		return "", false
	}
	return hashLine(before[strings.LastIndexByte(before, '\n')+1:] + "\n")
}

// hashLine reads a line that is an id of SHA-1.
func hashLine(line string) (Hash, bool) {
	h := Hash(strings.TrimSuffix(line, "\n"))
	return h, h.Valid() && len(h) == 2*sha1Len
}

// withoutGit reads what can be read in process, and nothing else.
type withoutGit struct{ *objectStore }

func (s withoutGit) read(ctx context.Context, h Hash) (ObjectType, []byte, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	return s.readFast(h, maxObject)
}

// headWalk holds what was picked from the index against HEAD's trees.
type headWalk struct {
	ctx    context.Context
	reader objectReader
}

// same reports whether all entries, whose names begin with the prefix, stand so in a
// tree. A folder of the same tree is not looked into: git keeps, beside the entries,
// which folders of the index are a known tree, and forgets that where one changes.
func (w headWalk) same(tree Hash, cached cachedTree, prefix string, entries []TreeEntry) bool {
	if cached.is(tree) {
		return true
	}
	there, err := readTree(w.ctx, w.reader, tree)
	if err != nil {
		return false
	}
	for len(entries) > 0 {
		e := entries[0]
		name, _, below := strings.Cut(e.Name[len(prefix):], "/")
		i := slices.IndexFunc(there, func(t TreeEntry) bool { return t.Name == name })
		if i < 0 {
			return false
		}
		n := 1
		if below {
			dir := prefix + name + "/"
			for n < len(entries) && strings.HasPrefix(entries[n].Name, dir) {
				n++
			}
			if there[i].Mode != ModeTree || !w.same(there[i].Hash, cached.sub(name), dir, entries[:n]) {
				return false
			}
		} else if there[i].Mode != e.Mode || there[i].Hash != e.Hash {
			return false
		}
		entries = entries[n:]
	}
	return true
}
