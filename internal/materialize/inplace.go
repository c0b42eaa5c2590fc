package materialize

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/resolve"
)

// inPlace reports whether a host that reads a source where it is needs the exported file
// nevertheless: it makes something else of the source, and the exported file would be in
// force instead. Otherwise what is lost or different is noted.
func (w *hostWants) inPlace(ctx context.Context, c *catalog.Catalog, d *definition.Definition, group []export.ExportedFile) (instead bool) {
	own := w.reads[d.Origin.Path]
	if d.Kind == definition.Instruction || d.Format == definition.Package || own.State != definition.Loaded || own.Kind != d.Kind {
		return false
	}
	it, _, _, err := export.ItemOf(ctx, c, d)
	if err != nil {
		return false
	}
	// Its links are right where it is.
	it.Stays = true
	made := export.Make(w.profile, it)
	if len(made.Files) == 0 || made.Files[0].Kind != d.Kind {
		return false
	}
	main := &made.Files[0]
	like := definition.Definition{Kind: d.Kind, Format: d.Format}
	if at := w.profile.Export.Place(d.Kind); at != nil {
		like.Format = at.Format
	}
	got := w.asIf(&like, main.Path, main.Data)
	if got == nil || got.State != definition.Loaded {
		return false
	}
	losses := w.differences(it, own, got, main)
	// The files beside a skill by which a host knows who may call it.
	for _, f := range made.Files[1:] {
		beside := path.Join(path.Dir(d.Origin.Path), strings.TrimPrefix(f.Path, path.Dir(main.Path)+"/"))
		if _, err := w.y.Tree.Lstat(beside); f.Source == d.Origin.Path && err != nil {
			losses = append(losses, w.loss(it, export.LossActivation, true,
				fmt.Sprintf("%s reads the file where it is, and knows only by %s that its model is not to use it", w.profile.Name, beside),
				fmt.Sprintf("write %s: %s", beside, strings.Join(strings.Fields(string(f.Data)), " "))))
		}
	}
	if l, ok := made.Missed(w.profile, it); ok {
		losses = append(losses, w.loss(it, l.What, true, l.Message, l.Fix))
	}
	at := slices.IndexFunc(group, func(f export.ExportedFile) bool { return f.Source == d.Origin.Path && w.sources[f.Path] == nil })
	if len(losses) > 0 && at >= 0 && w.overrides(own, got, group[at].Path) {
		return true
	}
	for _, l := range losses {
		if !slices.Contains(w.y.Result.Losses, l) {
			w.y.Result.Losses = append(w.y.Result.Losses, l)
		}
	}
	return false
}

// loss is what a host misses of a source that it reads where it is.
func (w *hostWants) loss(it *export.Item, what string, widens bool, message, fix string) export.HostLoss {
	return export.HostLoss{
		Host: w.profile.Name, Kind: it.Kind, Name: it.Name, Source: it.Source, What: what, Message: message, Fix: fix, Widens: widens, InPlace: true,
	}
}

// differences are what a host reads differently in a source and in the exported file.
func (w *hostWants) differences(it *export.Item, own, got *definition.Definition, main *export.File) []export.HostLoss {
	var list []export.HostLoss
	add := func(what, field, has, wants string, widens bool) {
		list = append(list, w.loss(it, what, widens,
			fmt.Sprintf("%s reads the file where it is, and its %s is %s there, not %s", w.profile.Name, field, quoted(has), quoted(wants)),
			"write it in the host's words, or keep it in a directory that the host does not read, with source: in vade.yaml"))
	}
	// What was written in the host's own words is right as it is, also where no other
	// host has such words.
	if own.Name != got.Name && got.Name == it.Name {
		add(export.LossName, "name", own.Name, got.Name, false)
	}
	if own.Description != got.Description && got.Description == it.Description {
		add(export.LossField, "description", own.Description, got.Description, false)
	}
	a, b := &own.Fields, &got.Fields
	if a.Model() != b.Model() && b.Model() != "" {
		add(export.LossModel, "model", a.Model(), b.Model(), false)
	}
	// What is in the directory of another host is in that one's words.
	if at := w.profile.Export.Place(it.Kind); at != nil && strings.HasPrefix(it.Source, at.Dir+"/") {
		for _, tools := range []struct {
			field  string
			a, b   []string
			widens bool
		}{
			{"list of tools", a.Tools(), b.Tools(), false},
			{"list of allowed tools", a.AllowedTools(), b.AllowedTools(), false},
			{"list of denied tools", a.DisallowedTools(), b.DisallowedTools(), true},
		} {
			if slices.ContainsFunc(tools.a, w.foreignTool) {
				add(export.LossTool, tools.field, strings.Join(tools.a, ", "), strings.Join(tools.b, ", "), tools.widens)
			}
		}
	}
	if main.Path == it.Source || strings.HasSuffix(main.Path, path.Ext(it.Source)) {
		plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
		if plain(it.Body) != plain(rules.TextOf(main.Path, main.Data).Body) {
			list = append(list, w.loss(it, export.LossText, false,
				w.profile.Name+" reads the file where it is, and takes the placeholders and marks in its text for text",
				"keep it in a directory that the host does not read, with source: in vade.yaml"))
		}
	}
	return list
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return strconv.Quote(chars.Truncate(s, 60))
}

// foreignTool reports whether a word for a tool is a neutral one for which the host has
// another, and that it does not take.
func (w *hostWants) foreignTool(word string) bool {
	x := w.profile.Export.Tools
	if x == nil || x.Name == nil || x.Aliases {
		return false
	}
	base, _, _ := strings.Cut(word, "(")
	base = strings.TrimSpace(base)
	own := x.Name(base)
	return own != "" && !strings.EqualFold(own, base) && slices.Contains(registry.NeutralTools(base), base)
}

// overrides reports whether a file at a path would be in force for a host instead of a
// source that it reads as well.
func (w *hostWants) overrides(own, got *definition.Definition, at string) bool {
	row := func(p string) int16 {
		return int16(slices.IndexFunc(w.profile.Roots, func(r host.Root) bool {
			return r.Layer == definition.Project && r.OfProject() && strings.HasPrefix(p, r.Label()+"/") &&
				slices.ContainsFunc(r.Rules, func(rule host.Rule) bool { return rule.Kind == own.Kind && rule.Skip == "" })
		}))
	}
	a, b := *own, *got
	a.Origin.Row, b.Origin.Row = row(a.Origin.Path), row(at)
	if a.Origin.Row < 0 || b.Origin.Row < 0 || a.Name != b.Name {
		return false
	}
	b.Origin.Path, b.Origin.Real, b.Origin.Layer, b.Origin.Distance = at, at, a.Origin.Layer, a.Origin.Distance
	b.Origin.Deep, b.Origin.Linked, b.Origin.Nested = false, false, a.Origin.Nested
	resolve.New([]*definition.Definition{&a, &b}, w.profile)
	return b.State == definition.Loaded && a.State == definition.Shadowed
}
