package taskfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"git-okstra/notes"
	"git-okstra/plan"
)

// object is one JSON object of a line or file, by its keys. Releases differ in the
// spelling of keys, so each look takes all spellings, the newest first.
type object map[string]json.RawMessage

var bom = []byte("\xef\xbb\xbf")

// Why something is no object.
var (
	errNotText   = errors.New("it is not valid UTF-8")
	errNotObject = errors.New("it is no JSON object")
	errNoStage   = errors.New("it names no stage")
	errNoStatus  = errors.New("it has no status")
)

// parseObject reads a JSON object; its errors are for people.
func parseObject(text []byte) (object, error) {
	if !utf8.Valid(text) {
		return nil, errNotText
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, bom))
	var o object
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, &o) != nil {
		return nil, errNotObject
	}
	return o, nil
}

// text is the first of the keys that holds a string with something in it.
func (o object) text(keys ...string) string {
	for _, key := range keys {
		raw, ok := o[key]
		if !ok {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// number is the first of the keys that holds a whole number from 1 on, as a number
// or as its digits.
func (o object) number(keys ...string) int {
	for _, key := range keys {
		digits := strings.Trim(string(o[key]), `"`)
		if n, err := strconv.ParseInt(digits, 10, 32); err == nil && n > 0 {
			return int(n)
		}
	}
	return 0
}

// object is the first of the keys that holds an object.
func (o object) object(keys ...string) object {
	for _, key := range keys {
		if inner, err := parseObject(o[key]); err == nil {
			return inner
		}
	}
	return nil
}

func (o object) stage() plan.StageNumber {
	return plan.StageNumber(o.number("stage", "stage_number", "stageNumber"))
}

func (o object) head() string {
	return strings.ToLower(o.text("head_commit", "headCommit", "head", "commit"))
}

// moment reads a time and gives it as rows keep it, "" for what is no time.
func moment(s string) (string, time.Time) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 && t.Year() < 10000 {
			return notes.Time(t), t
		}
	}
	return "", time.Time{}
}
