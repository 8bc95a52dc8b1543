package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// ErrGivenUp says that a person left a question without an answer.
var ErrGivenUp = errors.New("given up")

// Ask shows a choice on the terminal behind out until the person at in has made it, and
// returns what was chosen, by index. The terminal is as it was when Ask returns, and
// nothing of the question is left on it. Errors: ErrGivenUp, the context's, or the
// terminal's.
func Ask(ctx context.Context, in, out *os.File, c *Choice) ([]int, error) {
	keys := &keyboard{File: in}
	p := tea.NewProgram(question{choice: c}, tea.WithInput(keys), tea.WithOutput(out), tea.WithoutSignalHandler())
	keys.gone = func() { p.Send(over{ErrGivenUp}) }
	// A canceled context ends the question as a key would: a program that is killed
	// leaves its last picture behind.
	stop := context.AfterFunc(ctx, func() { p.Send(over{ctx.Err()}) })
	defer stop()
	end, err := p.Run()
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	q, _ := end.(question)
	return q.choice.Chosen(), q.err
}

// keyboard tells when the terminal hung up. To the library that is only the end of the
// input, after which it would wait forever.
type keyboard struct {
	*os.File
	gone func()
}

// Read reads what is typed.
func (k *keyboard) Read(b []byte) (int, error) {
	n, err := k.File.Read(b)
	if err != nil {
		k.gone()
	}
	return n, err
}

// over is the message that a question ends without an answer.
type over struct{ err error }

// question shows a choice: the library's model around ours.
type question struct {
	choice        *Choice
	width, height int // of the window, 0 until it is known
	ended         bool
	err           error
}

// Init has nothing to do.
func (q question) Init() tea.Cmd { return nil }

// Update takes what happened at the terminal.
func (q question) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if q.ended {
		return q, nil // what was typed behind the answer
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		q.width, q.height = msg.Width, msg.Height
	case over:
		q.ended, q.err = true, msg.err
	case tea.KeyPressMsg:
		switch k := keyOf[msg.String()]; k {
		case KeyCancel:
			q.ended, q.err = true, ErrGivenUp
		default:
			q.ended = q.choice.Press(k)
		}
	}
	if q.ended {
		return q, tea.Quit
	}
	return q, nil
}

// View is the choice in the window, nothing once it is made.
func (q question) View() tea.View {
	if q.ended || q.width == 0 {
		return tea.NewView("")
	}
	return tea.NewView(strings.Join(q.choice.View(q.width, q.height), "\n"))
}

// keyOf has the keys by the library's names. Escape is none of them: only a clock tells
// it from the start of a sequence that comes slowly.
var keyOf = map[string]Key{
	"up": KeyUp, "k": KeyUp, "ctrl+p": KeyUp,
	"down": KeyDown, "j": KeyDown, "ctrl+n": KeyDown,
	"pgup": KeyPageUp, "pgdown": KeyPageDown,
	"home": KeyHome, "g": KeyHome, "end": KeyEnd, "G": KeyEnd,
	"space": KeyToggle, "x": KeyToggle, "a": KeyAll,
	"enter": KeyEnter, "ctrl+j": KeyEnter,
	"q": KeyCancel, "ctrl+c": KeyCancel, "ctrl+d": KeyCancel,
}
