package remote

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Choose picks the remote to sync with: the one that is named, else okstra.remote, else
// the upstream of the first branch that has one, else origin, else the only one. Errors:
// *UnknownError.
func Choose(c gitops.Config, named string, branches []gitops.RefName) (string, error) {
	all := Names(c)
	if name := cmp.Or(named, c.Get("okstra.remote")); name != "" {
		if !slices.Contains(all, name) {
			return "", &UnknownError{Name: name, Known: all}
		}
		return name, nil
	}
	var candidates []string
	for _, b := range branches {
		candidates = append(candidates, c.Get("branch."+strings.TrimPrefix(string(b), "refs/heads/")+".remote"))
	}
	for _, name := range append(candidates, "origin") {
		if slices.Contains(all, name) {
			return name, nil
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return "", &UnknownError{Known: all}
}

// UnknownError is a remote that is not configured, or none that could be meant.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	switch {
	case e.Name != "":
		return fmt.Sprintf("no remote %q is configured here", e.Name)
	case len(e.Known) == 0:
		return "no remote is configured here"
	}
	names := make([]string, len(e.Known))
	for i, n := range e.Known {
		names[i] = plan.Printable(n)
	}
	return "several remotes are configured here, one must be named: " + strings.Join(names, ", ")
}

// Names are the remotes that are configured, in the order of the configuration.
func Names(c gitops.Config) []string { return c.Subsections("remote.", ".url") }
