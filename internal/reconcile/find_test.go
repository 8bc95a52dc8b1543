package reconcile

import (
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
)

// TestWays rewrites a stage of three commits in each of the ways that there are.
func TestWays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	one := f.edit("a", 10, "one")
	two := f.edit("b", 20, "two")
	three := f.edit("a", 40, "three")
	f.at(f.base)
	f.edit("a", 25, "upstream")
	f.edit("c", 3, "upstream")
	up := f.head()
	pick := func(commits ...gitops.Hash) {
		t.Helper()
		for _, c := range commits {
			f.made.Git("cherry-pick", "--allow-empty", string(c))
		}
	}
	t.Run("not there", func(t *testing.T) {
		r := f.find(three, up)
		if f.want(r, NotDone, ""); r.Why != "0 of its 3 commits are there by content" {
			t.Error(r.Why)
		}
	})
	t.Run("ancestor", func(*testing.T) {
		f.at(up)
		f.made.Git("merge", "-q", "--no-edit", string(three))
		f.want(f.find(three, f.head()), Done, Ancestor)
		f.want(f.find(three, three), Done, Ancestor)
	})
	t.Run("rebase", func(t *testing.T) {
		f.at(up)
		pick(one, two, three)
		r := f.find(three, f.head())
		f.want(r, Done, PatchID)
		if r.Head != f.head() || r.Base != up || len(r.Pairs) != 3 || r.Pairs[0].Old != one || r.Pairs[2] != (Pair{three, r.Head}) {
			t.Errorf("%+v", r)
		}
	})
	t.Run("the tip alone", func(*testing.T) {
		f.at(up)
		pick(three)
		f.want(f.find(three, f.head()), NotDone, "")
	})
	t.Run("reordered, others between", func(t *testing.T) {
		f.at(up)
		pick(three, one)
		f.edit("c", 50, "between")
		pick(two)
		last := f.head()
		f.edit("c", 55, "after")
		r := f.find(three, f.head())
		if f.want(r, Done, PatchID); r.Head != last || r.Base != "" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("on two branches", func(t *testing.T) {
		f.at(up)
		pick(one)
		side := f.head()
		f.at(up)
		pick(two, three)
		f.made.Git("merge", "-q", "--no-edit", string(side))
		merge := f.head()
		f.edit("c", 55, "after")
		if r := f.find(three, f.head()); r.Head != merge {
			t.Errorf("%+v, want the merge %s", r, merge)
		}
	})
	t.Run("squash", func(t *testing.T) {
		f.at(up)
		f.made.Git("merge", "-q", "--squash", string(three))
		f.made.Commit("squashed")
		squashed := f.head()
		f.edit("a", 10, "edited later")
		r := f.find(three, f.head())
		if f.want(r, Done, Squash); r.Head != squashed || r.Base != up || len(r.Pairs) != 3 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("split", func(t *testing.T) {
		f.at(up)
		for _, step := range []struct {
			name string
			line int
			to   string
		}{{"b", 20, "two"}, {"a", 40, "three"}, {"a", 10, "half"}, {"a", 10, "one"}} {
			f.edit(step.name, step.line, step.to)
		}
		f.edit("c", 55, "after")
		r := f.find(three, f.head())
		if f.want(r, Done, Split); r.Base != up || r.Head != gitops.Hash(f.made.Git("rev-parse", "HEAD^")) {
			t.Errorf("%+v", r)
		}
	})
	t.Run("amended", func(t *testing.T) {
		f.at(up)
		pick(one, two)
		f.edit("a", 40, "three, amended")
		r := f.find(three, f.head())
		if f.want(r, NotDone, ""); !strings.HasPrefix(r.Why, "2 of its 3 commits") {
			t.Error(r.Why)
		}
	})
	t.Run("taken back", func(t *testing.T) {
		f.at(up)
		pick(one, two, three)
		f.made.Git("revert", "--no-edit", "HEAD^")
		r := f.find(three, f.head())
		if f.want(r, CannotTell, ""); !strings.Contains(r.Why, f.head().Short()+" takes it back") {
			t.Error(r.Why)
		}
		f.made.Git("revert", "--no-edit", "HEAD")
		f.want(f.find(three, f.head()), Done, PatchID)
	})
	t.Run("others' limits", func(t *testing.T) {
		f.at(up)
		pick(one, two, three)
		for i := range 5 {
			f.edit("c", 10+i, "more")
		}
		answer := f.findAll(f.head(), 4, Stage{1, f.base, three})
		if r := answer.Results[0]; r.Verdict != CannotTell || !answer.Stopped || answer.Looked != 4 || !strings.HasSuffix(r.Why, "stopped after 4 commits") {
			t.Errorf("%+v", answer)
		}
		if answer := f.findAll(f.head(), 8, Stage{1, f.base, three}); answer.Results[0].Verdict != Done {
			t.Errorf("%+v", answer)
		}
	})
}

// TestSquashOfSeveralStages: stages that stand on each other became one commit.
func TestSquashOfSeveralStages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	one := f.edit("a", 10, "one")
	f.edit("b", 20, "two")
	two := f.edit("b", 21, "two again")
	three := f.edit("a", 30, "three")
	f.at(f.base)
	f.edit("c", 3, "upstream")
	f.made.Git("merge", "-q", "--squash", string(two))
	f.made.Commit("squashed")
	answer := f.findAll(f.head(), 0, Stage{1, f.base, one}, Stage{2, one, two}, Stage{3, two, three})
	f.want(answer.Results[0], Done, Squash)
	f.want(answer.Results[1], Done, Squash)
	f.want(answer.Results[2], NotDone, "")
	if answer.Results[0].Head != f.head() || answer.Results[1].Head != f.head() {
		t.Errorf("%+v", answer)
	}
}

// TestUnknowable are ranges of which nothing can be told.
func TestUnknowable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.made.Git("commit", "-q", "--allow-empty", "-m", "empty")
	empty := f.head()
	f.at(f.base)
	f.edit("c", 1, "upstream")
	up := f.head()
	gone := gitops.Hash(strings.Repeat("1", 40))
	for why, st := range map[string]Stage{
		"change nothing":            {1, f.base, empty},
		"is not known":              {1, "", empty},
		"no commit of its own":      {1, empty, empty},
		"is not in this repository": {1, f.base, gone},
	} {
		if r := f.findAll(up, 0, st).Results[0]; r.Verdict != CannotTell || !strings.Contains(r.Why, why) {
			t.Errorf("%q: %+v", why, r)
		}
	}
}

// TestAlike makes commits that a patch id alone takes for the same.
func TestAlike(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, mine, theirs func(f *fixture) }{
		"spaces": {
			mine:   func(f *fixture) { f.edit("a", 5, "if x { y }") },
			theirs: func(f *fixture) { f.edit("a", 5, "    if x { y }") },
		},
		"binary": {
			mine:   func(f *fixture) { f.made.Write("bin", "\x00one"); f.made.Commit("bin") },
			theirs: func(f *fixture) { f.made.Write("bin", "\x00two"); f.made.Commit("bin") },
		},
		"mode": {
			mine:   func(f *fixture) { f.executable("a") },
			theirs: func(f *fixture) { f.executable("b") },
		},
		"mode of a new file": {
			mine: func(f *fixture) { f.made.Write("n", "n\n"); f.made.Commit("n") },
			theirs: func(f *fixture) {
				f.made.Write("n", "n\n")
				f.made.Git("add", "n")
				f.executable("n")
			},
		},
		"another place in the file": {
			before: func(f *fixture) { f.made.Write("a", strings.Repeat("{\n\n\n\n\n}\n", 12)); f.made.Commit("alike") },
			mine:   func(f *fixture) { f.edit("a", 8, "x") },
			theirs: func(f *fixture) { f.edit("a", 38, "x") },
		},
		"another file": {
			before: func(f *fixture) { f.made.Write("b", text("a", 60)); f.made.Commit("alike") },
			mine:   func(f *fixture) { f.edit("a", 8, "x") },
			theirs: func(f *fixture) { f.edit("b", 8, "x") },
		},
		"one of two equal ones": {
			before: func(f *fixture) { f.made.Write("a", strings.Repeat("\n", 40)); f.made.Commit("alike") },
			mine: func(f *fixture) {
				f.made.Write("a", "x\n"+strings.Repeat("\n", 40))
				f.made.Commit("x")
				f.made.Write("a", "x\nx\n"+strings.Repeat("\n", 40))
				f.made.Commit("x")
			},
			theirs: func(f *fixture) { f.made.Write("a", "x\n"+strings.Repeat("\n", 40)); f.made.Commit("x") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if c.before != nil {
				c.before(f)
				f.base = f.head()
			}
			c.mine(f)
			mine := f.head()
			f.at(f.base)
			f.edit("c", 1, "upstream")
			up := f.head()
			c.theirs(f)
			f.want(f.find(mine, f.head()), NotDone, "")
			f.at(up)
			c.mine(f)
			if r := f.find(mine, f.head()); r.Verdict != Done {
				t.Errorf("the same: %+v", r)
			}
		})
	}
}

// TestMerges: the commits of another branch that a stage merged are not its own, and
// what a merge itself changes is only in the whole.
func TestMerges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.edit("a", 10, "one")
	one := f.head()
	f.at(f.base)
	f.edit("c", 3, "upstream")
	up := f.head()
	f.at(one)
	f.made.Git("merge", "-q", "--no-edit", string(up))
	f.edit("b", 20, "two")
	head := f.head()
	f.at(up)
	f.edit("c", 40, "more upstream")
	base := f.head()
	f.made.Git("merge", "-q", "--squash", string(head))
	f.made.Commit("squashed")
	f.want(f.find(head, f.head()), Done, Squash)
	f.at(base)
	f.edit("a", 10, "one")
	f.edit("b", 20, "two")
	f.want(f.find(head, f.head()), Done, Split)
	f.at(base)
	f.edit("a", 10, "one")
	f.want(f.find(head, f.head()), CannotTell, "")
}

// TestUsersSettings sets whatever changes how git shows a diff.
func TestUsersSettings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.made.Write(".gitattributes", "* diff=odd\na -diff\nb -diff\n")
	f.made.Commit("attributes")
	f.base = f.head()
	f.edit("a", 10, "one\n\n\nthree")
	f.edit("b", 10, "two")
	f.made.Git("mv", "c", "naïve\n\"c\"")
	f.made.Commit("renamed")
	head := f.head()
	f.at(f.base)
	f.edit("a", 12, "near")
	f.edit("b", 30, "upstream")
	for _, back := range []string{"~2", "~1", ""} {
		f.made.Git("cherry-pick", string(head)+back)
	}
	for _, kv := range [][2]string{
		{"diff.renames", "copies"},
		{"diff.external", "false"},
		{"diff.odd.command", "false"},
		{"diff.odd.textconv", "false"},
		{"diff.odd.binary", "true"},
		{"diff.noprefix", "true"},
		{"diff.mnemonicPrefix", "true"},
		{"diff.relative", "true"},
		{"diff.context", "9"},
		{"diff.interHunkContext", "50"},
		{"diff.algorithm", "patience"},
		{"diff.indentHeuristic", "false"},
		{"diff.suppressBlankEmpty", "true"},
		{"diff.orderFile", "none"},
		{"diff.submodule", "log"},
		{"diff.wsErrorHighlight", "all"},
		{"diff.colorMoved", "zebra"},
		{"core.quotePath", "false"},
		{"core.abbrev", "5"},
		{"color.ui", "always"},
		{"log.showSignature", "true"},
		{"patchid.stable", "false"},
		{"patchid.verbatim", "true"},
	} {
		f.made.Git("config", kv[0], kv[1])
	}
	f.made.Env = append(slices.Clone(f.made.Env), "GIT_DIFF_OPTS=-u7", "GIT_EXTERNAL_DIFF=false", "GIT_ICASE_PATHSPECS=1")
	f.open()
	f.want(f.find(head, f.head()), Done, PatchID)
}

// TestSquashOfWhatCancelsOut: two commits of a stage cancel out, so the third alone is the
// change of the whole. It proves nothing where one of the two is there without the other.
func TestSquashOfWhatCancelsOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	one := f.edit("a", 10, "one")
	f.made.Git("revert", "--no-edit", string(one))
	back := f.head()
	three := f.edit("b", 20, "three")
	f.at(f.base)
	up := f.edit("c", 3, "upstream")
	for name, c := range map[string]struct {
		picks []gitops.Hash
		v     Verdict
		how   How
	}{
		"all":                {[]gitops.Hash{one, back, three}, Done, PatchID},
		"the third alone":    {[]gitops.Hash{three}, Done, Squash},
		"one is left out":    {[]gitops.Hash{one, three}, CannotTell, ""},
		"in another order":   {[]gitops.Hash{three, one}, CannotTell, ""},
		"only what cancels":  {[]gitops.Hash{one, back}, NotDone, ""},
		"nothing":            {nil, NotDone, ""},
		"taken back as well": {[]gitops.Hash{three, one, back}, Done, PatchID},
	} {
		f.at(up)
		for _, p := range c.picks {
			f.made.Git("cherry-pick", string(p))
		}
		if r := f.find(three, f.head()); r.Verdict != c.v || r.How != c.how {
			t.Errorf("%s: %+v, want %s %s", name, r, c.v, c.how)
		}
	}
	// in two commits, each of them a half
	f.at(f.base)
	both := f.edit("a", 30, "thirty")
	f.made.Git("revert", "--no-edit", string(both))
	f.made.Write("n1", text("n1", 5))
	f.made.Write("n2", text("n2", 5))
	f.made.Commit("two files")
	head := f.head()
	for name, v := range map[string]Verdict{"": Done, "beside": CannotTell} {
		f.at(up)
		if name != "" {
			f.made.Git("cherry-pick", string(both))
		}
		for _, file := range []string{"n1", "n2"} {
			f.made.Write(file, text(file, 5))
			f.made.Commit(file)
		}
		if r := f.find(head, f.head()); r.Verdict != v {
			t.Errorf("split %s: %+v, want %s", name, r, v)
		}
	}
}
