package audit

import (
	"github.com/vadehq/vade/internal/audit/fact"
)

func x12() Rule {
	return Rule{
		ID: "X12", Name: "agent-files", Title: "Settings, hooks or the memory of an agent are written to", Scope: "text",
		Severity: Review, Confidence: Medium,
		Why: "What stands there is in force in later sessions and in other projects: it can grant rights, run commands, and tell the model what to do when the skill is long gone.",
		Fix: "Tell the user what to change, and let the user do it.",
		CWE: []int{732, 506}, OWASP: "AST03",
		find: findX12,
	}
}

func findX12(p *pass) {
	said := map[string]bool{}
	purpose := p.purpose()
	for i := range p.Paths {
		x := &p.Paths[i]
		if x.Access != fact.Writes || said[x.Text] || x.Medium == fact.CodeComment {
			continue
		}
		what, declared := "", false
		switch x.Class {
		case fact.AgentConfig:
			what = "settings of an agent are"
			declared = hasWord(purpose, "hook", "setting", "config", "permission", "mcp", "guardrail", "setup", "set up", "install", "statusline", "status line", "plugin", "provider", "model", "allowlist", "sandbox", "server", "integrat", "connect")
		case fact.AgentMemory:
			what = "the memory of an agent is"
			declared = !x.Own || hasWord(purpose, "memory", "memories", "remember", "instruction", "rules", "context", "learn", "profile", "persona", "setup", "set up", "preference", "knowledge")
		case fact.AgentSecret:
			what = "a login of an agent is"
			declared = hasWord(purpose, "auth", "login", "account", "credential", "token", "key")
		case fact.AgentHistory:
			what = "the record of an agent is"
			declared = hasWord(purpose, "session", "history", "transcript", "record", "log", "receipt", "backup", "migrat", "clean")
		default:
			continue
		}
		f := p.at(x.Place, "%s written to: %s", what, shown(x.Text))
		if declared {
			f.as(Inform, Low)
			if !x.Own {
				f.forPersona(Pedantic)
			}
		}
		if x.Meant() {
			said[x.Text] = true
		}
		f.standing(x.Standing)
	}
}
