package export

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
)

// Moves says where the definitions go that an export takes along: from the directory
// of a skill, or the file of another definition, to that in the host. A link from one
// to another stays where it leads from copy to copy as it does from source to source.
func Moves(c *catalog.Catalog, p *host.Profile, list []*definition.Definition) map[string]string {
	x := Exporter{C: c, P: p}
	moves := map[string]string{}
	for _, d := range list {
		from := pathInProject(c, d)
		if d.Kind == definition.Instruction || d.Format == definition.Package || from == "" || x.home(d) {
			continue
		}
		to := Destination(p, d.Kind, d.Name)
		if to == "" {
			continue
		}
		if d.Kind == definition.Skill && path.Dir(d.Origin.Path) != d.Origin.Root && strings.EqualFold(path.Base(from), "SKILL.md") {
			from, to = path.Dir(from), path.Dir(to)
		}
		moves[from] = to
	}
	return moves
}

// moved returns where a file goes with its definition.
func (x *Exporter) moved(file string) (string, bool) {
	for at := file; at != "." && at != "/"; at = path.Dir(at) {
		if to, ok := x.Moves[at]; ok {
			x.Used[at] = true
			return to + strings.TrimPrefix(file, at), true
		}
	}
	return "", false
}

// Settled returns nil where all definitions that links rest on were made, else the
// moves of the others, with which the export is made anew.
func (x *Exporter) Settled() map[string]string {
	made := map[string]bool{}
	for _, f := range x.Out.Files {
		made[f.Path], made[path.Dir(f.Path)] = true, true
	}
	var left map[string]string
	for from := range x.Used {
		if made[x.Moves[from]] {
			continue
		}
		if left == nil {
			left = map[string]string{}
			for k, v := range x.Moves {
				left[k] = v
			}
		}
		delete(left, from)
	}
	return left
}
