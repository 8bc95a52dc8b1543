package ui

// Key is what a person pressed, as far as a choice has a use for it.
type Key int

// The keys.
const (
	NoKey Key = iota
	KeyUp
	KeyDown
	KeyPageUp
	KeyPageDown
	KeyHome
	KeyEnd
	KeyToggle
	KeyAll
	KeyEnter
	KeyCancel
)

// maxParams bounds the parameters of a control sequence that are kept.
const maxParams = 8

// Decoder makes keys out of the bytes that a terminal sends. A sequence may come in
// pieces. A lone escape is nothing: only time would tell it from the start of a
// sequence.
type Decoder struct {
	state  byte // 0, or what has begun: ESC, '[' or 'O'
	params []byte
}

const escape = 0x1b

// Feed takes the next byte.
func (d *Decoder) Feed(b byte) Key {
	state := d.state
	d.state = 0
	switch {
	case b == 0x03 || b == 0x04: // Ctrl-C and Ctrl-D end it wherever they come
		return KeyCancel
	case b == escape:
		d.state = escape
		return NoKey
	case state == escape && (b == '[' || b == 'O'):
		d.state, d.params = b, nil
		return NoKey
	case state == escape:
		return NoKey // Alt and a key
	case state == 'O':
		return cursorKey(b)
	case state == '[' && b >= '@' && b <= '~':
		if b == '~' {
			return editKey(string(d.params))
		}
		return cursorKey(b)
	case state == '[':
		if d.state = '['; len(d.params) < maxParams {
			d.params = append(d.params, b)
		}
		return NoKey
	}
	return plainKey(b)
}

func plainKey(b byte) Key {
	switch b {
	case ' ', 'x':
		return KeyToggle
	case '\r', '\n':
		return KeyEnter
	case 'k', 0x10: // and Ctrl-P
		return KeyUp
	case 'j', 0x0e: // and Ctrl-N
		return KeyDown
	case 'a':
		return KeyAll
	case 'q':
		return KeyCancel
	case 'g':
		return KeyHome
	case 'G':
		return KeyEnd
	}
	return NoKey
}

func cursorKey(b byte) Key {
	switch b {
	case 'A':
		return KeyUp
	case 'B':
		return KeyDown
	case 'H':
		return KeyHome
	case 'F':
		return KeyEnd
	}
	return NoKey
}

func editKey(params string) Key {
	switch params {
	case "5":
		return KeyPageUp
	case "6":
		return KeyPageDown
	case "1", "7":
		return KeyHome
	case "4", "8":
		return KeyEnd
	}
	return NoKey
}
