package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// b02 finds arguments that become part of a command's text.
func b02() Rule {
	return Rule{
		ID: "B02", Name: "argument-in-command", Title: "What the caller types becomes part of a command that runs at loading",
		Severity: Review, Confidence: High, Scope: "definition",
		Why:   "Some hosts put the argument into the text before a shell reads it: quotes do not hold it, and who can bring an argument along runs commands.",
		Fix:   "Let the model run the command, or give the argument to a program that takes it as it is.",
		CWE:   []int{78, 88},
		OWASP: "AST01", find: findB02,
	}
}

func findB02(p *pass) {
	unit := -1
	for _, i := range p.loading() {
		c := &p.Commands[i]
		mark := argument(c.Text)
		if mark == "" || c.Unit == unit {
			continue
		}
		unit = c.Unit
		f := p.at(c.Place, "%s becomes part of the command %s", mark, c.Name).guarded()
		if !executesArgument(c) {
			f.as(Inform, Medium)
		}
		f.standing(c.Standing)
	}
}

// argument finds the place for arguments in a command.
func argument(text string) string {
	for _, mark := range [...]string{"$ARGUMENTS", "${ARGUMENTS", "{{args}}", "{{ args }}"} {
		if strings.Contains(text, mark) {
			return mark
		}
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '$' && text[i+1] >= '1' && text[i+1] <= '9' && !strings.Contains(text, "awk") {
			return text[i : i+2]
		}
	}
	return ""
}

// executesArgument reports whether a command makes more of an argument than a word:
// code, a shell's text, an address, or a command of its own.
func executesArgument(c *fact.Command) bool {
	switch c.Name {
	case "eval", "sh", "bash", "zsh", "xargs", "ssh", "find", "osascript", "iex", "source", ".":
		return true
	case "python", "python3", "node", "perl", "ruby", "php":
		for _, a := range c.Args {
			if (a == "-c" || a == "-e") && argument(strings.Join(c.Args, " ")) != "" {
				return true
			}
		}
	}
	return argument(c.Name) != "" || argument(firstWord(c.Text)) != "" || netProgram(c.Name)
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}
