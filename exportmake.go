package vade

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/version"
)

// exporter makes one export.
type exporter struct {
	c   *Catalog
	p   *host.Profile
	out *Export
	// texts are the instructions, which are put together at the end.
	texts []*export.Item
	raw   map[*export.Item][]byte
	files []export.File
	// owners are the sources of the definitions that the files belong to.
	owners []string
	lost   []export.Loss
	// moves say where definitions go, used are those that a link rests on.
	moves map[string]string
	used  map[string]bool
	// names are those that the request has.
	names []string
	parse discover.Parser
	// reads gives fields the names that the source of truth has for them; nil leaves them
	// as they are.
	reads func(d *definition.Definition, entries []definition.Entry) (named []definition.Entry, changed bool)
}

// asIf is [asIf] for the host of the export.
func (x *exporter) asIf(like *definition.Definition, shown string, data []byte) *definition.Definition {
	if x.parse == nil {
		x.parse = parse.Parser(x.p, version.Number)
	}
	return parsedAsIf(x.p, x.parse, like, shown, data)
}

// take makes the files of one definition.
func (x *exporter) take(ctx context.Context, d *definition.Definition) {
	it, raw, lost, err := x.c.exportItem(ctx, d)
	if err != nil {
		x.out.Diagnostics = append(x.out.Diagnostics, diag.For(d.Origin.Path, diag.FileUnreadable, "not exported: %s", refMessage(err)).WithFix("see: vade show %s", d.Name))
		return
	}
	it.Moved = x.moved
	renamed := false
	if x.reads != nil {
		it.Entries, renamed = x.reads(d, it.Entries)
	}
	if d.Kind == definition.Instruction {
		if x.raw == nil {
			x.raw = map[*export.Item][]byte{}
		}
		it.Meant = x.c.meant(d, x.names)
		x.texts, x.raw[it] = append(x.texts, it), raw
		return
	}
	if d.Format == definition.Package && it.Body == "" {
		x.lose(it, export.LossText, "it has a name and a description and no text", "write a file for it")
		return
	}
	if slices.ContainsFunc(d.Diagnostics, func(g diag.Diagnostic) bool { return g.Code == diag.YAMLForbidden }) {
		// A field that is not read may be what restricts the definition.
		x.lose(it, export.LossField, "it is left out: an anchor, alias, merge key or tag keeps a field of it from being read", "write the values out; see: vade show "+d.Name)
		return
	}
	it.Stays = x.stands(d, raw)
	if e := export.Held(x.p, d.Kind, it.Entries); e != nil && it.Stays {
		x.lose(it, export.LossField, fmt.Sprintf("it stays where it is and is not copied: %s may hold a secret, starts programs by itself or lets it do more without asking", e.Key),
			"copy it by hand, if that is meant")
		return
	}
	made := export.Make(x.p, it)
	made.Reworded = made.Reworded || renamed
	x.lost = append(x.lost, lost...)
	if len(made.Files) == 0 {
		x.lost = append(x.lost, made.Losses...)
		return
	}
	main := &made.Files[0]
	if why := x.keep(d, it, raw, &made); why != "" {
		x.lost = append(x.lost, made.Losses...)
		x.lose(it, export.LossKind, fmt.Sprintf("%s would not load %s: %s", x.p.Name, main.Path, why), "see: vade explain "+d.Name)
		return
	}
	x.ownCommand(it, &made)
	x.lost = append(x.lost, made.Losses...)
	x.put(made.Files)
}

// ownCommand gives a command the name by which the host calls it where it has one of
// its own of that name.
func (x *exporter) ownCommand(it *export.Item, made *export.Result) {
	main := &made.Files[0]
	if main.Kind != definition.Command || x.p.Renamed == nil || x.p.Prompt == nil || !slices.Contains(x.p.Prompt.Own, main.Name) {
		return
	}
	name := x.p.Renamed(definition.Origin{Layer: definition.Project}, main.Name)
	made.Losses = append(made.Losses, export.Loss{
		Kind: it.Kind, Name: it.Name, Source: it.Source, What: export.LossName,
		Message: fmt.Sprintf("in %s it is called %s: the host has a command %s of its own", x.p.Name, name, main.Name), Fix: "give it another name",
	})
	for i := range made.Files {
		made.Files[i].Name = name
	}
}

// put takes the files of one definition, of which the first is its own.
func (x *exporter) put(files []export.File) {
	for i, f := range files {
		why := config.BadPath(f.Path)
		switch {
		case why == "":
			x.files, x.owners = append(x.files, f), append(x.owners, files[0].Source)
		case i == 0:
			x.lost = append(x.lost, export.Loss{
				Kind: f.Kind, Name: f.Name, Source: f.Source, What: export.LossName, Whole: true,
				Message: fmt.Sprintf("%s: the path %s", f.Path, why), Fix: "give it another name",
			})
			return
		default:
			x.lost = append(x.lost, export.Loss{
				Kind: f.Kind, Name: f.Name, Source: files[0].Source, What: export.LossCompanion, Message: fmt.Sprintf("%s does not go along: the path %s", f.Path, why),
			})
		}
	}
}

// lose notes that nothing of a definition is exported.
func (x *exporter) lose(it *export.Item, what, message, fix string) {
	x.lost = append(x.lost, export.Loss{Kind: it.Kind, Name: it.Name, Source: it.Source, What: what, Message: message, Fix: fix, Whole: true})
}

// keep takes the bytes of the source where they do: where it stands in the host's
// own directory and is loaded, and where the host reads the same from it as from
// what was written. why says why the host does not load what was written.
func (x *exporter) keep(d *definition.Definition, it *export.Item, raw []byte, made *export.Result) (why string) {
	main := &made.Files[0]
	like := definition.Definition{Kind: main.Kind, Format: d.Format}
	if main.Kind == d.Kind && x.home(d) {
		if own := x.asIf(&like, d.Origin.Path, raw); own != nil && own.State == definition.Loaded {
			if own.Description == "" && d.Fields.Description != "" {
				made.Losses = append(made.Losses, export.Loss{
					Kind: d.Kind, Name: d.Name, Source: d.Origin.Path, Line: 1, What: export.LossText,
					Message: x.p.Name + " does not see the fields of the file, and takes them for text", Fix: "see: vade check --host " + x.p.Name,
				})
			}
			x.stay(d, own, raw, made)
			if l, ok := made.Missed(x.p, it); ok {
				made.Losses = append(made.Losses, l)
			}
			return ""
		}
	}
	held := export.Held(nil, main.Kind, it.Entries) != nil
	written := like
	written.Format = x.p.Export.Place(main.Kind).Format
	got := x.asIf(&written, main.Path, main.Data)
	if got == nil {
		return "it does not look there"
	}
	if got.State != definition.Loaded {
		return got.Reason
	}
	if x.p.NameField != nil && x.p.NameField(main.Kind) && got.Name != main.Name {
		for i := range made.Files {
			made.Files[i].Name = got.Name
		}
	}
	if held || made.Reworded || main.Kind != d.Kind || written.Format != d.Format || d.Origin.Layer != definition.Project {
		return ""
	}
	own := x.asIf(&like, main.Path, raw)
	if own != nil && own.State == definition.Loaded && own.Name == got.Name && own.Description == got.Description && sameFields(own, got) &&
		strings.HasSuffix(string(main.Data), it.Body) {
		main.Data = raw
	}
	return ""
}

// sameFields compares what a host reads of two files; what it does not know is
// nothing to it.
func sameFields(a, b *definition.Definition) bool {
	x, y := a.Fields, b.Fields
	x.SetUnknown(nil)
	y.SetUnknown(nil)
	return x.Equal(y)
}

// home reports whether a definition stands where the export would put it: in the
// host's own directory of the kind, as deep as the host looks.
func (x *exporter) home(d *definition.Definition) bool {
	at := x.p.Export.Place(d.Kind)
	if at == nil || d.Origin.Layer != definition.Project {
		return false
	}
	dir := at.Dir
	if d.Kind == definition.Skill && x.apart(d.Origin.Path) {
		dir = x.p.Export.CommandDir
	}
	rel, ok := strings.CutPrefix(d.Origin.Path, dir+"/")
	return ok && slices.ContainsFunc(x.p.Roots, func(r host.Root) bool {
		return r.Layer == definition.Project && r.Dir == dir && slices.ContainsFunc(r.Rules, func(rule host.Rule) bool {
			fits, _ := rule.Fits(path.Base(rel), strings.Count(rel, "/"))
			return fits && rule.Kind == d.Kind && rule.Skip == ""
		})
	})
}

// stands reports whether a file stands in the host's own place and is loaded there.
func (x *exporter) stands(d *definition.Definition, raw []byte) bool {
	if !x.home(d) {
		return false
	}
	own := x.asIf(&definition.Definition{Kind: d.Kind, Format: d.Format}, d.Origin.Path, raw)
	return own != nil && own.State == definition.Loaded
}

// stay puts the files of a definition where they stand already.
func (x *exporter) stay(d, own *definition.Definition, raw []byte, made *export.Result) {
	from, to, name := path.Dir(made.Files[0].Path), path.Dir(d.Origin.Path), x.called(own, made.Files[0].Name)
	for i := range made.Files {
		f := &made.Files[i]
		f.Path = path.Join(to, strings.TrimPrefix(f.Path, from+"/"))
		f.Name = name
	}
	made.Files[0].Path, made.Files[0].Data = d.Origin.Path, raw
	// What the host makes nothing of is lost there as it is in a copy.
	made.Losses = slices.DeleteFunc(made.Losses, func(l export.Loss) bool { return l.What == export.LossName && l.Line == 0 })
	if name != d.Name {
		made.Losses = append(made.Losses, export.Loss{
			Kind: d.Kind, Name: d.Name, Source: d.Origin.Path, What: export.LossName, Message: fmt.Sprintf("in %s it is called %s", x.p.Name, name),
		})
	}
}

// called is what a definition is called in the host that was read as if it stood
// there; a name that its path gives is the one that was made.
func (x *exporter) called(own *definition.Definition, made string) string {
	byField := x.p.NameField != nil && x.p.NameField(own.Kind) && own.Fields.Name != ""
	switch {
	case byField && x.p.NameRules(own.Kind).Join != "":
		return own.Fields.Name
	case own.Kind == definition.Command && !byField:
		return made
	}
	return own.Name
}

// instructions puts the instruction files together.
func (x *exporter) instructions() {
	if len(x.texts) == 0 {
		return
	}
	made := export.Instructions(x.p, x.texts, func(it *export.Item) []byte { return x.raw[it] })
	x.lost = append(x.lost, made.Losses...)
	for _, f := range made.Files {
		x.put([]export.File{f})
	}
}

// apart reports whether a file is in the directory of commands that are skills.
func (x *exporter) apart(file string) bool {
	return x.p.Export.CommandDir != "" && strings.HasPrefix(file, x.p.Export.CommandDir+"/")
}
