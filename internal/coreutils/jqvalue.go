package coreutils

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A value is nil, a bool, a json.Number, a string, a []any or a *jqObject.

// jqObject is an object that keeps the order of its keys.
type jqObject struct {
	keys   []string
	values map[string]any
}

func (o *jqObject) set(key string, v any) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = v
}

func (o *jqObject) sorted() []string { return slices.Sorted(slices.Values(o.keys)) }

func jqTypeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// jqRank is the place of a value's type in the order of all values.
func jqRank(v any) int {
	if b, ok := v.(bool); ok && b {
		return 2
	}
	return map[string]int{"null": 0, "boolean": 1, "number": 3, "string": 4, "array": 5, "object": 6}[jqTypeName(v)]
}

func jqFloat(v any) float64 {
	n, _ := v.(json.Number)
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

func jqNumber(f float64) json.Number {
	switch {
	case math.IsNaN(f):
		return "null"
	case math.IsInf(f, 0):
		f = math.Copysign(math.MaxFloat64, f)
	}
	if math.Abs(f) < 1e17 {
		return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}

// jqCompare orders any two values.
func jqCompare(a, b any) int {
	if diff := cmp.Compare(jqRank(a), jqRank(b)); diff != 0 {
		return diff
	}
	switch x := a.(type) {
	case json.Number:
		return cmp.Compare(jqFloat(a), jqFloat(b))
	case string:
		return cmp.Compare(x, b.(string))
	case []any:
		return slices.CompareFunc(x, b.([]any), jqCompare)
	case *jqObject:
		return x.compare(b.(*jqObject))
	}
	return 0
}

func (o *jqObject) compare(p *jqObject) int {
	keys := o.sorted()
	if diff := slices.Compare(keys, p.sorted()); diff != 0 {
		return diff
	}
	for _, k := range keys {
		if diff := jqCompare(o.values[k], p.values[k]); diff != 0 {
			return diff
		}
	}
	return 0
}

// jqWriter writes values as JSON.
type jqWriter struct {
	out             *bufio.Writer
	compact, sorted bool
	indent          string
}

func (w jqWriter) value(v any, depth int) {
	switch v := v.(type) {
	case nil:
		w.out.WriteString("null")
	case bool:
		w.out.WriteString(strconv.FormatBool(v))
	case json.Number:
		w.out.WriteString(numberText(v))
	case string:
		w.text(v)
	case []any:
		w.out.WriteByte('[')
		for i, item := range v {
			w.separate(i, depth+1)
			w.value(item, depth+1)
		}
		w.end(len(v), depth, ']')
	case *jqObject:
		w.object(v, depth)
	}
}

func (w jqWriter) object(o *jqObject, depth int) {
	keys := o.keys
	if w.sorted {
		keys = o.sorted()
	}
	w.out.WriteByte('{')
	for i, k := range keys {
		w.separate(i, depth+1)
		w.text(k)
		w.out.WriteByte(':')
		if !w.compact {
			w.out.WriteByte(' ')
		}
		w.value(o.values[k], depth+1)
	}
	w.end(len(keys), depth, '}')
}

func (w jqWriter) separate(i, depth int) {
	if i > 0 {
		w.out.WriteByte(',')
	}
	w.newline(depth)
}

func (w jqWriter) newline(depth int) {
	if !w.compact {
		w.out.WriteByte('\n')
		w.out.WriteString(strings.Repeat(w.indent, depth))
	}
}

func (w jqWriter) end(count, depth int, mark byte) {
	if count > 0 {
		w.newline(depth)
	}
	w.out.WriteByte(mark)
}

// numberText keeps a number as it was written, save for an exponent.
func numberText(n json.Number) string {
	if strings.ContainsAny(string(n), "eE") {
		return string(jqNumber(jqFloat(n)))
	}
	return string(n)
}

func (w jqWriter) text(s string) {
	w.out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.out.WriteByte('\\')
			w.out.WriteRune(r)
		case strings.ContainsRune("\n\t\r\b\f", r):
			w.out.WriteByte('\\')
			w.out.WriteByte("ntrbf"[strings.IndexRune("\n\t\r\b\f", r)])
		case r < ' ' || r == 0x7f:
			w.out.WriteString(`\u00`)
			w.out.WriteByte("0123456789abcdef"[r>>4])
			w.out.WriteByte("0123456789abcdef"[r&15])
		default:
			w.out.WriteRune(r)
		}
	}
	w.out.WriteByte('"')
}

// jqText is a value as a string: a string itself, and else its JSON.
func jqText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	jqWriter{out: out, compact: true}.value(v, 0)
	out.Flush()
	return b.String()
}
