package fact

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/frontmatter"
)

// grants takes from the fields of a definition the tools that it asks for, and what
// it has run on events.
func (f *Facts) grants(file int, entries []definition.Entry) {
	g := granter{f: f, file: file}
	for i := range entries {
		g.entry(&entries[i], 0)
	}
	g.setup(entries, 0)
}

type granter struct {
	f    *Facts
	file int
}

func (g *granter) entry(e *definition.Entry, depth int) {
	if depth > 4 {
		return
	}
	switch field := definition.LookupField(e.Key); field {
	case definition.FieldAllowedTools, definition.FieldTools:
		g.tools(field.Key(), &e.Value)
		return
	case definition.FieldPermissionMode:
		g.grant(field.Key(), e.Value.Text, "", &e.Value)
		return
	case definition.FieldHooks:
		g.hooks("", &e.Value, 0)
		return
	case definition.FieldMCPServers:
		g.servers(&e.Value)
		return
	case definition.FieldMetadata:
		for i := range e.Value.Pairs {
			g.entry(&e.Value.Pairs[i], depth+1)
		}
		return
	}
	switch fold(e.Key) {
	case "permission", "permissions":
		g.permissions("", &e.Value, 0)
	case "sandboxmode", "approvalpolicy", "defaultmode", "sandbox", "approvalmode", "trust":
		g.grant("permissionMode", e.Value.Text, "", &e.Value)
	case "autoapprove", "alwaysallow", "autoallow", "yolo", "dangerouslyskippermissions":
		if e.Value.Kind == definition.List || e.Value.Kind == definition.Map {
			g.tools("allowed-tools", &e.Value)
		} else if e.Value.Text != "false" && e.Value.Text != "" {
			g.grant("permissionMode", fold(e.Key), "", &e.Value)
		}
	}
}

// fold is a key without the marks in which spellings differ.
func fold(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))
}

// tools takes a list of rules for tools in all of its spellings.
func (g *granter) tools(field string, v *definition.Value) {
	if on, _, ok := frontmatter.Switches(*v); ok {
		for _, tool := range on {
			g.grant(field, tool, "", v)
		}
		return
	}
	if v.Kind == definition.List {
		for i := range v.Items {
			rules, _ := frontmatter.Rules(v.Items[i])
			for _, r := range rules {
				g.rule(field, r, &v.Items[i])
			}
		}
		return
	}
	rules, _ := frontmatter.Rules(*v)
	for _, r := range rules {
		g.rule(field, r, v)
	}
}

// rule divides a rule as "Bash(git add:*)".
func (g *granter) rule(field, text string, v *definition.Value) {
	tool, inner, found := strings.Cut(text, "(")
	if found {
		inner = strings.TrimSuffix(inner, ")")
	}
	g.grant(field, strings.TrimSpace(tool), strings.TrimSpace(inner), v)
}

func (g *granter) grant(field, tool, rule string, v *definition.Value) {
	if len(g.f.Grants) < maxFacts && tool != "" {
		g.f.Grants = append(g.f.Grants, Grant{Place{g.file, v.Span}, field, tool, rule})
	}
}

// permissions takes what a map of permissions allows: lists under "allow", and tools
// with the word "allow" behind them or behind a pattern.
func (g *granter) permissions(tool string, v *definition.Value, depth int) {
	if depth > 4 {
		return
	}
	for i := range v.Pairs {
		e := &v.Pairs[i]
		switch {
		case e.Key == "allow" && e.Value.Kind == definition.List:
			g.tools("allowed-tools", &e.Value)
		case fold(e.Key) == "defaultmode":
			g.grant("permissionMode", e.Value.Text, "", &e.Value)
		case e.Value.Kind == definition.Map:
			g.permissions(e.Key, &e.Value, depth+1)
		case e.Value.Text == "allow" && tool != "":
			g.grant("permission", tool, e.Key, &e.Value)
		case e.Value.Text == "allow":
			g.grant("permission", e.Key, "", &e.Value)
		}
	}
	if v.Kind == definition.String && tool == "" && v.Text == "allow" {
		g.grant("permission", "*", "", v)
	}
}

// hooks takes the commands from a map of hooks, in whatever depth hosts nest them.
func (g *granter) hooks(event string, v *definition.Value, depth int) {
	if depth > 8 || len(g.f.Hooks) >= maxFacts {
		return
	}
	switch v.Kind {
	case definition.List:
		for i := range v.Items {
			g.hooks(event, &v.Items[i], depth+1)
		}
	case definition.Map:
		var command string
		var args []string
		at := v
		for i := range v.Pairs {
			e := &v.Pairs[i]
			switch k := fold(e.Key); {
			case e.Value.Kind == definition.List && k == "args":
				args, _ = frontmatter.Strings(e.Value)
			case (k == "command" || k == "bash" || k == "powershell" || k == "run") && e.Value.Kind == definition.String:
				if command != "" {
					g.hook(event, command, at)
				}
				command, at = e.Value.Text, &e.Value
			case e.Value.Kind == definition.Map || e.Value.Kind == definition.List:
				next := event
				if next == "" && k != "hooks" {
					next = e.Key
				}
				g.hooks(next, &e.Value, depth+1)
			}
		}
		if command != "" {
			g.hook(event, strings.Join(append([]string{command}, args...), " "), at)
		}
	case definition.String:
		if event != "" && depth <= 2 {
			g.hook(event, v.Text, v)
		}
	}
}

func (g *granter) hook(event, command string, v *definition.Value) {
	g.f.Hooks = append(g.f.Hooks, Hook{Place: Place{g.file, v.Span}, Event: event, Command: command})
}

// servers takes the commands that start servers of tools.
func (g *granter) servers(v *definition.Value) {
	for i := range v.Pairs {
		g.hooks(ServerStart, &v.Pairs[i].Value, 1)
		for k := range v.Pairs[i].Value.Pairs {
			g.entry(&v.Pairs[i].Value.Pairs[k], 1)
		}
	}
}

// ServerStart is the event of a [Hook] that starts a server of tools.
const ServerStart = "mcp-server"
