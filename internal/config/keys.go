package config

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

//go:embed vade.schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) for a project file, for use in editors. It accepts
// only the hosts that [Hosts] returns. A file that matches the schema may still have errors that
// [Parse] reports.
func Schema() []byte {
	return []byte(strings.Replace(schema, `"HOSTS"`, `"`+strings.Join(Hosts(), `", "`)+`"`, 1))
}

func topKeys() []string {
	return []string{"version", "source", "hosts", "sync", "mcp", "servers", "bundled"}
}
func syncKeys() []string { return []string{"links", "mcp", "exclude"} }
func mcpKeys() []string  { return []string{"allow", "deny"} }

func bundledKeys() []string { return []string{"disable"} }

type reader struct {
	p     *Project
	src   *diag.File
	known []string
	diags []diag.Diagnostic
}

func (r *reader) invalid(span diag.Span, fix, format string, args ...any) {
	r.p.Invalid = true
	r.diags = append(r.diags, diag.At(r.src, span, diag.ConfigInvalid, format, args...).WithFix("%s", fix))
}

func (r *reader) unknown(e *definition.Entry, where string, keys []string) {
	r.p.Invalid = true
	fix := "use " + strings.Join(keys, ", ")
	if near := resolve.Nearest(e.Key, keys); len(near) > 0 {
		fix = "did you mean " + near[0] + "?"
	}
	r.diags = append(r.diags, diag.At(r.src, e.KeySpan, diag.ConfigUnknownKey, "unknown key %q%s", e.Key, where).WithFix("%s", fix))
}

func (r *reader) top(e *definition.Entry) {
	switch e.Key {
	case "version":
		if e.Value.Text != "1" {
			r.invalid(e.Value.Span, "set version: 1", "unknown format version %q", chars.Truncate(e.Value.Text, 40))
		}
	case "source":
		r.sources(e.Value)
	case "hosts":
		for _, h := range r.list("hosts", e.Value) {
			if r.host(h, e.Value.Span) && !slices.Contains(r.p.Hosts, h) {
				r.p.Hosts = append(r.p.Hosts, h)
			}
		}
		if len(r.p.Hosts) == 0 && !r.p.Invalid {
			// An empty list could be read as "no hosts", but Vade would use the default hosts.
			r.invalid(e.Value.Span, "list the hosts, or remove the key to use the hosts found in the project", "hosts is empty")
		}
	case "sync":
		for i := range r.pairs("sync", e.Value) {
			r.sync(&e.Value.Pairs[i])
		}
	case "servers":
		r.p.Servers, r.p.OnlyServers = r.list("servers", e.Value), true
	case "mcp":
		for i := range r.pairs("mcp", e.Value) {
			r.mcp(&e.Value.Pairs[i])
		}
	case "bundled":
		r.bundled(e)
	default:
		r.unknown(e, "", topKeys())
	}
}

func (r *reader) bundled(e *definition.Entry) {
	b := &r.p.Bundled
	b.line = r.src.Pos(e.KeySpan.Start).Line
	if e.Value.Kind != definition.Map && e.Value.Kind != definition.Null {
		on, problem := frontmatter.Bool(e.Value)
		if problem != "" {
			r.invalid(e.Value.Span, "use false to disable all bundled definitions, or disable: with a list of names", "bundled %s", problem)
		}
		b.Off = !on
		return
	}
	for i := range e.Value.Pairs {
		switch below := &e.Value.Pairs[i]; below.Key {
		case "disable":
			b.Disable = r.list("disable", below.Value)
		case "enable":
			r.invalid(below.KeySpan, "remove it; users enable definitions in their user policy", "enable: a project cannot enable bundled definitions")
		default:
			r.unknown(below, " under bundled", bundledKeys())
		}
	}
}

// list parses a list of strings. A single string is treated as a one-item list. Messages refer to
// the list by key.
func (r *reader) list(key string, v definition.Value) []string {
	if v.Kind == definition.Map {
		r.invalid(v.Span, "use a YAML list", "%s must be a list, not a map", key)
		return nil
	}
	items := []definition.Value{v}
	if v.Kind == definition.List {
		items = v.Items
	} else if v.Kind == definition.Null {
		items = nil
	}
	if len(items) > maxItems {
		r.invalid(v.Span, "shorten the list", "%s has more than %d items", key, maxItems)
		return nil
	}
	var list []string
	for _, it := range items {
		text, problem := frontmatter.Text(it)
		if problem == "" && text == "" {
			problem = "is empty"
		}
		if problem != "" {
			r.invalid(it.Span, "use a YAML list of strings", "an item in %s %s", key, problem)
			continue
		}
		list = append(list, text)
	}
	return list
}

func (r *reader) pairs(key string, v definition.Value) []definition.Entry {
	if v.Kind != definition.Map && v.Kind != definition.Null {
		r.invalid(v.Span, "use a YAML map: put the keys on indented lines below "+key+":", "%s must be a map, not a %s", key, v.Kind)
	}
	return v.Pairs
}

func (r *reader) host(name string, span diag.Span) bool {
	if slices.Contains(r.known, name) {
		return true
	}
	fix := "use " + strings.Join(r.known, ", ")
	sdks, _ := registry.SDKs()
	isSDK := slices.ContainsFunc(sdks, func(s *host.AgentSDK) bool { return s.Name == name })
	if isSDK {
		fix = "remove it; create its files with vade export " + name
	}
	if isSDK || slices.Contains(registry.Names(), name) {
		r.invalid(span, fix, "vade sync does not write files for %s", name)
		return false
	}
	if near := resolve.Nearest(registry.Canonical(name), r.known); len(near) > 0 {
		fix = "did you mean " + near[0] + "?"
	}
	r.invalid(span, fix, "unknown host %q", chars.Truncate(name, 40))
	return false
}

func (r *reader) sources(v definition.Value) {
	for _, s := range r.list("source", v) {
		clean := path.Clean(s)
		if problem := BadPath(clean); problem != "" {
			r.invalid(v.Span, "specify a directory or file in the project", "source: %q %s", s, problem)
			continue
		}
		if !slices.Contains(r.p.Source, clean) {
			r.p.Source, r.p.at = append(r.p.Source, clean), append(r.p.at, v.Span)
		}
	}
	if len(r.p.Source) == 0 && !r.p.Invalid {
		r.invalid(v.Span, "specify a directory, or remove the key", "source is empty")
	}
}

// BadPath returns the reason that Vade may not use a path as a file or directory in a project, or
// "" if it may.
func BadPath(p string) string {
	top, _, _ := strings.Cut(p, "/")
	switch {
	case strings.EqualFold(top, path.Dir(syncstate.File)):
		return "is reserved for Vade's files"
	case p == "" || p == ".":
		return "is the project root"
	case vfs.IsAbs(p) || strings.HasPrefix(p, "~"):
		return "must be a path relative to the project root"
	case p == ".." || strings.HasPrefix(p, "../") || strings.Contains(p, "/../") || strings.HasSuffix(p, "/.."):
		return "is outside the project"
	case path.Clean(p) != p:
		return `must not contain "./", "//" or a trailing slash`
	case strings.Contains(p, "\\"):
		return "contains a backslash"
	case strings.ContainsFunc(p, func(c rune) bool {
		return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == unicode.ReplacementChar
	}):
		return "contains an invisible character"
	case vfs.CheckName(p) != nil:
		return "has a special meaning on Windows"
	case vfs.IsGit(p):
		return "is in a .git directory"
	}
	return ""
}

func (r *reader) sync(e *definition.Entry) {
	switch e.Key {
	case "links":
		switch e.Value.Text {
		case "auto":
		case "never":
			r.p.Sync.NoLinks = true
		default:
			r.invalid(e.Value.Span, "use auto or never", "links: unknown value %q", chars.Truncate(e.Value.Text, 40))
		}
	case "mcp":
		on, problem := frontmatter.Bool(e.Value)
		if problem != "" {
			r.invalid(e.Value.Span, "use true or false", "mcp %s", problem)
		}
		r.p.Sync.Servers = on
	case "exclude":
		for i := range r.pairs("exclude", e.Value) {
			r.exclude(&e.Value.Pairs[i])
		}
	default:
		r.unknown(e, " under sync", syncKeys())
	}
}

func (r *reader) exclude(e *definition.Entry) {
	if !r.host(e.Key, e.KeySpan) {
		return
	}
	for _, word := range r.list(e.Key, e.Value) {
		k, ok := definition.ParseKind(word)
		if !ok {
			r.invalid(e.Value.Span, "use skills, commands, agents or instructions", "unknown kind %q", chars.Truncate(word, 40))
			continue
		}
		if r.p.Sync.Exclude == nil {
			r.p.Sync.Exclude = map[string][]definition.Kind{}
		}
		r.p.Sync.Exclude[e.Key] = append(r.p.Sync.Exclude[e.Key], k)
	}
}

func (r *reader) mcp(e *definition.Entry) {
	switch e.Key {
	case "allow":
		r.p.MCP.Allow, r.p.MCP.allowLines = r.list("allow", e.Value), r.lines(e.Value)
		if len(r.p.MCP.Allow) == 0 {
			// An empty list could be read as "no servers", so it must not allow all of them.
			r.invalid(e.Value.Span, `list the servers, or use deny: ["*"]`, "allow is empty")
		}
	case "deny":
		r.p.MCP.Deny, r.p.MCP.denyLines = r.list("deny", e.Value), r.lines(e.Value)
	default:
		r.unknown(e, " under mcp", mcpKeys())
	}
}

// lines returns the line numbers of a list's items, or of a single string.
func (r *reader) lines(v definition.Value) []int {
	items := []definition.Value{v}
	if v.Kind == definition.List {
		items = v.Items
	}
	var at []int
	for i := range items {
		at = append(at, r.src.Pos(items[i].Span.Start).Line)
	}
	return at
}
