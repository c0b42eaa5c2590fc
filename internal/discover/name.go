package discover

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// nameOf returns the name that a file's path implies, and the part of that name before its last
// element. parts are the names of the directories between the root and the file.
func nameOf(pl *Place, r *host.Rule, parts []string, file, shown string) (name, prefix string) {
	stem := file[:len(file)-min(len(r.Suffix), len(file))]
	switch r.Naming {
	case host.ByFile:
		return fileName(pl, file, shown), ""
	case host.ByDir:
		name = ownDir(pl, parts)
	case host.ByDirPath:
		if name = strings.Join(parts, ":"); name == "" {
			name = ownDir(pl, parts)
		}
	case host.BySlashPath:
		name = strings.Join(append(slices.Clone(parts), stem), "/")
	case host.ByPath:
		parts = slices.Clone(parts)
		if r.Index != "" && strings.EqualFold(stem, r.Index) && len(parts) > 0 {
			name, parts = parts[len(parts)-1], parts[:len(parts)-1]
		} else {
			name = stem
		}
		if len(parts) > 0 {
			prefix = strings.Join(parts, ":") + ":"
		}
	default:
		name = stem
		if pl.Plugin != nil && r.Kind == definition.Agent && len(parts) > 0 {
			prefix = strings.Join(parts, ":") + ":"
		}
	}
	if pl.Plugin != nil && !pl.Root.PlainNames && r.Kind != definition.Instruction {
		prefix = pl.Plugin.Name + ":" + prefix
	}
	return prefix + name, prefix
}

// ownDir returns the name of the directory that contains a file, which may be the root itself.
func ownDir(pl *Place, parts []string) string {
	if len(parts) > 0 {
		return parts[len(parts)-1]
	}
	return path.Base(pl.Tree.RealPath(pl.Dir))
}

// fileName returns the name of an instruction file that does not declare one. The name is the
// file's displayed path or, for a user's file, a path that starts with "~/".
func fileName(pl *Place, file, shown string) string {
	if pl.Layer == definition.User {
		return "~/" + joinShown(pl.Root.Dir, file)
	}
	return shown
}

// origin returns the origin for a file in the place.
func (pl *Place) origin(shown, real string) definition.Origin {
	o := definition.Origin{
		Layer: pl.Layer, Root: pl.Shown, Path: shown, Real: real, Legacy: pl.Root.Legacy, Nested: pl.Nested,
		Row: short(pl.Row), Distance: short(pl.Distance),
	}
	if pl.Plugin != nil {
		o.Plugin = pl.Plugin.Name
	}
	return o
}

// short converts a number for a field of [definition.Origin]. Numbers that are too large become the
// maximum.
func short(n int) int16 { return int16(min(n, math.MaxInt16)) }

// Origin returns the file's origin.
func (f *Found) Origin() definition.Origin {
	o := f.Place.origin(f.Path, f.Real)
	o.Linked, o.Deep = f.linked, f.deep
	return o
}

// Agent returns the agent that an instruction file is for, or "" if it is not for a single agent.
// The file's directory has the agent's name.
func (f *Found) Agent() string {
	if !f.Rule.ForAgent {
		return ""
	}
	return path.Base(path.Dir(f.Path))
}
