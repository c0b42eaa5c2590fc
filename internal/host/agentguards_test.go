package host

import (
	"slices"
	"strings"
	"testing"
)

func TestGuardFlag(t *testing.T) {
	if !slices.IsSorted(plainGuards[:]) {
		t.Error("plainGuards is not sorted")
	}
	for _, c := range []struct{ command, want string }{
		{"claude -p x --dangerously-skip-permissions", "--dangerously-skip-permissions"},
		{"claude --permission-mode bypassPermissions", "--permission-mode bypassPermissions"},
		{"claude --permission-mode=bypassPermissions", "--permission-mode bypassPermissions"},
		{"claude --permission-mode plan", ""},
		{"codex exec --yolo x", "--yolo"},
		{"codex -s danger-full-access", "-s danger-full-access"},
		{"codex exec --full-auto", ""},
		{"gemini -y -p x", "-y"},
		{"npm init -y", ""},
		{"cursor-agent --force", "--force"},
		{"git push --force", ""},
		{"my-agent --dangerously-skip-permissions", "--dangerously-skip-permissions"},
	} {
		words := strings.Fields(c.command)
		if got := GuardFlag(words[0], words[1:]); got != c.want {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
}

func TestGuardSetting(t *testing.T) {
	for text, want := range map[string]string{
		`{"permissions":{"defaultMode":"bypassPermissions"}}`: "bypassPermissions",
		"approval_policy = \"never\"":                         "approval_policy never",
		`{"permissions":{"defaultMode":"plan"}}`:              "",
		"GOOSE_MODE=auto":                                     "GOOSE_MODE=auto",
	} {
		if got := GuardSetting(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestAgentProgram(t *testing.T) {
	if !AgentProgram("codex") || AgentProgram("agent") || AgentProgram("make") {
		t.Error("AgentProgram misclassifies a program")
	}
}
