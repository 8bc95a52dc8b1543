package report

import "testing"

// TestDoctorText: what concerns the repository comes first, then task by task; repaired
// findings say so, and the last line is what remains.
func TestDoctorText(t *testing.T) {
	t.Parallel()
	findings := []DoctorFinding{
		{Code: "b-one", Severity: "warning", Task: "p:g:b", Stage: 2, Message: "stage 2 is odd", Hint: "look\nor ask"},
		{Code: "r-one", Severity: "info", Message: "a kind of repository"},
		{Code: "a-one", Severity: "error", Task: "p:g:a", Message: "bad", Repaired: true},
		{Code: "a-two", Severity: "error", Task: "p:g:a", Message: "worse"},
		{Code: "c-one", Severity: "info", Task: "p:g:c", Message: "of a task that nobody listed"},
	}
	d := NewDoctor([]string{"p:g:a", "p:g:b"}, findings)
	if d.Schema != "okstra.doctor/v1" || d.Errors != 1 || d.Warnings != 1 || d.Infos != 2 || d.Repaired != 1 {
		t.Errorf("%+v", d)
	}
	const whole = `this repository
  info r-one: a kind of repository

task p:g:a
  repaired a-one: bad
  error a-two: worse

task p:g:b
  warning b-one: stage 2 is odd
    hint: look
    hint: or ask

task p:g:c
  info c-one: of a task that nobody listed

1 repaired, 1 error, 1 warning
`
	if got := d.Text(false); got != whole {
		t.Errorf("%s", got)
	}
	const quiet = `task p:g:a
  error a-two: worse

task p:g:b
  warning b-one: stage 2 is odd
    hint: look
    hint: or ask
`
	if got := d.Text(true); got != quiet {
		t.Errorf("%s", got)
	}
}

func TestDoctorTextWhereNothingIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		findings    []DoctorFinding
		text, quiet string
	}{
		{nil, "nothing wrong\n", ""},
		{[]DoctorFinding{{Code: "x", Severity: "info", Message: "m"}}, "this repository\n  info x: m\n\nnothing wrong\n", ""},
		{
			[]DoctorFinding{{Code: "x", Severity: "error", Message: "m", Repaired: true}},
			"this repository\n  repaired x: m\n\n1 repaired, nothing wrong\n", "",
		},
	} {
		d := NewDoctor(nil, c.findings)
		if d.Tasks == nil || d.Findings == nil {
			t.Error("a list is never null")
		}
		if got := d.Text(false); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
		if got := d.Text(true); got != c.quiet {
			t.Errorf("%q, want %q", got, c.quiet)
		}
	}
}
