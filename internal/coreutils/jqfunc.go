package coreutils

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jqKnows reports whether a function is supported with a number of arguments.
func jqKnows(name string, args int) bool {
	switch name {
	case "length", "keys", "keys_unsorted", "type", "not", "empty", "to_entries", "from_entries", "sort", "unique", "first", "last",
		"tostring", "tonumber", "ascii_downcase", "ascii_upcase", "add", "reverse", "min", "max", "values":
		return args == 0
	case "has", "map", "select", "join", "test", "startswith", "endswith", "split", "sort_by", "with_entries":
		return args == 1
	}
	return false
}

// call runs a function.
func (e *jqEval) call(n *jqNode, in any, out yield) error {
	if len(n.kids) == 0 {
		switch n.text {
		case "empty":
			return nil
		case "values":
			if in == nil {
				return nil
			}
			return out(in)
		}
		return then(out)(e.plain(n.text, in))
	}
	arg := n.kids[0]
	switch n.text {
	case "select":
		return e.run(arg, in, func(v any) error {
			if truthy(v) {
				return out(in)
			}
			return nil
		})
	case "map":
		return then(out)(e.mapped(arg, in))
	case "with_entries":
		entries, err := e.plain("to_entries", in)
		if err == nil {
			entries, err = e.mapped(arg, entries)
		}
		if err == nil {
			entries, err = e.plain("from_entries", entries)
		}
		return then(out)(entries, err)
	case "sort_by":
		return then(out)(e.sortBy(arg, in))
	}
	return e.run(arg, in, func(v any) error { return then(out)(e.withArgument(n.text, in, v)) })
}

// mapped is the array of a filter's results for every element.
func (e *jqEval) mapped(arg *jqNode, in any) (any, error) {
	return e.collect(&jqNode{op: "|", kids: []*jqNode{{op: "each", kids: []*jqNode{{op: "."}}}, arg}}, in)
}

func (e *jqEval) sortBy(arg *jqNode, in any) (any, error) {
	list, ok := in.([]any)
	if !ok {
		return nil, jqError(jqTypeName(in) + " cannot be sorted, as it is not an array")
	}
	type keyed struct {
		key []any
		v   any
	}
	items := make([]keyed, len(list))
	for i, v := range list {
		key, err := e.collect(arg, v)
		if err != nil {
			return nil, err
		}
		items[i] = keyed{key, v}
	}
	slices.SortStableFunc(items, func(a, b keyed) int { return slices.CompareFunc(a.key, b.key, jqCompare) })
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = item.v
	}
	return out, nil
}

// plain runs a function without arguments.
func (e *jqEval) plain(name string, in any) (any, error) {
	switch name {
	case "type":
		return jqTypeName(in), nil
	case "not":
		return !truthy(in), nil
	case "length":
		return jqLength(in)
	case "tostring":
		s := jqText(in)
		return s, e.hold(len(s))
	case "tonumber":
		return jqToNumber(in)
	}
	switch v := in.(type) {
	case nil:
		switch name {
		case "add", "first", "last", "min", "max":
			return nil, nil
		case "reverse":
			return []any{}, nil
		}
	case string:
		switch name {
		case "ascii_downcase":
			return strings.Map(func(r rune) rune { return asciiCase(r, 'A', 'a') }, v), e.hold(len(v))
		case "ascii_upcase":
			return strings.Map(func(r rune) rune { return asciiCase(r, 'a', 'A') }, v), e.hold(len(v))
		}
	case []any:
		return e.ofArray(name, v)
	case *jqObject:
		return e.ofObject(name, v)
	}
	return nil, jqError(jqTypeName(in) + " has no " + name)
}

func asciiCase(r, from, to rune) rune {
	if r >= from && r < from+26 {
		return r - from + to
	}
	return r
}

func jqLength(in any) (any, error) {
	n := 0
	switch v := in.(type) {
	case nil:
	case string:
		n = utf8.RuneCountInString(v)
	case []any:
		n = len(v)
	case *jqObject:
		n = len(v.keys)
	case json.Number:
		return jqNumber(math.Abs(jqFloat(v))), nil
	default:
		return nil, jqError(jqTypeName(in) + " has no length")
	}
	return json.Number(strconv.Itoa(n)), nil
}

func jqToNumber(in any) (any, error) {
	switch v := in.(type) {
	case json.Number:
		return v, nil
	case string:
		if s := strings.TrimSpace(v); json.Valid([]byte(s)) && s != "" && (s[0] == '-' || isDigit(s[0])) {
			return json.Number(s), nil
		}
	}
	return nil, jqError(jqTypeName(in) + " cannot be parsed as a number")
}

func (e *jqEval) ofArray(name string, list []any) (any, error) {
	e.steps -= len(list)
	switch name {
	case "keys", "keys_unsorted":
		out := make([]any, len(list))
		for i := range list {
			out[i] = json.Number(strconv.Itoa(i))
		}
		return out, nil
	case "first", "last":
		if len(list) == 0 {
			return nil, nil
		}
		if name == "first" {
			return list[0], nil
		}
		return list[len(list)-1], nil
	case "reverse":
		out := slices.Clone(list)
		slices.Reverse(out)
		return out, nil
	case "add":
		return e.total(list)
	case "from_entries":
		return fromEntries(list)
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, jqCompare)
	switch name {
	case "sort":
		return sorted, nil
	case "unique":
		return slices.CompactFunc(sorted, func(a, b any) bool { return jqCompare(a, b) == 0 }), nil
	case "min", "max":
		switch {
		case len(sorted) == 0:
			return nil, nil
		case name == "min":
			return sorted[0], nil
		}
		return sorted[len(sorted)-1], nil
	}
	return nil, jqError("array has no " + name)
}

func (e *jqEval) total(list []any) (sum any, err error) {
	for _, v := range list {
		if sum, err = e.add(sum, v); err != nil {
			return nil, err
		}
		if e.steps < 0 {
			return nil, e.step()
		}
	}
	return sum, nil
}

func fromEntries(list []any) (any, error) {
	o := &jqObject{values: map[string]any{}}
	for _, v := range list {
		entry, ok := v.(*jqObject)
		if !ok {
			return nil, jqError("Cannot index " + jqTypeName(v) + ` with "key"`)
		}
		var key any
		for _, name := range []string{"key", "k", "name", "Name", "Key", "K"} {
			if key = entry.values[name]; truthy(key) {
				break
			}
		}
		switch key.(type) {
		case string:
		case nil, bool, json.Number:
			key = jqText(key)
		default:
			return nil, jqError("Cannot use " + jqTypeName(key) + " as object key")
		}
		value, ok := entry.values["value"]
		if !ok {
			value = entry.values["v"]
		}
		o.set(key.(string), value)
	}
	return o, nil
}

func (e *jqEval) ofObject(name string, o *jqObject) (any, error) {
	e.steps -= len(o.keys)
	list := []any{}
	switch name {
	case "keys", "keys_unsorted":
		keys := o.keys
		if name == "keys" {
			keys = o.sorted()
		}
		for _, k := range keys {
			list = append(list, k)
		}
		return list, nil
	case "to_entries":
		for _, k := range o.keys {
			entry := &jqObject{values: map[string]any{}}
			entry.set("key", k)
			entry.set("value", o.values[k])
			list = append(list, entry)
		}
		return list, nil
	case "add":
		for _, k := range o.keys {
			list = append(list, o.values[k])
		}
		return e.total(list)
	}
	return nil, jqError("object has no " + name)
}

// withArgument runs a function of one value.
func (e *jqEval) withArgument(name string, in, arg any) (any, error) {
	switch v := in.(type) {
	case *jqObject:
		if key, ok := arg.(string); ok && name == "has" {
			_, found := v.values[key]
			return found, nil
		}
	case []any:
		if _, ok := arg.(json.Number); ok && name == "has" {
			at := jqFloat(arg)
			return at >= 0 && at < float64(len(v)), nil
		}
		if name == "join" {
			return e.join(v, arg)
		}
	case string:
		if s, ok := arg.(string); ok {
			return e.ofString(name, v, s)
		}
	}
	return nil, jqError(name + " is not defined for " + jqTypeName(in) + " and " + jqTypeName(arg))
}

func (e *jqEval) ofString(name, s, arg string) (any, error) {
	switch name {
	case "startswith":
		return strings.HasPrefix(s, arg), nil
	case "endswith":
		return strings.HasSuffix(s, arg), nil
	case "split":
		parts := strings.Split(s, arg)
		if s == "" {
			parts = nil
		}
		list := make([]any, len(parts))
		for i, p := range parts {
			list[i] = p
		}
		e.steps -= len(list)
		return list, nil
	case "test":
		e.steps -= 1000
		re, err := compileRegex(arg, perl, false)
		if err != nil {
			return nil, jqError(err.Error())
		}
		if len(s) > longestText(re) {
			return nil, jqError(errLongText.Error())
		}
		e.steps -= len(s) / 16 * len(arg) / 16
		return re.MatchString(s), nil
	}
	return nil, jqError("string has no " + name)
}

func (e *jqEval) join(list []any, arg any) (any, error) {
	sep, ok := arg.(string)
	if !ok && arg != nil {
		return nil, jqError("join needs a string")
	}
	var b strings.Builder
	for i, v := range list {
		switch v.(type) {
		case []any, *jqObject:
			return nil, jqError("string and " + jqTypeName(v) + " cannot be added")
		}
		if i > 0 {
			b.WriteString(sep)
		}
		if v != nil {
			b.WriteString(jqText(v))
		}
		if b.Len() > maxHeld {
			break
		}
	}
	return b.String(), e.hold(b.Len())
}
