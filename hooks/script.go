package hooks

import (
	"fmt"
	"slices"
	"strings"
)

// Names lists the hooks that are installed unless others are named.
func Names() []string { return []string{"pre-commit", "pre-push", "post-rewrite"} }

// OptIn lists the hooks that are installed only where they are named.
func OptIn() []string { return []string{"prepare-commit-msg"} }

// Known reports whether a hook of that name does something here.
func Known(name string) bool { return slices.Contains(append(Names(), OptIn()...), name) }

// keptSuffix is added to the name of a hook that was there before ours. It stays in its
// folder, for scripts look for their own files beside themselves.
const keptSuffix = ".okstra-kept"

// KeptOf is where the hook that was there before the one at path is kept.
func KeptOf(path string) string { return path + keptSuffix }

// mark begins the comment at a script's end by which it is recognised.
const mark = "# git okstra hooks run "

// madeFolder is said behind it where the folder was made for the hooks, so that it goes
// with the last of them.
const madeFolder = " (made the folder)"

// script is what stands in a hook's file.
type script struct {
	name string
	dir  string // where the program was when it was installed, "" for no fallback
	made bool   // the folder was not there before
}

// String is the text. The program runs the kept hook by itself; where it is missing the
// script does, so that nobody's checks go with ours. The folder where the program was
// comes last on PATH: programs with windows run hooks with a short one.
func (s script) String() string {
	find := ""
	if s.dir != "" {
		find = "command -v git-okstra >/dev/null || PATH=$PATH:" + shellQuote(s.dir) + "; "
	}
	end := mark + s.name
	if s.made {
		end += madeFolder
	}
	return "#!/bin/sh\n" + find +
		`command -v git-okstra >/dev/null && exec git-okstra hooks run --hook="$0" ` + s.name + ` "$@"; ` +
		`[ ! -x "$0` + keptSuffix + `" ] || "$0` + keptSuffix + `" "$@" || exit; ` +
		missing(s.name) + ` ` + end + "\n"
}

// missing is what a shell says and does where there is no program.
func missing(name string) string {
	return `echo 'warning: git okstra: the program git-okstra is not on PATH, so ` + name + ` checked nothing (install it, or see okstra.hooksMissing)' >&2; ` +
		`[ "$(git config okstra.hooksMissing)" != block ]`
}

// parseScript reads a script of ours back. ours: it was written by this program, for that hook, in
// this or another version; whole: nobody has changed it since, as far as this version can tell.
func parseScript(text, name string) (s script, ours, whole bool) {
	body, ok := strings.CutPrefix(text, "#!/bin/sh\n")
	at := strings.LastIndex(body, mark+name)
	if !ok || at < 0 {
		return s, false, false
	}
	s = script{name: name, made: strings.HasPrefix(body[at+len(mark+name):], madeFolder)}
	const before = "PATH=$PATH:'"
	if _, rest, found := strings.Cut(body[:at], before); found {
		s.dir = shellUnquote("'" + rest)
	}
	return s, true, s.String() == text
}

// shellQuote makes one word of a shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellUnquote reads the word that shellQuote made at the beginning of s.
func shellUnquote(s string) string {
	var out strings.Builder
	for {
		part, rest, _ := strings.Cut(strings.TrimPrefix(s, "'"), "'")
		out.WriteString(part)
		if !strings.HasPrefix(rest, `\''`) {
			return out.String()
		}
		out.WriteByte('\'')
		s = strings.TrimPrefix(rest, `\'`)
	}
}

// sharedLine is what others call in a shell, in a file that more people have: no folder
// of one machine is in it. args is what stands for the hook's arguments there.
func sharedLine(name, args string) string {
	run := "git okstra hooks run " + name
	if args != "" {
		run += " " + args
	}
	return fmt.Sprintf("if command -v git-okstra >/dev/null; then %s; else %s; fi", run, missing(name))
}
