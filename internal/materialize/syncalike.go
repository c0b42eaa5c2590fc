package materialize

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/parse"
)

// alike reports whether the host reads the same from another text as from a file: its
// fields, and its text or prompt, in whatever words of the format. Instructions may write
// the path of an import otherwise.
func (w *hostWants) alike(f *export.ExportedFile, data []byte) bool {
	if !w.same(f, data) {
		return false
	}
	if strings.HasSuffix(f.Path, ".toml") {
		a, b := readTOML(f.Path, f.Data), readTOML(f.Path, data)
		return a.Valid && b.Valid && parse.Prompt(a.Entries) == parse.Prompt(b.Entries)
	}
	a, b := rules.TextOf(f.Path, f.Data).Body, rules.TextOf(f.Path, data).Body
	return a == b || f.Kind == definition.Instruction && plainImports(a) == plainImports(b)
}

func readTOML(name string, data []byte) frontmatter.Document {
	doc, _ := frontmatter.ParseTOML(diag.NewFile(name, data))
	return doc
}

// plainImports writes the paths of the imports in a text without what leads nowhere, such
// as "./".
func plainImports(text string) string {
	var b strings.Builder
	at := 0
	for _, i := range instructions.Imports(text, maxRebased) {
		end := i.Offset + len("@") + len(i.Path)
		if i.Offset < at || end > len(text) || text[i.Offset:end] != "@"+i.Path || strings.HasSuffix(i.Path, "/") {
			continue
		}
		b.WriteString(text[at:i.Offset])
		b.WriteString("@" + path.Clean(i.Path))
		at = end
	}
	return b.String() + text[at:]
}
