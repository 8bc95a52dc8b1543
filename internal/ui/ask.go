package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// ErrGivenUp says that a person left a question without an answer.
var ErrGivenUp = errors.New("given up")

// What a terminal understands. All that is used here, any terminal of the last decades
// does.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearDown  = "\r\x1b[J"
)

// prompt is a choice on a terminal.
type prompt struct {
	out   *os.File
	drawn int // lines that are on the terminal
}

// Ask shows a choice on the terminal behind out until the person at in has made it, and
// returns what was chosen, by index. The terminal is as it was when Ask returns. Errors:
// ErrGivenUp, the context's, or the terminal's.
func Ask(ctx context.Context, in, out *os.File, c *Choice) (chosen []int, err error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	p := &prompt{out: out}
	defer func() {
		p.write(p.back() + showCursor)
		err = errors.Join(err, term.Restore(int(in.Fd()), before))
	}()
	p.write(hideCursor)
	var keys Decoder
	for {
		p.draw(c)
		typed, err := read(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, b := range typed {
			k := keys.Feed(b)
			if k == KeyCancel {
				return nil, ErrGivenUp
			}
			if c.Press(k) {
				return c.Chosen(), nil
			}
		}
	}
}

// read waits for what is typed, but not longer than the context. It never reads ahead:
// what is typed after the answer is not ours.
func read(ctx context.Context, in *os.File) ([]byte, error) {
	type typed struct {
		bytes []byte
		err   error
	}
	const some = 64
	got := make(chan typed, 1)
	go func() {
		buf := make([]byte, some)
		n, err := in.Read(buf)
		got <- typed{buf[:n], err}
	}()
	select {
	case t := <-got:
		if len(t.bytes) == 0 { // hung up
			return nil, ErrGivenUp
		}
		return t.bytes, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// draw puts the choice in the place of what was drawn before.
func (p *prompt) draw(c *Choice) {
	width, height, err := term.GetSize(int(p.out.Fd()))
	if err != nil || width < 2 || height < 1 { // one that does not tell has the usual size
		width, height = 80, 24
	}
	lines := c.View(width-1, height) // a character in the last column may begin a new line
	text := p.back() + strings.Join(lines, "\r\n")
	p.drawn = len(lines)
	p.write(text)
}

// back goes to where the drawing began and clears it.
func (p *prompt) back() string {
	if p.drawn > 1 {
		return fmt.Sprintf("\x1b[%dA", p.drawn-1) + clearDown
	}
	return clearDown
}

// write shows text. A terminal that cannot be written to shows nothing, and reading from
// it ends the question.
func (p *prompt) write(text string) { _, _ = p.out.WriteString(text) }
