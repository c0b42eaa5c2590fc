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

// needsCopy reports whether a host needs an exported file even though it reads the source in place.
// A host needs a copy if it interprets the source differently and the exported file would take
// precedence. Otherwise, needsCopy records any differences as losses.
func (w *hostFiles) needsCopy(ctx context.Context, c *catalog.Catalog, d *definition.Definition,
	group []export.ExportedFile) (overridden bool) {
	own := w.inPlace[d.Origin.Path]
	if d.Kind == definition.Instruction || d.Format == definition.Package || own.State != definition.Loaded || own.Kind != d.Kind {
		return false
	}
	it, _, _, err := export.ItemOf(ctx, c, d)
	if err != nil {
		return false
	}
	// Keep links unchanged, because they remain valid in a file that is not moved.
	it.InPlace = true
	made := export.Make(w.profile, it)
	if len(made.Files) == 0 || made.Files[0].Kind != d.Kind {
		return false
	}
	main := &made.Files[0]
	as := definition.Definition{Kind: d.Kind, Format: d.Format}
	if at := w.profile.Export.Place(d.Kind); at != nil {
		as.Format = at.Format
	}
	got := w.parseAs(&as, main.Path, main.Data)
	if got == nil || got.State != definition.Loaded {
		return false
	}
	losses := w.differences(it, own, got, main)
	// The other exported files tell the host who may invoke the skill, so the host needs them next
	// to the source.
	for _, f := range made.Files[1:] {
		beside := path.Join(path.Dir(d.Origin.Path), strings.TrimPrefix(f.Path, path.Dir(main.Path)+"/"))
		if _, err := w.y.Tree.Lstat(beside); f.Source == d.Origin.Path && err != nil {
			losses = append(losses, w.inPlaceLoss(it, export.LossActivation, true,
				fmt.Sprintf("%s reads the file in place and needs %s to keep the model from using the definition", w.profile.Name, beside),
				fmt.Sprintf("create %s with these lines: %s", beside, quotedLines(string(f.Data)))))
		}
	}
	if l, ok := made.Missed(w.profile, it); ok {
		losses = append(losses, w.inPlaceLoss(it, l.What, true, l.Message, l.Fix))
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

// inPlaceLoss returns a loss for a source that a host reads in place.
func (w *hostFiles) inPlaceLoss(it *export.Item, what string, widens bool, message, fix string) export.HostLoss {
	return export.HostLoss{
		Host: w.profile.Name, Kind: it.Kind, Name: it.Name, Source: it.Source, What: what, Message: message, Fix: fix, Widens: widens, InPlace: true,
	}
}

// differences compares a definition as the host reads it from the source (actual) against the same
// definition in the exported file (expected). It returns the differences as losses.
func (w *hostFiles) differences(it *export.Item, actual, expected *definition.Definition,
	main *export.ExportedFile) []export.HostLoss {
	var list []export.HostLoss
	add := func(what, field, has, wants string, widens bool) {
		list = append(list, w.inPlaceLoss(it, what, widens,
			fmt.Sprintf("%s reads the file in place, where the %s is %s instead of %s", w.profile.Name, field, quoted(has), quoted(wants)),
			"rewrite the definition in the host's format, or move it to a directory that the host does not read and add that directory to source in vade.yaml"))
	}
	// Ignore values that the export changes. They are correct in the host's own format, even if no
	// other host uses such values.
	if actual.Name != expected.Name && expected.Name == it.Name {
		add(export.LossName, "name", actual.Name, expected.Name, false)
	}
	if actual.Description != expected.Description && expected.Description == it.Description {
		add(export.LossField, "description", actual.Description, expected.Description, false)
	}
	a, b := &actual.Fields, &expected.Fields
	if a.Model() != b.Model() && b.Model() != "" {
		add(export.LossModel, "model", a.Model(), b.Model(), false)
	}
	// Check tool names only if the file is in this host's own directory. A file in another host's
	// directory uses that host's tool names.
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
			if slices.ContainsFunc(tools.a, w.isForeignTool) {
				add(export.LossTool, tools.field, strings.Join(tools.a, ", "), strings.Join(tools.b, ", "), tools.widens)
			}
		}
	}
	if main.Path == it.Source || strings.HasSuffix(main.Path, path.Ext(it.Source)) {
		normalize := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
		if normalize(it.Body) != normalize(rules.TextOf(main.Path, main.Data).Body) {
			list = append(list, w.inPlaceLoss(it, export.LossText, false,
				w.profile.Name+" reads the file in place and treats placeholders and markup in it as plain text",
				"move it to a directory that the host does not read and add that directory to source in vade.yaml"))
		}
	}
	return list
}

// quotedLines returns the lines of a text as quoted strings separated by commas. The quotes make
// indentation visible, which matters in YAML.
func quotedLines(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strconv.Quote(strings.TrimRight(line, "\r\n")))
	}
	return strings.Join(lines, ", ")
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return strconv.Quote(chars.Truncate(s, 60))
}

// isForeignTool reports whether word is a neutral tool name that the host does not accept because
// it has its own name for the tool.
func (w *hostFiles) isForeignTool(word string) bool {
	x := w.profile.Export.Tools
	if x == nil || x.Name == nil || x.Aliases {
		return false
	}
	base, _, _ := strings.Cut(word, "(")
	base = strings.TrimSpace(base)
	own := x.Name(base)
	return own != "" && !strings.EqualFold(own, base) && slices.Contains(registry.NeutralTools(base), base)
}

// overrides reports whether got would take precedence over own if got's file were at the path at.
// own is the source as the host reads it.
func (w *hostFiles) overrides(own, got *definition.Definition, at string) bool {
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
