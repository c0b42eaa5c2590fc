package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const grepFlags = "NUM=C E|extended-regexp F|fixed-strings G|basic-regexp P|perl-regexp i|ignore-case v|invert-match w|word-regexp" +
	" x|line-regexp e|regexp= c|count l|files-with-matches L|files-without-match n|line-number o|only-matching q|quiet|silent" +
	" s|no-messages h|no-filename H|with-filename r|recursive R|dereference-recursive m|max-count= A|after-context= B|before-context=" +
	" C|context= include= exclude= exclude-dir= color|colour[=] a|text I line-buffered"

// maxContext is the maximum value for -A, -B and -C.
const maxContext = 10_000

type grepper struct {
	*parsed
	re            *regexp.Regexp
	literal       []byte // the pattern, if it is a single literal
	word          bool   // the text to find is re's first group, not the whole match
	longest       int    // length of the longest line that can be searched
	max           int    // -1 means unlimited
	before, after int
	names         bool
	filters       []fileFilter

	x       *IO
	ctx     context.Context
	out     *bufio.Writer
	left    int  // number of directory entries that may still be read
	grouped bool // output was printed, so the next group needs a separator
	found   bool
	failed  bool
}

// grepAs returns a function that prepares grep. The pattern syntax is defaultDialect unless a flag
// selects another one.
func grepAs(defaultDialect string) func(*parsed) (*Prepared, error) {
	return func(p *parsed) (*Prepared, error) {
		g := grepper{parsed: p}
		operands, err := g.patterns(defaultDialect)
		if err != nil {
			return nil, err
		}
		if g.max, err = p.number("m", 0, -1); err != nil {
			return nil, err
		}
		contextLines, err := p.number("C", 0, 0)
		if err != nil {
			return nil, err
		}
		if g.before, err = p.number("B", 0, contextLines); err != nil {
			return nil, err
		}
		if g.after, err = p.number("A", 0, contextLines); err != nil {
			return nil, err
		}
		if v, ok := p.value("color"); ok && v != "auto" && v != "never" {
			return nil, usage(0, "colors are not supported")
		}
		if max(g.before, g.after) > maxContext {
			return nil, usage(0, "more than %d context lines are not supported", maxContext)
		}
		if g.filters, err = fileFilters(p.options); err != nil {
			return nil, err
		}
		recurse := p.last("r", "R") != ""
		if len(operands) == 0 && recurse {
			operands = []Path{{0, "."}}
		}
		g.names = (len(operands) > 1 || recurse || p.last("h", "H") == "H") && p.last("h", "H") != "h"
		paths := slices.DeleteFunc(slices.Clone(operands), func(o Path) bool { return o.Name == "-" })
		return &Prepared{Paths: paths, Run: func(ctx context.Context, x *IO) int {
			g := g
			g.x, g.ctx, g.out, g.left = x, ctx, x.output(), maxEntries
			if len(operands) == 0 {
				g.file("-", "(standard input)")
			}
			for _, o := range operands {
				g.operand(o)
			}
			status := 1
			switch {
			case g.found && (p.has("q") || !g.failed):
				status = 0
			case g.failed:
				status = 2
			}
			return x.finish(ctx, g.out, status)
		}}, nil
	}
}

// patterns compiles the patterns and returns the remaining operands.
func (g *grepper) patterns(defaultDialect string) (operands []Path, err error) {
	operands = g.operands
	patterns := g.values("e")
	word := 1
	if len(patterns) == 0 {
		if len(operands) == 0 {
			return nil, usage(0, "missing pattern")
		}
		word, patterns, operands = operands[0].Word, []string{operands[0].Name}, operands[1:]
	}
	kind := g.last("E", "F", "G", "P")
	if kind == "" {
		kind = defaultDialect
	}
	d := map[string]dialect{"E": extended, "F": fixed, "G": basic, "P": perl}[kind]
	patterns = strings.Split(strings.Join(patterns, "\n"), "\n")
	if d == perl && len(patterns) > 1 || len(strings.Join(patterns, "")) > maxPattern {
		return nil, usage(word, "too many patterns")
	}
	sources := make([]string, len(patterns))
	for i, pattern := range patterns {
		if sources[i], err = translate(pattern, d); err != nil {
			return nil, usage(word, "%s", err)
		}
	}
	src := "(?:" + strings.Join(sources, "|") + ")"
	g.word = g.has("w") && !g.has("x")
	switch {
	case g.has("x"):
		src = "^" + src + "$"
	case g.word:
		src = `(?:^|[^\pL\p{Nd}_])(` + src + `)(?:$|[^\pL\p{Nd}_])`
	}
	if g.re, err = compile(src, d, g.has("i")); err != nil {
		return nil, usage(word, "%s", err)
	}
	if g.longest = longestText(g.re); d == fixed && len(patterns) == 1 && !g.has("i") && !g.has("w") && !g.has("x") {
		g.literal, g.longest = []byte(patterns[0]), maxLine+64<<10
	}
	return operands, nil
}

// ended reports whether the search can stop, because the context ended or the result can no longer
// change.
func (g *grepper) ended() bool {
	return g.ctx.Err() != nil || g.has("q") && g.found
}

// reportUnsearchable records that a name could not be searched and, unless -s is set, prints the
// reason.
func (g *grepper) reportUnsearchable(name, why string) {
	g.failed = true
	if !g.has("s") {
		g.out.Flush()
		g.x.errorf("grep: %s: %s", name, why)
	}
}

func (g *grepper) operand(o Path) {
	if g.ended() {
		return
	}
	if o.Name == "-" {
		g.file("-", "(standard input)")
		return
	}
	info, err := g.x.FS.Stat(o.Name)
	switch {
	case err != nil:
		g.reportUnsearchable(o.Name, Reason(err))
	case !info.IsDir():
		if !g.skipped(o.Name, false) {
			g.file(o.Name, o.Name)
		}
	case g.last("r", "R") == "":
		g.reportUnsearchable(o.Name, "Is a directory")
	case o.Word == 0:
		g.directory(o.Name, "", 0)
	case !g.skipped(o.Name, true):
		g.directory(o.Name, o.Name, 0)
	}
}

// directory searches all files below a directory. shown is the directory's name in the output.
func (g *grepper) directory(name, shown string, depth int) {
	closer, ok := g.x.FS.(Closer)
	infos, err := []fs.FileInfo(nil), error(nil)
	if ok && closer.Closed(name) {
		err = ErrProtected
	} else {
		infos, err = g.x.FS.ReadDir(name)
	}
	if err != nil {
		g.reportUnreadable(name, err)
		return
	}
	if g.left -= len(infos); g.left < 0 || depth > maxDepth {
		g.reportUnsearchable(name, "too many files or too deep")
		return
	}
	for _, e := range infos {
		if g.ended() || g.left < 0 {
			return
		}
		path, shown := join(name, e.Name()), strings.TrimPrefix(join(shown, e.Name()), map[bool]string{true: "/"}[shown == ""])
		mode := e.Mode()
		if mode&fs.ModeSymlink != 0 && g.has("R") {
			// Symlinks to directories are not followed, so the search always terminates.
			target, err := g.x.FS.Stat(path)
			if err != nil {
				g.reportUnsearchable(shown, Reason(err))
				continue
			}
			mode = target.Mode() &^ fs.ModeDir
		}
		switch {
		case e.IsDir() && !g.skipped(e.Name(), true):
			g.directory(path, shown, depth+1)
		case mode.IsRegular() && !e.IsDir() && !g.skipped(e.Name(), false):
			g.file(path, shown)
		}
	}
}

// reportUnreadable reports a file that cannot be read. In a recursive search, it reports a
// protected file as skipped, which does not change the exit code.
func (g *grepper) reportUnreadable(name string, err error) {
	switch {
	case !errors.Is(err, ErrProtected) || g.last("r", "R") == "":
		g.reportUnsearchable(name, Reason(err))
	case g.x.PassedOver != nil:
		g.x.PassedOver(name)
	default:
		g.out.Flush()
		g.x.errorf("grep: %s: %s, skipped", name, ErrProtected)
	}
}

// fileFilter is an --include, --exclude or --exclude-dir option.
type fileFilter struct {
	id   string
	glob *regexp.Regexp
}

func fileFilters(options []option) (filters []fileFilter, err error) {
	for _, o := range options {
		if o.id != "include" && o.id != "exclude" && o.id != "exclude-dir" {
			continue
		}
		re, err := glob(strings.TrimPrefix(strings.TrimRight(o.value, "/"), "./"), false)
		if err != nil {
			return nil, usage(o.word, "%s", err)
		}
		filters = append(filters, fileFilter{o.id, re})
	}
	return filters, nil
}

// skipped reports whether --exclude-dir excludes a directory, or whether --include and --exclude
// exclude a file. The last matching option decides. If none matches, a file is excluded only if the
// first of these options is --include.
func (g *grepper) skipped(name string, dir bool) bool {
	skip, first := false, true
	for _, f := range g.filters {
		if dir != (f.id == "exclude-dir") {
			continue
		}
		if first && f.id == "include" {
			skip = true
		}
		first = false
		if f.glob.MatchString(name) || f.glob.MatchString(baseName(name)) {
			skip = f.id != "include"
		}
	}
	return skip
}

// sniffLimit is the number of bytes at the start of a file to search for a NUL byte, which marks a
// file as binary.
const sniffLimit = 96 << 10

// file searches one file. shown is the file's name in the output.
func (g *grepper) file(name, shown string) {
	in, err := g.x.open(g.ctx, name)
	if err != nil {
		g.reportUnreadable(shown, err)
		return
	}
	defer in.close()
	type contextLine struct {
		text   []byte
		number int
	}
	var (
		number, count int
		pending       int // number of -A lines still to print
		printed       int // number of the last line printed
		held          []contextLine
		binary        bool // matching lines are not printed
		hidden        bool // a line was not printed because it is not text
		list          = g.last("l", "L")
		silent        = g.has("q") || g.has("c") || list != ""
	)
	write := func(text []byte, number int, mark byte) {
		if !g.has("a") && !utf8.Valid(text) {
			hidden = true
			return
		}
		if g.names {
			g.out.WriteString(shown)
			g.out.WriteByte(mark)
		}
		if g.has("n") {
			g.out.WriteString(strconv.Itoa(number))
			g.out.WriteByte(mark)
		}
		g.out.Write(text)
		g.out.WriteByte('\n')
	}
	r := bufio.NewReaderSize(in, sniffLimit)
	start, _ := r.Peek(sniffLimit)
	binary = !g.has("a") && bytes.IndexByte(start, 0) >= 0
	if binary && g.has("I") || g.max == 0 {
		return
	}
	err = eachLine(r, '\n', func(line []byte, _ bool) error {
		if number++; len(line) > g.longest {
			return errLongText
		}
		if g.max >= 0 && count >= g.max && pending == 0 {
			return errStop
		}
		if binary = binary || !g.has("a") && bytes.IndexByte(line, 0) >= 0; binary && g.has("I") {
			return errStop
		}
		switch {
		case (g.max < 0 || count < g.max) && g.matches(line) != g.has("v"):
			count++
			if g.has("q") || list != "" || binary && !g.has("c") {
				return errStop
			}
			if silent {
				return nil
			}
			if first := number - len(held); g.last("A", "B", "C") != "" && g.grouped && (printed == 0 || first > printed+1) {
				g.out.WriteString("--\n")
			}
			for _, l := range held {
				if !g.has("o") {
					write(l.text, l.number, '-')
				}
			}
			held = held[:0]
			if !g.has("o") {
				write(line, number, ':')
			} else if !g.has("v") {
				g.each(line, func(match []byte) { write(match, number, ':') })
			}
			g.grouped, printed, pending = true, number, g.after
		case silent || binary:
		case pending > 0:
			pending--
			printed = number
			if !g.has("o") {
				write(line, number, '-')
			}
		case g.before > 0:
			if len(held) == g.before {
				held = append(held[:0], held[1:]...)
			}
			held = append(held, contextLine{bytes.Clone(line[:min(len(line), 64<<10)]), number})
		}
		if _, err := g.out.Write(nil); err != nil {
			return errStop
		}
		return nil
	})
	g.found = g.found || count > 0
	switch {
	case g.has("q"):
	case list != "":
		if (list == "l") == (count > 0) {
			g.out.WriteString(shown + "\n")
		}
	case g.has("c"):
		if g.names {
			g.out.WriteString(shown + ":")
		}
		g.out.WriteString(strconv.Itoa(count) + "\n")
	case (hidden || binary && count > 0) && !g.has("I"):
		g.out.Flush()
		g.x.errorf("grep: %s: binary file matches", shown)
	}
	if err != nil && !errors.Is(err, errStop) && g.ctx.Err() == nil {
		g.reportUnsearchable(shown, Reason(err))
	}
}

// matches reports whether a line has a match.
func (g *grepper) matches(line []byte) bool {
	if g.literal != nil {
		return bytes.Contains(line, g.literal)
	}
	return g.re.Match(line)
}

// each calls use for each nonempty match in a line.
func (g *grepper) each(line []byte, use func(match []byte)) {
	if !g.word {
		for _, match := range g.re.FindAll(line, -1) {
			if len(match) > 0 {
				use(match)
			}
		}
		return
	}
	for at := g.re.FindSubmatchIndex(line); at != nil && at[2] < at[3]; at = g.re.FindSubmatchIndex(line) {
		use(line[at[2]:at[3]])
		line = line[at[3]:]
	}
}
