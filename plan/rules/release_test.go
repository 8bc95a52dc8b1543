package rules

import "testing"

// TestRelease: a release is a version with three numbers, as Semantic Versioning has it,
// and sorts without its pre-release.
func TestRelease(t *testing.T) {
	for name, want := range map[string]string{
		"0.100.0": "0.100.0", "1.2.3-rc.1+build.01": "1.2.3", "1.2.3-0a.-": "1.2.3", "18446744073709551615.0.0": "18446744073709551615.0.0",
	} {
		if got, err := newRuleset(name); err != nil || got.version.String() != want {
			t.Errorf("%q: %v, %v", name, got.version, err)
		}
	}
	for _, name := range []string{
		"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3+", "1.2.3-01", "1.2.3-a..b", "1.2.3-ä", "+1.2.3", "1.-2.3",
		" 1.2.3", "18446744073709551616.0.0",
	} {
		if got, err := newRuleset(name); err == nil {
			t.Errorf("%q is read as %v", name, got.version)
		}
	}
}

func TestSatisfies(t *testing.T) {
	for _, tc := range []struct {
		name, constraint string
		want             bool
	}{
		{"0.50.0", "<0.50.0", false},
		{"0.49.9", "<0.50.0", true},
		{"0.50.0", ">=0.50.0", true},
		{"0.100.0", ">=0.99.0", true},
		{"1.0.0", "<0.100.0", false},
		{"0.0.0", always, true},
		{"0.56.0", ">=0.56.1", false},
	} {
		r, err := newRuleset(tc.name)
		if err != nil || satisfies(r.version, tc.constraint) != tc.want {
			t.Errorf("%s %s: %v, %v", tc.name, tc.constraint, !tc.want, err)
		}
	}
}
