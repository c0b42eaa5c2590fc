package audit

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// s02 finds archives and documents of offices that were not, or not wholly, opened.
func s02() Rule {
	return Rule{
		ID: "S02", Name: "archive-not-opened", Title: "An archive or office document in the package was not looked into",
		Severity: Review, Confidence: Medium, Scope: "package",
		Why:   "What is packed is not seen by who reads the package; a password keeps every scanner out as well.",
		Fix:   "Put the files into the package as they are, or say where they come from and how to check them.",
		CWE:   []int{506, 434},
		OWASP: "AST02", find: findS02,
	}
}

func findS02(p *pass) {
	for i := range p.Kinds {
		k := &p.Kinds[i]
		switch {
		case disguised(k):
		case k.Class == fact.SealedForm, k.Sealed:
			p.file(k, "%s is encrypted", k.Path)
		case k.Macros:
			p.file(k, "%s is a document with programs in it (macros)", k.Path)
		case k.Class == fact.ArchiveForm && k.Why != "":
			if f := p.file(k, "%s was not opened%s", k.Path, why(k)); !p.unpacks(k.Path) && k.Opened > 0 {
				f.as(Inform, Medium)
			}
		case k.Class == fact.OfficeForm && k.Why != "":
			p.file(k, "%s was not read%s", k.Path, why(k)).as(Inform, Medium)
		}
	}
}

func why(k *fact.FileKind) string {
	if k.Note == "" {
		return ""
	}
	return ": " + k.Note
}

// unpacks reports whether a command of the package names a file to unpack it.
func (p *pass) unpacks(name string) bool {
	base := path.Base(name)
	for i := range p.Commands {
		c := &p.Commands[i]
		switch c.Name {
		case "unzip", "tar", "7z", "7za", "7zz", "unrar", "unar", "bsdtar", "gunzip", "xz", "unxz", "zstd", "bunzip2", "expand-archive", "ditto", "hdiutil", "installer", "pip", "pip3":
			if slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasSuffix(a, base) }) {
				return true
			}
		}
	}
	return false
}
