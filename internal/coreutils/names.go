package coreutils

import (
	"context"
	"strings"
)

func basenameSyntax() syntax {
	return syntax{inOrder: true, flags: []flag{
		{names: "a multiple"},
		{names: "s suffix", value: withValue},
		{names: "z zero"},
	}}
}

func prepareBasename(args []string) (*Prepared, error) {
	p, err := basenameSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	suffix, many := p.value("s")
	many = many || p.has("a")
	operands := names(p.operands)
	switch {
	case len(operands) == 0:
		return nil, usage(0, "basename: missing operand")
	case !many && len(operands) > 2:
		return nil, usage(p.operands[2].Word, "basename: extra operand")
	case !many && len(operands) == 2:
		operands, suffix = operands[:1], operands[1]
	}
	return printer(operands, ending(p), func(name string) string {
		base := baseName(name)
		if base != suffix {
			base = strings.TrimSuffix(base, suffix)
		}
		return base
	}), nil
}

func dirnameSyntax() syntax { return syntax{flags: []flag{{names: "z zero"}}} }

func prepareDirname(args []string) (*Prepared, error) {
	p, err := dirnameSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	if len(p.operands) == 0 {
		return nil, usage(0, "dirname: missing operand")
	}
	return printer(names(p.operands), ending(p), dirName), nil
}

// printer prints something about each operand and looks at nothing.
func printer(operands []string, end string, about func(string) string) *Prepared {
	return &Prepared{Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		for _, name := range operands {
			out.WriteString(about(name) + end)
		}
		return x.finish(ctx, out, 0)
	}}
}

// ending is what a line of output ends with.
func ending(p *parsed) string {
	if p.has("z") {
		return "\x00"
	}
	return "\n"
}

func baseName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		return name[:min(1, len(name))]
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

func dirName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	slash := strings.LastIndexByte(trimmed, '/')
	if slash < 0 {
		if trimmed == "" && name != "" {
			return "/"
		}
		return "."
	}
	if dir := strings.TrimRight(trimmed[:slash], "/"); dir != "" {
		return dir
	}
	return "/"
}

func pwdSyntax() syntax {
	return syntax{flags: []flag{{names: "L logical"}, {names: "P physical"}}}
}

func preparePwd(args []string) (*Prepared, error) {
	if _, err := pwdSyntax().parse(args); err != nil {
		return nil, err
	}
	return &Prepared{Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		out.WriteString(x.Dir + "\n")
		return x.finish(ctx, out, 0)
	}}, nil
}

// prepareStatus is true, false and the colon, which take any words.
func prepareStatus(status int) func([]string) (*Prepared, error) {
	return func([]string) (*Prepared, error) {
		return &Prepared{Run: func(context.Context, *IO) int { return status }}, nil
	}
}
