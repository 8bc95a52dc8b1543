package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
)

// The exit codes. Every command uses them in the same sense.
const (
	exitFindings    = 1   // findings, or it would break a rule
	exitUsage       = 2   // the words of the command are off
	exitGate        = 3   // a person must decide
	exitNothing     = 4   // nothing ready, or taken by somebody else
	exitEnvironment = 128 // git or the environment
	exitInterrupted = 130 // Ctrl-C, SIGTERM or a terminal that was closed
)

// commandError is an error that knows its exit code and what to do about it.
type commandError struct {
	code    int
	message string
	hints   []string
	silent  bool // everything was said already
}

func (e *commandError) Error() string { return e.message }

// errorJSON is okstra.error/v1.
type errorJSON struct {
	Schema string   `json:"schema"`
	Error  string   `json:"error"`
	Hints  []string `json:"hints"`
	Exit   int      `json:"exit"`
}

// fail says what went wrong, once, and returns the exit code.
func fail(std streams, asJSON bool, err error) int {
	e := classify(err)
	if e.silent {
		return e.code
	}
	message, hints := gitops.Mask(e.message), make([]string, len(e.hints))
	for i, h := range e.hints {
		hints[i] = gitops.Mask(h)
	}
	if asJSON {
		writeJSON(std.out, errorJSON{Schema: "okstra.error/v1", Error: message, Hints: hints, Exit: e.code})
		return e.code
	}
	_, _ = fmt.Fprintf(std.err, "error: %s\n", message)
	for _, h := range hints {
		_, _ = fmt.Fprintf(std.err, "hint: %s\n", h)
	}
	return e.code
}

// classify gives every error its exit code and its hints.
func classify(err error) *commandError {
	var (
		own     *commandError
		refusal *lifecycle.Refusal
		foreign *workspace.ForeignPathError
		lost    *workspace.LossError
		filters *workspace.FilterError
		git     *gitops.GitError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &refusal):
		return &commandError{code: refusalCode(refusal.Kind), message: refusal.Message, hints: refusal.Hints}
	case errors.As(err, &foreign):
		return &commandError{
			code: exitFindings, message: foreign.Error(),
			hints: []string{"move it away, or set okstra.worktreeRoot to another folder"},
		}
	case errors.As(err, &lost):
		return &commandError{code: exitFindings, message: lost.Error(), hints: lost.Hints()}
	case errors.Is(err, context.Canceled), errors.As(err, &git) && git.Interrupted():
		return &commandError{code: exitInterrupted, message: "interrupted"}
	case errors.As(err, &filters):
		return &commandError{code: exitEnvironment, message: printableLines(err.Error()), hints: append(gitHint(err),
			"files here go through a filter ("+plan.Printable(strings.Join(filters.Drivers, ", "))+"): see that its program is installed, or leave it out with --no-smudge")}
	case errors.Is(err, gitops.ErrNotRepository):
		return &commandError{code: exitEnvironment, message: err.Error(), hints: []string{"go to one, or name it with: git -C DIR okstra …"}}
	case errors.Is(err, gitops.ErrSigning):
		hints := append(gitHint(err), "sign by hand first to see what is wrong, or do without: git -c commit.gpgSign=false okstra …")
		return &commandError{code: exitEnvironment, message: printableLines(err.Error()), hints: hints}
	case errors.Is(err, gitops.ErrSparse):
		return &commandError{code: exitEnvironment, message: err.Error(), hints: []string{"or have all files: git sparse-checkout disable"}}
	case errors.Is(err, fs.ErrPermission):
		return &commandError{code: exitEnvironment, message: printableLines(err.Error()), hints: []string{"check who owns the folder"}}
	}
	return &commandError{code: exitEnvironment, message: printableLines(err.Error()), hints: gitHint(err)}
}

// gitHint shows all that git said where its first line is not all of it.
func gitHint(err error) []string {
	var ge *gitops.GitError
	if !errors.As(err, &ge) {
		return nil
	}
	var rest []string
	for line := range strings.Lines(ge.Stderr) {
		line = strings.TrimSpace(line)
		said := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, "fatal:"), "error:"))
		if said != "" && !strings.HasSuffix(err.Error(), said) {
			rest = append(rest, "git says: "+plan.Printable(line))
		}
	}
	const most = 5
	return rest[:min(most, len(rest))]
}

// printableLines escapes each line of a message that may hold foreign text.
func printableLines(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = plan.Printable(l)
	}
	return strings.Join(lines, "\n")
}

func refusalCode(k lifecycle.Kind) int {
	switch k {
	case lifecycle.Usage:
		return exitUsage
	case lifecycle.Gate:
		return exitGate
	case lifecycle.Taken, lifecycle.NothingReady:
		return exitNothing
	case lifecycle.AllDone:
		return 0
	case lifecycle.Environment:
		return exitEnvironment
	case lifecycle.Refused:
	}
	return exitFindings
}

// writeJSON prints one JSON value and a line end. The value is ours and always
// encodes; a closed stdout ends the program quietly.
func writeJSON(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}
