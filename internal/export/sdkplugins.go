package export

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/vfs"
)

// plugins adds the plugins that the user specified, which the SDK loads from their directories. An
// export also includes the project's own plugins, except those that would run something, or allow
// an action, without approval.
func (m *sdkMaker) plugins() error {
	if m.sdk.PluginManifest == "" && m.request == nil {
		// Definitions in plugins are included like all others.
		return nil
	}
	for _, dir := range m.c.Env.PluginDirs {
		rel, ok := m.c.InProject(dir)
		switch {
		case m.request == nil:
		case ok:
			dir = "./" + rel
		default:
			m.out.Losses = append(m.out.Losses, HostLoss{
				Host: m.sdk.Name, Name: path.Base(dir), Source: dir, What: "file",
				Message: "the plugin is outside the project and is omitted", Fix: "add it to your program's options",
			})
			continue
		}
		m.out.Plugins = append(m.out.Plugins, SDKPlugin{Type: "local", Path: dir})
	}
	if m.request == nil || len(m.request.Kinds)+len(m.request.Names) > 0 {
		return nil
	}
	plan, err := m.c.Plan(m.ctx)
	if err != nil || plan.Project == nil {
		return err
	}
	for _, p := range plan.Plugins {
		rel, ok := plan.Project.Rel(p.Tree.RealPath(p.Dir))
		if !ok || p.Disabled != "" || p.From != "marketplace" && p.From != "manifest" {
			continue
		}
		at := "./" + rel
		if slices.ContainsFunc(m.out.Plugins, func(o SDKPlugin) bool { return o.Path == at }) {
			continue
		}
		why, err := m.pluginRuns(p)
		if err != nil {
			return err
		}
		if why != "" {
			m.reportPluginLoss(p, rel, "the plugin is omitted: "+why, fmt.Sprintf("if you want to include it, add {type: \"local\", path: %q} to plugins in your options", at))
			continue
		}
		m.out.Plugins = append(m.out.Plugins, SDKPlugin{"local", at, true})
		if slices.ContainsFunc(m.c.Configuration.Servers, func(s mcp.Server) bool { return s.Origins[0].Plugin == p.Name }) {
			m.reportPluginLoss(p, rel, "the plugin's MCP servers are not started", "add them to a project file, such as .mcp.json")
		}
	}
	slices.SortFunc(m.out.Plugins, func(a, b SDKPlugin) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func (m *sdkMaker) reportPluginLoss(p *discover.Plugin, rel, message, fix string) {
	l := HostLoss{Host: m.sdk.Name, Name: p.Name, Source: p.Manifest, What: LossShell, Message: message, Fix: fix}
	if l.Source == "" {
		l.Source = rel
	}
	m.out.Losses = append(m.out.Losses, l)
}

// maxPluginNames limits the entries in each of a plugin's directories, and maxManifest limits the
// size of a manifest or Markdown file.
const (
	maxPluginNames = 1000
	maxManifest    = 4 << 20
)

// pluginRuns describes the first part of a plugin that would run, or allow an action, without
// approval. It returns "" if there is none. In the manifest, it accepts only keys that do not
// start anything.
func (m *sdkMaker) pluginRuns(p *discover.Plugin) (string, error) {
	data, err := p.Tree.ReadFile(path.Join(p.Dir, m.sdk.PluginManifest), maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.Manifest != "":
		return "the only manifest that the host reads, " + m.sdk.PluginManifest + ", is missing", nil
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "the manifest cannot be read", nil
	default:
		v, ok := jsonc.Parse(data)
		if !ok || v.Kind != definition.Map {
			return "the manifest is not a JSON object", nil
		}
		for _, e := range v.Pairs {
			if !slices.Contains(m.sdk.PluginInert, e.Key) {
				return "the manifest has the key " + e.Key + ", which may run code automatically", nil
			}
		}
	}
	entries, truncated, err := p.Tree.ReadDir(p.Dir, maxPluginNames)
	if err != nil || truncated {
		return "cannot read all entries in the directory", nil
	}
	for _, e := range entries {
		if slices.ContainsFunc(m.sdk.PluginRuns, func(name string) bool { return strings.EqualFold(name, e.Name) }) {
			return "it contains " + e.Name + ", which takes effect automatically", nil
		}
	}
	known := map[string]bool{}
	var skills []string
	for _, d := range m.all.All {
		if m.c.PluginOf(d) != p {
			continue
		}
		if why, err := m.definitionRuns(d); why != "" || err != nil {
			return why, err
		}
		if known[d.Origin.Real] = true; d.Kind == definition.Skill && strings.EqualFold(path.Base(d.Origin.Real), "SKILL.md") {
			skills = append(skills, path.Dir(d.Origin.Real)+"/")
		}
	}
	left := maxPluginFiles
	return unknownRuns(p, p.Dir, known, skills, &left), m.ctx.Err()
}

// maxPluginFiles is the maximum number of files examined in a plugin.
const maxPluginFiles = 10_000

// unknownRuns checks the Markdown files in a plugin that Vade does not treat as definitions,
// because the SDK might treat them as such. It returns the reason if one of them may run commands
// or allow tools. It skips the companion files of skills.
func unknownRuns(p *discover.Plugin, dir string, known map[string]bool, skills []string, left *int) string {
	entries, truncated, err := p.Tree.ReadDir(dir, maxPluginNames)
	if err != nil || truncated || strings.Count(dir, "/") > 40 {
		return "cannot read all entries in " + dir
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		real := p.Tree.RealPath(name)
		if *left--; *left < 0 {
			return "too many files to check"
		}
		why := ""
		switch {
		case e.Type == vfs.Link:
			why = name + " is a symlink"
		case e.Type == vfs.Dir && !vfs.IsGit(name):
			why = unknownRuns(p, name, known, skills, left)
		case e.Type != vfs.File || known[real] || !strings.EqualFold(path.Ext(e.Name), ".md"):
		case !strings.EqualFold(e.Name, "SKILL.md") && slices.ContainsFunc(skills, func(s string) bool { return strings.HasPrefix(real, s) }):
		default:
			data, err := p.Tree.ReadFile(name, maxManifest)
			text := strings.ToLower(string(data))
			if err != nil || slices.ContainsFunc([]string{"!`", "```!", "allowed-tools", "allowedtools", "hooks:"}, func(w string) bool { return strings.Contains(text, w) }) {
				why = name + " may be a definition that runs commands or lets tools run without approval"
			}
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// definitionRuns describes the commands and permissions in a plugin definition. It returns "" if
// there are none.
func (m *sdkMaker) definitionRuns(d *definition.Definition) (string, error) {
	doc, err := m.c.Document(m.ctx, d)
	if err != nil {
		if m.ctx.Err() != nil {
			return "", err
		}
		return d.Origin.Path + " cannot be read", nil
	}
	for i := range doc.Entries {
		switch e := &doc.Entries[i]; definition.LookupField(e.Key) {
		case definition.FieldHooks:
			return fmt.Sprintf("%s has %s, which run automatically", d.Origin.Path, e.Key), nil
		case definition.FieldAllowedTools:
			return fmt.Sprintf("%s has %s, which lets tools run without approval", d.Origin.Path, e.Key), nil
		}
	}
	_, left := Pieces(doc.Body, PieceOptions{Arguments: true, Files: true})
	if slices.ContainsFunc(left, func(l Left) bool { return l.What == LossShell }) {
		return d.Origin.Path + " runs shell commands when it is used", nil
	}
	return "", nil
}
