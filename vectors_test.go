package vade_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const vectorDir = "vectors/claude-code"

// TestVectorsAreValid validates every vector against the published schema, and checks what a
// schema cannot express.
func TestVectorsAreValid(t *testing.T) {
	schema := readObject(t, "vectors/schema.json")
	names, err := filepath.Glob(filepath.Join(vectorDir, "*.json"))
	must(t, err)
	recorded, derived := map[string]bool{}, 0
	for _, name := range names {
		recorded[strings.TrimSuffix(filepath.Base(name), ".json")] = readObject(t, name)["origin"] == "recorded"
	}
	for _, name := range names {
		vector := readObject(t, name)
		for _, problem := range validate(schema, schema, vector, "") {
			t.Errorf("%s: %s", name, problem)
		}
		id := strings.TrimSuffix(filepath.Base(name), ".json")
		if vector["id"] != id {
			t.Errorf("%s has the id %v", name, vector["id"])
		}
		follows, _ := vector["follows"].([]any)
		for _, other := range follows {
			if !recorded[fmt.Sprint(other)] && !recordedElsewhere(fmt.Sprint(other)) {
				t.Errorf("%s follows %v, which is no recorded vector", name, other)
			}
		}
		if isDerived := vector["origin"] == "derived"; isDerived != (len(follows) > 0) {
			t.Errorf("%s: a derived case, and no other, says which ones it follows from", name)
		} else if isDerived {
			derived++
		}
	}
	if n := len(names) - derived; n < 90 || derived < 25 {
		t.Errorf("there are %d recorded vectors and %d derived ones", n, derived)
	}
}

// recordedElsewhere reports whether a case was recorded but is too long to be a vector.
func recordedElsewhere(id string) bool { return clientsOwn[id] != "" || id == "m54-agent-fields" }

// TestVectorsMatchRecordings compares the vectors that are marked as recorded
// against the recordings.
func TestVectorsMatchRecordings(t *testing.T) {
	fill := filler("/w/proj", "/w/home", session).Replace
	originals := recordings(t, "claude-code")
	for _, v := range casesIn(t, vectorDir) {
		if v.Origin != "recorded" {
			continue
		}
		i := slices.IndexFunc(originals, func(r recording) bool { return r.ID == v.ID })
		if i < 0 {
			t.Errorf("%s was not recorded", v.ID)
			continue
		}
		o := originals[i]
		o.Also, o.Origin, o.Needs, o.Vade, o.Library = v.Also, v.Origin, v.Needs, v.Vade, v.Library
		if o.Expect88 != nil && v.Expect88 != nil && o.Expect88.Requests == 0 {
			// Recordings from the old version have no request count.
			o.Expect88.Requests = v.Expect88.Requests
		}
		if diff := cmp.Diff(filled(t, o, fill), filled(t, v, fill)); diff != "" {
			t.Errorf("%s (- recording, + vector):\n%s", v.ID, diff)
		}
	}
}

// filled returns a case as text, with the placeholders filled in.
func filled(t *testing.T, r recording, fill func(string) string) string {
	t.Helper()
	files := map[string]string{}
	for name, raw := range r.Files {
		files[name] = string(content(t, raw))
	}
	r.Files, r.Script = nil, json.RawMessage(strings.Join(strings.Fields(string(r.Script)), " "))
	if len(r.Script) == 0 {
		r.Script = json.RawMessage("null")
	}
	data, err := json.MarshalIndent([]any{r, files}, "", " ")
	must(t, err)
	return fill(string(data))
}

// TestVectorsNameDifferences compares the differences listed in the vectors
// against the suite's tables.
func TestVectorsNameDifferences(t *testing.T) {
	named := map[string]map[string]string{}
	for _, v := range casesIn(t, vectorDir) {
		if v.Vade != nil {
			named[v.ID] = v.Vade
		}
	}
	want := map[string]map[string]string{}
	for id, d := range different {
		if _, err := os.Stat(filepath.Join(vectorDir, id+".json")); err != nil {
			continue // a recorded case that is not a vector
		}
		want[id] = map[string]string{}
		for _, version := range d.versions {
			want[id][version] = d.code
		}
	}
	for id := range oldOrder {
		want[id] = map[string]string{oldVersion: "order"}
	}
	if diff := cmp.Diff(want, named); diff != "" {
		t.Errorf("- the suite, + the vectors:\n%s", diff)
	}
}

// TestVectorsNameTheLibrary checks which vectors are marked as needing the library. These must be
// exactly the ones that the command line cannot run: it cannot configure a prompt server, and it
// cannot pass earlier messages, which matter if a skill is invoked twice.
func TestVectorsNameTheLibrary(t *testing.T) {
	for _, v := range casesIn(t, vectorDir) {
		calls := 0
		for _, s := range v.steps(t, strings.Clone) {
			if s.Tool == "Skill" {
				calls++
			}
		}
		again := calls > 1 && slices.ContainsFunc(v.Expect.Rendered, func(m [2]packedText) bool {
			return strings.Contains(string(m[1]), "already loaded")
		})
		if need := v.MCP || again; need != v.Library {
			t.Errorf("%s needs the library: %v, and says %v", v.ID, need, v.Library)
		}
	}
}

// TestVectorsCountRequests checks that a vector without requests does not expect anything to be
// sent, and that a vector with requests expects rendered messages.
func TestVectorsCountRequests(t *testing.T) {
	none := 0
	for _, v := range casesIn(t, vectorDir) {
		for _, e := range []*expectation{&v.Expect, v.Expect88} {
			switch {
			case e == nil:
			case e.Requests > 0:
				if len(e.Rendered) == 0 {
					t.Errorf("%s sends %d requests with nothing in them", v.ID, e.Requests)
				}
			case len(e.Rendered)+len(e.Listing)+len(e.Agents)+len(e.Attached) > 0:
				t.Errorf("%s sends no request, and something in it", v.ID)
			default:
				none++
			}
		}
	}
	if none < 15 {
		t.Errorf("only %d runs end without a request", none)
	}
}

// TestDeliberatelyDifferent compares the user documentation against the suite's table.
func TestDeliberatelyDifferent(t *testing.T) {
	page, err := os.ReadFile("docs/hosts/claude-code.md")
	must(t, err)
	_, section, found := strings.Cut(string(page), "\n## Deliberate differences\n")
	if !found {
		t.Fatal("the page has no section on what is deliberately different")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var ids []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			ids = append(ids, strings.Trim(strings.TrimSpace(cells[1]), "`"))
		}
	}
	slices.Sort(ids)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(different)), ids); diff != "" {
		t.Errorf("- the suite, + docs/hosts/claude-code.md:\n%s", diff)
	}
}

// TestPageNamesCases checks that every case named in the user documentation exists.
func TestPageNamesCases(t *testing.T) {
	page, err := os.ReadFile("docs/hosts/claude-code.md")
	must(t, err)
	var ids []string
	for _, r := range conformanceCases(t) {
		ids = append(ids, r.ID)
	}
	named := 0
	for _, ref := range regexp.MustCompile("`([adefmsv][0-9]{2})`").FindAllStringSubmatch(string(page), -1) {
		named++
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, ref[1]+"-") }) {
			// The longest recordings are not part of this repository.
			if !slices.Contains([]string{"m23", "m50", "m51", "m54", "m60"}, ref[1]) {
				t.Errorf("the page refers to the case %s, which does not exist", ref[1])
			}
		}
	}
	if named < 50 {
		t.Errorf("the page refers to %d cases", named)
	}
}

func readObject(t *testing.T, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// validate checks a value against the subset of JSON Schema that the vectors' schema uses. It
// rejects schemas that use any other feature.
func validate(root, schema map[string]any, value any, at string) []string {
	var problems []string
	wrong := func(format string, args ...any) {
		problems = append(problems, at+": "+fmt.Sprintf(format, args...))
	}
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		rule := schema[key]
		switch key {
		case "$schema", "$defs", "title", "description", "properties", "prefixItems":
		case "$ref":
			name := strings.TrimPrefix(rule.(string), "#/$defs/")
			problems = append(problems, validate(root, root["$defs"].(map[string]any)[name].(map[string]any), value, at)...)
		case "type":
			if typeOf(value) != rule {
				wrong("is %s, not %v", typeOf(value), rule)
			}
		case "enum":
			if !slices.Contains(rule.([]any), value) {
				wrong("%v is none of %v", value, rule)
			}
		case "pattern":
			if text, ok := value.(string); ok && !regexp.MustCompile(rule.(string)).MatchString(text) {
				wrong("%q does not match %v", text, rule)
			}
		case "required":
			object, _ := value.(map[string]any)
			for _, name := range rule.([]any) {
				if _, ok := object[name.(string)]; !ok {
					wrong("has no %v", name)
				}
			}
		case "oneOf":
			fits := 0
			for _, one := range rule.([]any) {
				if len(validate(root, one.(map[string]any), value, at)) == 0 {
					fits++
				}
			}
			if fits != 1 {
				wrong("fits %d of the possible forms", fits)
			}
		case "minItems", "maxItems":
			if list, ok := value.([]any); ok && (key == "minItems" && len(list) < int(rule.(float64)) || key == "maxItems" && len(list) > int(rule.(float64))) {
				wrong("has %d entries", len(list))
			}
		case "items":
			list, _ := value.([]any)
			prefix, _ := schema["prefixItems"].([]any)
			for i, entry := range list {
				one := rule
				if i < len(prefix) {
					one = prefix[i]
				}
				problems = append(problems, validate(root, one.(map[string]any), entry, fmt.Sprintf("%s[%d]", at, i))...)
			}
		case "additionalProperties":
			object, _ := value.(map[string]any)
			known, _ := schema["properties"].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(object)) {
				one, ok := known[name].(map[string]any)
				if !ok {
					one, ok = rule.(map[string]any)
				}
				if !ok {
					wrong("has the unknown field %s", name)
					continue
				}
				problems = append(problems, validate(root, one, object[name], at+"."+name)...)
			}
		default:
			wrong("the schema uses %s, which this test does not know", key)
		}
	}
	return problems
}

func typeOf(value any) string {
	switch v := value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == float64(int(v)) {
			return "integer"
		}
		return "number"
	}
	return "null"
}

// TestVectorsSchemaRejects checks that the validator in this file detects errors.
func TestVectorsSchemaRejects(t *testing.T) {
	schema := readObject(t, "vectors/schema.json")
	const good = `{"id":"x","host":"claude-code","version":"1.2","origin":"derived","rule":"It is.","prompt":"hi","files":{"a":"b"},
		"expect":{"listing":[],"agents":[],"attached":[],"rendered":[["user","hi"]],"result":"","requests":1}}`
	for name, c := range map[string]struct{ old, new string }{
		"":                    {`"id"`, `"id"`},
		"a missing field":     {`"prompt":"hi",`, ``},
		"an unknown field":    {`"prompt"`, `"promptt":"","prompt"`},
		"no count":            {`,"requests":1`, ``},
		"no difference":       {`"prompt"`, `"vade":{"1.2":"BASH"},"prompt"`},
		"a wrong type":        {`"prompt":"hi"`, `"prompt":1`},
		"an unknown word":     {`"derived"`, `"guessed"`},
		"a pattern":           {`"It is."`, `"it is"`},
		"content of no form":  {`{"a":"b"}`, `{"a":{"hex":"00"}}`},
		"a role":              {`["user"`, `["model"`},
		"a message too long":  {`["user","hi"]`, `["user","hi","there"]`},
		"a message too short": {`["user","hi"]`, `["user"]`},
	} {
		var vector any
		must(t, json.Unmarshal([]byte(strings.Replace(good, c.old, c.new, 1)), &vector))
		if problems := validate(schema, schema, vector, ""); (len(problems) > 0) != (name != "") {
			t.Errorf("%s: %v", name, problems)
		}
	}
}
