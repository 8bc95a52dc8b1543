package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ConfigValue is one value for git's configuration; the key is as git lists it.
type ConfigValue struct{ Key, Value string }

// ErrConfigLocked is the sentinel for a configuration file that another process is
// changing.
var ErrConfigLocked = errors.New("the configuration file is locked")

// ConfigFile returns the configuration file that all worktrees share.
func (r *Repo) ConfigFile() string { return filepath.Join(r.commonDir, "config") }

// SetConfigBlock writes values at the end of the repository's own configuration,
// each line with the name as a comment, instead of those with that name which are
// there. (Lines of their own as marks would go when git removes the section above
// them.) All else stays as it is, byte by byte, so that RemoveConfigBlock gives
// back the file as it was. Errors: ErrConfigLocked.
func (r *Repo) SetConfigBlock(name string, values []ConfigValue) error {
	return r.editConfig(func(text string) string {
		text = cutBlock(text, name)
		if len(values) == 0 {
			return text
		}
		return text + renderBlock(name, values, openEnds(text))
	})
}

// RemoveConfigBlock takes the block out again. Lines that others wrote into it (git
// adds to the last section of a name) stay.
func (r *Repo) RemoveConfigBlock(name string) error {
	if _, err := os.Stat(r.ConfigFile()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return r.editConfig(func(text string) string { return cutBlock(text, name) })
}

// editConfig changes the file under git's own lock for it, beside it and renamed.
func (r *Repo) editConfig(change func(string) string) error {
	path, err := filepath.EvalSymlinks(r.ConfigFile())
	if err != nil {
		return fmt.Errorf("change configuration: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("change configuration: %w", err)
	}
	if text, err := os.ReadFile(path); err == nil && change(string(text)) == string(text) {
		return nil // nothing to do, so nothing need be writable
	}
	lock, err := lockFile(path+".lock", info.Mode().Perm())
	if err != nil {
		return fmt.Errorf("change configuration: %w", err)
	}
	done := false
	defer func() {
		if !done {
			_ = os.Remove(lock.Name())
		}
	}()
	before, err := os.ReadFile(path)
	if err != nil {
		return errors.Join(fmt.Errorf("change configuration: %w", err), lock.Close())
	}
	after := change(string(before))
	if after == string(before) {
		return lock.Close()
	}
	_, err = lock.WriteString(after)
	for _, step := range []func() error{
		func() error { return lock.Chmod(info.Mode().Perm()) }, lock.Sync, lock.Close,
		func() error { return os.Rename(lock.Name(), path) },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return fmt.Errorf("change configuration: %w", err)
	}
	done = true
	return nil
}

// lockFile makes a lock file as git does. One that is there is waited for: another git
// takes a moment for such a change.
func lockFile(path string, mode fs.FileMode) (*os.File, error) {
	const patience, pause = time.Second, 20 * time.Millisecond
	for deadline := time.Now().Add(patience); ; time.Sleep(pause) {
		lock, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return lock, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%w: %q exists", ErrConfigLocked, path)
		}
	}
}

// mark is the comment behind a line of a block. A block that had to end the line
// above it says so in its first header, and takes that line end away again.
func mark(name string) string { return " # " + name }

const lineEndAdded = ", which ended the line above"

// maxOpenEnds is the most line ends that a block adds: one for the line, and one for
// the line that it continues in.
const maxOpenEnds = 2

// openEnds counts the line ends that the last value of a text lacks: its line has
// none, or a backslash before the line end continues the value.
func openEnds(text string) int {
	open := 0
	if text != "" && !strings.HasSuffix(text, "\n") {
		open++
	}
	line := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	if (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1 {
		open++
	}
	return open
}

// renderBlock writes the block; open is how many line ends the text before it lacks.
func renderBlock(name string, values []ConfigValue, open int) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("\n", open))
	more := strings.Repeat(lineEndAdded, open)
	section := ""
	for _, v := range values {
		head, key := splitKey(v.Key)
		if head != section {
			section = head
			b.WriteString(head + mark(name) + more + "\n")
			more = ""
		}
		fmt.Fprintf(&b, "\t%s = %s%s\n", key, quoteConfig(v.Value), mark(name))
	}
	return b.String()
}

// splitKey gives the section header and the last part of a key.
func splitKey(key string) (header, name string) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first == last {
		return "[" + key[:first] + "]", key[last+1:]
	}
	sub := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key[first+1 : last])
	return "[" + key[:first] + ` "` + sub + `"]`, key[last+1:]
}

func quoteConfig(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}

// cutBlock takes the lines of the block out of a file's text. A header stays, without
// its mark, where others have written below it.
func cutBlock(text, name string) string {
	var b strings.Builder
	header, added, ends := "", -1, 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		body := strings.TrimRight(line, "\r\n")
		own, marked := strings.CutSuffix(body, mark(name))
		for n := 1; n <= maxOpenEnds; n++ {
			if rest, ok := strings.CutSuffix(body, mark(name)+strings.Repeat(lineEndAdded, n)); ok {
				own, marked, added, ends = rest, true, b.Len(), n
			}
		}
		isHeader := strings.HasPrefix(strings.TrimSpace(body), "[")
		switch {
		case marked && isHeader:
			header = own + line[len(body):]
			continue
		case marked:
			continue
		case isHeader:
			header = ""
		case header != "" && strings.TrimSpace(body) != "":
			b.WriteString(header)
			header = ""
		}
		b.WriteString(line)
	}
	if added == b.Len() {
		return strings.TrimSuffix(b.String(), strings.Repeat("\n", ends))
	}
	return b.String()
}

// ConfigBlock reads the values of a block, nil where there is none.
func (r *Repo) ConfigBlock(name string) ([]ConfigValue, error) {
	text, err := os.ReadFile(r.ConfigFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // to git an empty one
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	var out []ConfigValue
	header := ""
	for line := range strings.SplitSeq(string(text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			header, _, _ = strings.Cut(line, mark(name))
			continue
		}
		line, own := strings.CutSuffix(line, mark(name))
		if key, value, ok := strings.Cut(line, " = "); ok && own {
			out = append(out, ConfigValue{joinKey(header, key), unquoteConfig(value)})
		}
	}
	return out, nil
}

// joinKey is the inverse of splitKey.
func joinKey(header, name string) string {
	section, sub, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(header, "["), "]"), " ")
	if !ok {
		return section + "." + name
	}
	return section + "." + unquoteConfig(sub) + "." + name
}

func unquoteConfig(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`)
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t").Replace(s)
}
