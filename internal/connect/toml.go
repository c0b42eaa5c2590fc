package connect

import (
	"bytes"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
)

// read reads a file as a map.
func read(data []byte, f *host.ServerFormat) (definition.Value, error) {
	if f.Syntax != definition.TOML {
		return readJSON(data)
	}
	doc, diags := frontmatter.ParseTOML(diag.NewFile(f.Path, data))
	if !doc.Valid {
		e := &PlaceError{Message: "this is no TOML", kind: ErrSyntax}
		if len(diags) > 0 {
			e.Line, e.Column = diags[0].Line, diags[0].Column
		}
		return definition.Value{}, e
	}
	return definition.Value{Kind: definition.Map, Pairs: doc.Entries}, nil
}

// insertTOML is [Add] without the proof: a table at the end of the file, behind one
// line feed more than the file has.
func insertTOML(data []byte, f *host.ServerFormat, e Entry) ([]byte, error) {
	if data == nil {
		return table(f, e, "\n"), nil
	}
	if _, err := read(data, f); err != nil {
		return nil, err
	}
	end := jsonc.LineEnd(data)
	out := append(bytes.Clone(data), end...)
	return append(out, table(f, e, end)...), nil
}

func table(f *host.ServerFormat, e Entry, end string) []byte {
	text := mcp.AppendTOML(nil, f.Key, e.Name, e.Value)
	return bytes.ReplaceAll(text, []byte("\n"), []byte(end))
}

// maxTries bounds how many places in a file are tried that read like the entry.
const maxTries = 8

// beforeTOML is [beforeJSON] for TOML. The table may have come to stand before others.
func beforeTOML(data []byte, f *host.ServerFormat, e Entry) (exact, rough [][]byte) {
	end := jsonc.LineEnd(data)
	text := table(f, e, end)
	exact = append(exact, nil)
	behind := append([]byte(end), text...)
	if rest, ok := bytes.CutSuffix(data, behind); ok {
		exact = append(exact, append([]byte{}, rest...))
	}
	for _, t := range [][]byte{behind, text} {
		for at := 0; len(rough) < maxTries; at++ {
			i := bytes.Index(data[at:], t)
			if i < 0 {
				break
			}
			at += i
			rough = append(rough, splice(data, at, at+len(t), nil))
		}
	}
	if last := endOf(e.Value); last > 0 && last <= len(data) {
		if at := bytes.LastIndex(data[:last], bytes.TrimSuffix(header(f, e), []byte("\n"))); at >= 0 {
			to := last
			if i := bytes.IndexByte(data[last:], '\n'); i >= 0 {
				to += i + 1
			} else {
				to = len(data)
			}
			rough = append(rough, splice(data, at, to, nil))
		}
	}
	return exact, rough
}

// header is the line that begins the entry's table.
func header(f *host.ServerFormat, e Entry) []byte {
	return mcp.AppendTOML(nil, f.Key, e.Name, definition.Value{Kind: definition.Map})
}

// endOf is where the last part of a value ends, which for a table may be in another
// table behind it.
func endOf(v definition.Value) int {
	end := v.Span.End
	for _, p := range v.Pairs {
		end = max(end, p.KeySpan.End, endOf(p.Value))
	}
	return end
}
