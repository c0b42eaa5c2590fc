package audit

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/fact"
)

// f05 finds descriptions that are too long, and markup in them that passes for the
// prompt around it.
func f05() Rule {
	return Rule{
		ID: "F05", Name: "description-form", Title: "The name or description has markup that passes for a part of the prompt, or is too long",
		Severity: Review, Confidence: Medium, Scope: "definition",
		Why:   "Names and descriptions of all definitions stand in every prompt; a tag in one ends its own place there and speaks as something else.",
		Fix:   "Say in plain words what the definition is for.",
		CWE:   []int{74, 1427},
		OWASP: "AST04", find: findF05,
	}
}

// maxDescription is the length that the standard for skills allows.
const maxDescription = 1024

func findF05(p *pass) {
	for _, field := range [...]definition.Field{definition.FieldName, definition.FieldDescription, definition.FieldWhenToUse} {
		e := p.field(field)
		if e == nil {
			continue
		}
		place := fact.Place{Span: e.Value.Span}
		if tag := promptTag(e.Value.Text); tag != "" {
			p.at(place, "the %s has %s, a mark of prompts", field.Key(), tag)
		} else if field == definition.FieldName && strings.ContainsAny(e.Value.Text, "<>") {
			p.at(place, "the name has angle brackets").as(Inform, Low).forPersona(Pedantic)
		}
		if n := utf8.RuneCountInString(e.Value.Text); field == definition.FieldDescription && n > maxDescription && p.Package.Kind == definition.Skill {
			p.at(place, "the description has %d characters, more than %d", n, maxDescription).as(Inform, High).forPersona(Pedantic)
		}
	}
}

// promptTag finds the first mark in a text that belongs to the prompt around it.
func promptTag(text string) string {
	low := strings.ToLower(text)
	for _, mark := range [...]string{"<|im_start|>", "<|im_end|>", "<|system|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|assistant|>", "<|user|>", "[inst]", "[/inst]", "<<sys>>", "<start_of_turn>", "<end_of_turn>"} {
		if strings.Contains(low, mark) {
			return mark
		}
	}
	for rest := low; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			return ""
		}
		rest = rest[i+1:]
		end := strings.IndexByte(rest[:min(len(rest), 64)], '>')
		if end < 0 {
			continue
		}
		tag, _, _ := strings.Cut(strings.TrimSpace(strings.Trim(rest[:end], "/")), " ")
		switch strings.ReplaceAll(tag, "_", "-") {
		case "system", "system-reminder", "system-prompt", "system-message", "system-instruction", "system-instructions", "assistant", "developer", "user-message", "user-prompt", "tool-result", "tool-results", "tool-use", "tool-call", "function-calls", "function-results",
			"available-skills", "available-tools", "skills-instructions", "skill-content", "command-message", "command-name", "local-command-stdout", "policy", "admin", "instructions", "important-instructions", "user-instructions", "environment-context", "context-window":
			return "<" + tag + ">"
		}
		if strings.HasPrefix(rest, "/skill>") || strings.HasPrefix(rest, "/description>") || strings.HasPrefix(rest, "/skills>") {
			return "<" + rest[:end+1]
		}
	}
}
