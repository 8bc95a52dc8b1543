package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

type approvedState uint8

const (
	approvedAbsent approvedState = iota
	approvedBool
	approvedNull // the key without a value
	approvedOdd  // anything else
)

// readYAML reads the known keys from the YAML tree. Nothing is decoded into Go
// values, so aliases are followed once and never multiplied.
func (d *Document) readYAML(text string) {
	root, err := parseYAML(text)
	if err != nil {
		d.frontMatterProblem(d.yamlErrorPosition(err), "the front matter is not valid YAML: "+yamlMessage(err),
			"write it as lines of the form key: value")
		return
	}
	pairs, ok := mapping(root)
	if !ok {
		d.frontMatterProblem(d.yamlPosition(root.GetToken()), "the front matter is not a list of keys and values",
			"write it as lines of the form key: value")
		return
	}
	r := yamlReader{d: d, anchors: map[string]ast.Node{}, seen: map[string]bool{}}
	for _, pair := range pairs {
		ast.Walk(&r, pair.Value)
		r.pair(pair)
	}
}

// parseYAML turns a panic of the library into an error: front matter is
// hostile text, and a crash would be an answer too.
func parseYAML(text string) (root ast.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML reader gave up: %v", r)
		}
	}()
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return nil, err
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if root != nil {
			return nil, errors.New("more than one YAML document")
		}
		root = doc.Body
	}
	return root, nil
}

func yamlMessage(err error) string {
	var ye yaml.Error
	if errors.As(err, &ye) {
		return clean(ye.GetMessage())
	}
	return clean(err.Error())
}

func (d *Document) yamlErrorPosition(err error) Position {
	var ye yaml.Error
	if errors.As(err, &ye) {
		return d.yamlPosition(ye.GetToken())
	}
	return Position{1, 1}
}

// yamlPosition maps a place in the front matter to the file: its first line is
// the file's second. A place the library invents is moved to the nearest real one.
func (d *Document) yamlPosition(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return Position{1, 1}
	}
	at := min(d.index.offset(Position{t.Position.Line + 1, t.Position.Column}), d.FrontMatter.block.End)
	for at < d.FrontMatter.block.End && d.index.text[at] == ' ' { // behind a tag it is one too small
		at++
	}
	return d.index.position(at)
}

// mapping gives the pairs of the top level; an empty document has none.
func mapping(root ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := root.(type) {
	case nil, *ast.NullNode:
		return nil, true
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

type yamlReader struct {
	d       *Document
	anchors map[string]ast.Node
	seen    map[string]bool
}

// Visit remembers the anchors of the values on the way.
func (r *yamlReader) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok && a.Name != nil {
		r.anchors[a.Name.GetToken().Value] = a.Value
	}
	return r
}

func (r *yamlReader) pair(pair *ast.MappingValueNode) {
	fm := &r.d.FrontMatter
	key := pair.Key.GetToken()
	if fm.firstKey.Line == 0 {
		fm.firstKey = r.d.yamlPosition(key)
	}
	values := map[string]*Value{
		"okstra": &fm.Okstra, "project": &fm.Project, "group": &fm.Group,
		"task": &fm.Task, "category": &fm.Category,
	}
	target, known := values[key.Value]
	if !known && key.Value != "approved" {
		return
	}
	if r.seen[key.Value] {
		r.d.frontMatterProblem(r.d.yamlPosition(key), "the key "+Quote(key.Value)+" stands twice", "keep one of them")
		return
	}
	r.seen[key.Value] = true
	value := r.resolve(pair.Value)
	pos := r.d.yamlPosition(value.GetToken())
	if !known {
		r.approved(value, pos)
		if value != plainValue(pair.Value) {
			fm.approvedIs = approvedOdd // an alias: what it names has other readers
		}
		return
	}
	r.text(key.Value, value, pos, target)
}

// resolve strips tags and anchors and follows an alias, one step only: an
// alias of an alias is no value that a plan needs.
func (r *yamlReader) resolve(n ast.Node) ast.Node {
	n = plainValue(n)
	if alias, ok := n.(*ast.AliasNode); ok {
		if target := r.anchors[alias.Value.GetToken().Value]; target != nil {
			return plainValue(target)
		}
	}
	return n
}

// plainValue strips a few tags and anchors.
func plainValue(n ast.Node) ast.Node {
	for range 4 {
		inner := n
		switch v := n.(type) {
		case *ast.TagNode:
			inner = v.Value
		case *ast.AnchorNode:
			inner = v.Value
		}
		if inner == nil || inner == n {
			break
		}
		n = inner
	}
	return n
}

func (r *yamlReader) approved(value ast.Node, pos Position) {
	fm := &r.d.FrontMatter
	fm.approvedAt = pos
	switch v := value.(type) {
	case *ast.BoolNode:
		fm.Approved, fm.approvedIs = v.Value, approvedBool
		return
	case *ast.NullNode:
		fm.approvedIs = approvedNull
	default:
		fm.approvedIs = approvedOdd
	}
	r.d.frontMatterProblem(pos, "approved is "+describe(value)+", not true or false", "write approved: true or approved: false")
}

// text takes a string, or a number by its spelling: task: 8852 and
// okstra: 0.100 mean what stands there, not what YAML makes of it.
func (r *yamlReader) text(key string, value ast.Node, pos Position, target *Value) {
	s, ok := spelling(value)
	switch {
	case !ok:
		r.d.frontMatterProblem(pos, key+" is "+describe(value)+", not a text", "write "+key+": and a text on one line")
	case strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\n\r"):
		r.d.frontMatterProblem(pos, key+" is "+Quote(s)+", not a text on one line", "write "+key+": and a text on one line")
	case key == "category" && !slices.Contains(Categories, s):
		r.d.frontMatterProblem(pos, "category is "+Quote(s)+", which is none that is known",
			"use one of "+strings.Join(Categories, ", "))
	default:
		*target = Value{Text: s, Pos: pos}
	}
}

func spelling(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return strings.TrimSuffix(v.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// describe names a value of the wrong type in a message.
func describe(n ast.Node) string {
	switch v := n.(type) {
	case *ast.NullNode:
		return "empty"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AliasNode:
		return "an alias of nothing"
	default:
		if s, ok := spelling(n); ok {
			return Quote(s)
		}
		return Quote(v.GetToken().Value)
	}
}
