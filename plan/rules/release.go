package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// release is the three numbers of an okstra release. A pre-release sorts as its
// release, so nothing else of its name is kept.
type release [3]uint64

// errNoRelease is a name that is no version of Semantic Versioning 2.0.0.
var errNoRelease = errors.New("three numbers are wanted, such as " + Newest)

// longestRelease is the length of a name, in bytes, beyond which it is none.
const longestRelease = 256

// parseRelease reads a version as Semantic Versioning 2.0.0 has it, by hand: the
// library for it compiles its patterns before main, in every command there is.
func parseRelease(name string) (release, error) {
	if len(name) > longestRelease {
		return release{}, errNoRelease
	}
	name, build, hasBuild := strings.Cut(name, "+")
	name, pre, hasPre := strings.Cut(name, "-")
	if hasBuild && !identifiers(build, false) || hasPre && !identifiers(pre, true) {
		return release{}, errNoRelease
	}
	var r release
	parts := strings.Split(name, ".")
	if len(parts) != len(r) {
		return release{}, errNoRelease
	}
	for i, p := range parts {
		if !digits(p) || leadingZero(p) {
			return release{}, errNoRelease
		}
		var err error
		if r[i], err = strconv.ParseUint(p, 10, 64); err != nil {
			return release{}, errNoRelease
		}
	}
	return r, nil
}

// identifiers reports whether the text is words with dots between them, numbers among
// them without a leading zero where they are compared.
func identifiers(text string, compared bool) bool {
	for word := range strings.SplitSeq(text, ".") {
		other := strings.TrimFunc(word, func(c rune) bool {
			return c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		})
		if word == "" || other != "" || compared && digits(word) && leadingZero(word) {
			return false
		}
	}
	return true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func leadingZero(s string) bool { return len(s) > 1 && s[0] == '0' }

func (r release) compare(other release) int {
	return slices.CompareFunc(r[:], other[:], cmp.Compare[uint64])
}

// fits reports whether the release is in a range: ">=" and a release, or "<" and one.
// It panics on a range that is wrong in our own source.
func (r release) fits(constraint string) bool {
	name, from := strings.CutPrefix(constraint, ">=")
	name, below := strings.CutPrefix(name, "<")
	bound, err := parseRelease(name)
	if err != nil || from == below {
		panic(fmt.Sprintf("constraint %q: neither >= nor < and a release", constraint))
	}
	return from == (r.compare(bound) >= 0)
}
