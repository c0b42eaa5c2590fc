package vade

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/instruct"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/vfs"
)

// loadedPart is a part with its path as the host writes it.
type loadedPart struct {
	InstructionPart
	path string
}

// importing is one file whose imports are read.
type importing struct {
	d     *definition.Definition
	doc   parse.Document
	depth int
	// above are the canonical paths of the files that lead here.
	above []string
}

// load reads a file and all that it imports, each file once in a composition.
// finish makes of a body what is sent. A file without text has no part, and its
// imports are not read.
func (x *composer) load(f *instructionFile, finish func(string) string) []loadedPart {
	d := f.d
	if x.seen[d.Origin.Real] || x.enough(d.Origin.Path) {
		return nil
	}
	data, err := x.c.full.Read(d.Origin.Real, x.maxFile)
	if err != nil {
		u := x.unreadFile(err, d.Origin.Path)
		x.report(diag.For(d.Origin.Path, u.code, "the instructions are not read: %s", u.message).WithFix("%s", u.fix))
		return nil
	}
	x.seen[d.Origin.Real] = true
	if d.State == definition.Loaded {
		x.report(d.Diagnostics...)
	}
	return x.parts(&importing{d: d, doc: parse.File(d, data, x.c.profile)}, f.path, "", finish)
}

// parts returns the part of a file and those of its imports.
func (x *composer) parts(in *importing, shown, importedBy string, finish func(string) string) []loadedPart {
	body := in.doc.Body
	if x.table != nil {
		body = instruct.WithoutComments(body)
	}
	if in.doc.Frontmatter != "" {
		// The host takes the empty lines behind frontmatter for a part of it (m44).
		body = strings.TrimLeftFunc(body, source.IsSpace)
	}
	if instruct.Trim(body) == "" {
		return nil
	}
	x.bytes += int64(len(in.doc.File.Data))
	part := InstructionPart{
		Path: in.d.Origin.Path, Layer: in.d.Origin.Layer, ImportedBy: importedBy,
		Bytes: int64(len(in.doc.File.Data)), Text: finish(body),
	}
	x.guard(in, part.Text)
	list := []loadedPart{{part, shown}}
	in.above = append(in.above[:len(in.above):len(in.above)], in.d.Origin.Real)
	for _, i := range instruct.Imports(in.doc.Body) {
		if x.ctx.Err() != nil {
			return list
		}
		list = append(list, x.follow(in, i, finish)...)
	}
	return list
}

// guard reports what in a text would end the element that a host puts around it.
// The host does nothing about it, and so nothing is done here.
func (x *composer) guard(in *importing, text string) {
	if x.table != nil && x.table.Closer != "" && strings.Contains(text, x.table.Closer) {
		x.report(diag.For(in.d.Origin.Path, diag.InstructionTag, "the text holds %s, which ends the host's own block around it", x.table.Closer).
			WithFix("take it out of the file"))
	}
}

// follow reads one import.
func (x *composer) follow(in *importing, i instruct.Import, finish func(string) string) []loadedPart {
	fail := func(code diag.Code, message, fix string) []loadedPart {
		at := min(max(in.doc.BodyAt, 0)+i.Offset, len(in.doc.File.Data))
		span := source.Span{Start: at, End: min(at+1+len(i.Path), len(in.doc.File.Data))}
		x.report(diag.At(in.doc.File, span, code, "@%s is not imported: %s", i.Path, message).WithFix("%s", fix))
		return nil
	}
	if x.enough(in.d.Origin.Path) {
		return nil
	}
	if err := vfs.CheckName(i.Path); err != nil {
		return fail(diag.FileName, "the name "+err.Error(), "give the file another name and import it by that")
	}
	tree, rel, ok := x.locate(in.d, i.Path)
	if !ok {
		return fail(diag.FileOutsideRoot, "it is outside of what these instructions may import", copyIt(in.d))
	}
	d := &definition.Definition{Kind: Instruction, Origin: definition.Origin{Layer: in.d.Origin.Layer, Plugin: in.d.Origin.Plugin}}
	d.Origin.Path = x.c.full.Show(tree, rel)
	if x.table != nil && in.d.Origin.Layer != Managed && x.excluded(absolute(x.c.quick.Project, d.Origin.Path)) {
		return fail(diag.SwitchedOff, "the host's settings leave it out", x.switchOn())
	}
	real, data, err := x.readImport(in.d, tree, rel)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(i.Path, "./"):
		// "@someone" is a person or a package more often than a file.
		return nil
	case err != nil:
		u := x.unreadImport(err, d.Origin.Path, i.Path)
		return fail(u.code, u.message, u.fix)
	}
	for _, above := range in.above {
		if real == above {
			return fail(diag.LinkLoop, "it leads back here", "take the import out: what is here is in already")
		}
	}
	if x.seen[real] {
		// Once is enough, and often meant.
		return nil
	}
	if in.depth == x.depth {
		return fail(diag.DepthLimit, fmt.Sprintf("imports are followed only %d files deep", x.depth), "import it from a file further up")
	}
	x.seen[real] = true
	d.Origin.Real, d.Size = real, int64(len(data))
	next := &importing{d: d, doc: parse.File(d, data, x.c.profile), depth: in.depth + 1, above: in.above}
	return x.parts(next, absolute(x.c.quick.Project, d.Origin.Path), in.d.Origin.Path, finish)
}

// locate returns where an import is: by its path from the file itself, with links
// in its own path followed (inferred), from the home, or an absolute one. The
// project's files import from the project (f06); the user's and the
// administrator's also from the trees that they stand in (inferred).
func (x *composer) locate(d *definition.Definition, ref string) (*vfs.Tree, string, bool) {
	abs := path.Join(path.Dir(d.Origin.Real), ref)
	switch {
	case strings.HasPrefix(ref, "~/"):
		if x.c.env.Home == "" {
			return nil, "", false
		}
		abs = path.Join(x.c.env.Home, ref[2:])
	case vfs.IsAbs(ref):
		abs = path.Clean(ref)
	}
	trees := []*vfs.Tree{x.c.full.Project}
	if d.Origin.Layer == Managed || d.Origin.Layer == User {
		for i := range x.c.full.Places {
			if pl := &x.c.full.Places[i]; pl.Layer == d.Origin.Layer {
				trees = append(trees, pl.Tree)
			}
		}
	}
	for _, t := range trees {
		if t == nil {
			continue
		}
		if rel, ok := t.Rel(abs); ok {
			return t, rel, true
		}
	}
	return nil, "", false
}

// readImport reads a text file that the policy does not protect, through links
// that stay where the tree's may lead.
func (x *composer) readImport(d *definition.Definition, tree *vfs.Tree, rel string) (real string, data []byte, err error) {
	if x.policy == nil {
		x.policy, _ = x.c.policy()
	}
	if !x.policy.Source(d.Origin.Layer, d.Origin.Plugin, "").Files {
		return "", nil, errNoFiles
	}
	if _, ok := x.policy.Protected.Match(rel); ok {
		return "", nil, errProtected
	}
	data, err = tree.ReadFile(rel, x.maxFile)
	if errors.Is(err, vfs.ErrLink) {
		if tree, rel, err = tree.Resolve(rel); err == nil {
			if _, ok := x.policy.Protected.Match(rel); ok {
				return "", nil, errProtected
			}
			data, err = tree.ReadFile(rel, x.maxFile)
		}
	}
	if err == nil && !isText(data) {
		err = errBinary
	}
	if err != nil {
		return "", nil, err
	}
	return tree.RealPath(rel), data, nil
}

// enough reports whether the composition has all that it may have, and says so
// once.
func (x *composer) enough(at string) bool {
	if len(x.seen) < maxParts && x.bytes < maxPartBytes {
		return false
	}
	if !x.full {
		x.full = true
		x.report(diag.For(at, diag.FileLimit, "at most %d files and %d MiB of instructions are put together; the others are left out", maxParts, maxPartBytes>>20).
			WithFix("divide the instructions"))
	}
	return true
}

// readSettings takes in what the host's settings say of instructions.
func (x *composer) readSettings() {
	s := x.c.settings(x.ctx)
	x.report(s.Diagnostics...)
	if x.table.Mode != nil {
		x.mode = x.table.Mode(s.InstructionFiles)
	}
	x.excludes = excludePatterns(s.InstructionExcludes)
}
