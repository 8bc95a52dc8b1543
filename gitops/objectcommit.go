package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errMalformed marks a commit, tag or tree that does not follow git's format.
var errMalformed = errors.New("malformed object")

// Signature says who and when. Seconds and the zone's hours and minutes are kept.
type Signature struct {
	Name  string
	Email string
	When  time.Time
}

// ExtraHeader is a commit header beyond the usual ones, such as gpgsig; Value
// may have several lines.
type ExtraHeader struct{ Key, Value string }

// CommitData is a commit's content: what ObjectWriter.Commit writes and what
// ParseCommit reads.
type CommitData struct {
	Tree              Hash
	Parents           []Hash
	Author, Committer Signature
	Extra             []ExtraHeader
	Message           string
}

// Signed reports whether the commit carries a signature; it says nothing of whether
// the signature is good.
func (c CommitData) Signed() bool {
	return slices.ContainsFunc(c.Extra, func(h ExtraHeader) bool { return h.Key == "gpgsig" || h.Key == "gpgsig-sha256" })
}

// Commit is a commit that was read.
type Commit = CommitData

// TagData is an annotated tag's content: what ObjectWriter.Tag writes and what
// ParseTag reads.
type TagData struct {
	Target     Hash
	TargetType ObjectType
	Name       string
	Tagger     Signature
	Message    string
}

// Tag is an annotated tag that was read.
type Tag = TagData

// identCrud is what git cuts from both ends of a name or an email (ident.c).
const identCrud = ".,:;<>\"\\'"

// scrubIdent makes s safe between git's delimiters: as git does, `<`, `>`,
// newline and NUL go, and so do control characters and some signs at both ends.
func scrubIdent(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(identCrud, r) })
	return strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r == '\n' || r == 0 {
			return -1
		}
		return r
	}, s)
}

// String is the signature as it stands in an object: name, <email>, seconds
// since 1970, zone. Earlier times, which git cannot store, become 0.
func (s Signature) String() string {
	_, zone := s.When.Zone()
	sign := '+'
	if zone < 0 {
		sign, zone = '-', -zone
	}
	minutes := zone / 60
	return fmt.Sprintf("%s <%s> %d %c%02d%02d", scrubIdent(s.Name), scrubIdent(s.Email),
		max(s.When.Unix(), 0), sign, minutes/60, minutes%60)
}

// parseSignature reads what it can: a date that makes no sense is the zero time.
func parseSignature(line string) (Signature, error) {
	open := strings.IndexByte(line, '<')
	end := strings.LastIndexByte(line, '>')
	if open < 0 || end < open {
		return Signature{}, fmt.Errorf("%w: identity %q", errMalformed, line)
	}
	s := Signature{Name: strings.Trim(line[:open], " \t"), Email: line[open+1 : end]}
	f := strings.Fields(line[end+1:])
	if len(f) == 0 {
		return s, nil
	}
	seconds, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || seconds < 0 {
		return s, nil //nolint:nilerr // git shows such a commit, too
	}
	zone := 0
	if len(f) > 1 {
		zone = parseZone(f[1])
	}
	s.When = time.Unix(seconds, 0).In(time.FixedZone("", zone))
	return s, nil
}

// parseZone reads +hhmm as seconds; nonsense is UTC.
func parseZone(z string) int {
	n, err := strconv.Atoi(z)
	if err != nil || len(z) != 5 || n < -2359 || n > 2359 {
		return 0
	}
	return (n/100*60 + n%100) * 60
}

// ParseCommit reads a commit object's content.
func ParseCommit(data []byte) (Commit, error) {
	var c Commit
	headers, message := splitObject(data)
	for i, h := range headers {
		if (i == 0) != (h.Key == "tree") {
			return Commit{}, fmt.Errorf("%w: commit header %d is %q", errMalformed, i, h.Key)
		}
		if err := c.setHeader(h); err != nil {
			return Commit{}, fmt.Errorf("parse commit: %w", err)
		}
	}
	if c.Tree == "" {
		return Commit{}, fmt.Errorf("%w: commit without tree", errMalformed)
	}
	c.Message = message
	return c, nil
}

func (c *Commit) setHeader(h ExtraHeader) (err error) {
	switch h.Key {
	case "tree":
		c.Tree, err = parseHash(h.Value)
	case "parent":
		var parent Hash
		parent, err = parseHash(h.Value)
		c.Parents = append(c.Parents, parent)
	case "author":
		c.Author, err = parseSignature(h.Value)
	case "committer":
		c.Committer, err = parseSignature(h.Value)
	default:
		c.Extra = append(c.Extra, h)
	}
	return err
}

// ParseTag reads an annotated tag object's content; the tagger may be absent.
func ParseTag(data []byte) (Tag, error) {
	var t Tag
	headers, message := splitObject(data)
	for _, h := range headers {
		var err error
		switch h.Key {
		case "object":
			t.Target, err = parseHash(h.Value)
		case "type":
			t.TargetType = ObjectType(h.Value)
		case "tag":
			t.Name = h.Value
		case "tagger":
			t.Tagger, err = parseSignature(h.Value)
		}
		if err != nil {
			return Tag{}, fmt.Errorf("parse tag: %w", err)
		}
	}
	if t.Target == "" || t.TargetType == "" {
		return Tag{}, fmt.Errorf("%w: tag without target", errMalformed)
	}
	t.Message = message
	return t, nil
}

func parseHash(s string) (Hash, error) {
	if h := Hash(s); h.Valid() {
		return h, nil
	}
	return "", fmt.Errorf("%w: id %q", errMalformed, s)
}

// splitObject splits a commit or tag into its headers, continuation lines
// joined, and the message behind the first empty line.
func splitObject(data []byte) ([]ExtraHeader, string) {
	var headers []ExtraHeader
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		if len(line) == 0 {
			return headers, string(data)
		}
		if n := len(headers); line[0] == ' ' && n > 0 {
			headers[n-1].Value += "\n" + string(line[1:])
			continue
		}
		key, value, _ := strings.Cut(string(line), " ")
		headers = append(headers, ExtraHeader{key, value})
	}
	return headers, ""
}
