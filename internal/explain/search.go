package explain

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/resolve"
)

// maxAstray is how many files of one name are explained that stand where no view
// looks.
const maxAstray = 20

// astray finds files of the name anywhere in the project, for a name that nothing
// has where hosts and collections keep definitions: a directory may be misspelt.
func (e *explainer) astray() []*subject {
	if e.name == "" || strings.ContainsAny(e.name, "/\x00") {
		return nil
	}
	var list []*subject
	e.neutral.c.Quick.Search(e.ctx, []string{"."}, func(file string) bool {
		// What stands in a host's directory further down is for Options.Nested.
		if check.NameOf(file) == e.name && !isReadme(file) && !strings.Contains(file, "/.") {
			if kind, ok := kindNear(file); ok && e.wants(kind) {
				list = append(list, e.outside(file, kind))
			}
		}
		return len(list) < maxAstray
	})
	return list
}

// collected finds the definitions in the directories that collections use.
func (e *explainer) collected() []*subject {
	tree := e.neutral.c.Quick.Project
	var list []*subject
	e.neutral.c.Quick.Search(e.ctx, e.neutral.profile.Collections, func(file string) bool {
		kind, ok := kindOf(file)
		if !ok || !e.wants(kind) || isReadme(file) {
			return true
		}
		if kind != definition.Skill || !strings.EqualFold(path.Base(file), catalog.SkillFileName) {
			// Directories of such names often hold something else.
			var begin [3]byte
			if n, _, err := tree.ReadHead(file, begin[:]); err != nil || !bytes.Equal(begin[:n], []byte("---")) || kind == definition.Skill {
				return true
			}
		}
		list = append(list, e.outside(file, kind))
		return true
	})
	return list
}

// outside describes a file of the project that no view has.
func (e *explainer) outside(file string, kind definition.Kind) *subject {
	return &subject{
		real: e.neutral.c.Quick.Project.RealPath(file), kind: kind, name: check.NameOf(file), path: file, layer: definition.Project,
	}
}

func isReadme(file string) bool { return strings.EqualFold(check.NameOf(file), "readme") }

// kindNear is kindOf where the name of a directory may be misspelt, in a directory
// such as those of hosts.
func kindNear(file string) (definition.Kind, bool) {
	if kind, ok := kindOf(file); ok {
		return kind, true
	}
	first, _, _ := strings.Cut(file, "/")
	if !strings.HasPrefix(first, ".") || !strings.EqualFold(path.Ext(file), ".md") {
		return 0, false
	}
	var words []string
	for _, k := range definition.Kinds {
		words = append(words, k.String()+"s")
	}
	for _, part := range slices.Backward(strings.Split(path.Dir(file), "/")) {
		if near := resolve.Nearest(part, words); len(near) > 0 {
			return definition.ParseKind(near[0])
		}
	}
	return 0, false
}
