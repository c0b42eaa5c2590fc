package frontmatter

import (
	"bytes"
	"errors"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// ParseTOML decodes a TOML definition file (a Gemini CLI command, a Codex
// agent): all of it is fields. Numbers and dates keep their source text; dates
// are strings. Where the file breaks off with an error, the entries before it
// are kept and Valid is false.
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

// tomlState says how a table came to be, which decides what may be added to it.
type tomlState uint8

const (
	tomlImplicit tomlState = iota // the parent of a header
	tomlHeader                    // named by a header
	tomlDotted                    // made by a dotted key
	tomlInline                    // written as a value
)

// tomlTable is a table while it is being read.
type tomlTable struct {
	state tomlState
	span  diag.Span
	pairs []definition.Entry
	keys  keys
	// subs holds, for the pairs of the same index, the tables that they are:
	// one for a table, any number for an array of tables.
	subs  map[int][]*tomlTable
	array map[int]bool
}

func (t *tomlReader) read() []definition.Entry {
	root := &tomlTable{state: tomlHeader}
	defer func() {
		// The parser promises no panic, but hostile bytes reach it here.
		if r := recover(); r != nil {
			t.fail(diag.Span{}, "the TOML library gave up: %v", r)
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
	return root.entries()
}

func (t *tomlReader) fail(span diag.Span, format string, args ...any) {
	if len(t.diags) == maxDiagnostics {
		format, args = "there is more to report on this file than is shown", nil
	}
	if len(t.diags) > maxDiagnostics {
		return
	}
	t.diags = append(t.diags, diag.At(t.f, t.inFile(span), diag.TOMLInvalid, format, args...))
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

// header moves to the table of a "[a.b]" or "[[a.b]]" line. It returns nil
// where the file cannot be read on.
func (t *tomlReader) header(root *tomlTable, e *unstable.Node) *tomlTable {
	at, depth := root, 0
	for it := e.Key(); it.Next(); depth++ {
		key := it.Node()
		name, span := string(key.Data), t.raw(key.Raw)
		if depth == maxDepth {
			t.fail(span, "tables are nested more than %d levels deep", maxDepth)
			return nil
		}
		i, found := at.keys.find(at.pairs, name)
		last := it.IsLast()
		switch {
		case !found:
			at = at.sub(t.entry(name, span), tomlImplicit, last && e.Kind == unstable.ArrayTable)
			if last {
				at.state = tomlHeader
			}
		case len(at.subs[i]) == 0 || last && at.array[i] != (e.Kind == unstable.ArrayTable):
			t.fail(span, "key %q is defined twice", name)
			return nil
		case last && at.array[i]:
			at = at.more(i)
		default:
			at = at.subs[i][len(at.subs[i])-1]
			if last && at.state != tomlImplicit || at.state == tomlInline {
				t.fail(span, "table %q is defined twice", name)
				return nil
			}
			if last {
				at.state = tomlHeader
			}
		}
		at.span.End = max(at.span.End, span.End+t.base)
	}
	return at
}

func (t *tomlReader) entry(name string, span diag.Span) definition.Entry {
	span = t.inFile(span)
	return definition.Entry{Key: name, KeySpan: span, Value: definition.Value{Kind: definition.Map, Span: span}}
}

// sub adds a table, or an array with one, under a new key.
func (b *tomlTable) sub(e definition.Entry, state tomlState, array bool) *tomlTable {
	i := b.add(e)
	if b.subs == nil {
		b.subs, b.array = map[int][]*tomlTable{}, map[int]bool{}
	}
	b.array[i] = array
	b.subs[i] = []*tomlTable{{state: state, span: e.KeySpan}}
	return b.subs[i][0]
}

// more adds a table to the array at a key.
func (b *tomlTable) more(i int) *tomlTable {
	n := &tomlTable{state: tomlHeader, span: diag.Span{Start: b.subs[i][len(b.subs[i])-1].span.End}}
	b.subs[i] = append(b.subs[i], n)
	return n
}

func (b *tomlTable) add(e definition.Entry) int {
	b.pairs = append(b.pairs, e)
	b.keys.add(b.pairs)
	return len(b.pairs) - 1
}

// assign reads "a.b = value" into a table.
func (t *tomlReader) assign(at *tomlTable, e *unstable.Node, depth int) {
	whole := at
	it := e.Key()
	for it.Next() {
		key := it.Node()
		name, span := string(key.Data), t.raw(key.Raw)
		i, found := at.keys.find(at.pairs, name)
		depth++
		switch {
		case depth > maxDepth:
			t.fail(span, "tables are nested more than %d levels deep", maxDepth)
			return
		case it.IsLast() && found, found && (len(at.subs[i]) != 1 || at.subs[i][0].state != tomlDotted):
			t.fail(span, "key %q is defined twice", name)
			return
		case it.IsLast():
			v := t.value(e.Value(), afterEquals(t.data, span.End), depth)
			entry := t.entry(name, span)
			entry.Value = v
			at.add(entry)
			whole.span.End = max(whole.span.End, v.Span.End)
			at.span.End = max(at.span.End, v.Span.End)
		case found:
			at = at.subs[i][0]
		default:
			at = at.sub(t.entry(name, span), tomlDotted, false)
		}
	}
}

// afterEquals returns the offset of the value after a key that ends at i.
func afterEquals(data []byte, i int) int {
	i = skipBlanks(data, i)
	if i < len(data) && data[i] == '=' {
		i = skipBlanks(data, i+1)
	}
	return i
}

// value converts a node that begins at start.
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
	return definition.Value{Kind: definition.Map, Pairs: table.entries(), Span: t.inFile(diag.Span{Start: start, End: end})}
}

// nextItem returns the offset of the next item of an array, after the end of
// the one before it.
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

// entries returns what a table holds, with its tables filled in.
func (b *tomlTable) entries() []definition.Entry {
	for i := range b.pairs {
		subs := b.subs[i]
		if len(subs) == 0 {
			continue
		}
		v := &b.pairs[i].Value
		if !b.array[i] {
			*v = subs[0].value()
			continue
		}
		v.Kind = definition.List
		for _, s := range subs {
			item := s.value()
			v.Items = append(v.Items, item)
			v.Span.End = max(v.Span.End, item.Span.End)
		}
	}
	return b.pairs
}

func (b *tomlTable) value() definition.Value {
	return definition.Value{Kind: definition.Map, Pairs: b.entries(), Span: b.span}
}
