package manifest

import (
	"cmp"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/shell"
)

// grants adds signals for the tools that the frontmatter allows an agent to use without asking the
// user.
func (f *reader) grants(entries []definition.Entry, depth int) {
	if depth > 4 {
		return
	}
	for i := range entries {
		f.grant(&entries[i], depth)
	}
}

func (f *reader) grant(e *definition.Entry, depth int) {
	switch definition.LookupField(e.Key) {
	case definition.FieldAllowedTools:
		f.tools(&e.Value)
		return
	case definition.FieldTools:
		// The list of tools in an agent's definition is a restriction. The host still asks the user
		// for permission.
		if f.set.Package.Kind != definition.Agent {
			f.tools(&e.Value)
		}
		return
	case definition.FieldPermissionMode:
		f.mode(&e.Value)
		return
	case definition.FieldMetadata:
		f.grants(e.Value.Pairs, depth+1)
		return
	case definition.FieldMCPServers:
		for i := range e.Value.Pairs {
			f.grants(e.Value.Pairs[i].Value.Pairs, depth+1)
		}
		return
	}
	key := normalizeKey(e.Key)
	switch {
	case key == "permission" || key == "permissions":
		f.permissions("", &e.Value, 0)
	case names()["mode-key"][key]:
		f.mode(&e.Value)
	case !names()["allow-key"][key]:
	case e.Value.Kind == definition.List || e.Value.Kind == definition.Map:
		f.tools(&e.Value)
	case e.Value.Text != "false" && e.Value.Text != "":
		f.add(signal.Grant, e.Value.Span, e.Key, e.Value.Text, "bypass")
	}
}

// tools adds signals for a list of tool rules, in any syntax that hosts accept.
func (f *reader) tools(v *definition.Value) {
	if on, _, ok := frontmatter.Switches(*v); ok {
		for _, tool := range on {
			f.rule(tool, v.Span)
		}
		return
	}
	list := v.Items
	if v.Kind != definition.List {
		list = []definition.Value{*v}
	}
	for i := range list {
		rules, _ := frontmatter.Rules(list[i])
		for _, r := range rules {
			f.rule(r, list[i].Span)
		}
	}
}

// permissions adds signals for the permissions in a map: the rules listed under "allow", and the
// tools or patterns with the value "allow".
func (f *reader) permissions(tool string, v *definition.Value, depth int) {
	if depth > 4 {
		return
	}
	if v.Kind == definition.String && tool == "" && v.Text == "allow" {
		f.rule("*", v.Span)
	}
	for i := range v.Pairs {
		e := &v.Pairs[i]
		switch {
		case e.Key == "allow" && e.Value.Kind == definition.List:
			f.tools(&e.Value)
		case normalizeKey(e.Key) == "defaultmode":
			f.mode(&e.Value)
		case e.Value.Kind == definition.Map:
			f.permissions(e.Key, &e.Value, depth+1)
		case e.Value.Text == "allow" && tool != "":
			f.rule(tool+"("+e.Key+")", e.Value.Span)
		case e.Value.Text == "allow":
			f.rule(e.Key, e.Value.Span)
		}
	}
}

// mode adds a signal for a permission mode in which the host never asks the user.
func (f *reader) mode(v *definition.Value) {
	if names()["mode"][normalizeKey(v.Text)] {
		f.add(signal.Grant, v.Span, v.Text, "", "bypass")
	}
}

// rule adds signals for what a rule such as "Bash(git add:*)" grants, which is a tool and the
// effects that it can have.
func (f *reader) rule(text string, span diag.Span) {
	tool, inner, found := strings.Cut(text, "(")
	if found {
		inner = strings.TrimSpace(strings.TrimSuffix(inner, ")"))
	}
	if tool = strings.TrimSpace(tool); tool == "" {
		return
	}
	does, what, wide := grantedEffects(tool, inner)
	tags := []signal.Tag{"tool"}
	if wide != "" {
		tags = append(tags, wide)
	}
	f.add(signal.Grant, span, text, tool, tags...)
	for _, d := range does {
		f.add(signal.Grant, span, text, cmp.Or(what, "*"), d)
	}
}

// grantedEffects returns the effects that a tool can have if it is granted with a pattern, and the
// target of the effects ("" means any). If the grant is unlimited, it also returns a tag that says
// so.
func grantedEffects(tool, inner string) (effects []signal.Tag, target string, unlimited signal.Tag) {
	name := normalizeKey(tool)
	is := func(class string) bool { return names()[class][name] }
	pattern := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(inner, "*")), ":"))
	switch {
	case name == "*" || name == "all":
		return []signal.Tag{"run", "read", "write", "net"}, "", "all"
	case is("run"):
		program, rest, _ := strings.Cut(pattern, " ")
		if pattern == "" {
			unlimited = "shell"
		} else if strings.HasSuffix(inner, "*") && rest == "" && runsArguments(program) {
			unlimited = "program"
		}
		return []signal.Tag{"run"}, program, unlimited
	case is("write"):
		if strings.HasPrefix(inner, "/") || strings.HasPrefix(inner, "~") || inner == "**" {
			unlimited = "anywhere"
		}
		return []signal.Tag{"write"}, pattern, unlimited
	case is("read"):
		return []signal.Tag{"read"}, pattern, ""
	case is("net"):
		target = strings.TrimPrefix(strings.TrimPrefix(inner, "domain:"), "*")
		if name == "webfetch" && target == "" {
			unlimited = "network"
		}
		return []signal.Tag{"net"}, target, unlimited
	case strings.HasPrefix(tool, "mcp__") && strings.Count(tool, "__") == 1:
		return nil, "", "server"
	}
	return nil, "", ""
}

// runsArguments reports whether a program executes its arguments.
func runsArguments(program string) bool {
	return names()["others"][program] || shell.IsWrapper(program)
}

// requirements adds signals for the requirements that the definition declares, at any nesting
// depth.
func (f *reader) requirements(entries []definition.Entry, depth int) {
	for i := range entries {
		e := &entries[i]
		key := normalizeKey(e.Key)
		kind := ""
		for _, k := range [...]string{"run", "env", "net"} {
			if names()["needs-"+k][key] && (depth > 0 || k == "env") {
				kind = k
			}
		}
		if kind == "" && depth < 6 {
			f.requirements(e.Value.Pairs, depth+1)
			continue
		}
		values := e.Value.Items
		if e.Value.Kind == definition.String {
			values = []definition.Value{e.Value}
		}
		for k := range values {
			if kind != "" && values[k].Kind == definition.String {
				f.add(signal.Grant, values[k].Span, e.Key, values[k].Text, signal.Tag(kind))
			}
		}
	}
}
