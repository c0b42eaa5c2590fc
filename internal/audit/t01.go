package audit

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// t01 finds tools that are asked for without limits.
func t01() Rule {
	return Rule{
		ID: "T01", Name: "wide-grant", Title: "The definition asks for tools that can run anything",
		Severity: Review, Confidence: High, Scope: "definition",
		Why:   "What is granted runs without a question: with a shell and no limit that is everything the user can do.",
		Fix:   "Name the commands that are needed, as in Bash(git status).",
		CWE:   []int{250, 732},
		OWASP: "AST03", find: findT01,
	}
}

func findT01(p *pass) {
	shell, network := -1, false
	for i, g := range p.Grants {
		if g.Field == "permissionMode" || g.Field == definition.FieldTools.Key() && p.Package.Kind == definition.Agent && g.Tool != "*" {
			// What an agent may use at all is no grant to use it unasked.
			continue
		}
		tool := strings.ToLower(g.Tool)
		switch {
		case tool == "*" || tool == "all" || tool == "mcp__*":
			f := p.at(g.Place, "every tool is granted")
			if !foreign(p.Package.Layer) {
				f.as(Inform, High)
			}
			return
		case shellTool(tool) && anything(g.Rule):
			if shell < 0 {
				shell = i
			}
		case tool == "webfetch" || tool == "websearch" || tool == "fetch" || tool == "web":
			network = true
		}
	}
	if shell < 0 {
		return
	}
	g := p.Grants[shell]
	rule := g.Tool
	if g.Rule != "" {
		rule += "(" + g.Rule + ")"
	}
	f := p.at(g.Place, "%s runs whatever is asked", rule)
	if !foreign(p.Package.Layer) || !network || g.Rule != "" {
		f.as(Inform, High)
	}
}

// foreign reports whether a layer brings definitions of others.
func foreign(l definition.Layer) bool { return l == definition.Plugin || l == definition.MCP }

// shellTool reports whether a tool, in small letters, runs commands.
func shellTool(tool string) bool {
	switch tool {
	case "bash", "shell", "terminal", "execute", "exec", "run_shell_command", "powershell", "runcommands", "run_in_terminal", "execute_command":
		return true
	}
	return false
}

// anything reports whether a rule for commands limits nothing.
func anything(rule string) bool {
	if rule == "" || rule == "*" || rule == ":*" || rule == "**" {
		return true
	}
	rule = strings.TrimSpace(strings.TrimSuffix(rule, "*"))
	rule = strings.TrimSpace(strings.TrimSuffix(rule, ":"))
	switch rule {
	case "bash", "sh", "zsh", "python", "python3", "node", "perl", "ruby", "php", "npx", "uvx", "bunx", "bun", "deno", "eval", "sudo", "env", "xargs", "find", "ssh", "osascript", "pwsh", "powershell", "sh -c", "bash -c", "python -c", "python3 -c", "node -e", "docker", "curl", "wget":
		return true
	}
	return false
}
