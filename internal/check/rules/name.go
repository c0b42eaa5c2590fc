package rules

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// maxName is the longest name that every host takes (formats dossier, sections
// 2.1 and 10.4: Copilot and Codex drop longer ones).
const maxName = 64

// nameDirectory compares a skill's name with its directory's (Agent Skills: they
// are the same; Claude Code, case m16, calls it by the directory, Codex and Gemini
// by the name).
func nameDirectory(p *pass) {
	d := p.Definition
	dir := path.Base(path.Dir(d.Origin.Path))
	e := p.field(definition.FieldName)
	if d.Kind != definition.Skill || e == nil || d.Fields.Name == "" || !strings.EqualFold(path.Base(d.Origin.Path), "skill.md") || dir == "." {
		return
	}
	if d.Origin.Plugin != "" && path.Base(d.Origin.Root) == dir {
		return
	}
	if d.Fields.Name != dir {
		p.at(e.Value.Span, "the name %q is not that of the directory, %q: hosts call the skill by the one or the other", d.Fields.Name, dir).
			fix("give the directory and the field the same name")
	}
}

// nameCharacters holds a skill's name to what every host takes (Agent Skills;
// Copilot CLI 1.0.102 drops "Bad Name!", row "name: Bad Name!").
func nameCharacters(p *pass) {
	d := p.Definition
	if d.Kind != definition.Skill {
		return
	}
	name, span := d.Fields.Name, diag.Span{}
	if e := p.field(definition.FieldName); e != nil && name != "" {
		span = e.Value.Span
	} else {
		name = d.Name[strings.LastIndexByte(d.Name, ':')+1:]
	}
	if name == "" || isKebab(name) {
		return
	}
	const text = "the name %q has other characters than small letters, digits and single hyphens: some hosts drop the skill or rename it"
	fix := "name it " + kebab(name)
	if kebab(name) == "" {
		fix = "give it a name such as code-review"
	}
	if span.End > 0 {
		p.at(span, text, name).fix(fix)
	} else {
		p.whole(text, name).fix(fix)
	}
}

func nameLength(p *pass) {
	e := p.field(definition.FieldName)
	if p.Definition.Kind != definition.Skill || e == nil {
		return
	}
	if n := utf8.RuneCountInString(p.Definition.Fields.Name); n > maxName {
		p.at(e.Value.Span, "the name has %d characters; some hosts drop a skill whose name has more than %d", n, maxName).fix("shorten the name")
	}
}

// isKebab reports whether a name is of small letters, digits and single hyphens
// between them.
func isKebab(s string) bool {
	last := byte('-')
	for i := range len(s) {
		c := s[i]
		if c == '-' && last == '-' || c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
		last = c
	}
	return last != '-'
}

// kebab returns a name in the form that every host takes, or "" where nothing is
// left of it.
func kebab(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
