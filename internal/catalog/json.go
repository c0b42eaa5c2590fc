package catalog

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/terminal"
)

// jsonWriter streams arrays with one item per line.
type jsonWriter struct {
	w     *bufio.Writer
	count int
	err   error
}

func newJSONWriter(w io.Writer) *jsonWriter {
	return &jsonWriter{w: bufio.NewWriterSize(w, 64<<10)}
}

func (j *jsonWriter) begin(s string) {
	j.w.WriteString(s)
	j.w.WriteByte('[')
	j.count = 0
}

func (j *jsonWriter) item(v any) {
	if j.count++; j.count > 1 {
		j.w.WriteByte(',')
	}
	j.w.WriteByte('\n')
	j.value(v)
}

// definitions writes a list of definitions without their diagnostics, which are in a separate list.
// It encodes batches in parallel and then writes them in order. hosts, if not nil, returns the
// hosts that load a definition.
func (j *jsonWriter) definitions(list []Definition, hosts func(*definition.Definition) []string) {
	const part = 64
	var texts [8][]byte
	for some := range slices.Chunk(list, len(texts)*part) {
		parts := slices.Collect(slices.Chunk(some, part))
		_ = Parallel(len(parts), func(i int) error {
			text, line := slices.Grow(texts[i][:0], len(parts[i])<<10), []byte(nil)
			for _, d := range parts[i] {
				line = AppendDefinition(line[:0], d.d, false)
				if hosts != nil {
					o := jsonObject{b: line[:len(line)-1]}
					if names := hosts(d.d); len(names) > 0 {
						o.list("hosts", names)
					} else {
						o.raw("hosts", "[]")
					}
					line = append(o.b, '}')
				}
				text = append(append(text, ",\n"...), terminal.EscapeJSON(line)...)
			}
			texts[i] = text
			return nil
		})
		for i := range parts {
			// Omit the comma before the first item.
			j.w.Write(texts[i][1-min(j.count, 1):])
			j.count += len(parts[i])
		}
	}
}

func (j *jsonWriter) value(v any) {
	data, err := jsonc.Marshal(v, "")
	j.err = cmp.Or(j.err, err)
	j.w.Write(terminal.EscapeJSON(data))
}

func (j *jsonWriter) end(next string) {
	j.w.WriteString("],\n")
	if next != `"counts":` {
		j.begin(next)
		return
	}
	j.w.WriteString(next)
}

func (j *jsonWriter) last(v any) error {
	j.value(v)
	j.w.WriteString("}\n")
	return cmp.Or(j.err, j.w.Flush())
}

// jsonObject appends an object's members. line, if set, is written before each member to start a
// new line.
type jsonObject struct {
	b    []byte
	line string
	err  error
}

func (j *jsonObject) key(k string) {
	if j.b[len(j.b)-1] != '{' {
		j.b = append(j.b, ',')
	}
	j.b = append(append(j.b, j.line...), '"')
	j.b = append(j.b, k...)
	j.b = append(j.b, '"', ':')
	if j.line != "" {
		j.b = append(j.b, ' ')
	}
}

// value appends the member k with the value v, encoded as indented JSON. It uses encoding/json,
// which is slow for the first value of each type.
func (j *jsonObject) value(k string, v any) {
	j.key(k)
	data, err := jsonc.Marshal(v, "")
	j.err = cmp.Or(j.err, err)
	b := bytes.NewBuffer(j.b)
	_ = json.Indent(b, data, j.line[1:], "  ")
	j.b = b.Bytes()
}

func (j *jsonObject) text(k, v string) {
	j.key(k)
	j.b = definition.AppendJSONString(j.b, v)
}

// optional, flag and list write a member unless its value is empty or false.
func (j *jsonObject) optional(k, v string) {
	if v != "" {
		j.text(k, v)
	}
}

func (j *jsonObject) flag(k string, v bool) {
	if v {
		j.raw(k, "true")
	}
}

func (j *jsonObject) list(k string, v []string) {
	if len(v) == 0 {
		return
	}
	j.key(k)
	j.b = append(j.b, '[')
	for i, s := range v {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		j.b = definition.AppendJSONString(j.b, s)
	}
	j.b = append(j.b, ']')
}

func (j *jsonObject) number(k string, v int64) {
	j.key(k)
	j.b = strconv.AppendInt(j.b, v, 10)
}

func (j *jsonObject) raw(k, v string) {
	j.key(k)
	j.b = append(j.b, v...)
}
