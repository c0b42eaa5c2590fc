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
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/servers"
	"github.com/vadehq/vade/internal/vfs"
)

// Errors returned by [Plugin] if the plugin's name is invalid, its version is not a semantic
// version, or the host does not support plugins.
var (
	ErrPluginName    = errors.New("invalid plugin name")
	ErrPluginVersion = errors.New("not a semantic version; use a form such as 1.2.3")
	ErrNoPlugin      = errors.New("plugins cannot be exported for this host")
)

// PluginRequest selects what to put into a plugin.
type PluginRequest struct {
	// Request selects the host and the definitions. The project's MCP servers are included unless
	// the request lists names.
	Request
	// Name is the plugin's name. Version is a semantic version that defaults to "0.1.0". The
	// default Description summarizes the plugin's contents. Author is optional.
	Name, Version, Description, Author string
	// If NoServers is set, MCP servers are excluded.
	NoServers bool
}

// PluginHosts returns the hosts for which plugins can be exported.
func PluginHosts() []string { return registry.With(host.CanPlugin) }

// Plugin creates a plugin from the active definitions, and a marketplace next to it. The plugin's
// directory has the plugin's name, and the marketplace refers to it; an existing marketplace keeps
// its other entries. The plugin contains the definitions that [To] exports. When a host loads them
// from the plugin, it prefixes their names with the plugin's name. Everything that a plugin cannot
// contain, such as instructions and hooks, is reported as a loss. Plugin does not copy secrets from
// MCP servers. Plugin does not write or execute anything. It returns the same errors as [To], and
// [ErrPluginName], [ErrPluginVersion] or [ErrNoPlugin].
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
		why = "some operating systems do not allow it as a directory name"
	}
	if why != "" {
		return nil, fmt.Errorf("vade: %q: %w: %s", r.Name, ErrPluginName, why)
	}
	if r.Version != "" && !parse.IsSemantic(r.Version) {
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

// pluginExporter holds the state of one plugin export.
type pluginExporter struct {
	c   *catalog.Catalog
	p   *host.Profile
	r   PluginRequest
	out *Export
	// at maps files in the export to their paths in the plugin.
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
			x.reportLoss(f, 0, LossName, "a plugin cannot have a directory called .git", "rename it", true)
			continue
		}
		if to != "" {
			x.at[f.Path] = to
			continue
		}
		if !left[f.Source] {
			left[f.Source] = true
			x.reportLoss(f, 0, LossKind, fmt.Sprintf("plugins for %s cannot contain %ss", x.p.Name, f.Kind), "add it to the projects that use the plugin", f.Kind != definition.Instruction || asked)
		}
	}
	for i := range made.Files {
		f := made.Files[i]
		to, ok := x.at[f.Path]
		if !ok {
			continue
		}
		if strings.HasSuffix(f.Path, ".md") {
			var lost []HostLoss
			f.Data, lost = PluginLinks(f.Data, f.Path, to, x.has, func(file string) bool { return exists(x.c, file) })
			for _, l := range lost {
				x.reportLoss(&f, l.Line, l.What, l.Message, l.Fix, false)
			}
		}
		if isDefinitionText(&f) {
			var lost []HostLoss
			f.Data, lost = PluginText(x.p, f.Data, x.has)
			for _, l := range lost {
				x.reportLoss(&f, l.Line, l.What, l.Message, l.Fix, false)
			}
		}
		f.Path = path.Join(x.r.Name, to)
		x.out.Files = append(x.out.Files, f)
	}
	return x.ignored(ctx)
}

// isDefinitionText reports whether a file is a definition rather than a companion file. Directory
// variables are inserted only in definitions.
func isDefinitionText(f *ExportedFile) bool {
	if f.Kind == definition.Skill {
		return path.Base(f.Path) == "SKILL.md"
	}
	return strings.HasSuffix(f.Path, ".md")
}

// has returns the path in the plugin for a path in the project. The path may be a file in the
// plugin or a directory that contains one.
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

func (x *pluginExporter) reportLoss(f *ExportedFile, line int, what, message, fix string, whole bool) {
	x.out.Losses = append(x.out.Losses, HostLoss{
		Host: x.p.Name, Kind: f.Kind, Name: f.Name, Source: f.Source, Line: line, What: what, Message: message, Fix: fix, Whole: whole,
	})
}

// ignored reports fields that have no effect in a plugin.
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
			// The export has already reported that the file cannot be read.
			continue
		}
		for i := range doc.Entries {
			e := &doc.Entries[i]
			known := definition.LookupField(e.Key)
			if slices.ContainsFunc(keys, func(k string) bool {
				return k == e.Key || known != 0 && definition.LookupField(k) == known
			}) {
				f := ExportedFile{Kind: d.Kind, Name: d.Name, Source: d.Origin.Path}
				x.reportLoss(&f, doc.File.Pos(e.KeySpan.Start).Line, LossField, e.Key+" has no effect in a plugin", "configure it where the plugin is used", false)
				x.out.Losses[len(x.out.Losses)-1].Widens = Narrows(d.Kind, e)
			}
		}
	}
	return nil
}

// servers adds the project's MCP servers.
func (x *pluginExporter) servers(ctx context.Context) error {
	f := x.p.Plugin.Servers
	s, err := servers.List(ctx, x.c)
	if err != nil || f == nil {
		return err
	}
	list := chosen(s, x.r.Request)
	data, losses := mcp.Write(list, f, true)
	for _, l := range serverLosses(x.p.Name, losses) {
		l.Message = "MCP server " + l.Name + ": " + l.Message
		x.out.Losses = append(x.out.Losses, l)
	}
	if kept := keptServers(list, losses); len(kept) > 0 {
		x.out.Files = append(x.out.Files, ExportedFile{Path: path.Join(x.r.Name, f.Path), Data: data, Name: x.r.Name, Source: list[0].Origins[0].Path})
	}
	return nil
}

// hooks reports the project's hooks. Since hooks run automatically, the user must decide whether to
// add them to a plugin.
func (x *pluginExporter) hooks() {
	seen := map[string]bool{}
	for _, h := range x.c.Configuration.Hooks {
		if h.Origin.Layer != definition.Project || seen[h.Origin.Path] {
			continue
		}
		seen[h.Origin.Path] = true
		f := ExportedFile{Name: x.r.Name, Source: h.Origin.Path}
		x.reportLoss(&f, 0, LossShell, "the hooks are not added to the plugin, because they would run automatically wherever the plugin is installed",
			"if you need them, add hooks/hooks.json to the plugin yourself", false)
	}
}

// manifests adds the plugin's manifest and the marketplace.
func (x *pluginExporter) manifests() {
	info := PluginInfo{
		Name: x.r.Name, Version: cmp.Or(x.r.Version, "0.1.0"), Description: cmp.Or(x.r.Description, x.describe()), Author: x.r.Author,
		Market: x.r.Name + "-plugins", Owner: cmp.Or(x.r.Author, x.r.Name),
	}
	x.out.Files = append(x.out.Files,
		ExportedFile{Path: path.Join(x.r.Name, x.p.Plugin.Manifest), Data: Manifest(x.p.Plugin, info), Name: x.r.Name},
		ExportedFile{Path: x.p.Plugin.Marketplace, Data: Marketplace(info), Name: info.Market},
	)
	x.out.joined = x.p.Plugin.Marketplace
	x.out.join = func(before []byte) ([]byte, bool) { return joinMarketplace(before, info) }
	if x.out.Losses == nil {
		x.out.Losses = []HostLoss{}
	}
	if x.out.Diagnostics == nil {
		x.out.Diagnostics = []diag.Diagnostic{}
	}
}

// joinMarketplace adds a plugin to an existing marketplace, or replaces the entry with the same
// name. It keeps everything else. It returns false if before is not a marketplace.
func joinMarketplace(before []byte, info PluginInfo) ([]byte, bool) {
	v, ok := jsonc.Parse(before)
	generated, _ := jsonc.Parse(Marketplace(info))
	entry := generated.Pairs[len(generated.Pairs)-1].Value.Items[0]
	at := slices.IndexFunc(v.Pairs, func(e definition.Entry) bool { return e.Key == "plugins" && e.Value.Kind == definition.List })
	if !ok || at < 0 {
		return nil, false
	}
	list := &v.Pairs[at].Value
	i := slices.IndexFunc(list.Items, func(one definition.Value) bool {
		return slices.ContainsFunc(one.Pairs, func(e definition.Entry) bool { return e.Key == "name" && e.Value.Text == info.Name })
	})
	switch {
	case i < 0:
		list.Items = append(list.Items, entry)
	case list.Items[i].Equal(entry):
		return before, true
	default:
		list.Items[i] = entry
	}
	return append(jsonc.Append(nil, v, ""), '\n'), true
}

// describe summarizes the plugin's contents, as in "2 skills, 1 agent".
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
