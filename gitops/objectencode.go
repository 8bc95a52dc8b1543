package gitops

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// usualHeaders are those that a commit's extra headers must not repeat.
var usualHeaders = []string{"tree", "parent", "author", "committer"}

// encodeCommit writes a commit in git's format.
func encodeCommit(c CommitData) ([]byte, error) {
	var b strings.Builder
	if !c.Tree.Valid() {
		return nil, fmt.Errorf("commit: tree %q is no object id", c.Tree)
	}
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		if len(p) != len(c.Tree) || !p.Valid() {
			return nil, fmt.Errorf("commit: parent %q is no object id here", p)
		}
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n", c.Author, c.Committer)
	for _, h := range c.Extra {
		if !validHeader(h) {
			return nil, fmt.Errorf("commit: header %q not allowed", h.Key)
		}
		fmt.Fprintf(&b, "%s %s\n", h.Key, strings.ReplaceAll(h.Value, "\n", "\n "))
	}
	return endMessage(&b, c.Message), nil
}

// validHeader keeps an extra header from being read as another one.
func validHeader(h ExtraHeader) bool {
	return h.Key != "" && !strings.ContainsAny(h.Key, " \n\x00") &&
		!slices.Contains(usualHeaders, h.Key) && !strings.ContainsRune(h.Value, 0)
}

// encodeTag writes an annotated tag in git's format.
func encodeTag(t TagData) ([]byte, error) {
	if !t.Target.Valid() {
		return nil, fmt.Errorf("tag: target %q is no object id", t.Target)
	}
	switch t.TargetType {
	case TypeBlob, TypeTree, TypeCommit, TypeTag:
	default:
		return nil, fmt.Errorf("tag: target type %q", t.TargetType)
	}
	if t.Name == "" || strings.ContainsAny(t.Name, "\n\x00") {
		return nil, fmt.Errorf("tag: name %q", t.Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "object %s\ntype %s\ntag %s\ntagger %s\n", t.Target, t.TargetType, t.Name, t.Tagger)
	return endMessage(&b, t.Message), nil
}

// endMessage appends the message, without NUL and with a newline at its end.
func endMessage(b *strings.Builder, message string) []byte {
	message = strings.ReplaceAll(message, "\x00", "")
	b.WriteByte('\n')
	b.WriteString(message)
	if message != "" && !strings.HasSuffix(message, "\n") {
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// checkTree refuses what git's fsck would: unusable names, names twice, other modes.
func checkTree(entries []TreeEntry) error {
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		switch {
		case e.Name == "" || e.Name == "." || e.Name == ".." || strings.EqualFold(e.Name, ".git") ||
			strings.ContainsAny(e.Name, "/\x00"):
			return fmt.Errorf("tree: entry name %q not allowed", e.Name)
		case seen[e.Name]:
			return fmt.Errorf("tree: entry name %q twice", e.Name)
		}
		seen[e.Name] = true
		switch e.Mode {
		case ModeTree, ModeFile, ModeExec, ModeSymlink, ModeGitlink:
		default:
			return fmt.Errorf("tree: entry %q has mode %o", e.Name, e.Mode)
		}
	}
	return nil
}

// encodeTree writes entries in git's order, in which a directory sorts as if its
// name ended with a slash. Names are not checked.
func encodeTree(entries []TreeEntry, hashLen int) ([]byte, error) {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, compareEntries)
	b := make([]byte, 0, len(sorted)*(len("100644 ")+3*hashLen))
	for _, e := range sorted {
		id, err := hex.DecodeString(string(e.Hash))
		if err != nil || len(id) != hashLen {
			return nil, fmt.Errorf("tree: entry %q: %q is no object id here", e.Name, e.Hash)
		}
		b = append(strconv.AppendUint(b, uint64(e.Mode), 8), ' ')
		b = append(append(b, e.Name...), 0)
		b = append(b, id...)
	}
	return b, nil
}

func compareEntries(a, b TreeEntry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(sortByte(a, n), sortByte(b, n))
}

// sortByte is the byte at i, a slash standing behind a directory's name.
func sortByte(e TreeEntry, i int) int {
	switch {
	case i < len(e.Name):
		return int(e.Name[i])
	case e.Mode == ModeTree:
		return '/'
	}
	return 0
}
