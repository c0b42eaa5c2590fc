package materialize

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/vfs"
)

// maxRebased is how many imports of one file are looked at.
const maxRebased = 10000

// rebased takes out those instruction files that would not import from their new place
// what their sources do from theirs, and says so.
func (m *Importer) rebased(files []export.ExportedFile, list []*definition.Definition) []export.ExportedFile {
	own := map[string]bool{}
	for _, f := range files {
		if f.Kind == definition.Instruction && !m.isWhole(f.Path) {
			own[f.Source] = true
		}
	}
	// What a text imports that is brought over itself may stand beside it.
	members, joined, from := map[string]bool{}, map[string]bool{}, []string{}
	for _, d := range list {
		if d.Kind != definition.Instruction {
			continue
		}
		members[d.Origin.Path] = true
		if !own[d.Origin.Path] {
			for p := range m.imports(d.Origin.Path, nil) {
				joined[p], from = true, append(from, d.Origin.Path)
			}
		}
	}
	return slices.DeleteFunc(files, func(f export.ExportedFile) bool {
		if f.Kind != definition.Instruction {
			return false
		}
		want, sources := joined, from
		if own[f.Source] {
			want, sources = m.imports(f.Source, nil), []string{f.Source}
		}
		got := m.imports(f.Path, f.Data)
		wrong := ""
		for _, p := range slices.Sorted(maps.Keys(want)) {
			if !got[p] && !members[p] {
				wrong = p
			}
		}
		for _, p := range slices.Sorted(maps.Keys(got)) {
			if !want[p] {
				wrong = p
			}
		}
		if wrong == "" {
			return false
		}
		if len(sources) == 0 {
			sources = []string{f.Source}
		}
		m.problem(diag.ImportLeft, sources[0], "name the file in words, or without blanks in its path", "it is not brought over: %s would not import the same files (%s)", f.Path, wrong)
		return true
	})
}

// imports are the files of the project that a text imports, by their paths below the
// top; without data the text is that of the file.
func (m *Importer) imports(file string, data []byte) map[string]bool {
	if data == nil {
		data, _ = m.Tree.ReadFile(file, maxCompanion)
	}
	found := map[string]bool{}
	for _, i := range instructions.Imports(rules.TextOf(file, data).Body, maxRebased) {
		name := strings.ReplaceAll(i.Path, "\\ ", " ")
		if strings.HasPrefix(name, "~") || vfs.IsAbs(name) {
			continue
		}
		at := path.Join(path.Dir(file), name)
		if typ, err := m.Tree.Lstat(at); err == nil && typ != vfs.Dir {
			found[at] = true
		}
	}
	return found
}
