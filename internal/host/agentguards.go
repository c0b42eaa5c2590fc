package host

import (
	"slices"
	"strings"
)

// agentGuard describes an agent's program and the options that disable its
// safeguards: approval prompts and sandboxing.
type agentGuard struct {
	programs []string
	// flags lists options that take no value. pairs lists options together with an unsafe value, in
	// the form "option value".
	flags, pairs []string
}

// agentGuards lists each program's options as given in its help and documentation.
var agentGuards = [...]agentGuard{
	{[]string{"claude"}, []string{"--dangerously-skip-permissions", "--allow-dangerously-skip-permissions"}, []string{"--permission-mode bypassPermissions"}},
	{[]string{"codex"}, []string{"--dangerously-bypass-approvals-and-sandbox", "--yolo", "--dangerously-bypass-hook-trust"}, []string{"--sandbox danger-full-access", "-s danger-full-access"}},
	{[]string{"gemini", "qwen", "iflow"}, []string{"--yolo", "-y"}, []string{"--approval-mode yolo"}},
	{[]string{"copilot"}, []string{"--allow-all-tools", "--allow-all", "--yolo", "--allow-all-paths"}, nil},
	{[]string{"cursor-agent", "agent"}, []string{"--force", "--yolo"}, nil},
	{[]string{"opencode"}, []string{"--dangerously-skip-permissions"}, nil},
	{[]string{"amp"}, []string{"--dangerously-allow-all"}, nil},
	{[]string{"droid"}, []string{"--skip-permissions-unsafe"}, nil},
	{[]string{"crush", "kimi", "cline"}, []string{"--yolo"}, nil},
	{[]string{"aider"}, []string{"--yes-always"}, nil},
	{[]string{"q", "kiro-cli"}, []string{"--trust-all-tools"}, nil},
	{[]string{"vibe"}, []string{"--auto-approve"}, nil},
}

// plainGuards lists options that disable safeguards in any program, in sorted order.
var plainGuards = [...]string{
	"--allow-dangerously-skip-permissions", "--dangerously-allow-all", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-skip-permissions", "--skip-permissions-unsafe",
}

// GuardFlag returns the option in an agent's command line that disables the agent's safeguards, or
// "" if there is none. program is the base name of the agent's program.
func GuardFlag(program string, args []string) string {
	for _, a := range args {
		if _, ok := slices.BinarySearch(plainGuards[:], a); ok {
			return a
		}
	}
	for _, g := range agentGuards {
		if !slices.Contains(g.programs, program) {
			continue
		}
		for i, a := range args {
			if slices.Contains(g.flags, a) {
				return a
			}
			pair := strings.Replace(a, "=", " ", 1)
			if i+1 < len(args) && !strings.Contains(a, "=") {
				pair = a + " " + args[i+1]
			}
			if slices.Contains(g.pairs, pair) {
				return pair
			}
		}
	}
	return ""
}

// AgentProgram reports whether name is the name of a coding agent's program.
func AgentProgram(name string) bool {
	if name == "agent" || name == "q" {
		// These names are too common to identify a program.
		return false
	}
	return slices.ContainsFunc(agentGuards[:], func(g agentGuard) bool { return slices.Contains(g.programs, name) })
}

// GuardSetting returns the setting in text that disables an agent's safeguards, or "" if there is
// none.
func GuardSetting(text string) string {
	for _, words := range [...]string{
		"bypassPermissions", "skipDangerousModePermissionPrompt", "danger-full-access", "dangerouslyDisableSandbox", "autoApproveAll", "alwaysAllowExecute", "enableAutoRun", "chat.tools.autoApprove",
		"chat.tools.global.autoApprove", "GOOSE_MODE=auto", "GOOSE_MODE: auto",
	} {
		if strings.Contains(text, words) {
			return words
		}
	}
	if strings.Contains(text, "approval_policy") && strings.Contains(text, "never") {
		return "approval_policy never"
	}
	return ""
}
