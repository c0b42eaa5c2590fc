package fact

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
)

// maxConfig bounds the files of configuration that are read as such. Larger ones are
// looked at as text all the same.
const maxConfig = 256 << 10

// config takes hooks, servers and permissions from a file of configuration that a
// host would read where the package is a plugin or a project.
func (f *Facts) config(file int) {
	x := f.Package.Files[file]
	if x.Role != Config {
		return
	}
	kind := configKind(strings.ToLower(path.Base(x.Path)))
	if kind == "" || x.Lang != "json" {
		return
	}
	if len(x.Text) > maxConfig {
		f.miss(file, MissedTooLarge, "its hooks, servers and grants were not read")
		return
	}
	// JSON is YAML, but for tabs.
	doc, found := frontmatter.ParseYAML(diag.NewFile(x.Path, []byte(strings.ReplaceAll(x.Text, "\t", " "))))
	if !doc.Valid {
		if len(doc.Entries) == 0 {
			f.miss(file, MissedUnparsed, "")
			return
		}
		f.flaws(file, diag.NewFile(x.Path, []byte(x.Text)), found)
	}
	g := granter{f: f, file: file}
	switch kind {
	case "hooks":
		list := doc.Entries
		for i := range list {
			if list[i].Key == "hooks" {
				list = list[i : i+1]
				break
			}
		}
		for i := range list {
			if list[i].Key == "hooks" {
				g.hooks("", &list[i].Value, 0)
			} else {
				g.hooks(list[i].Key, &list[i].Value, 1)
			}
		}
	case "servers":
		nested := false
		for i := range doc.Entries {
			if e := &doc.Entries[i]; definition.LookupField(e.Key) == definition.FieldMCPServers || e.Key == "servers" {
				nested = true
				g.servers(&e.Value)
			}
		}
		if !nested {
			g.servers(&definition.Value{Kind: definition.Map, Pairs: doc.Entries})
		}
	case "manifest":
		g.manifest(doc.Entries)
	default:
		for i := range doc.Entries {
			g.entry(&doc.Entries[i], 0)
		}
	}
}

// configKind says by its name what a file of configuration has.
func configKind(base string) string {
	switch {
	case base == "hooks.json" || strings.HasSuffix(base, "-hooks.json"):
		return "hooks"
	case base == "mcp.json", base == ".mcp.json", base == "mcp-config.json":
		return "servers"
	case base == "settings.json", base == "settings.local.json", base == "plugin.json", strings.HasSuffix(base, "-extension.json"):
		return "settings"
	case base == "package.json", base == "composer.json":
		return "manifest"
	}
	return ""
}
