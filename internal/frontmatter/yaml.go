package frontmatter

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

const writeOut, removeTwin = "replace it with the literal value", "remove one of the two keys"

// maxDepth is the maximum nesting depth of lists and maps.
const maxDepth = 32

// decoded is the result of decoding a block or part of one.
type decoded struct {
	entries  []definition.Entry
	problems []repair
}

// fatal returns the first problem that makes the text invalid.
func (d *decoded) fatal() *repair {
	for i := range d.problems {
		if d.problems[i].fatal {
			return &d.problems[i]
		}
	}
	return nil
}

// decode parses text and resolves the references that refs allows. Spans are offsets in text.
func decode(text []byte, refs host.References) decoded {
	if entries, ok := fast(nil, text, 0); ok {
		return decoded{entries: entries}
	}
	return load(text, refs)
}

// load parses text with the YAML library.
func load(text []byte, refs host.References) (d decoded) {
	defer func() {
		if r := recover(); r != nil {
			d = decoded{problems: []repair{{code: diag.YAMLInvalid, fatal: true, text: fmt.Sprintf("the YAML library failed: %v", r)}}}
		}
	}()
	if isEmptyYAML(text) {
		return decoded{}
	}
	var root yaml.Node
	err := yaml.Load(text, &root, yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return decoded{problems: []repair{loadProblem(text, err)}}
	}
	w := walker{text: text, line: 1, column: 1, refs: refs}
	w.root(&root)
	return w.decoded
}

// isEmptyYAML reports whether text consists only of blank lines and comments,
// which the library treats as an error.
func isEmptyYAML(text []byte) bool {
	for i := 0; i < len(text); {
		if n := spaceLen(text[i:]); n > 0 {
			i += n
			continue
		}
		if text[i] != '#' {
			return false
		}
		for i < len(text) && breakLen(text[i:]) == 0 {
			i++
		}
	}
	return true
}

func loadProblem(text []byte, err error) repair {
	p := repair{code: diag.YAMLInvalid, fatal: true}
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		p.text = strings.TrimPrefix(err.Error(), "yaml: ")
		if strings.Contains(p.text, "found multiple") {
			p.text = `"..." ends the YAML document, but more text follows`
		}
		return p
	}
	p.text = load.Message
	if load.ContextMsg != "" {
		p.text = load.Message + " " + load.ContextMsg
	}
	w := walker{text: text, line: 1, column: 1}
	if load.Mark.Line > 0 {
		at := w.offset(load.Mark.Line, load.Mark.Column)
		p.span = diag.Span{Start: at, End: at}
	}
	return p
}

// walker converts the library's nodes to values. For each node, the library reports only the start,
// as a line and a column in runes. The walker finds the end in the text.
type walker struct {
	decoded
	text []byte
	top  *yaml.Node // the map whose entries are returned
	refs host.References
	// resolved is the number of aliases resolved so far. nested is the number of aliases that are
	// being resolved at the current node.
	resolved, nested int
	// at is the offset of the last node visited, whose position is line and column. Nodes are
	// visited in text order, so finding the offsets of all nodes takes linear time.
	at, line, column int
}

// offset returns the byte offset of a line and column.
func (w *walker) offset(line, column int) int {
	if line < w.line || line == w.line && column < w.column {
		w.at, w.line, w.column = 0, 1, 1
	}
	for w.at < len(w.text) && (w.line < line || w.column < column) {
		if n := breakLen(w.text[w.at:]); n > 0 {
			if w.line == line {
				break
			}
			w.at, w.line, w.column = w.at+n, w.line+1, 1
			continue
		}
		_, n := utf8.DecodeRune(w.text[w.at:])
		w.at, w.column = w.at+n, w.column+1
	}
	return w.at
}

func (w *walker) root(doc *yaml.Node) {
	if len(doc.Content) != 1 {
		return
	}
	n := doc.Content[0]
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 {
		return
	}
	w.top = n
	v, ok := w.value(n, 0)
	if !ok {
		return
	}
	if v.Kind != definition.Map {
		w.report(repair{
			code: diag.YAMLInvalid, fatal: true, span: diag.Span{Start: v.Span.Start, End: v.Span.Start},
			text: fmt.Sprintf("the frontmatter must be a map of keys and values, not a %s", v.Kind),
		})
		return
	}
	w.entries = v.Pairs
}

func (w *walker) report(p repair) { w.problems = append(w.problems, p) }

// maxAliases is the maximum number of aliases in a block. It limits the size of the expanded block.
const maxAliases = 100

// value converts a node. empty is the offset to use for a value that has no text; -1 means the
// position that the library reports. If the node contains a forbidden construct, value reports it
// and returns false.
func (w *walker) value(n *yaml.Node, empty int) (definition.Value, bool) {
	start := w.offset(n.Line, n.Column)
	if !w.allowed(n, start) {
		return definition.Value{}, false
	}
	if n.Kind == yaml.AliasNode {
		end := w.wordEnd(start)
		w.resolved++
		w.nested++
		v, ok := w.value(n.Alias, -1)
		w.nested--
		v.Span = diag.Span{Start: start, End: end}
		return v, ok
	}
	switch start = w.afterProperties(n, start); n.Kind {
	case yaml.MappingNode:
		return w.mapping(n, start)
	case yaml.SequenceNode:
		return w.sequence(n, start)
	case yaml.ScalarNode:
		return w.scalar(n, start, empty), true
	}
	w.report(repair{code: diag.YAMLForbidden, fatal: true, fix: writeOut, span: diag.Span{Start: start, End: start}, text: "this YAML construct is not allowed"})
	return definition.Value{}, false
}

// allowed reports whether the host resolves a node's anchor, alias or tag.
func (w *walker) allowed(n *yaml.Node, start int) bool {
	p := repair{code: diag.YAMLForbidden, fatal: true, fix: writeOut}
	tagged := n.Style&yaml.TaggedStyle != 0 || n.Tag == "!"
	switch {
	case n.Kind == yaml.AliasNode && (w.resolved >= maxAliases || w.nested >= maxDepth):
		p.text = "the YAML aliases refer to too many values"
	case w.refs&host.CoreTags != 0 && tagged && !fitsTag(n):
		p.code, p.text, p.quotable = diag.YAMLInvalid, "the YAML tag is unknown or does not match the value", true
	case w.refs&host.Anchors != 0:
		return true
	case n.Kind == yaml.AliasNode:
		p.text = "YAML aliases are not allowed in frontmatter"
	case n.Anchor != "":
		p.text = "YAML anchors are not allowed in frontmatter"
	case tagged:
		p.text = "YAML tags are not allowed in frontmatter"
		p.quotable = !strings.HasPrefix(n.Tag, "!!")
	default:
		return true
	}
	p.span = diag.Span{Start: start, End: w.wordEnd(start)}
	w.report(p)
	return false
}

// fitsTag reports whether a node's tag is in the core schema and matches the value.
func fitsTag(n *yaml.Node) bool {
	switch n.Tag {
	case "!!int", "!!float":
		return n.Kind == yaml.ScalarNode && plainKind(n.Value) == definition.Number
	case "!!bool":
		return n.Kind == yaml.ScalarNode && plainKind(n.Value) == definition.Bool
	case "!!null":
		return n.Kind == yaml.ScalarNode && plainKind(n.Value) == definition.Null
	case "!", "!!str", "!!map", "!!seq", "!!set", "!!omap", "!!pairs", "!!binary", "!!timestamp":
		return true
	}
	return false
}

// kindOf returns the type of a plain scalar. If the scalar has a tag, the tag determines the type.
func kindOf(n *yaml.Node) definition.ValueKind {
	kind := plainKind(n.Value)
	if n.Style&yaml.TaggedStyle == 0 && n.Tag != "!" {
		return kind
	}
	if kind != definition.String && fitsTag(n) && n.Tag != "!" && n.Tag != "!!str" {
		return kind
	}
	return definition.String
}

// afterProperties returns the offset of a node's content after its anchor and tag.
func (w *walker) afterProperties(n *yaml.Node, at int) int {
	if n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 && n.Tag != "!" {
		return at
	}
	for at < len(w.text) && (w.text[at] == '&' || w.text[at] == '!') {
		for at < len(w.text) && spaceLen(w.text[at:]) == 0 {
			at++
		}
		for at < len(w.text) && spaceLen(w.text[at:]) > 0 {
			at += spaceLen(w.text[at:])
		}
	}
	return at
}

// wordEnd returns the end of the word at i, or an offset within the word if it is very long.
func (w *walker) wordEnd(i int) int {
	text := w.text[:min(len(w.text), i+maxKey)]
	for i < len(text) && spaceLen(text[i:]) == 0 && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

func (w *walker) scalar(n *yaml.Node, start, empty int) definition.Value {
	v := definition.Value{Text: n.Value, Kind: definition.String}
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		end, _ := doubleEnd(w.text, start)
		v.Span = diag.Span{Start: start, End: end}
	case n.Style&yaml.SingleQuotedStyle != 0:
		end, _ := singleEnd(w.text, start)
		v.Span = diag.Span{Start: start, End: end}
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		v.Span = diag.Span{Start: start, End: blockEnd(w.text, start, n.Value)}
	case n.Value == "":
		at := empty
		if at < 0 {
			at = start
		}
		v.Kind, v.Plain, v.Span = definition.Null, true, diag.Span{Start: at, End: at}
	default:
		v.Kind, v.Plain = kindOf(n), true
		v.Span = diag.Span{Start: start, End: matchEnd(w.text, start, n.Value)}
		w.reportLostComment(v.Span.End)
	}
	return v
}

// reportLostComment reports a comment after a plain value on the same line. Authors often intend
// " #" and the following text to be part of the value ("fix issue #12 now").
func (w *walker) reportLostComment(end int) {
	i := skipSpaces(w.text, end)
	if i == end || i >= len(w.text) || w.text[i] != '#' {
		return
	}
	stop := i
	for stop < len(w.text) && breakLen(w.text[stop:]) == 0 {
		stop++
	}
	w.report(repair{
		code: diag.YAMLComment, span: diag.Span{Start: i, End: stop}, text: `" #" starts a comment, so the value ends before it`,
		fix: `quote the value if "#" is part of it`,
	})
}

func (w *walker) sequence(n *yaml.Node, start int) (definition.Value, bool) {
	v := definition.Value{Kind: definition.List, Span: diag.Span{Start: start, End: start + 1}}
	if len(n.Content) > 0 {
		v.Items = make([]definition.Value, 0, len(n.Content))
	}
	end, whole := start+1, true
	for _, c := range n.Content {
		item, ok := w.value(c, -1)
		whole = whole && ok
		v.Items = append(v.Items, item)
		end = max(end, item.Span.End)
	}
	if n.Style&yaml.FlowStyle != 0 {
		end = flowEnd(w.text, end, ']')
	}
	v.Span.End = end
	return v, whole
}

func (w *walker) mapping(n *yaml.Node, start int) (definition.Value, bool) {
	v := definition.Value{Kind: definition.Map, Span: diag.Span{Start: start, End: start}}
	flow := n.Style&yaml.FlowStyle != 0
	braced := flow && start < len(w.text) && w.text[start] == '{'
	end, whole := start, true
	if braced {
		end++
	}
	if len(n.Content) > 0 {
		v.Pairs = make([]definition.Entry, 0, len(n.Content)/2)
	}
	seen, merged := map[string]int{}, []definition.Entry(nil)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if w.refs&host.Anchors != 0 && key.Kind != yaml.ScalarNode {
			// A key that is a list or map is not a field.
			continue
		}
		e, ok := w.entry(key, n.Content[i+1])
		end = max(end, e.KeySpan.End, e.Value.Span.End)
		if !ok {
			whole = false
			continue
		}
		if isMerge(key) && w.refs&host.MergeKeys != 0 {
			merged = append(merged, mergedEntries(&e.Value)...)
			continue
		}
		if at, dup := seen[e.Key]; dup {
			problem := repair{code: diag.YAMLDuplicateKey, span: e.KeySpan, text: fmt.Sprintf("duplicate key %q", e.Key), fix: removeTwin}
			if n == w.top {
				problem.key = e.Key
			}
			w.report(problem)
			v.Pairs[at] = e
			continue
		}
		seen[e.Key] = len(v.Pairs)
		v.Pairs = append(v.Pairs, e)
	}
	for _, e := range merged {
		if _, exists := seen[e.Key]; !exists {
			seen[e.Key] = len(v.Pairs)
			v.Pairs = append(v.Pairs, e)
		}
	}
	if braced {
		end = flowEnd(w.text, end, '}')
	}
	v.Span.End = end
	// At the top level, keep the valid entries.
	return v, whole || n == w.top
}

// isMerge reports whether a key is YAML 1.1's merge key.
func isMerge(key *yaml.Node) bool { return key.Value == "<<" && key.Style == 0 }

// mergedEntries returns the entries that a merge key adds, which come from a map or a list of maps.
func mergedEntries(v *definition.Value) []definition.Entry {
	entries := v.Pairs
	for i := range v.Items {
		entries = append(entries, v.Items[i].Pairs...)
	}
	return entries
}

func (w *walker) entry(key, value *yaml.Node) (definition.Entry, bool) {
	start := w.offset(key.Line, key.Column)
	if !w.allowed(key, start) {
		return definition.Entry{KeySpan: diag.Span{Start: start, End: w.wordEnd(start)}}, false
	}
	if key.Kind != yaml.ScalarNode {
		w.report(repair{
			code: diag.YAMLForbidden, fatal: true, quotable: true, fix: writeOut, span: diag.Span{Start: start, End: w.wordEnd(start)},
			text: "a list or map is not allowed as a key in frontmatter",
		})
		return definition.Entry{}, false
	}
	if isMerge(key) && w.refs&host.Anchors == 0 {
		w.report(repair{code: diag.YAMLForbidden, fatal: true, fix: "replace it with the keys it merges", span: diag.Span{Start: start, End: start + 2}, text: "YAML merge keys are not allowed in frontmatter"})
		return definition.Entry{}, false
	}
	k := w.scalar(key, w.afterProperties(key, start), start)
	e := definition.Entry{Key: key.Value, KeySpan: k.Span}
	var ok bool
	e.Value, ok = w.value(value, afterColon(w.text, k.Span.End))
	return e, ok
}
