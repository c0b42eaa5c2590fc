package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

func tacCommand() Command {
	return simple("tac", "print lines from the last to the first", noSyntax, func(p *parsed) (*Prepared, error) {
		return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int { return runTac(ctx, x, p) }}, nil
	})
}

func runTac(ctx context.Context, x *IO, p *parsed) int {
	out := x.output()
	large := false
	status := x.eachInput(ctx, "tac", p.inputs(), func(_ string, in *input) error {
		text, err := io.ReadAll(io.LimitReader(in, maxHeld+1))
		if err != nil {
			return err
		}
		if large = large || len(text) > maxHeld; !large {
			writeReversed(out, text)
		}
		return nil
	})
	if large {
		status = x.tooMuch("tac")
	}
	return x.finish(ctx, out, status)
}

func writeReversed(out *bufio.Writer, text []byte) {
	for len(text) > 0 {
		start := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
		if _, err := out.Write(text[start:]); err != nil {
			return
		}
		text = text[:start]
	}
}
