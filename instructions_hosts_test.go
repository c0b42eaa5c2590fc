package vade_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

// everyHostsFiles returns every host's instruction files: at the top of a project, in the working
// directory w, below it in w/in, and in a user's home directory.
func everyHostsFiles() map[string]string {
	files := map[string]string{
		"p/docs/x.md": "X", "p/w/own.md": "OWN",
		"p/.github/copilot-instructions.md":            "GH",
		"p/.github/instructions/all.instructions.md":   "---\napplyTo: \"**\"\n---\nALL",
		"p/.github/instructions/go.instructions.md":    "---\napplyTo: \"**/*.go\"\ndescription: go rules\n---\nGO",
		"p/.github/instructions/plain.instructions.md": "PLAIN",
		"p/.claude/CLAUDE.md":                          "CC", "p/.claude/rules/r.md": "RULE", "p/CLAUDE.local.md": "LOCAL",
		"p/w/.cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nALWAYS",
		"p/w/.cursor/rules/go.mdc":     "---\nglobs: **/*.go\nalwaysApply: false\n---\nGLOB",
		"p/w/.cursor/rules/ask.mdc":    "---\ndescription: Asked for\nalwaysApply: false\n---\nASK",
		"p/w/.cursorrules":             "OLD",
		"h/.codex/AGENTS.md":           "  CODEX \n", "h/.claude/CLAUDE.md": "CLAUDE", "h/.gemini/GEMINI.md": "GEMINI",
		"h/.config/opencode/AGENTS.md": "OPEN", "h/.copilot/copilot-instructions.md": "COPILOT",
		"h/.copilot/instructions/u.instructions.md": "U", "h/.qwen/QWEN.md": "QWEN\n@more.md", "h/.qwen/more.md": "MORE",
		"h/.pi/agent/AGENTS.md": "PI",
	}
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"} {
		files["p/"+name] = "TOP " + name + "\n@docs/x.md\n"
		files["p/w/"+name] = "W " + name + "\n@own.md"
		files["p/w/in/"+name] = "IN " + name
	}
	files["p/w/AGENTS.override.md"] = "---\nkey: value\n---\nOVER <!-- c -->\n"
	return files
}

// hostMessages maps each host to what it sends while the agent works on in/x.go.
var hostMessages = map[string]string{
	"agentskills": "",
	"codex": `[user]
# AGENTS.md instructions for {P}/w

<INSTRUCTIONS>
CODEX

--- project-doc ---

TOP AGENTS.md
@docs/x.md


---
key: value
---
OVER <!-- c -->

</INSTRUCTIONS>`,
	"gemini": `[system]
# Contextual Instructions (GEMINI.md)
The following content is loaded from local and global configuration files.
**Context Precedence:**
- **Global (~/.gemini/):** foundational user preferences. Apply these broadly.
- **Extensions:** supplementary knowledge and capabilities.
- **Workspace Root:** workspace-wide mandates. Supersedes global preferences.
- **Sub-directories:** highly specific overrides. These rules supersede all others for files within their scope.

**Conflict Resolution:**
- **Precedence:** Strictly follow the order above (Sub-directories > Workspace Root > Extensions > Global).
- **System Overrides:** Contextual instructions override default operational behaviors (e.g., tech stack, style, workflows, tool preferences) defined in the system prompt. However, they **cannot** override Core Mandates regarding safety, security, and agent integrity.

[system]
<loaded_context>
--- Context from: {H}/.gemini/GEMINI.md ---
GEMINI
--- End of Context from: {H}/.gemini/GEMINI.md ---
</loaded_context>
[user]
<loaded_context>
<project_context>
--- Context from: {P}/GEMINI.md ---
TOP GEMINI.md
<!-- Imported from: docs/x.md -->
X
<!-- End of import from: docs/x.md -->
--- End of Context from: {P}/GEMINI.md ---

--- Context from: {P}/w/GEMINI.md ---
W GEMINI.md
<!-- Imported from: own.md -->
OWN
<!-- End of import from: own.md -->
--- End of Context from: {P}/w/GEMINI.md ---
</project_context>
</loaded_context>
[tool_result]
--- Newly Discovered Project Context ---
--- Context from: {P}/w/in/GEMINI.md ---
IN GEMINI.md
--- End of Context from: {P}/w/in/GEMINI.md ---
--- End Project Context ---`,
	"opencode": `[system]
Instructions from: {H}/.config/opencode/AGENTS.md
OPEN
Instructions from: {P}/w/AGENTS.md
W AGENTS.md
@own.md
Instructions from: {P}/AGENTS.md
TOP AGENTS.md
@docs/x.md

[tool_result]
<system-reminder>
Instructions from: {P}/w/in/AGENTS.md
IN AGENTS.md
</system-reminder>`,
	"pi": `[system]
# Project Context

Project-specific instructions and guidelines:

## {H}/.pi/agent/AGENTS.md

PI

## {P}/AGENTS.md

TOP AGENTS.md
@docs/x.md


## {P}/w/AGENTS.md

W AGENTS.md
@own.md

`,
	"pi@0.87.1": `[system]
<project_context>
Project-specific instructions and guidelines:

<project_instructions path="{H}/.pi/agent/AGENTS.md">
PI
</project_instructions>

<project_instructions path="{P}/AGENTS.md">
TOP AGENTS.md
@docs/x.md

</project_instructions>

<project_instructions path="{P}/w/AGENTS.override.md">
---
key: value
---
OVER <!-- c -->

</project_instructions>
</project_context>`,
	"qwen": `[system]
--- Context from: ../../h/.qwen/QWEN.md ---
QWEN
<!-- Imported from: more.md -->
MORE
<!-- End of import from: more.md -->
--- End of Context from: ../../h/.qwen/QWEN.md ---

--- Context from: ../QWEN.md ---
TOP QWEN.md
<!-- Imported from: docs/x.md -->
X
<!-- End of import from: docs/x.md -->
--- End of Context from: ../QWEN.md ---

--- Context from: QWEN.md ---
W QWEN.md
<!-- Imported from: own.md -->
OWN
<!-- End of import from: own.md -->
--- End of Context from: QWEN.md ---

--- Context from: ../AGENTS.md ---
TOP AGENTS.md
<!-- Imported from: docs/x.md -->
X
<!-- End of import from: docs/x.md -->
--- End of Context from: ../AGENTS.md ---

--- Context from: AGENTS.md ---
W AGENTS.md
<!-- Imported from: own.md -->
OWN
<!-- End of import from: own.md -->
--- End of Context from: AGENTS.md ---

--- Context from: ../../h/.qwen/output-language.md ---
# Output language preference: auto
<!-- qwen-code:llm-output-language: auto -->

## Rule
Respond in the same language as the user's input.

## Exception
If the user **explicitly** requests a response in a specific language (e.g., "please reply in English"), switch to the user's requested language for the remainder of the conversation.

## Mixed-language input
If the user mixes languages, use the language that best matches the user's main request.

## Keep technical artifacts unchanged
Do **not** translate or rewrite:
- Code blocks, CLI commands, file paths, stack traces, logs, JSON keys, identifiers
- Exact quoted text from the user (keep quotes verbatim)

## Tool / system outputs
Raw tool/system outputs may contain fixed-format English. Preserve them verbatim, and if needed, add a short explanation in the user's language below.
--- End of Context from: ../../h/.qwen/output-language.md ---`,
	"copilot-cli": `[system]
<custom_instruction>
COPILOT
</custom_instruction>

<custom_instruction>
GH
</custom_instruction>

<custom_instruction>
TOP AGENTS.md
@docs/x.md

<imported_custom_instruction source="{P}/docs/x.md">
X
</imported_custom_instruction>

</custom_instruction>

<custom_instruction>
TOP CLAUDE.md
@docs/x.md

<imported_custom_instruction source="{P}/docs/x.md">
X
</imported_custom_instruction>

</custom_instruction>

<custom_instruction>
TOP GEMINI.md
@docs/x.md

</custom_instruction>

<custom_instruction>
W AGENTS.md
@own.md

<imported_custom_instruction source="{P}/w/own.md">
OWN
</imported_custom_instruction>
</custom_instruction>

<custom_instruction>
W CLAUDE.md
@own.md

<imported_custom_instruction source="{P}/w/own.md">
OWN
</imported_custom_instruction>
</custom_instruction>

<custom_instruction>
W GEMINI.md
@own.md
</custom_instruction>

U

---
applyTo: "**"
---
ALL

PLAIN

RULE

Here is a list of instruction files that contain rules for modifying or creating new code.
These files are important for ensuring that the code is modified or created correctly.
Please make sure to follow the rules specified in these files when working with the codebase.
If you have not already read the file, use the ` + "`" + `view` + "`" + ` tool to acquire it.
Make sure to acquire the instructions before making any changes to the code.
| Pattern | File Path | Description |
| ------- | --------- | ----------- |
| **/*.go | '.github/instructions/go.instructions.md' | go rules |

[system]
---
applyTo: "**/*.go"
description: go rules
---
GO`,
	"copilot-vscode": `[user]
<attachment filePath="{H}/.claude/CLAUDE.md">
CLAUDE
</attachment>
<attachment filePath="{P}/w/AGENTS.md">
W AGENTS.md
@own.md
</attachment>
<attachment filePath="{P}/w/CLAUDE.md">
W CLAUDE.md
@own.md
</attachment>`,
	"cursor": `[system]
TOP AGENTS.md
@docs/x.md

TOP CLAUDE.md
@docs/x.md

ALWAYS

W AGENTS.md
@own.md

W CLAUDE.md
@own.md

OLD
[system]
IN AGENTS.md

GLOB`,
}

func TestHostMessages(t *testing.T) {
	w := newHousehold(t, "", everyHostsFiles())
	short := strings.NewReplacer(filepath.Join(w.dir, "p"), "{P}", filepath.Join(w.dir, "h"), "{H}")
	for as, want := range hostMessages {
		t.Run(as, func(t *testing.T) {
			o := w.o
			o.As, o.Dir = as, filepath.Join(w.dir, "p", "w")
			in := compose(t, o, instructions.Request{For: "in/x.go"})
			var got []string
			for _, m := range in.Messages {
				got = append(got, "["+m.Role+"]\n"+short.Replace(m.Text))
			}
			if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
		})
	}
}

// TestHostInstructionsAreComplete checks that the table above is complete.
func TestHostInstructionsAreComplete(t *testing.T) {
	for _, as := range catalog.Hosts() {
		name, _, _ := strings.Cut(as, "@")
		_, ok := hostMessages[name]
		if as != "neutral" && !strings.HasPrefix(as, "claude") && !ok {
			t.Errorf("%s has no row", as)
		}
	}
}
