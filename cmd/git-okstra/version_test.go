package main

import "testing"

func TestModuleVersion(t *testing.T) {
	for noted, want := range map[string]string{
		"": "dev", "(devel)": "dev", "v1.2.3": "v1.2.3", "v0.0.0-20261201000000-0123456789ab+dirty": "v0.0.0-20261201000000-0123456789ab+dirty",
	} {
		if got := moduleVersion(noted); got != want {
			t.Errorf("%q: %q, want %q", noted, got, want)
		}
	}
}

// TestBuiltInVersion: what the linker put in goes before what Go noted.
func TestBuiltInVersion(t *testing.T) {
	t.Cleanup(func(was string) func() { return func() { version = was } }(version))
	version = "9.8.7"
	if got := programVersion(); got != version {
		t.Errorf("%q", got)
	}
}
