package coreutils

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
)

func statSyntax() syntax {
	return syntax{flags: []flag{
		{names: "c format", value: withValue},
		{names: "printf", value: withValue},
		{names: "L dereference"},
	}}
}

// statVerbs are the directives of which an fs.FileInfo tells.
const statVerbs = "aAbBfFGhnNsUyY"

func prepareStat(args []string) (*Prepared, error) {
	p, err := statSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	id := p.last("c", "printf")
	switch {
	case id == "":
		return nil, usage(0, "stat: only with -c FORMAT or --printf=FORMAT")
	case len(p.operands) == 0:
		return nil, usage(0, "stat: missing operand")
	}
	format, _ := p.value(id)
	pieces, wrong := parseFormat(format, statVerbs, "", id == "printf")
	if wrong != "" {
		return nil, usage(p.all(id)[0].word, "stat: %s", wrong)
	}
	if id == "c" {
		pieces = append(pieces, piece{text: "\n"})
	}
	return &Prepared{Paths: p.operands, Run: func(ctx context.Context, x *IO) int {
		out, status := x.output(), 0
		look := x.FS.Lstat
		if p.has("L") {
			look = x.FS.Stat
		}
		for _, o := range p.operands {
			info, err := look(o.Name)
			if err != nil {
				x.errorf("stat: cannot statx %s: %s", quoteAlways(o.Name), reason(err))
				status = 1
				continue
			}
			for _, part := range pieces {
				out.WriteString(x.statPiece(part, o.Name, info))
			}
		}
		return x.finish(ctx, out, status)
	}}, nil
}

func (x *IO) statPiece(p piece, name string, info fs.FileInfo) string {
	if p.verb == 0 {
		return p.text
	}
	return p.pad(x.statFact(p.verb, name, info))
}

func (x *IO) statFact(verb byte, name string, info fs.FileInfo) string {
	user, group, links, blocks := owned(info)
	switch verb {
	case 'a':
		return strconv.FormatUint(uint64(permBits(info.Mode())), 8)
	case 'A':
		return modeString(info.Mode())
	case 'b':
		return strconv.FormatInt(blocks, 10)
	case 'B':
		return "512"
	case 'f':
		return strconv.FormatUint(uint64(rawMode(info.Mode())), 16)
	case 'F':
		return kindName(info)
	case 'G':
		return group
	case 'h':
		return strconv.FormatUint(links, 10)
	case 'n':
		return name
	case 'N':
		return x.quotedLink(name, info)
	case 's':
		return strconv.FormatInt(info.Size(), 10)
	case 'U':
		return user
	case 'y':
		return info.ModTime().In(x.location()).Format("2006-01-02 15:04:05.000000000 -0700")
	}
	return fmt.Sprint(info.ModTime().Unix())
}

func (x *IO) quotedLink(name string, info fs.FileInfo) string {
	if info.Mode()&fs.ModeSymlink == 0 {
		return quoteAlways(name)
	}
	target, err := x.FS.Readlink(name)
	if err != nil {
		return quoteAlways(name)
	}
	return quoteAlways(name) + " -> " + quoteAlways(target)
}
