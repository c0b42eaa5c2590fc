package frontmatter

import (
	"bytes"
	"errors"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// ParseTOML decodes a TOML definition file (a Gemini CLI command or a Codex agent), which has only
// fields. Numbers and dates keep their source text; dates are strings. After a syntax error, it
// keeps the preceding entries and Valid is false.
func ParseTOML(f *diag.File) (doc Document, diags []diag.Diagnostic) {
	size := len(f.Data)
	doc = Document{Block: Block{Found: true, Text: diag.Span{End: size}, Body: size}, Valid: true}
	t := tomlReader{f: f, data: bytes.TrimPrefix(f.Data, []byte(bom))}
	t.base = size - len(t.data)
	doc.Entries = t.read()
	doc.Valid = len(t.diags) == 0
	return doc, t.diags
}

type tomlReader struct {
	f     *diag.File
	data  []byte
	base  int // offset of data in the file
	p     unstable.Parser
	diags []diag.Diagnostic
}

// tomlState describes how a table was defined, which determines what may be added to it.
type tomlState uint8

const (
	tomlImplicit tomlState = iota // a header's parent
	tomlHeader                    // named by a header
	tomlDotted                    // created by a dotted key
	tomlInline                    // written as a value
)

// tomlTable is a table that is being parsed.
type tomlTable struct {
	state tomlState
	span  diag.Span
	items []*tomlItem
	at    map[string]*tomlItem
}

// tomlItem is an entry in a table. If its value is a table, tables has that table as its only
// element. If the value is an array of tables, tables holds the elements of the array.
type tomlItem struct {
	definition.Entry
	tables []*tomlTable
	array  bool
}

func (b *tomlTable) add(item *tomlItem) {
	if b.at == nil {
		b.at = map[string]*tomlItem{}
	}
	b.items, b.at[item.Key] = append(b.items, item), item
}

func (b *tomlTable) value() definition.Value {
	v := definition.Value{Kind: definition.Map, Span: b.span}
	for _, item := range b.items {
		if len(item.tables) > 0 && !item.array {
			item.Value = item.tables[0].value()
		} else if item.array {
			item.Value.Kind = definition.List
			for _, sub := range item.tables {
				one := sub.value()
				item.Value.Items = append(item.Value.Items, one)
				item.Value.Span.End = max(item.Value.Span.End, one.Span.End)
			}
		}
		v.Pairs = append(v.Pairs, item.Entry)
	}
	return v
}

func (t *tomlReader) read() []definition.Entry {
	root := &tomlTable{state: tomlHeader}
	defer func() {
		// The parser should not panic, but its input may be hostile.
		if r := recover(); r != nil {
			t.fail(diag.Span{}, "the TOML library failed: %v", r)
		}
	}()
	t.p.Reset(t.data)
	at := root
	for at != nil && t.p.NextExpression() {
		switch e := t.p.Expression(); e.Kind {
		case unstable.KeyValue:
			t.assign(at, e, 0)
		case unstable.Table, unstable.ArrayTable:
			at = t.header(root, e)
		}
	}
	if err := t.p.Error(); err != nil {
		t.syntax(err)
	}
	return root.value().Pairs
}

func (t *tomlReader) fail(span diag.Span, format string, args ...any) {
	if len(t.diags) == maxDiagnostics {
		format, args = "too many problems; the rest are not shown", nil
	}
	if len(t.diags) > maxDiagnostics {
		return
	}
	t.diags = append(t.diags, diag.At(t.f, t.inFile(span), diag.TOMLInvalid, format, args...).WithFix("fix the TOML syntax"))
}

func (t *tomlReader) syntax(err error) {
	span := diag.Span{Start: len(t.data), End: len(t.data)}
	if p, ok := errors.AsType[*unstable.ParserError](err); ok && cap(p.Highlight) <= cap(t.data) {
		start := cap(t.data) - cap(p.Highlight)
		span = diag.Span{Start: min(start, len(t.data)), End: min(start+len(p.Highlight), len(t.data))}
	}
	t.fail(span, "%s", err)
}

func (t *tomlReader) raw(r unstable.Range) diag.Span {
	return diag.Span{Start: int(r.Offset), End: int(r.Offset + r.Length)}
}

func (t *tomlReader) inFile(s diag.Span) diag.Span {
	return diag.Span{Start: s.Start + t.base, End: s.End + t.base}
}

// header moves to the table named by a "[a.b]" or "[[a.b]]" line. It returns
// nil if parsing cannot continue.
func (t *tomlReader) header(at *tomlTable, e *unstable.Node) *tomlTable {
	array, depth := e.Kind == unstable.ArrayTable, 0
	for it := e.Key(); it.Next(); depth++ {
		item, span := t.item(it.Node())
		known, last := at.at[item.Key], it.IsLast()
		state := tomlImplicit
		if last {
			state = tomlHeader
		}
		switch {
		case depth == maxDepth:
			t.fail(span, "tables are nested more than %d levels deep", maxDepth)
			return nil
		case known == nil:
			item.tables, item.array = []*tomlTable{{state: state, span: item.KeySpan}}, last && array
			at.add(item)
			at = item.tables[0]
		case len(known.tables) == 0 || last && known.array != array:
			t.fail(span, "key %q is defined twice", item.Key)
			return nil
		case last && array:
			before := known.tables[len(known.tables)-1]
			at = &tomlTable{state: state, span: diag.Span{Start: before.span.End}}
			known.tables = append(known.tables, at)
		default:
			at = known.tables[len(known.tables)-1]
			if last && at.state != tomlImplicit || at.state == tomlInline {
				t.fail(span, "table %q is defined twice", item.Key)
				return nil
			}
			at.state = max(at.state, state)
		}
		at.span.End = max(at.span.End, span.End+t.base)
	}
	return at
}

// item returns a new entry for a key, and the key's position.
func (t *tomlReader) item(key *unstable.Node) (*tomlItem, diag.Span) {
	span := t.raw(key.Raw)
	e := definition.Entry{Key: string(key.Data), KeySpan: t.inFile(span)}
	e.Value = definition.Value{Kind: definition.Map, Span: e.KeySpan}
	return &tomlItem{Entry: e}, span
}

// assign parses "a.b = value" into a table.
func (t *tomlReader) assign(at *tomlTable, e *unstable.Node, depth int) {
	outer := at
	for it := e.Key(); it.Next(); {
		item, span := t.item(it.Node())
		known, last := at.at[item.Key], it.IsLast()
		depth++
		switch {
		case depth > maxDepth:
			t.fail(span, "tables are nested more than %d levels deep", maxDepth)
			return
		case known != nil && (last || len(known.tables) != 1 || known.tables[0].state != tomlDotted):
			t.fail(span, "key %q is defined twice", item.Key)
			return
		case last:
			item.Value = t.value(e.Value(), afterEquals(t.data, span.End), depth)
			at.add(item)
			at.span.End = max(at.span.End, item.Value.Span.End)
			outer.span.End = max(outer.span.End, item.Value.Span.End)
		case known != nil:
			at = known.tables[0]
		default:
			item.tables = []*tomlTable{{state: tomlDotted, span: item.KeySpan}}
			at.add(item)
			at = item.tables[0]
		}
	}
}

// afterEquals returns the offset of the value that follows a key ending at i.
func afterEquals(data []byte, i int) int {
	i = skipSpaces(data, i)
	if i < len(data) && data[i] == '=' {
		i = skipSpaces(data, i+1)
	}
	return i
}

// value converts a node that starts at offset start.
func (t *tomlReader) value(n *unstable.Node, start, depth int) definition.Value {
	switch n.Kind {
	case unstable.Array:
		return t.list(n, start, depth)
	case unstable.InlineTable:
		return t.inline(n, start, depth)
	}
	v := definition.Value{Kind: definition.String, Text: string(n.Data), Span: t.inFile(t.raw(n.Raw))}
	switch n.Kind {
	case unstable.String:
		return v
	case unstable.Bool:
		v.Kind = definition.Bool
	case unstable.Integer, unstable.Float:
		v.Kind = definition.Number
	}
	v.Plain = true
	return v
}

func (t *tomlReader) list(n *unstable.Node, start, depth int) definition.Value {
	v := definition.Value{Kind: definition.List}
	end := start + 1
	if depth >= maxDepth {
		t.fail(diag.Span{Start: start, End: end}, "values are nested more than %d levels deep", maxDepth)
		v.Span = t.inFile(diag.Span{Start: start, End: end})
		return v
	}
	for it := n.Children(); it.Next(); {
		item := t.value(it.Node(), nextItem(t.data, end), depth+1)
		v.Items = append(v.Items, item)
		end = item.Span.End - t.base
	}
	v.Span = t.inFile(diag.Span{Start: start, End: flowEnd(t.data, end, ']')})
	return v
}

func (t *tomlReader) inline(n *unstable.Node, start, depth int) definition.Value {
	table := tomlTable{state: tomlInline}
	table.span.End = t.base + start + 1
	if depth >= maxDepth {
		t.fail(diag.Span{Start: start, End: start + 1}, "values are nested more than %d levels deep", maxDepth)
	} else {
		for it := n.Children(); it.Next(); {
			t.assign(&table, it.Node(), depth)
		}
	}
	end := flowEnd(t.data, table.span.End-t.base, '}')
	table.span = t.inFile(diag.Span{Start: start, End: end})
	return table.value()
}

// nextItem returns the offset of the next array item. i is the end of the previous one.
func nextItem(data []byte, i int) int {
	for i < len(data) {
		switch {
		case data[i] == '#':
			i = lineEnd(data, i)
		case data[i] == ',' || isBlank(data[i]) || isBreak(data[i]):
			i++
		default:
			return i
		}
	}
	return i
}
