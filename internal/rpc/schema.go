package rpc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	checkrules "github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/schema"
)

// result is the Go type of a result or of a notification's parameters.
type result struct {
	name string
	of   reflect.Type
}

func results() []result {
	return []result{
		{"open", reflect.TypeFor[Opened]()},
		{"list", reflect.TypeFor[catalog.OverviewJSON]()},
		{"definition", reflect.TypeFor[catalog.DefinitionJSON]()},
		{"load", reflect.TypeFor[definition.Result]()},
		{"loadSkill", reflect.TypeFor[catalog.LoadedSkill]()},
		{"render", reflect.TypeFor[definition.Rendering]()},
		{"listing", reflect.TypeFor[catalog.Listing]()},
		{"instructions", reflect.TypeFor[instructions.Instructions]()},
		{"prompt", reflect.TypeFor[prompt.Prompt]()},
		{"agentOptions", reflect.TypeFor[AgentOptions]()},
		{"sessionConfig", reflect.TypeFor[SessionOptions]()},
		{"search", reflect.TypeFor[Found]()},
		{"explain", reflect.TypeFor[explain.Explanation]()},
		{"check", reflect.TypeFor[check.Report]()},
		{"audit", reflect.TypeFor[scan.Report]()},
		{"changed", reflect.TypeFor[Changed]()},
	}
}

// ResultNames returns the names that [ResultSchema] accepts.
func ResultNames() []string {
	var names []string
	for _, r := range results() {
		names = append(names, r.name)
	}
	return names
}

// ResultSchema returns a result's JSON Schema. ok is false if the name is unknown. A result may
// have members that are not in the schema, because later versions may add members.
func ResultSchema(name string) (schema []byte, ok bool) {
	i := slices.IndexFunc(results(), func(r result) bool { return r.name == name })
	if i < 0 {
		return nil, false
	}
	s := schemas{names: names(), defs: map[string]*jsonschema.Schema{}, written: writtenOtherwise()}
	root := s.reference(results()[i].of)
	root.Schema, root.Title, root.Defs = "https://json-schema.org/draft/2020-12/schema", "Result of "+name+" in vade rpc", s.defs
	data, err := jsonc.Marshal(root, "  ")
	if err != nil {
		panic(err)
	}
	return data, true
}

// names maps Go types to their schema names. It contains the results and the types whose Go name
// alone would be ambiguous. Other types use their Go name.
func names() map[reflect.Type]string {
	names := map[reflect.Type]string{
		reflect.TypeFor[definition.Error]():   "LoadError",
		reflect.TypeFor[checkrules.Finding](): "CheckFinding",
		reflect.TypeFor[scan.Finding]():       "AuditFinding",
		reflect.TypeFor[scan.Package]():       "AuditPackage",
		reflect.TypeFor[scan.Skipped]():       "AuditSkipped",
		reflect.TypeFor[scan.Summary]():       "AuditSummary",
		reflect.TypeFor[prompt.Part]():        "PromptPart",
		reflect.TypeFor[explain.Host]():       "ExplainedHost",
	}
	for _, r := range results() {
		names[r.of] = upper(r.name)
	}
	return names
}

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// writtenOtherwise returns the schemas for types whose JSON form cannot be derived from their Go
// fields.
func writtenOtherwise() map[reflect.Type]*jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	words := func(list ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: list} }
	var kinds []any
	for _, k := range definition.Kinds {
		kinds = append(kinds, k.String())
	}
	pair := &jsonschema.Schema{Type: "array", PrefixItems: []*jsonschema.Schema{text, text}, MinItems: new(2), MaxItems: new(2)}
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[definition.Kind]():        words(kinds...),
		reflect.TypeFor[definition.State]():       words("loaded", "shadowed", "dropped", "disabled"),
		reflect.TypeFor[definition.Layer]():       text,
		reflect.TypeFor[diag.Severity]():          words("info", "warning", "error"),
		reflect.TypeFor[rules.Severity]():         words("clean", "inform", "review", "block"),
		reflect.TypeFor[rules.Confidence]():       text,
		reflect.TypeFor[definition.Message]():     pair,
		reflect.TypeFor[definition.Frontmatter](): {Type: "object"},
		reflect.TypeFor[json.RawMessage]():        {},
		// The schema lists no members, because the request's base options may replace any of them.
		reflect.TypeFor[export.SDKOptions](): {Type: "object"},
	}
}

// schemas collects the schemas for Go types by name.
type schemas struct {
	names   map[reflect.Type]string
	defs    map[string]*jsonschema.Schema
	written map[reflect.Type]*jsonschema.Schema
}

// reference adds a struct type's schema and returns a reference to it.
func (s *schemas) reference(t reflect.Type) *jsonschema.Schema {
	if t == reflect.TypeFor[catalog.Definition]() {
		t = reflect.TypeFor[catalog.DefinitionJSON]()
	}
	name := s.names[t]
	if name == "" {
		name = upper(t.Name())
	}
	if s.defs[name] == nil {
		s.defs[name] = &jsonschema.Schema{}
		s.defs[name] = s.of(t)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// of returns a struct type's schema.
func (s *schemas) of(t reflect.Type) *jsonschema.Schema {
	known := map[reflect.Type]*jsonschema.Schema{}
	for of, written := range s.written {
		known[of] = written
	}
	for _, f := range reflect.VisibleFields(t) {
		if inner := element(f.Type); inner.Kind() == reflect.Struct && !f.Anonymous && f.IsExported() && s.written[inner] == nil &&
			f.Tag.Get("json") != "-" {
			known[inner] = s.reference(inner)
		}
	}
	made, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		panic(fmt.Sprintf("rpc: the result type %v has no schema: %v", t, err))
	}
	schema.Tidy(made)
	return made
}

// element returns the element type of a list, map or pointer, at any depth.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]() ||
		t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}
