package instructions

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/vfs"
)

// loadedPart adds to a part what is needed to format it. label is the label of the file's row in
// the host's table, and path is the file's path in the form that the host uses. inline is set if
// the part's text is included in another part.
type loadedPart struct {
	FilePart
	path, label string
	inline      bool
	// rule is set if the part's row is conditional.
	rule bool
}

// importer is a file whose imports are being processed.
type importer struct {
	d     *definition.Definition
	doc   parse.Document
	depth int
	// noImports is set if the file cannot import other files.
	noImports bool
	// ancestors are the canonical paths of the importing files.
	ancestors []string
	// root is the absolute directory that inline imports cannot leave. imported maps the canonical
	// paths of inlined files to the number of times that each was inlined.
	root     string
	imported map[string]int
}

// load reads a file and its imports. Each file is read once per build. finish is the function that
// trims the text. If the file has no text, load adds no part and does not read the imports.
func (x *builder) load(f *instructionFile, finish func(string) string) []loadedPart {
	d := f.d
	if x.seen[d.Origin.Real] || x.atLimit(d.Origin.Path) {
		return nil
	}
	if d.ReasonCode == diag.LinkOutside {
		x.report(d.Diagnostics...)
		return nil
	}
	data, err := x.read(d.Origin.Real, func() ([]byte, error) { return x.c.Full.Read(d.Origin.Real, x.maxFile) })
	if err != nil {
		u := x.fileProblem(err, d.Origin.Path)
		x.report(diag.For(d.Origin.Path, u.code, "cannot include the instructions: %s", u.message).WithFix("%s", u.fix))
		return nil
	}
	if d.State == definition.Loaded {
		x.report(d.Diagnostics...)
	}
	in := &importer{d: d, doc: parse.File(d, x.truncate(f, data), x.c.Profile), root: x.importRoot(d),
		imported: map[string]int{d.Origin.Real: 0}}
	if e := x.audit(in); e != nil {
		x.report(diag.For(d.Origin.Path, e.Code, "%s", e.Message).WithFix("%s", e.Fix))
		return nil
	}
	in.noImports = f.row.NoImports || x.table != nil && x.table.Imports == host.NoImports
	parts := x.parts(in, f.path, "", finish)
	for i := range parts {
		parts[i].label, parts[i].rule = f.row.Label, f.row.Conditional
	}
	return parts
}

// textOf returns a file's text before its imports are inlined. place maps the offset of an "@" in
// that text to its offset in the file; see decoded.
func (x *builder) textOf(in *importer) (text string, place func(int) int) {
	if x.table != nil && x.table.Whole {
		whole := in.doc
		whole.Body, whole.BodyAt = string(in.doc.File.Data), 0
		return decoded(&whole)
	}
	return decoded(&in.doc)
}

// parts returns the parts for a file and its imports.
func (x *builder) parts(in *importer, shown, importedBy string, finish func(string) string) []loadedPart {
	text, place := x.textOf(in)
	x.bytes += int64(max(len(text)-len(in.doc.File.Data), 0))
	body := text
	whole := x.table != nil && x.table.Whole
	if x.table != nil && !whole {
		body = WithoutComments(body)
	}
	if in.doc.Frontmatter != "" && !whole {
		// The host treats blank lines after the frontmatter as part of the frontmatter (m44).
		body = strings.TrimLeftFunc(body, chars.IsSpace)
	}
	if Trim(body) == "" && !x.sendsBlank(body) {
		return nil
	}
	in.ancestors = append(in.ancestors[:len(in.ancestors):len(in.ancestors)], in.d.Origin.Real)
	var embedded []loadedPart
	if x.table != nil && x.table.Imports == host.ImportsInline && !in.noImports {
		body, embedded = x.inlineAll(in, body, place)
	}
	part := FilePart{
		Path: in.d.Origin.Path, Layer: in.d.Origin.Layer, ImportedBy: importedBy,
		Bytes: int64(len(in.doc.File.Data)), Text: finish(body),
	}
	x.reportCloser(in, part.Text)
	list := append([]loadedPart{{FilePart: part, path: shown}}, embedded...)
	if in.noImports || x.table != nil && x.table.Imports == host.ImportsInline {
		return list
	}
	// Allow one import beyond the limit, so that exceeding the limit is noticed.
	left := max(maxParts-len(x.seen), 0) + max(maxEmptyImports-x.emptyImports, 0) + 1
	for _, i := range Imports(text, left) {
		if x.ctx.Err() != nil || x.atImportLimit(in.d.Origin.Path) {
			return list
		}
		i.Offset = place(i.Offset)
		list = append(list, x.followImport(in, i, finish)...)
	}
	return list
}

// sendsBlank reports whether the host sends a file whose body is empty or consists of whitespace.
func (x *builder) sendsBlank(body string) bool {
	return x.table != nil && (x.table.Empty || x.table.Blank && body != "")
}

// reportCloser reports text that would close the element in which the host wraps the file. The host
// does not escape such text, so Vade does not either.
func (x *builder) reportCloser(in *importer, text string) {
	if x.table != nil && x.table.Closer != "" && strings.Contains(text, x.table.Closer) {
		x.report(diag.For(in.d.Origin.Path, diag.InstructionTag, "the file contains %s, the tag that closes the host's enclosing element", x.table.Closer).
			WithFix("remove the tag from the file"))
	}
}

// decoded returns a file's body as the host decodes it. The decoding was observed for definitions
// (case m19) and is inferred for instructions. place maps the offset of an "@" in the body to its
// offset in the file. place must be called with increasing offsets.
func decoded(doc *parse.Document) (text string, place func(int) int) {
	at := max(doc.BodyAt, 0)
	if doc.BodyAt < 0 || utf8.Valid(doc.File.Data[at:]) {
		return chars.ReplaceInvalid(doc.Body), func(i int) int { return at + i }
	}
	raw := doc.File.Data[at:]
	text = chars.ReplaceInvalid(string(raw))
	done, rest := 0, raw
	return text, func(i int) int {
		for n := strings.Count(text[done:i], "@"); n > 0; n-- {
			rest = rest[bytes.IndexByte(rest, '@')+1:]
		}
		done = i
		return at + len(raw) - len(rest) + bytes.IndexByte(rest, '@')
	}
}

func (x *builder) followImport(in *importer, i Import, finish func(string) string) []loadedPart {
	fail := func(code diag.Code, message, fix string) []loadedPart {
		x.reportImport(in, i, code, message, fix)
		return nil
	}
	x.emptyImports++
	if len(i.Path) > maxImportPath {
		return fail(diag.FileName, fmt.Sprintf("the path is longer than %d bytes", maxImportPath), "shorten the path")
	}
	if vfs.CheckName(i.Path) != nil {
		return fail(diag.FileName, "the "+vfs.ErrBadName.Error(), "rename the file and update the import")
	}
	tree, rel, ok := x.locate(in.d, i.Path)
	if !ok {
		return fail(diag.FileOutsideRoot, "the file is outside the directories that these instructions may import from", copyFix(in.d))
	}
	d := &definition.Definition{Kind: definition.Instruction, Origin: definition.Origin{Layer: in.d.Origin.Layer,
		Plugin: in.d.Origin.Plugin}}
	d.Origin.Path = x.c.Full.Show(tree, rel)
	if x.table != nil && in.d.Origin.Layer != definition.Managed && x.excluded(catalog.Absolute(x.c.Quick.Project, d.Origin.Path)) {
		return fail(diag.SwitchedOff, "the host's settings exclude the file", x.excludeFix())
	}
	unread := func(err error) []loadedPart {
		u := x.importProblem(err, d.Origin.Path, i.Path)
		return fail(u.code, u.message, u.fix)
	}
	tree, rel, err := x.resolveImport(in.d, tree, rel)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(i.Path, "./"):
		// "@someone" usually refers to a person or a package, not a file.
		return nil
	case err != nil:
		return unread(err)
	}
	real := tree.RealPath(rel)
	switch {
	case slices.Contains(in.ancestors, real):
		return fail(diag.LinkLoop, "the import is circular", "remove the import")
	case x.seen[real]:
		// A file is often imported more than once. Include it only once.
		return nil
	case in.depth == x.depth:
		return fail(diag.DepthLimit, fmt.Sprintf("imports are followed up to %d levels deep", x.depth), "import it from a file higher in the import chain")
	}
	data, err := x.read(real, func() ([]byte, error) { return tree.ReadFile(rel, x.maxFile) })
	if err != nil {
		return unread(err)
	}
	x.emptyImports--
	d.Origin.Real, d.Size = real, int64(len(data))
	next := &importer{d: d, doc: parse.File(d, data, x.c.Profile), depth: in.depth + 1, ancestors: in.ancestors}
	x.checkEncoding(next.doc.File)
	if e := x.audit(next); e != nil {
		return fail(e.Code, e.Message, e.Fix)
	}
	return x.parts(next, catalog.Absolute(x.c.Quick.Project, d.Origin.Path), in.d.Origin.Path, finish)
}

// locate returns the file that an import refers to. The reference is absolute, relative to the home
// directory, or relative to the directory of the importing file after symlinks are resolved. A
// project file can import only from the project (case f06). A file from another layer can also
// import from its own layer's trees. The rules for symlinks and other layers are inferred.
func (x *builder) locate(d *definition.Definition, ref string) (*vfs.Tree, string, bool) {
	abs := path.Join(path.Dir(d.Origin.Real), ref)
	switch {
	case strings.HasPrefix(ref, "~/"):
		if x.c.Env.Home == "" {
			return nil, "", false
		}
		abs = path.Join(x.c.Env.Home, ref[2:])
	case vfs.IsAbs(ref):
		abs = path.Clean(ref)
	}
	trees := []*vfs.Tree{x.c.Full.Project}
	if d.Origin.Layer != definition.Project {
		for i := range x.c.Full.Places {
			if pl := &x.c.Full.Places[i]; pl.Layer == d.Origin.Layer {
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

// resolveImport follows symlinks that the tree allows. It returns an error if the file is protected
// or if the policy does not allow definitions from d's source to include files.
func (x *builder) resolveImport(d *definition.Definition, tree *vfs.Tree, rel string) (*vfs.Tree, string, error) {
	if x.policy == nil {
		x.policy, _ = x.c.EffectivePolicy()
	}
	if !x.policy.Source(d.Origin.Layer, d.Origin.Plugin, "").Files {
		return nil, "", errFilesDenied
	}
	if _, ok := x.policy.Protected.Match(rel); ok {
		return nil, "", catalog.ErrProtected
	}
	tree, rel, err := tree.Resolve(rel)
	if err != nil {
		return nil, "", err
	}
	if _, ok := x.policy.Protected.Match(rel); ok {
		return nil, "", catalog.ErrProtected
	}
	return tree, rel, nil
}

// read returns the content of a text file, given its canonical path. It accepts invalid UTF-8 but
// rejects files with NUL bytes, as hosts are assumed to do. A file that could not be read is not
// tried again.
func (x *builder) read(real string, read func() ([]byte, error)) ([]byte, error) {
	if err := x.readErrors[real]; err != nil {
		return nil, err
	}
	data, err := read()
	x.bytes += int64(len(data))
	switch {
	case err != nil:
	case !x.c.Profile.AnyBytes && isUTF16(data):
		err = errUTF16
	case bytes.IndexByte(data, 0) >= 0:
		err = catalog.ErrBinary
	}
	if err != nil {
		x.readErrors[real] = err
		return nil, err
	}
	x.seen[real] = true
	return data, nil
}

// atLimit reports whether the build has reached its limits.
func (x *builder) atLimit(at string) bool {
	if len(x.seen)+x.inlined < maxParts && x.bytes < maxPartBytes {
		return false
	}
	x.limitFile = cmp.Or(x.limitFile, at)
	return true
}

// atImportLimit reports whether the build has reached its limits, including the limit on imports
// that do not include a file.
func (x *builder) atImportLimit(at string) bool {
	if x.emptyImports < maxEmptyImports {
		return x.atLimit(at)
	}
	x.importLimitFile = cmp.Or(x.importLimitFile, at)
	return true
}

// readSettings applies the host's instruction settings.
func (x *builder) readSettings() {
	s := x.c.Settings(x.ctx)
	x.report(s.Diagnostics...)
	if x.table.Mode != nil {
		x.mode = x.table.Mode(s.InstructionFiles)
	}
	x.excludes = excludePatterns(s.InstructionExcludes)
}
