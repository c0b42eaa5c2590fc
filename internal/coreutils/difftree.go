package coreutils

import (
	"errors"
	"io/fs"
	"strings"
)

// operands compares what the command line names.
func (d *differ) operands(a, b string) int {
	left, right := &diffSide{name: a}, &diffSide{name: b}
	if info, err := d.look(a); a == b && err == nil && (a == "-" || info.IsDir() || !d.o.identical) {
		if a == "-" {
			return d.same(left, right)
		}
		return 0
	}
	var errs [2]error
	left.info, errs[0] = d.look(a)
	right.info, errs[1] = d.look(b)
	if isDir(left) && errs[1] == nil && !isDir(right) {
		errs[0] = d.within(left, b)
	} else if isDir(right) && errs[0] == nil && !isDir(left) {
		errs[1] = d.within(right, a)
	}
	if d.o.absent {
		left.absent = isGone(errs[0]) && errs[1] == nil
		right.absent = isGone(errs[1]) && errs[0] == nil
	}
	status := 0
	for i, s := range []*diffSide{left, right} {
		if errs[i] != nil && !s.absent {
			d.x.errorf("diff: %s: %s", s.name, reason(errs[i]))
			status = 2
		}
	}
	switch {
	case status != 0:
		return status
	case isDir(left) || isDir(right):
		return d.directories(left, right, 0)
	}
	return d.file(left, right, false)
}

func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func isDir(s *diffSide) bool { return s.info != nil && s.info.IsDir() }

// look finds what a name is; standard input has no info.
func (d *differ) look(name string) (fs.FileInfo, error) {
	if name == "-" {
		return nil, nil
	}
	return d.x.FS.Stat(name)
}

// within takes the file of the same name in a directory.
func (d *differ) within(s *diffSide, other string) (err error) {
	if other == "-" {
		return errors.New("cannot compare '-' to a directory")
	}
	s.name = join(s.name, baseName(other))
	s.info, err = d.look(s.name)
	return err
}

// directories compares two directories, of which one may be absent.
func (d *differ) directories(a, b *diffSide, depth int) int {
	if depth > maxDepth {
		return d.overBound(a.name)
	}
	left, status := d.list(a)
	right, other := d.list(b)
	if status = max(status, other); status != 0 {
		return status
	}
	for len(left)+len(right) > 0 {
		if d.ctx.Err() != nil {
			return exitStopped
		}
		if d.over || !d.budget.take(1) {
			return d.overBound(a.name)
		}
		order := -1
		if len(left) == 0 {
			order = 1
		} else if len(right) > 0 {
			order = strings.Compare(left[0].Name(), right[0].Name())
		}
		var one, two fs.FileInfo
		if order <= 0 {
			one, left = left[0], left[1:]
		}
		if order >= 0 {
			two, right = right[0], right[1:]
		}
		status = max(status, d.entry(a, b, one, two, depth))
	}
	return status
}

// overBound ends the recursion with one line.
func (d *differ) overBound(name string) int {
	if !d.over {
		d.x.errorf("diff: %s: too many entries", name)
	}
	d.over = true
	return 2
}

func (d *differ) list(s *diffSide) ([]fs.FileInfo, int) {
	if s.absent {
		return nil, 0
	}
	infos, err := d.x.FS.ReadDir(s.name)
	if err != nil {
		d.complain(s.name, err, true)
		return nil, 2
	}
	kept := infos[:0:0]
	for _, info := range infos {
		if !d.excluded(info.Name()) {
			kept = append(kept, info)
		}
	}
	return kept, 0
}

func (d *differ) excluded(name string) bool {
	for _, pattern := range d.o.exclude {
		if globMatch(pattern, name, false) {
			return true
		}
	}
	return false
}

// entry compares what two directories have of one name; one of the two may be
// nil.
func (d *differ) entry(a, b *diffSide, one, two fs.FileInfo, depth int) int {
	left, right := &diffSide{info: one}, &diffSide{info: two}
	for i, s := range []*diffSide{left, right} {
		dir, other := []*diffSide{a, b}[i], []*diffSide{right, left}[i]
		if s.info == nil {
			if !d.o.absent {
				parent := []*diffSide{b, a}[i]
				d.out.WriteString("Only in " + parent.name + ": " + other.info.Name() + "\n")
				return 1
			}
			s.absent, s.name = true, join(dir.name, other.info.Name())
			continue
		}
		s.name = join(dir.name, s.info.Name())
	}
	linked, status := false, 0
	for _, s := range []*diffSide{left, right} {
		if s.absent || s.info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		info, err := d.x.FS.Stat(s.name)
		if err != nil {
			d.complain(s.name, err, true)
			status = 2
			continue
		}
		s.info, linked = info, linked || info.IsDir()
	}
	if status != 0 {
		return status
	}
	return d.pair(left, right, linked, depth)
}

// pair compares two entries of one name.
func (d *differ) pair(left, right *diffSide, linked bool, depth int) int {
	dirs := (left.absent || isDir(left)) && (right.absent || isDir(right))
	switch {
	case dirs && !d.o.recurse:
		d.out.WriteString("Common subdirectories: " + left.name + " and " + right.name + "\n")
		return 0
	case dirs && linked:
		d.x.errorf("diff: %s: a link to a directory, not followed", left.name)
		return 2
	case dirs:
		return d.directories(left, right, depth+1)
	case !left.absent && !right.absent && left.info.Mode().Type() != right.info.Mode().Type():
		d.out.WriteString("File " + left.name + " is a " + kindName(left.info) + " while file " + right.name + " is a " + kindName(right.info) + "\n")
		return 1
	}
	return d.file(left, right, true)
}
