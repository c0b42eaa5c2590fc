package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// shaped converts a value to a type that the rule allows, or explains why it cannot.
func shaped(r *host.FieldRule, field definition.Field, v definition.Value) (out definition.Value, problem string) {
	if field != 0 && field.Shape() == definition.Flag {
		if on, bad := frontmatter.Bool(v); bad == "" && r.Takes&host.TakesBool != 0 {
			return definition.BoolValue(on), ""
		}
	}
	if field == definition.FieldMaxTurns && v.Kind == definition.String && r.Takes&host.TakesNumber != 0 &&
		isWhole(strings.TrimSpace(v.Text)) {
		v = definition.Value{Kind: definition.Number, Text: strings.TrimSpace(v.Text), Plain: true}
	}
	if r.Takes&host.TakesKind(v.Kind) == 0 {
		switch scalar := v.Kind != definition.List && v.Kind != definition.Map; {
		case scalar && r.Takes&host.TakesText != 0:
			v = definition.StringValue(v.Text)
		case scalar && r.Takes&host.TakesNumber != 0 && isNumber(v.Text):
			v = definition.Value{Kind: definition.Number, Text: strings.TrimSpace(v.Text), Plain: true}
		case scalar && r.Takes&host.TakesList != 0:
			words, _ := frontmatter.Strings(v)
			v = definition.ListValue(words)
		case v.Kind == definition.List && field == definition.FieldArgumentHint:
			hint, _ := frontmatter.Hint(v)
			v = definition.StringValue(hint)
		case v.Kind == definition.List && r.Takes&host.TakesText != 0:
			words, _ := frontmatter.Strings(v)
			v = definition.StringValue(strings.Join(words, ", "))
		default:
			return v, "cannot be a " + v.Kind.String()
		}
	} else if field == definition.FieldArgumentHint && v.Kind != definition.String {
		hint, _ := frontmatter.Hint(v)
		v = definition.StringValue(hint)
	}
	for i := range v.Items {
		if r.Items != 0 && r.Items&host.TakesKind(v.Items[i].Kind) == 0 {
			return v, "cannot hold a " + v.Items[i].Kind.String()
		}
	}
	for i := range v.Pairs {
		if r.Items != 0 && r.Items&host.TakesKind(v.Pairs[i].Value.Kind) == 0 {
			return v, "cannot hold a " + v.Pairs[i].Value.Kind.String()
		}
	}
	return v, wrong(r, &v)
}

// wrong describes what is wrong with a value's text. It returns "" if the text is valid.
func wrong(r *host.FieldRule, v *definition.Value) string {
	if v.Kind == definition.List || v.Kind == definition.Map {
		return ""
	}
	switch s := strings.TrimSpace(v.Text); {
	case v.Kind == definition.String && r.Words != nil && !slices.Contains(r.Words, s):
		return fmt.Sprintf("cannot be %q", s)
	case r.Pattern != "" && v.Kind != definition.Bool && !matches(r.Pattern, s):
		return fmt.Sprintf("cannot be %q", s)
	case r.TooLong(s):
		return fmt.Sprintf("is longer than %d characters", r.Max)
	case r.Whole && !isWhole(s):
		return fmt.Sprintf("cannot be %q", s)
	}
	return ""
}

func isWhole(s string) bool { n, err := strconv.Atoi(s); return err == nil && n > 0 }

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil && !strings.ContainsAny(s, "xXpPnN_")
}
