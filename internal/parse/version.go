package parse

import (
	"strings"

	"golang.org/x/mod/semver"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// isSemantic reports whether a version has the form major.minor.patch, with an optional
// pre-release and build.
func isSemantic(v string) bool {
	core, _, _ := strings.Cut(v, "+")
	core, _, _ = strings.Cut(core, "-")
	return semver.IsValid("v"+v) && strings.Count(core, ".") == 2
}

// require disables a definition whose requires or compatibility field asks for another
// version of Vade.
func (h *header) require() {
	if h.table.exact {
		// No host knows of the requirement.
		return
	}
	for _, text := range [...]string{h.d.Fields.Requires(), h.d.Fields.Compatibility()} {
		wanted, ok := constraint(text)
		if !ok || h.d.State != definition.Loaded {
			continue
		}
		if satisfied(h.version, wanted) {
			continue
		}
		d := diag.For(h.d.Origin.Path, diag.VersionNeeded, "it requires vade %s, but this is %s", wanted, h.version).
			WithFix("use a matching version of vade, or change the requirement")
		h.report(d)
		h.d.State, h.d.ReasonCode, h.d.Reason = definition.Disabled, d.Code, d.Message
	}
}

// constraint finds "vade >= 1.2" in a text that may have other requirements.
func constraint(text string) (string, bool) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' }) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(part), "vade")
		if !ok {
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

// satisfied evaluates one operator: <, <=, =, ==, >=, >, ^ (same major) or ~ (same minor).
// A pre-release of Vade counts as its release.
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
