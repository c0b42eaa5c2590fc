package coreutils

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
)

// du sums the sizes of files.
func du(p *parsed) (*Prepared, error) {
	depth, err := p.number("d", 0, -1)
	if err != nil {
		return nil, err
	}
	if p.has("s") {
		if p.has("a") || depth > 0 {
			return nil, usage(0, "-s excludes -a and -d")
		}
		depth = 0
	}
	unit := p.last("b", "h", "k", "m")
	return &Prepared{Paths: p.dirs(), Run: func(ctx context.Context, x *IO) int {
		out, status, left, total := x.output(), 0, maxEntries, int64(0)
		print := func(n int64, name string) {
			var size string
			switch unit {
			case "b":
				size = strconv.FormatInt(n, 10)
			case "h":
				size = human(n)
			case "m":
				size = strconv.FormatInt(ceilDiv(n, 1<<20), 10)
			default:
				size = strconv.FormatInt(ceilDiv(n, 1<<10), 10)
			}
			out.WriteString(size + "\t" + name + "\n")
		}
		excluded := func(name string) bool {
			return slices.ContainsFunc(p.values("exclude"), func(glob string) bool {
				return globMatch(glob, baseName(name), false) || globMatch(glob, name, false)
			})
		}
		var sum func(name string, info fs.FileInfo, level int) int64
		sum = func(name string, info fs.FileInfo, level int) int64 {
			_, _, _, blocks := owned(info)
			n := blocks * 512
			if p.last("apparent-size", "b") != "" {
				n = info.Size()
			}
			if info.IsDir() && ctx.Err() == nil && left >= 0 {
				infos, err := x.FS.ReadDir(name)
				switch {
				case errors.Is(err, ErrProtected):
					x.errorf("du: cannot read directory '%s': %s", name, Reason(err))
				case err != nil:
					x.errorf("du: cannot read directory '%s': %s", name, Reason(err))
					status = 1
				}
				if left -= len(infos); left < 0 || level > maxDepth {
					x.errorf("du: '%s': too many entries, the sum is not complete", name)
					infos, status = nil, 2
				}
				for _, child := range infos {
					if path := join(name, child.Name()); !excluded(path) {
						n += sum(path, child, level+1)
					}
				}
			}
			if level == 0 || (info.IsDir() || p.has("a")) && (depth < 0 || level <= depth) {
				print(n, name)
			}
			return n
		}
		for _, o := range p.dirs() {
			info, err := x.FS.Lstat(o.Name)
			if err != nil {
				x.errorf("du: cannot access '%s': %s", o.Name, Reason(err))
				status = max(status, 1)
				continue
			}
			total += sum(o.Name, info, 0)
		}
		if p.has("c") {
			print(total, "total")
		}
		return x.finish(ctx, out, status)
	}}, nil
}
