package parse

import (
	"strings"

	"golang.org/x/mod/semver"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// isSemantic reports whether a version is major.minor.patch with what the
// semantic-version form allows behind it.
func isSemantic(v string) bool {
	core, _, _ := strings.Cut(v, "+")
	core, _, _ = strings.Cut(core, "-")
	return semver.IsValid("v"+v) && strings.Count(core, ".") == 2
}

// require switches a definition off that asks for another version of Vade, in
// requires or in compatibility.
func (h *header) require() {
	if h.table.exact {
		// No host knows of it.
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
		d := diag.For(h.d.Origin.Path, diag.VersionNeeded, "it requires vade %s and this is %s", wanted, h.version).
			WithFix("use a version of vade that fits, or change what the definition requires")
		h.report(d)
		h.d.State, h.d.ReasonCode, h.d.Reason = definition.Disabled, d.Code, d.Message
	}
}

// constraint finds "vade >= 1.2" in a text that may also speak of other things.
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

// satisfied compares with one operator: <, <=, =, ==, >=, >, ^ (the same major)
// or ~ (the same minor). Vade's own pre-releases count as the release.
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
