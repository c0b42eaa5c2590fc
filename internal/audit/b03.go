package audit

import "github.com/vadehq/vade/definition"

// b03 finds commands at loading in what comes from a server.
func b03() Rule {
	return Rule{
		ID: "B03", Name: "remote-load-command", Title: "A definition from a server has commands that run while it is loaded",
		Severity: Block, Confidence: High, Scope: "definition",
		Why:   "The text comes over the wire and may change with each call: commands in it are the server's, run on the user's machine.",
		Fix:   "Do not load it. A server that has something to run offers a tool.",
		CWE:   []int{94, 829},
		OWASP: "AST05", find: findB03,
	}
}

func findB03(p *pass) {
	if p.Package.Layer != definition.MCP {
		return
	}
	for _, i := range p.loading() {
		p.at(p.Commands[i].Place, "a command of a server would run while the definition is loaded: %s", p.Commands[i].Name).guarded()
	}
	for _, h := range p.Hooks {
		p.at(h.Place, "a hook of a server would run on %s", eventName(h.Event))
	}
}
