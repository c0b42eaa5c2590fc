package parse

import (
	"strings"

	"golang.org/x/mod/semver"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// IsSemantic reports whether a version has the format major.minor.patch, optionally followed by a
// pre-release and a build.
func IsSemantic(v string) bool {
	core, _, _ := strings.Cut(v, "+")
	core, _, _ = strings.Cut(core, "-")
	return semver.IsValid("v"+v) && strings.Count(core, ".") == 2
}

// require disables a definition if its requires or compatibility field requires a version of Vade
// that is not the current one.
func (h *header) require() {
	if h.table.exact {
		// Hosts ignore this requirement.
		return
	}
	for _, text := range [...]string{h.d.Fields.Requires(), h.d.Fields.Compatibility()} {
		wanted, unmet := Unmet(text, "vade", h.version)
		if !unmet || h.d.State != definition.Loaded {
			continue
		}
		d := diag.For(h.d.Origin.Path, diag.VersionNeeded, "the definition requires vade %s, but this is vade %s", wanted, h.version).
			WithFix("use a matching version of vade, or change the requirement")
		h.report(d)
		h.d.State, h.d.ReasonCode, h.d.Reason = definition.Disabled, d.Code, d.Message
	}
}

// Unmet finds the required version of a program in the text of a requires or compatibility field,
// such as ">= 1.2". unmet reports whether version fails to meet that requirement. A version that is
// not a semantic version meets every requirement.
func Unmet(text, program, version string) (wanted string, unmet bool) {
	wanted, ok := constraint(text, program)
	return wanted, ok && semver.IsValid("v"+version) && !satisfied(version, wanted)
}

// constraint finds the required version of a program in text such as "vade >= 1.2", which may also
// contain requirements for other programs.
func constraint(text, program string) (string, bool) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' }) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(part), program)
		if !ok || rest != "" && !strings.ContainsRune(" \t:<>=^~", rune(rest[0])) {
			continue
		}
		rest = strings.TrimLeft(rest, " \t:")
		op := rest[:len(rest)-len(strings.TrimLeft(rest, "<>=^~"))]
		v := strings.TrimPrefix(strings.TrimSpace(rest[len(op):]), "v")
		if i := strings.IndexAny(v, " \t"); i >= 0 {
			v = v[:i]
		}
		if op == "" {
			op = ">="
		}
		if semver.IsValid("v" + v) {
			return op + " " + v, true
		}
	}
	return "", false
}

// satisfied reports whether version satisfies one comparison. The operator is <, <=, =, ==, >=, >,
// ^ (same major version) or ~ (same minor version). satisfied ignores the pre-release suffix of
// version.
func satisfied(version, wanted string) bool {
	op, v, _ := strings.Cut(wanted, " ")
	version, _, _ = strings.Cut(version, "-")
	have, want := "v"+version, "v"+v
	c := semver.Compare(have, want)
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case "=", "==":
		return c == 0
	case ">":
		return c > 0
	case "^":
		return c >= 0 && semver.Major(have) == semver.Major(want)
	case "~":
		return c >= 0 && semver.MajorMinor(have) == semver.MajorMinor(want)
	}
	return c >= 0
}
