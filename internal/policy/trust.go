package policy

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Trust is one entry under the trust key. It sets the permissions for definitions from one source.
// Exactly one of Server, Plugin and Layer is set.
type Trust struct {
	// Server is an MCP server's name. Plugin is a plugin, written as name or name@marketplace.
	Server, Plugin string
	Layer          definition.Layer
	// Shell and Files are nil if the entry does not set them.
	Shell  *Mode
	Files  *bool
	Origin Origin

	span diag.Span
}

// SourceRules holds the permissions for definitions from one source.
type SourceRules struct {
	Shell Mode
	// Files reports whether file references are read.
	Files bool
}

// Source returns the rules for definitions in a layer. plugin identifies the source if the layer is
// Plugin, and server if it is MCP. An MCP server's definitions may not run commands or read files
// unless a managed or user policy names the server. For other layers, the policy's mode applies,
// and trust entries can only restrict it.
func (p *Policy) Source(layer definition.Layer, plugin, server string) SourceRules {
	q := subject{layer: layer, plugin: plugin, server: server}
	if server != "" {
		q.layer = definition.MCP
	}
	rules := SourceRules{Shell: p.Shell, Files: true}
	granted := q.layer != definition.MCP
	for rest := p.Trust; len(rest) > 0; {
		n := sameFile(rest)
		set, ok := q.combine(rest[:n])
		if ok {
			rules = strictest(rules, set)
			granted = granted || rest[0].Origin.Layer != definition.Project && !p.mayOnlyRestrict(rest[0].Origin.Layer)
		}
		rest = rest[n:]
	}
	if !granted {
		return SourceRules{}
	}
	return rules
}

// sameFile returns the number of entries at the start of the list that come from the same file.
func sameFile(list []Trust) int {
	n := 1
	for n < len(list) && list[n].Origin.File == list[0].Origin.File && list[n].Origin.Layer == list[0].Origin.Layer {
		n++
	}
	return n
}

func strictest(a, b SourceRules) SourceRules {
	return SourceRules{Shell: min(a.Shell, b.Shell), Files: a.Files && b.Files}
}

// subject is the source of a definition, for matching against trust entries.
type subject struct {
	layer          definition.Layer
	plugin, server string
}

// combine merges the matching entries from one file. For each key, a later entry overrides an
// earlier one, but an uncertain match can only restrict. ok is false if no entry matches.
func (q subject) combine(entries []Trust) (rules SourceRules, ok bool) {
	rules = SourceRules{Shell: Granted, Files: true}
	if q.layer == definition.MCP {
		rules = SourceRules{}
	}
	for _, t := range entries {
		matched, uncertain := q.matches(t)
		if !matched {
			continue
		}
		ok = true
		next := rules
		if t.Shell != nil {
			next.Shell = *t.Shell
		}
		if t.Files != nil {
			next.Files = *t.Files
		}
		if uncertain {
			next = strictest(rules, next)
		}
		rules = next
	}
	return rules, ok
}

// matches reports whether an entry applies to the source. uncertain reports that the match is not
// certain, because the entry names a marketplace and the source's marketplace is unknown.
func (q subject) matches(t Trust) (matched, uncertain bool) {
	switch {
	case t.Server != "":
		return q.layer == definition.MCP && q.server == t.Server, false
	case t.Plugin != "":
		name, market, _ := strings.Cut(t.Plugin, "@")
		pluginName, pluginMarket, known := strings.Cut(q.plugin, "@")
		matched = q.layer == definition.Plugin && name == pluginName && (market == "" || !known || market == pluginMarket)
		return matched, market != "" && !known
	}
	return q.layer == t.Layer, false
}

// sources parses the trust key. An entry without a valid source disables the shell. An unknown key
// makes an entry as strict as possible.
func (p *fileParser) sources(v definition.Value) []Trust {
	const fix = "correct the entry; until then, the file allows no commands"
	if v.Kind == definition.Null {
		return nil
	}
	if v.Kind != definition.List {
		p.invalid(v.Span, fix, "trust must be a list of entries, not %s", quoted(v))
		p.closed(v.Span)
		return nil
	}
	var list []Trust
	for _, item := range v.Items {
		t, problem := p.source(item)
		if problem != "" {
			p.invalid(item.Span, fix, "%s", problem)
			p.closed(item.Span)
			continue
		}
		list = append(list, t)
	}
	return list
}

// source parses one entry under trust. If the entry does not have a valid source, problem says why.
func (p *fileParser) source(v definition.Value) (t Trust, problem string) {
	t.Origin, t.span = p.f.origin(v.Span), v.Span
	named, strict, layer := 0, false, ""
	max := Granted
	for _, e := range v.Pairs {
		text, _ := scalar(e.Value)
		switch e.Key {
		case "mcp":
			t.Server, max = text, Readonly
			named++
		case "plugin":
			t.Plugin = text
			named++
		case "layer":
			t.Layer, layer = fileLayer(text), text
			named++
		case "shell", "files":
		default:
			p.unknown(e, "correct the entry; until then, it allows nothing", trustKeys()...)
			strict = true
		}
	}
	switch {
	case named == 1 && layer != "" && t.Layer == 0:
		return t, "layer must be managed, project, user, plugin or bundled, not " + clipQuoted(layer)
	case named != 1 || t.Server == "" && t.Plugin == "" && t.Layer == 0:
		return t, "a trust entry must set exactly one of mcp, plugin and layer"
	}
	for _, e := range v.Pairs {
		switch e.Key {
		case "shell":
			m := p.mode(e.Value, max)
			t.Shell = &m.value
		case "files":
			b := p.flag(e.Key, e.Value)
			t.Files = &b.value
		}
	}
	if strict {
		t.Shell, t.Files = new(Mode), new(bool)
	}
	return t, ""
}

func trustKeys() []string { return []string{"mcp", "plugin", "layer", "shell", "files"} }

// fileLayer returns the layer with the given name, or 0 if there is none or it is mcp.
func fileLayer(word string) definition.Layer {
	for l := definition.Managed; l <= definition.Bundled; l++ {
		if l.String() == word {
			return l
		}
	}
	return 0
}
