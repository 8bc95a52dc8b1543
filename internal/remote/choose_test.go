package remote

import (
	"errors"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings string
		named    string
		branches []gitops.RefName
		want     string // "error: …" for a refusal
	}{
		{name: "none", want: "error: no remote is configured here"},
		{name: "the only one", settings: "remote.x.url=u", want: "x"},
		{name: "origin of several", settings: "remote.x.url=u remote.origin.url=u", want: "origin"},
		{name: "several", settings: "remote.x.url=u remote.y.url=u", want: "error: several remotes are configured here, one must be named: x, y"},
		{name: "named", settings: "remote.x.url=u remote.origin.url=u okstra.remote=origin", named: "x", want: "x"},
		{name: "named and unknown", settings: "remote.x.url=u", named: "--all", want: `error: no remote "--all" is configured here`},
		{name: "set", settings: "remote.x.url=u remote.origin.url=u okstra.remote=x", want: "x"},
		{name: "set and unknown", settings: "remote.origin.url=u okstra.remote=z", want: `error: no remote "z" is configured here`},
		{name: "of the branch", settings: "remote.x.url=u remote.origin.url=u branch.main.remote=x", branches: []gitops.RefName{"refs/heads/other", "refs/heads/main"}, want: "x"},
		{name: "of a branch that follows a local one", settings: "remote.x.url=u remote.origin.url=u branch.main.remote=.", branches: []gitops.RefName{"refs/heads/main"}, want: "origin"},
		{name: "a remote without a URL", settings: "remote.x.fetch=u", want: "error: no remote is configured here"},
	} {
		r := testrepo.New(t, "empty")
		for _, s := range strings.Fields(c.settings) {
			key, value, _ := strings.Cut(s, "=")
			r.Git("config", key, value)
		}
		testrepo.Setenv(t, r.Env)
		repo, err := gitops.Open(t.Context(), gitops.Options{Dir: r.Dir})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Choose(repo.Config(), c.named, c.branches)
		var unknown *UnknownError
		if errors.As(err, &unknown) {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		repo.Close()
	}
}

func TestTracking(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"a b", "x.lock", "a..b", "", "a\nb", ".x"} {
		if _, err := under(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	at, err := under("a/b")
	if err != nil {
		t.Fatal(err)
	}
	for there, here := range map[gitops.RefName]gitops.RefName{
		"refs/okstra/p/g/t/done/1":        "refs/okstra-remote/a/b/state/p/g/t/done/1",
		"refs/notes/okstra/p/g/t":         "refs/okstra-remote/a/b/notes/p/g/t",
		"refs/notes/okstra-qa/p/g/t":      "refs/okstra-remote/a/b/qa/p/g/t",
		"refs/notes/okstra/state/okstra/": "refs/okstra-remote/a/b/notes/state/okstra/",
	} {
		if got := at.here(there); got != here {
			t.Errorf("%s is kept at %s", there, got)
		}
		if got := at.there(here); got != there {
			t.Errorf("%s is %s there", here, got)
		}
	}
	for _, other := range []gitops.RefName{"refs/heads/main", "refs/okstra-remote/a/bc/state/x", "refs/okstra-remote/a/b/other/x"} {
		if got := at.there(other) + at.here(other); got != "" {
			t.Errorf("%s is taken for %s", other, got)
		}
	}
}

// TestNote: a ref that moved twice is one change, and none if it came back.
func TestNote(t *testing.T) {
	t.Parallel()
	list := note(nil, gitops.RefChange{Name: "b", New: "1"}, gitops.RefChange{Name: "a", Old: "1", New: "1"})
	list = note(list, gitops.RefChange{Name: "b", Old: "1", New: "2"}, gitops.RefChange{Name: "a", Old: "3"})
	if len(list) != 2 || list[0] != (Change{"a", "3", ""}) || list[1] != (Change{"b", "", "2"}) {
		t.Errorf("%v", list)
	}
	if list = note(list, gitops.RefChange{Name: "b", Old: "2"}); len(list) != 1 {
		t.Errorf("%v", list)
	}
}

// TestJudge: only what was refused although nothing moved there counts against it.
func TestJudge(t *testing.T) {
	t.Parallel()
	a, b := gitops.RefChange{Name: "a", Old: "1", New: "2"}, gitops.RefChange{Name: "b", New: "3"}
	for _, c := range []struct {
		name   string
		tried  attempt
		theirs refs
		want   [2]int
	}{
		{"both stand", attempt{left: []gitops.RefChange{a, b}}, refs{"a": "1"}, [2]int{1, 1}},
		{"one moved", attempt{left: []gitops.RefChange{a, b}}, refs{"a": "9"}, [2]int{0, 1}},
		{"one moved, atomic", attempt{left: []gitops.RefChange{a, b}, atomic: true}, refs{"a": "9"}, [2]int{0, 0}},
		{"atomic, both stand", attempt{left: []gitops.RefChange{a, b}, atomic: true}, refs{"a": "1"}, [2]int{1, 1}},
		{"not a word", attempt{left: []gitops.RefChange{b}, mute: true}, refs{}, [2]int{0, 3}},
	} {
		x := &exchange{stuck: map[gitops.RefChange]int{}, tried: c.tried}
		x.judge(c.theirs)
		if got := [2]int{x.stuck[a], x.stuck[b]}; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestHopeful: behind a ref that the remote does not take nothing of the same task goes
// there; of other tasks all does.
func TestHopeful(t *testing.T) {
	t.Parallel()
	item := func(task string, phase int) pushed {
		return pushed{gitops.RefChange{Name: gitops.RefName(task + string(rune('0'+phase))), New: "1"}, task, phase}
	}
	all := []pushed{item("t", phaseTask), item("t", phaseLog), item("t", phaseDone), item("u", phaseGone)}
	x := &exchange{stuck: map[gitops.RefChange]int{all[1].RefChange: refusals}}
	var got []string
	for _, p := range x.hopeful(all) {
		got = append(got, string(p.Name))
	}
	if strings.Join(got, " ") != "t0 u3" {
		t.Errorf("%q", got)
	}
}
