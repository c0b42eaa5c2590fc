package vade

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/definition"
)

// jsonWriter writes arrays with one item a line, without holding them.
type jsonWriter struct {
	w       *bufio.Writer
	buf     bytes.Buffer
	encoder *json.Encoder
	line    []byte
	count   int
	err     error
}

func newJSONWriter(w io.Writer) *jsonWriter {
	j := &jsonWriter{w: bufio.NewWriterSize(w, 64<<10)}
	j.encoder = json.NewEncoder(&j.buf)
	j.encoder.SetEscapeHTML(false)
	return j
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

// definition writes an item without its diagnostics, which follow in a list of
// their own.
func (j *jsonWriter) definition(d *definition.Definition) {
	if j.count++; j.count > 1 {
		j.w.WriteByte(',')
	}
	j.w.WriteByte('\n')
	j.line = appendDefinition(j.line[:0], d, false)
	j.w.Write(visible(j.line))
}

func (j *jsonWriter) value(v any) {
	j.buf.Reset()
	j.err = cmp.Or(j.err, j.encoder.Encode(v))
	j.w.Write(visible(bytes.TrimSuffix(j.buf.Bytes(), []byte("\n"))))
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

// jsonObject appends the members of one object.
type jsonObject struct{ b []byte }

func (j *jsonObject) key(k string) {
	if j.b[len(j.b)-1] != '{' {
		j.b = append(j.b, ',')
	}
	j.b = append(j.b, '"')
	j.b = append(j.b, k...)
	j.b = append(j.b, '"', ':')
}

func (j *jsonObject) text(k, v string) {
	j.key(k)
	j.b = appendJSONString(j.b, v)
}

// some leaves out an empty text, flag a false one, list an empty one.
func (j *jsonObject) some(k, v string) {
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
		j.b = appendJSONString(j.b, s)
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

// visible replaces, in JSON, the characters that a terminal obeys and a person
// does not see: controls, marks of direction, and what has no width. They stand
// in strings only, where an escape means the same.
func visible(data []byte) []byte {
	var out []byte
	from := 0
	for i := 0; i < len(data); {
		if data[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if invisible(r) {
			out = append(out, data[from:i]...)
			for _, unit := range utf16.AppendRune(nil, r) {
				out = append(out, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
			}
			from = i + n
		}
		i += n
	}
	if from == 0 {
		return data
	}
	return append(out, data[from:]...)
}

func invisible(r rune) bool {
	switch {
	case r >= 0x7f && r <= 0x9f, r == 0xad, r == 0x61c, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f && r != 0x200c && r != 0x200d, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f
}

const hexDigits = "0123456789abcdef"

// appendJSONString appends s as encoding/json writes it without HTML escapes.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 || r == '\u2028' || r == '\u2029' {
				b = append(b, s[start:i]...)
				b = append(b, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
				start = i + n
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}
