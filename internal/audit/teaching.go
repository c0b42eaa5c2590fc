package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// purpose is what a package says of itself in its name and description, in small
// letters.
func (p *pass) purpose() string {
	var b strings.Builder
	b.WriteString(strings.ToLower(p.Package.Name))
	for i := range p.Regions {
		if r := &p.Regions[i]; r.Medium == fact.Frontmatter && (r.Key == "description" || r.Key == "name") && b.Len() < 8<<10 {
			b.WriteByte(' ')
			b.WriteString(strings.ToLower(r.Text))
		}
	}
	return b.String()
}

// hasWord reports whether a text has one of some words, as beginnings of words.
func hasWord(text string, words ...string) bool {
	for _, w := range words {
		for from := 0; ; {
			i := strings.Index(text[from:], w)
			if i < 0 {
				break
			}
			i += from
			if i == 0 || !isLetterByte(text[i-1]) {
				return true
			}
			from = i + 1
		}
	}
	return false
}

func isLetterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// teaches reports whether a place is one where attacks are shown: its heading or the
// purpose of the package says so.
func teaches(purpose string, s fact.Standing) bool {
	words := []string{"pentest", "penetration", "red team", "redteam", "red-team", "exploit", "ctf", "offensive", "attack", "reverse shell", "reverse-shell", "malware", "threat", "forensic", "incident", "detection", "vulnerab", "ethical hack", "hacking", "security test", "security-test", "privilege escalation", "metasploit", "bug bounty", "security audit", "security review", "payload"}
	return hasWord(purpose, words...) || hasWord(s.Heading, words...)
}
