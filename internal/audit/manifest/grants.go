package manifest

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/shell"
)

// grants adds the tools that fields ask for without a question to the user.
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
		// What an agent may use at all is no grant to use it unasked.
		if f.set.Package.Kind != definition.Agent {
			f.tools(&e.Value)
		}
		return
	case definition.FieldPermissionMode:
		f.mode(e.Value.Text, e.Value.Span)
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
	switch fold(e.Key) {
	case "permission", "permissions":
		f.permissions("", &e.Value, 0)
	case "sandboxmode", "approvalpolicy", "defaultmode", "sandbox", "approvalmode", "trust":
		f.mode(e.Value.Text, e.Value.Span)
	case "autoapprove", "alwaysallow", "autoallow", "yolo", "dangerouslyskippermissions", "enableallprojectmcpservers":
		if e.Value.Kind == definition.List || e.Value.Kind == definition.Map {
			f.tools(&e.Value)
		} else if e.Value.Text != "false" && e.Value.Text != "" {
			f.add(signal.Grant, e.Value.Span, e.Key, e.Value.Text, "bypass")
		}
	}
}

// tools reads a list of rules for tools in all of its spellings.
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

// permissions reads a map of permissions: lists under "allow", and tools with the word
// "allow" behind them or behind a pattern.
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
		case fold(e.Key) == "defaultmode":
			f.mode(e.Value.Text, e.Value.Span)
		case e.Value.Kind == definition.Map:
			f.permissions(e.Key, &e.Value, depth+1)
		case e.Value.Text == "allow" && tool != "":
			f.rule(tool+"("+e.Key+")", e.Value.Span)
		case e.Value.Text == "allow":
			f.rule(e.Key, e.Value.Span)
		}
	}
}

// mode adds a mode in which nothing is asked.
func (f *reader) mode(text string, span diag.Span) {
	switch fold(text) {
	case "bypasspermissions", "dontask", "dangerfullaccess", "never", "yolo", "autoedit", "autoapprove", "all":
		f.add(signal.Grant, span, text, "", "bypass")
	}
}

// rule adds what a rule such as "Bash(git add:*)" allows.
func (f *reader) rule(text string, span diag.Span) {
	tool, inner, found := strings.Cut(text, "(")
	if found {
		inner = strings.TrimSuffix(inner, ")")
	}
	tool = strings.TrimSpace(tool)
	if tool == "" {
		return
	}
	inner = strings.TrimSpace(inner)
	pattern := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(inner, "*")), ":"))
	program, rest, _ := strings.Cut(pattern, " ")
	var tags []signal.Tag
	switch low := strings.ToLower(tool); {
	case low == "*" || low == "all":
		tags = append(tags, "all")
	case low == "bash" || low == "shell" || low == "run_shell_command" || low == "terminal" || low == "execute" || low == "powershell" || low == "run_command":
		switch {
		case pattern == "":
			tags = append(tags, "shell")
		case strings.HasSuffix(inner, "*") && rest == "" && runsOthers(program):
			tags = append(tags, "program")
		}
	case (low == "write" || low == "edit" || low == "multiedit") && (strings.HasPrefix(inner, "/") || strings.HasPrefix(inner, "~") || inner == "**"):
		tags = append(tags, "write")
	case low == "webfetch" && (inner == "" || inner == "domain:*"):
		tags = append(tags, "network")
	case strings.HasPrefix(low, "mcp__") && strings.Count(low, "__") == 1:
		tags = append(tags, "server")
	}
	f.add(signal.Grant, span, text, tool, tags...)
}

// runsOthers reports whether a program runs what its arguments say.
func runsOthers(program string) bool {
	switch program {
	case "sh", "bash", "zsh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "npx", "uvx", "bunx", "make", "eval", "ssh", "docker", "curl", "wget", "pwsh", "powershell", "osascript", "rm":
		return true
	}
	return shell.IsWrapper(program)
}
