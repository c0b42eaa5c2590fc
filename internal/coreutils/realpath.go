package coreutils

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

func realpathSyntax() syntax {
	return syntax{flags: []flag{
		{names: "e canonicalize-existing"},
		{names: "m canonicalize-missing"},
		{names: "q quiet"},
		{names: "s strip no-symlinks"},
		{names: "P physical"},
		{names: "z zero"},
		{names: "relative-to", value: withValue},
	}}
}

// missing says how much of a name may not be there.
type missing uint8

const (
	missingLast missing = iota
	missingNone
	missingAny
)

func prepareRealpath(args []string) (*Prepared, error) {
	p, err := realpathSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	if len(p.operands) == 0 {
		return nil, usage(0, "realpath: missing operand")
	}
	may := missingMode(p)
	paths := p.operands
	base, relative := p.value("relative-to")
	if relative {
		paths = append(paths[:len(paths):len(paths)], Path{p.all("relative-to")[0].word, base})
	}
	links := !p.has("s")
	return &Prepared{Paths: paths, Run: func(ctx context.Context, x *IO) int {
		out, status := x.output(), 0
		from := ""
		if relative {
			if from, err = x.canonical(base, may, links); err != nil {
				x.errorf("realpath: %s: %s", quoteIfNeeded(base), reason(err))
				return 1
			}
		}
		for _, o := range p.operands {
			name, err := x.canonical(o.Name, may, links)
			if err != nil {
				status = 1
				if !p.has("q") {
					x.errorf("realpath: %s: %s", quoteIfNeeded(o.Name), reason(err))
				}
				continue
			}
			if relative {
				name = relativeTo(from, name)
			}
			out.WriteString(name + ending(p))
		}
		return x.finish(ctx, out, status)
	}}, nil
}

func missingMode(p *parsed) missing {
	switch p.last("e", "m") {
	case "e":
		return missingNone
	case "m":
		return missingAny
	}
	return missingLast
}

// relativeTo writes a clean absolute name as seen from another.
func relativeTo(from, name string) string {
	if from == name {
		return "."
	}
	a, b := elements(from), elements(name)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.TrimSuffix(strings.Repeat("../", len(a))+strings.Join(b, "/"), "/")
}

func elements(clean string) []string {
	return strings.FieldsFunc(clean, func(r rune) bool { return r == '/' })
}

// canonical returns the absolute name of a file without links, dots and double
// slashes. Names above the working directory need not be readable: they are
// taken as they stand where the confinement does not show them.
func (x *IO) canonical(name string, may missing, links bool) (string, error) {
	if name == "" {
		return "", &fs.PathError{Op: "realpath", Path: name, Err: fs.ErrNotExist}
	}
	if !strings.HasPrefix(name, "/") {
		name = join(x.Dir, name)
	}
	todo, done := elements(name), "/"
	needsDir := strings.HasSuffix(name, "/")
	followed := 0
	for len(todo) > 0 {
		element := todo[0]
		todo = todo[1:]
		switch element {
		case ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		next := join(done, element)
		target, err := x.step(next, may, len(todo) == 0, needsDir, links)
		switch {
		case err != nil:
			return "", err
		case target == "":
			done = next
			continue
		}
		if followed++; followed > 40 {
			return "", &fs.PathError{Op: "realpath", Path: name, Err: syscall.ELOOP}
		}
		if strings.HasPrefix(target, "/") {
			done = "/"
		}
		todo = append(elements(target), todo...)
	}
	return done, nil
}

// step looks at one element on the way and returns where it leads if it is a
// link.
func (x *IO) step(name string, may missing, last, needsDir, links bool) (target string, err error) {
	if x.Dir == name || strings.HasPrefix(x.Dir, join(name, "")) {
		return "", nil
	}
	info, err := x.FS.Lstat(name)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0 && links:
		return x.FS.Readlink(name)
	case err == nil && (!last || needsDir) && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 && may != missingAny:
		return "", &fs.PathError{Op: "realpath", Path: name, Err: syscall.ENOTDIR}
	case err == nil || may == missingAny && !errors.Is(err, ErrOutside):
		return "", nil
	case errors.Is(err, fs.ErrNotExist) && last && may == missingLast:
		return "", nil
	}
	return "", err
}

func readlinkSyntax() syntax {
	return syntax{flags: []flag{
		{names: "f canonicalize"},
		{names: "e canonicalize-existing"},
		{names: "m canonicalize-missing"},
		{names: "n no-newline"},
		{names: "q quiet silent"},
		{names: "s"},
		{names: "v verbose"},
		{names: "z zero"},
	}}
}

func prepareReadlink(args []string) (*Prepared, error) {
	p, err := readlinkSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	if len(p.operands) == 0 {
		return nil, usage(0, "readlink: missing operand")
	}
	end := ending(p)
	if p.has("n") && len(p.operands) == 1 {
		end = ""
	}
	return &Prepared{Paths: p.operands, Run: func(ctx context.Context, x *IO) int {
		out, status := x.output(), 0
		if p.has("n") && len(p.operands) > 1 {
			x.errorf("readlink: ignoring --no-newline with multiple arguments")
		}
		for _, o := range p.operands {
			target, err := x.linkTarget(p, o.Name)
			if err != nil {
				status = 1
				if p.last("q", "s", "v") == "v" {
					x.errorf("readlink: %s: %s", quoteIfNeeded(o.Name), reason(err))
				}
				continue
			}
			out.WriteString(target + end)
		}
		return x.finish(ctx, out, status)
	}}, nil
}

func (x *IO) linkTarget(p *parsed, name string) (string, error) {
	if p.last("f", "e", "m") == "" {
		return x.FS.Readlink(name)
	}
	may := missingLast
	switch p.last("f", "e", "m") {
	case "e":
		may = missingNone
	case "m":
		may = missingAny
	}
	return x.canonical(name, may, true)
}
