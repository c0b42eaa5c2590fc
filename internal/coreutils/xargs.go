package coreutils

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxCommandLine bounds the bytes of one command line that xargs makes.
const maxCommandLine = 128 << 10

func xargsCommand() Command {
	return simple("xargs", "run a command with operands from the standard input", xargsSyntax, prepareXargs)
}

func xargsSyntax() syntax {
	return syntax{inOrder: true, flags: []flag{
		{names: "0 null"}, {names: "r no-run-if-empty"}, {names: "t verbose"}, {names: "x exit"},
		{names: "n max-args", value: withValue, check: checkInteger(1)},
		{names: "I", value: withValue, check: func(v string) string {
			if v == "" {
				return "an empty replacement"
			}
			return ""
		}},
		{names: "d delimiter", value: withValue, check: func(v string) string {
			if _, ok := itemDelimiter(v); !ok {
				return "unsupported delimiter " + strconv.Quote(v)
			}
			return ""
		}},
	}}
}

// itemDelimiter reads one character or its escape.
func itemDelimiter(text string) (byte, bool) {
	switch {
	case len(text) == 1:
		return text[0], true
	case len(text) == 2 && text[0] == '\\' && controlEscape(text[1]) != 0:
		return controlEscape(text[1]), true
	case text == `\0`:
		return 0, true
	case text == `\\`:
		return '\\', true
	}
	return 0, false
}

// xargsRun is one xargs at work.
type xargsRun struct {
	x       *IO
	command []string
	replace string
	max     int // operands for one command line, 0: as many as fit
	verbose bool
	items   []string
	length  int
	ran     bool
	status  int
}

func prepareXargs(p *parsed) (*Prepared, error) {
	if p.has("I") && p.has("n") {
		return nil, usage(0, "-I and -n exclude each other")
	}
	command := names(p.operands)
	if len(command) == 0 {
		command = []string{"echo"}
	}
	split := splitWords
	switch p.last("0", "d") {
	case "0":
		split = splitAt(0)
	case "d":
		v, _ := p.value("d")
		c, _ := itemDelimiter(v)
		split = splitAt(c)
	default:
		if p.has("I") {
			split = splitLines
		}
	}
	replace, _ := p.value("I")
	return &Prepared{Runs: [][]string{command}, Run: func(ctx context.Context, x *IO) int {
		r := &xargsRun{x: x, command: command, replace: replace, max: p.number("n", 0), verbose: p.has("t")}
		return r.all(ctx, split, p.has("r"))
	}}, nil
}

// errQuit ends the reading after a command that must be the last.
var errQuit = errors.New("no further command is to run")

func (r *xargsRun) all(ctx context.Context, split splitter, onlyWithItems bool) int {
	if r.x.Exec == nil {
		r.x.errorf("xargs: %s: no command can be run here", r.command[0])
		return 126
	}
	in, _ := r.x.open(ctx, "-")
	err := split(bufio.NewReaderSize(in, 64<<10), func(item string) error { return r.item(ctx, item) })
	switch {
	case ctx.Err() != nil:
		return exitStopped
	case errors.Is(err, errQuit):
		return r.status
	}
	if len(r.items) > 0 || !r.ran && !onlyWithItems && r.replace == "" && err == nil {
		if r.flush(ctx) != nil {
			return r.status
		}
	}
	if err != nil {
		r.x.errorf("xargs: %s", reason(err))
		return 1
	}
	return r.status
}

// item takes one operand and runs the command once there are enough.
func (r *xargsRun) item(ctx context.Context, item string) error {
	if len(item) > maxCommandLine/2 {
		return errors.New("argument line too long")
	}
	if r.replace != "" {
		argv := make([]string, len(r.command))
		length := 0
		for i, w := range r.command {
			argv[i] = w
			if i > 0 {
				argv[i] = strings.ReplaceAll(w, r.replace, item)
			}
			if length += len(argv[i]) + 1; length > maxCommandLine {
				return errors.New("argument list too long")
			}
		}
		return r.run(ctx, argv)
	}
	if len(r.items) > 0 && r.length+len(item)+1 > maxCommandLine {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	r.items = append(r.items, item)
	r.length += len(item) + 1
	if r.max > 0 && len(r.items) >= r.max {
		return r.flush(ctx)
	}
	return nil
}

func (r *xargsRun) flush(ctx context.Context) error {
	argv := slices.Concat(r.command, r.items)
	r.items, r.length = nil, 0
	return r.run(ctx, argv)
}

// run runs one command line and settles the status.
func (r *xargsRun) run(ctx context.Context, argv []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.ran = true
	if r.verbose {
		r.x.errorf("%s", strings.Join(argv, " "))
	}
	switch status := r.x.Exec(ctx, argv, strings.NewReader("")); {
	case status == 0:
	case status == 126 || status == 127:
		r.status = status
		return errQuit
	case status == 255:
		r.x.errorf("xargs: %s: exited with status 255; aborting", argv[0])
		r.status = 124
		return errQuit
	default:
		r.status = 123
	}
	return nil
}

// splitter cuts an input into items.
type splitter func(in *bufio.Reader, use func(item string) error) error

func splitAt(delim byte) splitter {
	return func(in *bufio.Reader, use func(string) error) error {
		lines := &lineReader{r: in, sep: delim}
		for {
			item, _, ok := lines.next()
			if !ok {
				return lines.err
			}
			if err := use(string(item)); err != nil {
				return err
			}
		}
	}
}

// splitWords cuts at blanks and newlines; quotes and backslashes protect them.
func splitWords(in *bufio.Reader, use func(string) error) error {
	return splitQuoted(in, false, use)
}

// splitLines cuts at newlines and drops blanks before an item.
func splitLines(in *bufio.Reader, use func(string) error) error {
	return splitQuoted(in, true, use)
}

func splitQuoted(in *bufio.Reader, byLine bool, use func(string) error) error {
	var item []byte
	some := false
	quote := byte(0)
	for {
		c, err := in.ReadByte()
		switch {
		case err != nil && quote == '\\' && errors.Is(err, io.EOF):
			return errors.New("backslash at EOF")
		case err != nil && quote != 0 && errors.Is(err, io.EOF):
			return unmatched(quote)
		case err != nil:
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if some {
				err = errors.Join(use(string(item)), err)
			}
			return err
		case quote == '\\':
			item, some, quote = append(item, c), true, 0
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0 && c == '\n':
			return unmatched(quote)
		case quote != 0:
			item = append(item, c)
		case c == '\'' || c == '"' || c == '\\':
			quote, some = c, true
		case c == '\n' || !byLine && (c == ' ' || c == '\t'):
			if some {
				if err := use(string(item)); err != nil {
					return err
				}
			}
			item, some = item[:0], false
		case byLine && !some && (c == ' ' || c == '\t'):
		default:
			item, some = append(item, c), true
		}
		if len(item) > maxCommandLine {
			return errors.New("argument line too long")
		}
	}
}

func unmatched(quote byte) error {
	name := "double"
	if quote == '\'' {
		name = "single"
	}
	return errors.New("unmatched " + name + " quote; by default quotes are special to xargs unless you use the -0 option")
}
