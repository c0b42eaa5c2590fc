package audit

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/host"
)

// f04 finds names that lead elsewhere or pass for something else.
func f04() Rule {
	return Rule{
		ID: "F04", Name: "bad-name", Title: "The name leads out of its directory, carries a command or passes for one of the host's own",
		Severity: Block, Confidence: High, Scope: "definition",
		Why:   "Names become paths, commands and lines of lists; one that is made for it writes elsewhere, runs something, or takes the place of a command by which users control their agent.",
		Fix:   "Use small letters, digits and hyphens, and a name of your own.",
		CWE:   []int{22, 74, 290},
		OWASP: "AST04", find: findF04,
	}
}

func findF04(p *pass) {
	if p.Package.Bare {
		return
	}
	name, place := p.Package.Name, fact.Place{}
	e := p.field(definition.FieldName)
	switch {
	case e != nil && e.Value.Text != "":
		name, place = e.Value.Text, fact.Place{Span: e.Value.Span}
	case p.Package.Kind == definition.Instruction:
		// Its author chose no name: the package has the path that is shown.
		return
	}
	switch {
	case leadsOut(name):
		p.at(place, "the name %q is a path that leads elsewhere", name)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		p.at(place, "the name %q has control characters", name)
	case strings.ContainsAny(name, "`;|&<>\"\\") && !strings.Contains(name, "{{") && commandLike(name), strings.Contains(name, "$("):
		p.at(place, "the name %q has the marks of a command", name)
	case strings.HasPrefix(name, "-"):
		p.at(place, "the name %q begins like an option", name).as(Review, Medium)
	case (p.Package.Kind == definition.Skill || p.Package.Kind == definition.Command) && host.OwnCommand(strings.ToLower(name)):
		p.at(place, "%q is the name of a command by which users control their agent", name).as(Review, Medium)
	case e != nil && p.Package.Kind == definition.Skill && p.Package.Name != "" && name != p.Package.Name:
		p.at(place, "the name %q is not that of the directory, %q", name, p.Package.Name).as(Inform, Low).forPersona(Pedantic)
	}
}

// field is the field of the frontmatter in any of its spellings; nil where there is none.
func (p *pass) field(f definition.Field) *definition.Entry {
	for i := range p.Entries {
		if definition.LookupField(p.Entries[i].Key) == f {
			return &p.Entries[i]
		}
	}
	return nil
}

// leadsOut reports whether a name is a path to another place.
func leadsOut(name string) bool {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(slashed, "/") && strings.Count(slashed, "/") > 1 || strings.HasPrefix(slashed, "~/") || len(slashed) > 2 && slashed[1] == ':' && slashed[2] == '/' {
		return true
	}
	for part := range strings.SplitSeq(slashed, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// commandLike reports whether the marks in a name can be more than punctuation. An
// underscore escaped for Markdown is only that.
func commandLike(name string) bool {
	if strings.ContainsAny(strings.ReplaceAll(name, `\_`, "_"), "`\\") {
		return true
	}
	for _, mark := range [...]string{"; ", ";", "| ", "|", "&&", "> ", "<("} {
		if _, rest, found := strings.Cut(name, mark); found && rest != "" {
			word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			switch word {
			case "sh", "bash", "curl", "wget", "rm", "cat", "echo", "python", "python3", "node", "nc", "touch", "id", "env":
				return true
			}
		}
	}
	return false
}
