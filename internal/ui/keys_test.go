package ui

import (
	"slices"
	"testing"
)

// feed gives the keys of a text, without those that are none.
func feed(d *Decoder, text string) []Key {
	var out []Key
	for _, b := range []byte(text) {
		if k := d.Feed(b); k != NoKey {
			out = append(out, k)
		}
	}
	return out
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Key{
		"":                             nil,
		" x":                           {KeyToggle, KeyToggle},
		"\r\n":                         {KeyEnter, KeyEnter},
		"jk\x0e\x10":                   {KeyDown, KeyUp, KeyDown, KeyUp},
		"agGq":                         {KeyAll, KeyHome, KeyEnd, KeyCancel},
		"\x03\x04":                     {KeyCancel, KeyCancel},
		"\x1b[A\x1b[B\x1b[H\x1b[F":     {KeyUp, KeyDown, KeyHome, KeyEnd},
		"\x1bOA\x1bOB\x1bOH\x1bOF":     {KeyUp, KeyDown, KeyHome, KeyEnd}, // in application mode
		"\x1b[5~\x1b[6~":               {KeyPageUp, KeyPageDown},
		"\x1b[1~\x1b[4~\x1b[7~\x1b[8~": {KeyHome, KeyEnd, KeyHome, KeyEnd},
		"\x1b[1;5A":                    {KeyUp}, // with Ctrl
		"\x1b[3~\x1b[15~\x1b[C\x1bOP":  nil,     // Delete, F5, right, F1
		"\x1bq\x1bj":                   nil,     // Alt
		"\x1b\x1b[A":                   {KeyUp}, // escape, then up
		"\x1b":                         nil,
		"\x1b\x03":                     {KeyCancel}, // in the middle of a sequence
		"\x1b[\x03":                    {KeyCancel},
		"\x1b[12\x1b[B":                {KeyDown}, // one that was cut short
		"\x1b[123456789012345678901~ ": {KeyToggle},
		"한\x80\xffz1":                  nil,
		"\x1b[200~q":                   {KeyCancel},
	} {
		if got := feed(&Decoder{}, text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// FuzzKeys holds that any bytes are taken in bounded space, that pieces make no
// difference, and that after Ctrl-C and a letter the decoder is where it began.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[A"), 1)
	f.Add([]byte("\x1b[1;5~ \r"), 3)
	f.Add([]byte("\x1bO\x1b[[["), 2)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		var whole, pieces Decoder
		want := feed(&whole, string(text))
		at := min(max(cut, 0), len(text))
		if got := append(feed(&pieces, string(text[:at])), feed(&pieces, string(text[at:]))...); !slices.Equal(got, want) {
			t.Fatalf("%q in pieces: %v, want %v", text, got, want)
		}
		if len(whole.params) > maxParams {
			t.Fatalf("%d bytes kept", len(whole.params))
		}
		if got := feed(&whole, "\x03j"); !slices.Equal(got, []Key{KeyCancel, KeyDown}) {
			t.Fatalf("after %q: %v", text, got)
		}
	})
}
