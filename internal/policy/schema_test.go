package policy

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
)

// yamlBlocks returns a document's YAML examples.
func yamlBlocks(doc string) []string {
	var blocks []string
	for _, part := range strings.Split(doc, "```yaml\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, text)
	}
	return blocks
}

func policyDoc(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func schemaValue(t *testing.T) map[string]any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKeysAgree checks that the parser, the schema and the documentation have the same keys.
func TestKeysAgree(t *testing.T) {
	doc, root := policyDoc(t), schemaValue(t)
	props := root["properties"].(map[string]any)
	for _, k := range keys() {
		if props[k] == nil {
			t.Errorf("the schema lacks %s", k)
		}
		if !strings.Contains(doc, "### `"+k+"`\n") {
			t.Errorf("docs/policy.md has no section %s", k)
		}
		if _, diags := parsePolicy(t, definition.User, k+": {}"); slices.Contains(strings.Fields(codesOf(diags)), "POLICY_UNKNOWN_KEY") {
			t.Errorf("the parser lacks %s", k)
		}
	}
	if len(props) != len(keys()) {
		t.Errorf("the schema has %d keys, the parser %d", len(props), len(keys()))
	}
	long := props["allow"].(map[string]any)["items"].(map[string]any)["oneOf"].([]any)[1].(map[string]any)["properties"].(map[string]any)
	trust := props["trust"].(map[string]any)["items"].(map[string]any)["properties"].(map[string]any)
	for _, table := range []struct {
		keys []string
		in   map[string]any
	}{{grantKeys(), long}, {trustKeys(), trust}} {
		for _, k := range table.keys {
			if table.in[k] == nil || !strings.Contains(doc, "`"+k+"`") {
				t.Errorf("%s is not in the schema or the document", k)
			}
		}
		if len(table.in) != len(table.keys) {
			t.Errorf("the schema has other keys than %v", table.keys)
		}
	}
}

// TestSettingsShowDefaults checks that the settings contain every default pattern, because the
// documentation refers readers to "vade policy show" for them.
func TestSettingsShowDefaults(t *testing.T) {
	p, _ := Combine()
	var shown []string
	for _, s := range p.Settings() {
		if s.Key == "protected" {
			shown = append(shown, s.Value)
		}
	}
	for _, pattern := range defaultProtected() {
		if !slices.Contains(shown, pattern) {
			t.Errorf("the settings do not show %s", pattern)
		}
	}
}

// TestExamples checks that both the parser and the schema accept each example in the documentation.
func TestExamples(t *testing.T) {
	blocks := yamlBlocks(policyDoc(t))
	if len(blocks) < 3 {
		t.Fatalf("%d examples found: the test is broken", len(blocks))
	}
	for _, text := range blocks {
		f := clean(t, definition.Managed, text)
		if _, diags := Combine(f); len(diags) > 0 && !strings.Contains(text, "allow-user-grants") {
			t.Errorf("%s\n%v", text, diags)
		}
		if why := validate(t, text); why != "" {
			t.Errorf("the schema refuses %q: %s", text, why)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	for _, text := range []string{
		"shell: on", "denny: []", "deny: [bash(x)]", "allow: [{rul: x}]", "allow: [3]", "timeout: 5", "timeout: soon", "network: yes", "version: 2",
		"trust: [{shell: off}]", "trust: [{mcp: a, plugin: b}]", "env: [A-B]", "write: x", "output: 5GiB",
	} {
		if validate(t, text) == "" {
			t.Errorf("the schema accepts %q", text)
		}
	}
}

// validate checks YAML against the schema and returns the errors.
func validate(t *testing.T, text string) string {
	t.Helper()
	doc, diags := frontmatter.ParseYAML(diag.NewFile("x.yaml", []byte(text)))
	if !doc.Valid {
		t.Fatalf("%q: %v", text, diags)
	}
	root := schemaValue(t)
	v := validator{root: root}
	return v.check(root, definition.Value{Kind: definition.Map, Pairs: doc.Entries})
}

// validator implements the JSON Schema keywords that the policy schema uses.
type validator struct{ root map[string]any }

func (v validator) check(s map[string]any, x definition.Value) string {
	if ref, ok := s["$ref"].(string); ok {
		def := v.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		if why := v.check(def, x); why != "" {
			return why
		}
	}
	for word, arg := range s {
		if why := v.word(s, word, arg, x); why != "" {
			return why
		}
	}
	return ""
}

func (v validator) word(s map[string]any, word string, arg any, x definition.Value) string {
	switch word {
	case "type":
		list, ok := arg.([]any)
		if !ok {
			list = []any{arg}
		}
		if !slices.Contains(list, any(jsonType(x))) {
			return x.Text + " is of type " + jsonType(x)
		}
	case "const":
		if n, ok := arg.(float64); !ok || x.Text != strconv.Itoa(int(n)) {
			return x.Text + " is another constant"
		}
	case "enum":
		if x.Kind != definition.String || !slices.Contains(arg.([]any), any(x.Text)) {
			return x.Text + " is none of the values"
		}
	case "pattern":
		if x.Kind == definition.String && !regexp.MustCompile(arg.(string)).MatchString(x.Text) {
			return x.Text + " does not match"
		}
	case "minLength":
		if x.Kind == definition.String && x.Text == "" {
			return "empty"
		}
	case "items":
		for _, item := range x.Items {
			if why := v.check(arg.(map[string]any), item); why != "" {
				return why
			}
		}
	case "required":
		for _, k := range arg.([]any) {
			if !slices.ContainsFunc(x.Pairs, func(e definition.Entry) bool { return e.Key == k }) {
				return k.(string) + " is missing"
			}
		}
	case "oneOf":
		n := 0
		for _, option := range arg.([]any) {
			if v.check(option.(map[string]any), x) == "" {
				n++
			}
		}
		if n != 1 {
			return strconv.Itoa(n) + " of the options fit"
		}
	case "properties":
		return v.properties(s, arg.(map[string]any), x)
	}
	return ""
}

func (v validator) properties(s, props map[string]any, x definition.Value) string {
	for _, e := range x.Pairs {
		sub, ok := props[e.Key].(map[string]any)
		if !ok {
			if s["additionalProperties"] == false {
				return e.Key + " is not known"
			}
			continue
		}
		if why := v.check(sub, e.Value); why != "" {
			return e.Key + ": " + why
		}
	}
	return ""
}

func jsonType(x definition.Value) string {
	switch x.Kind {
	case definition.Map:
		return "object"
	case definition.List:
		return "array"
	case definition.Bool:
		return "boolean"
	case definition.Number:
		return "integer"
	case definition.Null:
		return "null"
	}
	return "string"
}
