package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// minAbbreviation is the shortest abbreviated id that is looked up.
const minAbbreviation = 7

// ResolveIDs finds the commits of many ids, whole or abbreviated to at least seven
// digits, with one git process. What is no id, names no object here, several, or
// one that is no commit, is not in the map.
func (r *Repo) ResolveIDs(ctx context.Context, words []string) (map[string]Hash, error) {
	found := map[string]Hash{}
	var asked []string
	var in bytes.Buffer
	seen := map[string]bool{}
	for _, word := range words {
		if seen[word] || len(word) < minAbbreviation || len(word) > 2*r.objects.hashLen() || !isHex(word) {
			continue
		}
		seen[word] = true
		asked = append(asked, word)
		in.WriteString(strings.ToLower(word) + "\n")
	}
	if len(asked) == 0 {
		return found, nil
	}
	out, err := r.run(ctx, r.common(), &in, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return nil, fmt.Errorf("look up commits: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(asked) {
		return nil, fmt.Errorf("look up commits: git answered %d of %d", len(lines), len(asked))
	}
	for i, line := range lines {
		id, kind, _ := strings.Cut(line, " ")
		// A ref may have the name that looks like an abbreviation.
		if kind == string(TypeCommit) && Hash(id).Valid() && strings.HasPrefix(id, strings.ToLower(asked[i])) {
			found[asked[i]] = Hash(id)
		}
	}
	return found, nil
}
