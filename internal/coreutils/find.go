package coreutils

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// findWords omits all primaries that run commands, delete files or write files. Expressions that
// contain them are rejected.
const findWords = "* -a -o -not -and -or -name -iname -path -ipath -wholename -type -size -mtime -mmin" +
	" -empty -maxdepth -mindepth -prune -print -print0"

// found is a file for which the expression is evaluated.
type found struct {
	path  string
	depth int
	info  fs.FileInfo
	prune bool
}

// findNode evaluates part of an expression and performs its actions.
type findNode func(f *finder, at *found) bool

type finder struct {
	args               []string
	next               int // index of the next word
	nesting            int
	minDepth, maxDepth int
	acts               bool // an explicit action suppresses the implied -print
	expr               findNode

	x      *IO
	ctx    context.Context
	out    *bufio.Writer
	left   int // number of directory entries that may still be read
	status int
	quit   bool
}

func find(p *parsed) (*Prepared, error) {
	f := finder{args: p.args, maxDepth: math.MaxInt}
	if f.peek() == "--" {
		f.next++
	}
	var start []Path
	for f.next < len(f.args) {
		if word := f.peek(); len(word) > 1 && word[0] == '-' || word == "(" || word == ")" || word == "!" || word == "," {
			break
		}
		start = append(start, Path{f.next + 1, f.peek()})
		f.next++
	}
	if len(start) == 0 {
		start = []Path{{0, "."}}
	}
	f.expr = func(*finder, *found) bool { return true }
	var err error
	if f.next < len(f.args) {
		if f.expr, err = f.or(); err == nil && f.next < len(f.args) {
			f.next++
			err = f.fail("unexpected %q", f.args[f.next-1])
		}
	}
	if err != nil {
		return nil, err
	}
	if inner := f.expr; !f.acts {
		f.expr = func(f *finder, at *found) bool { return inner(f, at) && f.print(at, "\n") }
	}
	return &Prepared{Paths: start, Run: func(ctx context.Context, x *IO) int {
		f := f
		f.x, f.ctx, f.out, f.left = x, ctx, x.output(), maxEntries
		for _, o := range start {
			info, err := x.FS.Lstat(o.Name)
			if err != nil {
				f.report(o.Name, err)
				continue
			}
			f.visit(&found{path: o.Name, info: info})
		}
		return x.finish(ctx, f.out, f.status)
	}}, nil
}

// report prints the reason that a name cannot be read. Unlike other errors, a protected file does
// not change the exit code.
func (f *finder) report(name string, err error) {
	if errors.Is(err, ErrProtected) {
		f.x.errorf("find: ‘%s’: %s, skipped", name, Reason(err))
		return
	}
	f.x.errorf("find: ‘%s’: %s", name, Reason(err))
	f.status = max(f.status, 1)
}

func (f *finder) visit(at *found) {
	if f.quit || f.ctx.Err() != nil {
		return
	}
	shown := at.depth >= f.minDepth
	if shown {
		f.expr(f, at)
	}
	if at.info.IsDir() && at.depth < f.maxDepth && !at.prune {
		infos, err := f.x.FS.ReadDir(at.path)
		if err != nil {
			f.report(at.path, err)
		}
		if f.left -= len(infos); f.left < 0 || at.depth >= maxDepth {
			f.x.errorf("find: ‘%s’: too many entries or too deep; the rest were not searched", at.path)
			f.status, f.quit = 2, true
			return
		}
		if _, err := f.out.Write(nil); err != nil {
			f.quit = true
		}
		for _, info := range infos {
			f.visit(&found{path: join(at.path, info.Name()), depth: at.depth + 1, info: info})
		}
	}
}

func (f *finder) print(at *found, end string) bool {
	f.out.WriteString(at.path + end)
	return true
}

func (f *finder) peek() string {
	if f.next < len(f.args) {
		return f.args[f.next]
	}
	return ""
}

func (f *finder) fail(format string, args ...any) error {
	return usage(min(f.next, len(f.args)), format, args...)
}

func (f *finder) or() (findNode, error) {
	left, err := f.and()
	for err == nil && (f.peek() == "-o" || f.peek() == "-or") {
		f.next++
		first, right := left, findNode(nil)
		right, err = f.and()
		left = func(f *finder, at *found) bool { return first(f, at) || right(f, at) }
	}
	return left, err
}

func (f *finder) and() (findNode, error) {
	left, err := f.not()
	for err == nil && f.next < len(f.args) {
		switch f.peek() {
		case "-a", "-and":
			f.next++
		case ")", "-o", "-or":
			return left, nil
		}
		first, right := left, findNode(nil)
		right, err = f.not()
		left = func(f *finder, at *found) bool { return first(f, at) && right(f, at) }
	}
	return left, err
}

func (f *finder) not() (findNode, error) {
	if f.nesting++; f.nesting > 1000 {
		return nil, f.fail("too deep")
	}
	defer func() { f.nesting-- }()
	if f.next >= len(f.args) {
		return nil, f.fail("missing expression at the end")
	}
	word := f.peek()
	f.next++
	switch word {
	case "!", "-not":
		inner, err := f.not()
		return func(f *finder, at *found) bool { return !inner(f, at) }, err
	case "(":
		inner, err := f.or()
		if err == nil && f.peek() != ")" {
			err = f.fail("missing )")
		}
		f.next++
		return inner, err
	case ")":
		return nil, f.fail("unexpected %q", word)
	}
	return f.primary(word)
}

// primary parses one test or action.
func (f *finder) primary(word string) (findNode, error) {
	switch word {
	case "-prune":
		return func(_ *finder, at *found) bool { at.prune = true; return true }, nil
	case "-print":
		f.acts = true
		return func(f *finder, at *found) bool { return f.print(at, "\n") }, nil
	case "-print0":
		f.acts = true
		return func(f *finder, at *found) bool { return f.print(at, "\x00") }, nil
	case "-empty":
		return func(f *finder, at *found) bool {
			if !at.info.IsDir() {
				return at.info.Mode().IsRegular() && at.info.Size() == 0
			}
			infos, err := f.x.FS.ReadDir(at.path)
			if err != nil {
				f.report(at.path, err)
			}
			return err == nil && len(infos) == 0
		}, nil
	}
	if !strings.Contains(findWords+" ", " "+word+" ") {
		if !strings.HasPrefix(word, "-") {
			return nil, f.fail("paths must come before the expression: %q", word)
		}
		return nil, unlisted(f.next, "unknown test or action %q", word)
	}
	if f.next >= len(f.args) {
		return nil, f.fail("%s requires an argument", word)
	}
	value := f.args[f.next]
	f.next++
	switch word {
	case "-name", "-iname", "-path", "-ipath", "-wholename":
		re, err := glob(value, strings.HasPrefix(word, "-i"))
		if err != nil {
			return nil, f.fail("%s", err)
		}
		if strings.HasSuffix(word, "name") && word != "-wholename" {
			return func(_ *finder, at *found) bool { return re.MatchString(baseName(at.path)) }, nil
		}
		return func(_ *finder, at *found) bool { return re.MatchString(at.path) }, nil
	case "-type":
		kinds := strings.Split(value, ",")
		for _, k := range kinds {
			if len(k) != 1 || strings.IndexByte("bcdpfls", k[0]) < 0 {
				return nil, f.fail("unknown file type %q", value)
			}
		}
		return func(_ *finder, at *found) bool { return slices.Contains(kinds, string(rune(kind(at.info.Mode())))) }, nil
	}
	// All other values are numbers. A leading "+" means "more than", and a leading "-" means "less
	// than".
	sign, digits := cutSet(value, "+-")
	unit := int64(512)
	if digits, suffix := cutSet(digits, "0123456789"); word == "-size" && len(suffix) == 1 {
		unit = map[string]int64{"c": 1, "w": 2, "b": 512, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}[suffix]
		value = digits
	} else {
		value = digits + suffix
	}
	n, err := strconv.ParseInt(value, 10, 40)
	if err != nil || len(sign) > 1 || sign != "" && strings.HasSuffix(word, "depth") || unit == 0 {
		return nil, f.fail("invalid number %q", value)
	}
	matches := func(got int64) bool {
		switch sign {
		case "+":
			return got > n
		case "-":
			return got < n
		}
		return got == n
	}
	switch word {
	case "-maxdepth":
		f.maxDepth = int(n)
	case "-mindepth":
		f.minDepth = int(n)
	case "-size":
		return func(_ *finder, at *found) bool { return matches(ceilDiv(at.info.Size(), unit)) }, nil
	case "-mtime":
		return func(f *finder, at *found) bool {
			return matches(int64(math.Floor(f.x.now().Sub(at.info.ModTime()).Hours() / 24)))
		}, nil
	case "-mmin":
		return func(f *finder, at *found) bool {
			age, bound := f.x.now().Sub(at.info.ModTime()), time.Duration(min(n, 1<<26))*time.Minute
			if sign == "" {
				return age < bound && age >= bound-time.Minute
			}
			return sign == "+" && age > bound || sign == "-" && age < bound
		}, nil
	default:
		return nil, f.fail("unexpected %s", word)
	}
	return func(*finder, *found) bool { return true }, nil
}
