package mcp

import (
	"testing"

	"github.com/vadehq/vade/definition"
)

// TestSecretField checks which of a definition's fields count as secrets.
func TestSecretField(t *testing.T) {
	text := func(s string) definition.Value { return definition.Value{Kind: definition.String, Text: s} }
	in := func(key string, v definition.Value) definition.Value {
		return definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: key, Value: v}}}
	}
	list := func(words ...string) definition.Value {
		v := definition.Value{Kind: definition.List}
		for _, w := range words {
			v.Items = append(v.Items, text(w))
		}
		return v
	}
	for _, c := range []struct {
		key    string
		v      definition.Value
		known  bool
		hidden bool
	}{
		{"api_key", text("hunter2"), false, true},
		{"metadata", in("token", text("hunter2")), true, true},
		{"env", in("PLAIN", text("hunter2x9Q8r7w6")), false, true},
		{"env", in("HOST", text("localhost")), false, false},
		{"env", in("API_TOKEN", text("${API_TOKEN}")), false, false},
		{"metadata", in("note", text("ghp_16C7e42F292c6912E7710c838347Ae178B4a")), true, true},
		{"description", text("uses ghp_16C7e42F292c6912E7710c838347Ae178B4a"), true, true},
		{"description", text("Handles the API key and the token"), true, false},
		{"mcpServers", in("x", in("args", list("--token", "hunter2"))), true, true},
		{"mcpServers", in("x", in("args", list("--token=hunter2"))), true, true},
		{"mcpServers", in("x", in("url", text("https://u:hunter2@h/"))), true, true},
		{"mcpServers", in("x", in("args", list("-y", "server"))), true, false},
		{"max-tokens", definition.Value{Kind: definition.Number, Text: "4000"}, false, false},
		{"password", definition.Value{Kind: definition.Number, Text: "123456"}, false, true},
		{"model", text("claude-3-5-sonnet-20241022"), true, false},
		{"tools", list("Read", "mcp__auth__token"), true, false},
		// Tool and type names consist of words chosen by a person.
		{"tools", list("execute/createAndRunTask", "read/getNotebookSummary", "vscode/getProjectSetupInfo"), true, false},
		{"tools", list("neo4j-local/neo4j-local-get_neo4j_schema"), true, false},
		{"description", text("[NotifyCanExecuteChangedFor], [NotifyDataErrorInfo]"), true, false},
		{"description", text("aBcDeFgHiJkLmNoPqRsT"), true, true},
		{"description", text("tXwQzRbKpLmNvBcDfGhJ"), true, true},
		{"description", text("4f9a-22cd-91be-77aa-0c1d-3e5f"), true, true},
		// A bare variable name is a reference.
		{"headers", in("Authorization", text("Bearer $TRACKER_TOKEN")), false, false},
		{"headers", in("Authorization", text("Bearer 8f7a6b5c4d3e2f1a0b9c")), false, true},
		{"env", in("OPIK_API_KEY", text("COPILOT_MCP_OPIK_API_KEY")), false, false},
		{"env", in("API_KEY", text("${{ secrets.TRACKER_KEY }}")), false, false},
		{"env", in("API_KEY", text("ApiKey ${{ secrets.TRACKER_KEY }}")), false, false},
		{"env", in("API_KEY", text("${{ secrets.TRACKER_KEY }}hunter2")), false, true},
		{"required-secrets", list("REVIEWER_SECRET"), false, false},
		{"required-secrets", list("hunter2"), false, true},
		{"api_key", text("HUNTER_TWO"), false, true},
		{"auth", definition.Value{Kind: definition.Bool, Text: "true"}, false, false},
	} {
		if got := SecretField(c.key, c.v, c.known); got != c.hidden {
			t.Errorf("%s: %+v: %v, want %v", c.key, c.v, got, c.hidden)
		}
	}
}

// TestHideLine checks which parts of a line are shown.
func TestHideLine(t *testing.T) {
	for in, want := range map[string]string{
		"api_key: hunter2\n":                              "api_key: ‹hidden›\n",
		"  \"TOKEN\": \"hunter2\",\n":                     "  \"TOKEN\": ‹hidden›\n",
		"password = \"hunter2\"":                          "password = ‹hidden›",
		"uses ghp_16C7e42F292c6912E7710c838347Ae178B4a\n": "‹hidden›\n",
		"a ghp_16C7e42F292c6912E7710c838347Ae178B4a: b\n": "‹hidden›\n",
		"token: ${TOKEN}\n":                               "token: ${TOKEN}\n",
		"description: the API key and so on\n":            "description: the API key and so on\n",
		"Write the token: it is short.\n":                 "Write the token: it is short.\n",
		"disable-model-invocation: true\n":                "disable-model-invocation: true\n",
		"private: true\n":                                 "private: true\n",
		"\n":                                              "\n",
	} {
		if got := HideLine("+", in); got != "+"+want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestHideDiff checks that a diff does not show secrets but keeps its headers.
func TestHideDiff(t *testing.T) {
	const frame = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n"
	got := HideDiff(frame + " name: x\n-api_key: sk-ant-api03-0123456789abcdef0123456789abcdef\n+description: D.\n")
	if want := frame + " name: x\n-api_key: ‹hidden›\n+description: D.\n"; got != want {
		t.Errorf("%q", got)
	}
}
