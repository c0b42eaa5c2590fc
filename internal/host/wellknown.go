package host

// wellKnown lists well-known names: hosts, skill registries, skills that are widely used or
// included with hosts, and tools after which skills are named.
var wellKnown = [...]string{
	"claude-code", "claude-api", "codex", "cursor", "copilot", "gemini", "gemini-cli", "opencode", "openclaw", "clawhub", "clawdbot", "moltbot", "moltbook", "qwen-code",
	"skill-creator", "skill-installer", "mcp-builder", "webapp-testing", "frontend-design", "canvas-design", "algorithmic-art", "brand-guidelines", "internal-comms", "theme-factory", "slack-gif-creator", "web-artifacts-builder", "doc-coauthoring", "template-skill",
	"brainstorming", "systematic-debugging", "test-driven-development", "writing-plans", "executing-plans", "subagent-driven-development", "using-superpowers", "writing-skills", "verification-before-completion", "finishing-a-development-branch", "using-git-worktrees", "dispatching-parallel-agents", "requesting-code-review", "receiving-code-review",
	"agent-browser", "find-skills", "vercel-react-best-practices", "web-design-guidelines", "remotion-best-practices", "planning-with-files", "ui-ux-pro-max", "self-improving-agent", "agent-development", "hook-development", "command-development", "plugin-structure", "mcp-integration",
	"playwright", "puppeteer", "terraform", "kubernetes", "postgresql", "supabase", "firecrawl", "context7", "polymarket", "metamask", "coinbase", "binance", "phantom", "solana-wallet", "notebooklm", "obsidian", "whatsapp", "telegram", "discord", "homeassistant",
}

// WellKnownNames returns well-known names that malicious definitions may imitate.
func WellKnownNames() []string { return wellKnown[:] }

// IsSpeaker reports whether a lowercase word is commonly used in saved transcripts to mark what the
// agent said.
func IsSpeaker(word string) bool {
	switch word {
	case "claude", "codex", "copilot", "gemini":
		return true
	}
	return false
}

// IsReservedWord reports whether Anthropic's documented rules for uploaded skills forbid a word in
// skill names.
func IsReservedWord(word string) bool { return word == "anthropic" || word == "claude" }
