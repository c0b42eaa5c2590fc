package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Finish sorts what was made. Of two files of one path, also in other capitals, the
// first definition has it.
func (x *Exporter) Finish() {
	refused := x.refused()
	placed := map[string]bool{}
	for i, f := range x.Files {
		key := strings.ToLower(f.Path)
		if refused[x.owners[i]] || placed[key] {
			continue
		}
		placed[key] = true
		x.Out.Files = append(x.Out.Files, ExportedFile{
			Path: f.Path, Data: f.Data, Executable: f.Executable, Kind: f.Kind, Name: f.Name, Source: f.Source, Sources: f.Sources,
		})
	}
	slices.SortStableFunc(x.Out.Files, func(a, b ExportedFile) int { return strings.Compare(a.Path, b.Path) })
	x.Lost = whyOnly(x.Lost, refused)
	Sort(x.Lost)
	for _, l := range x.Lost {
		x.Out.Losses = append(x.Out.Losses, l.In(x.P.Name))
	}
	diag.Sort(x.Out.Diagnostics)
}

// refused are the sources of the definitions whose name or place another one has, which
// is noted.
func (x *Exporter) refused() map[string]bool {
	// shared are the skills by whose names no command can be called, own those that are
	// in the directory of skills, and taken the places.
	shared, own, taken := map[string]string{}, map[string]string{}, map[string]string{}
	for _, f := range x.Files {
		if !f.Main || f.Kind != definition.Skill {
			continue
		}
		if x.P.SharedNames {
			shared[f.Name] = f.Path
		}
		if !x.apart(f.Path) {
			own[strings.ToLower(f.Name)] = f.Source
		}
	}
	refused := map[string]bool{}
	for _, f := range x.Files {
		if !f.Main {
			continue
		}
		why, clash, key := "", false, strings.ToLower(f.Path)
		switch skill := own[strings.ToLower(f.Name)]; {
		case f.Kind == definition.Skill && skill != "" && x.apart(f.Path):
			why = fmt.Sprintf("%s is a skill under that name, and of two %s takes neither", skill, x.P.Name)
		case f.Kind == definition.Command && shared[f.Name] != "":
			why = fmt.Sprintf("%s has the skill %s under that name, which comes before a command", x.P.Name, shared[f.Name])
		case taken[key] != "" && taken[key] != f.Source:
			clash = true
			why = fmt.Sprintf("%s has the place already that it would get, %s", taken[key], f.Path)
		default:
			taken[key] = f.Source
			continue
		}
		refused[f.Source] = true
		x.Lost = append(x.Lost, Loss{
			Kind: f.Kind, Name: f.Name, Source: f.Source, What: LossName, Whole: true, Clash: clash, Message: why, Fix: "give one of the two another name",
		})
	}
	return refused
}

// whyOnly leaves of the losses of a definition of which nothing is exported those that
// say why: what else it would have lost is nothing to anybody.
func whyOnly(losses []Loss, refused map[string]bool) []Loss {
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
	return slices.DeleteFunc(losses, func(l Loss) bool {
		return !l.Whole && (refused[l.Source] || whole[key{l.Kind, l.Name, l.Source}])
	})
}
