package coreutils

import (
	"bufio"
	"context"
	"io/fs"
	"math"
	"strings"
)

func findSyntax() syntax {
	words := []string{"-P", "-H", "-a", "-o", "-not", "-and", "-or"}
	for _, t := range findTests() {
		words = append(words, t.name)
	}
	return syntax{words: words}
}

// finder is one find in the middle of its walk.
type finder struct {
	findOptions
	x      *IO
	ctx    context.Context
	out    *bufio.Writer
	budget *entryBudget
	status int
	quit   bool
}

// findOptions hold for the whole walk.
type findOptions struct {
	least, most int
	depthFirst  bool
	followGiven bool // -H
	expr        findNode
	// refs are the files that -newer compares with.
	refs []string
}

// found is the file that an expression is about.
type found struct {
	start, path string
	depth       int
	info        fs.FileInfo
	prune       bool
}

// findNode answers one part of an expression, and does what its actions say.
type findNode func(f *finder, at *found) bool

func prepareFind(args []string) (*Prepared, error) {
	p := &findParser{args: args, opts: findOptions{most: math.MaxInt}}
	start, err := p.starts()
	if err != nil {
		return nil, err
	}
	if err := p.expression(); err != nil {
		return nil, err
	}
	paths := start
	if len(start) == 0 {
		start = []Path{{0, "."}}
		paths = start
	}
	paths = append(paths[:len(paths):len(paths)], p.paths...)
	return &Prepared{Paths: paths, Run: func(ctx context.Context, x *IO) int {
		f := &finder{findOptions: p.opts, x: x, ctx: ctx, out: x.output(), budget: newEntryBudget()}
		f.run(names(start))
		return x.finish(ctx, f.out, f.status)
	}}, nil
}

func (f *finder) run(start []string) {
	for _, name := range f.refs {
		if _, err := f.x.FS.Stat(name); err != nil {
			f.fail(name, err)
			return
		}
	}
	for _, name := range start {
		info, err := f.start(name)
		if err != nil {
			f.fail(name, err)
			continue
		}
		f.visit(&found{start: name, path: name, info: info})
		if f.quit || f.ctx.Err() != nil {
			return
		}
	}
}

func (f *finder) start(name string) (fs.FileInfo, error) {
	if f.followGiven {
		if info, err := f.x.FS.Stat(name); err == nil {
			return info, nil
		}
	}
	return f.x.FS.Lstat(name)
}

// fail reports a name that can not be looked at. What the policy keeps closed
// is reported but does not fail a walk.
func (f *finder) fail(name string, err error) {
	if protected(err) {
		f.x.errorf("find: %s: %s, not read", findQuote(name), reason(err))
		return
	}
	f.x.errorf("find: %s: %s", findQuote(name), reason(err))
	f.status = max(f.status, 1)
}

func findQuote(name string) string { return "‘" + name + "’" }

func (f *finder) visit(at *found) {
	if f.quit || f.ctx.Err() != nil {
		return
	}
	shown := at.depth >= f.least
	if shown && !f.depthFirst {
		f.expr(f, at)
	}
	if at.info.IsDir() && at.depth < f.most && (!at.prune || f.depthFirst) && !f.quit {
		f.below(at)
	}
	if shown && f.depthFirst && !f.quit {
		f.expr(f, at)
	}
}

func (f *finder) below(at *found) {
	infos, err := f.x.FS.ReadDir(at.path)
	if err != nil {
		f.fail(at.path, err)
		return
	}
	if _, err := f.out.Write(nil); err != nil {
		f.quit = true
		return
	}
	if !f.budget.take(len(infos)) || at.depth >= maxDepth {
		f.x.errorf("find: %s: too many entries, the rest is not looked at", findQuote(at.path))
		f.status, f.quit = 2, true
		return
	}
	for _, info := range infos {
		f.visit(&found{start: at.start, path: join(at.path, info.Name()), depth: at.depth + 1, info: info})
		if f.quit {
			return
		}
	}
}

// below returns the path without the starting point.
func (at *found) below() string {
	return strings.TrimPrefix(strings.TrimPrefix(at.path, at.start), "/")
}

// base returns the last element, as -name sees it.
func (at *found) base() string { return baseName(at.path) }

// dir returns what stands before the last element, as -printf %h prints it.
func (at *found) dir() string {
	trimmed := strings.TrimRight(at.path, "/")
	slash := strings.LastIndexByte(trimmed, '/')
	if slash < 0 {
		if trimmed == "" {
			return ""
		}
		return "."
	}
	return trimmed[:slash]
}
