package export

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	quote "github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/version"
)

// Exporter holds the state of one export.
type Exporter struct {
	C   *catalog.Catalog
	P   *host.Profile
	Out *Export
	// texts lists the instruction files, which are combined at the end.
	texts []*Item
	raw   map[*Item][]byte
	Files []ExportedFile
	// owners holds, for each entry in Files, the source of the definition that the file belongs to.
	owners []string
	Losses []HostLoss
	// Moves maps definitions to their new paths. Used contains the keys of Moves that a link
	// depends on.
	Moves map[string]string
	Used  map[string]bool
	names []string
	parse discover.Parser
	// Reads renames fields to the names that they have in the source of truth. If Reads is nil,
	// fields keep their names.
	Reads func(d *definition.Definition, entries []definition.Entry) (named []definition.Entry, changed bool)
}

// parsedAt calls [catalog.ParsedAt] with the export's host.
func (x *Exporter) parsedAt(like *definition.Definition, shown string, data []byte) *definition.Definition {
	if x.parse == nil {
		x.parse = parse.Parser(x.P, version.Number)
	}
	return catalog.ParsedAt(x.P, x.parse, like, shown, data)
}

// Take exports one definition. Instruction files are only collected; Run exports them together.
func (x *Exporter) Take(ctx context.Context, d *definition.Definition) {
	it, raw, lost, err := ItemOf(ctx, x.C, d)
	if err != nil {
		x.Out.Diagnostics = append(x.Out.Diagnostics, diag.For(d.Origin.Path, diag.FileUnreadable, "not exported: %s", catalog.RefMessage(err)).WithFix("see: vade show %s", quote.ForShell(d.Name)))
		return
	}
	it.Moved = x.moved
	renamed := false
	if x.Reads != nil {
		it.Entries, renamed = x.Reads(d, it.Entries)
	}
	if d.Kind == definition.Instruction {
		if x.raw == nil {
			x.raw = map[*Item][]byte{}
		}
		it.Explicit = isExplicit(x.C, d, x.names)
		x.texts, x.raw[it] = append(x.texts, it), raw
		return
	}
	if d.Format == definition.Package && it.Body == "" {
		x.omit(it, LossText, "the definition has a name and a description but no body", "add a body")
		return
	}
	if slices.ContainsFunc(d.Diagnostics, func(g diag.Diagnostic) bool { return g.Code == diag.YAMLForbidden }) {
		// The unreadable field may be a restriction.
		x.omit(it, LossField, "omitted: an anchor, alias, merge key or tag prevents Vade from reading one of the fields", "replace it with literal values; see: vade show "+quote.ForShell(d.Name))
		return
	}
	loaded := x.loadInPlace(d, raw)
	it.InPlace = loaded != nil
	if e := Held(x.P, d.Kind, it.Entries); e != nil && it.InPlace {
		x.omit(it, LossField, fmt.Sprintf("not copied: %s may contain a secret, start programs automatically or allow more actions without approval", e.Key),
			"copy it by hand if you need it")
		return
	}
	made := Make(x.P, it)
	made.Reworded = made.Reworded || renamed
	x.Losses = append(x.Losses, lost...)
	if len(made.Files) == 0 {
		x.Losses = append(x.Losses, made.Losses...)
		return
	}
	main := &made.Files[0]
	if why := x.keep(d, loaded, it, raw, &made); why != "" {
		x.Losses = append(x.Losses, made.Losses...)
		x.omit(it, LossKind, fmt.Sprintf("%s would not load %s: %s", x.P.Name, main.Path, why), "to see why, run: vade explain "+quote.ForShell(d.Name))
		return
	}
	x.ownCommand(it, &made)
	x.Losses = append(x.Losses, made.Losses...)
	x.put(made.Files)
}

// ownCommand renames a command that has the same name as one of the host's built-in commands, just
// as the host would.
func (x *Exporter) ownCommand(it *Item, made *Result) {
	main := &made.Files[0]
	if main.Kind != definition.Command || x.P.Renamed == nil || x.P.Prompt == nil || !slices.Contains(x.P.Prompt.Own, main.Name) {
		return
	}
	name := x.P.Renamed(definition.Origin{Layer: definition.Project}, main.Name)
	made.Losses = append(made.Losses, it.loss(0, LossName,
		fmt.Sprintf("in %s, the name is %s, because the host has a built-in command %s", x.P.Name, name, main.Name), "rename it"))
	for i := range made.Files {
		made.Files[i].Name = name
	}
}

// put adds one definition's files, of which the first must be the main file. It reports files with
// invalid paths as losses.
func (x *Exporter) put(files []ExportedFile) {
	for i, f := range files {
		why := config.BadPath(f.Path)
		switch {
		case why == "":
			x.Files, x.owners = append(x.Files, f), append(x.owners, files[0].Source)
		case i == 0:
			x.Losses = append(x.Losses, HostLoss{
				Kind: f.Kind, Name: f.Name, Source: f.Source, What: LossName, Whole: true,
				Message: fmt.Sprintf("%s: the path %s", f.Path, why), Fix: "rename it",
			})
			return
		default:
			x.Losses = append(x.Losses, HostLoss{
				Kind: f.Kind, Name: f.Name, Source: files[0].Source, What: LossCompanion, Message: fmt.Sprintf("%s is not exported: the path %s", f.Path, why),
			})
		}
	}
}

// omit records the loss of a whole definition.
func (x *Exporter) omit(it *Item, what, message, fix string) {
	l := it.loss(0, what, message, fix)
	l.Whole = true
	x.Losses = append(x.Losses, l)
}

// keep replaces the generated file with the source's bytes if the source is already in the host's
// own directory, or if the host would read both files the same way. If the host would not load the
// generated file, keep returns the reason; otherwise it returns "".
func (x *Exporter) keep(d, loaded *definition.Definition, it *Item, raw []byte, made *Result) (why string) {
	main := &made.Files[0]
	like := definition.Definition{Kind: main.Kind, Format: d.Format}
	if loaded != nil && main.Kind == d.Kind {
		if loaded.Description == "" && d.Fields.Description != "" {
			made.Losses = append(made.Losses, it.loss(1, LossText,
				x.P.Name+" does not recognize the file's fields and treats them as text", "run: vade check --host "+x.P.Name))
		}
		x.keepInPlace(it, loaded, raw, made)
		if l, ok := made.Missed(x.P, it); ok {
			made.Losses = append(made.Losses, l)
		}
		return ""
	}
	held := Held(nil, main.Kind, it.Entries) != nil
	written := like
	written.Format = x.P.Export.Place(main.Kind).Format
	got := x.parsedAt(&written, main.Path, main.Data)
	if got == nil {
		return "the host does not read this location"
	}
	if got.State != definition.Loaded {
		return got.Reason
	}
	if x.P.NameField != nil && x.P.NameField(main.Kind) && got.Name != main.Name {
		for i := range made.Files {
			made.Files[i].Name = got.Name
		}
	}
	if held || made.Reworded || main.Kind != d.Kind || written.Format != d.Format || d.Origin.Layer != definition.Project {
		return ""
	}
	loaded = x.parsedAt(&like, main.Path, raw)
	if loaded != nil && loaded.State == definition.Loaded && loaded.Name == got.Name && loaded.Description == got.Description &&
		SameFields(loaded, got) &&
		strings.HasSuffix(string(main.Data), it.Body) {
		main.Data = raw
	}
	return ""
}

// SameFields reports whether a host reads the same fields from two files,
// ignoring fields that are unknown to it.
func SameFields(a, b *definition.Definition) bool {
	x, y := a.Fields, b.Fields
	x.SetUnknown(nil)
	y.SetUnknown(nil)
	return x.Equal(y)
}

// inHostDir reports whether a definition is already where the export would write it, that is, in
// the host's own directory for its kind and at a depth that the host reads.
func (x *Exporter) inHostDir(d *definition.Definition) bool {
	at := x.P.Export.Place(d.Kind)
	if at == nil || d.Origin.Layer != definition.Project {
		return false
	}
	dir := at.Dir
	if d.Kind == definition.Skill && x.inCommandDir(d.Origin.Path) {
		dir = x.P.Export.CommandDir
	}
	rel, ok := strings.CutPrefix(d.Origin.Path, dir+"/")
	return ok && slices.ContainsFunc(x.P.Roots, func(r host.Root) bool {
		return r.Layer == definition.Project && r.Dir == dir && slices.ContainsFunc(r.Rules, func(rule host.Rule) bool {
			fits, _ := rule.Fits(path.Base(rel), strings.Count(rel, "/"))
			return fits && rule.Kind == d.Kind && rule.Skip == ""
		})
	})
}

// loadInPlace returns a definition as the host loads it from the host's own directory, or nil if
// the host does not load it from there.
func (x *Exporter) loadInPlace(d *definition.Definition, raw []byte) *definition.Definition {
	if !x.inHostDir(d) {
		return nil
	}
	loaded := x.parsedAt(&definition.Definition{Kind: d.Kind, Format: d.Format}, d.Origin.Path, raw)
	if loaded == nil || loaded.State != definition.Loaded {
		return nil
	}
	return loaded
}

// keepInPlace keeps a definition's files at their current paths.
func (x *Exporter) keepInPlace(it *Item, loaded *definition.Definition, raw []byte, made *Result) {
	from, to, name := path.Dir(made.Files[0].Path), path.Dir(it.Source), x.hostName(loaded, made.Files[0].Name)
	for i := range made.Files {
		f := &made.Files[i]
		f.Path = path.Join(to, strings.TrimPrefix(f.Path, from+"/"))
		f.Name = name
	}
	made.Files[0].Path, made.Files[0].Data = it.Source, raw
	// The file is not renamed, so losses about a new name do not apply.
	made.Losses = slices.DeleteFunc(made.Losses, func(l HostLoss) bool { return l.What == LossName && l.Line == 0 })
	if name != it.Name {
		made.Losses = append(made.Losses, it.loss(0, LossName, fmt.Sprintf("in %s, the name is %s", x.P.Name, name), ""))
	}
}

// hostName returns a definition's name in the host. loaded is the definition as the host parses it,
// and made is the name derived from the path.
func (x *Exporter) hostName(loaded *definition.Definition, made string) string {
	byField := x.P.NameField != nil && x.P.NameField(loaded.Kind) && loaded.Fields.Name != ""
	switch {
	case byField && x.P.NameRules(loaded.Kind).Join != "":
		return loaded.Fields.Name
	case loaded.Kind == definition.Command && !byField:
		return made
	}
	return loaded.Name
}

// instructions combines the instruction files and adds them to the export.
func (x *Exporter) instructions() {
	if len(x.texts) == 0 {
		return
	}
	made := Instructions(x.P, x.texts, func(it *Item) []byte { return x.raw[it] })
	x.Losses = append(x.Losses, made.Losses...)
	for _, f := range made.Files {
		x.put([]ExportedFile{f})
	}
}

// inCommandDir reports whether a file is in the directory for commands that become skills.
func (x *Exporter) inCommandDir(file string) bool {
	return x.P.Export.CommandDir != "" && strings.HasPrefix(file, x.P.Export.CommandDir+"/")
}
