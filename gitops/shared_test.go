package gitops

import (
	"io/fs"
	"testing"
)

func TestSharedPerm(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]struct {
		perm  fs.FileMode
		whole bool
		bad   bool
	}{
		"umask": {}, "false": {}, "0": {}, "no": {},
		"group": {perm: 0o660}, "true": {perm: 0o660}, "1": {perm: 0o660}, "yes": {perm: 0o660},
		"all": {perm: 0o664}, "world": {perm: 0o664}, "everybody": {perm: 0o664}, "2": {perm: 0o664},
		"0660": {perm: 0o660, whole: true}, "0640": {perm: 0o640, whole: true}, "0777": {perm: 0o666, whole: true},
		"0066": {bad: true}, "maybe": {bad: true},
	} {
		c := parseConfig([]byte("local\x00core.sharedrepository\n"+value+"\x00"), "")
		perm, whole, err := sharedPerm(c)
		if perm != want.perm || whole != want.whole || (err != nil) != want.bad {
			t.Errorf("%s: %o, %v, %v", value, perm, whole, err)
		}
	}
	if perm, _, err := sharedPerm(Config{}); perm != 0 || err != nil {
		t.Errorf("not set: %o, %v", perm, err)
	}
}
