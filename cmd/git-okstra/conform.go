package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/conform"
	"git-okstra/internal/report"
)

type conformCmd struct {
	Check   conformCheckCmd   `cmd:"" help:"Judge a stage's change: what it touches, what its plan declares, what was proved."`
	Run     conformRunCmd     `cmd:"" help:"Run a stage's conformance command and record the result on the tested commit."`
	Status  conformStatusCmd  `cmd:"" help:"List declarations, results and waivers."`
	Waive   conformWaiveCmd   `cmd:"" help:"Take a surface out of a stage's judgement, with a reason."`
	Touches conformTouchesCmd `cmd:"" help:"Say which surfaces a diff touches, and where."`
	Rules   conformRulesCmd   `cmd:"" help:"List the rules that find touches."`
	Explain conformExplainCmd `cmd:"" help:"Explain one of them."`
}

type conformTouchesCmd struct {
	Range  string `arg:"" optional:"" help:"A..B, A...B (from their common ancestor), or A for A..HEAD; without it what is not committed." placeholder:"RANGE"`
	Staged bool   `help:"What is staged."`
	Diff   string `help:"A unified diff, - for standard input; it is judged with the lines that it has." placeholder:"FILE"`
}

// surfacesFile is where a repository keeps rules of its own.
const surfacesFile = ".okstra/surfaces.yaml"

// Run judges a diff.
func (c *conformTouchesCmd) Run(a *app) error {
	chosen := 0
	for _, given := range []bool{c.Range != "", c.Staged, c.Diff != ""} {
		if given {
			chosen++
		}
	}
	if chosen > 1 {
		return &commandError{code: exitUsage, message: "a range, --staged and --diff exclude each other", hints: []string{"leave all but one out"}}
	}
	var found conform.Findings
	var err error
	if c.Diff != "" {
		found, err = c.ofFile(a)
	} else {
		found, err = c.ofRepository(a)
	}
	if err != nil {
		return conformError(err)
	}
	out := report.NewTouches(found)
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.print("%s", out.Text(a.flags.Quiet))
	return nil
}

// conformError gives what the engine refuses its exit code.
func conformError(err error) error {
	var rules *conform.RulesError
	var diff *conform.DiffError
	switch {
	case errors.As(err, &rules):
		return &commandError{code: exitUsage, message: printableLines(rules.Error()), hints: []string{"docs/surfaces.md describes the file"}}
	case errors.As(err, &diff):
		return &commandError{code: exitUsage, message: diff.Error(), hints: []string{"make it with git diff, for a merge against one parent"}}
	}
	return err
}

// ofFile judges a diff that is no commit of ours.
func (c *conformTouchesCmd) ofFile(a *app) (conform.Findings, error) {
	rules, err := a.surfaces(gitops.DiffSides{})
	if err != nil {
		return conform.Findings{}, err
	}
	if c.Diff == "-" {
		var found conform.Findings
		_, err := a.interruptible(func() (_ []byte, err error) {
			found, err = rules.TouchesOf(a.std.in, conform.Context{Watch: stopwatch})
			return nil, err
		})
		return found, err
	}
	file, err := os.Open(c.Diff)
	if errors.Is(err, fs.ErrNotExist) {
		return conform.Findings{}, &commandError{code: exitUsage, message: fmt.Sprintf("no diff at %q", c.Diff), hints: []string{"name a file, or - for standard input"}}
	}
	if err != nil {
		return conform.Findings{}, err
	}
	found, err := rules.TouchesOf(file, conform.Context{Watch: stopwatch})
	return found, errors.Join(err, file.Close())
}

// mostReading is how long one file may keep the lexer; a file that takes longer is built
// to, or is no source.
const mostReading = 3 * time.Second

// stopwatch says when a file has taken too long.
func stopwatch() func() bool {
	end := time.Now().Add(mostReading)
	return func() bool { return time.Now().After(end) }
}

// surfaces are the rules with the repository's own. Outside of one there are only ours.
func (a *app) surfaces(d gitops.DiffSides) (*conform.Rules, error) {
	rules := conform.Builtin()
	repo, err := a.open()
	if errors.Is(err, gitops.ErrNotRepository) {
		return rules, nil
	}
	if err != nil {
		return nil, err
	}
	src, err := repo.FileOn(a.ctx, d, surfacesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return rules, nil
	}
	if err != nil {
		return nil, err
	}
	return rules.With(surfacesFile, src)
}

// sides resolves the range.
func (c *conformTouchesCmd) sides(a *app) (d gitops.DiffSides, err error) {
	if c.Range == "" {
		d.Staged = c.Staged
		d.From, err = a.repo.Head(a.ctx)
		return d, err
	}
	from, to, common := strings.Cut(c.Range, "...")
	if !common {
		from, to, _ = strings.Cut(c.Range, "..")
	}
	for _, end := range []struct {
		word string
		at   *gitops.Hash
	}{{from, &d.From}, {to, &d.To}} {
		word := firstNonEmpty(end.word, "HEAD")
		if *end.at, err = a.repo.ResolveCommit(a.ctx, word); err != nil {
			return d, &commandError{code: exitUsage, message: fmt.Sprintf("%q is no commit here", word), hints: append(gitHint(err), "name a range such as main..HEAD")}
		}
	}
	if common {
		d.From, err = a.repo.MergeBase(a.ctx, d.From, d.To)
	}
	return d, err
}

// ofRepository judges commits, the index or the work tree.
func (c *conformTouchesCmd) ofRepository(a *app) (conform.Findings, error) {
	if _, err := a.open(); err != nil {
		return conform.Findings{}, err
	}
	d, err := c.sides(a)
	if err != nil {
		return conform.Findings{}, err
	}
	found, _, err := a.touchesOf(d)
	return found, err
}

// touchesOf judges what lies between two sides, and lists the paths that differ.
func (a *app) touchesOf(d gitops.DiffSides) (found conform.Findings, paths []string, err error) {
	rules, err := a.surfaces(d)
	if err != nil {
		return found, nil, err
	}
	ctx := conform.Context{Watch: stopwatch, Attributes: func(batch []string) (map[string]conform.Attributes, error) {
		paths = append(paths, batch...) // each file of the diff passes here once
		attrs, err := a.repo.AttributesOf(a.ctx, d, batch, []string{generatedAttr, vendoredAttr, documentationAttr})
		out := map[string]conform.Attributes{}
		for path, values := range attrs {
			out[path] = attributesOf(values)
		}
		return out, err
	}}
	err = a.repo.DiffStream(a.ctx, d, func(in io.Reader) (err error) {
		found, err = rules.TouchesOf(in, ctx)
		return err
	})
	if err != nil {
		return found, nil, err
	}
	changed := slices.Clone(paths)
	for batch := range slices.Chunk(found.Unread(), mostUnread) {
		d.Paths, d.Text = batch, true
		err := a.repo.DiffStream(a.ctx, d, func(in io.Reader) error {
			read, err := rules.TouchesOf(in, ctx)
			found.Replace(batch, read)
			return err
		})
		if err != nil {
			return found, nil, err
		}
	}
	return found, changed, nil
}

// mostUnread is how many paths one command line names.
const mostUnread = 200

// The attributes that say what a file is, as linguist knows them.
const (
	generatedAttr     = "linguist-generated"
	vendoredAttr      = "linguist-vendored"
	documentationAttr = "linguist-documentation"
)

func attributesOf(values map[string]string) conform.Attributes {
	is := func(name string) bool { return values[name] == "set" || values[name] == "true" }
	not := func(name string) bool { return values[name] == "unset" || values[name] == "false" }
	return conform.Attributes{
		Generated: is(generatedAttr), Vendored: is(vendoredAttr), Documentation: is(documentationAttr),
		NotGenerated: not(generatedAttr), NotVendored: not(vendoredAttr), NotDocumentation: not(documentationAttr),
	}
}
