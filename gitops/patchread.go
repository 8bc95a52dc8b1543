package gitops

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

// patchReader reads what diff-tree writes, passes it on with each diff's number in
// the place of its commit, so that patch-id's answer is of one diff even where a
// commit is compared twice, and takes the digests.
type patchReader struct {
	out   []Patch
	order []int // where in out each diff goes
	width int   // of an object id
	at    int   // the diff that is being read, -1 before the first

	exact, inverse   hash.Hash // of the diff, nil before the first
	one, back        hash.Hash // of the file: the same two
	minus, plus      hash.Hash // of the hunk's two sides
	path             string    // of the file, as git quotes it; "" between files
	oldMode, newMode string    // as far as the diff names them
	headed, inHunk   bool      // of the file: its head is in the digests; a hunk has begun
	side             hash.Hash // of the last line in the hunk
}

func newPatchReader(out []Patch, order []int, width int) *patchReader {
	return &patchReader{out: out, order: order, width: width, at: -1, minus: sha256.New(), plus: sha256.New()}
}

// read takes all of the input. Lines of any length are read piece by piece.
func (p *patchReader) read(in io.Reader, pass *bufio.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	for whole := true; ; {
		piece, err := lines.ReadSlice('\n')
		if len(piece) > 0 {
			if lineErr := p.piece(piece, whole, pass); lineErr != nil {
				return lineErr
			}
			whole = piece[len(piece)-1] == '\n'
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// piece takes a line, or the beginning or a further part of a long one.
func (p *patchReader) piece(piece []byte, first bool, pass *bufio.Writer) error {
	var err error
	switch {
	case !first:
		if p.side != nil {
			p.side.Write(piece)
		}
	case p.inHunk && strings.IndexByte(`-+\`, piece[0]) >= 0:
		p.hunkLine(piece)
	case len(piece) == p.width+1 && Hash(piece[:p.width]).Valid():
		p.endDiff()
		if p.at++; p.at >= len(p.out) {
			return errors.New("more diffs than were asked for")
		}
		p.exact, p.inverse = sha256.New(), sha256.New()
		_, err = fmt.Fprintf(pass, "%0*x\n", p.width, p.at+1) // patch-id takes zero for no commit
		return err
	default:
		err = p.header(string(bytes.TrimSuffix(piece, []byte("\n"))))
	}
	if err == nil && p.inHunk && piece[0] == '@' {
		_, err = pass.WriteString(countedHunk(string(piece)))
	} else if err == nil {
		_, err = pass.Write(piece)
	}
	return err
}

// countedHunk writes the line that a hunk begins with so that it says how many lines
// there are also where that is one. git's own patch-id reads the place as the number
// where that is left out (before 2.39), and then takes what follows for something else.
func countedHunk(line string) string {
	words := strings.SplitN(line, " ", 4) // @@ -1 +1 @@
	for i := 1; i < len(words)-1 && i < 3; i++ {
		if !strings.Contains(words[i], ",") {
			words[i] += ",1"
		}
	}
	return strings.Join(words, " ")
}

// hunkLine adds a line to its side; that a side's last line has no end counts as well.
func (p *patchReader) hunkLine(line []byte) {
	switch line[0] {
	case '-':
		p.side = p.minus
	case '+':
		p.side = p.plus
	default: // "\ No newline at end of file"
		if p.side != nil {
			p.side.Write([]byte{0})
		}
		return
	}
	p.side.Write(line[1:])
}

func (p *patchReader) header(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	if p.at < 0 {
		return fmt.Errorf("unexpected line %.80q before all diffs", line)
	}
	switch word {
	case "diff":
		return p.beginFile(rest)
	case "@@":
		p.endHunk()
		p.head()
		p.inHunk = true
	case "old", "deleted":
		p.oldMode = line[strings.LastIndexByte(line, ' ')+1:]
	case "new":
		p.newMode = line[strings.LastIndexByte(line, ' ')+1:]
	case "index", "---", "+++", "":
	default:
		return fmt.Errorf("unexpected line %.80q of a diff", line)
	}
	return nil
}

// beginFile reads "--git a/PATH b/PATH", where both paths are the same.
func (p *patchReader) beginFile(rest string) error {
	p.endFile()
	_, both, _ := strings.Cut(rest, " ")
	p.path, p.oldMode, p.newMode, p.headed = both, "", "", false
	p.one, p.back = sha256.New(), sha256.New()
	name := both[:len(both)/2]
	if strings.HasPrefix(name, `"`) {
		plain, err := strconv.Unquote(name)
		if err != nil {
			return fmt.Errorf("unexpected path %q: %w", name, err)
		}
		name = plain
	}
	into := &p.out[p.order[p.at]]
	into.Files = append(into.Files, FilePatch{Path: strings.TrimPrefix(name, "a/")})
	return nil
}

// head puts the file's modes into the digests.
func (p *patchReader) head() {
	if p.path == "" || p.headed {
		return
	}
	p.headed = true
	fmt.Fprintf(p.one, "modes %q %q\n", p.oldMode, p.newMode)
	fmt.Fprintf(p.back, "modes %q %q\n", p.newMode, p.oldMode)
}

func (p *patchReader) endHunk() {
	if !p.inHunk {
		return
	}
	minus, plus := p.minus.Sum(nil), p.plus.Sum(nil)
	fmt.Fprintf(p.one, "%x %x\n", minus, plus)
	fmt.Fprintf(p.back, "%x %x\n", plus, minus)
	p.minus.Reset()
	p.plus.Reset()
	p.inHunk, p.side = false, nil
}

func (p *patchReader) endFile() {
	if p.path == "" {
		return
	}
	p.endHunk()
	p.head()
	files := p.out[p.order[p.at]].Files
	files[len(files)-1].Exact = hex.EncodeToString(p.one.Sum(nil))
	fmt.Fprintf(p.exact, "%q %x\n", p.path, p.one.Sum(nil))
	fmt.Fprintf(p.inverse, "%q %x\n", p.path, p.back.Sum(nil))
	p.path = ""
}

func (p *patchReader) endDiff() {
	if p.at < 0 || p.at >= len(p.out) {
		return
	}
	p.endFile()
	if into := &p.out[p.order[p.at]]; !into.Empty() {
		into.Exact = hex.EncodeToString(p.exact.Sum(nil))
		into.Inverse = hex.EncodeToString(p.inverse.Sum(nil))
	}
}

// end closes the last diff and demands that there was one for each that was asked for.
func (p *patchReader) end() error {
	p.endDiff()
	if p.at != len(p.out)-1 {
		return fmt.Errorf("%d of %d diffs came", p.at+1, len(p.out))
	}
	return nil
}
