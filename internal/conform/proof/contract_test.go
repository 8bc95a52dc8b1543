package proof

import (
	"strings"
	"testing"
)

func judge(out string, exit Exit, wanted ...string) (Word, []Requirement, string) {
	r := &Reader{}
	_, _ = r.Write([]byte(out))
	word, reqs, reasons := r.Judge(exit, wanted)
	return word, reqs, strings.Join(reasons, "; ")
}

// TestLies tries each way in which a script can lie or be unclear.
func TestLies(t *testing.T) {
	t.Parallel()
	const block = "QA-RESULT: PASS\nREQ a: PASS: saw it\nREQ b: PASS: saw it too\n"
	for _, tt := range []struct {
		name, out string
		exit      Exit
		want      string // the reasons, "" for a pass
	}{
		{"all is well", "log\n" + block, Exit{}, ""},
		{"blank lines and CRLF", "log\r\nQA-RESULT: PASS \r\n\r\nREQ a: PASS: x\r\nREQ b: PASS: y\r\n\r\n", Exit{}, ""},
		{"no line end", strings.TrimSuffix(block, "\n"), Exit{}, ""},
		{"no evidence", "QA-RESULT: PASS\nREQ a: PASS\nREQ b: PASS:\n", Exit{}, ""},
		{"the last block counts", "QA-RESULT: FAIL\nREQ a: FAIL: x\nretry\n" + block, Exit{}, ""},
		{"a later block takes back", block + "QA-RESULT: FAIL\nREQ a: FAIL: no\nREQ b: PASS: y\n", Exit{Code: 1}, `it says FAIL; "a" failed`},
		{"PASS and exit 1", block, Exit{Code: 1}, "it says PASS and exits with 1"},
		{"FAIL and exit 0", strings.ReplaceAll(block, "PASS", "FAIL"), Exit{}, `it says FAIL and exits with 0; "a", "b" failed`},
		{"FAIL", "QA-RESULT: FAIL\nREQ a: PASS: x\nREQ b: FAIL: y\n", Exit{Code: 2}, `it says FAIL; "b" failed`},
		{"PASS with a failed requirement", "QA-RESULT: PASS\nREQ a: PASS: x\nREQ b: FAIL: y\n", Exit{}, `"b" failed`},
		{"no block", "all fine\nREQ a: PASS: x\n", Exit{}, "it printed no QA-RESULT block"},
		{"no block, exit 7", "boom\n", Exit{Code: 7}, "it printed no QA-RESULT block (exit code 7)"},
		{"nothing at all", "", Exit{}, "it printed no QA-RESULT block"},
		{"block not last", block + "bye\x1b[2K\n", Exit{}, `something follows its QA-RESULT block: "bye\x1b[2K"`},
		{"text inside of it", "QA-RESULT: PASS\nnote\nREQ a: PASS: x\n", Exit{}, `something follows its QA-RESULT block: "note"; "a", "b" is missing from its block`},
		{"unknown id", block + "REQ c: PASS: z\n", Exit{}, `"c" is no requirement of the manifest`},
		{"missing id", "QA-RESULT: PASS\nREQ a: PASS: x\n", Exit{}, `"b" is missing from its block`},
		{"doubled id", block + "REQ a: PASS: again\n", Exit{}, `"a" stands more than once in its block`},
		{"doubled and contrary", block + "REQ a: FAIL: again\nREQ a: PASS: x\n", Exit{}, `"a" stands more than once in its block`},
		{"neither word", strings.Replace(block, "PASS", "PASSED", 1), Exit{}, `its last QA-RESULT is neither PASS nor FAIL; "a", "b" is missing from its block`},
		{"lower case", strings.ToLower(block), Exit{}, "it printed no QA-RESULT block"},
		{"no such line", "QA-RESULT: PASS\nREQ a PASS\n", Exit{}, `a line of its block is not of the form REQ <id>: PASS|FAIL: <evidence>: "REQ a PASS"; "a", "b" is missing from its block`},
		{"maybe", "QA-RESULT: PASS\nREQ a: MAYBE: x\nREQ b: PASS: y\n", Exit{}, `a line of its block is not of the form REQ <id>: PASS|FAIL: <evidence>: "REQ a: MAYBE: x"; "a", "b" is missing from its block`},
		{"not at the beginning of its line", "x QA-RESULT: PASS\n", Exit{}, "it printed no QA-RESULT block"},
		{"coloured", "\x1b[32mQA-RESULT: PASS\x1b[0m\nREQ a: PASS: x\n", Exit{}, "it printed no QA-RESULT block"},
		{"stopped after its PASS", block, Exit{Code: -1, Stopped: "it was stopped after its time limit of 1s"}, "it was stopped after its time limit of 1s"},
		{"a long line hides the block", strings.Repeat("x", 3*maxLine) + block, Exit{}, "it printed no QA-RESULT block"},
	} {
		word, _, got := judge(tt.out, tt.exit, "a", "b")
		if got != tt.want || (word == Pass) != (tt.want == "") {
			t.Errorf("%s: %s, %q, want %q", tt.name, word, got, tt.want)
		}
	}
}

func TestWithoutRequirements(t *testing.T) {
	t.Parallel()
	if word, _, why := judge("QA-RESULT: PASS\n", Exit{}); word != Pass {
		t.Errorf("%s: %s", word, why)
	}
	if word, _, why := judge("QA-RESULT: PASS\nREQ a: PASS: x\n", Exit{}); word != Fail {
		t.Errorf("%s: %s", word, why)
	}
}

// TestPieces holds that it does not matter how the output is cut.
func TestPieces(t *testing.T) {
	t.Parallel()
	const out = "log\r\nQA-RESULT: PASS\nREQ a: PASS: é: more: colons\n\nREQ b-2/x: PASS: y"
	for size := 1; size < len(out); size++ {
		r := &Reader{}
		for rest := out; rest != ""; rest = rest[min(size, len(rest)):] {
			_, _ = r.Write([]byte(rest[:min(size, len(rest))]))
		}
		word, reqs, reasons := r.Judge(Exit{}, []string{"a", "b-2/x"})
		if word != Pass || len(reqs) != 2 || reqs[0].Evidence != "é: more: colons" {
			t.Fatalf("in pieces of %d: %s %v %q", size, word, reqs, reasons)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	_, reqs, _ := judge("QA-RESULT: PASS\nREQ a: PASS: "+strings.Repeat("한", 4000)+"\xff\n", Exit{}, "a")
	if len(reqs) != 1 || len(reqs[0].Evidence) > maxEvidence+4 || strings.ContainsRune(reqs[0].Evidence, '\uFFFD') {
		t.Errorf("evidence of %d bytes", len(reqs[0].Evidence))
	}
	r := &Reader{}
	_, _ = r.Write([]byte("QA-RESULT: PASS\n"))
	for range maxRequirements + 5 {
		_, _ = r.Write([]byte("REQ a: PASS: x\n"))
	}
	if word, reqs, reasons := r.Judge(Exit{}, []string{"a"}); word != Fail || len(reqs) != maxRequirements || !strings.Contains(reasons[0], "more than 10000 requirements") {
		t.Errorf("%s, %d requirements, %q", word, len(reqs), reasons)
	}
	long := make([]byte, 1<<20)
	_, _ = r.Write(long)
	if cap(r.line) > 4*maxLine {
		t.Errorf("a line without end takes %d bytes", cap(r.line))
	}
	if _, _, why := judge("QA-RESULT: PASS\n", Exit{}, "1", "2", "3", "4", "5", "6\x1b", "7"); why != `"1", "2", "3", "4", "5", and 2 more is missing from its block` {
		t.Errorf("missing: %q", why)
	}
}

// FuzzReader holds that a pass is only what the contract calls one.
func FuzzReader(f *testing.F) {
	f.Add([]byte("QA-RESULT: PASS\nREQ a: PASS: x\n"), 0)
	f.Add([]byte("QA-RESULT: PASS\nREQ a: PASS: x\nREQ a: PASS: x\n\x00"), 1)
	f.Fuzz(func(t *testing.T, out []byte, code int) {
		r := &Reader{}
		_, _ = r.Write(out)
		word, reqs, reasons := r.Judge(Exit{Code: code}, []string{"a"})
		if (word == Pass) != (len(reasons) == 0) {
			t.Fatalf("%s with %q", word, reasons)
		}
		if word == Pass && (code != 0 || len(reqs) != 1 || reqs[0].ID != "a" || reqs[0].Verdict != Pass) {
			t.Fatalf("%s at exit %d with %v", word, code, reqs)
		}
	})
}
