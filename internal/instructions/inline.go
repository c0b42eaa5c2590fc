package instructions

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/vfs"
)

// inlineAll replaces the imports in text with the text of the imported files. It also returns these
// files as parts. Some hosts allow repeated imports, but a file must not import itself, directly or
// indirectly.
func (x *builder) inlineAll(in *importer, text string, place func(int) int) (out string, parts []loadedPart) {
	find := InlineImports
	if x.table.Inline.Tokens {
		find = TokenImports
	}
	left := max(maxParts-x.inlined, 0) + max(maxEmptyImports-x.emptyImports, 0) + 1
	imports := find(text, left)
	if len(imports) == 0 {
		return text, nil
	}
	if in.depth == x.depth {
		x.reportImport(in, Import{Path: imports[0].Path, Offset: place(imports[0].Start)}, diag.DepthLimit,
			fmt.Sprintf("imports are followed up to %d levels deep", x.depth), "import it from a file higher in the import chain")
		return text, nil
	}
	var b strings.Builder
	last := 0
	for _, e := range imports {
		if x.ctx.Err() != nil || x.atImportLimit(in.d.Origin.Path) {
			break
		}
		if e.Start < last {
			continue
		}
		i := Import{Path: e.Path, Offset: place(e.Start)}
		one, list, replaced := x.inlineOne(in, i)
		if !replaced {
			continue
		}
		b.WriteString(text[last:e.Start])
		b.WriteString(one)
		last = e.End
		parts = append(parts, list...)
	}
	b.WriteString(text[last:])
	return b.String(), parts
}

// inlineOne returns the replacement for one import. replaced is false if the host leaves the
// import unchanged.
func (x *builder) inlineOne(in *importer, i Import) (text string, parts []loadedPart, replaced bool) {
	texts := &x.table.Inline
	x.emptyImports++
	// why is the reason that the host gives, if any.
	failed := func(why string) (string, bool) {
		if texts.Failed == nil {
			return "", false
		}
		return texts.Failed(i.Path, why), true
	}
	fail := func(why string, u readProblem) (string, []loadedPart, bool) {
		x.reportImport(in, i, u.code, u.message, u.fix)
		text, replaced := failed(why)
		return text, nil, replaced
	}
	if len(i.Path) > maxImportPath {
		return fail("ENAMETOOLONG", readProblem{
			diag.FileName, fmt.Sprintf("the path is longer than %d bytes", maxImportPath), "shorten the path",
		})
	}
	abs := i.Path
	if !vfs.IsAbs(abs) {
		abs = path.Join(path.Dir(in.d.Origin.Real), abs)
	}
	abs = path.Clean(abs)
	tree, rel, ok := x.locate(in.d, i.Path)
	if !ok || strings.Contains(i.Path, "://") || !AtOrBelow(abs, in.root) {
		x.reportImport(in, i, diag.FileOutsideRoot, "the file is outside the directories that these instructions may import from", copyFix(in.d))
		if texts.Outside == nil {
			return "", nil, false
		}
		return texts.Outside(i.Path), nil, true
	}
	d := &definition.Definition{Kind: definition.Instruction, Origin: definition.Origin{Layer: in.d.Origin.Layer,
		Plugin: in.d.Origin.Plugin}}
	d.Origin.Path = x.c.Full.Show(tree, rel)
	refused := func(err error) (string, []loadedPart, bool) {
		why := err.Error()
		if errors.Is(err, vfs.ErrDirectory) {
			why = "EISDIR: illegal operation on a directory, read"
		}
		if errors.Is(err, fs.ErrNotExist) {
			if texts.Missing == nil {
				return "", nil, false
			}
			why = texts.Missing(abs)
			if !strings.ContainsAny(i.Path, "./") {
				// "@someone" usually refers to a person or a package, not a file.
				text, replaced := failed(why)
				return text, nil, replaced
			}
		}
		return fail(why, x.importProblem(err, d.Origin.Path, i.Path))
	}
	if err := vfs.CheckName(i.Path); err != nil {
		return refused(fs.ErrNotExist)
	}
	tree, rel, err := x.resolveImport(in.d, tree, rel)
	if err != nil {
		return refused(err)
	}
	real := tree.RealPath(rel)
	if slices.Contains(in.ancestors, real) {
		x.reportImport(in, i, diag.LinkLoop, "the import is circular", "remove the import")
		return texts.Cycle(i.Path, real), nil, true
	}
	if _, ok := in.imported[real]; ok && texts.Once {
		return texts.Cycle(i.Path, real), nil, true
	}
	if texts.MaxFiles > 0 && len(in.imported) > texts.MaxFiles {
		return fail("", readProblem{
			diag.FileLimit, fmt.Sprintf("a file can import at most %d other files", texts.MaxFiles), "import fewer files",
		})
	}
	seen := x.seen[real]
	data, err := x.read(real, func() ([]byte, error) { return tree.ReadFile(rel, x.maxFile) })
	if err != nil {
		return refused(err)
	}
	if !seen {
		// If the imported file is itself an instruction file, the host reads it again.
		delete(x.seen, real)
	}
	x.emptyImports--
	x.inlined++
	in.imported[real]++
	d.Origin.Real, d.Size = real, int64(len(data))
	next := &importer{
		d: d, doc: parse.File(d, data, x.c.Profile), depth: in.depth + 1, root: in.root, imported: in.imported,
		ancestors: append(in.ancestors[:len(in.ancestors):len(in.ancestors)], real),
	}
	x.checkEncoding(next.doc.File)
	if e := x.audit(next); e != nil {
		return fail(e.Message, readProblem{e.Code, e.Message, e.Fix})
	}
	text, place := x.textOf(next)
	text, parts = x.inlineAll(next, text, place)
	part := FilePart{
		Path: d.Origin.Path, Layer: d.Origin.Layer, ImportedBy: in.d.Origin.Path, Bytes: int64(len(data)), Text: text,
	}
	shown := catalog.Absolute(x.c.Quick.Project, d.Origin.Path)
	return texts.Imported(i.Path, real, text), append([]loadedPart{{FilePart: part, path: shown, inline: true}}, parts...), true
}

// importRoot returns the directory that a file's inline imports cannot leave. It is the project or,
// for a file outside the project, the file's own directory.
func (x *builder) importRoot(d *definition.Definition) string {
	if p := x.c.Quick.Project; p != nil && d.Origin.Layer == definition.Project {
		return p.Real()
	}
	return path.Dir(d.Origin.Real)
}
