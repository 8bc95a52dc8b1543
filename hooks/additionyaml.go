package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"git-okstra/internal/marked"
)

var errYAMLForm = errors.New("it is written in a form that is left to a person")

// yamlMap is a mapping in block style, by its entries.
func yamlMap(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, !n.IsFlowStyle && len(n.Values) > 0
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// yamlRoot reads a file that is one mapping; none for an empty file.
func yamlRoot(text []byte) (root []*ast.MappingValueNode, err error) {
	defer func() {
		if r := recover(); r != nil { // the reader's own mistakes
			err = fmt.Errorf("cannot be read: %v", r)
		}
	}()
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, errors.New("it is no YAML")
	}
	if len(file.Docs) == 0 || len(file.Docs) == 1 && file.Docs[0].Body == nil {
		return nil, nil
	}
	if len(file.Docs) > 1 || file.Docs[0].End != nil {
		return nil, errYAMLForm
	}
	root, ok := yamlMap(file.Docs[0].Body)
	if !ok {
		return nil, errYAMLForm
	}
	return root, nil
}

func yamlEntry(entries []*ast.MappingValueNode, key string) *ast.MappingValueNode {
	for _, e := range entries {
		if e.Key.GetToken().Value == key {
			return e
		}
	}
	return nil
}

// lineAt is the offset where a line begins, counted from 1; past the end it is the end.
func lineAt(text []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
	}
	return at
}

// before puts lines before the line of a token that begins a line, with its indentation.
func before(text []byte, line, column int, lines []string) []byte {
	return marked.Block{Comment: "#", Indent: strings.Repeat(" ", column-1), Lines: lines}.Insert(text, lineAt(text, line))
}

// into puts lines into what a key holds: before its first entry, or, where it holds
// nothing yet, behind its line.
func into(text []byte, e *ast.MappingValueNode, lines []string) ([]byte, error) {
	key := e.Key.GetToken().Position
	if _, empty := e.Value.(*ast.NullNode); empty {
		return marked.Block{Comment: "#", Indent: strings.Repeat(" ", key.Column+1), Lines: lines}.Insert(text, lineAt(text, key.Line+1)), nil
	}
	entries, ok := yamlMap(e.Value)
	if !ok {
		return nil, errYAMLForm
	}
	first := entries[0].Key.GetToken().Position
	if first.Line == key.Line {
		return nil, errYAMLForm
	}
	return before(text, first.Line, first.Column, lines), nil
}

// intoList puts an item before the first of a list in block style.
func intoList(text []byte, e *ast.MappingValueNode, lines []string) ([]byte, error) {
	list, ok := e.Value.(*ast.SequenceNode)
	if !ok || list.IsFlowStyle || list.Start == nil || list.Start.Position.Line == e.Key.GetToken().Position.Line {
		return nil, errYAMLForm
	}
	return before(text, list.Start.Position.Line, list.Start.Position.Column, lines), nil
}

// stillYAML is a file that was added to, if a reader makes something of it.
func stillYAML(after []byte, err error) (_ []byte, failed error) {
	defer func() {
		if r := recover(); r != nil { // the reader's own mistakes
			failed = errYAMLForm
		}
	}()
	var all map[string]any
	if err == nil && yaml.Unmarshal(after, &all) != nil {
		err = errYAMLForm
	}
	if err != nil {
		return nil, err
	}
	return after, nil
}

// addLefthook adds a command, or a job where the hook has jobs.
func addLefthook(text []byte, name string) ([]byte, error) {
	return stillYAML(lefthookWith(text, name))
}

func lefthookWith(text []byte, name string) ([]byte, error) {
	root, err := yamlRoot(text)
	if err != nil {
		return nil, err
	}
	command := lefthookCommand(name)
	hook := yamlEntry(root, name)
	if hook == nil {
		lines := append([]string{name + ":", "  commands:"}, indented(command, 4)...)
		return marked.Block{Comment: "#", Lines: lines}.Insert(text, len(text)), nil
	}
	if entries, ok := yamlMap(hook.Value); ok {
		if jobs := yamlEntry(entries, "jobs"); jobs != nil {
			return intoList(text, jobs, append([]string{"- name: git-okstra"}, command[1:]...))
		}
		if commands := yamlEntry(entries, "commands"); commands != nil {
			return into(text, commands, command)
		}
	}
	return into(text, hook, append([]string{"commands:"}, indented(command, 2)...))
}

// addPreCommit adds a repository of its own to the list.
func addPreCommit(text []byte) ([]byte, error) { return stillYAML(preCommitWith(text)) }

func preCommitWith(text []byte) ([]byte, error) {
	root, err := yamlRoot(text)
	if err != nil {
		return nil, err
	}
	repos := yamlEntry(root, "repos")
	if repos == nil {
		return marked.Block{Comment: "#", Lines: append([]string{"repos:"}, indented(localRepo(), 2)...)}.Insert(text, len(text)), nil
	}
	return intoList(text, repos, localRepo())
}
