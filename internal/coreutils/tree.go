package coreutils

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

func treeSyntax() syntax {
	return syntax{flags: []flag{
		{names: "a"},
		{names: "d"},
		{names: "f"},
		{names: "F"},
		{names: "i"},
		{names: "n"},
		{names: "N"},
		{names: "r"},
		{names: "I", value: withValue, check: checkTreePattern},
		{names: "P", value: withValue, check: checkTreePattern},
		{names: "L", value: withValue, check: checkInteger(1)},
		{names: "charset", value: withValue, check: checkOneOf("utf-8", "UTF-8", "ascii", "ASCII")},
		{names: "dirsfirst"},
		{names: "filelimit", value: withValue, check: checkInteger(1)},
		{names: "noreport"},
		{names: "prune"},
	}}
}

func checkTreePattern(value string) string {
	if strings.Contains(strings.TrimSuffix(value, "/"), "/") || strings.Contains(value, "/|") || strings.Contains(value, "**") {
		return "patterns are for names, not for paths: " + value
	}
	return ""
}

// forester is one tree.
type forester struct {
	all, dirsOnly, full, marks, flat, reverse, dirsFirst, prune, literal bool
	ignore, pattern                                                      []string
	depth, limit                                                         int
	branch, last, trunk                                                  string

	x           *IO
	out         *bufio.Writer
	budget      *entryBudget
	status      int
	dirs, files int
}

// leaf is one entry with what is below it.
type leaf struct {
	name, path string
	info       fs.FileInfo
	target     fs.FileInfo // of a link
	below      []leaf
	note       string
}

func prepareTree(args []string) (*Prepared, error) {
	p, err := treeSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	c := &forester{
		all: p.has("a"), dirsOnly: p.has("d"), full: p.has("f"), marks: p.has("F"),
		flat: p.has("i"), reverse: p.has("r"), dirsFirst: p.has("dirsfirst"), prune: p.has("prune"), literal: p.has("N"),
		ignore: alternatives(p.all("I")), pattern: alternatives(p.all("P")),
		depth: p.number("L", math.MaxInt), limit: p.number("filelimit", 0),
		branch: "├── ", last: "└── ", trunk: "│\u00a0\u00a0 ",
	}
	if set, _ := p.value("charset"); strings.EqualFold(set, "ascii") {
		c.branch, c.last, c.trunk = "|-- ", "`-- ", "|   "
	}
	paths := p.operands
	if len(paths) == 0 {
		paths = []Path{{0, "."}}
	}
	return &Prepared{Paths: paths, Run: func(ctx context.Context, x *IO) int {
		run := *c
		run.x, run.out, run.budget = x, x.output(), newEntryBudget()
		for _, o := range paths {
			run.root(ctx, o.Name)
		}
		if !p.has("noreport") {
			run.report()
		}
		return x.finish(ctx, run.out, run.status)
	}}, nil
}

func alternatives(patterns []option) []string {
	var out []string
	for _, o := range patterns {
		out = append(out, strings.Split(o.value, "|")...)
	}
	return out
}

func (c *forester) root(ctx context.Context, name string) {
	if trimmed := strings.TrimRight(name, "/"); c.full && trimmed != "" {
		name = trimmed
	}
	info, err := c.x.FS.Stat(name)
	if err != nil || !info.IsDir() {
		c.out.WriteString(name + "  [error opening dir]\n")
		if err != nil {
			c.status = 2
		} else {
			c.files++
		}
		return
	}
	root := leaf{name: name, path: name, info: info}
	c.grow(ctx, &root, 1)
	c.out.WriteString(name)
	if c.marks && !strings.HasSuffix(name, "/") {
		c.out.WriteString("/")
	}
	c.out.WriteString(root.note + "\n")
	if len(root.below) > 0 || root.note != "" {
		c.dirs++
	}
	c.draw(root.below, "")
}

// grow reads what is below a directory.
func (c *forester) grow(ctx context.Context, l *leaf, depth int) {
	if depth > c.depth || ctx.Err() != nil || c.budget.left < 0 {
		return
	}
	infos, err := c.x.FS.ReadDir(l.path)
	if err != nil {
		l.note = "  [error opening dir]"
		if protected(err) {
			l.note = "  [" + reason(err) + "]"
		}
		return
	}
	if !c.budget.take(len(infos)) || depth > maxDepth {
		c.x.errorf("tree: %s: too many entries, the rest is not listed", quoteIfNeeded(l.path))
		c.status = 2
		return
	}
	for _, info := range infos {
		if child := c.leaf(l.path, info); c.shows(child) {
			l.below = append(l.below, child)
		}
	}
	if c.limit > 0 && len(l.below) > c.limit {
		l.note = fmt.Sprintf("  [%d entries exceeds filelimit, not opening dir]", len(l.below))
		l.below = nil
	}
	c.order(l.below)
	for i := range l.below {
		if l.below[i].info.IsDir() {
			c.grow(ctx, &l.below[i], depth+1)
		}
	}
	if c.prune {
		l.below = slices.DeleteFunc(l.below, func(b leaf) bool { return b.isDir() && len(b.below) == 0 })
	}
}

func (c *forester) leaf(dir string, info fs.FileInfo) leaf {
	l := leaf{name: info.Name(), path: join(dir, info.Name()), info: info}
	if info.Mode()&fs.ModeSymlink != 0 {
		l.target, _ = c.x.FS.Stat(l.path)
	}
	return l
}

func (l leaf) isDir() bool {
	return l.info.IsDir() || l.target != nil && l.target.IsDir()
}

func (c *forester) shows(l leaf) bool {
	switch {
	case !c.all && strings.HasPrefix(l.name, "."):
		return false
	case matchesTree(c.ignore, l):
		return false
	case c.dirsOnly && !l.isDir():
		return false
	}
	return len(c.pattern) == 0 || l.info.IsDir() || matchesTree(c.pattern, l)
}

// matchesTree matches a name; a pattern that ends with a slash is for
// directories only.
func matchesTree(patterns []string, l leaf) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		name, dirs := strings.CutSuffix(pattern, "/")
		return (!dirs || l.isDir()) && globMatch(name, l.name, false)
	})
}

func (c *forester) order(leaves []leaf) {
	if c.reverse {
		slices.Reverse(leaves)
	}
	if c.dirsFirst {
		slices.SortStableFunc(leaves, func(a, b leaf) int {
			switch {
			case a.isDir() == b.isDir():
				return 0
			case a.isDir():
				return -1
			}
			return 1
		})
	}
}

func (c *forester) draw(leaves []leaf, prefix string) {
	for i, l := range leaves {
		branch, trunk := c.branch, c.trunk
		if i == len(leaves)-1 {
			branch, trunk = c.last, "    "
		}
		if !c.flat {
			c.out.WriteString(prefix + branch)
		}
		c.out.WriteString(c.label(l) + l.note + "\n")
		if l.isDir() {
			c.dirs++
		} else {
			c.files++
		}
		c.draw(l.below, prefix+trunk)
	}
}

func (c *forester) label(l leaf) string {
	name := l.name
	if c.full {
		name = l.path
	}
	name = c.shown(name)
	mark := lister{}
	if c.marks {
		mark.indicator = 'F'
	}
	if l.info.Mode()&fs.ModeSymlink == 0 {
		return name + mark.mark(l.info.Mode())
	}
	target, err := c.x.FS.Readlink(l.path)
	if err != nil {
		return name
	}
	name += " -> " + c.shown(target)
	if l.target != nil {
		name += mark.mark(l.target.Mode())
	}
	return name
}

// shown writes what a terminal would not show in octal, unless -N was given.
func (c *forester) shown(name string) string {
	if c.literal || printable(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if isPrint(r, n) {
			b.WriteString(name[i : i+n])
		} else {
			for _, c := range []byte(name[i : i+n]) {
				fmt.Fprintf(&b, "\\%03o", c)
			}
		}
		i += n
	}
	return b.String()
}

func (c *forester) report() {
	fmt.Fprintf(c.out, "\n%d director%s", c.dirs, plural(c.dirs, "y", "ies"))
	if !c.dirsOnly {
		fmt.Fprintf(c.out, ", %d file%s", c.files, plural(c.files, "", "s"))
	}
	c.out.WriteByte('\n')
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
