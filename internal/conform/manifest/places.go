package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"git-okstra/plan"
)

// maxDepth bounds how deep a manifest may be nested; the schema needs six.
const maxDepth = 64

// places says where each value of a manifest begins, by JSON pointer.
type places struct {
	src     []byte
	offsets map[string]int
}

// problem is a problem with the value at a pointer, or with what is nearest above it.
func (p places) problem(pointer, format string, args ...any) Problem {
	offset, ok := p.offsets[pointer]
	for !ok && pointer != "" {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
		offset, ok = p.offsets[pointer]
	}
	return p.at(offset, format, args...)
}

func (p places) at(offset int, format string, args ...any) Problem {
	before := p.src[:min(max(offset, 0), len(p.src))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return Problem{
		Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(before[line:]) + 1,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	}
}

// hint goes with what the schema refuses.
const hint = "docs/schemas/conformance-manifest.schema.json is the schema; docs/conformance.md describes it"

// locate finds all values, and refuses what two readers could read as two things: a text
// that is no JSON, or a key that stands twice.
func locate(src []byte) (places, *Problem) {
	p := places{src: src, offsets: map[string]int{}}
	if !utf8.Valid(src) {
		problem := p.at(0, "it is not UTF-8")
		return p, &problem
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	w := walker{places: p, dec: dec}
	err := w.value("", 0)
	if err == nil {
		if _, tail := dec.Token(); !errors.Is(tail, io.EOF) {
			err = &placed{int(dec.InputOffset()), "something follows the value"}
		}
	}
	if err == nil {
		return p, nil
	}
	var own *placed
	var syntax *json.SyntaxError
	offset, message := int(dec.InputOffset()), plan.Printable(err.Error())
	switch {
	case errors.As(err, &own):
		offset, message = own.offset, own.message
	case errors.As(err, &syntax):
		offset = int(syntax.Offset) - 1
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, message = len(src), "it ends too early"
	}
	problem := p.at(offset, "it is no JSON: %s", message)
	if own != nil {
		problem = p.at(offset, "%s", message)
	}
	return p, &problem
}

// placed is an error that knows its place.
type placed struct {
	offset  int
	message string
}

func (e *placed) Error() string { return e.message }

type walker struct {
	places
	dec *json.Decoder
}

// next is where the next token begins.
func (w *walker) next() int {
	offset := int(w.dec.InputOffset())
	for offset < len(w.src) && bytes.IndexByte([]byte(" \t\r\n,:"), w.src[offset]) >= 0 {
		offset++
	}
	return offset
}

func (w *walker) value(pointer string, depth int) error {
	start := w.next()
	w.offsets[pointer] = start
	if depth > maxDepth {
		return &placed{start, fmt.Sprintf("it is nested deeper than %d levels", maxDepth)}
	}
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for i := 0; w.dec.More(); i++ {
		name := strconv.Itoa(i)
		if delim == '{' {
			at := w.next()
			key, err := w.dec.Token()
			if err != nil {
				return err
			}
			name, _ = key.(string)
			if seen[name] {
				return &placed{at, "the key " + plan.Quote(name) + " stands twice"}
			}
			seen[name] = true
		}
		if err := w.value(pointer+"/"+escape(name), depth+1); err != nil {
			return err
		}
	}
	_, err = w.dec.Token()
	return err
}

// escape makes a key part of a JSON pointer (RFC 6901).
func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
