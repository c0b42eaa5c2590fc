package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/schema"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden compares every schema byte by byte.
func TestGolden(t *testing.T) {
	wanted := map[string]bool{}
	for _, p := range registry.Profiles() {
		for _, k := range schema.Kinds(p) {
			got, err := schema.Of(p, k)
			if err != nil {
				t.Errorf("%s %s: %v", p.Name, k, err)
				continue
			}
			again, _ := schema.Of(p, k)
			if !bytes.Equal(got, again) {
				t.Errorf("%s %s: the output is not deterministic", p.Name, k)
			}
			name := p.Name + "-" + k.String() + ".json"
			wanted[name] = true
			file := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%v; write it with -update", err)
				continue
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !wanted[filepath.Base(f)] {
			t.Errorf("%s does not belong to a schema", f)
		}
	}
}

// resolved returns a schema as parsed by another library.
func resolved(t *testing.T, p *host.Profile, k definition.Kind) *jsonschema.Resolved {
	t.Helper()
	data, err := schema.Of(p, k)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatalf("%s %s: %v", p.Name, k, err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("%s %s: %v", p.Name, k, err)
	}
	return r
}

// keywords maps each draft 2020-12 keyword that the schemas use to a function that checks the type
// of its value.
var keywords = map[string]func(any) bool{
	"$schema": isText, "$id": isText, "$comment": isText, "title": isText, "description": isText, "pattern": isText,
	"type": func(v any) bool {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, one := range list {
			switch one {
			case "string", "number", "integer", "boolean", "array", "object", "null":
			default:
				return false
			}
		}
		return len(list) > 0
	},
	"enum": isList, "required": isList,
	"minLength": isCount, "maxLength": isCount, "minimum": isCount,
}

func isText(v any) bool { s, ok := v.(string); return ok && s != "" }

func isList(v any) bool { l, ok := v.([]any); return ok && len(l) > 0 }

func isCount(v any) bool { n, ok := v.(float64); return ok && n >= 0 && n == float64(int(n)) }

// checkForm checks a schema against the meta-schema's rules for the keywords in use.
func checkForm(t *testing.T, where string, v any) {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Errorf("%s is not a schema: %v", where, v)
		return
	}
	for key, value := range m {
		switch key {
		case "properties":
			all, ok := value.(map[string]any)
			if !ok {
				t.Errorf("%s: properties is not an object", where)
			}
			for name, one := range all {
				checkForm(t, where+"/"+name, one)
			}
		case "items":
			checkForm(t, where+"/items", value)
		case "additionalProperties":
			if value != false {
				checkForm(t, where+"/additionalProperties", value)
			}
		case "anyOf":
			list, ok := value.([]any)
			if !ok || len(list) == 0 {
				t.Errorf("%s: anyOf is not a list", where)
			}
			for _, one := range list {
				checkForm(t, where+"/anyOf", one)
			}
		default:
			if check := keywords[key]; check == nil || !check(value) {
				t.Errorf("%s: %s is %v", where, key, value)
			}
		}
	}
}

func TestForm(t *testing.T) {
	for _, p := range registry.Profiles() {
		for _, k := range schema.Kinds(p) {
			resolved(t, p, k)
			data, _ := schema.Of(p, k)
			var v map[string]any
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			checkForm(t, p.Name+" "+k.String(), v)
			if want := "urn:vade:schema:" + p.Name + ":" + k.String(); v["$id"] != want {
				t.Errorf("the $id is %v, not %s", v["$id"], want)
			}
			if strings.Contains(string(data), "http://") || strings.Count(string(data), "https://") != 1 {
				t.Errorf("%s %s contains a URL other than the draft's", p.Name, k)
			}
		}
	}
}

// TestTables checks the requirements for every row in a table.
func TestTables(t *testing.T) {
	for _, p := range registry.Profiles() {
		for _, k := range definition.Kinds {
			seen := map[string]bool{}
			for _, r := range p.Table(k) {
				where := p.Name + " " + k.String() + " " + r.Key
				switch {
				case r.Key == "", r.Takes == 0, r.About == "", r.Basis == 0:
					t.Errorf("%s: the key, types, text or basis is missing", where)
				case seen[r.Key]:
					t.Errorf("%s is a duplicate", where)
				case !strings.HasSuffix(r.About, ".") && !strings.HasSuffix(r.About, "-"):
					t.Errorf("%s: %q is not a sentence", where, r.About)
				case r.Inert && r.Takes != host.TakesAny:
					t.Errorf("%s: the host ignores it, whatever its value", where)
				case r.Max == 0 && (r.Long != 0 || r.Mark != ""), r.Words == nil && r.Pattern == "" && r.Bad != 0:
					t.Errorf("%s: an outcome has no condition", where)
				}
				seen[r.Key] = true
			}
		}
	}
}

func TestNoKind(t *testing.T) {
	p, _ := registry.Lookup("codex")
	if data, err := schema.Of(p, definition.Instruction); err == nil {
		t.Errorf("unexpected schema: %s", data)
	} else if want := "codex does not read frontmatter in instructions"; err.Error() != want {
		t.Errorf("the error is %q, not %q", err, want)
	}
}
