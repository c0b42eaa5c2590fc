package coreutils

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

const lsFlags = "a|all A|almost-all d|directory F|classify h|human-readable l p r|reverse R|recursive S t 1 color="

type lister struct {
	*parsed
	x       *IO
	out     *bufio.Writer
	long    bool
	status  int
	left    int // number of directory entries that may still be read
	headers bool
	printed bool // a listing was already printed
}

// lsEntry is a line in a listing. info is nil for a parent directory outside the confinement.
type lsEntry struct {
	name, path, target string
	info, targetInfo   fs.FileInfo
}

func ls(p *parsed) (*Prepared, error) {
	if v, ok := p.value("color"); ok && v != "auto" && v != "never" {
		return nil, usage(0, "colors are not supported")
	}
	operands := p.dirs()
	return &Prepared{Paths: operands, Run: func(ctx context.Context, x *IO) int {
		c := &lister{parsed: p, x: x, out: x.output(), long: p.has("l"), left: maxEntries}
		var files, dirs []lsEntry
		for _, o := range operands {
			e, err := c.operandEntry(o.Name)
			switch {
			case err != nil:
				x.errorf("ls: cannot access '%s': %s", o.Name, Reason(err))
				c.status = 2
			case e.info.IsDir() && !p.has("d"):
				dirs = append(dirs, e)
			default:
				files = append(files, e)
			}
		}
		c.order(files)
		c.order(dirs)
		c.print(files)
		c.printed = len(files) > 0
		c.headers = len(operands) > 1 || p.has("R")
		for _, d := range dirs {
			c.dir(ctx, d.path, 0)
		}
		return x.finish(ctx, c.out, c.status)
	}}, nil
}

// operandEntry returns the entry for an operand. It follows a symlink to a directory unless the
// properties of the link itself are requested.
func (c *lister) operandEntry(name string) (e lsEntry, err error) {
	e = lsEntry{name: name, path: name}
	if e.info, err = c.x.FS.Lstat(name); err != nil {
		return e, err
	}
	if e.info.Mode()&fs.ModeSymlink != 0 && !c.long && !c.has("d") && !c.has("F") {
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

// resolve reads the target of a symlink if the listing shows it.
func (c *lister) resolve(e *lsEntry) {
	if e.info == nil || e.info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	if c.long {
		e.target, _ = c.x.FS.Readlink(e.path)
	}
	if c.long && c.has("F") {
		e.targetInfo, _ = c.x.FS.Stat(e.path)
	}
}

// dir lists one directory and, with -R, its subdirectories.
func (c *lister) dir(ctx context.Context, name string, depth int) {
	if ctx.Err() != nil || c.out.Flush() != nil || c.left < 0 {
		return
	}
	infos, err := c.x.FS.ReadDir(name)
	if err != nil {
		c.x.errorf("ls: cannot open directory '%s': %s", name, Reason(err))
		c.status = max(c.status, 1)
		if depth == 0 {
			c.status = 2
		}
		return
	}
	if c.left -= len(infos); c.left < 0 || depth > maxDepth {
		c.x.errorf("ls: '%s': too many entries or too deep; the rest were not listed", name)
		c.status = 2
		return
	}
	var entries []lsEntry
	if c.last("a", "A") == "a" {
		for _, dot := range []string{".", ".."} {
			e := lsEntry{name: dot, path: join(name, dot)}
			e.info, _ = c.x.FS.Lstat(e.path)
			entries = append(entries, e)
		}
	}
	total := int64(0)
	for _, info := range infos {
		if strings.HasPrefix(info.Name(), ".") && c.last("a", "A") == "" {
			continue
		}
		e := lsEntry{name: info.Name(), path: join(name, info.Name()), info: info}
		c.resolve(&e)
		entries = append(entries, e)
	}
	for _, e := range entries {
		if e.info != nil {
			_, _, _, blocks := owned(e.info)
			total += blocks
		}
	}
	c.order(entries)
	if c.headers {
		if c.printed {
			c.out.WriteByte('\n')
		}
		c.printed = true
		c.out.WriteString(name + ":\n")
	}
	if c.long {
		size := strconv.FormatInt(ceilDiv(total, 2), 10)
		if c.has("h") {
			size = human(total * 512)
		}
		c.out.WriteString("total " + size + "\n")
	}
	c.print(entries)
	for _, e := range entries {
		if c.has("R") && e.info != nil && e.info.IsDir() && e.name != "." && e.name != ".." {
			c.dir(ctx, e.path, depth+1)
		}
	}
}

// order sorts entries by name, time or size.
func (c *lister) order(entries []lsEntry) {
	by := c.last("t", "S")
	slices.SortStableFunc(entries, func(a, b lsEntry) int {
		n := 0
		if a.info != nil && b.info != nil && by == "t" {
			n = b.info.ModTime().Compare(a.info.ModTime())
		} else if a.info != nil && b.info != nil && by == "S" {
			n = cmp.Compare(b.info.Size(), a.info.Size())
		}
		return cmp.Or(n, cmp.Compare(a.name, b.name))
	})
	if c.has("r") {
		slices.Reverse(entries)
	}
}

// halfYear is the maximum age for which ls shows a file's time of day.
const halfYear = 31556952 * time.Second / 2

// print writes one entry per line. With -l, the mode, links, user, group, size
// and date precede the name.
func (c *lister) print(entries []lsEntry) {
	rows := make([][6]string, len(entries))
	var widths [6]int
	now := c.x.now()
	for i, e := range entries {
		switch {
		case !c.long:
		case e.info == nil:
			rows[i] = [6]string{"d?????????", "?", "?", "?", "?", "?"}
		default:
			user, group, links, _ := owned(e.info)
			size := strconv.FormatInt(e.info.Size(), 10)
			if c.has("h") {
				size = human(e.info.Size())
			}
			at, layout := e.info.ModTime(), "Jan _2  2006"
			if at.After(now.Add(-halfYear)) && !at.After(now) {
				layout = "Jan _2 15:04"
			}
			rows[i] = [6]string{modeString(e.info.Mode()), strconv.FormatUint(links, 10), user, group, size, at.In(now.Location()).Format(layout)}
		}
		for col, text := range rows[i] {
			widths[col] = max(widths[col], utf8.RuneCountInString(text))
		}
	}
	for i, e := range entries {
		for col, text := range rows[i] {
			if !c.long {
				break
			}
			gap := strings.Repeat(" ", widths[col]-utf8.RuneCountInString(text))
			if col == 0 || col == 2 || col == 3 {
				c.out.WriteString(text + gap + " ")
			} else {
				c.out.WriteString(gap + text + " ")
			}
		}
		switch {
		case e.target != "":
			c.out.WriteString(e.name + " -> " + e.target + c.mark(e.targetInfo))
		case e.info == nil && c.last("F", "p") != "":
			c.out.WriteString(e.name + "/")
		default:
			c.out.WriteString(e.name + c.mark(e.info))
		}
		c.out.WriteByte('\n')
	}
}

// mark returns the character that -F or -p appends to a name.
func (c *lister) mark(info fs.FileInfo) string {
	form := c.last("F", "p")
	if form == "" || info == nil {
		return ""
	}
	switch k := kind(info.Mode()); {
	case k == 'd':
		return "/"
	case form == "p":
	case k == 'l':
		return "@"
	case k == 'p':
		return "|"
	case k == 's':
		return "="
	case k == 'f' && info.Mode().Perm()&0o111 != 0:
		return "*"
	}
	return ""
}
