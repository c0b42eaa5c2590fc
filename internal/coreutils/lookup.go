package coreutils

import (
	"context"
	"slices"
	"strings"
)

func whichSyntax() syntax {
	return syntax{inOrder: true}
}

// prepareWhich is Debian's which: only what is found is printed.
func prepareWhich(args []string) (*Prepared, error) {
	p, err := whichSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	return &Prepared{Paths: withSlash(p.operands), Run: func(ctx context.Context, x *IO) int {
		out, status := x.output(), 0
		if len(p.operands) == 0 {
			status = 1
		}
		for _, o := range p.operands {
			found, ok := x.program(o.Name)
			switch {
			case !ok:
				status = 1
			default:
				out.WriteString(found + "\n")
			}
		}
		return x.finish(ctx, out, status)
	}}, nil
}

// withSlash returns the names that are looked at as files, not along PATH.
func withSlash(operands []Path) []Path {
	return slices.DeleteFunc(slices.Clone(operands), func(o Path) bool {
		return !strings.Contains(o.Name, "/")
	})
}

// program finds what a shell would run for a name.
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

// meaning is what a name means to the shell: its kind as type -t names it, and
// the path of a file.
func (x *IO) meaning(name string) (kind, file string) {
	switch {
	case isKeyword(name):
		return "keyword", ""
	case isBuiltin(name):
		return "builtin", ""
	}
	if file, ok := x.program(name); ok {
		return "file", file
	}
	return "", ""
}

func isKeyword(name string) bool {
	switch name {
	case "if", "then", "else", "elif", "fi", "case", "esac", "for", "select",
		"while", "until", "do", "done", "in", "function", "time", "{", "}", "!",
		"[[", "]]", "coproc":
		return true
	}
	return false
}

func isBuiltin(name string) bool {
	switch name {
	case ".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller",
		"cd", "command", "compgen", "complete", "compopt", "continue", "declare",
		"dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export",
		"false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill",
		"let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd",
		"read", "readarray", "readonly", "return", "set", "shift", "shopt",
		"source", "suspend", "test", "times", "trap", "true", "type", "typeset",
		"ulimit", "umask", "unalias", "unset", "wait":
		return true
	}
	return false
}

// describe is the line that type and command -V print.
func describe(name, kind, file string) string {
	switch kind {
	case "keyword":
		return name + " is a shell keyword"
	case "builtin":
		return name + " is a shell builtin"
	}
	return name + " is " + file
}

func commandSyntax() syntax {
	return syntax{inOrder: true, flags: []flag{{names: "v"}, {names: "V"}}}
}

func prepareCommand(args []string) (*Prepared, error) {
	p, err := commandSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	form := p.last("v", "V")
	if form != "" {
		return &Prepared{Paths: withSlash(p.operands), Run: func(ctx context.Context, x *IO) int {
			return x.tell(ctx, "command", p.operands, func(name, kind, file string) string {
				switch {
				case form == "V":
					return describe(name, kind, file)
				case kind == "file":
					return file
				}
				return name
			}, form == "V", false)
		}}, nil
	}
	argv := names(p.operands)
	if len(argv) == 0 {
		return &Prepared{Run: func(context.Context, *IO) int { return 0 }}, nil
	}
	return &Prepared{Runs: [][]string{argv}, Run: func(ctx context.Context, x *IO) int {
		if x.Exec == nil {
			x.errorf("command: %s: command not found", argv[0])
			return 127
		}
		return x.Exec(ctx, argv, x.Stdin)
	}}, nil
}

func typeSyntax() syntax {
	return syntax{inOrder: true, flags: []flag{{names: "p"}, {names: "P"}, {names: "t"}}}
}

func prepareType(args []string) (*Prepared, error) {
	p, err := typeSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	form := p.last("p", "P", "t")
	return &Prepared{Paths: withSlash(p.operands), Run: func(ctx context.Context, x *IO) int {
		return x.tell(ctx, "type", p.operands, func(name, kind, file string) string {
			switch form {
			case "":
				return describe(name, kind, file)
			case "t":
				return kind
			}
			return file
		}, form == "", form == "P")
	}}, nil
}

// tell prints a line about each name. Status is 1 if type misses one, or
// command finds none.
func (x *IO) tell(ctx context.Context, self string, operands []Path, line func(name, kind, file string) string, complain, onPath bool) int {
	out, found := x.output(), 0
	for _, o := range operands {
		kind, file := x.meaning(o.Name)
		if onPath {
			kind = ""
			if f, ok := x.program(o.Name); ok {
				kind, file = "file", f
			}
		}
		if kind == "" {
			if complain {
				x.errorf("%s: %s: not found", self, o.Name)
			}
			continue
		}
		found++
		if s := line(o.Name, kind, file); s != "" {
			out.WriteString(s + "\n")
		}
	}
	status := 0
	if self == "command" && found == 0 || self == "type" && found < len(operands) {
		status = 1
	}
	return x.finish(ctx, out, status)
}
