package coreutils

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
)

// fileGlob is one --include or --exclude.
type fileGlob struct {
	pattern string
	include bool
}

// grepRun is one run over all operands.
type grepRun struct {
	o      *grepOptions
	x      *IO
	out    *bufio.Writer
	budget *entryBudget
	group  bool
	found  bool
	failed bool
}

func runGrep(ctx context.Context, x *IO, o *grepOptions, operands []Path) int {
	r := &grepRun{o: o, x: x, out: x.output(), budget: newEntryBudget()}
	if len(operands) == 0 {
		r.file(ctx, "-", o.label)
	}
	for _, op := range operands {
		if r.ended(ctx) {
			break
		}
		r.operand(ctx, op)
	}
	status := 1
	switch {
	case r.found && (o.quiet || !r.failed):
		status = 0
	case r.failed:
		status = 2
	}
	return x.finish(ctx, r.out, status)
}

// ended reports whether nothing that follows can count.
func (r *grepRun) ended(ctx context.Context) bool {
	return ctx.Err() != nil || r.o.quiet && r.found
}

// complain reports a name that can not be searched.
func (r *grepRun) complain(name, why string) {
	r.failed = true
	if !r.o.silent {
		r.out.Flush()
		r.x.errorf("%s: %s: %s", r.o.tool, name, why)
	}
}

func (r *grepRun) operand(ctx context.Context, op Path) {
	if op.Name == "-" {
		r.file(ctx, "-", r.o.label)
		return
	}
	info, err := r.x.FS.Stat(op.Name)
	switch {
	case err != nil:
		r.complain(op.Name, reason(err))
	case !info.IsDir():
		if !r.skipped(op.Name, true) {
			r.file(ctx, op.Name, op.Name)
		}
	case r.o.skipDirs || r.o.recurse && r.skippedDir(op.Name, true):
	case !r.o.recurse:
		r.complain(op.Name, "Is a directory")
	default:
		prefix := op.Name
		if op.Word == 0 {
			prefix = ""
		}
		r.directory(ctx, op.Name, prefix, 0)
	}
}

// directory searches all files below a directory; prefix is how its name is
// printed.
func (r *grepRun) directory(ctx context.Context, name, prefix string, depth int) {
	if c, ok := r.x.FS.(Closer); ok && c.Closed(name) {
		r.passOver(name)
		return
	}
	entries, err := r.x.FS.ReadDir(name)
	switch {
	case err != nil && protected(err):
		r.passOver(name)
		return
	case err != nil:
		r.complain(name, reason(err))
		return
	case depth > maxDepth || !r.budget.take(len(entries)):
		r.complain(name, "too many files")
		return
	}
	for _, e := range entries {
		if r.ended(ctx) || r.budget.left < 0 {
			return
		}
		r.entry(ctx, name, prefix, e, depth)
	}
}

func (r *grepRun) entry(ctx context.Context, dir, prefix string, e fs.FileInfo, depth int) {
	path, shown := join(dir, e.Name()), e.Name()
	if prefix != "" {
		shown = join(prefix, e.Name())
	}
	switch {
	case e.IsDir():
		if !r.skippedDir(e.Name(), false) {
			r.directory(ctx, path, shown, depth+1)
		}
	case e.Mode()&fs.ModeSymlink != 0 && r.o.follow:
		r.link(ctx, path, shown)
	case e.Mode().IsRegular() && !r.skipped(e.Name(), false):
		r.file(ctx, path, shown)
	}
}

// link searches the file that a link leads to. A directory is not entered, so
// that a recursion ends.
func (r *grepRun) link(ctx context.Context, path, shown string) {
	info, err := r.x.FS.Stat(path)
	switch {
	case err != nil:
		r.complain(shown, reason(err))
	case info.IsDir():
		r.complain(shown, "a link to a directory, not followed")
	case !r.skipped(info.Name(), false):
		r.file(ctx, path, shown)
	}
}

// passOver reports a name that recursion leaves out because it is protected.
func (r *grepRun) passOver(name string) {
	if r.x.PassedOver != nil {
		r.x.PassedOver(name)
		return
	}
	r.out.Flush()
	r.x.errorf("%s: %s: %s, not read", r.o.tool, name, ErrProtected)
}

// skipped reports whether --include and --exclude leave a file out: the last
// that matches decides, and if none does the opposite of the first.
func (r *grepRun) skipped(name string, operand bool) bool {
	globs := r.o.globs
	if len(globs) == 0 {
		return false
	}
	for i := len(globs) - 1; i >= 0; i-- {
		if matchesName(globs[i].pattern, name, operand) {
			return !globs[i].include
		}
	}
	return globs[0].include
}

func (r *grepRun) skippedDir(name string, operand bool) bool {
	for _, glob := range r.o.dirGlobs {
		if matchesName(glob, strings.TrimRight(name, "/"), operand) {
			return true
		}
	}
	return false
}

// matchesName matches a name; of an operand any last part may match as well.
func matchesName(glob, name string, operand bool) bool {
	for {
		if globMatch(glob, name, false) {
			return true
		}
		slash := strings.IndexByte(name, '/')
		if !operand || slash < 0 {
			return false
		}
		name = name[slash+1:]
	}
}

// file searches one file; shown is how its name is printed.
func (r *grepRun) file(ctx context.Context, name, shown string) {
	in, err := r.x.open(ctx, name)
	if err != nil {
		if protected(err) && name != shown || protected(err) && r.o.recurse {
			r.passOver(shown)
			return
		}
		r.complain(shown, reason(err))
		return
	}
	defer in.Close()
	s := &grepScan{o: r.o, x: r.x, out: r.out, group: &r.group, name: shown,
		lines: &lineReader{r: bufio.NewReaderSize(in, sniffed), sep: '\n'}}
	err = s.run()
	r.found = r.found || s.count > 0
	r.report(s)
	switch {
	case errors.Is(err, errTooMuch):
		r.complain(shown, "too much context")
	case err != nil && ctx.Err() == nil:
		r.complain(shown, reason(err))
	}
}

// report writes what stands for a whole file.
func (r *grepRun) report(s *grepScan) {
	o := r.o
	switch {
	case o.quiet:
	case o.list != "":
		if (o.list == "l") == (s.count > 0) {
			r.out.WriteString(s.name)
			r.end()
		}
	case o.count:
		r.counted(s)
	case o.withoutBinaries:
	case s.hidden || s.binary && s.count > 0:
		r.out.Flush()
		r.x.errorf("%s: %s: binary file matches", o.tool, s.name)
	}
}

func (r *grepRun) end() {
	if r.o.null {
		r.out.WriteByte(0)
	} else {
		r.out.WriteByte('\n')
	}
}

func (r *grepRun) counted(s *grepScan) {
	if r.o.names {
		r.out.WriteString(s.name)
		if r.o.null {
			r.out.WriteByte(0)
		} else {
			r.out.WriteByte(':')
		}
	}
	r.out.WriteString(strconv.Itoa(s.count))
	r.out.WriteByte('\n')
}
