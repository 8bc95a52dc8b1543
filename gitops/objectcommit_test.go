package gitops

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseCommitOfGit(t *testing.T) {
	r := newObjRepo(t)
	r.history(3)
	s := openStore(t, r.noGit())
	_, data, err := s.read(t.Context(), Hash(r.git("rev-parse", "HEAD")))
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseCommit(data)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(c.Tree, c.Parents[0], c.Author.Name, c.Author.Email, c.Author.When.Unix(),
		c.Author.When.Format("-0700"), c.Committer.Name, c.Committer.When.Format("-0700")) + c.Message
	want := r.git("log", "-1", "--format=%T %P %an %ae %at +0100 %cn -0330%n%B")
	if got != want && got != want+"\n" {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if tr := Trailers(c.Message); len(tr) != 1 || tr[0] != (Trailer{"Key", "2"}) {
		t.Errorf("trailers %v", tr)
	}
}

func TestParseTagOfGit(t *testing.T) {
	r := newObjRepo(t)
	r.history(1)
	s := openStore(t, r.noGit())
	_, data, err := s.read(t.Context(), Hash(r.git("rev-parse", "v1")))
	if err != nil {
		t.Fatal(err)
	}
	tag, err := ParseTag(data)
	if err != nil || string(tag.Target) != r.git("rev-parse", "HEAD") || tag.TargetType != TypeCommit ||
		tag.Name != "v1" || tag.Tagger.Email != "c@example.com" || tag.Message != "a tag\n" {
		t.Errorf("%+v, %v", tag, err)
	}
}

func TestParseCommitMalformed(t *testing.T) {
	id := strings.Repeat("ab", 20)
	for _, text := range []string{
		"", "\n", "tree\n", "tree abc\n", "parent " + id + "\n", "tree " + id + "\ntree " + id + "\n",
		"tree " + id + "\nparent x\n", "tree " + id + "\nauthor nobody\n", "tree " + id + "\nauthor > <\n",
		"author A <a> 1 +0000\ntree " + id + "\n",
	} {
		if c, err := ParseCommit([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, c)
		}
	}
	for _, text := range []string{"", "object x\ntype blob\n", "type blob\n", "object " + id + "\n", "object " + id + "\ntype blob\ntagger x\n"} {
		if tag, err := ParseTag([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, tag)
		}
	}
}

// Strange dates do not make a commit unreadable.
func TestParseSignatureLenient(t *testing.T) {
	for line, want := range map[string]string{
		"A <a@b> 1700000000 +0100":           "A <a@b> 1700000000 +0100",
		"A <a@b> 1700000000 -0030":           "A <a@b> 1700000000 -0030",
		"A <a@b> 1700000000":                 "A <a@b> 1700000000 +0000",
		"A <a@b> 1700000000 +99999":          "A <a@b> 1700000000 +0000",
		"A <a@b> 1700000000 x":               "A <a@b> 1700000000 +0000",
		"A <a@b>":                            "A <a@b> 0 +0000",
		"A <a@b> 99999999999999999999 +0000": "A <a@b> 0 +0000",
		"A <a@b> -5 +0000":                   "A <a@b> 0 +0000",
		"<> 5 +0000":                         " <> 5 +0000",
	} {
		s, err := parseSignature(line)
		if err != nil || s.String() != want {
			t.Errorf("%q: %q, %v", line, s, err)
		}
	}
}

func TestScrubIdent(t *testing.T) {
	for in, want := range map[string]string{
		"Ada":                        "Ada",
		"  Ada L.  ":                 "Ada L",
		"A <x> 0 +0000\nparent dead": "A x 0 +0000parent dead",
		"\x00<\n>\x00":               "",
		"\"quoted\"":                 "quoted",
		"Zoë":                        "Zoë",
	} {
		if got := scrubIdent(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What is written is read back, whatever the strings hold.
func TestCommitRoundTrip(t *testing.T) {
	hash := rapid.Map(rapid.SliceOfN(rapid.Byte(), 20, 20), func(b []byte) Hash { return Hash(fmt.Sprintf("%x", b)) })
	rapid.Check(t, func(t *rapid.T) {
		who := Signature{
			rapid.String().Draw(t, "name"), rapid.String().Draw(t, "email"),
			time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "at"), 0).
				In(time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "zone"))),
		}
		c := CommitData{
			Tree: hash.Draw(t, "tree"), Parents: rapid.SliceOf(hash).Draw(t, "parents"), Author: who, Committer: who,
			Extra:   []ExtraHeader{{"gpgsig", strings.ReplaceAll(rapid.String().Draw(t, "extra"), "\x00", "")}},
			Message: rapid.String().Draw(t, "message"),
		}
		data, err := encodeCommit(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseCommit(data)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if got.Tree != c.Tree || fmt.Sprint(got.Parents) != fmt.Sprint(c.Parents) || !reflect.DeepEqual(got.Extra, c.Extra) {
			t.Errorf("%q: %+v", data, got)
		}
		if got.Author.String() != who.String() || !got.Author.When.Equal(who.When) {
			t.Errorf("%q: %q, want %q", data, got.Author, who)
		}
		if want := strings.ReplaceAll(c.Message, "\x00", ""); strings.TrimSuffix(got.Message, "\n") != strings.TrimSuffix(want, "\n") {
			t.Errorf("message %q, want %q", got.Message, want)
		}
	})
}

// FuzzParseCommit: no input panics, and what parses can be written and parsed.
func FuzzParseCommit(f *testing.F) {
	id := strings.Repeat("ab", 20)
	f.Add([]byte("tree " + id + "\nparent " + id + "\nauthor A <a> 1 +0100\ncommitter C <c> 2 -0330\ngpgsig x\n y\n\nsubject\n"))
	f.Add([]byte("object " + id + "\ntype commit\ntag v1\ntagger T <t> 1 +0000\n\nmessage"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = ParseTag(data)
		c, err := ParseCommit(data)
		if err != nil {
			return
		}
		back, err := encodeCommit(c)
		if err != nil {
			return // ids of two formats, a header with NUL
		}
		again, err := ParseCommit(back)
		if err != nil || again.Tree != c.Tree || len(again.Parents) != len(c.Parents) || len(again.Extra) != len(c.Extra) {
			t.Errorf("%q, %v", back, err)
		}
	})
}
