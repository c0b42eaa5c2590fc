package instructions

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// errFilesDenied is returned if the policy does not allow definitions from this source to include
// files.
var errFilesDenied = errors.New("the policy does not allow definitions from this source to include files")

// errUTF16 is returned if a file is encoded in UTF-16, which only hosts that read arbitrary bytes
// accept.
var errUTF16 = errors.New("the file is encoded in UTF-16")

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// readProblem explains why a file is not included and how to fix the problem.
type readProblem struct {
	code         diag.Code
	message, fix string
}

// fileProblem explains an error that occurred while reading a file. shown is
// the file's display path.
func (x *builder) fileProblem(err error, shown string) readProblem {
	known := catalog.RefError(err)
	u := readProblem{known.Code, known.Message, "grant your user read permission for " + shown}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		u.fix = "create " + shown
	case errors.Is(err, errFilesDenied):
		u = readProblem{diag.FileProtected, err.Error(), "to see what the policy allows, run: vade policy show"}
	case errors.Is(err, catalog.ErrProtected):
		u.fix = "move the text for the model to another file and import that file"
	case errors.Is(err, vfs.ErrDirectory):
		u.fix = "replace it with a file"
	case errors.Is(err, vfs.ErrOutside):
		u.fix = "replace the symlink with a copy of the file"
	case errors.Is(err, vfs.ErrLoop):
		u.fix = "point the symlink at a file"
	case errors.Is(err, vfs.ErrNotRegular):
		u.fix = "replace it with a text file"
	case errors.Is(err, vfs.ErrHardLink):
		u.fix = "replace it with a copy of the file"
	case errors.Is(err, vfs.ErrTooLarge):
		u.message = fmt.Sprintf("the file is larger than %d MiB", x.maxFile>>20)
		u.fix = fmt.Sprintf("split it into files of at most %d MiB", x.maxFile>>20)
	case errors.Is(err, errUTF16):
		u = readProblem{diag.EncodingUTF16, err.Error(), "save it as UTF-8"}
	case errors.Is(err, catalog.ErrBinary):
		u.message = "the file contains NUL bytes, so it is not text"
		u.fix = "save it as UTF-8 text"
	}
	return u
}

// importProblem explains an error that occurred while reading an import. If the import refers to a
// missing file, a directory or a file that is not text, the fix also suggests backticks, because
// the "@" may not be meant as an import (Claude Code 2.1.329, case f11).
func (x *builder) importProblem(err error, shown, ref string) readProblem {
	u := x.fileProblem(err, shown)
	switch {
	case errors.Is(err, vfs.ErrDirectory):
		u.fix = fmt.Sprintf("import a file from the directory, such as @%s/README.md", strings.TrimSuffix(ref, "/"))
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, catalog.ErrBinary), errors.Is(err, vfs.ErrNotRegular):
	default:
		return u
	}
	u.fix += fmt.Sprintf(", or put `@%s` in backticks", ref)
	return u
}

// reportImport reports an import that does not include a file.
func (x *builder) reportImport(in *importer, i Import, code diag.Code, message, fix string) {
	name := i.Path
	if len(name) > maxImportPath {
		name = chars.Clip(name, 100)
	}
	x.reportAt(in.doc.File, i.Offset, 1+len(i.Path), func(span diag.Span) diag.Diagnostic {
		return diag.At(in.doc.File, span, code, "@%s is not imported: %s", name, message).WithFix("%s", fix)
	})
}

// checkEncoding reports an import that is not valid UTF-8, as the catalog does for definitions.
func (x *builder) checkEncoding(f *diag.File) {
	if x.c.Profile.AnyBytes || utf8.Valid(f.Data) {
		return
	}
	at := 0
	for r, n := rune(0), 0; r != utf8.RuneError || n > 1; at += n {
		r, n = utf8.DecodeRune(f.Data[at:])
	}
	x.reportAt(f, at-1, 1, func(span diag.Span) diag.Diagnostic {
		return diag.At(f, span, diag.EncodingInvalid, "the file is not valid UTF-8").
			WithFix("save it as UTF-8; invalid bytes were replaced")
	})
}

// reportAt reports an import diagnostic, up to the limit.
func (x *builder) reportAt(f *diag.File, at, length int, what func(diag.Span) diag.Diagnostic) {
	if x.reported == maxImportDiag {
		x.unreportedFile = cmp.Or(x.unreportedFile, f.Name)
		return
	}
	x.reported++
	at = min(at, len(f.Data))
	d := what(diag.Span{Start: at, End: min(at+length, len(f.Data))})
	if d.Source == x.lastLine {
		// Reuse the string, so that problems on the same long line do not each keep a copy of it.
		d.Source = x.lastLine
	}
	x.lastLine = d.Source
	x.report(d)
}

func (x *builder) reportLimits() {
	var said []string
	fix := "put @ references that are not imports in backticks"
	if x.unreportedFile != "" {
		said = append(said, fmt.Sprintf("only the first %d import problems are reported", maxImportDiag))
	}
	if x.importLimitFile != "" {
		said = append(said, fmt.Sprintf("imports after the first %d unresolved ones are ignored", maxEmptyImports))
	}
	if x.limitFile != "" {
		said = append(said, fmt.Sprintf("at most %d files and %d MiB of instructions are included; the rest is omitted", maxParts, maxPartBytes>>20))
		fix = "reduce the number or size of the instruction files"
	}
	if len(said) > 0 {
		x.report(diag.For(cmp.Or(x.limitFile, x.importLimitFile, x.unreportedFile), diag.FileLimit, "%s", strings.Join(said, "; ")).WithFix("%s", fix))
	}
}

// reportOutside reports that a file being worked on is outside the project.
func (x *builder) reportOutside(file string) {
	x.report(diag.For(file, diag.FileOutsideRoot, "the file is outside the project, so it does not activate any instructions").
		WithFix("specify a file in the project, or use -C DIR for another project"))
}

// copyFix returns the suggested fix for an import outside the allowed directories.
func copyFix(d *definition.Definition) string {
	if d.Origin.Layer == definition.Managed || d.Origin.Layer == definition.User {
		return "copy the file next to the importing file or into the project, and import the copy"
	}
	return "copy the file into the project and import the copy"
}

// excludeFix returns the suggested fix for a file that the host's settings exclude.
func (x *builder) excludeFix() string {
	return "remove the pattern that matches the file from " + x.table.Excludes + " in the host's settings"
}

// missingAgent reports that the request's agent is unknown. consequence is appended to the
// message.
func (x *builder) missingAgent(names []string, consequence string) {
	fix := "to list agents, run: vade list --kind agent"
	if x.table != nil {
		fix = "to list agents, run: vade list --host " + x.c.Options.As + " --kind agent"
	}
	slices.Sort(names)
	fix = catalog.DidYouMean(x.agent, slices.Compact(names), fix)
	x.report(diag.For("", diag.AgentNotFound, "unknown agent %q%s", x.agent, consequence).WithFix("%s", fix))
}

// sessionAgent reports whether the session runs as a known agent. It is inferred that an unknown
// name has no effect.
func (x *builder) sessionAgent(all *resolve.Catalog) bool {
	if x.agent == "" {
		return false
	}
	var own []string
	if t := x.c.Profile.Listing; t != nil {
		own = t.OwnAgents
	}
	if all.Get(definition.Agent, x.agent) != nil || slices.Contains(own, x.agent) {
		return true
	}
	if x.c.Options.Client.Bare {
		x.report(diag.For("", diag.AgentNotFound, "unknown agent %q: a bare session does not read definitions", x.agent).
			WithFix("omit --bare or --agent"))
		return false
	}
	x.missingAgent(append(all.Names(definition.Agent), own...), "; the session runs without an agent")
	return false
}

// neutralAgent reports that no definition or instruction file names the request's agent.
func (x *builder) neutralAgent(all *resolve.Catalog) {
	names := all.Names(definition.Agent)
	for _, d := range all.All {
		if d.Kind == definition.Agent && (d.Name == x.agent || catalog.AgentID(d) == x.agent) {
			return
		}
		for _, name := range d.Fields.Agents() {
			if name != "*" {
				names = append(names, name)
			}
		}
	}
	if x.agent != "" && !slices.Contains(names, x.agent) {
		x.missingAgent(names, ", and no instructions mention it")
	}
}
