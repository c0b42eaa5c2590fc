package export

import (
	"maps"
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
)

// Moves returns a map from the path of each definition in an export to its path in the host. A key
// is the directory of a skill or the file of another definition. Links between definitions keep
// working because they are adapted to the new paths.
func Moves(c *catalog.Catalog, p *host.Profile, list []*definition.Definition) map[string]string {
	x := Exporter{C: c, P: p}
	moves := map[string]string{}
	for _, d := range list {
		from := pathInProject(c, d)
		if d.Kind == definition.Instruction || d.Format == definition.Package || from == "" || x.inHostDir(d) {
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

// moved returns the new path for a file that moves with its definition.
func (x *Exporter) moved(file string) (string, bool) {
	for at := file; at != "." && at != "/"; at = path.Dir(at) {
		if to, ok := x.Moves[at]; ok {
			x.Used[at] = true
			return to + strings.TrimPrefix(file, at), true
		}
	}
	return "", false
}

// retryMoves returns nil if every definition that a link depends on was exported. Otherwise, it
// returns the moves without the definitions that were not exported, and the caller must repeat the
// export with these moves.
func (x *Exporter) retryMoves() map[string]string {
	exported := map[string]bool{}
	for _, f := range x.Out.Files {
		exported[f.Path], exported[path.Dir(f.Path)] = true, true
	}
	var retry map[string]string
	for from := range x.Used {
		if exported[x.Moves[from]] {
			continue
		}
		if retry == nil {
			retry = maps.Clone(x.Moves)
		}
		delete(retry, from)
	}
	return retry
}
