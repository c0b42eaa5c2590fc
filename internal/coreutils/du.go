package coreutils

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
)

// du sums the sizes of files.
func du(p *parsed) (*Prepared, error) {
	depth, err := p.number("d", 0, -1)
	if err != nil {
		return nil, err
	}
	if p.has("s") {
		if depth > 0 {
			return nil, usage(0, "-s excludes -d")
		}
		depth = 0
	}
	return &Prepared{Paths: p.dirs(), Run: func(ctx context.Context, x *IO) int {
		out, status, left := x.output(), 0, maxEntries
		print := func(n int64, name string) {
			size := strconv.FormatInt(ceilDiv(n, 1<<10), 10)
			if p.last("h", "k") == "h" {
				size = human(n)
			}
			out.WriteString(size + "\t" + name + "\n")
		}
		var sum func(name string, info fs.FileInfo, level int) int64
		sum = func(name string, info fs.FileInfo, level int) int64 {
			_, _, _, blocks := owned(info)
			n := blocks * 512
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
					n += sum(join(name, child.Name()), child, level+1)
				}
			}
			if level == 0 || info.IsDir() && (depth < 0 || level <= depth) {
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
			sum(o.Name, info, 0)
		}
		return x.finish(ctx, out, status)
	}}, nil
}
