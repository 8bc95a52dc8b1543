package rules

import (
	"slices"
	"strings"
	"testing"
)

// TestRulesInForce: which codes each release knows, from the constraints of the
// specification and not from the table's.
func TestRulesInForce(t *testing.T) {
	const chaptersOnly = "P1 P2 P3 P4 P5 P6 P7"
	const withMap = chaptersOnly + " P8 P9 S1 S2 S3 S4 S5 S6 S7 S8"
	for version, want := range map[string]string{
		"0.0.1":        chaptersOnly,
		"0.34.99":      chaptersOnly,
		"0.35.0":       withMap,
		"0.35.0-alpha": withMap,
		"0.45.9":       withMap,
		"0.46.0":       withMap + " S9",
		"0.51.9":       withMap + " S9",
		"0.52.0":       withMap + " S9 S10a S10b S10c",
		"0.52.0-rc.9":  withMap + " S9 S10a S10b S10c",
		"0.55.99":      withMap + " S9 S10a S10b S10c",
		"0.56.0":       withMap + " S9 S10a S10b S10c S11",
		"0.98.7":       withMap + " S9 S10a S10b S10c S11",
		"0.99.0":       withMap + " S9 S10a S10b S10c S10d S11",
		"0.100.0":      withMap + " S9 S10a S10b S10c S10d S11",
		"0.100.0+x":    withMap + " S9 S10a S10b S10c S10d S11",
		"2.0.0":        withMap + " S9 S10a S10b S10c S10d S11",
	} {
		set, err := newRuleset(version)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range Table() {
			if set.inForce(r) && !slices.Contains(got, r.Code) {
				got = append(got, r.Code)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", version, s, want)
		}
	}
}

// TestNumbersByRelease: what a release calls its chapters, and its step cap.
func TestNumbersByRelease(t *testing.T) {
	for _, tc := range []struct {
		version, number, questions, last string
		steps                            int
	}{
		{"0.35.0", "4.5", "5.", "User Approval Request", 6},
		{"0.49.99", "4.5", "5.", "User Approval Request", 6},
		{"0.50.0-x", "5.5", "1.", "User Approval Request", 6},
		{"0.50.0", "5.5", "1.", "User Approval Request", 6},
		{"0.56.0", "5.5", "1.", "User Approval Request", 6},
		{"0.56.1", "5.5", "1.", "Requirement Coverage", 6},
		{"0.99.99", "5.5", "1.", "Requirement Coverage", 6},
		{"0.100.0", "5.5", "1.", "Requirement Coverage", 8},
		{"1.0.0", "5.5", "1.", "Requirement Coverage", 8},
	} {
		set, err := newRuleset(tc.version)
		if err != nil {
			t.Fatal(err)
		}
		headings := set.headings()
		if set.number != tc.number || set.clarifications() != tc.questions || set.stepCap() != tc.steps ||
			len(headings) != 10 || headings[9] != tc.last {
			t.Errorf("%s: %s, %s, %d, %v", tc.version, set.number, set.clarifications(), set.stepCap(), headings)
		}
	}
}

// TestVersionNames: three numbers, and nothing that only looks like them.
func TestVersionNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"0.100.0": true, "1.2.3-a.b+c": true, "": false, "1": false, "1.2": false, "v1.2.3": false, "1.2.3.4": false, "01.2.3": false,
		"latest": false, ">=1.0.0": false, "1.2.x": false, " 1.2.3": false, "1.2.3 ": false, "１.2.3": false, "-1.2.3": false,
		"99999999999999999999.0.0": false, "1.2.3-": false,
	} {
		if _, err := newRuleset(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
