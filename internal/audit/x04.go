package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x04() Rule {
	return Rule{
		ID: "X04", Name: "password-archive", Title: "An archive with a password is to be opened and what is in it run", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "A password that stands beside its archive keeps nobody out but the scanners of the network, the mail and the system: none of them sees what is in it until it runs.",
		Fix: "Publish the program in the clear, through a package manager or a release with checksums. Do not open the archive.",
		CWE: []int{506, 494}, OWASP: "AST01",
		find: findX04,
	}
}

func findX04(p *pass) {
	seen := map[fact.Place]bool{}
	for i := range p.Gets {
		g := &p.Gets[i]
		if g.Password == "" || seen[g.PasswordAt] {
			continue
		}
		if g.URL >= 0 && p.URLs[g.URL].Private {
			continue
		}
		// A document is read with its password, a program is run.
		if !g.Run && g.Target != fact.AProgram && !(g.Told && g.Must) {
			continue
		}
		seen[g.PasswordAt] = true
		f := p.at(g.PasswordAt, "what is downloaded is an archive with the password %q, and is to be run", shown(g.Password))
		if g.URL < 0 && !g.Told {
			f.as(Review, Medium)
		}
		f.standing(g.Standing)
	}
	p.x04Commands()
}

// x04Commands looks for archives that commands open with a password that is written
// out, and whose content they run or have from the network.
func (p *pass) x04Commands() {
	for i := range p.Commands {
		c := &p.Commands[i]
		if !opensWithPassword(c) {
			continue
		}
		fetched, run := false, false
		for k := max(0, i-8); k < min(len(p.Commands), i+6); k++ {
			o := &p.Commands[k]
			if o.File != c.File {
				continue
			}
			_, ok := fetches(o)
			fetched = fetched || ok && k < i
			run = run || k > i && runsLocal(o)
		}
		if fetched || run {
			f := p.at(c.Place, "a command opens an archive with a password that stands beside it")
			if !fetched || !run {
				f.as(Review, Medium)
			}
			f.standing(c.Standing)
		}
	}
}

// opensWithPassword reports whether a command takes what is in an archive out of it
// with a password that is written out.
func opensWithPassword(c *fact.Command) bool {
	literal := func(s string) bool {
		return len(s) > 0 && !strings.ContainsAny(s, "$<{%`") && !strings.EqualFold(s, "password")
	}
	for k, a := range c.Args {
		switch c.Name {
		case "unzip", "bsdtar":
			if a == "-P" || a == "--passphrase" {
				return k+1 < len(c.Args) && literal(c.Args[k+1])
			}
			if v, ok := strings.CutPrefix(a, "-P"); ok && c.Name == "unzip" && literal(v) {
				return true
			}
		case "7z", "7za", "7zz", "7zr", "7z.exe", "unrar", "rar", "unar":
			if v, ok := strings.CutPrefix(a, "-p"); ok && literal(v) && (c.Args[0] == "x" || c.Args[0] == "e" || c.Name == "unar") {
				return true
			}
		}
	}
	return false
}

// runsLocal reports whether a command runs a file that lies beside it.
func runsLocal(c *fact.Command) bool {
	if strings.HasPrefix(c.Text, "./") || strings.HasPrefix(c.Text, ".\\") || strings.HasPrefix(c.Text, "/tmp/") {
		return true
	}
	switch c.Name {
	case "open", "start", "start-process", "chmod", "msiexec", "installer":
		return true
	}
	return strings.HasSuffix(c.Name, ".exe")
}
