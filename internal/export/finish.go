package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// finish drops refused definitions and sorts the results. If several files have the same path,
// ignoring case, only the first is kept.
func (x *Exporter) finish() {
	refused := x.rejectConflicts()
	placed := map[string]bool{}
	for i, f := range x.Files {
		key := strings.ToLower(f.Path)
		if refused[x.owners[i]] || placed[key] {
			continue
		}
		placed[key] = true
		x.Out.Files = append(x.Out.Files, f)
	}
	slices.SortStableFunc(x.Out.Files, func(a, b ExportedFile) int { return strings.Compare(a.Path, b.Path) })
	x.Losses = onlyReasons(x.Losses, refused)
	Sort(x.Losses)
	for _, l := range x.Losses {
		l.Host = x.P.Name
		x.Out.Losses = append(x.Out.Losses, l)
	}
	diag.Sort(x.Out.Diagnostics)
}

// rejectConflicts adds a loss for each definition whose name or path conflicts with another
// definition's, and returns the sources of these definitions.
func (x *Exporter) rejectConflicts() map[string]bool {
	// shared maps each skill's name to the skill's path if commands cannot use the same name.
	// skills maps the lowercase names of skills outside the command directory to their sources.
	// taken maps lowercase paths that are in use to their sources.
	shared, skills, taken := map[string]string{}, map[string]string{}, map[string]string{}
	for _, f := range x.Files {
		if !f.Main || f.Kind != definition.Skill {
			continue
		}
		if x.P.SharedNames {
			shared[f.Name] = f.Path
		}
		if !x.inCommandDir(f.Path) {
			skills[strings.ToLower(f.Name)] = f.Source
		}
	}
	refused := map[string]bool{}
	for _, f := range x.Files {
		if !f.Main {
			continue
		}
		why, clash, key := "", false, strings.ToLower(f.Path)
		switch skill := skills[strings.ToLower(f.Name)]; {
		case f.Kind == definition.Skill && skill != "" && x.inCommandDir(f.Path):
			why = fmt.Sprintf("%s is a skill with the same name, and %s loads neither", skill, x.P.Name)
		case f.Kind == definition.Command && shared[f.Name] != "":
			why = fmt.Sprintf("%s has a skill with the same name, %s, which takes precedence over a command", x.P.Name, shared[f.Name])
		case taken[key] != "" && taken[key] != f.Source:
			clash = true
			why = fmt.Sprintf("%s already uses the path %s", taken[key], f.Path)
		default:
			taken[key] = f.Source
			continue
		}
		refused[f.Source] = true
		x.Losses = append(x.Losses, HostLoss{
			Kind: f.Kind, Name: f.Name, Source: f.Source, What: LossName, Whole: true, Clash: clash, Message: why, Fix: "rename one of the two",
		})
	}
	return refused
}

// onlyReasons removes the losses of definitions that are not exported, except for the losses that
// explain why they are not exported.
func onlyReasons(losses []HostLoss, refused map[string]bool) []HostLoss {
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
	return slices.DeleteFunc(losses, func(l HostLoss) bool {
		return !l.Whole && (refused[l.Source] || whole[key{l.Kind, l.Name, l.Source}])
	})
}
