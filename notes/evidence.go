package notes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"git-okstra/gitops"
)

// EvidenceError is evidence that cannot be taken, and where in it.
type EvidenceError struct {
	Offset  int // in bytes
	Message string
}

func (e *EvidenceError) Error() string { return e.Message }

func malformed(offset int, format string, args ...any) error {
	return &EvidenceError{offset, fmt.Sprintf(format, args...)}
}

// ParseEvidence reads carry evidence as a worker passes it: a JSON object with any of
// the keys of schema version 1. A key that is unknown, stands twice or has a value of
// another type would be lost or misread, and is an error. Errors: *EvidenceError.
func ParseEvidence(src []byte) (*Carry, error) {
	if at := firstInvalid(src); at >= 0 {
		return nil, malformed(at, "it is not UTF-8")
	}
	skipped := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(src[skipped:], new(any)); {
	case errors.As(err, &syntax):
		return nil, malformed(skipped+max(0, int(syntax.Offset)-1), "it is not JSON: %s", syntax.Error())
	case err != nil:
		return nil, malformed(skipped, "it is not JSON: %s", err)
	}
	c := &Carry{}
	fields := map[string]any{
		"schemaVersion": &c.SchemaVersion, "sourcePlanPath": &c.SourcePlanPath, "stageNumber": &c.StageNumber,
		"stageTitle": &c.StageTitle, "completedAt": &c.CompletedAt, "stageCommitRange": map[string]any{
			"base": &c.StageCommitRange.Base, "head": &c.StageCommitRange.Head,
		},
		"filesChanged": &c.FilesChanged, "newIdentifiers": &c.NewIdentifiers, "stepResults": &c.StepResults,
		"validationsPassed": &c.ValidationsPassed, "notes": &c.Notes,
	}
	if start := skipTo(src, skipped); src[start] != '{' { // null is no evidence
		return nil, malformed(start, "here is to be an object")
	}
	at, err := readObject(src, skipped, fields)
	if err != nil {
		return nil, err
	}
	if offset, given := at["schemaVersion"]; given && c.SchemaVersion != 1 {
		return nil, malformed(offset, "schemaVersion %d is not known, only 1 is", c.SchemaVersion)
	}
	return c, nil
}

// firstInvalid is the offset of the first byte that is no UTF-8, -1 for none.
func firstInvalid(src []byte) int {
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// readObject reads the object at an offset of valid JSON into fields: pointers, or the
// fields of an object in it. It returns where each value stands.
func readObject(src []byte, offset int, fields map[string]any) (map[string]int, error) {
	at := map[string]int{}
	err := walk(src, offset, '{', func(key string, keyAt, valueAt int, value json.RawMessage) error {
		if _, twice := at[key]; twice {
			return malformed(keyAt, "the key %q stands twice", key)
		}
		at[key] = valueAt
		switch target := fields[key].(type) {
		case nil:
			return malformed(keyAt, "the key %q is not known", key)
		case map[string]any:
			_, err := readObject(src, valueAt, target)
			return err
		case *[]StepResult:
			return readSteps(src, valueAt, target)
		default:
			return readValue(key, valueAt, value, target)
		}
	})
	return at, err
}

func readValue(key string, at int, value json.RawMessage, target any) error {
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(value, target); {
	case errors.As(err, &kind):
		return malformed(at, "%q has a value of the wrong type: %s", key, kind.Value)
	case err != nil:
		return malformed(at, "%q: %s", key, err)
	}
	return nil
}

// readSteps reads the list of what came of each step.
func readSteps(src []byte, offset int, out *[]StepResult) error {
	return walk(src, offset, '[', func(_ string, _, at int, _ json.RawMessage) error {
		var s StepResult
		where, err := readObject(src, at, map[string]any{"step": &s.Step, "status": &s.Status, "commit": &s.Commit})
		switch {
		case err != nil:
			return err
		case s.Step < 1:
			return malformed(at, "a step result has no step number")
		case strings.TrimSpace(s.Status) == "":
			return malformed(at, "step %d has no status", s.Step)
		case s.Commit != "" && !isID(s.Commit):
			return malformed(where["commit"], "%q is no commit id", s.Commit)
		}
		*out = append(*out, s)
		return nil
	})
}

// isID reports whether a commit may be looked up: whole, or abbreviated to seven digits
// and more.
func isID(h gitops.Hash) bool {
	const least, most = 7, 64
	return len(h) >= least && len(h) <= most && strings.Trim(strings.ToLower(string(h)), "0123456789abcdef") == ""
}

// walk visits the members of the object or list at an offset of valid JSON, with where
// key and value begin. null has none.
func walk(src []byte, offset int, open byte, visit func(key string, keyAt, valueAt int, value json.RawMessage) error) error {
	start := skipTo(src, offset)
	if bytes.HasPrefix(src[start:], []byte("null")) {
		return nil
	}
	if src[start] != open {
		return malformed(start, "here is to be %s", map[byte]string{'{': "an object", '[': "a list"}[open])
	}
	dec := json.NewDecoder(bytes.NewReader(src[start:]))
	if _, err := dec.Token(); err != nil {
		return malformed(start, "%s", err)
	}
	for dec.More() {
		key, keyAt := "", 0
		if open == '{' {
			keyAt = skipTo(src, start+int(dec.InputOffset()))
			token, err := dec.Token()
			if err != nil {
				return malformed(keyAt, "%s", err)
			}
			key, _ = token.(string)
		}
		var value json.RawMessage
		valueAt := skipTo(src, start+int(dec.InputOffset()))
		if err := dec.Decode(&value); err != nil {
			return malformed(valueAt, "%s", err)
		}
		if err := visit(key, keyAt, valueAt, value); err != nil {
			return err
		}
	}
	return nil
}

// skipTo is the offset of the next byte that belongs to a key or a value.
func skipTo(src []byte, offset int) int {
	for offset < len(src)-1 && strings.IndexByte(" \t\r\n,:", src[offset]) >= 0 {
		offset++
	}
	return offset
}
