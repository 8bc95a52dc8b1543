package gitops

import (
	"errors"
	"io/fs"
	"reflect"
	"testing"
)

func TestParseAttributes(t *testing.T) {
	t.Parallel()
	got, err := parseAttributes([]byte("a b\x00x\x00set\x00a b\x00y\x00unspecified\x00c\x00x\x00unset\x00"))
	want := Attributes{"a b": {"x": "set"}, "c": {"x": "unset"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := parseAttributes([]byte("a\x00b\x00")); err == nil {
		t.Error("half an answer is none")
	}
}
