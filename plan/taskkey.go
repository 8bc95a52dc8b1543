package plan

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TaskKey is a task's identity, <project>:<group>:<task>, in the original
// spelling. Two different keys may have the same [TaskKey.Ref]; whoever stores
// one must compare the keys and refuse, never merge.
type TaskKey struct {
	Project, Group, Task string
}

// ErrTaskKey is wrapped by every error about a task key.
var ErrTaskKey = errors.New("no task key of the form project:group:task")

// String gives "project:group:task" in the original spelling.
func (k TaskKey) String() string { return k.Project + ":" + k.Group + ":" + k.Task }

// Ref gives "project/group/task" with each segment mapped by [MapSegment],
// always fit to stand in a ref name. A segment of which nothing is left, which
// [ParseTaskKey] refuses, becomes "-".
func (k TaskKey) Ref() string {
	segments := []string{k.Project, k.Group, k.Task}
	for i, s := range segments {
		mapped, err := MapSegment(s)
		if err != nil {
			mapped = "-"
		}
		segments[i] = mapped
	}
	return strings.Join(segments, "/")
}

// ParseTaskKey reads "project:group:task". Each segment must be there and must
// have something left after [MapSegment].
func ParseTaskKey(s string) (TaskKey, error) {
	segments := strings.Split(s, ":")
	if len(segments) != 3 {
		return TaskKey{}, fmt.Errorf("%w: %s", ErrTaskKey, Quote(s))
	}
	for _, segment := range segments {
		if _, err := MapSegment(segment); err != nil {
			return TaskKey{}, fmt.Errorf("task key %s: %w", Quote(s), err)
		}
	}
	return TaskKey{segments[0], segments[1], segments[2]}, nil
}

// maxSegment is the length of a mapped segment in bytes. It leaves room for
// the suffixes of branches and lock files in a file name of 255 bytes.
const maxSegment = 100

// MapSegment makes a ref-safe segment: NFC; what git's ref rules forbid, white
// space, control and invisible format characters become "-"; leading dots and
// trailing ".lock" and "." go; at most 100 bytes, cut between code points.
// A segment of which nothing is left is an error that wraps [ErrTaskKey].
func MapSegment(s string) (string, error) {
	mapped := strings.TrimLeft(norm.NFC.String(strings.ToValidUTF8(s, "-")), ".")
	mapped = pairs.Replace(strings.Map(mapRune, mapped))
	mapped = trimTail(cut(mapped, maxSegment))
	if mapped == "" {
		return "", fmt.Errorf("%w: nothing is left of segment %s in a ref name", ErrTaskKey, Quote(s))
	}
	return mapped, nil
}

// mapRune maps what one character may not be, after git-check-ref-format(1)
// rules 1, 4, 5, 6 and 10; the colon separates the segments of a key.
func mapRune(r rune) rune {
	if strings.ContainsRune(`/:~^?*[\`, r) || unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Z) {
		return '-'
	}
	return r
}

// pairs maps what two characters may not be: ".." (rule 3) and "@{" (rule 8).
var pairs = strings.NewReplacer("..", "--", "@{", "--")

// trimTail removes what a ref segment may not end with (rules 1 and 7), again
// and again, for each removal may lay bare the next.
func trimTail(s string) string {
	for {
		t := strings.TrimSuffix(strings.TrimRight(s, "."), ".lock")
		if t == s {
			return s
		}
		s = t
	}
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// KeyFromPath finds group and task in a path that goes through
// .okstra/tasks/<group>/<task>/, slashes as separators. The last such place
// counts: a task folder may lie inside another worktree's.
func KeyFromPath(p string) (group, task string, ok bool) {
	parts := strings.Split(path.Clean(p), "/")
	for i := len(parts) - 5; i >= 0; i-- {
		if parts[i] == ".okstra" && parts[i+1] == "tasks" && parts[i+2] != ".." {
			return parts[i+2], parts[i+3], true
		}
	}
	return "", "", false
}

// IsBranchPrefix reports whether some category's branches begin so.
func IsBranchPrefix(s string) bool {
	switch s {
	case "feat", "fix", "refactor", "ops", "improve":
		return true
	}
	return false
}

// BranchPrefix is the prefix of a stage's branch for a category; an unknown or
// empty category has that of a feature.
func BranchPrefix(category string) string {
	switch category {
	case "bugfix":
		return "fix"
	case "refactor", "ops":
		return category
	case "improvement":
		return "improve"
	}
	return "feat"
}
