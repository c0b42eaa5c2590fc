package export

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// Instructions writes instructions for a host. A file that the host reads where it
// stands is taken as it is, with raw, its bytes; the others become files of the host
// for some files, or parts of its file for the whole project.
func Instructions(p *host.Profile, items []*Item, raw func(*Item) []byte) Result {
	c := composer{p: p, x: p.Export.Instructions, raw: raw, parts: map[string][]*Item{}}
	for _, it := range items {
		if it.Whole && c.x != nil {
			c.wholes = append(c.wholes, it)
		}
	}
	for _, it := range items {
		c.take(it)
	}
	c.merge()
	return c.out
}

// composer puts instruction files together.
type composer struct {
	p   *host.Profile
	x   *host.ExportInstructions
	raw func(*Item) []byte
	out Result
	// parts are the items of each file for a whole directory, in their order.
	parts map[string][]*Item
	order []string
	// wholes are all files for the whole project, there those that the host reads
	// where they stand.
	wholes, there []*Item
}

func (c *composer) take(it *Item) {
	l := loser{it: it}
	switch {
	case c.x == nil:
		c.add(l.whole(LossKind, c.p.Name+" has no instruction files", ""))
	case len(it.Agents) > 0:
		c.add(l.whole(LossActivation,
			fmt.Sprintf("%s has no instructions for one agent alone (%s): nothing of them is written", c.p.Name, strings.Join(it.Agents, ", ")),
			"put the text into the body of the agent "+strings.Join(it.Agents, " and of ")))
	case c.native(it):
		if it.Whole && it.Source == path.Join(it.Nested, c.x.Whole) {
			c.part(it.Source, it)
			return
		}
		if it.Whole {
			c.there = append(c.there, it)
		}
		l.imports(c, it.Source, it.Body, it.bodyLine)
		c.out.Losses = append(c.out.Losses, l.list...)
		c.out.Files = append(c.out.Files, File{Path: it.Source, Data: c.raw(it), Kind: it.Kind, Name: it.Source, Source: it.Source, Main: true})
	case strings.Contains(path.Base(it.Source), ".local."):
		c.add(l.whole(LossKind, "the file is one person's own and no part of the project", ""))
	case it.Whole:
		c.part(path.Join(it.Nested, c.x.Whole), it)
	default:
		c.rule(it)
	}
}

func (c *composer) add(r Result) {
	c.out.Files = append(c.out.Files, r.Files...)
	c.out.Losses = append(c.out.Losses, r.Losses...)
}

func (c *composer) part(to string, it *Item) {
	if c.parts[to] == nil {
		c.order = append(c.order, to)
	}
	c.parts[to] = append(c.parts[to], it)
}

// native reports whether the host reads a file of the project where it stands.
func (c *composer) native(it *Item) bool {
	at := strings.TrimPrefix(strings.TrimPrefix(it.Source, it.Nested), "/")
	if it.Nested != "" && !c.x.Nested {
		return false
	}
	for i := range c.p.Roots {
		r := &c.p.Roots[i]
		rel, ok := strings.CutPrefix(at, r.Dir+"/")
		if r.Dir == "" {
			rel, ok = at, true
		}
		if r.Layer != definition.Project || !ok {
			continue
		}
		for j := range r.Rules {
			rule := &r.Rules[j]
			if fits, exact := rule.Fits(path.Base(rel), strings.Count(rel, "/")); rule.Kind != definition.Instruction || !fits || !exact {
				continue
			}
			if rule.File != "" && c.second(rule.File) {
				continue
			}
			return true
		}
	}
	return false
}

// second reports whether the host reads a file only where another is not there.
func (c *composer) second(name string) bool {
	return slices.ContainsFunc(c.p.Fallbacks, func(f host.Fallback) bool {
		return f.Layer != definition.User && slices.Contains(f.Files, name) && name != c.x.Whole
	})
}

// rule writes a file of a directory of rules.
func (c *composer) rule(it *Item) {
	l := loser{it: it}
	always := it.Always || len(it.Paths) == 0
	if always && onRequest(it) {
		l.lose(0, LossActivation, fmt.Sprintf("%s always has the text before it, and not only when it is asked for", c.p.Name), "")
	}
	if c.x.Dir == "" {
		dir, ok := plainDirectory(it.Paths)
		switch {
		case always:
			c.part(path.Join(it.Nested, c.x.Whole), it)
		case ok && c.x.Nested && len(it.Paths) == 1:
			l.lose(0, LossActivation, fmt.Sprintf("%s reads it only where it is started in %s or below, and not for every file there", c.p.Name, path.Join(it.Nested, dir)), "start it there")
			c.part(path.Join(it.Nested, dir, c.x.Whole), it)
		default:
			c.add(l.whole(LossActivation, fmt.Sprintf("%s has no instructions for the files %s alone", c.p.Name, strings.Join(it.Paths, ", ")),
				"make the pattern a directory, as in src/**, or put the text into "+c.x.Whole))
			return
		}
		c.add(Result{Losses: l.list})
		return
	}
	parts := strings.FieldsFunc(it.Name, func(r rune) bool { return r == ':' || r == '/' })
	for i := range parts {
		if parts[i] = safePart(parts[i]); parts[i] == "" {
			parts = nil
			break
		}
	}
	if len(parts) == 0 || len(parts) > maxParts {
		c.add(l.whole(LossName, fmt.Sprintf("%q can be no name of a file", it.Name), "give it another name"))
		return
	}
	to := path.Join(it.Nested, c.x.Dir, path.Join(parts...)) + c.x.Suffix
	at := &host.ExportPlace{Unquoted: c.x.Unquoted}
	f := &fielder{loser: l, p: c.p, kind: definition.Instruction, place: at}
	c.fields(f, always)
	text := strings.ReplaceAll(it.Body, "\r\n", "\n")
	text, ok := c.broken(&f.loser, text)
	if !ok {
		c.out.Losses = append(c.out.Losses, f.list...)
		return
	}
	text = c.relinked(&f.loser, to, text, linesOf(it, text))
	c.add(Result{
		Files: []File{{
			Path: to, Data: encode(at, ordered(f.out), text), Kind: it.Kind, Name: strings.Join(parts, ":"), Source: it.Source, Main: true,
		}},
		Losses: f.list,
	})
}

// onRequest reports whether a rule waits for somebody to ask for it.
func onRequest(it *Item) bool {
	e := entryOf(it, definition.FieldAlwaysApply)
	if e == nil || it.Always {
		return false
	}
	on, _ := frontmatter.Bool(e.Value)
	return !on
}

// fields writes the fields of a rule.
func (c *composer) fields(f *fielder, always bool) {
	f.description()
	switch globs := f.it.Paths; {
	case always && c.x.Always != "":
		f.set(c.x.Always, truth(true))
	case always && c.x.Everything != "":
		f.setText(c.x.Paths, c.x.Everything)
	case always:
	case c.x.List:
		f.set(c.x.Paths, ListOf(globs))
	default:
		f.setText(c.x.Paths, strings.Join(globs, ","))
		if c.x.Always != "" {
			f.set(c.x.Always, truth(false))
		}
	}
	for i := range f.it.Entries {
		e := &f.it.Entries[i]
		switch field := definition.LookupField(e.Key); field {
		case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo, definition.FieldAlwaysApply:
		case definition.FieldDescription:
			if _, ok := f.rule(field); !ok {
				f.without(e, LossField)
			}
		case definition.FieldName, definition.FieldTitle:
			if r, ok := f.rule(definition.FieldTitle); ok {
				f.plain(e, r)
			} else if e.Value.Text != f.it.Name {
				f.without(e, LossName)
			}
		default:
			f.field(e, field)
		}
	}
}

// plainDirectory returns the directory that a single pattern means, where it means
// all that is in one.
func plainDirectory(globs []string) (string, bool) {
	if len(globs) != 1 {
		return "", false
	}
	dir := strings.TrimPrefix(globs[0], "/")
	for _, end := range []string{"/**/*", "/**", "/"} {
		if rest, ok := strings.CutSuffix(dir, end); ok {
			dir = rest
			for _, part := range strings.Split(dir, "/") {
				if part == "" || safePart(part) != part {
					return "", false
				}
			}
			return dir, true
		}
	}
	return "", false
}

// lost says which fields of a file are gone where only its text is taken.
func (c *composer) lost(l *loser) {
	for i := range l.it.Entries {
		e := &l.it.Entries[i]
		switch definition.LookupField(e.Key) {
		case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo, definition.FieldAlwaysApply, definition.FieldName, definition.FieldDescription, definition.FieldTitle:
			continue
		}
		if e.Value.Kind != definition.Null {
			l.lose(l.it.entryLine(e), LossField, fmt.Sprintf("%s has no field like %s in %s", c.p.Name, e.Key, c.x.Whole), "")
		}
	}
}

// broken takes the meaning from imports that lead out of the project, which a text
// brings from another host's file: in code they are no imports, and read the same. ok
// is false where that can not be done.
func (c *composer) broken(l *loser, text string) (out string, ok bool) {
	if !c.x.Imports {
		return text, true
	}
	outside := func(seg body.Segment) bool {
		return seg.Kind == body.FileRef && !seg.Quoted() && leaves(path.Dir(l.it.Source), seg.Name)
	}
	var b strings.Builder
	broken := false
	for seg := range body.Scan(text, body.Options{}) {
		src := seg.Source(text)
		if outside(seg) {
			l.lose(0, LossFile, fmt.Sprintf("%s would read %s, which is not in the project: it is put into code, where it is text", c.p.Name, chars.Truncate(src, 60)), "put the text in, if it is meant")
			src, broken = "`"+src+"`", true
		}
		b.WriteString(src)
	}
	if !broken {
		return text, true
	}
	for seg := range body.Scan(b.String(), body.Options{}) {
		if outside(seg) {
			l.whole(LossFile, fmt.Sprintf("%s would read %s, which is not in the project: nothing of it is written", c.p.Name, chars.Truncate(seg.Name, 60)), "take it out")
			return "", false
		}
	}
	return b.String(), true
}

// leaves reports whether a path that a file in a directory mentions is not in the
// project.
func leaves(dir, name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || len(name) > 1 && name[1] == ':' {
		return true
	}
	at := path.Join(dir, name)
	return at == ".." || strings.HasPrefix(at, "../")
}

// relinked writes the links and the imports of a text for the file that it goes to, and
// says which imports do nothing there.
func (c *composer) relinked(l *loser, to, text string, line func(int) int) string {
	l.imports(c, to, text, line)
	r := relinker{loser: l, p: c.p, from: l.it.At, to: to, line: line, imports: c.x.Imports}
	return r.text(text)
}

// imports says which imports of a text do nothing in a file of the host.
func (l *loser) imports(c *composer, to, text string, line func(int) int) {
	if !strings.Contains(text, "@") || c.reads(to, l.it.Nested) {
		return
	}
	for seg := range body.Scan(text, body.Options{}) {
		if seg.Kind != body.FileRef || seg.Quoted() {
			continue
		}
		// What goes along by itself is not missing.
		if file := path.Join(path.Dir(l.it.Source), seg.Name); !c.isWhole(file) && (l.it.IsFile == nil || l.it.IsFile(file)) {
			l.lose(line(seg.Span.Start), LossFile, fmt.Sprintf("%s imports no files: %s stays as text", c.p.Name, chars.Truncate(seg.Source(text), 60)), "put the text in")
		}
	}
}

// reads reports whether the host reads the imports of a file of its own.
func (c *composer) reads(file, nested string) bool {
	in := c.p.Instructions
	if in == nil {
		return c.x.Imports
	}
	at := strings.TrimPrefix(strings.TrimPrefix(file, nested), "/")
	return in.Imports != host.NoImports && !slices.ContainsFunc(in.Rows, func(r host.InstructionRow) bool {
		return r.NoImports && r.Layer == definition.Project && (at == path.Join(r.Dir, r.File) || r.File == "" && strings.HasPrefix(at, r.Dir+"/"))
	})
}
