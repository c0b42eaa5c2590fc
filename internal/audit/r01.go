package audit

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
)

// r01 finds references to files that are none of the package's or the project's.
func r01() Rule {
	return Rule{
		ID: "R01", Name: "reference-outside", Title: "The text brings in a file from outside the package and the project",
		Severity: Block, Confidence: High, Scope: "definition",
		Why:   "A host puts the file into the prompt without a question: keys and logins reach the model, and whatever the model calls.",
		Fix:   "Refer to files of the package or the project only.",
		CWE:   []int{22, 200, 59},
		OWASP: "AST03", find: findR01,
	}
}

// reference is a file that the body refers to.
type reference struct {
	fact.Place
	target string
	// brought: hosts put the file into the prompt; else it is a link to be followed.
	brought, quoted bool
}

// maxReferences bounds how many references of a body are looked at.
const maxReferences = 2000

// references are the files that the body of the definition refers to.
func (p *pass) references() []reference {
	if len(p.Package.Files) == 0 || p.Package.Bare || p.Body > len(p.Package.Files[0].Text) {
		return nil
	}
	text := p.Package.Files[0].Text[p.Body:]
	at := func(s diag.Span) fact.Place {
		return fact.Place{Span: diag.Span{Start: p.Body + s.Start, End: p.Body + s.End}}
	}
	var list []reference
	if strings.Contains(text, "@") {
		for seg := range body.Scan(text, body.Options{}) {
			if seg.Kind == body.FileRef && len(list) < maxReferences {
				list = append(list, reference{at(seg.Span), seg.Name, true, seg.Quoted()})
			}
		}
	}
	for l := range body.Links(text) {
		if len(list) >= maxReferences {
			break
		}
		target, _, _ := strings.Cut(l.Target, "#")
		target, _, _ = strings.Cut(target, "?")
		if target != "" && !strings.Contains(target, "://") && !strings.HasPrefix(target, "mailto:") && !strings.HasPrefix(target, "//") {
			list = append(list, reference{at(l.Span), target, false, false})
		}
	}
	return list
}

func findR01(p *pass) {
	for _, r := range p.references() {
		class, own := fact.ClassOf(r.target)
		secret := class == fact.Credential || class == fact.AgentSecret || class == fact.Wallet || class == fact.Browser
		var f *Finding
		switch {
		case secret && (own || p.outside(r.target)):
			f = p.at(r.Place, "%s is brought in: keys or logins of the user", r.target).guarded()
			if !r.brought {
				f.as(Review, Medium)
			}
		case r.brought && (secret || class == fact.EnvFile || class == fact.AgentHistory):
			f = p.at(r.Place, "%s is brought in, which may have secrets in it", r.target).guarded().as(Review, Medium)
		case r.brought && elsewhere(r.target):
			f = p.at(r.Place, "%s is outside of the project", r.target).guarded().as(Review, Medium)
		case p.Package.Kind == definition.Skill && p.outside(r.target) && up(r.target) > 3 && !r.quoted:
			f = p.at(r.Place, "%s leads %d directories up", r.target, up(r.target)).guarded().as(Inform, Medium)
		default:
			continue
		}
		if r.quoted {
			f.standing(fact.Standing{Quoted: true})
		}
	}
	for _, m := range p.Missed {
		target, leaves := linkOut(m)
		if !leaves {
			continue
		}
		class, _ := fact.ClassOf(target)
		f := p.about("the link %s leads out of the package, to %s", m.Path, chars.Short(target, 80))
		f.Path = m.Path
		if class == "" || class == fact.System {
			f.Severity, f.Confidence = Review, Medium
		}
		p.add(f)
	}
}

// linkOut returns where a link that was not followed leads, and whether that is out of
// the package, by its text or by way of other links.
func linkOut(m fact.Missed) (target string, leaves bool) {
	if m.Why != fact.MissedLink {
		return "", false
	}
	if target, leaves = strings.CutPrefix(m.Note, fact.LeadsOutside); leaves {
		return target, true
	}
	target = strings.TrimPrefix(m.Note, fact.LeadsTo)
	joined := path.Join(path.Dir(m.Path), target)
	return target, strings.HasPrefix(target, "/") || strings.HasPrefix(joined, "../") || joined == ".."
}

// elsewhere reports whether a path is of the machine or of the user's home, and not
// only an alias of a project that begins alike.
func elsewhere(target string) bool {
	low := strings.ToLower(target)
	for _, head := range [...]string{"~/", "/etc/", "/home/", "/root/", "/var/", "/users/", "/proc/", "/sys/", "/opt/", "/usr/", "/private/", "/library/", "/tmp/", "$home/", "${home}/"} {
		if strings.HasPrefix(low, head) {
			return true
		}
	}
	return up(target) > 3
}

// outside reports whether a path leads out of the directory that it begins in.
func (p *pass) outside(target string) bool {
	return elsewhere(target) || strings.HasPrefix(target, "/") || strings.HasPrefix(target, "~") || up(target) > 0
}

// up is how many directories a relative path leads above where it begins.
func up(target string) int {
	depth, most := 0, 0
	for part := range strings.SplitSeq(strings.ReplaceAll(target, `\`, "/"), "/") {
		switch part {
		case "..":
			depth--
			most = min(most, depth)
		case "", ".":
		default:
			depth++
		}
	}
	return -most
}
