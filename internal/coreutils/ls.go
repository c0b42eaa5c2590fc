package coreutils

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

func lsSyntax() syntax {
	return syntax{flags: []flag{
		{names: "a all"},
		{names: "A almost-all"},
		{names: "b escape"},
		{names: "B ignore-backups"},
		{names: "d directory"},
		{names: "F classify", value: mayValue, check: checkWhen},
		{names: "file-type"},
		{names: "full-time"},
		{names: "g"},
		{names: "G no-group"},
		{names: "h human-readable"},
		{names: "H dereference-command-line"},
		{names: "k kibibytes"},
		{names: "l"},
		{names: "L dereference"},
		{names: "N literal"},
		{names: "o"},
		{names: "p"},
		{names: "q hide-control-chars"},
		{names: "Q quote-name"},
		{names: "r reverse"},
		{names: "R recursive"},
		{names: "s size"},
		{names: "S"},
		{names: "t"},
		{names: "U"},
		{names: "X"},
		{names: "1"},
		{names: "I ignore", value: withValue},
		{names: "color", value: mayValue, check: checkNever},
		{names: "group-directories-first"},
		{names: "sort", value: withValue, check: checkOneOf("none", "size", "time", "extension")},
		{names: "time-style", value: withValue, check: checkOneOf("full-iso", "long-iso", "iso", "locale")},
	}}
}

// checkWhen takes only what asks for nothing or for everything.
func checkWhen(value string) string {
	if value != "" && value != "always" && value != "auto" && value != "never" {
		return "not never, auto or always: " + value
	}
	return ""
}

// checkNever takes the answers that come to no colour away from a terminal.
func checkNever(value string) string {
	if value != "auto" && value != "never" && value != "tty" && value != "no" && value != "none" {
		return "no colours here"
	}
	return ""
}

// lister is one ls.
type lister struct {
	all, almost, backups        bool
	long, human, blocks         bool
	noOwner, noGroup            bool
	asGiven                     bool // -d
	recurse, reverse, dirsFirst bool
	derefAll, derefGiven        bool
	indicator                   byte // 0, 'p', 't' (file-type) or 'F'
	sort                        byte // 0, 't', 'S', 'X' or 'U'
	quoting                     byte // 0, 'b' or 'Q'
	mask                        bool
	style                       string
	ignore                      []option

	x      *IO
	out    *bufio.Writer
	status int
	budget *entryBudget
	// printed says that a listing stands before the next.
	printed bool
	headers bool
}

// lsEntry is one line of a listing.
type lsEntry struct {
	name    string // as it is shown
	path    string // as it is opened
	info    fs.FileInfo
	unknown bool // the parent beyond the confinement
	target  string
	// targetInfo is what a link leads to, nil if that is not known.
	targetInfo fs.FileInfo
}

func prepareLs(args []string) (*Prepared, error) {
	p, err := lsSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	c := &lister{
		all: p.last("a", "A") == "a", almost: p.last("a", "A") == "A", backups: p.has("B"),
		long:  p.last("l", "g", "o", "full-time") != "",
		human: p.has("h") && p.last("h", "k") == "h", blocks: p.has("s"),
		noOwner: p.has("g"), noGroup: p.last("o", "G") != "",
		asGiven: p.has("d"), recurse: p.has("R") && !p.has("d"), reverse: p.has("r"),
		dirsFirst: p.has("group-directories-first"),
		derefAll:  p.last("L", "H") == "L", derefGiven: p.last("L", "H") == "H",
		indicator: lsIndicator(p), sort: lsSort(p),
		mask: p.has("q"), style: "locale", ignore: p.all("I"),
	}
	if c.recurse && c.derefAll {
		return nil, usage(0, "ls: -R does not follow links, so not with -L")
	}
	switch p.last("b", "N", "Q") {
	case "b":
		c.quoting = 'b'
	case "Q":
		c.quoting = 'Q'
	}
	if p.has("full-time") {
		c.style = "full-iso"
	}
	if v, ok := p.value("time-style"); ok {
		c.style = v
	}
	paths := p.operands
	if len(paths) == 0 {
		paths = []Path{{0, "."}}
	}
	return &Prepared{Paths: paths, Run: func(ctx context.Context, x *IO) int {
		run := *c
		run.x, run.out, run.budget = x, x.output(), newEntryBudget()
		run.run(ctx, names(paths))
		return x.finish(ctx, run.out, run.status)
	}}, nil
}

func lsIndicator(p *parsed) byte {
	switch p.last("F", "file-type", "p") {
	case "F":
		if when, _ := p.value("F"); when == "" || when == "always" {
			return 'F'
		}
	case "file-type":
		return 't'
	case "p":
		return 'p'
	}
	return 0
}

func lsSort(p *parsed) byte {
	switch id := p.last("t", "S", "U", "X", "sort"); id {
	case "":
		return 0
	case "sort":
		v, _ := p.value("sort")
		return map[string]byte{"none": 'U', "size": 'S', "time": 't', "extension": 'X'}[v]
	default:
		return id[0]
	}
}

// follows reports whether a name that was given on the command line is followed
// if it is a link to a directory.
func (c *lister) follows() bool {
	return !c.asGiven && !c.long && c.indicator != 'F'
}

// looks reports whether the listing needs more of an entry than its name.
func (c *lister) looks() bool {
	return c.long || c.blocks || c.dirsFirst || c.indicator != 0 || c.sort == 't' || c.sort == 'S'
}

func (c *lister) run(ctx context.Context, given []string) {
	var files, dirs []lsEntry
	for _, name := range given {
		e, err := c.given(name)
		switch {
		case err != nil:
			c.cannotAccess(name, err, 2)
		case e.info.IsDir() && !c.asGiven:
			dirs = append(dirs, e)
		default:
			files = append(files, e)
		}
	}
	c.order(files)
	c.order(dirs)
	if len(files) > 0 {
		c.print(files)
		c.printed = true
	}
	c.headers = len(given) > 1 || c.recurse
	for _, d := range dirs {
		c.dir(ctx, d.path, 0)
	}
}

func (c *lister) given(name string) (lsEntry, error) {
	e := lsEntry{name: name, path: name}
	var err error
	if c.derefAll || c.derefGiven {
		if e.info, err = c.x.FS.Stat(name); err == nil {
			return e, nil
		}
	}
	if e.info, err = c.x.FS.Lstat(name); err != nil {
		return e, err
	}
	if c.follows() && e.info.Mode()&fs.ModeSymlink != 0 {
		info, err := c.x.FS.Stat(name)
		switch {
		case err == nil && info.IsDir():
			e.info = info
		case errors.Is(err, syscall.ELOOP):
			return e, err
		}
	}
	c.resolve(&e)
	return e, nil
}

func (c *lister) cannotAccess(name string, err error, status int) {
	c.x.errorf("ls: cannot access %s: %s", quoteAlways(name), reason(err))
	c.status = max(c.status, status)
}

// resolve finds out where a link leads, as far as the listing shows it.
func (c *lister) resolve(e *lsEntry) {
	if e.info.Mode()&fs.ModeSymlink == 0 || !c.long && !c.dirsFirst {
		return
	}
	if c.long {
		e.target, _ = c.x.FS.Readlink(e.path)
	}
	if c.indicator == 'F' || c.indicator == 't' || c.dirsFirst {
		e.targetInfo, _ = c.x.FS.Stat(e.path)
	}
}

// dir lists one directory and, with -R, those below it.
func (c *lister) dir(ctx context.Context, name string, depth int) {
	if ctx.Err() != nil || c.out.Flush() != nil || c.budget.left < 0 {
		return
	}
	infos, err := c.x.FS.ReadDir(name)
	if err != nil {
		c.x.errorf("ls: cannot open directory %s: %s", quoteAlways(name), reason(err))
		c.status = max(c.status, 1)
		if depth == 0 {
			c.status = 2
		}
		return
	}
	if !c.budget.take(len(infos)) || depth > maxDepth {
		c.x.errorf("ls: %s: too many entries, the rest is not listed", quoteAlways(name))
		c.status = 2
		return
	}
	entries := c.entries(name, infos)
	c.order(entries)
	c.header(name)
	if c.long || c.blocks {
		c.out.WriteString("total " + c.size(c.totalBlocks(entries)) + "\n")
	}
	c.print(entries)
	if !c.recurse {
		return
	}
	for _, e := range entries {
		if e.info != nil && e.info.IsDir() && e.name != "." && e.name != ".." {
			c.dir(ctx, e.path, depth+1)
		}
	}
}

func (c *lister) header(name string) {
	if !c.headers {
		return
	}
	if c.printed {
		c.out.WriteByte('\n')
	}
	c.printed = true
	c.out.WriteString(c.shown(name) + ":\n")
}

func (c *lister) entries(dir string, infos []fs.FileInfo) []lsEntry {
	var entries []lsEntry
	if c.all {
		for _, name := range []string{".", ".."} {
			if e, ok := c.dots(dir, name); ok {
				entries = append(entries, e)
			}
		}
	}
	for _, info := range infos {
		if c.hides(info.Name()) {
			continue
		}
		e := lsEntry{name: info.Name(), path: join(dir, info.Name()), info: info}
		if c.derefAll && c.looks() && info.Mode()&fs.ModeSymlink != 0 {
			target, err := c.x.FS.Stat(e.path)
			if err != nil {
				c.cannotAccess(strings.TrimPrefix(e.path, "./"), err, 1)
				e.unknown = true
			} else {
				e.info = target
			}
		}
		if !e.unknown {
			c.resolve(&e)
		}
		entries = append(entries, e)
	}
	return entries
}

// dots is the entry of the directory itself or of its parent, which may be
// beyond the confinement: then it is shown without its facts.
func (c *lister) dots(dir, name string) (lsEntry, bool) {
	e := lsEntry{name: name, path: join(dir, name)}
	info, err := c.x.FS.Lstat(e.path)
	e.info, e.unknown = info, err != nil
	if err != nil && !errors.Is(err, ErrOutside) && !errors.Is(err, ErrProtected) {
		c.cannotAccess(e.path, err, 1)
	}
	return e, true
}

func (c *lister) hides(name string) bool {
	if strings.HasPrefix(name, ".") && !c.all && !c.almost {
		return true
	}
	if c.backups && strings.HasSuffix(name, "~") {
		return true
	}
	return slices.ContainsFunc(c.ignore, func(o option) bool {
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(o.value, ".") {
			return false
		}
		return globMatch(o.value, name, false)
	})
}

// order sorts entries by name, time, size or extension.
func (c *lister) order(entries []lsEntry) {
	compare := func(a, b lsEntry) int {
		n := 0
		if a.info != nil && b.info != nil {
			switch c.sort {
			case 't':
				n = b.info.ModTime().Compare(a.info.ModTime())
			case 'S':
				n = cmp.Compare(b.info.Size(), a.info.Size())
			}
		}
		if c.sort == 'X' {
			n = cmp.Compare(extension(a.name), extension(b.name))
		}
		return cmp.Or(n, cmp.Compare(a.name, b.name))
	}
	if c.sort != 'U' {
		slices.SortStableFunc(entries, compare)
		if c.reverse {
			slices.Reverse(entries)
		}
	}
	if c.dirsFirst {
		slices.SortStableFunc(entries, func(a, b lsEntry) int { return cmp.Compare(a.rank(), b.rank()) })
	}
}

// rank puts directories before all else.
func (e lsEntry) rank() int {
	if e.info != nil && e.info.IsDir() || e.info == nil || e.targetInfo != nil && e.targetInfo.IsDir() {
		return 0
	}
	return 1
}

func extension(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return name[dot:]
	}
	return ""
}
