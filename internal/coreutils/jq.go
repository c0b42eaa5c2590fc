package coreutils

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

func jqCommand() Command {
	return Command{Name: "jq", Summary: "query JSON with a part of jq's language", syntax: jqSyntax, prepare: prepareJq}
}

func jqSyntax() syntax {
	return syntax{flags: []flag{
		{names: "r raw-output"}, {names: "c compact-output"}, {names: "e exit-status"}, {names: "s slurp"},
		{names: "n null-input"}, {names: "S sort-keys"}, {names: "j join-output"}, {names: "tab"},
		{names: "M monochrome-output"},
		// --arg and --argjson take two words; prepareJq has them taken out.
		{names: "arg"}, {names: "argjson"},
	}}
}

// jqRun is one jq at work.
type jqRun struct {
	*parsed
	filter *jqNode
	vars   map[string]any
	names  []string
	x      *IO
	out    *bufio.Writer
	budget *jqBudget
	last   any
	some   bool
	status int
}

func prepareJq(args []string) (*Prepared, error) {
	args, vars, err := jqVariables(args)
	if err != nil {
		return nil, err
	}
	p, err := jqSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	if len(p.operands) == 0 {
		return nil, usage(0, "a filter is needed")
	}
	filter, err := parseJq(p.operands[0].Name, vars)
	if err != nil {
		return nil, usage(p.operands[0].Word, "%s", err)
	}
	p.operands = p.operands[1:]
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		r := &jqRun{parsed: p, filter: filter, vars: vars, names: p.inputs(), x: x, out: x.output(), budget: &jqBudget{ctx: ctx, steps: maxJqSteps}}
		r.all(ctx)
		return x.finish(ctx, r.out, r.exit())
	}}, nil
}

// jqVariables takes out "--arg NAME VALUE" and leaves flags without a value in
// their place, so that words keep their number.
func jqVariables(args []string) ([]string, map[string]any, error) {
	out, vars := slices.Clone(args), map[string]any{}
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if args[i] != "--arg" && args[i] != "--argjson" {
			continue
		}
		if i+2 >= len(args) {
			return nil, nil, usage(i+1, "%s needs a name and a value", args[i])
		}
		vars[args[i+1]] = args[i+2]
		if args[i] == "--argjson" {
			d := newJqDecoder(strings.NewReader(args[i+2]))
			v, err := d.next()
			if err != nil {
				return nil, nil, usage(i+3, "invalid JSON")
			}
			vars[args[i+1]] = v
		}
		out[i+1], out[i+2] = args[i], args[i]
		i += 2
	}
	return out, vars, nil
}

func (r *jqRun) exit() int {
	switch {
	case r.status != 0 || !r.has("e"):
		return r.status
	case !r.some:
		return 4
	case r.last == nil || r.last == false:
		return 1
	}
	return 0
}

// all runs the filter over every value of the inputs.
func (r *jqRun) all(ctx context.Context) {
	if r.has("n") {
		r.value(nil)
		return
	}
	var slurped []any
	total := int64(0)
	for _, name := range r.names {
		err := r.x.withInput(ctx, name, func(_ string, in *input) error {
			limited := &io.LimitedReader{R: in, N: maxHeld - total + 1}
			d := newJqDecoder(limited)
			for {
				v, err := d.next()
				total = maxHeld + 1 - limited.N
				switch {
				case limited.N <= 0:
					return errTooMuch
				case errors.Is(err, io.EOF):
					return nil
				case err != nil:
					r.x.errorf("jq: error (at %s): %s", name, err)
					r.status = 2
					return nil
				}
				if r.has("s") {
					slurped = append(slurped, v)
				} else if !r.value(v) {
					return nil
				}
			}
		})
		if err != nil {
			r.x.errorf("jq: error: Could not open %s: %s", name, reason(err))
			r.status = 2
		}
	}
	if r.has("s") && r.status == 0 {
		r.value(slurped)
	}
}

// value runs the filter over one value; false if nothing further counts.
func (r *jqRun) value(v any) bool {
	w := jqWriter{out: r.out, compact: r.has("c"), sorted: r.has("S"), indent: "  "}
	if r.has("tab") {
		w.indent = "\t"
	}
	e := &jqEval{vars: r.vars, jqBudget: r.budget}
	err := e.run(r.filter, v, func(v any) error {
		r.last, r.some = v, true
		if s, ok := v.(string); ok && (r.has("r") || r.has("j")) {
			r.out.WriteString(s)
		} else {
			w.value(v, 0)
		}
		if !r.has("j") {
			r.out.WriteByte('\n')
		}
		_, err := r.out.Write(nil)
		if err != nil {
			return errQuit
		}
		return nil
	})
	if err == nil {
		if r.status == 5 {
			r.status = 0 // as jq itself: the last input decides
		}
		return true
	}
	var failure jqError
	if errors.As(err, &failure) {
		r.x.errorf("jq: error: %s", failure)
		r.status = 5
		return true
	}
	if !errors.Is(err, errQuit) {
		r.x.errorf("jq: error: %s", err)
		r.status = 5
	}
	return false
}

// jqDecoder reads JSON values one after the other.
type jqDecoder struct{ d *json.Decoder }

func newJqDecoder(r io.Reader) jqDecoder {
	d := json.NewDecoder(r)
	d.UseNumber()
	return jqDecoder{d}
}

// maxJSONDepth bounds arrays within arrays.
const maxJSONDepth = 256

func (d jqDecoder) next() (any, error) {
	token, err := d.d.Token()
	if err != nil {
		return nil, err
	}
	return d.value(token, 0)
}

func (d jqDecoder) value(token json.Token, depth int) (any, error) {
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth > maxJSONDepth {
		return nil, errJQDepth
	}
	array, object := []any{}, &jqObject{values: map[string]any{}}
	for d.d.More() {
		key := ""
		if delim == '{' {
			token, err := d.d.Token()
			if err != nil {
				return nil, midValue(err)
			}
			key, _ = token.(string)
		}
		token, err := d.d.Token()
		if err != nil {
			return nil, midValue(err)
		}
		v, err := d.value(token, depth+1)
		if err != nil {
			return nil, err
		}
		if delim == '{' {
			object.set(key, v)
		} else {
			array = append(array, v)
		}
	}
	if _, err := d.d.Token(); err != nil {
		return nil, midValue(err)
	}
	if delim == '{' {
		return object, nil
	}
	return array, nil
}

// The errors are worded as jq words them.
//
//lint:ignore ST1005 another program's words
var errJQUnfinished, errJQDepth = errors.New("Unfinished JSON term"), errors.New("Exceeds depth limit for parsing")

// midValue is the error of an input that ends within a value.
func midValue(err error) error {
	if errors.Is(err, io.EOF) {
		return errJQUnfinished
	}
	return err
}
