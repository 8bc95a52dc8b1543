package conform

import (
	"cmp"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Touch is a place where a diff touches a surface.
type Touch struct {
	Surface Surface `json:"surface"`
	Path    string  `json:"path"`
	Line    int     `json:"line"` // in the file of that side
	Side    Side    `json:"side"`
	Rule    string  `json:"rule"`
	Text    string  `json:"text"` // the line without the blanks around it
}

// Ignored is a changed file that was not judged, or whose changes count for nothing.
type Ignored struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Attributes are what gitattributes say of a path.
type Attributes struct {
	Generated, Vendored, Documentation bool
	// Known tells which of them are set or unset: an explicit no beats known names.
	NotGenerated, NotVendored, NotDocumentation bool
}

// Findings is what a diff touches. A line is there at most once for each surface, with
// the first rule that fits.
type Findings struct {
	Touches []Touch
	Ignored []Ignored
}

// Surfaces lists the surfaces that are touched, in order.
func (f Findings) Surfaces() []Surface {
	var out []Surface
	for _, s := range Surfaces() {
		if slices.ContainsFunc(f.Touches, func(t Touch) bool { return t.Surface == s }) {
			out = append(out, s)
		}
	}
	return out
}

// Unread lists the files whose lines git did not show, although they may be source.
func (f *Findings) Unread() []string {
	var out []string
	for _, i := range f.Ignored {
		if i.Why == Unreadable {
			out = append(out, i.Path)
		}
	}
	return out
}

// Replace puts what was found of some paths, read again, in the place of what was found
// of them before.
func (f *Findings) Replace(paths []string, by Findings) {
	again := map[string]bool{}
	for _, p := range paths {
		again[p] = true
	}
	f.Touches = append(slices.DeleteFunc(f.Touches, func(t Touch) bool { return again[t.Path] }), by.Touches...)
	f.Ignored = append(slices.DeleteFunc(f.Ignored, func(i Ignored) bool { return again[i.Path] }), by.Ignored...)
	f.sort()
}

func (f *Findings) sort() {
	slices.SortStableFunc(f.Touches, func(a, b Touch) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(string(a.Side), string(b.Side)))
	})
	slices.SortStableFunc(f.Ignored, func(a, b Ignored) int { return strings.Compare(a.Path, b.Path) })
}

// Context is what a judgement may ask for; all of it may be left out.
type Context struct {
	// Attributes gives what gitattributes say of paths, by path.
	Attributes func(paths []string) (map[string]Attributes, error)
	// Watch is called for each file and gives what says, later, that the file has taken
	// too long. The rest of it is then judged without its comments told apart.
	Watch func() (over func() bool)
}

// Touches judges a diff. attrs gives what gitattributes say of a path; nil is nothing.
func (r *Rules) Touches(diff []FileDiff, attrs func(path string) Attributes) (Findings, error) {
	ctx := Context{}
	if attrs != nil {
		ctx.Attributes = func(paths []string) (map[string]Attributes, error) {
			out := map[string]Attributes{}
			for _, p := range paths {
				out[p] = attrs(p)
			}
			return out, nil
		}
	}
	s := session{rules: r, ctx: ctx}
	if err := s.judge(diff); err != nil {
		return Findings{}, err
	}
	return s.end(), nil
}

// batchSize is how much of a diff is read before it is judged, in bytes.
const batchSize = 4 << 20

// TouchesOf judges a diff as it is read, a part after the other, so that memory does not
// grow with it beyond what is found. Errors are *DiffError, those of the reader and those
// of the context.
func (r *Rules) TouchesOf(in io.Reader, ctx Context) (Findings, error) {
	s := session{rules: r, ctx: ctx}
	reader := NewDiffReader(in)
	for {
		var batch []FileDiff
		size := 0
		for size < batchSize {
			f, err := reader.Next()
			if errors.Is(err, io.EOF) {
				if err := s.judge(batch); err != nil {
					return Findings{}, err
				}
				return s.end(), nil
			}
			if err != nil {
				return Findings{}, err
			}
			batch = append(batch, f)
			size += f.weight()
		}
		if err := s.judge(batch); err != nil {
			return Findings{}, err
		}
	}
}

// session is one judgement.
type session struct {
	rules *Rules
	ctx   Context
	held  []*verdict // in which moved lines are still looked for
	lines int        // of them
	out   Findings
}

// judge takes some files in, as many at once as there are processors.
func (s *session) judge(batch []FileDiff) error {
	attrs, err := s.attributes(batch)
	if err != nil {
		return err
	}
	verdicts := make([]*verdict, len(batch))
	errs := make([]error, len(batch))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(len(batch), runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				verdicts[i], errs[i] = s.rules.verdictOf(batch[i], attrs[batch[i].Path()], s.ctx.Watch)
			}
		}()
	}
	for i := range batch {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, v := range verdicts {
		if errs[i] != nil {
			return errs[i]
		}
		if v == nil {
			continue
		}
		if s.lines+len(v.lines) > mostHeld {
			cancelMoved([]*verdict{v})
			s.take(v)
			continue
		}
		s.lines += len(v.lines)
		s.held = append(s.held, v)
	}
	return nil
}

func (s *session) attributes(batch []FileDiff) (map[string]Attributes, error) {
	if s.ctx.Attributes == nil || len(batch) == 0 {
		return nil, nil
	}
	paths := make([]string, len(batch))
	for i, f := range batch {
		paths[i] = f.Path()
	}
	return s.ctx.Attributes(paths)
}

// end gives all that was found, in order.
func (s *session) end() Findings {
	cancelMoved(s.held)
	for _, v := range s.held {
		s.take(v)
	}
	s.out.sort()
	return s.out
}

func (s *session) take(v *verdict) {
	touches := v.touches()
	s.out.Touches = append(s.out.Touches, touches...)
	switch {
	case v.why != "":
		s.out.Ignored = append(s.out.Ignored, Ignored{v.path, v.why})
	case len(touches) == 0 && !slices.ContainsFunc(v.lines, func(l held) bool { return !l.void && l.key != 0 }):
		s.out.Ignored = append(s.out.Ignored, Ignored{v.path, "comments, blanks and moved lines"})
	}
}
