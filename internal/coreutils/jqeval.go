package coreutils

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxJqSteps bounds the work of one run, maxJqItems the length of an array
// that it makes.
const (
	maxJqSteps = 20_000_000
	maxJqItems = 1_000_000
)

// jqError is what a filter fails with; "?" and "//" catch it.
type jqError string

func (e jqError) Error() string { return string(e) }

// jqBudget bounds a run.
type jqBudget struct {
	ctx   context.Context
	steps int
	held  int // bytes of strings made
}

func (b *jqBudget) step() error {
	if b.steps--; b.steps < 0 {
		return errors.New("too many steps")
	}
	if b.steps%1024 == 0 {
		return b.ctx.Err()
	}
	return nil
}

// hold counts the bytes of a string that was made.
func (b *jqBudget) hold(n int) error {
	if b.held += n; b.held > maxHeld {
		return errors.New("strings too large")
	}
	return nil
}

// jqEval evaluates filters.
type jqEval struct {
	*jqBudget
	vars map[string]any
}

// yield takes one result; an error ends the evaluation.
type yield func(any) error

// run gives every result of a filter for an input.
func (e *jqEval) run(n *jqNode, in any, out yield) error {
	if err := e.step(); err != nil {
		return err
	}
	switch n.op {
	case ".":
		return out(in)
	case "const":
		return out(n.value)
	case "$":
		return out(e.vars[n.text])
	case "|":
		return e.run(n.kids[0], in, func(v any) error { return e.run(n.kids[1], v, out) })
	case ",":
		if err := e.run(n.kids[0], in, out); err != nil {
			return err
		}
		return e.run(n.kids[1], in, out)
	case "index":
		return e.run(n.kids[0], in, func(of any) error {
			return e.run(n.kids[1], in, func(key any) error { return then(out)(jqIndex(of, key)) })
		})
	case "slice":
		return e.slice(n, in, out)
	case "each":
		return e.run(n.kids[0], in, func(v any) error { return e.each(v, out) })
	case "try":
		return e.try(n.kids[0], in, out)
	case "array":
		return e.array(n, in, out)
	case "object":
		return e.object(n.kids, in, nil, out)
	case "text":
		return e.text(n.kids, in, "", out)
	case "call":
		return e.call(n, in, out)
	case "//":
		return e.alternative(n, in, out)
	case "and", "or", "if":
		return e.logic(n, in, out)
	}
	return e.run(n.kids[1], in, func(b any) error {
		return e.run(n.kids[0], in, func(a any) error { return then(out)(e.operate(n.op, a, b)) })
	})
}

// then passes a result on unless there is an error.
func then(out yield) func(any, error) error {
	return func(v any, err error) error {
		if err != nil {
			return err
		}
		return out(v)
	}
}

func truthy(v any) bool { return v != nil && v != false }

func jqIndex(of, key any) (any, error) {
	switch of := of.(type) {
	case nil:
		switch key.(type) {
		case string, json.Number, nil:
			return nil, nil
		}
	case *jqObject:
		if k, ok := key.(string); ok {
			return of.values[k], nil
		}
	case []any:
		if _, ok := key.(json.Number); ok {
			at := math.Floor(jqFloat(key))
			if at < 0 {
				at += float64(len(of))
			}
			if at < 0 || at >= float64(len(of)) {
				return nil, nil
			}
			return of[int(at)], nil
		}
	}
	if k, ok := key.(string); ok {
		return nil, jqError(fmt.Sprintf("Cannot index %s with %q", jqTypeName(of), k))
	}
	return nil, jqError(fmt.Sprintf("Cannot index %s with %s", jqTypeName(of), jqTypeName(key)))
}

func (e *jqEval) slice(n *jqNode, in any, out yield) error {
	return e.run(n.kids[0], in, func(of any) error {
		return e.run(n.kids[2], in, func(to any) error {
			return e.run(n.kids[1], in, func(from any) error { return then(out)(jqSlice(of, from, to)) })
		})
	})
}

func jqSlice(of, from, to any) (any, error) {
	for _, v := range []any{from, to} {
		if _, ok := v.(json.Number); !ok && v != nil {
			return nil, jqError("Start and end indices of an array slice must be numbers")
		}
	}
	bounds := func(length int) (int, int) {
		at := func(v any, otherwise int, round func(float64) float64) int {
			if v == nil {
				return otherwise
			}
			f := round(jqFloat(v))
			if f < 0 {
				f += float64(length)
			}
			return int(max(0, min(f, float64(length))))
		}
		lo, hi := at(from, 0, math.Floor), at(to, length, math.Ceil)
		return lo, max(lo, hi)
	}
	switch of := of.(type) {
	case nil:
		return nil, nil
	case []any:
		lo, hi := bounds(len(of))
		return slices.Clip(of[lo:hi]), nil
	case string:
		runes := []rune(of)
		lo, hi := bounds(len(runes))
		return string(runes[lo:hi]), nil
	}
	return nil, jqError("Cannot index " + jqTypeName(of) + " with object")
}

func (e *jqEval) each(v any, out yield) error {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := out(item); err != nil {
				return err
			}
		}
		return nil
	case *jqObject:
		for _, k := range v.keys {
			if err := out(v.values[k]); err != nil {
				return err
			}
		}
		return nil
	}
	return jqError("Cannot iterate over " + jqTypeName(v))
}

// try drops the error of a filter, but not one of what takes its results.
func (e *jqEval) try(n *jqNode, in any, out yield) error {
	var later error
	err := e.run(n, in, func(v any) error {
		later = out(v)
		return later
	})
	var own jqError
	if later == nil && errors.As(err, &own) {
		return nil
	}
	return err
}

func (e *jqEval) alternative(n *jqNode, in any, out yield) error {
	some := false
	err := e.try(n.kids[0], in, func(v any) error {
		if !truthy(v) {
			return nil
		}
		some = true
		return out(v)
	})
	if err != nil || some {
		return err
	}
	return e.run(n.kids[1], in, out)
}

func (e *jqEval) logic(n *jqNode, in any, out yield) error {
	return e.run(n.kids[0], in, func(a any) error {
		switch {
		case n.op == "if" && truthy(a):
			return e.run(n.kids[1], in, out)
		case n.op == "if":
			return e.run(n.kids[2], in, out)
		case truthy(a) == (n.op == "or"):
			return out(n.op == "or")
		}
		return e.run(n.kids[1], in, func(b any) error { return out(truthy(b)) })
	})
}

// collect gives all results of a filter at once.
func (e *jqEval) collect(n *jqNode, in any) ([]any, error) {
	list := []any{}
	err := e.run(n, in, func(v any) error {
		if len(list) >= maxJqItems {
			return errors.New("array too large")
		}
		list = append(list, v)
		return nil
	})
	return list, err
}

func (e *jqEval) array(n *jqNode, in any, out yield) error {
	if len(n.kids) == 0 {
		return out([]any{})
	}
	list, err := e.collect(n.kids[0], in)
	if err != nil {
		return err
	}
	return out(list)
}

// object gives an object for every combination of keys and values; done are
// the entries that are settled.
func (e *jqEval) object(kids []*jqNode, in any, done []any, out yield) error {
	if len(kids) == 0 {
		o := &jqObject{values: map[string]any{}}
		for i := 0; i < len(done); i += 2 {
			o.set(done[i].(string), done[i+1])
		}
		return out(o)
	}
	return e.run(kids[0], in, func(key any) error {
		if _, ok := key.(string); !ok {
			return jqError("Object keys must be strings")
		}
		return e.run(kids[1], in, func(v any) error {
			return e.object(kids[2:], in, append(slices.Clip(done), key, v), out)
		})
	})
}

// text joins the parts of a string behind what is settled of it.
func (e *jqEval) text(kids []*jqNode, in any, done string, out yield) error {
	if len(kids) == 0 {
		return out(done)
	}
	return e.run(kids[0], in, func(v any) error {
		s := done + jqText(v)
		if err := e.hold(len(s)); err != nil {
			return err
		}
		return e.text(kids[1:], in, s, out)
	})
}

// operate applies an operator to two values.
func (e *jqEval) operate(op string, a, b any) (any, error) {
	diff := 0
	switch op {
	case "+":
		return e.add(a, b)
	case "-":
		return jqSubtract(a, b)
	default:
		diff = jqCompare(a, b)
	}
	switch op {
	case "==":
		return diff == 0, nil
	case "!=":
		return diff != 0, nil
	case "<":
		return diff < 0, nil
	case "<=":
		return diff <= 0, nil
	case ">":
		return diff > 0, nil
	}
	return diff >= 0, nil
}

func (e *jqEval) add(a, b any) (any, error) {
	if a == nil || b == nil {
		if a == nil {
			a = b
		}
		return a, nil
	}
	switch x := a.(type) {
	case json.Number:
		if _, ok := b.(json.Number); ok {
			return jqNumber(jqFloat(a) + jqFloat(b)), nil
		}
	case string:
		if y, ok := b.(string); ok {
			return x + y, e.hold(len(x) + len(y))
		}
	case []any:
		if y, ok := b.([]any); ok {
			if e.steps -= len(x) + len(y); len(x)+len(y) > maxJqItems {
				return nil, errors.New("array too large")
			}
			return slices.Concat(x, y), nil
		}
	case *jqObject:
		if y, ok := b.(*jqObject); ok {
			return e.merge(x, y), nil
		}
	}
	return nil, jqError(fmt.Sprintf("%s and %s cannot be added", jqTypeName(a), jqTypeName(b)))
}

func (e *jqEval) merge(x, y *jqObject) *jqObject {
	o := &jqObject{values: map[string]any{}}
	for _, from := range []*jqObject{x, y} {
		e.steps -= len(from.keys)
		for _, k := range from.keys {
			o.set(k, from.values[k])
		}
	}
	return o
}

func jqSubtract(a, b any) (any, error) {
	switch x := a.(type) {
	case json.Number:
		if _, ok := b.(json.Number); ok {
			return jqNumber(jqFloat(a) - jqFloat(b)), nil
		}
	case []any:
		if y, ok := b.([]any); ok && len(x)*len(y) < maxJqItems {
			left := []any{}
			for _, v := range x {
				if !slices.ContainsFunc(y, func(w any) bool { return jqCompare(v, w) == 0 }) {
					left = append(left, v)
				}
			}
			return left, nil
		}
	}
	return nil, jqError(strings.Join([]string{jqTypeName(a), "and", jqTypeName(b), "cannot be subtracted"}, " "))
}
