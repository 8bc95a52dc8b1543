package proof

import (
	"strings"
	"testing"

	"git-okstra/internal/conform/verdict"
)

func TestResultLine(t *testing.T) {
	t.Parallel()
	r := Result{
		V: 1, Seq: 3, ID: "i", Task: "a:b:c", Stage: 2, Status: Status, At: "2026-01-01T00:00:00Z", By: "Ada <a@x>", Host: "h", Head: "c0", Tree: "t0",
		Plan: "p0", Script: "s0", Command: `sh "x" && <y>`, Verdict: Fail, Reason: "no\nblock", ExitCode: -1, DurationMS: 12,
	}
	line, err := r.Encode()
	want := `{"v":1,"seq":3,"id":"i","impl_task_key":"a:b:c","stage":2,"status":"conformance","at":"2026-01-01T00:00:00Z","by":"Ada <a@x>","host":"h","run":"",` +
		`"head_commit":"c0","tree":"t0","plan":"p0","script":"s0","command":"sh \"x\" && <y>","verdict":"FAIL","reason":"no\nblock","exit_code":-1,"duration_ms":12,"requirements":[]}`
	if err != nil || string(line) != want {
		t.Errorf("%s (%v), want\n%s", line, err, want)
	}
	back, ok := Decode(line)
	if !ok || back.Command != r.Command || back.Verdict != Fail || back.Stage != 2 {
		t.Errorf("back: %+v, %v", back, ok)
	}
	for _, bad := range []string{"", "{}", "x", `{"id":"i","status":"conformance","verdict":"MAYBE"}`, `{"id":"i","status":"done","verdict":"PASS"}`, `{"id":"","status":"conformance","verdict":"PASS"}`} {
		if _, ok := Decode([]byte(bad)); ok {
			t.Errorf("%q counts as a result", bad)
		}
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	w := Wanted{Stage: 1, Tree: "t", Script: "s", Command: "c", Requirements: []string{"a"}}
	pass := Result{ID: "p", Seq: 1, Stage: 1, Tree: "t", Script: "s", Command: "c", Head: "0123456789abcdef", Verdict: Pass, Requirements: []Requirement{{ID: "a", Verdict: Pass}}}
	with := func(change func(*Result)) Result {
		r := pass
		change(&r)
		return r
	}
	later := with(func(r *Result) { r.Seq, r.ID, r.Verdict, r.Reason = 2, "f", Fail, "it says FAIL" })
	for _, tt := range []struct {
		name  string
		have  []Result
		state verdict.State
		why   string
	}{
		{"none", nil, verdict.NoProof, ""},
		{"of another stage", []Result{with(func(r *Result) { r.Stage = 2 })}, verdict.NoProof, ""},
		{"a pass", []Result{pass}, verdict.Proved, ""},
		{"the last counts", []Result{later, pass}, verdict.Failed, "it says FAIL"},
		{"of equal clocks the later id", []Result{with(func(r *Result) { r.ID, r.Verdict = "z", Fail }), pass}, verdict.Failed, ""},
		{"another tree", []Result{with(func(r *Result) { r.Tree = "u" })}, verdict.Stale, "another tree, of commit 0123456789"},
		{"another script", []Result{with(func(r *Result) { r.Script = "u" })}, verdict.Stale, "another revision of the script"},
		{"another command", []Result{with(func(r *Result) { r.Command = "true" })}, verdict.Stale, "the command is another one"},
		{"a later one of another tree does not matter", []Result{pass, with(func(r *Result) { r.Seq, r.Tree = 9, "u" })}, verdict.Proved, ""},
		{"a new requirement", []Result{with(func(r *Result) { r.Requirements = nil })}, verdict.Stale, `nothing of requirement "a"`},
		{"a requirement failed and it says PASS", []Result{with(func(r *Result) { r.Requirements = []Requirement{{ID: "a", Verdict: Fail}} })}, verdict.Stale, `requirement "a"`},
	} {
		got, r := Counts(tt.have, w)
		if got.State != tt.state || !strings.Contains(got.Why, tt.why) || (r == nil) != (tt.state == verdict.NoProof) {
			t.Errorf("%s: %+v, want %s %q", tt.name, got, tt.state, tt.why)
		}
	}
}
