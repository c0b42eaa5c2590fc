package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// tools is a parsed tools field.
type tools struct {
	// words lists the enabled tools as written.
	words []string
	// off lists the tools that the field disables.
	off []string
	// everything reports whether one of the words means all tools.
	everything bool
}

// toolsOf reads a tools field: a list of words, or a map of switches.
func toolsOf(v definition.Value) tools {
	var t tools
	if v.Kind == definition.Map {
		return switched(v)
	}
	t.words, _ = frontmatter.Rules(v)
	t.everything = slices.Contains(t.words, "*") || slices.Contains(t.words, "all")
	return t
}

// switched parses a map of tool switches. Tools that are not in the map are enabled unless "*" is
// disabled. If "*" is disabled, only enabled entries matter; otherwise, only disabled entries do.
func switched(v definition.Value) tools {
	var t tools
	only := false
	for i := range v.Pairs {
		switch p := &v.Pairs[i]; {
		case p.Key == "*":
			only = p.Value.Text != "true"
		case p.Value.Text == "true":
			t.words = append(t.words, p.Key)
		case slices.Contains([]string{"edit", "write", "patch", "multiedit"}, p.Key):
			// opencode has a single permission for these tools (see config/agent.ts in its source).
			t.off = append(t.off, "Edit", "Write", "MultiEdit", "NotebookEdit")
		default:
			t.off = append(t.off, p.Key)
		}
	}
	if only {
		t.off = nil
		return t
	}
	t.words, t.everything = nil, len(t.off) == 0 && len(v.Pairs) > 0
	return t
}

// tools writes a tools field. It omits tools that the host does not support.
func (f *fielder) tools(e *definition.Entry, field definition.Field) {
	t := toolsOf(e.Value)
	line := f.it.entryLine(e)
	if field == definition.FieldTools && len(t.off) > 0 && len(t.words) == 0 {
		field, t.words = definition.FieldDisallowedTools, t.off
	}
	if t.everything {
		if field != definition.FieldTools {
			note, problem := f.reportLoss, "express access to all tools"
			if field == definition.FieldDisallowedTools {
				note, problem = f.reportWidening, "deny all tools at once"
			}
			note(line, LossTool, fmt.Sprintf("%s: %s cannot %s", e.Key, f.p.Name, problem), "list the tools")
		}
		return
	}
	x := f.p.Export.Tools
	rule, ok := f.rule(field)
	switches := x != nil && x.Form == host.ToolSwitches
	if switches && f.kind == definition.Agent {
		rule, ok = f.p.Rule(f.kind, x.Key)
	}
	if !ok || x == nil || x.Name == nil || rule.Inert {
		f.noList(e, field)
		return
	}
	if field == definition.FieldAllowedTools {
		t.words = slices.DeleteFunc(slices.Clone(t.words), func(w string) bool {
			if anyCommand(w) {
				f.reportLoss(line, LossTool, w+" allows every command without approval and is not exported", "allow it in the host's settings, or list the commands, as in Bash(git:*)")
				return true
			}
			return false
		})
		if len(t.words) == 0 {
			return
		}
	}
	words := f.toolWords(t.words, line, field == definition.FieldDisallowedTools)
	// If the host's YAML does not support flow lists, write a string.
	lists := rule.Takes&host.TakesList != 0 && f.p.Dialect.Rejects&host.RejectFlow == 0
	switch {
	case switches:
		f.switches(rule.Key, words, field == definition.FieldTools)
	case x.SpaceSeparated && field == definition.FieldAllowedTools:
		made := definition.StringValue(strings.Join(words, " "))
		f.reformatted = f.reformatted || e.Value.Kind != made.Kind || e.Value.Text != made.Text
		f.set(rule.Key, made)
	case slices.Equal(words, toolsOf(e.Value).words) && host.TakesKind(e.Value.Kind)&rule.Takes != 0 &&
		e.Value.Kind != definition.Map && (lists || e.Value.Kind != definition.List):
		f.set(rule.Key, e.Value)
	case lists:
		f.set(rule.Key, definition.ListValue(words))
	case rule.Takes&host.TakesText != 0:
		f.set(rule.Key, definition.StringValue(strings.Join(words, " ")))
	}
}

// noList reports the loss of a skill's or command's list of tools in a host that does not support
// such lists.
func (f *fielder) noList(e *definition.Entry, field definition.Field) {
	line := f.it.entryLine(e)
	message := fmt.Sprintf("%s does not support %s in %s", f.p.Name, e.Key, chars.WithArticle(f.kind.String()))
	switch field {
	case definition.FieldAllowedTools:
		// The list preapproves tools but does not restrict them.
		f.reportLoss(line, LossTool, message+", so the tools are not preapproved", "allow the tools in the host's settings if it asks")
	case definition.FieldDisallowedTools:
		f.reportWidening(line, LossTool, message+", so the definition may use them", "deny them in the host's settings")
	default:
		f.reportWidening(line, LossTool, message+", so the definition may use all tools", "deny the other tools in the host's settings")
	}
}

// writes reports whether a tool may modify anything. word may be any host's name for the tool.
// Unknown tools are assumed to modify things.
func writes(word string) bool {
	base, _, _ := strings.Cut(word, "(")
	list := registry.NeutralTools(strings.TrimSpace(base))
	return len(list) == 0 || slices.ContainsFunc(list, host.Writes)
}

// toolWords returns the host's names for tools. denied reports whether the tools are denied.
func (f *fielder) toolWords(words []string, line int, denied bool) []string {
	x := f.p.Export.Tools
	var list []string
	add := func(word string) {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	for _, w := range words {
		base, rule, ruled := strings.Cut(w, "(")
		base = strings.TrimSpace(base)
		if ruled && !x.Rules && denied {
			f.reportLoss(line, LossTool, fmt.Sprintf("%s does not support tool rules, so all of %s is denied", f.p.Name, base), "")
			ruled = false
		}
		if ruled && !x.Rules {
			f.reportLoss(line, LossTool, fmt.Sprintf("%s does not support tool rules, so %s is omitted; allowing the whole tool would grant too much", f.p.Name, w), "allow it in the host's settings")
			continue
		}
		neutral := registry.NeutralTools(base)
		if len(neutral) == 0 && x.Rules {
			// An unknown word may be a tool in a later version.
			add(w)
			continue
		}
		known := false
		for _, n := range neutral {
			name := x.Name(n)
			if server, tool, ok := host.IsServerTool(n); ok && x.Server != nil {
				name = x.Server(server, tool)
			}
			if name == "" {
				continue
			}
			if known = true; ruled {
				name += "(" + rule
			}
			add(name)
		}
		if !known && !(denied && len(neutral) > 0) {
			f.reportLoss(line, LossTool, fmt.Sprintf("%s has no equivalent of the tool %s", f.p.Name, w), "remove it, or use one of the host's tools")
		}
	}
	return list
}

// switches writes a map that enables or disables tools. If only is set, the map enables words and
// disables all other tools. Otherwise, the map disables words.
func (f *fielder) switches(key string, words []string, only bool) {
	v := definition.Value{Kind: definition.Map}
	for i := range f.out {
		if f.out[i].Key == key {
			v = f.out[i].Value
		}
	}
	if only {
		// If two entries match, the last one wins.
		all := definition.Entry{Key: "*", Value: definition.BoolValue(false)}
		v.Pairs = append([]definition.Entry{all}, v.Pairs...)
	}
	for _, w := range words {
		e := definition.Entry{Key: w, Value: definition.BoolValue(only)}
		if i := slices.IndexFunc(v.Pairs, func(p definition.Entry) bool { return p.Key == w }); i >= 0 {
			v.Pairs[i].Value = e.Value
		} else {
			v.Pairs = append(v.Pairs, e)
		}
	}
	f.set(key, v)
}
