package prove

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// Files are the files below qa/ of a plan's commit, by path.
type Files map[string]gitops.TreeEntry

// Pinned lists what is pinned with a plan beside it.
func Pinned(ctx context.Context, repo *gitops.Repo, planCommit gitops.Hash) (Files, error) {
	all, err := repo.FlattenTree(ctx, planCommit)
	if err != nil {
		return nil, fmt.Errorf("read the plan's commit: %w", err)
	}
	out := Files{}
	for _, e := range all {
		if strings.HasPrefix(e.Name, "qa/") {
			out[e.Name] = e
		}
	}
	return out, nil
}

// Regular says of each of the files whether it is a regular one.
func (f Files) Regular() map[string]bool {
	out := map[string]bool{}
	for name, e := range f {
		out[name] = e.Mode == gitops.ModeFile || e.Mode == gitops.ModeExec
	}
	return out
}

// LayOut writes the files below dir, where no qa/ may be, and gives the folder that is
// $OKSTRA_QA: what is pinned as qa/scripts/x is scripts/x there, and qa/scripts/x too.
// Errors: a file that is none, or that would lie elsewhere.
func (f Files) LayOut(ctx context.Context, repo *gitops.Repo, dir string) (string, error) {
	qa := filepath.Join(dir, "qa")
	if err := os.MkdirAll(qa, 0o777); err != nil {
		return "", fmt.Errorf("lay out qa/: %w", err)
	}
	for name, e := range f {
		local := filepath.FromSlash(name)
		if !filepath.IsLocal(local) || filepath.Clean(local) != local || e.Mode != gitops.ModeFile && e.Mode != gitops.ModeExec {
			return "", fmt.Errorf("lay out qa/: %q is no regular file inside of it", name)
		}
		_, content, err := repo.ReadObject(ctx, e.Hash)
		if err != nil {
			return "", fmt.Errorf("lay out qa/: %w", err)
		}
		mode := os.FileMode(0o666)
		if e.Mode == gitops.ModeExec {
			mode = 0o777
		}
		at := filepath.Join(dir, local)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return "", fmt.Errorf("lay out qa/: %w", err)
		}
		if err := os.WriteFile(at, content, mode); err != nil {
			return "", fmt.Errorf("lay out qa/: %w", err)
		}
	}
	if _, taken := f["qa/qa"]; !taken {
		if err := os.Symlink(".", filepath.Join(qa, "qa")); err != nil {
			return "", fmt.Errorf("lay out qa/: %w", err)
		}
	}
	return qa, nil
}

// Aim makes a command run the pinned files: a word of it that is the path of one below
// one of the roots ("" and the task's folder) becomes the path of its copy. A quoted word
// stays quoted.
func (f Files) Aim(command, qa string, roots ...string) string {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		copied := filepath.Join(filepath.Dir(qa), filepath.FromSlash(name))
		for _, root := range roots {
			for _, lead := range []string{"", "./"} {
				command = replaceWord(command, lead+strings.TrimPrefix(root+"/"+name, "/"), copied)
			}
		}
	}
	return command
}

// replaceWord replaces a word of a shell command.
func replaceWord(command, word, with string) string {
	var out strings.Builder
	for rest := command; ; {
		at := strings.Index(rest, word)
		if at < 0 {
			out.WriteString(rest)
			return out.String()
		}
		before, after := " ", " "
		if at > 0 {
			before = rest[at-1 : at]
		} else if out.Len() > 0 {
			before = "x" // in the middle of a word
		}
		if end := at + len(word); end < len(rest) {
			after = rest[end : end+1]
		}
		out.WriteString(rest[:at])
		quote := strings.ContainsAny(before, `"'`)
		switch {
		case quote && before == after && !strings.ContainsAny(with, "\"'$`\\"):
			out.WriteString(with)
		case !quote && strings.ContainsAny(before, " \t\n;|&()=<>") && strings.ContainsAny(after, " \t\n;|&()<>"):
			out.WriteString("'" + strings.ReplaceAll(with, "'", `'\''`) + "'")
		default:
			out.WriteString(word)
		}
		rest = rest[at+len(word):]
	}
}
