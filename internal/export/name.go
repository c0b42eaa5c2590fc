package export

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// maxPart is the maximum length, in characters, of a path element derived from a name. maxParts is
// the maximum number of elements.
const (
	maxPart  = 100
	maxParts = 8
)

// safePart converts a name to a path element. It keeps letters, digits, underscores, and inner
// hyphens and periods, and replaces other characters with hyphens. It appends a hyphen to device
// names that Windows reserves. If nothing remains, it returns "".
func safePart(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxPart {
			break
		}
		switch {
		case r == utf8.RuneError, !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) &&
			r != '-' && r != '_' && r != '.':
			if !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		default:
			b.WriteRune(r)
		}
		n++
	}
	s = strings.Trim(b.String(), "-. ")
	if isDevice(s) {
		return s + "-"
	}
	return s
}

// isDevice reports whether a name is a reserved device name on Windows.
func isDevice(s string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(s), ".")
	switch stem {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '0' && stem[3] <= '9'
}

// placed holds the name and the path that a definition has in a host.
type placed struct {
	name, path string
	// same reports whether the path contains the name's parts unchanged.
	same bool
}

// place returns a definition's name and path. It returns false if the name cannot be used.
func place(p *host.Profile, at *host.ExportPlace, kind definition.Kind, name string) (placed, bool) {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == ':' || r == '/' })
	if len(parts) == 0 || len(parts) > maxParts {
		return placed{}, false
	}
	written := slices.Clone(parts)
	for i, part := range parts {
		if parts[i] = safePart(part); parts[i] == "" {
			return placed{}, false
		}
	}
	join := at.Join
	if join == "/" {
		join = ":"
		if r := p.NameRules(kind); r.Join != "" {
			join = r.Join
		}
	}
	rule, _ := p.Rule(kind, "name")
	made := strings.Join(parts, join)
	if at.Kebab || !fits(&rule, made) {
		for i := range parts {
			if parts[i] = chars.Kebab(parts[i]); isDevice(parts[i]) {
				parts[i] += "-" + kind.String()
			}
		}
		made = strings.Join(parts, join)
		if !fits(&rule, made) || made == "" {
			return placed{}, false
		}
	}
	same := slices.Equal(parts, written) && (len(parts) == 1 || at.Join == "/")
	file := made
	if at.Join == "/" {
		file = strings.Join(parts, "/")
	}
	if at.File != "" {
		return placed{made, path.Join(at.Dir, file, at.File), same}, true
	}
	return placed{made, path.Join(at.Dir, file) + at.Suffix, same}, true
}

// fits reports whether a host's rule for the name field allows a name.
func fits(rule *host.FieldRule, name string) bool {
	return !rule.TooLong(name) && (rule.Pattern == "" || matches(rule.Pattern, name))
}

func matches(pattern, text string) bool {
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	return err == nil && re.MatchString(text)
}
