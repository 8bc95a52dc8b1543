package rules

import (
	"testing"

	"github.com/Masterminds/semver/v3"
)

func TestRelease(t *testing.T) {
	for name, want := range map[string]release{
		"0.100.0": {0, 100, 0}, "1.2.3-rc.1+build.01": {1, 2, 3}, "1.2.3-0a.-": {1, 2, 3}, "18446744073709551615.0.0": {1<<64 - 1, 0, 0},
	} {
		if got, err := parseRelease(name); err != nil || got != want {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{
		"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3+", "1.2.3-01", "1.2.3-a..b", "1.2.3-ä", "+1.2.3", "1.-2.3",
		" 1.2.3", "18446744073709551616.0.0",
	} {
		if got, err := parseRelease(name); err == nil {
			t.Errorf("%q is read as %v", name, got)
		}
	}
}

func TestFits(t *testing.T) {
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
		r, err := parseRelease(tc.name)
		if err != nil || r.fits(tc.constraint) != tc.want {
			t.Errorf("%s %s: %v, %v", tc.name, tc.constraint, !tc.want, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a constraint without an operator is taken")
		}
	}()
	release{}.fits("0.50.0")
}

// FuzzRelease holds our reading of a version, and the order of two, to the library's.
func FuzzRelease(f *testing.F) {
	for _, name := range []string{"0.50.0", "1.2.3-rc.1+x.01", "1.2.3-01", "01.0.0", "1.2", "1.2.3--", "18446744073709551616.0.0", "1.2.3+a-b"} {
		f.Add(name, Newest)
	}
	f.Fuzz(func(t *testing.T, name, other string) {
		ours, err := parseRelease(name)
		theirs, wrong := semver.StrictNewVersion(name)
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%q: %v here, %v there", name, err, wrong)
		}
		if err != nil {
			return
		}
		theirs = semver.New(theirs.Major(), theirs.Minor(), theirs.Patch(), "", "")
		if ours != (release{theirs.Major(), theirs.Minor(), theirs.Patch()}) {
			t.Fatalf("%q is %v here, %s there", name, ours, theirs)
		}
		second, err := semver.StrictNewVersion(other)
		if err != nil || second.Prerelease() != "" {
			return
		}
		if bound, err := parseRelease(other); err != nil || ours.compare(bound) != theirs.Compare(second) {
			t.Fatalf("%q and %q: another order, %v", name, other, err)
		}
		for _, op := range []string{">=", "<"} {
			c, err := semver.NewConstraint(op + theirs.String())
			if err != nil {
				continue
			}
			if bound := op + theirs.String(); ours.fits(bound) != c.Check(theirs) {
				t.Fatalf("%q %s", name, bound)
			}
		}
	})
}
