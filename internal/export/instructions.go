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

// Instructions writes instruction files for a host. Files that the host reads in place are copied
// byte for byte; raw returns their bytes. Other files become rule files, or are combined into files
// that apply to a whole directory, such as AGENTS.md.
func Instructions(p *host.Profile, items []*Item, raw func(*Item) []byte) Result {
	c := composer{p: p, x: p.Export.Instructions, raw: raw, parts: map[string][]*Item{}}
	for _, it := range items {
		if it.Whole && c.x != nil {
			c.wholes = append(c.wholes, it)
		}
	}
	for _, it := range items {
		c.addItem(it)
	}
	c.merge()
	return c.out
}

// composer combines instruction files for a host.
type composer struct {
	p   *host.Profile
	x   *host.ExportInstructions
	raw func(*Item) []byte
	out Result
	// parts maps the path of each combined file to the items in it. order lists these paths in
	// output order.
	parts map[string][]*Item
	order []string
	// wholes lists all items that apply to the whole project. inPlace lists the items that the host
	// reads in place.
	wholes, inPlace []*Item
}

func (c *composer) addItem(it *Item) {
	l := lossList{it: it}
	switch {
	case c.x == nil:
		c.add(l.omit(LossKind, c.p.Name+" has no instruction files", ""))
	case len(it.Agents) > 0:
		c.add(l.omit(LossActivation,
			fmt.Sprintf("%s does not support instructions for specific agents (%s), so the file is omitted", c.p.Name, strings.Join(it.Agents, ", ")),
			"move the text to the body of the agent "+strings.Join(it.Agents, " and the agent ")))
	case c.readsInPlace(it):
		if it.Whole && it.Source == path.Join(it.Nested, c.x.Whole) {
			c.addPart(it.Source, it)
			return
		}
		if it.Whole {
			c.inPlace = append(c.inPlace, it)
		}
		l.imports(c, it.Source, it.Body, it.bodyLine)
		c.out.Losses = append(c.out.Losses, l.losses...)
		c.out.Files = append(c.out.Files, ExportedFile{Path: it.Source, Data: c.raw(it), Kind: it.Kind, Name: it.Source, Source: it.Source, Main: true})
	case strings.Contains(path.Base(it.Source), ".local."):
		c.add(l.omit(LossKind, "the file is personal and not part of the project", ""))
	case it.Whole:
		c.addPart(path.Join(it.Nested, c.x.Whole), it)
	default:
		c.rule(it)
	}
}

func (c *composer) add(r Result) {
	c.out.Files = append(c.out.Files, r.Files...)
	c.out.Losses = append(c.out.Losses, r.Losses...)
}

func (c *composer) addPart(to string, it *Item) {
	if c.parts[to] == nil {
		c.order = append(c.order, to)
	}
	c.parts[to] = append(c.parts[to], it)
}

// readsInPlace reports whether the host reads a project file at its current path.
func (c *composer) readsInPlace(it *Item) bool {
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
			if rule.File != "" && c.isFallback(rule.File) {
				continue
			}
			return true
		}
	}
	return false
}

// isFallback reports whether the host reads a file only in the absence of another file.
func (c *composer) isFallback(name string) bool {
	return slices.ContainsFunc(c.p.Fallbacks, func(f host.Fallback) bool {
		return f.Layer != definition.User && slices.Contains(f.Files, name) && name != c.x.Whole
	})
}

func (c *composer) rule(it *Item) {
	l := &lossList{it: it}
	always := it.Always || len(it.Paths) == 0
	if always && onRequest(it) {
		l.reportLoss(0, LossActivation, fmt.Sprintf("%s always includes the text, not only on request", c.p.Name), "")
	}
	if c.x.Dir == "" {
		dir, ok := plainDirectory(it.Paths)
		switch {
		case always:
			c.addPart(path.Join(it.Nested, c.x.Whole), it)
		case ok && c.x.Nested && len(it.Paths) == 1:
			l.reportLoss(0, LossActivation, fmt.Sprintf("%s reads the file only when started in %s or a subdirectory, not whenever it uses a file there", c.p.Name, path.Join(it.Nested, dir)), "start the host in that directory")
			c.addPart(path.Join(it.Nested, dir, c.x.Whole), it)
		default:
			fix := "move the text to " + c.x.Whole
			if c.x.Nested {
				fix = "use a pattern for a whole directory, such as src/**, or " + fix
			}
			c.add(l.omit(LossActivation, fmt.Sprintf("%s cannot limit instructions to files matching %s", c.p.Name, strings.Join(it.Paths, ", ")), fix))
			return
		}
		c.add(Result{Losses: l.losses})
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
		c.add(l.omit(LossName, fmt.Sprintf("%q is not a valid file name", it.Name), "rename it"))
		return
	}
	to := path.Join(it.Nested, c.x.Dir, path.Join(parts...)) + c.x.Suffix
	at := &host.ExportPlace{Unquoted: c.x.Unquoted}
	f := &fielder{lossList: l, p: c.p, kind: definition.Instruction, place: at}
	c.fields(f, always)
	text := strings.ReplaceAll(it.Body, "\r\n", "\n")
	text, ok := c.escapeImports(l, text)
	if !ok {
		c.out.Losses = append(c.out.Losses, l.losses...)
		return
	}
	text = c.relinked(l, to, text, linesOf(it, text))
	c.add(Result{
		Files: []ExportedFile{{
			Path: to, Data: encode(at, ordered(f.out), text), Kind: it.Kind, Name: strings.Join(parts, ":"), Source: it.Source, Main: true,
		}},
		Losses: f.losses,
	})
}

// onRequest reports whether a rule is included in prompts only on request.
func onRequest(it *Item) bool {
	e := entryOf(it, definition.FieldAlwaysApply)
	if e == nil || it.Always {
		return false
	}
	on, _ := frontmatter.Bool(e.Value)
	return !on
}

func (c *composer) fields(f *fielder, always bool) {
	f.description()
	switch globs := f.it.Paths; {
	case always && c.x.Always != "":
		f.set(c.x.Always, definition.BoolValue(true))
	case always && c.x.Everything != "":
		f.setText(c.x.Paths, c.x.Everything)
	case always:
	case c.x.List:
		f.set(c.x.Paths, definition.ListValue(globs))
	default:
		f.setText(c.x.Paths, strings.Join(globs, ","))
		if c.x.Always != "" {
			f.set(c.x.Always, definition.BoolValue(false))
		}
	}
	for i := range f.it.Entries {
		e := &f.it.Entries[i]
		switch field := definition.LookupField(e.Key); field {
		case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo, definition.FieldAlwaysApply:
		case definition.FieldDescription:
			if _, ok := f.rule(field); !ok {
				f.unsupportedField(e, LossField)
			}
		case definition.FieldName, definition.FieldTitle:
			if r, ok := f.rule(definition.FieldTitle); ok {
				f.plain(e, r)
			} else if e.Value.Text != f.it.Name {
				f.unsupportedField(e, LossName)
			}
		default:
			f.field(e, field)
		}
	}
}

// plainDirectory returns the directory whose entire contents globs matches. It returns false unless
// globs is a single pattern that matches everything in one directory.
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

// reportLostFields reports the fields that are lost because only the file's text is used.
func (c *composer) reportLostFields(l *lossList) {
	for i := range l.it.Entries {
		e := &l.it.Entries[i]
		switch definition.LookupField(e.Key) {
		case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo, definition.FieldAlwaysApply, definition.FieldName, definition.FieldDescription, definition.FieldTitle:
			continue
		}
		if e.Value.Kind != definition.Null {
			l.reportLoss(l.it.entryLine(e), LossField, fmt.Sprintf("%s has no equivalent of the field %s in %s", c.p.Name, e.Key, c.x.Whole), "")
		}
	}
}

// escapeImports disables imports of files outside the project by formatting them as code. It
// returns false if that is not possible.
func (c *composer) escapeImports(l *lossList, text string) (out string, ok bool) {
	if !c.x.Imports {
		return text, true
	}
	outside := func(seg body.Segment) bool {
		return seg.Kind == body.FileRef && !seg.Quoted() && isOutside(path.Dir(l.it.Source), seg.Name)
	}
	var b strings.Builder
	broken := false
	for seg := range body.Scan(text, body.Options{}) {
		src := seg.Source(text)
		if outside(seg) {
			l.reportLoss(0, LossFile, fmt.Sprintf("%s would read %s, which is outside the project, so the import is put in a code span and treated as plain text", c.p.Name, chars.Truncate(src, 60)), "insert the file's text if you need it")
			src, broken = "`"+src+"`", true
		}
		b.WriteString(src)
	}
	if !broken {
		return text, true
	}
	for seg := range body.Scan(b.String(), body.Options{}) {
		if outside(seg) {
			l.omit(LossFile, fmt.Sprintf("%s would read %s, which is outside the project, so the file is omitted", c.p.Name, chars.Truncate(seg.Name, 60)), "remove the import")
			return "", false
		}
	}
	return b.String(), true
}

// isOutside reports whether a path mentioned by a file in dir is outside the project.
func isOutside(dir, name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || len(name) > 1 && name[1] == ':' {
		return true
	}
	at := path.Join(dir, name)
	return at == ".." || strings.HasPrefix(at, "../")
}

// relinked adapts the links and imports in text to the file's new path and reports imports that
// have no effect there. If the host does not support imports, file references in a rule file become
// relative to the project root, because that is the model's working directory.
func (c *composer) relinked(l *lossList, to, text string, line func(int) int) string {
	l.imports(c, to, text, line)
	fromTop := !c.x.Imports && path.Base(to) != path.Base(c.x.Whole)
	r := relinker{lossList: l, p: c.p, from: l.it.At, to: to, line: line, imports: true, fromTop: fromTop}
	return r.text(text)
}

// imports reports the imports in text that have no effect in the host's file.
func (l *lossList) imports(c *composer, to, text string, line func(int) int) {
	if !strings.Contains(text, "@") || c.readsImports(to, l.it.Nested) {
		return
	}
	for seg := range body.Scan(text, body.Options{}) {
		if seg.Kind != body.FileRef || seg.Quoted() {
			continue
		}
		// Do not report a file that the host includes anyway.
		if file := path.Join(path.Dir(l.it.Source), seg.Name); !c.isWhole(file) && (l.it.IsFile == nil || l.it.IsFile(file)) {
			l.reportLoss(line(seg.Span.Start), LossFile, fmt.Sprintf("%s does not support imports, so %s is left as is", c.p.Name, chars.Truncate(seg.Source(text), 60)), "insert the file's text instead")
		}
	}
}

// readsImports reports whether the host follows imports in the file at the given path.
func (c *composer) readsImports(file, nested string) bool {
	in := c.p.Instructions
	if in == nil {
		return c.x.Imports
	}
	at := strings.TrimPrefix(strings.TrimPrefix(file, nested), "/")
	return in.Imports != host.NoImports && !slices.ContainsFunc(in.Rows, func(r host.InstructionRow) bool {
		return r.NoImports && r.Layer == definition.Project && (at == path.Join(r.Dir, r.File) || r.File == "" && strings.HasPrefix(at, r.Dir+"/"))
	})
}
