package bundle

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPack reads back what was packed, in both forms, and twice the same.
func TestPack(t *testing.T) {
	t.Parallel()
	files := []File{{"a.json", []byte("{}\n")}, {"b.md", []byte("# 계획\n")}}
	read := map[string]func([]byte) string{
		"x.tar.gz": func(data []byte) (got string) {
			plain, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			for r := tar.NewReader(plain); ; {
				head, err := r.Next()
				if err != nil {
					return got
				}
				text, _ := io.ReadAll(r)
				got += head.Name + "=" + string(text)
			}
		},
		"x.zip": func(data []byte) (got string) {
			r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.File {
				part, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(part)
				got += f.Name + "=" + string(text)
			}
			return got
		},
	}
	for name, back := range read {
		one, err := Pack(name, files)
		two, _ := Pack(name, files)
		if err != nil || !bytes.Equal(one, two) || back(one) != Folder+"a.json={}\n"+Folder+"b.md=# 계획\n" {
			t.Errorf("%s: %v %q", name, err, back(one))
		}
	}
	for name, want := range map[string]bool{"a.zip": true, "a.tgz": true, "a.tar.gz": true, "a.tar": false, "a.gz": false, "zip": false} {
		if Known(name) != want {
			t.Errorf("Known(%q) is %v", name, !want)
		}
	}
}

func TestPseudonyms(t *testing.T) {
	t.Parallel()
	d, e := NewDisguise("one"), NewDisguise("two")
	if a := d.As("person", "Kim"); a != d.As("person", "Kim") || a == d.As("person", "Lee") || a == e.As("person", "Kim") || !strings.HasPrefix(a, "person-") || d.As("x", "") != "" {
		t.Error(a)
	}
	for in, want := range map[string]string{
		"refs/okstra/a/b/c/done/12":       "refs/okstra/A/B/C/done/12",
		"refs/okstra-local/port/123456":   "refs/okstra-local/port/N",
		"refs/notes/okstra-qa/a/b/c/plan": "refs/notes/okstra-qa/A/B/C/plan",
	} {
		for short, long := range map[string]string{"A": "a", "B": "b", "C": "c", "N": "123456"} {
			want = strings.ReplaceAll(want, "/"+short, "/"+d.As("name", long))
		}
		if got := d.Ref(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	d := NewDisguise("k")
	host := d.As("host", "h.example.org")
	for in, want := range map[string]string{
		"https://u:t@h.example.org:80/p?x=y": "https, " + host,
		"ssh://git@h.example.org/p":          "ssh, " + host,
		"git@h.example.org:p.git":            "ssh (short form), " + host,
		"../hub.git":                         "path",
		`C:\hub`:                             "ssh (short form), " + d.As("host", "C"),
		"./a:b":                              "path",
		"file:///srv/hub":                    "file",
		"secret://x":                         "another scheme, " + d.As("url", "secret://x"),
	} {
		if got := d.URL(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	d := NewDisguise("k", "stage is held by; --repair mends it, half-done")
	d.Remember("person", "Will Be <w@b>")
	d.Show("0123456789abcdef")
	for in, want := range map[string]string{
		"stage 3 is held by Will Be <w@b>.":  "stage 3 is held by " + d.As("person", "Will Be <w@b>") + ".",
		"stage 12345 at 0123456789":          "stage " + d.As("word", "12345") + " at 0123456789",
		"half-done: mends/it (--repair)":     "half-done: mends/it (--repair)",
		"fatal: cannot read 'refs/heads/x'":  "fatal: cannot read 'refs/heads/" + d.As("name", "x") + "'",
		"object 0123 is \"Secret\",\nBy it":  "object 0123 is \"" + d.As("word", "Secret") + "\",\n" + d.As("word", "By") + " it",
		"unable to access https://h/p: held": "unable to access " + d.As("word", "https://h/p") + ": held",
		"":                                   "",
	} {
		if got := d.Prose(in); got != want {
			t.Errorf("%q:\n%q, want\n%q", in, got, want)
		}
	}
}

func TestSetting(t *testing.T) {
	t.Parallel()
	d := NewDisguise("k")
	for _, c := range []struct{ key, value, want string }{
		{"core.bare", "false", "false"},
		{"core.eol", "lf", "lf"},
		{"core.eol", "other", "(hidden)"},
		{"core.sshCommand", "ssh -i key", "(hidden)"},
		{"core.editor", "", "(empty)"},
		{"okstra.lease", "1h30m", "1h30m"},
		{"okstra.executor", "x", "(hidden)"},
	} {
		if s, ok := d.Setting("local", c.key, c.value); !ok || s != (Setting{"local", c.key, c.want}) {
			t.Errorf("%v: %v, %v", c, s, ok)
		}
	}
	if s, ok := d.Setting("local", "okstra.project.Secret.root", "x"); !ok || s.Key != "okstra.project."+d.As("name", "Secret")+".root" || s.Value != "(hidden)" {
		t.Error(s)
	}
	for _, key := range []string{"user.email", "okstra.secret", "core.x.y", "http.extraheader"} {
		if s, ok := d.Setting("local", key, "1"); ok {
			t.Error(s)
		}
	}
	for _, name := range Variables() {
		if strings.Contains(name, "TOKEN") {
			t.Error(name)
		}
	}
}

// TestNothingForeignGetsThrough: whatever a message is made of, a word that is not of the
// vocabulary is not in it.
func TestNothingForeignGetsThrough(t *testing.T) {
	t.Parallel()
	d := NewDisguise("k", "stage is done")
	rapid.Check(t, func(rt *rapid.T) {
		secret := "Zq" + rapid.StringMatching(`[A-Za-z0-9_./:@-]{0,8}`).Draw(rt, "secret") + "qZ"
		around := rapid.StringMatching(`[ "'(),.:;<>/-]{0,3}`)
		text := "stage is" + around.Draw(rt, "before") + secret + around.Draw(rt, "after") + "done refs/" + secret + "/x"
		for what, got := range map[string]string{
			"prose": d.Prose(text), "ref": d.Ref("refs/okstra/" + secret), "url": d.URL(secret) + d.URL("https://"+secret+"/") + d.URL("x://"+secret),
		} {
			if strings.Contains(got, "Zq") || strings.Contains(got, "qZ") {
				rt.Errorf("%s: %q gives %q", what, text, got)
			}
		}
	})
}
