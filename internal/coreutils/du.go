package coreutils

import (
	"bufio"
	"context"
	"io/fs"
	"slices"
	"strconv"
)

func duSyntax() syntax {
	return syntax{flags: []flag{
		{names: "a all"},
		{names: "apparent-size"},
		{names: "b bytes"},
		{names: "c total"},
		{names: "d max-depth", value: withValue, check: checkInteger(0)},
		{names: "exclude", value: withValue},
		{names: "h human-readable"},
		{names: "k"},
		{names: "m"},
		{names: "s summarize"},
		{names: "S separate-dirs"},
	}}
}

// summer is one du.
type summer struct {
	all, apparent, separate bool
	unit                    string // b, h, k or m
	depth                   int    // -1: no bound
	exclude                 []option

	x      *IO
	out    *bufio.Writer
	budget *entryBudget
	status int
}

func prepareDu(args []string) (*Prepared, error) {
	p, err := duSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	c := &summer{
		all: p.has("a"), apparent: p.last("apparent-size", "b") != "", separate: p.has("S"),
		unit: p.last("b", "h", "k", "m"), depth: p.number("d", -1), exclude: p.all("exclude"),
	}
	if c.unit == "" {
		c.unit = "k"
	}
	if p.has("s") {
		if c.all || c.depth > 0 {
			return nil, usage(0, "du: -s goes with neither -a nor -d")
		}
		c.depth = 0
	}
	paths := p.operands
	if len(paths) == 0 {
		paths = []Path{{0, "."}}
	}
	return &Prepared{Paths: paths, Run: func(ctx context.Context, x *IO) int {
		run := *c
		run.x, run.out, run.budget = x, x.output(), newEntryBudget()
		total := int64(0)
		for _, o := range paths {
			total += run.operand(ctx, o.Name)
		}
		if p.has("c") {
			run.print(total, "total")
		}
		return x.finish(ctx, run.out, run.status)
	}}, nil
}

func (c *summer) operand(ctx context.Context, name string) int64 {
	info, err := c.x.FS.Lstat(name)
	if err != nil {
		c.x.errorf("du: cannot access %s: %s", quoteAlways(name), reason(err))
		c.status = max(c.status, 1)
		return 0
	}
	_, total := c.sum(ctx, name, info, 0)
	return total
}

// sum adds up what is below a name and prints it. Own leaves directories below
// out, for -S.
func (c *summer) sum(ctx context.Context, name string, info fs.FileInfo, depth int) (own, total int64) {
	own = c.bytes(info)
	total = own
	if info.IsDir() {
		for _, child := range c.children(ctx, name, depth) {
			childName := join(name, child.Name())
			if c.excludes(childName, child.Name()) {
				continue
			}
			_, n := c.sum(ctx, childName, child, depth+1)
			total += n
			if !child.IsDir() {
				own += n
			}
		}
	}
	shown := total
	if c.separate {
		shown = own
	}
	if depth == 0 || (info.IsDir() || c.all) && (c.depth < 0 || depth <= c.depth) {
		c.print(shown, name)
	}
	return own, total
}

func (c *summer) children(ctx context.Context, name string, depth int) []fs.FileInfo {
	if ctx.Err() != nil || c.status == 2 {
		return nil
	}
	infos, err := c.x.FS.ReadDir(name)
	if err != nil {
		c.x.errorf("du: cannot read directory %s: %s", quoteAlways(name), reason(err))
		if !protected(err) {
			c.status = max(c.status, 1)
		}
		return nil
	}
	if !c.budget.take(len(infos)) || depth > maxDepth {
		c.x.errorf("du: %s: too many entries, the sum is not complete", quoteAlways(name))
		c.status = 2
		return nil
	}
	return infos
}

// excludes matches a pattern with the name or with its end behind any slash.
func (c *summer) excludes(name, base string) bool {
	return slices.ContainsFunc(c.exclude, func(o option) bool {
		return globMatch(o.value, base, false) || globMatch(o.value, name, false) || globMatch("*/"+o.value, name, false)
	})
}

func (c *summer) bytes(info fs.FileInfo) int64 {
	if c.apparent {
		return info.Size()
	}
	_, _, _, blocks := owned(info)
	return blocks * 512
}

func (c *summer) print(n int64, name string) {
	size := ""
	switch c.unit {
	case "b":
		size = strconv.FormatInt(n, 10)
	case "h":
		size = human(n)
	case "m":
		size = strconv.FormatInt(ceilDiv(n, 1<<20), 10)
	default:
		size = strconv.FormatInt(ceilDiv(n, 1<<10), 10)
	}
	c.out.WriteString(size + "\t" + name + "\n")
}
