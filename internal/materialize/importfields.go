package materialize

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// Spelled gives the fields of a file the names that they have in the source of truth,
// where the host whose file it is has another: "model_reasoning_effort" of Codex is
// "effort". So it is with words for tools that mean less to that host than to another.
func (m *Importer) Spelled(d *definition.Definition, entries []definition.Entry) ([]definition.Entry, bool) {
	list, changed := slices.Clone(entries), false
	for i := range list {
		e := &list[i]
		if field := m.fieldOf(d, e.Key); field != 0 && !slices.ContainsFunc(list, func(o definition.Entry) bool { return definition.LookupField(o.Key) == field }) {
			e.Key, changed = field.Key(), true
		}
		switch definition.LookupField(e.Key) {
		case definition.FieldTools, definition.FieldAllowedTools, definition.FieldDisallowedTools:
			if v, ok := m.toolsOf(d, e.Value); ok {
				e.Value, changed = v, true
			}
		}
	}
	return list, changed
}

// fieldOf is the field that a key is in the files of the host that a definition stands
// with, 0 where its name says that already or no such host knows it.
func (m *Importer) fieldOf(d *definition.Definition, key string) definition.Field {
	if definition.LookupField(key) != 0 {
		return 0
	}
	for _, p := range m.hostsOf(d.Origin.Root) {
		if r, ok := p.Rule(d.Kind, key); ok && r.Field != 0 {
			return r.Field
		}
	}
	return 0
}

// toolsOf writes words for tools that stand for several of them in some host, and for
// fewer in the one whose file it is, by their neutral words: "edit" of Qwen Code does not
// write new files, that of Copilot does.
func (m *Importer) toolsOf(d *definition.Definition, v definition.Value) (definition.Value, bool) {
	hosts := m.hostsOf(d.Origin.Root)
	if len(hosts) == 0 || hosts[0].Export == nil || hosts[0].Export.Tools == nil || hosts[0].Export.Tools.Name == nil {
		return v, false
	}
	name := hosts[0].Export.Tools.Name
	meant := func(word string) []string {
		base, rule, ruled := strings.Cut(word, "(")
		all := registry.NeutralTools(strings.TrimSpace(base))
		own := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return name(n) != strings.TrimSpace(base) })
		if len(own) == 0 || len(own) == len(all) {
			return nil
		}
		for i := range own {
			if ruled {
				own[i] += "(" + rule
			}
		}
		return own
	}
	changed := false
	out := definition.Value{Kind: v.Kind, Span: v.Span}
	if v.Kind == definition.Map {
		for _, p := range v.Pairs {
			words := meant(p.Key)
			changed = changed || words != nil
			if words == nil {
				words = []string{p.Key}
			}
			for _, w := range words {
				p.Key = w
				out.Pairs = append(out.Pairs, p)
			}
		}
		return out, changed
	}
	words, _ := frontmatter.Rules(v)
	out.Kind = definition.List
	for _, word := range words {
		own := meant(word)
		changed = changed || own != nil
		if own == nil {
			own = []string{word}
		}
		for _, w := range own {
			out.Items = append(out.Items, definition.Value{Kind: definition.String, Text: w, Span: v.Span})
		}
	}
	return out, changed
}

// hostsOf are the hosts that a directory is the own one of.
func (m *Importer) hostsOf(root string) []*host.Profile {
	if list, known := m.owners[root]; known {
		return list
	}
	all := registry.Hosts()
	list := slices.DeleteFunc(slices.Clone(all), func(p *host.Profile) bool {
		return !slices.Contains(catalog.Labels(p), root) || !catalog.Own(all, catalog.FirstWord(p.Name), root)
	})
	if m.owners == nil {
		m.owners = map[string][]*host.Profile{}
	}
	m.owners[root] = list
	return list
}
