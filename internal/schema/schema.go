// Package schema converts a host's frontmatter tables to JSON Schemas (draft 2020-12), for editors
// and for tests. Definitions are parsed using the same tables. The package also improves the
// schemas generated for command results.
package schema

import (
	"encoding/json"
	"fmt"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// node is a JSON Schema. Its fields are in output order.
type node struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Comment     string     `json:"$comment,omitempty"`
	Type        any        `json:"type,omitempty"`
	Enum        []any      `json:"enum,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	MinLength   int        `json:"minLength,omitempty"`
	MaxLength   int        `json:"maxLength,omitempty"`
	Minimum     int        `json:"minimum,omitempty"`
	AnyOf       []*node    `json:"anyOf,omitempty"`
	Items       *node      `json:"items,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	// Additional is a schema for other members, or false if there must not be any.
	Additional any `json:"additionalProperties,omitempty"`
}

// properties is a list of properties in table order.
type properties []property

type property struct {
	key  string
	node *node
}

// MarshalJSON encodes the properties as an object, in order.
func (p properties) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, one := range p {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(one.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.node)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

// Of returns the schema for the frontmatter of one kind of definition as a host reads it, indented
// and with a trailing newline. Equal inputs produce equal output. Of returns an error if the host
// does not support the kind or does not read its frontmatter.
func Of(p *host.Profile, k definition.Kind) ([]byte, error) {
	rules := p.Table(k)
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s does not read frontmatter in %ss", p.Name, k)
	}
	whole := &node{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		ID:     "urn:vade:schema:" + p.Name + ":" + k.String(),
		Title:  title(p, k),
		Type:   "object",
	}
	if p.IsClosed(k) {
		whole.Additional = false
	}
	for i := range rules {
		rule := &rules[i]
		field := value(p.Name, rule)
		if rule.Field == definition.FieldHooks && p.Hooks != nil {
			field.Properties, field.Additional = events(p.Hooks), false
		}
		whole.Properties = append(whole.Properties, property{rule.Key, field})
		switch {
		case !rule.Required, rule.InTOML:
		case rule.Unless != "":
			filled := properties{{rule.Key, &node{Pattern: `\S`}}}
			whole.AnyOf = []*node{{Required: []string{rule.Key}, Properties: filled}, {Required: []string{rule.Unless}}}
			field.Pattern, field.MinLength = "", 0
		default:
			whole.Required = append(whole.Required, rule.Key)
		}
	}
	return jsonc.Marshal(whole, "  ")
}

func title(p *host.Profile, k definition.Kind) string {
	kind := k.String()
	if p.Fields == nil {
		return "The frontmatter of " + chars.WithArticle(kind) + ", as Vade reads it"
	}
	return "The frontmatter of " + chars.WithArticle(kind) + ", as " + p.Name + " " + p.Version + " reads it"
}

// events returns the schemas for the members of a hooks map.
func events(rules *host.HookRules) properties {
	var all properties
	for _, name := range rules.Events {
		all = append(all, property{name, &node{Type: "array"}})
	}
	for _, name := range rules.Settings {
		all = append(all, property{name, &node{}})
	}
	return all
}

// value returns the schema for one field.
func value(name string, rule *host.FieldRule) *node {
	n := &node{Title: rule.Key, Description: about(name, rule), Comment: "basis: " + rule.Basis.String()}
	if rule.Takes == host.TakesAny {
		return n
	}
	types := typesOf(rule.Takes)
	if rule.Required && !rule.Blank {
		types = typesOf(rule.Takes &^ host.TakesNull)
	}
	if rule.Whole {
		types = replace(types, "number", "integer")
		n.Minimum = 1
	}
	n.Type = one(types)
	if rule.Required && !rule.Blank || rule.Filled {
		n.MinLength = 1
	}
	n.MaxLength = rule.Max
	switch {
	case rule.Words != nil:
		n.Enum = words(rule)
		n.Type = nil
	case rule.Pattern != "":
		// The loader trims whitespace before it matches the pattern.
		pattern, exact := portable(rule.Pattern)
		n.Pattern = `^\s*(` + pattern + `)` + optional(rule) + `\s*$`
		if !exact {
			n.Description += " The schema accepts all non-ASCII characters in this field."
		}
	case rule.Whole:
		n.Pattern = `^\s*[0-9]*[1-9][0-9]*\s*$`
	case rule.Required && !rule.Blank, rule.Filled:
		n.Pattern = `\S`
	}
	if n.Type != nil && rule.Takes&host.TakesText == 0 {
		n.Pattern, n.MinLength = "", 0
	}
	if rule.Items != 0 {
		items := &node{Type: one(typesOf(rule.Items))}
		if rule.Pattern != "" && rule.Takes&host.TakesText == 0 {
			pattern, _ := portable(rule.Pattern)
			items.Pattern = "^(" + pattern + ")$"
		}
		if rule.Takes&host.TakesList != 0 {
			n.Items = items
		}
		switch {
		case rule.Takes&host.TakesMap == 0:
		case rule.ItemKey != "":
			n.Properties = properties{{rule.ItemKey, items}}
		default:
			n.Additional = items
		}
	}
	return n
}

// optional returns a regular expression suffix that makes a pattern also match an empty string, if
// the host treats an empty value as absent. Otherwise, it returns "".
func optional(rule *host.FieldRule) string {
	if rule.Required || rule.Filled {
		return ""
	}
	return "?"
}

// words returns a field's valid values, including non-strings if the field accepts their type.
func words(rule *host.FieldRule) []any {
	var all []any
	for _, w := range rule.Words {
		all = append(all, w)
	}
	if rule.Takes&host.TakesBool != 0 {
		all = append(all, true, false)
	}
	if rule.Takes&host.TakesNull != 0 {
		all = append(all, nil)
	}
	return all
}

// about describes a field. The description says how the host called name treats invalid values.
func about(name string, rule *host.FieldRule) string {
	text := rule.About
	switch {
	case rule.Inert:
		return text + " " + name + " ignores it."
	case rule.Max > 0:
		text += fmt.Sprintf(" At most %d characters; longer values %s.", rule.Max, outcome(rule.Long))
	}
	if (rule.Words != nil || rule.Pattern != "") && rule.Bad != rule.Long {
		text += " Invalid values " + outcome(rule.Bad) + "."
	}
	return text
}

func outcome(o host.Outcome) string {
	switch o {
	case host.Drops:
		return "make the host ignore the file"
	case host.Cuts:
		return "are truncated"
	case host.Warns:
		return "cause a warning"
	}
	return "are ignored"
}

func typesOf(t host.ValueType) []string {
	var types []string
	for _, v := range [...]struct {
		bit  host.ValueType
		word string
	}{
		{host.TakesText, "string"},
		{host.TakesNumber, "number"},
		{host.TakesBool, "boolean"},
		{host.TakesList, "array"},
		{host.TakesMap, "object"},
		{host.TakesNull, "null"},
	} {
		if t&v.bit != 0 {
			types = append(types, v.word)
		}
	}
	return types
}

func replace(list []string, old, with string) []string {
	for i := range list {
		if list[i] == old {
			list[i] = with
		}
	}
	return list
}

// one returns the list itself or, if it contains only one type, that type.
func one(types []string) any {
	if len(types) == 1 {
		return types[0]
	}
	return types
}

// Kinds returns the kinds whose frontmatter a host reads.
func Kinds(p *host.Profile) []definition.Kind {
	var kinds []definition.Kind
	for _, k := range definition.Kinds {
		if len(p.Table(k)) > 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
