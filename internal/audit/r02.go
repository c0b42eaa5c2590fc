package audit

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
)

// r02 finds references to files that are not there.
func r02() Rule {
	return Rule{
		ID: "R02", Name: "dangling-reference", Title: "The text refers to a file that is not in the package",
		Severity: Inform, Confidence: Medium, Scope: "package",
		Why:   "The model looks for it elsewhere, makes it up, or takes what somebody puts there.",
		Fix:   "Add the file, or take the reference out.",
		CWE:   []int{1104, 610},
		OWASP: "AST09", find: findR02,
	}
}

func findR02(p *pass) {
	if p.Package.Kind != definition.Skill {
		return
	}
	there := map[string]bool{}
	add := func(name string) {
		for name = strings.ToLower(name); name != "." && name != "/" && !there[name]; name = path.Dir(name) {
			there[name] = true
		}
	}
	for _, x := range p.Package.Files {
		add(x.Path)
	}
	for _, m := range p.Missed {
		add(m.Path)
	}
	seen := map[string]bool{}
	for _, r := range p.references() {
		target := strings.ToLower(strings.TrimRight(path.Clean(strings.ReplaceAll(r.target, "%20", " ")), "/"))
		if r.brought || up(r.target) > 0 || strings.HasPrefix(r.target, "/") || strings.HasPrefix(r.target, "~") || strings.ContainsAny(r.target, "<>{}$*") || there[target] || seen[target] || path.Ext(target) == "" {
			continue
		}
		seen[target] = true
		p.at(r.Place, "%s is not in the package", chars.Short(r.target, 80)).forPersona(Pedantic)
	}
}
