package coreutils

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxCommandLine is the maximum length in bytes of a command line run by xargs.
const maxCommandLine = 128 << 10

// errQuit ends xargs early after certain command failures.
var errQuit = errors.New("no more commands")

func xargs(p *parsed) (*Prepared, error) {
	maxArgs, err := p.number("n", 1, 0)
	if err != nil {
		return nil, err
	}
	replace, replaces := p.value("I")
	if replaces && (replace == "" || maxArgs > 0) {
		return nil, usage(0, "-I requires an argument and cannot be combined with -n")
	}
	command := names(p.operands)
	if len(command) == 0 {
		command = []string{"echo"}
	}
	return &Prepared{Runs: [][]string{command}, Run: func(ctx context.Context, x *IO) int {
		var items []string
		length, ran, status := 0, false, 0
		run := func(argv []string) error {
			items, length, ran = nil, 0, true
			switch code := x.Exec(ctx, argv, strings.NewReader("")); code {
			case 0:
			case 126, 127:
				status = code
				return errQuit
			case 255:
				x.errorf("xargs: %s: exited with status 255; aborting", argv[0])
				status = 124
				return errQuit
			default:
				status = 123
			}
			return ctx.Err()
		}
		item := func(text string) error {
			if replaces {
				argv := slices.Clone(command)
				for i, w := range argv[1:] {
					argv[i+1] = strings.ReplaceAll(w, replace, text)
				}
				if len(strings.Join(argv, " ")) > maxCommandLine {
					return errors.New("argument list too long")
				}
				return run(argv)
			}
			if len(items) > 0 && length+len(text)+1 > maxCommandLine {
				if err := run(append(slices.Clone(command), items...)); err != nil {
					return err
				}
			}
			items = append(items, text)
			if length += len(text) + 1; maxArgs > 0 && len(items) >= maxArgs {
				return run(append(slices.Clone(command), items...))
			}
			return nil
		}
		in, _ := x.open(ctx, "-")
		var err error
		if p.has("0") {
			err = eachLine(in, 0, func(text []byte, _ bool) error { return item(string(text)) })
		} else {
			err = splitQuoted(bufio.NewReader(in), replaces, item)
		}
		if err == nil && (len(items) > 0 || !ran && !p.has("r") && !replaces) {
			err = run(append(slices.Clone(command), items...))
		}
		switch {
		case ctx.Err() != nil:
			return exitStopped
		case err != nil && err != errQuit:
			x.errorf("xargs: %s", Reason(err))
			return 1
		}
		return status
	}}, nil
}

// splitQuoted splits an input at whitespace or, if byLine is set, at line breaks, and removes
// leading whitespace. Quotes and backslashes prevent splitting.
func splitQuoted(in *bufio.Reader, byLine bool, use func(item string) error) error {
	var item []byte
	some, quote := false, byte(0)
	for {
		c, err := in.ReadByte()
		blank := c == ' ' || c == '\t'
		switch {
		case quote != 0 && (err == io.EOF || c == '\n' && quote != '\\'):
			return errors.New("unmatched quote; by default quotes are special to xargs unless you use the -0 option")
		case err != nil:
			if some {
				err = cmp.Or(use(string(item)), err)
			}
			return notEOF(err)
		case quote == '\\':
			item, some, quote = append(item, c), true, 0
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			item = append(item, c)
		case c == '\'' || c == '"' || c == '\\':
			quote, some = c, true
		case c == '\n' || blank && !byLine:
			if some {
				if err := use(string(item)); err != nil {
					return err
				}
			}
			item, some = item[:0], false
		case blank && !some:
		default:
			item, some = append(item, c), true
		}
		if len(item) > maxCommandLine {
			return errors.New("argument line too long")
		}
	}
}
