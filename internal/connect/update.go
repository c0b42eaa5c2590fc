package connect

import (
	"bytes"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
)

// Update makes the entry of a name say what e says. Where the entry stands as [Add]
// has written it, it is written anew; else only the keys change that say something
// else, and every other byte stays.
func Update(data []byte, f *host.ServerFormat, e Entry) ([]byte, error) {
	found, ok, err := Find(data, f, e.Name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return Add(data, f, e)
	}
	exact, _ := candidates(data, f, Entry{e.Name, found})
	for _, was := range exact {
		if again, err := insert(was, f, Entry{e.Name, found}); err == nil && bytes.Equal(again, data) {
			return Add(was, f, e)
		}
	}
	// What comes out is read again, as in Add.
	if after, err := change(data, f, e, len(found.Pairs)+len(e.Value.Pairs)); err == nil && sameBeside(data, after, f, e) {
		return after, nil
	}
	rest, _, err := Remove(data, f, e.Name)
	if err != nil {
		return nil, err
	}
	return Add(rest, f, e)
}

// change mends the keys of an entry, one a round.
func change(data []byte, f *host.ServerFormat, e Entry, rounds int) ([]byte, error) {
	for range rounds + 1 {
		next, err := changeOne(data, f, e)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		data = next
	}
	return data, nil
}

// changeOne changes the first key of an entry that is not as it should be. It is nil
// where there is none.
func changeOne(data []byte, f *host.ServerFormat, e Entry) ([]byte, error) {
	found, ok, err := Find(data, f, e.Name)
	if err != nil || !ok || found.Kind != definition.Map {
		return nil, ErrEdited
	}
	edit := changeJSON
	if f.Syntax == definition.TOML {
		edit = changeTOML
	}
	for _, p := range found.Pairs {
		v, wanted := member(e.Value, p.Key)
		if wanted && Same(v, p.Value) {
			continue
		}
		p.Value.Span.End = min(p.Value.Span.End, len(data))
		if !wanted {
			return edit(data, found, p, nil)
		}
		return edit(data, found, p, &v)
	}
	for _, p := range slices.Backward(e.Value.Pairs) {
		if _, has := member(found, p.Key); !has {
			return edit(data, found, definition.Entry{Key: p.Key}, &p.Value)
		}
	}
	return nil, nil
}

// changeJSON gives a member of an object another value, takes it out (v nil), or puts
// it in (at has no place).
func changeJSON(data []byte, object definition.Value, at definition.Entry, v *definition.Value) ([]byte, error) {
	top, err := readJSON(data)
	if err != nil {
		return nil, err
	}
	edit := jsonc.NewEditor(data, top)
	switch {
	case v == nil:
		return edit.Remove(at), nil
	case at.KeySpan.End == 0:
		return edit.Insert(object, at.Key, *v), nil
	}
	return splice(data, at.Value.Span.Start, at.Value.Span.End, jsonc.AppendLine(nil, *v)), nil
}

// changeTOML is changeJSON for the keys of a table, each of which is a line.
func changeTOML(data []byte, table definition.Value, at definition.Entry, v *definition.Value) ([]byte, error) {
	if at.KeySpan.End > 0 && v != nil {
		text, err := tomlLine(at.Key, *v)
		if err != nil {
			return nil, err
		}
		_, value, _ := bytes.Cut(text, []byte(" = "))
		return splice(data, at.Value.Span.Start, at.Value.Span.End, value), nil
	}
	if at.KeySpan.End > 0 {
		to := endOf(at.Value)
		if i := bytes.IndexByte(data[to:], '\n'); i >= 0 {
			to += i + 1
		} else {
			to = len(data)
		}
		return splice(data, lineStart(data, at.KeySpan.Start), to, nil), nil
	}
	text, err := tomlLine(at.Key, *v)
	if err != nil {
		return nil, err
	}
	for _, p := range table.Pairs {
		if p.Value.Kind != definition.Map {
			from := lineStart(data, p.KeySpan.Start)
			return splice(data, from, from, append(text, jsonc.LineEnd(data)...)), nil
		}
	}
	return nil, ErrEdited
}

// tomlLine is a key with its value, as one line without its end.
func tomlLine(key string, v definition.Value) ([]byte, error) {
	entry := definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: key, Value: v}}}
	lines := bytes.SplitAfter(mcp.AppendTOML(nil, "a", "b", entry), []byte("\n"))
	if len(lines) != 3 || len(lines[2]) > 0 || !bytes.HasPrefix(lines[1], []byte(key+" = ")) {
		return nil, ErrEdited
	}
	return bytes.TrimSuffix(lines[1], []byte("\n")), nil
}

func lineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

func splice(data []byte, from, to int, text []byte) []byte {
	return append(append(bytes.Clone(data[:from]), text...), data[to:]...)
}

// sameBeside reports whether the second text has the entry, and says beside it what
// the first one does.
func sameBeside(before, after []byte, f *host.ServerFormat, e Entry) bool {
	b, err := read(before, f)
	if err != nil {
		return false
	}
	a, err := read(after, f)
	if err != nil {
		return false
	}
	was, _ := member(b, f.Key)
	is, _ := member(a, f.Key)
	v, ok := member(is, e.Name)
	was.Pairs, is.Pairs = without(was.Pairs, e.Name), without(is.Pairs, e.Name)
	b.Pairs, a.Pairs = without(b.Pairs, f.Key), without(a.Pairs, f.Key)
	return ok && Same(v, e.Value) && Same(was, is) && Same(a, b)
}

// Lines are the lines in which an entry may be written, without what stands before and
// behind them, the longest form on one line first.
func Lines(f *host.ServerFormat, e Entry) []string {
	if f.Syntax == definition.TOML {
		return trimmed(table(f, e, "\n"))
	}
	s := jsonc.Style{End: "\n", Unit: jsonc.Unit}
	list := []string{string(jsonc.AppendLine(jsonc.AppendKey(nil, f.Key), wrap(e))), string(jsonc.AppendLine(jsonc.AppendKey(nil, e.Name), e.Value))}
	list = append(list, trimmed(s.AppendLines(jsonc.AppendKey(nil, e.Name), e.Value, ""))...)
	for _, p := range e.Value.Pairs {
		list = append(list, string(jsonc.AppendLine(jsonc.AppendKey(nil, p.Key), p.Value)))
	}
	return list
}

func trimmed(text []byte) []string {
	var list []string
	for l := range bytes.Lines(text) {
		list = append(list, string(bytes.TrimRight(bytes.TrimSpace(l), ",")))
	}
	return list
}
