package vade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/export"
)

// finish sorts what was made. Of two files of one path, also in other capitals, the
// first definition has it.
func (x *exporter) finish() {
	refused := x.refused()
	placed := map[string]bool{}
	for i, f := range x.files {
		key := strings.ToLower(f.Path)
		if refused[x.owners[i]] || placed[key] {
			continue
		}
		placed[key] = true
		x.out.Files = append(x.out.Files, ExportedFile{
			Path: f.Path, Data: f.Data, Executable: f.Executable, Kind: f.Kind, Name: f.Name, Source: f.Source, Sources: f.Sources,
		})
	}
	slices.SortStableFunc(x.out.Files, func(a, b ExportedFile) int { return strings.Compare(a.Path, b.Path) })
	x.lost = whyOnly(x.lost, refused)
	export.Sort(x.lost)
	for _, l := range x.lost {
		x.out.Losses = append(x.out.Losses, ExportLoss{
			Host: x.p.Name, Kind: l.Kind, Name: l.Name, Source: l.Source, Line: l.Line, What: l.What, Message: l.Message, Fix: l.Fix, Whole: l.Whole,
			Widens: l.Widens,
		})
	}
	diag.Sort(x.out.Diagnostics)
}

// refused are the sources of the definitions whose name or place another one has, which
// is noted.
func (x *exporter) refused() map[string]bool {
	// shared are the skills by whose names no command can be called, own those that are
	// in the directory of skills, and taken the places.
	shared, own, taken := map[string]string{}, map[string]string{}, map[string]string{}
	for _, f := range x.files {
		if !f.Main || f.Kind != definition.Skill {
			continue
		}
		if x.p.SharedNames {
			shared[f.Name] = f.Path
		}
		if !x.apart(f.Path) {
			own[strings.ToLower(f.Name)] = f.Source
		}
	}
	refused := map[string]bool{}
	for _, f := range x.files {
		if !f.Main {
			continue
		}
		why, key := "", strings.ToLower(f.Path)
		switch skill := own[strings.ToLower(f.Name)]; {
		case f.Kind == definition.Skill && skill != "" && x.apart(f.Path):
			why = fmt.Sprintf("%s is a skill under that name, and of two %s takes neither", skill, x.p.Name)
		case f.Kind == definition.Command && shared[f.Name] != "":
			why = fmt.Sprintf("%s has the skill %s under that name, which comes before a command", x.p.Name, shared[f.Name])
		case taken[key] != "" && taken[key] != f.Source:
			why = fmt.Sprintf("%s has the place already that it would get, %s", taken[key], f.Path)
		default:
			taken[key] = f.Source
			continue
		}
		refused[f.Source] = true
		x.lost = append(x.lost, export.Loss{Kind: f.Kind, Name: f.Name, Source: f.Source, What: export.LossName, Whole: true, Message: why, Fix: "give one of the two another name"})
	}
	return refused
}

// whyOnly leaves of the losses of a definition of which nothing is exported those that
// say why: what else it would have lost is nothing to anybody.
func whyOnly(losses []export.Loss, refused map[string]bool) []export.Loss {
	type key struct {
		kind         definition.Kind
		name, source string
	}
	whole := map[key]bool{}
	for _, l := range losses {
		if l.Whole {
			whole[key{l.Kind, l.Name, l.Source}] = true
		}
	}
	return slices.DeleteFunc(losses, func(l export.Loss) bool {
		return !l.Whole && (refused[l.Source] || whole[key{l.Kind, l.Name, l.Source}])
	})
}
