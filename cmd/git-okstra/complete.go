package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"git-okstra/docs/schemas"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/remote"
	"git-okstra/plan/stage"
)

// completeCmd answers the completions of shells: what may stand in place of the last
// word.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after git okstra; the last is the one that is being written."`
}

// candidate is a word that may be meant, and what it is.
type candidate struct{ word, about string }

// filesWanted stands for the names of files, which the shell knows better.
const filesWanted = ":files"

// Run prints one candidate a line, a tab and what it is. An error is no answer: a person
// who is writing a command is not told of it.
func (c *completeCmd) Run(a *app) error { //nolint:unparam // kong wants the error
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, found := range a.complete(words[:len(words)-1], last) {
		if found.word == filesWanted || strings.HasPrefix(found.word, last) && !strings.ContainsFunc(found.word, unicode.IsControl) {
			a.print("%s\t%s\n", found.word, oneLine(found.about))
		}
	}
	return nil
}

// complete finds what may follow the words.
func (a *app) complete(before []string, last string) []candidate {
	parser, err := newParser(&cli{}, before, a.std)
	if err != nil {
		return nil
	}
	place := standing{node: parser.Model.Node}
	for i, word := range before {
		if word == "--" {
			return []candidate{{filesWanted, ""}}
		}
		place.take(word)
		if place.flag != nil && place.flag.Name == "task" && i+1 < len(before) {
			a.flags.Task = before[i+1]
		}
	}
	switch name, _, isSet := strings.Cut(last, "="); {
	case place.flag != nil:
		return a.valuesOf(place.flag.Value, place.node)
	case strings.HasPrefix(last, "--") && isSet:
		f := place.find(name)
		if f == nil {
			return nil
		}
		var out []candidate
		for _, v := range a.valuesOf(f.Value, place.node) {
			if v.word != filesWanted {
				out = append(out, candidate{name + "=" + v.word, v.about})
			}
		}
		return out
	case strings.HasPrefix(last, "-"):
		return place.flags()
	case len(place.node.Children) > 0:
		return place.commands()
	case place.argument() != nil:
		return a.valuesOf(place.argument(), place.node)
	}
	return nil
}

// standing is where in the grammar some words have led.
type standing struct {
	node *kong.Node
	flag *kong.Flag // that waits for its value
	args int        // positional arguments so far
}

func (s *standing) take(word string) {
	if s.flag != nil {
		s.flag = nil
		return
	}
	if strings.HasPrefix(word, "-") && word != "-" {
		if f := s.find(word); f != nil && !f.IsBool() && !f.IsCounter() {
			s.flag = f
		}
		return
	}
	for _, sub := range s.node.Children {
		if sub.Name == word {
			s.node, s.args = sub, 0
			return
		}
	}
	s.args++
}

// find is the flag of a word, nil where there is none.
func (s *standing) find(word string) *kong.Flag {
	for _, group := range s.node.AllFlags(true) {
		for _, f := range group {
			if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

func (s *standing) flags() []candidate {
	var out []candidate
	groups := s.node.AllFlags(true)
	for i := len(groups) - 1; i >= 0; i-- {
		for _, f := range groups[i] {
			out = append(out, candidate{"--" + f.Name, f.Help})
		}
	}
	if s.node.Parent == nil {
		out = append(out, candidate{"--version", "Print the version."})
	}
	return out
}

func (s *standing) commands() []candidate {
	var out []candidate
	for _, sub := range s.node.Children {
		if !sub.Hidden && s.args == 0 { // a word before that is no command leads nowhere
			out = append(out, candidate{sub.Name, sub.Help})
		}
	}
	return out
}

// argument is the positional argument that the next word is.
func (s *standing) argument() *kong.Value {
	list := s.node.Positional
	if s.args < len(list) {
		return list[s.args]
	}
	if n := len(list); n > 0 && list[n-1].IsCumulative() {
		return list[n-1]
	}
	return nil
}

// valuesOf are the values that a flag or an argument may have, by the name that the help
// gives them.
func (a *app) valuesOf(v *kong.Value, of *kong.Node) []candidate {
	if v.Enum != "" {
		var out []candidate
		for _, word := range v.EnumSlice() {
			if word != "" {
				out = append(out, candidate{word, ""})
			}
		}
		return out
	}
	name := v.Tag.PlaceHolder
	switch {
	case name == "KEY":
		return a.completeTasks()
	case name == "N" && strings.HasPrefix(v.Name, "stage"):
		return a.completeStages(of.Name)
	case name == "BRANCH":
		return a.completeRefs("refs/heads/")
	case name == "COMMIT" || name == "RANGE":
		return a.completeRefs("refs/heads/", "refs/tags/", "refs/remotes/")
	case name == "REMOTE":
		return a.completeRemotes()
	case name == "VERDICT":
		return wordsOf("accepted", "conditional-accept", "blocked")
	case name == "CODE":
		return wordsOf(ruleCodes()...)
	case name == "NAME" && of.Name == "schema":
		return wordsOf(schemas.Names()...)
	case name == "FILE" || name == "PATH" || name == "DIR" || name == "FROM" || name == "TO":
		return []candidate{{filesWanted, ""}}
	}
	return nil
}

func wordsOf(list ...string) []candidate {
	var out []candidate
	for _, word := range list {
		out = append(out, candidate{word, ""})
	}
	return out
}

// completeRefs are the refs that begin so, by their short names.
func (a *app) completeRefs(prefixes ...string) []candidate {
	repo, err := a.open()
	if err != nil {
		return nil
	}
	var out []candidate
	for _, prefix := range prefixes {
		refs, err := repo.Refs(a.ctx, prefix)
		if err != nil {
			return nil
		}
		for _, ref := range refs {
			out = append(out, candidate{strings.TrimPrefix(string(ref.Name), prefix), ""})
		}
	}
	return out
}

func (a *app) completeRemotes() []candidate {
	repo, err := a.open()
	if err != nil {
		return nil
	}
	return wordsOf(remote.Names(repo.Config())...)
}

func (a *app) completeTasks() []candidate {
	e, err := a.reader()
	if err != nil {
		return nil
	}
	list, err := e.Tasks(a.ctx, "")
	if err != nil {
		return nil
	}
	var out []candidate
	for _, entry := range list {
		out = append(out, candidate{entry.Key, a.taskLine(entry).Title})
	}
	return out
}

// fitting are the states of the stages that a command is for.
var fitting = map[string][]stage.State{
	"start":   {stage.Ready, stage.Active},
	"done":    {stage.Active},
	"release": {stage.Active},
	"renew":   {stage.Active},
	"land":    {stage.Done},
	"reopen":  {stage.Done},
	"clean":   {stage.Done},
	"pr":      {stage.Done},
	"handoff": {stage.Done},
}

// completeStages are the stages that a command is for, with state and title.
func (a *app) completeStages(command string) []candidate {
	_, t, err := a.look()
	if err != nil {
		return nil
	}
	return stagesFor(t, command)
}

func stagesFor(t *lifecycle.Task, command string) []candidate {
	var out []candidate
	progress := t.Progress()
	for _, st := range t.Plan.Stages {
		state := progress.Of(st)
		fits := fitting[command] == nil
		for _, s := range fitting[command] {
			fits = fits || s == state
		}
		if fits {
			out = append(out, candidate{strconv.Itoa(int(st.Number)), string(state) + ": " + st.Title})
		}
	}
	return out
}
