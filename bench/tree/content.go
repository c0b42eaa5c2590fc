package tree

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer builds one SKILL.md.
type writer struct {
	r   *rand.Rand
	out []byte
}

func (w *writer) printf(format string, args ...any) { w.out = fmt.Appendf(w.out, format, args...) }

// chance returns true with the given probability, in percent.
func (w *writer) chance(percent int) bool { return w.r.IntN(100) < percent }

// frontmatter writes a skill's YAML frontmatter, including the delimiters. If broken is set, the
// frontmatter is invalid.
func (w *writer) frontmatter(name string, broken bool) {
	w.printf("---\nname: %s\n", name)
	if broken {
		w.broken()
		w.printf("---\n\n")
		return
	}
	w.description()
	if w.chance(30) {
		w.allowedTools()
	}
	if w.chance(15) {
		w.printf("version: %d.%d.%d\n", w.r.IntN(3), w.r.IntN(20), w.r.IntN(10))
	}
	if w.chance(15) {
		w.printf("license: %s\n", pick(w.r, []string{"MIT", "Apache-2.0", "BSD-3-Clause"}))
	}
	if w.chance(5) {
		w.printf("argument-hint: \"[%s] [%s]\"\n", pick(w.r, topics), pick(w.r, verbs))
	}
	if w.chance(4) {
		w.printf("user-invocable: false\n")
	}
	if w.chance(3) {
		w.printf("disable-model-invocation: true\n")
	}
	if w.chance(15) {
		w.printf("metadata:\n  author: %s team\n  updated: 2026-%02d-%02d\n", pick(w.r, topics), 1+w.r.IntN(12), 1+w.r.IntN(28))
		if w.chance(50) {
			w.printf("  tags: [%s, %s]\n", pick(w.r, topics), pick(w.r, topics))
		}
	}
	w.printf("---\n\n")
}

// description writes about 200 bytes in one of the styles that people use.
func (w *writer) description() {
	text := w.sentence() + " " + w.sentence() + fmt.Sprintf(" Use when you %s the %s.", pick(w.r, verbs), pick(w.r, topics))
	for len(text) < 170 {
		text += " " + w.sentence()
	}
	switch n := w.r.IntN(100); {
	case n < 60:
		w.printf("description: %s\n", text)
	case n < 80:
		w.printf("description: \"%s Say \\\"%s\\\": it runs.\"\n", text, pick(w.r, verbs))
	case n < 90:
		w.printf("description: '%s It''s for: %s.'\n", text, pick(w.r, topics))
	case n < 97:
		w.printf("description: >-\n%s", wrap(text, "  "))
	default:
		w.printf("description: |\n%s", wrap(text, "  "))
	}
}

func (w *writer) allowedTools() {
	switch w.r.IntN(3) {
	case 0:
		w.printf("allowed-tools: Read, Grep, Bash(git %s:*)\n", pick(w.r, []string{"log", "diff", "status"}))
	case 1:
		w.printf("allowed-tools: Read Write Edit\n")
	default:
		w.printf("allowed-tools:\n  - Read\n  - Bash(go test:*)\n")
	}
}

// broken writes fields that are invalid YAML. The errors are the ones that are most common in
// practice.
func (w *writer) broken() {
	text := w.sentence()
	switch w.r.IntN(7) {
	case 0:
		w.printf("description: %s Usage: %s the %s.\n", text, pick(w.r, verbs), pick(w.r, topics))
	case 1:
		w.printf("description: %s\nglobs: **/*.%s\n", text, pick(w.r, []string{"ts", "go", "py"}))
	case 2:
		w.printf("description: %s\nargument-hint: [%s] [%s]\n", text, pick(w.r, topics), pick(w.r, verbs))
	case 3:
		w.printf("description: @%s %s\n", pick(w.r, topics), text)
	case 4:
		w.printf("description: | %s\n", text)
	case 5:
		w.printf("description: %s Examples:\nContext: a %s\nuser: \"%s it\"\nand a line of its own\n", text, pick(w.r, topics), pick(w.r, verbs))
	default:
		w.printf("description: \"%s\nlicense: MIT\n", text)
	}
}

// body writes sections until the text has at least size bytes.
func (w *writer) body(size int) {
	w.printf("# %s\n\n%s\n", w.title(), w.paragraph())
	for end := len(w.out) + size; len(w.out) < end; {
		w.printf("\n## %s\n\n%s\n", w.title(), w.paragraph())
		switch w.r.IntN(5) {
		case 0:
			w.printf("\n")
			for i := range 3 + w.r.IntN(4) {
				w.printf("%d. %s\n", i+1, w.sentence())
			}
		case 1:
			w.printf("\n")
			for range 3 + w.r.IntN(4) {
				w.printf("- **%s**: %s\n", pick(w.r, topics), w.sentence())
			}
		case 2:
			w.printf("\n```sh\n%s --%s \"$HOME/%s\" | awk '{print $1}'\n%s %d\n```\n",
				pick(w.r, verbs), pick(w.r, topics), pick(w.r, topics), pick(w.r, verbs), w.r.IntN(1000))
		case 3:
			w.printf("\n%s See [the %s](references/%s.md).\n", w.sentence(), pick(w.r, topics), pick(w.r, topics))
		}
	}
}

func (w *writer) title() string {
	verb := pick(w.r, verbs)
	return strings.ToUpper(verb[:1]) + verb[1:] + " the " + pick(w.r, topics)
}

func (w *writer) paragraph() string {
	parts := make([]string, 3+w.r.IntN(4))
	for i := range parts {
		parts[i] = w.sentence()
	}
	return strings.TrimSuffix(wrap(strings.Join(parts, " "), ""), "\n")
}

func (w *writer) sentence() string {
	s := pick(w.r, frames)
	for strings.Contains(s, "%v") || strings.Contains(s, "%t") {
		s = strings.Replace(s, "%v", pick(w.r, verbs), 1)
		s = strings.Replace(s, "%t", pick(w.r, topics), 1)
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// wrap breaks text into lines of about 80 bytes.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			b.WriteString(indent)
		case column+len(word) > 80:
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteByte(' ')
		}
		b.WriteString(word)
		column += len(word) + 1
	}
	b.WriteByte('\n')
	return b.String()
}

var verbs = []string{
	"review", "measure", "publish", "translate", "check", "describe", "compare", "migrate", "trace", "collect",
	"summarise", "schedule", "restore", "rename", "archive", "draft", "profile", "verify", "clean", "explain",
}

var topics = []string{
	"changelog", "schema", "invoice", "pipeline", "dashboard", "release", "backup", "endpoint", "glossary", "fixture",
	"calendar", "contract", "database", "manual", "template", "interface", "permission", "report", "queue", "snapshot",
}

// frames are sentences with placeholders for a verb (%v) and a topic (%t). Each must be a valid
// YAML plain scalar: it contains neither ": " nor " #", and its first character is not reserved.
var frames = []string{
	"before you %v the %t, read the %t once from its beginning to its end.",
	"find the owner of a %t before you %v it.",
	"if the %t has changed since yesterday, %v it again and write down what differs.",
	"put the %t in the same directory as the %t that it describes.",
	"to %v a %t well, read it as if somebody else had written it.",
	"a %t without a date is worth little after 30 days.",
	"ask first when the %t is shared with another team, then %v it together.",
	"if a %t and a %t differ, use the newer one and explain the difference.",
	"start with the smallest %t, because its errors are the easiest to %v.",
	"this helps to %v one %t at a time, with a note for each.",
	"the %t lists what was left out, and the reason (it is never empty).",
	"plan to %v at most 5 of them in a day.",
}
