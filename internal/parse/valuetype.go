package parse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// date matches YAML 1.1 dates and timestamps.
var date = lazyregexp.New(`^(\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?([Tt]|[ \t]+)\d\d?:\d\d:\d\d(\.\d*)?([ \t]*(Z|[-+]\d\d?(:\d\d)?))?)$`)

// mistyped describes the problem with a value's type, or returns "" if there is none. In messages,
// the description follows the key.
func mistyped(rule *host.FieldRule, v *definition.Value) string {
	if rule.Takes&host.TakesKind(v.Kind) == 0 {
		if v.Kind == definition.Null {
			return "has no value"
		}
		return "is a " + v.Kind.String() + ", not " + kindsText(rule.Takes)
	}
	for i := range v.Items {
		if k := v.Items[i].Kind; rule.Items != 0 && rule.Items&host.TakesKind(k) == 0 {
			return "contains a " + k.String() + ", not " + kindsText(rule.Items)
		}
	}
	for i := range v.Pairs {
		if rule.ItemKey != "" && v.Pairs[i].Key != rule.ItemKey {
			continue
		}
		if k := v.Pairs[i].Value.Kind; rule.Items != 0 && rule.Items&host.TakesKind(k) == 0 {
			return "contains a " + k.String() + ", not " + kindsText(rule.Items)
		}
		if rule.Members != nil {
			if problem := mistypedMember(rule.Members(&v.Pairs[i].Value), &v.Pairs[i].Value); problem != "" {
				return "contains " + v.Pairs[i].Key + ", whose " + problem
			}
		}
	}
	if rule.Filled && isScalar(v.Kind) && strings.TrimSpace(v.Text) == "" {
		return "is empty"
	}
	if rule.Whole && isScalar(v.Kind) {
		n, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || n <= 0 || n != float64(int64(n)) {
			return "must be a positive integer"
		}
	}
	return ""
}

// mistypedMember describes the first problem with a map's members, or returns "".
func mistypedMember(rules []host.FieldRule, v *definition.Value) string {
	for i := range rules {
		r := &rules[i]
		at := slices.IndexFunc(v.Pairs, func(e definition.Entry) bool { return e.Key == r.Key })
		switch {
		case at >= 0:
			if problem := mistyped(r, &v.Pairs[at].Value); problem != "" {
				return r.Key + " " + problem
			}
			if text := v.Pairs[at].Value.Text; r.Words != nil && !slices.Contains(r.Words, text) {
				return r.Key + " must be one of " + strings.Join(r.Words, ", ")
			}
		case r.Required:
			return r.Key + " is missing"
		}
	}
	return ""
}

// converted converts a value to one of a type that the rule accepts, and returns the text of the
// converted value. It returns false if that is not possible.
func converted(rule *host.FieldRule, v *definition.Value) (string, bool) {
	if !isScalar(v.Kind) || v.Kind == definition.Null {
		return "", false
	}
	if rule.Takes&host.TakesText == 0 && rule.Takes&host.TakesBool != 0 {
		if b, problem := frontmatter.Bool(*v); problem == "" {
			return strconv.FormatBool(b), true
		}
		return "", false
	}
	if rule.Takes&host.TakesText != 0 && v.Kind != definition.String && !rule.Whole {
		return strconv.Quote(v.Text), true
	}
	return "", false
}

// kindsText describes the accepted kinds of values.
func kindsText(t host.ValueType) string {
	var words []string
	for _, one := range [...]struct {
		bit  host.ValueType
		word string
	}{
		{host.TakesText, "a string"},
		{host.TakesNumber, "a number"},
		{host.TakesBool, "true or false"},
		{host.TakesList, "a list"},
		{host.TakesMap, "a map"},
	} {
		if t&one.bit != 0 {
			words = append(words, one.word)
		}
	}
	return strings.Join(words, " or ")
}

// scriptText formats a value like JavaScript's String function.
func scriptText(v *definition.Value) string {
	switch v.Kind {
	case definition.List:
		var parts []string
		for i := range v.Items {
			if v.Items[i].Kind == definition.Null {
				parts = append(parts, "")
				continue
			}
			parts = append(parts, scriptText(&v.Items[i]))
		}
		return strings.Join(parts, ",")
	case definition.Map:
		return "[object Object]"
	case definition.Null:
		return ""
	}
	return v.Text
}

// lower returns a sentence with a lowercase first letter and without the final period.
func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.TrimSuffix(strings.ToLower(s[:1])+s[1:], ".")
}

// scalar formats a string as a YAML scalar, quoted if it could be misread.
func scalar(s string) string {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return strconv.Quote(s)
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '_' && c != '.') {
			return strconv.Quote(s)
		}
	}
	return s
}
