package stage

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"git-okstra/plan"
)

func TestParseNumbers(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]plan.StageNumber{
		"":                    nil,
		"2":                   {2},
		"2,4":                 {2, 4},
		"2-4":                 {2, 3, 4},
		"4 2":                 {4, 2},
		"2-4,3,1 4 5-5":       {2, 3, 4, 1, 5},
		"007":                 {7},
		"9223372036854775807": {9223372036854775807}, // the greatest there is
		"9223372036854775806-9223372036854775807": {9223372036854775806, 9223372036854775807},
	} {
		got, err := ParseNumbers(strings.Fields(args))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", args, got, err, want)
		}
	}
	if got, err := ParseNumbers([]string{" 1 , 2\n"}); err != nil || !slices.Equal(got, []plan.StageNumber{1, 2}) {
		t.Errorf("with blanks: %v, %v", got, err)
	}
	if got, err := ParseNumbers([]string{"1-10001"}); err != nil || len(got) != 10001 {
		t.Errorf("the widest range: %d numbers, %v", len(got), err)
	}
}

func TestParseNumbersRefuses(t *testing.T) {
	t.Parallel()
	for arg, word := range map[string]string{
		"": "", "x": "x", "1,x": "x", "0": "0", "-1": "-1", "+1": "+1", "1-": "1-", "-": "-", "4-2": "4-2", "0-2": "0-2", "1-2-3": "1-2-3",
		"1.0": "1.0", "1,,2": "", "1,": "", "1 2": "1 2", "1 - 2": "1 - 2", "٣": "٣", "１": "１", "1e3": "1e3", "0x1": "0x1",
		"9223372036854775808": "9223372036854775808", "1-10002": "1-10002", "stage 2": "stage 2", "1_0": "1_0", "2\x00": "2\x00",
	} {
		got, err := ParseNumbers([]string{arg})
		if !errors.Is(err, ErrNotANumber) || got != nil || !strings.Contains(err.Error(), strconv.Quote(word)) {
			t.Errorf("%q: %v, %v; want an error about %q", arg, got, err, word)
		}
	}
}

// FuzzParseNumbers holds that a choice is refused or gives positive numbers, each
// once, which written out again mean the same.
func FuzzParseNumbers(f *testing.F) {
	for _, s := range []string{"2", "2,4", "2-4", "9223372036854775807", "1-9999", "0", "-", "1,1,1", " 7 "} {
		f.Add(s, "1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		got, err := ParseNumbers([]string{a, b})
		if err != nil {
			if !errors.Is(err, ErrNotANumber) || got != nil {
				t.Fatalf("%v, %v", got, err)
			}
			return
		}
		seen := map[plan.StageNumber]bool{}
		var words []string
		for _, n := range got {
			if n < 1 || seen[n] {
				t.Fatalf("%q, %q: %v", a, b, got)
			}
			seen[n] = true
			words = append(words, strconv.Itoa(int(n)))
		}
		if again, err := ParseNumbers([]string{strings.Join(words, ",")}); err != nil || !slices.Equal(again, got) {
			t.Fatalf("%v, %v; want %v", again, err, got)
		}
	})
}
