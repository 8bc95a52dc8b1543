// Package proof reads what a conformance script says, judges whether that is a pass, and
// keeps the outcome as one line of a note. It is pure: output and exit status in, a
// verdict and its reasons out.
package proof

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"git-okstra/plan"
)

// The bounds on what is kept of a script's output, in bytes and requirements. What is
// longer is cut, or counts as no line of the contract.
const (
	maxLine         = 8 << 10
	maxEvidence     = 1 << 10
	maxRequirements = 10_000
)

// Word is a verdict of a script, of a requirement, or of a run.
type Word string

// The words of the contract.
const (
	Pass Word = "PASS"
	Fail Word = "FAIL"
)

// Requirement is what the script says of one requirement.
type Requirement struct {
	ID       string `json:"id"`
	Verdict  Word   `json:"verdict"`
	Evidence string `json:"evidence"`
}

// Reader takes a script's standard output in pieces, and keeps its last block: a line
// "QA-RESULT: PASS" or FAIL, and a line "REQ <id>: PASS: <evidence>" or FAIL for each
// requirement. Blank lines do not count.
type Reader struct {
	line  []byte // what has come of the line that is being read, cut at maxLine
	found bool
	word  Word
	reqs  []Requirement
	wrong string // why the block is none, "" for nothing
}

// Write takes a piece, wherever it ends. It never fails.
func (r *Reader) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		r.line = append(r.line, part[:min(len(part), maxLine-len(r.line))]...)
		if ended {
			r.take(string(r.line))
			r.line = r.line[:0]
		}
		p = rest
	}
	return n, nil
}

// end reads a last line that has no line end.
func (r *Reader) end() {
	if len(r.line) > 0 {
		r.take(string(r.line))
		r.line = nil
	}
}

func (r *Reader) take(line string) {
	line = strings.TrimRight(line, " \t\r")
	if line == "" {
		return
	}
	if word, ok := strings.CutPrefix(line, "QA-RESULT:"); ok {
		r.found, r.word, r.reqs, r.wrong = true, Word(strings.TrimSpace(word)), nil, ""
		if r.word != Pass && r.word != Fail {
			r.wrong = "its last QA-RESULT is neither PASS nor FAIL"
		}
		return
	}
	if !r.found || r.wrong != "" {
		return
	}
	rest, ok := strings.CutPrefix(line, "REQ ")
	if !ok {
		r.wrong = "something follows its QA-RESULT block: " + plan.Quote(line)
		return
	}
	req, ok := parseRequirement(rest)
	switch {
	case !ok:
		r.wrong = "a line of its block is not of the form REQ <id>: PASS|FAIL: <evidence>: " + plan.Quote(line)
	case len(r.reqs) == maxRequirements:
		r.wrong = fmt.Sprintf("its block has more than %d requirements", maxRequirements)
	default:
		r.reqs = append(r.reqs, req)
	}
}

// parseRequirement reads "<id>: PASS: <evidence>"; evidence may be absent.
func parseRequirement(s string) (Requirement, bool) {
	id, rest, ok := strings.Cut(strings.TrimLeft(s, " \t"), " ")
	id, colon := strings.CutSuffix(id, ":")
	if !ok || !colon || id == "" {
		return Requirement{}, false
	}
	word, evidence, _ := strings.Cut(strings.TrimLeft(rest, " \t"), ":")
	q := Requirement{ID: id, Verdict: Word(strings.TrimSpace(word)), Evidence: cut(strings.TrimSpace(evidence))}
	return q, q.Verdict == Pass || q.Verdict == Fail
}

// cut bounds evidence, and makes it text.
func cut(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxEvidence {
		return s
	}
	s = s[:maxEvidence]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}

// Exit is how a script ended.
type Exit struct {
	Code    int    // its exit code, -1 where there is none
	Stopped string // why it was stopped, or what ended it; "" where it ended by itself
}

// Judge says what a run comes to. A pass needs all of: exit code 0, the word PASS, each
// of the wanted requirements exactly once and passed, and no other one. reasons are all
// that is in the way of it, text of the script escaped.
func (r *Reader) Judge(exit Exit, wanted []string) (word Word, reqs []Requirement, reasons []string) {
	r.end()
	add := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	if exit.Stopped != "" {
		add("%s", exit.Stopped)
	}
	switch {
	case !r.found:
		add("it printed no QA-RESULT block%s", ending(exit))
		return Fail, nil, reasons
	case r.wrong != "":
		add("%s", r.wrong)
	case r.word == Pass && exit.Code != 0 && exit.Stopped == "":
		add("it says PASS and exits with %d", exit.Code)
	case r.word == Fail && exit.Code == 0:
		add("it says FAIL and exits with 0")
	case r.word == Fail:
		add("it says FAIL")
	}
	reasons = append(reasons, r.compare(wanted)...)
	if len(reasons) > 0 {
		return Fail, r.reqs, reasons
	}
	return Pass, r.reqs, nil
}

func ending(exit Exit) string {
	if exit.Code != 0 && exit.Stopped == "" {
		return fmt.Sprintf(" (exit code %d)", exit.Code)
	}
	return ""
}

// compare holds what was said of requirements against those that are wanted.
func (r *Reader) compare(wanted []string) []string {
	var failed, doubled, unknown, missing []string
	count := map[string]int{}
	for _, q := range r.reqs {
		count[q.ID]++
		switch known := slices.Contains(wanted, q.ID); {
		case count[q.ID] == 2:
			doubled = append(doubled, q.ID)
		case count[q.ID] > 2:
		case !known:
			unknown = append(unknown, q.ID)
		case q.Verdict == Fail:
			failed = append(failed, q.ID)
		}
	}
	for _, id := range wanted {
		if count[id] == 0 {
			missing = append(missing, id)
		}
	}
	var out []string
	for _, kind := range []struct {
		what string
		ids  []string
	}{
		{"failed", failed},
		{"stands more than once in its block", doubled},
		{"is no requirement of the manifest", unknown},
		{"is missing from its block", missing},
	} {
		if len(kind.ids) > 0 {
			out = append(out, listed(kind.ids)+" "+kind.what)
		}
	}
	return out
}

// listed names some ids, and how many more there are.
func listed(ids []string) string {
	const most = 5
	var words []string
	for _, id := range ids[:min(most, len(ids))] {
		words = append(words, plan.Quote(id))
	}
	if more := len(ids) - most; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}
