package verdict

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"git-okstra/internal/conform"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

var moments = []Moment{Done, Verify, PushDone, PushWIP, Commit}

func touch(surfaces ...conform.Surface) []conform.Touch {
	var out []conform.Touch
	for i, s := range surfaces {
		out = append(out, conform.Touch{Surface: s, Path: "src/" + string(s) + ".go", Line: i + 1, Side: conform.Added, Rule: "go-" + string(s), Text: "x"})
	}
	return out
}

func requires(surfaces ...conform.Surface) Declaration {
	return Declaration{Kind: Tests, Script: "qa/scripts/stage-1.sh", Requires: surfaces}
}

func waive(surfaces ...conform.Surface) []Waiver {
	var out []Waiver
	for _, s := range surfaces {
		out = append(out, Waiver{Surface: s, Why: "no server there", By: "Ada", From: FromRow})
	}
	return out
}

var exempt = Declaration{Kind: Exemption, Reason: "only names"}

func codes(v Verdict) string {
	var out []string
	for _, r := range v.Reasons {
		out = append(out, string(r.Level)+" "+string(r.Code))
	}
	return strings.Join(out, ", ")
}

// TestTable is the table of conformance.md §4, row by row, at every moment. strict is what
// holds where a result is needed, loose what holds at a commit and for work in progress.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		c             Case
		strict, loose string
		word, easier  Word
		missing       string
		waived        int
	}{
		{"exemption, nothing", Case{Declared: exempt}, "", "", Pass, Pass, "", 0},
		{
			"exemption, a surface",
			Case{Declared: exempt, Touches: touch("http", "db")},
			"block exempt-touches", "block exempt-touches", Block, Block, "db,http", 0,
		},
		{
			"exemption, a surface and even a result",
			Case{Declared: exempt, Touches: touch("io"), Proof: Proof{State: Proved}},
			"block exempt-touches", "block exempt-touches", Block, Block, "io", 0,
		},
		{
			"tests, within, passed",
			Case{Declared: requires("db", "http"), Touches: touch("db"), Proof: Proof{State: Proved}},
			"", "", Pass, Pass, "", 0,
		},
		{
			"tests, nothing touched, passed",
			Case{Declared: requires("db"), Proof: Proof{State: Proved}},
			"", "", Pass, Pass, "", 0,
		},
		{
			"tests, within, no result",
			Case{Declared: requires("db"), Touches: touch("db")},
			"block no-result", "notice no-result", Block, Notice, "", 0,
		},
		{
			"tests, nothing touched, no result",
			Case{Declared: requires("db")},
			"block no-result", "notice no-result", Block, Notice, "", 0,
		},
		{
			"tests, within, stale",
			Case{Declared: requires("db"), Touches: touch("db"), Proof: Proof{State: Stale}},
			"block stale-result", "notice stale-result", Block, Notice, "", 0,
		},
		{
			"tests, within, failed",
			Case{Declared: requires("db"), Touches: touch("db"), Proof: Proof{State: Failed}},
			"block failed-result", "notice failed-result", Block, Notice, "", 0,
		},
		{
			"tests, outside, passed",
			Case{Declared: requires("db"), Touches: touch("db", "http", "external"), Proof: Proof{State: Proved}},
			"block outside-touches", "block outside-touches", Block, Block, "http,external", 0,
		},
		{
			"tests, outside, no result",
			Case{Declared: requires("db"), Touches: touch("io")},
			"block outside-touches, block no-result", "block outside-touches, notice no-result", Block, Block, "io", 0,
		},
		{
			"tests that require nothing, nothing touched",
			Case{Declared: requires()},
			"", "", Pass, Pass, "", 0,
		},
		{
			"tests that require nothing, a surface",
			Case{Declared: requires(), Touches: touch("io")},
			"block outside-touches", "block outside-touches", Block, Block, "io", 0,
		},
		{
			"exemption, the touched surface waived",
			Case{Declared: exempt, Touches: touch("http"), Waivers: waive("http")},
			"notice waived", "notice waived", Notice, Notice, "", 1,
		},
		{
			"exemption, one of two waived",
			Case{Declared: exempt, Touches: touch("http", "db"), Waivers: waive("http")},
			"block exempt-touches, notice waived", "block exempt-touches, notice waived", Block, Block, "db", 1,
		},
		{
			"tests, the whole of R waived: no result needed",
			Case{Declared: requires("db"), Touches: touch("db"), Waivers: waive("db")},
			"notice waived", "notice waived", Notice, Notice, "", 1,
		},
		{
			"tests, part of R waived: the rest needs one",
			Case{Declared: requires("db", "io"), Touches: touch("db"), Waivers: waive("db")},
			"block no-result, notice waived", "notice no-result, notice waived", Block, Notice, "", 1,
		},
		{
			"tests, outside waived, passed",
			Case{Declared: requires("db"), Touches: touch("db", "io"), Waivers: waive("io"), Proof: Proof{State: Proved}},
			"notice waived", "notice waived", Notice, Notice, "", 1,
		},
		{
			"a waiver that nothing needs",
			Case{Declared: requires("db"), Touches: touch("db"), Waivers: waive("external"), Proof: Proof{State: Proved}},
			"", "", Pass, Pass, "", 0,
		},
		{
			"nothing declared",
			Case{Touches: touch("db")},
			"notice undeclared", "notice undeclared", Notice, Notice, "", 0,
		},
		{"nothing declared, nothing touched", Case{}, "notice undeclared", "notice undeclared", Notice, Notice, "", 0},
	} {
		for _, m := range moments {
			c := tt.c
			c.Stage, c.Now, c.Moment = 1, now, m
			v := Judge(c)
			want, word := tt.strict, tt.word
			if m == PushWIP || m == Commit {
				want, word = tt.loose, tt.easier
			}
			if got := codes(v); got != want || v.Word != word || v.Blocks() != (word == Block) {
				t.Errorf("%s, %s: %s (%s), want %s (%s)", tt.name, m, v.Word, got, word, want)
			}
			if got := Joined(v.Missing); got != tt.missing || len(v.Waived) != tt.waived {
				t.Errorf("%s, %s: missing %q, %d waived, want %q, %d", tt.name, m, got, len(v.Waived), tt.missing, tt.waived)
			}
		}
	}
}

// TestReasonsSay holds what a person reads: the surfaces, the places and a way out.
func TestReasonsSay(t *testing.T) {
	t.Parallel()
	v := Judge(Case{Stage: 3, Declared: requires("db"), Touches: touch("http", "db", "io"), Now: now, Moment: Done, Proof: Proof{Failed, "exit 1 and\x1b[2J PASS"}})
	first, second := v.Reasons[0], v.Reasons[1]
	if want := "the change of stage 3 touches io and http, which its plan does not declare (requires=[db])"; first.Message != want {
		t.Errorf("message %q, want %q", first.Message, want)
	}
	if len(first.Touches) != 2 || slices.ContainsFunc(first.Touches, func(t conform.Touch) bool { return t.Surface == "db" }) {
		t.Errorf("touches %v, want those of io and http", first.Touches)
	}
	if !strings.Contains(first.Hint, "conform waive 3 --surface io") || !strings.Contains(second.Hint, "conform run 3") {
		t.Errorf("hints %q and %q", first.Hint, second.Hint)
	}
	if want := `failed on this tree: exit 1 and\x1b[2J PASS`; !strings.HasSuffix(second.Message, want) {
		t.Errorf("message %q does not end with %q", second.Message, want)
	}
	if got := List(conform.Surfaces()); got != "db, io, http and external" {
		t.Errorf("list %q", got)
	}
	if len(Codes()) != 8 {
		t.Errorf("%d codes are listed, want 8", len(Codes()))
	}
}

func TestWaiversExpire(t *testing.T) {
	t.Parallel()
	for until, live := range map[string]bool{
		"": true, "2026-06-01": true, "2026-05-31": false, "2026-06-01T12:00:01Z": true, "2026-06-01T12:00:00Z": false,
		"2026-06-01T13:30:00+02:00": false, "soon": false, "2026-13-01": false,
	} {
		w := Waiver{Surface: "db", Why: "x", By: "Ada\x1b", Until: until}
		if got := w.Live(now); got != live {
			t.Errorf("until %q: live %v, want %v", until, got, live)
		}
		v := Judge(Case{Declared: exempt, Touches: touch("db"), Waivers: []Waiver{w}, Now: now})
		if v.Blocks() == live {
			t.Errorf("until %q: %s", until, v.Word)
		}
	}
	if (Waiver{Surface: "db"}).Live(now) {
		t.Error("a waiver without a reason counts")
	}
	w := Waiver{Surface: "db", Why: "no server", By: "Ada\x1b", Until: "2026-12-31"}
	if got, want := w.String(), `db is waived: no server (by Ada\x1b, until 2026-12-31)`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	w.From, w.Until = FromManifest, ""
	if got, want := w.String(), "db is waived: no server (in the manifest)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLaws holds for every case: the moment only ever eases the lack of a result, a waiver
// never makes it worse, and what is missing is never declared or waived.
func TestLaws(t *testing.T) {
	t.Parallel()
	surfaces := rapid.SliceOfDistinct(rapid.SampledFrom(conform.Surfaces()), func(s conform.Surface) conform.Surface { return s })
	rank := []Word{Pass, Notice, Block}
	rapid.Check(t, func(t *rapid.T) {
		c := Case{
			Stage: 1, Now: now, Moment: rapid.SampledFrom(moments).Draw(t, "moment"),
			Declared: Declaration{Kind: rapid.SampledFrom([]Kind{Undeclared, Exemption, Tests}).Draw(t, "kind"), Requires: surfaces.Draw(t, "requires")},
			Touches:  touch(surfaces.Draw(t, "touched")...), Waivers: waive(surfaces.Draw(t, "waived")...),
			Proof: Proof{State: rapid.SampledFrom([]State{"", NoProof, Stale, Failed, Proved}).Draw(t, "proof")},
		}
		v := Judge(c)
		at := func(c Case) int { return slices.Index(rank, Judge(c).Word) }
		strict, bare := c, c
		strict.Moment = Done
		if at(c) > at(strict) {
			t.Fatalf("%s is harder than done", c.Moment)
		}
		bare.Waivers = nil
		if at(c) > max(at(bare), slices.Index(rank, Notice)) {
			t.Fatal("a waiver makes it worse")
		}
		for _, s := range v.Missing {
			if c.Declared.Kind == Tests && slices.Contains(c.Declared.Requires, s) || slices.ContainsFunc(c.Waivers, func(w Waiver) bool { return w.Surface == s }) {
				t.Fatalf("%s is missing", s)
			}
		}
		if len(v.Missing) > 0 && v.Word != Block {
			t.Fatalf("missing %v, and %s", v.Missing, v.Word)
		}
	})
}
