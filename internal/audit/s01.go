package audit

import "github.com/vadehq/vade/internal/audit/fact"

// s01 finds programs whose code is not text.
func s01() Rule {
	return Rule{
		ID: "S01", Name: "native-or-bytecode", Title: "A program of the package is machine code or bytecode",
		Severity: Review, Confidence: High, Scope: "package",
		Why:   "Nobody who reads the package sees what such a program does, and nothing here looks into it.",
		Fix:   "Ask for the source, build it yourself, or get the program from its publisher with a checksum.",
		CWE:   []int{506, 829},
		OWASP: "AST02", find: findS01,
	}
}

func findS01(p *pass) {
	for i := range p.Kinds {
		k := &p.Kinds[i]
		switch {
		case disguised(k):
			// S03 has it.
		case k.Class == fact.NativeForm:
			p.file(k, "%s is machine code (%s)", k.Path, k.Magic)
		case k.Class == fact.BytecodeForm:
			p.file(k, "%s is code for an interpreter in a form that is not read (%s)", k.Path, k.Magic)
		}
	}
}

// file reports a finding about a file as a whole.
func (p *pass) file(k *fact.FileKind, format string, args ...any) *Finding {
	f := p.about(format, args...)
	f.Path = k.Path
	return p.add(f)
}
