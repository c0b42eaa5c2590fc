package codex

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// prompt describes calls in Codex 0.169.0. A user can mention a skill anywhere in a prompt. Codex
// then sends the skill's file as a separate message (case n07). The message format comes from the
// core-skills source code.
func prompt() *host.Prompt {
	return &host.Prompt{
		UserCall: func(k definition.Kind, name string) string {
			if k != definition.Skill {
				return ""
			}
			return "$" + name
		},
		ModelCall: host.ReadingCall,
		Calls: &host.Calls{
			Prefix: host.NoPrefix,
			User: host.TemplateFor(definition.Skill, &host.Template{Whole: true, Wrap: func(w host.Wrapped) string {
				return "<skill>\n<name>" + w.Name + "</name>\n<path>" + w.File + "</path>\n" + w.Body + "\n</skill>"
			}}),
			Model: host.WholeFile(), ByFile: true,
			Mentions: mentions,
			Removed: func(name string) (why, fix string) {
				// See case n05.
				if strings.HasPrefix(name, "prompts:") {
					return "Codex 0.117 and later do not support custom prompts", "convert it to a skill, which users invoke as $" + strings.TrimPrefix(name, "prompts:")
				}
				return "", ""
			},
		},
	}
}

// mentions finds "$name" and "[$name](path)" anywhere in text. It ignores the names of common
// environment variables, according to injection.rs in Codex's source code.
func mentions(text string) []host.SkillMention {
	var list []host.SkillMention
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], "$[")
		if n < 0 {
			break
		}
		i += n
		if text[i] == '[' {
			if name, path, end := linkedMention(text, i); end > 0 {
				if !isShellVariable(name) {
					list = append(list, host.SkillMention{Name: name, Path: path})
				}
				i = end
				continue
			}
			i++
			continue
		}
		name := mentionName(text[i+1:])
		if i += 1 + len(name); name != "" && !isShellVariable(name) {
			list = append(list, host.SkillMention{Name: name})
		}
	}
	return list
}

// linkedMention parses a mention of the form "[$name](path)" at offset i. end is the offset after
// the mention, or 0 if there is none at i.
func linkedMention(text string, i int) (name, path string, end int) {
	rest, ok := strings.CutPrefix(text[i:], "[$")
	if !ok {
		return "", "", 0
	}
	name = mentionName(rest)
	rest, ok = strings.CutPrefix(rest[len(name):], "]")
	if name == "" || !ok {
		return "", "", 0
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t\n\r\f"), "(")
	n := strings.IndexByte(rest, ')')
	if !ok || n < 0 {
		return "", "", 0
	}
	if path = strings.TrimSpace(rest[:n]); path == "" {
		return "", "", 0
	}
	return name, strings.TrimPrefix(path, "skill://"), len(text) - len(rest) + n + 1
}

func mentionName(s string) string {
	n := 0
	for n < len(s) && (host.IsLetter(s[n]) || s[n] >= '0' && s[n] <= '9' || strings.IndexByte("_-:", s[n]) >= 0) {
		n++
	}
	return s[:n]
}

func isShellVariable(name string) bool {
	switch strings.ToUpper(name) {
	case "PATH", "HOME", "USER", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP", "LANG", "TERM", "XDG_CONFIG_HOME":
		return true
	}
	return false
}
