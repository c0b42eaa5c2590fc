package coreutils

import (
	"bufio"
	"context"
	"runtime"
	"strconv"
	"strings"
)

func archCommand() Command {
	return simple("arch", "print the name of the machine's processor", noSyntax, func(p *parsed) (*Prepared, error) {
		return says(p, "arch", func(*parsed, *IO) (string, string) { return machineName(runtime.GOOS, runtime.GOARCH), "" })
	})
}

func nprocCommand() Command {
	return simple("nproc", "print how many processors there are for a program", nprocSyntax, func(p *parsed) (*Prepared, error) {
		return says(p, "nproc", func(p *parsed, _ *IO) (string, string) {
			return strconv.Itoa(max(1, runtime.NumCPU()-p.number("ignore", 0))), ""
		})
	})
}

func nprocSyntax() syntax {
	return syntax{flags: []flag{{names: "ignore", value: withValue, check: checkInteger(0)}}}
}

func whoamiCommand() Command {
	return simple("whoami", "print the name of the user", noSyntax, func(p *parsed) (*Prepared, error) {
		return says(p, "whoami", userName)
	})
}

func idCommand() Command {
	return simple("id", "print the name of the user", idSyntax, func(p *parsed) (*Prepared, error) {
		if !p.has("u") || !p.has("n") {
			return nil, usage(0, "only the name of the user is known: id -un")
		}
		return says(p, "id", userName)
	})
}

func idSyntax() syntax {
	return syntax{flags: []flag{{names: "u user"}, {names: "n name"}}}
}

func hostnameCommand() Command {
	return simple("hostname", "print the name of the machine", hostnameSyntax, func(p *parsed) (*Prepared, error) {
		return says(p, "hostname", func(p *parsed, x *IO) (string, string) {
			name := x.Host
			if p.has("s") {
				name, _, _ = strings.Cut(name, ".")
			}
			return name, "the name of the machine is not known"
		})
	})
}

func hostnameSyntax() syntax { return syntax{flags: []flag{{names: "s short"}}} }

func userName(_ *parsed, x *IO) (name, otherwise string) {
	return x.User, "the name of the user is not known"
}

// says prepares a command without operands that prints one word, or says why
// there is none.
func says(p *parsed, tool string, word func(p *parsed, x *IO) (word, otherwise string)) (*Prepared, error) {
	if len(p.operands) > 0 {
		return nil, usage(p.operands[0].Word, "extra operand %q", p.operands[0].Name)
	}
	return writes(func(_ context.Context, x *IO, out *bufio.Writer) int {
		text, otherwise := word(p, x)
		if text == "" {
			x.errorf("%s: %s", tool, otherwise)
			return 1
		}
		out.WriteString(text + "\n")
		return 0
	}), nil
}
