package notes

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"git-okstra/plan"
)

// Origin is where an imported row comes from: a file of an okstra task folder, and
// what stood there, so that an export gives it back byte for byte. A row that was
// derived (the end of a fix cycle, evidence without its row) has neither Line nor Text.
type Origin struct {
	File   string          `json:"file"`             // below the folder, slashes
	Line   json.RawMessage `json:"line,omitempty"`   // the line as it stood, where that is JSON without insignificant space
	Text   string          `json:"text,omitempty"`   // else the line, or the file, as text
	SHA256 string          `json:"sha256,omitempty"` // of a file that is kept elsewhere: the plan
}

// NewOrigin keeps a line of UTF-8 text. A line that a row would not hold unchanged
// as JSON is kept as text.
func NewOrigin(file string, line []byte) *Origin {
	var compact bytes.Buffer
	if json.Compact(&compact, line) == nil && bytes.Equal(compact.Bytes(), line) && !bytes.Contains(line, []byte(`\u202`)) {
		return &Origin{File: file, Line: bytes.Clone(line)}
	}
	return &Origin{File: file, Text: string(line)}
}

// Bytes gives back what stood there, nil for a derived row.
func (o *Origin) Bytes() []byte {
	switch {
	case o.Line != nil:
		return o.Line
	case o.Text != "":
		return []byte(o.Text)
	}
	return nil
}

// DerivedID is the id of an imported row: a UUID of version 8 (RFC 9562) made from
// the task, the file and what stood there, so that every import of the same thing,
// in any clone, gives the same row.
func DerivedID(key plan.TaskKey, file string, content []byte) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d:%s %d:%s ", len(key.String()), key, len(file), file)
	_, _ = h.Write(content)
	id := h.Sum(nil)[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	hex := fmt.Sprintf("%x", id)
	return strings.Join([]string{hex[:8], hex[8:12], hex[12:16], hex[16:20], hex[20:]}, "-")
}
