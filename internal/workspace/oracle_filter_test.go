package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

const filterWord = "act-as-a-filter-process"

// processFilter is the command line of a long-running filter: this very program.
func processFilter() string { return fmt.Sprintf("'%s' %s", os.Args[0], filterWord) }

func init() {
	if len(os.Args) == 2 && os.Args[1] == filterWord {
		f := filterProcess{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout), later: map[string][]byte{}}
		if err := f.serve(); err != nil && !errors.Is(err, io.EOF) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// filterProcess speaks the protocol of gitattributes(5). It turns letters by half the
// alphabet, and has answers wait where git can wait for them.
type filterProcess struct {
	in    *bufio.Reader
	out   *bufio.Writer
	later map[string][]byte
}

func (f *filterProcess) serve() error {
	if _, err := f.list(); err != nil { // git-filter-client, versions
		return err
	}
	f.say("git-filter-server", "version=2")
	if _, err := f.list(); err != nil { // capabilities
		return err
	}
	f.say("capability=clean", "capability=smudge", "capability=delay")
	for {
		words, err := f.list()
		if err != nil {
			return err
		}
		if err := f.answer(words); err != nil {
			return err
		}
	}
}

func (f *filterProcess) answer(words map[string]string) error {
	name := words["pathname"]
	if words["command"] == "list_available_blobs" {
		var ready []string
		for name := range f.later {
			ready = append(ready, "pathname="+name)
		}
		if len(f.later) > 0 && f.later[""] == nil {
			f.later[""] = []byte{} // the next listing is empty: all was told
			f.say(ready...)
		} else {
			f.later = map[string][]byte{}
			f.say()
		}
		f.say("status=success")
		return f.out.Flush()
	}
	data, err := f.content()
	if err != nil {
		return err
	}
	turned := bytes.Map(turn, data)
	if kept, ok := f.later[name]; ok {
		turned = kept
	} else if words["can-delay"] == "1" {
		f.later[name] = turned
		f.say("status=delayed")
		return f.out.Flush()
	}
	f.say("status=success")
	for len(turned) > 0 {
		n := min(len(turned), 65516)
		f.packet(string(turned[:n]))
		turned = turned[n:]
	}
	f.flush()
	f.say() // the status stands
	return f.out.Flush()
}

func turn(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return 'a' + (r-'a'+13)%26
	}
	return r
}

// list reads lines up to a flush packet.
func (f *filterProcess) list() (map[string]string, error) {
	words := map[string]string{}
	for {
		p, flush, err := f.read()
		if err != nil || flush {
			return words, err
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(string(p), "\n"), "=")
		words[key] = value
	}
}

func (f *filterProcess) content() ([]byte, error) {
	var all []byte
	for {
		p, flush, err := f.read()
		if err != nil || flush {
			return all, err
		}
		all = append(all, p...)
	}
}

func (f *filterProcess) read() (p []byte, flush bool, err error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(f.in, head); err != nil {
		return nil, false, err
	}
	n, err := strconv.ParseUint(string(head), 16, 16)
	if err != nil || n == 0 {
		return nil, true, err
	}
	p = make([]byte, n-4)
	_, err = io.ReadFull(f.in, p)
	return p, false, err
}

func (f *filterProcess) packet(text string) { fmt.Fprintf(f.out, "%04x%s", len(text)+4, text) }

func (f *filterProcess) flush() {
	_, _ = f.out.WriteString("0000") // what goes wrong shows in the next Flush
	_ = f.out.Flush()
}

func (f *filterProcess) say(lines ...string) {
	for _, l := range lines {
		f.packet(l + "\n")
	}
	f.flush()
}
