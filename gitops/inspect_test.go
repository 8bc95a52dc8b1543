package gitops

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plant writes a file below the git directory.
func plant(t *testing.T, r *Repo, name, text string) string {
	t.Helper()
	path := filepath.Join(r.commonDir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInspectRefsNamesBrokenOnes(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 2)
	made.Git("update-ref", "refs/okstra/k/base", string(c[0]))
	made.Git("update-ref", "refs/worktree/okstra/k/1", string(c[0]))
	missing := strings.Repeat("12", 20)
	plant(t, r, "refs/okstra/k/done/1", missing+"\n")
	plant(t, r, "refs/okstra/k/done/2", "junk\n")
	plant(t, r, "refs/okstra/k/done/3", "")
	plant(t, r, "refs/okstra/k/done/4", "ref: refs/heads/nowhere\n")
	plant(t, r, "refs/okstra/k/done/5.lock", "junk\n")
	plant(t, r, "refs/elsewhere/6", "junk\n")
	l, err := r.InspectRefs(t.Context(), "refs/okstra", "refs/worktree/okstra", "refs/absent")
	if err != nil {
		t.Fatal(err)
	}
	want := []Ref{{"refs/okstra/k/base", c[0]}, {"refs/okstra/k/done/1", Hash(missing)}, {"refs/worktree/okstra/k/1", c[0]}}
	if !slices.Equal(l.Refs, want) {
		t.Errorf("refs %v", l.Refs)
	}
	broken := slices.Sorted(slices.Values(l.Broken))
	if !slices.Equal(broken, []RefName{"refs/okstra/k/done/2", "refs/okstra/k/done/3", "refs/okstra/k/done/4"}) {
		t.Errorf("broken %q", broken)
	}
	// what commands decide on stays strict
	if _, err := r.Refs(t.Context(), "refs/okstra"); err == nil {
		t.Error("Refs lists below a broken ref")
	}
}

func TestInspectRefsFails(t *testing.T) {
	t.Parallel()
	_, r, _ := repoWithHistory(t, 1)
	if err := os.RemoveAll(filepath.Join(r.commonDir, "objects")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.InspectRefs(t.Context(), "refs/okstra"); err == nil {
		t.Error("no repository any more, and no error")
	}
}

func TestWorktreeRefs(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	path := filepath.Join(t.TempDir(), "wt")
	made.Git("worktree", "add", "-q", "--detach", path)
	made.Git("-C", path, "update-ref", "refs/worktree/okstra/k/7", string(c[0]))
	made.Git("update-ref", "refs/worktree/okstra/k/1", string(c[0]))
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	all, err := r.Worktrees(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%v %v", all, err)
	}
	for i, want := range []RefName{"refs/worktree/okstra/k/1", "refs/worktree/okstra/k/7"} {
		if got := r.WorktreeRefs(all[i], "refs/worktree/okstra"); !slices.Equal(got, []Ref{{want, c[0]}}) {
			t.Errorf("%d: %v", i, got)
		}
		if got := r.WorktreeRefs(all[i], "refs/worktree/other"); len(got) != 0 {
			t.Errorf("%d: %v", i, got)
		}
	}
	if folder, link := all[1].Present(); folder || link {
		t.Error("the folder is gone")
	}
	if folder, link := all[0].Present(); !folder || !link || !all[0].Indexed() {
		t.Error("the main worktree is whole")
	}
	if _, locked := all[1].Lock(); locked {
		t.Error("nobody locked it")
	}
	made.Git("worktree", "lock", "--reason", "on a stick", path)
	if reason, locked := all[1].Lock(); !locked || reason != "on a stick" {
		t.Errorf("%q %v", reason, locked)
	}
}

func TestObjectTypes(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 2)
	tree, blob := Hash(made.Git("rev-parse", "main^{tree}")), Hash(made.Git("hash-object", "-w", "--stdin"))
	made.Git("tag", "-a", "-m", "x", "holder")
	tag := Hash(made.Git("rev-parse", "refs/tags/holder"))
	missing := Hash(strings.Repeat("12", 20))
	got, err := r.ObjectTypes(t.Context(), []Hash{c[0], c[0], tree, missing, blob, tag})
	want := map[Hash]ObjectType{c[0]: TypeCommit, tree: TypeTree, blob: TypeBlob, tag: TypeTag}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := r.ObjectTypes(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("nothing asked: %v %v", got, err)
	}
	for _, bad := range []Hash{"", "HEAD", "main\n"} {
		if _, err := r.ObjectTypes(t.Context(), []Hash{bad}); err == nil {
			t.Errorf("%q is no id", bad)
		}
	}
}

func TestHistoryOf(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 4)
	tree := made.Git("rev-parse", "main^{tree}")
	side := Hash(made.Git("commit-tree", "-p", string(c[1]), "-m", "side", tree))
	merge := Hash(made.Git("commit-tree", "-p", string(c[2]), "-p", string(side), "-m", "merge", tree))
	alone := Hash(made.Git("commit-tree", "-m", "alone", tree))
	for _, test := range []struct {
		name         string
		tips, floors []Hash
		want         []Hash
	}{
		{"all of it", []Hash{c[3]}, nil, []Hash{c[0], c[1], c[2], c[3]}},
		{"above a floor, which counts", []Hash{c[3]}, []Hash{c[2]}, []Hash{c[2], c[3]}},
		{"above what two floors share", []Hash{merge}, []Hash{c[2], side}, []Hash{c[1], c[2], side, merge}},
		{"no floor is shared", []Hash{c[1], alone}, []Hash{c[1], alone}, []Hash{c[0], c[1], alone}},
		{"the same floor twice", []Hash{c[3]}, []Hash{c[3], c[3]}, []Hash{c[3]}},
		{"no tip", nil, []Hash{c[0]}, nil},
	} {
		got, err := r.HistoryOf(t.Context(), test.tips, test.floors)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if have := slices.Sorted(maps.Keys(got)); !slices.Equal(have, slices.Sorted(slices.Values(test.want))) {
			t.Errorf("%s: %v, want %v", test.name, have, test.want)
		}
	}
	got, err := r.HistoryOf(t.Context(), []Hash{merge}, nil)
	if err != nil || !slices.Equal(got[merge], []Hash{c[2], side}) || len(got[c[0]]) != 0 {
		t.Errorf("parents: %v %v", got, err)
	}
	if _, err := r.HistoryOf(t.Context(), []Hash{Hash(strings.Repeat("12", 20))}, nil); err == nil {
		t.Error("a missing tip, and no error")
	}
	if _, err := r.HistoryOf(t.Context(), nil, []Hash{c[0], Hash(strings.Repeat("12", 20))}); err == nil {
		t.Error("a missing floor, and no error")
	}
}

// TestReaches compares the walk with its definition on random graphs.
func TestReaches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		name := func(i int) Hash { return Hash(string(rune('a' + i))) }
		g := History{}
		for i := range n {
			for p := range i {
				if rapid.Bool().Draw(t, "edge") {
					g[name(i)] = append(g[name(i)], name(p))
				}
			}
		}
		tips := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "tips")
		want := map[Hash]bool{}
		var visit func(h Hash)
		visit = func(h Hash) {
			want[h] = true
			for _, p := range g[h] {
				visit(p)
			}
		}
		var starts []Hash
		for _, i := range tips {
			starts = append(starts, name(i))
			visit(name(i))
		}
		if got := g.Reaches(starts...); !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestReflog(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 3)
	tx := Transaction{Reason: "first"}
	tx.Create("refs/okstra/k/base", c[0])
	if err := r.Apply(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	made.Git("update-ref", "refs/okstra/k/base", string(c[1]))
	made.Git("update-ref", "refs/okstra/k/base", string(c[2]))
	made.Git("update-ref", "refs/okstra/k/base", string(c[0]))
	got, err := r.Reflog(t.Context(), "refs/okstra/k/base")
	if err != nil || !slices.Equal(got, []Hash{c[0], c[2], c[1]}) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := r.Reflog(t.Context(), "refs/okstra/k/none"); err != nil || len(got) != 0 {
		t.Errorf("no reflog: %v %v", got, err)
	}
	plant(t, r, "logs/refs/okstra/k/odd", "nonsense\n\nx "+string(c[2])+" who 1 +0000\tm\n")
	if got, err := r.Reflog(t.Context(), "refs/okstra/k/odd"); err != nil || !slices.Equal(got, []Hash{c[2]}) {
		t.Errorf("damaged: %v %v", got, err)
	}
	for _, bad := range []RefName{"", "../x", "refs/okstra/../../x", "refs/a b"} {
		if _, err := r.Reflog(t.Context(), bad); err == nil {
			t.Errorf("%q is no ref name", bad)
		}
	}
}
