package coreutils

import (
	"bufio"
	"context"
	"slices"
	"strings"
)

func baseName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		return name[:min(1, len(name))]
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

func pwd(*parsed) (*Prepared, error) {
	return writes(func(x *IO, out *bufio.Writer) int {
		out.WriteString(x.Dir + "\n")
		return 0
	}), nil
}

// which behaves like Debian's which: it prints only the programs that it finds.
func which(p *parsed) (*Prepared, error) {
	return &Prepared{Paths: pathOperands(p.operands), Run: func(ctx context.Context, x *IO) int {
		out, status := x.output(), 0
		if len(p.operands) == 0 {
			status = 1
		}
		for _, o := range p.operands {
			if found, ok := x.program(o.Name); ok {
				out.WriteString(found + "\n")
			} else {
				status = 1
			}
		}
		return x.finish(ctx, out, status)
	}}, nil
}

// pathOperands returns the operands that contain a slash. Unlike other operands, they are file
// names rather than names to look up in PATH.
func pathOperands(operands []Path) []Path {
	return slices.DeleteFunc(slices.Clone(operands), func(o Path) bool {
		return !strings.Contains(o.Name, "/")
	})
}

// program returns the path of the program that a shell would run for a name, and whether there is
// one.
func (x *IO) program(name string) (string, bool) {
	if strings.Contains(name, "/") {
		info, err := x.FS.Stat(name)
		return name, err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0
	}
	if x.LookPath == nil || name == "" {
		return "", false
	}
	return x.LookPath(name)
}

const (
	keywords = " if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc "
	builtins = " . : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo" +
		" enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf" +
		" pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit" +
		" umask unalias unset wait "
)

func command(p *parsed) (*Prepared, error) {
	if p.has("v") {
		return meanings(p, true), nil
	}
	argv := names(p.operands)
	if len(argv) == 0 {
		return status(0)(p)
	}
	return &Prepared{Runs: [][]string{argv}, Run: func(ctx context.Context, x *IO) int {
		return x.Exec(ctx, argv, x.Stdin)
	}}, nil
}

func typeOf(p *parsed) (*Prepared, error) { return meanings(p, false), nil }

// meanings prepares a command that prints what each name means to the shell. If brief is set, it
// prints only the name or its path, like command -v.
func meanings(p *parsed, brief bool) *Prepared {
	return &Prepared{Paths: pathOperands(p.operands), Run: func(ctx context.Context, x *IO) int {
		out, found := x.output(), 0
		for _, name := range names(p.operands) {
			text, sentence := name, name+" is a shell "
			file, onPath := x.program(name)
			switch {
			case strings.Contains(keywords, " "+name+" "):
				sentence += "keyword"
			case strings.Contains(builtins, " "+name+" "):
				sentence += "builtin"
			case onPath:
				text, sentence = file, name+" is "+file
			case !brief:
				x.errorf("type: %s: not found", name)
				continue
			default:
				continue
			}
			found++
			if !brief {
				text = sentence
			}
			out.WriteString(text + "\n")
		}
		status := 0
		if found == 0 && brief || found < len(p.operands) && !brief {
			status = 1
		}
		return x.finish(ctx, out, status)
	}}
}
