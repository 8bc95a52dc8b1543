package testrepo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// follow runs a recipe's statements in order.
func (r *Repo) follow(text []byte) error {
	archive := txtar.Parse(text)
	members := make(map[string][]byte, len(archive.Files))
	for _, f := range archive.Files {
		members[f.Name] = f.Data
	}
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		words, err := split(line)
		if err == nil && len(words) > 0 {
			err = r.statement(words[0], words[1:], members)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// statement runs one line of a recipe. The verbs are those of the package comment.
func (r *Repo) statement(verb string, args []string, members map[string][]byte) error {
	switch {
	case verb == "git" && len(args) > 0:
		_, err := r.git(nil, nil, args...)
		return err
	case verb == "commit" && len(args) == 1:
		return r.commit(args[0])
	case verb == "file" && (len(args) == 1 || len(args) == 2):
		return r.member(args, members, 0o644)
	case verb == "exec" && (len(args) == 1 || len(args) == 2):
		return r.member(args, members, 0o755)
	case verb == "link" && len(args) == 2:
		return r.link(args[0], args[1])
	case verb == "import" && len(args) == 1:
		data, ok := members[args[0]]
		if !ok {
			return fmt.Errorf("no member %q", args[0])
		}
		_, err := r.git(nil, bytes.NewReader(data), "fast-import", "--quiet")
		return err
	}
	return fmt.Errorf("no such statement: %s with %d arguments", verb, len(args))
}

// member writes an archive member; args are the file's name and, when the two
// differ, the member's.
func (r *Repo) member(args []string, members map[string][]byte, mode os.FileMode) error {
	from := args[len(args)-1]
	data, ok := members[from]
	if !ok {
		return fmt.Errorf("no member %q", from)
	}
	return r.write(args[0], data, mode)
}

func (r *Repo) link(name, target string) error {
	path := filepath.Join(r.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder of %q: %w", name, err)
	}
	if err := os.Symlink(target, path); err != nil {
		return fmt.Errorf("link %q: %w", name, err)
	}
	return nil
}

// split cuts a line at blanks. A part in double quotes, anywhere in a word, is a
// Go string. A comment line has no words.
func split(line string) ([]string, error) {
	var words []string
	rest := strings.TrimSpace(line)
	if strings.HasPrefix(rest, "#") {
		return nil, nil
	}
	for rest != "" {
		var word strings.Builder
		for rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			part, raw, err := piece(rest)
			if err != nil {
				return nil, err
			}
			word.WriteString(part)
			rest = rest[raw:]
		}
		words = append(words, word.String())
		rest = strings.TrimLeft(rest, " \t")
	}
	return words, nil
}

// piece reads what a word begins with, a quoted part or the text up to the next
// quote or blank, and returns it with the number of bytes it took.
func piece(text string) (part string, raw int, err error) {
	if text[0] != '"' {
		if end := strings.IndexAny(text, "\" \t"); end >= 0 {
			return text[:end], end, nil
		}
		return text, len(text), nil
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", 0, fmt.Errorf("quotes at %q: %w", text, err)
	}
	part, err = strconv.Unquote(quoted)
	if err != nil {
		return "", 0, fmt.Errorf("quotes at %q: %w", text, err)
	}
	return part, len(quoted), nil
}
