package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/servers"
	"github.com/vadehq/vade/internal/vfs"
)

// ErrPluginName is the error of [Plugin] for a name that a plugin can
// not have, ErrPluginVersion that for a version that is no semantic one, and ErrNoPlugin
// that for a host that has no plugins that can be written.
var (
	ErrPluginName    = errors.New("a plugin can not have this name")
	ErrPluginVersion = errors.New("it is no semantic version")
	ErrNoPlugin      = errors.New("no plugin can be written for the host")
)

// PluginRequest says what is made a plugin of.
type PluginRequest struct {
	// Request says which definitions go along, and for which host. The
	// project's MCP servers go along, unless names narrow it.
	Request
	// Name is the plugin's. Version is a semantic version, "0.1.0", and Description says what the plugin
	// is made of, where they are "". Author is who made it, if that is to be said.
	Name, Version, Description, Author string
	// NoServers leaves the MCP servers out.
	NoServers bool
}

// PluginHosts are the hosts that a plugin can be written for.
func PluginHosts() []string { return registry.With(host.CanPlugin) }

// Plugin makes a plugin of the definitions in force, and a marketplace beside
// it: the plugin is in a directory of its name, and the marketplace lists it from
// there; one that is there already keeps what it lists. The definitions are those of [To]; read as a plugin they
// have the plugin's name before their own. What a plugin can not carry, instructions
// and hooks among it, is among the losses. Secrets of MCP servers are not copied.
//
// Nothing is written and nothing runs. The error is one of those of
// [To], [ErrPluginName], [ErrPluginVersion] or [ErrNoPlugin].
func Plugin(ctx context.Context, c *catalog.Catalog, r PluginRequest) (*Export, error) {
	p, ok := registry.Lookup(r.Host)
	if !ok {
		return nil, fmt.Errorf("vade: %s: %w", r.Host, ErrNoHost)
	}
	if p.Plugin == nil {
		return nil, fmt.Errorf("vade: %s: %w", p.Name, ErrNoPlugin)
	}
	why := PluginName(p.Plugin, r.Name)
	if why == "" && vfs.CheckName(r.Name) != nil {
		why = "it can not be that of a directory everywhere"
	}
	if why != "" {
		return nil, fmt.Errorf("vade: %q: %w: %s", r.Name, ErrPluginName, why)
	}
	if r.Version != "" && !IsVersion(r.Version) {
		return nil, fmt.Errorf("vade: %q: %w", r.Version, ErrPluginVersion)
	}
	x := pluginExporter{c: c, p: p, r: r, out: &Export{Host: p.Name, Version: p.Version}}
	if err := x.definitions(ctx); err != nil {
		return nil, err
	}
	if len(r.Names) == 0 {
		if !r.NoServers {
			if err := x.servers(ctx); err != nil {
				return nil, err
			}
		}
		x.hooks()
	}
	x.manifests()
	slices.SortStableFunc(x.out.Files, func(a, b ExportedFile) int { return cmp.Compare(a.Path, b.Path) })
	return x.out, nil
}

// pluginExporter makes one plugin.
type pluginExporter struct {
	c   *catalog.Catalog
	p   *host.Profile
	r   PluginRequest
	out *Export
	// at are the places in the plugin of files of the export.
	at map[string]string
}

func (x *pluginExporter) definitions(ctx context.Context) error {
	made, err := To(ctx, x.c, x.r.Request)
	if err != nil {
		return err
	}
	x.out.Diagnostics, x.out.Losses = made.Diagnostics, made.Losses
	asked := slices.Contains(x.r.Kinds, definition.Instruction)
	for i := range made.Losses {
		if l := &made.Losses[i]; l.Kind == definition.Instruction && !asked {
			l.Whole = false
		}
	}
	x.at = map[string]string{}
	left := map[string]bool{}
	for i := range made.Files {
		f := &made.Files[i]
		to := InPlugin(x.p, f.Kind, f.Path)
		if vfs.IsGit(to) {
			x.lose(f, 0, LossName, "no directory of a plugin is called .git", "give it another name", true)
			continue
		}
		if to != "" {
			x.at[f.Path] = to
			continue
		}
		if !left[f.Source] {
			left[f.Source] = true
			x.lose(f, 0, LossKind, fmt.Sprintf("a plugin of %s carries no %s", x.p.Name, f.Kind), "let those who use the plugin have it in their own project", f.Kind != definition.Instruction || asked)
		}
	}
	for i := range made.Files {
		f := made.Files[i]
		to, ok := x.at[f.Path]
		if !ok {
			continue
		}
		if strings.HasSuffix(f.Path, ".md") {
			var lost []Loss
			f.Data, lost = PluginLinks(f.Data, f.Path, to, x.has, func(file string) bool { return exists(x.c, file) })
			for _, l := range lost {
				x.lose(&f, l.Line, l.What, l.Message, l.Fix, false)
			}
		}
		if isDefinitionText(&f) {
			var lost []Loss
			f.Data, lost = PluginText(x.p, f.Data, x.has)
			for _, l := range lost {
				x.lose(&f, l.Line, l.What, l.Message, l.Fix, false)
			}
		}
		f.Path = path.Join(x.r.Name, to)
		x.out.Files = append(x.out.Files, f)
	}
	return x.ignored(ctx)
}

// isDefinitionText reports whether a file is a definition, whose words for
// directories are replaced, rather than one beside it.
func isDefinitionText(f *ExportedFile) bool {
	if f.Kind == definition.Skill {
		return path.Base(f.Path) == "SKILL.md"
	}
	return strings.HasSuffix(f.Path, ".md")
}

// has returns where in the plugin a file of the project stands, or a directory with
// a file of the plugin.
func (x *pluginExporter) has(file string) (string, bool) {
	if to, ok := x.at[file]; ok {
		return to, true
	}
	for from, to := range x.at {
		if rest, below := strings.CutPrefix(from, file+"/"); below {
			return strings.TrimSuffix(to, "/"+rest), true
		}
	}
	return "", false
}

func (x *pluginExporter) lose(f *ExportedFile, line int, what, message, fix string, whole bool) {
	x.out.Losses = append(x.out.Losses, HostLoss{
		Host: x.p.Name, Kind: f.Kind, Name: f.Name, Source: f.Source, Line: line, What: what, Message: message, Fix: fix, Whole: whole,
	})
}

// ignored reports the fields that have no effect in a plugin.
func (x *pluginExporter) ignored(ctx context.Context) error {
	if x.p.Plugin.Ignored == nil {
		return nil
	}
	list, err := Exported(ctx, x.c, &x.r.Request)
	if err != nil {
		return err
	}
	for _, d := range list {
		keys := x.p.Plugin.Ignored(d.Kind)
		if len(keys) == 0 || d.Format == definition.Package {
			continue
		}
		doc, err := x.c.Document(ctx, d)
		if err != nil {
			// The export has said so.
			continue
		}
		for i := range doc.Entries {
			e := &doc.Entries[i]
			known := definition.LookupField(e.Key)
			if slices.ContainsFunc(keys, func(k string) bool {
				return k == e.Key || known != 0 && definition.LookupField(k) == known
			}) {
				f := ExportedFile{Kind: d.Kind, Name: d.Name, Source: d.Origin.Path}
				x.lose(&f, doc.File.Pos(e.KeySpan.Start).Line, LossField, e.Key+" has no effect in a plugin", "say it where the plugin is used", false)
				x.out.Losses[len(x.out.Losses)-1].Widens = Narrows(d.Kind, e)
			}
		}
	}
	return nil
}

// servers adds the MCP servers of the project.
func (x *pluginExporter) servers(ctx context.Context) error {
	f := x.p.Plugin.Servers
	s, err := servers.List(ctx, x.c)
	if err != nil || f == nil {
		return err
	}
	list := chosen(s, x.r.Request)
	data, losses := mcp.Write(list, f, true)
	for _, l := range serverLosses(x.p.Name, losses) {
		l.Message = "the MCP server " + l.Name + ": " + l.Message
		x.out.Losses = append(x.out.Losses, l)
	}
	if kept := keptServers(list, losses); len(kept) > 0 {
		x.out.Files = append(x.out.Files, ExportedFile{Path: path.Join(x.r.Name, f.Path), Data: data, Name: x.r.Name, Source: list[0].Origins[0].Path})
	}
	return nil
}

// hooks reports the hooks of the project: they run by themselves, and whoever makes
// a plugin of them has to decide that.
func (x *pluginExporter) hooks() {
	seen := map[string]bool{}
	for _, h := range x.c.Carried.Hooks {
		if h.Origin.Layer != definition.Project || seen[h.Origin.Path] {
			continue
		}
		seen[h.Origin.Path] = true
		f := ExportedFile{Name: x.r.Name, Source: h.Origin.Path}
		x.lose(&f, 0, LossShell, "its hooks are not made part of the plugin: they would run by themselves wherever it is installed",
			"write hooks/hooks.json in the plugin yourself, if that is meant", false)
	}
}

// manifests adds what says that this is a plugin, and the list that has it.
func (x *pluginExporter) manifests() {
	about := PluginInfo{
		Name: x.r.Name, Version: cmp.Or(x.r.Version, "0.1.0"), Description: cmp.Or(x.r.Description, x.describe()), Author: x.r.Author,
		Market: x.r.Name + "-plugins", Owner: cmp.Or(x.r.Author, x.r.Name),
	}
	x.out.Files = append(x.out.Files,
		ExportedFile{Path: path.Join(x.r.Name, x.p.Plugin.Manifest), Data: Manifest(x.p.Plugin, about), Name: x.r.Name},
		ExportedFile{Path: x.p.Plugin.Marketplace, Data: Marketplace(about), Name: about.Market},
	)
	x.out.joined = x.p.Plugin.Marketplace
	x.out.join = func(before []byte) ([]byte, bool) { return joinMarketplace(before, about) }
	if x.out.Losses == nil {
		x.out.Losses = []HostLoss{}
	}
	if x.out.Diagnostics == nil {
		x.out.Diagnostics = []diag.Diagnostic{}
	}
}

// joinMarketplace puts a plugin into a marketplace that is there, in the place of one
// of its name or behind the others. Everything else in it stays; it is false for what is
// no marketplace.
func joinMarketplace(before []byte, about PluginInfo) ([]byte, bool) {
	v, ok := jsonc.Parse(before)
	own, _ := jsonc.Parse(Marketplace(about))
	entry := own.Pairs[len(own.Pairs)-1].Value.Items[0]
	at := slices.IndexFunc(v.Pairs, func(e definition.Entry) bool { return e.Key == "plugins" && e.Value.Kind == definition.List })
	if !ok || at < 0 {
		return nil, false
	}
	list := &v.Pairs[at].Value
	i := slices.IndexFunc(list.Items, func(one definition.Value) bool {
		return slices.ContainsFunc(one.Pairs, func(e definition.Entry) bool { return e.Key == "name" && e.Value.Text == about.Name })
	})
	switch {
	case i < 0:
		list.Items = append(list.Items, entry)
	case sameJSON(list.Items[i], entry):
		return before, true
	default:
		list.Items[i] = entry
	}
	return append(jsonc.Append(nil, v, ""), '\n'), true
}

// sameJSON compares two values by what is written for them.
func sameJSON(a, b definition.Value) bool {
	return string(jsonc.Append(nil, a, "")) == string(jsonc.Append(nil, b, ""))
}

// describe says what the plugin is made of, as in "2 skills and 1 agent".
func (x *pluginExporter) describe() string {
	counts := map[definition.Kind]map[string]bool{}
	for _, f := range x.out.Files {
		if f.Kind == 0 {
			continue
		}
		if counts[f.Kind] == nil {
			counts[f.Kind] = map[string]bool{}
		}
		counts[f.Kind][f.Name] = true
	}
	var parts []string
	for _, k := range definition.Kinds {
		switch n := len(counts[k]); n {
		case 0:
		case 1:
			parts = append(parts, "1 "+k.String())
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", n, k))
		}
	}
	if len(parts) == 0 {
		return "MCP servers"
	}
	return strings.Join(parts, ", ")
}

// NearPluginName is a name that a plugin of a host can have in the place of one that it
// can not have, "" where there is none.
func NearestPluginName(hostName, name string) string {
	p, ok := registry.Lookup(hostName)
	if !ok || p.Plugin == nil {
		return ""
	}
	near := NearPluginName(p.Plugin, name)
	if near == "" || vfs.CheckName(near) != nil {
		return ""
	}
	return near
}
