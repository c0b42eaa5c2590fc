package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

const jqFlags = "r|raw-output c|compact-output e|exit-status s|slurp n|null-input S|sort-keys R|raw-input" +
	" M|monochrome-output"

const (
	// maxQuery is the maximum length of a query, and maxJqMemory the maximum heap of the process
	// that runs it.
	maxQuery    = 16 << 10
	maxJqMemory = 512 << 20
	// jqMark is argv[0] of the process that runs a query.
	jqMark = "vade: jq"
)

// jqOrder is the request that the process reads before its input.
type jqOrder struct {
	Query                                     string
	Raw, Compact, Exit, Null, Slurp, RawInput bool
}

// jq runs a query in a separate process, because only ending the process keeps a value from
// growing. The process receives only its input and opens no files.
func jq(p *parsed) (*Prepared, error) {
	if len(p.operands) == 0 {
		return nil, usage(0, "missing filter")
	}
	filter := p.operands[0]
	o := jqOrder{
		Query: filter.Name, Raw: p.has("r"), Compact: p.has("c"),
		Exit: p.has("e"), Null: p.has("n"), Slurp: p.has("s"), RawInput: p.has("R"),
	}
	p.operands = p.operands[1:]
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		var in bytes.Buffer
		left := int64(maxHeld) // for all inputs together
		failed := x.eachInput(ctx, "jq", p.inputs(), 2, func(r io.Reader) error {
			if left < 0 {
				return errStop
			}
			n, err := io.Copy(&in, io.LimitReader(r, left+1))
			if left -= n; err == nil && left < 0 {
				return errInputTooLarge
			}
			return err
		})
		if ctx.Err() != nil {
			return exitStopped
		}
		if left < 0 {
			return 2
		}
		order, err := json.Marshal(o)
		if err != nil {
			return 2
		}
		stdin := io.MultiReader(bytes.NewReader(append(order, '\n')), &in)
		code, err := x.Again(ctx, jqMark, stdin, x.Stdout, x.Stderr)
		switch {
		case ctx.Err() != nil:
			return exitStopped
		case err != nil:
			x.errorf("jq: %s", err)
			return 126
		case code < 0:
			return exitPipe
		}
		return max(failed, code)
	}}, nil
}

func (o *jqOrder) compile(inputs *jqInputs) (*gojq.Code, error) {
	if len(o.Query) > maxQuery {
		return nil, errors.New("the query is too long")
	}
	query, err := gojq.Parse(o.Query)
	if err != nil {
		return nil, err
	}
	// There is no module loader, and the environment is empty.
	return gojq.Compile(query, gojq.WithInputIter(inputs))
}

// Main must be the first call in the program that [IO.Again] starts. In such a process Main does
// not return.
func Main() {
	if len(os.Args) != 1 || os.Args[0] != jqMark {
		return
	}
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.HeapAlloc > maxJqMemory {
				fmt.Fprintln(os.Stderr, "jq: error: too much memory")
				os.Exit(5)
			}
		}
	}()
	in := bufio.NewReader(os.Stdin)
	line, _ := in.ReadBytes('\n')
	var o jqOrder
	if err := json.Unmarshal(line, &o); err != nil {
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	status := o.run(in, out)
	if out.Flush() != nil {
		status = exitPipe
	}
	os.Exit(status)
}

// run runs the query over all inputs and returns the exit code.
func (o *jqOrder) run(in *bufio.Reader, out *bufio.Writer) int {
	inputs := &jqInputs{order: o, text: in, json: json.NewDecoder(in)}
	inputs.json.UseNumber()
	code, err := o.compile(inputs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jq: error:", err)
		return 3
	}
	status := 0
	var last any
	some := false
	for first := true; ; first = false {
		var value any
		more := first
		if !o.Null {
			value, more = inputs.Next()
		}
		if !more {
			break
		}
		if err, failed := value.(error); failed {
			fmt.Fprintln(os.Stderr, "jq: error:", err)
			return 2
		}
		for results := code.Run(value); ; {
			v, ok := results.Next()
			if !ok {
				break
			}
			if err, failed := v.(error); failed {
				if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
					return halt.ExitCode()
				}
				fmt.Fprintln(os.Stderr, "jq: error:", err)
				status = 5
				break
			}
			last, some = v, true
			text, isText := v.(string)
			if !isText || !o.Raw {
				compact, err := gojq.Marshal(v)
				if text = string(compact); !o.Compact && err == nil {
					var b bytes.Buffer
					_ = json.Indent(&b, compact, "", "  ")
					text = b.String()
				}
			}
			out.WriteString(text + "\n")
		}
	}
	switch {
	case status != 0 || !o.Exit:
		return status
	case !some:
		return 4
	case last == nil || last == false:
		return 1
	}
	return 0
}

// jqInputs iterates over the values of the input.
type jqInputs struct {
	order *jqOrder
	text  *bufio.Reader
	json  *json.Decoder
	ended bool
}

// Next implements [gojq.Iter]. An invalid value is returned as an error.
func (i *jqInputs) Next() (any, bool) {
	if i.ended {
		return nil, false
	}
	if i.order.RawInput {
		if i.order.Slurp {
			text, _ := io.ReadAll(i.text)
			i.ended = true
			return string(text), true
		}
		line, err := i.text.ReadString('\n')
		i.ended = err != nil
		return strings.TrimSuffix(line, "\n"), line != ""
	}
	all := []any{}
	for {
		var v any
		err := i.json.Decode(&v)
		switch i.ended = err != nil; {
		case errors.Is(err, io.EOF) && i.order.Slurp:
			return all, true
		case errors.Is(err, io.EOF):
			return nil, false
		case err != nil:
			return err, true
		case !i.order.Slurp:
			return v, true
		}
		all = append(all, v)
	}
}
