package host

import "testing"

func TestOfMCPClient(t *testing.T) {
	for _, c := range []struct{ name, version, want string }{
		{"claude-code", "2.1.329", "claude-code@2.1.329"},
		{"claude-code", "2.1.88", "claude-code@2.1.88"},
		{"claude-code", "9.9.9", "claude-code"},
		{"codex-mcp-client", "0.1", "codex"},
		{"gemini-cli-mcp-client-vade", "0.0.1", "gemini"},
		{"qwen-cli-mcp-client-vade", "", "qwen"},
		{"Visual Studio Code", "1.110", "copilot-vscode"},
		{"github-copilot-developer", "", "copilot-cli"},
		{"cursor-vscode", "", "cursor"},
		{"opencode", "", "opencode"},
		{"claude-ai", "", ""},
		{"", "", ""},
	} {
		got, ok := OfMCPClient(c.name, c.version)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s %s is %q, not %q", c.name, c.version, got, c.want)
		}
		if ok {
			if _, there := Lookup(got); !there {
				t.Errorf("%s: there is no profile %s", c.name, got)
			}
		}
	}
}
