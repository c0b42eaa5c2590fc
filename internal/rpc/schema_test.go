package rpc_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/vadehq/vade/internal/rpc"
)

var update = flag.Bool("update", false, "write the types of the clients")

func schemaOf(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	data, ok := rpc.ResultSchema(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// validate returns an error if a value contradicts a result's schema or has
// members that are not in the schema.
func validate(t testing.TB, name string, value json.RawMessage) error {
	t.Helper()
	s := schemaOf(t, name)
	for _, def := range s.Defs {
		def.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(v)
}

// TestTypesOfClients checks the clients' types against the result schemas. With -update, it writes
// the types first.
func TestTypesOfClients(t *testing.T) {
	all := map[string]*jsonschema.Schema{}
	texts := map[string]string{}
	for _, name := range rpc.ResultNames() {
		for def, s := range schemaOf(t, name).Defs {
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if texts[def] != "" && texts[def] != string(text) {
				t.Errorf("two types are called %s: name one in names", def)
			}
			all[def], texts[def] = s, string(text)
		}
	}
	for file, text := range map[string]string{
		"../../clients/typescript/results.d.ts": typescript(all),
		"../../clients/python/vade/results.py":  python(all),
	} {
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil || string(have) != text {
			t.Errorf("%s differs from the results (%v): run go test ./internal/rpc -run TestTypesOfClients -update", file, err)
		}
	}
}

// required reports whether an object always has the named member.
func required(s *jsonschema.Schema, name string) bool { return slices.Contains(s.Required, name) }

// members returns an object's member names. JSON objects are unordered, so
// required members come first and each group is sorted.
func members(s *jsonschema.Schema) []string {
	return slices.SortedFunc(maps.Keys(s.Properties), func(a, b string) int {
		if required(s, a) != required(s, b) {
			return map[bool]int{true: -1, false: 1}[required(s, a)]
		}
		return cmp.Compare(a, b)
	})
}

// typescript returns TypeScript declarations for all types.
func typescript(all map[string]*jsonschema.Schema) string {
	var b strings.Builder
	b.WriteString("// Types of the results of vade rpc, generated from Go by internal/rpc/schema_test.go. Do not edit.\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		fmt.Fprintf(&b, "\nexport interface %s {\n", name)
		for _, m := range members(s) {
			mark := "?"
			if required(s, m) {
				mark = ""
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", m, mark, typescriptType(s.Properties[m]))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func typescriptType(s *jsonschema.Schema) string {
	switch {
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, "#/$defs/")
	case len(s.AnyOf) > 0:
		return typescriptType(s.AnyOf[0]) + " | null"
	case len(s.PrefixItems) > 0:
		return "[string, string]"
	case len(s.Enum) > 0:
		var words []string
		for _, w := range s.Enum {
			words = append(words, fmt.Sprintf("%q", w))
		}
		return strings.Join(words, " | ")
	}
	switch s.Type {
	case "string", "boolean":
		return s.Type
	case "integer", "number":
		return "number"
	case "array":
		if of := typescriptType(s.Items); !strings.Contains(of, " ") {
			return of + "[]"
		} else {
			return "Array<" + of + ">"
		}
	case "object":
		if s.AdditionalProperties != nil {
			return "Record<string, " + typescriptType(s.AdditionalProperties) + ">"
		}
		return "Record<string, unknown>"
	}
	return "unknown"
}

// python returns Python declarations for all types. Required and optional members are in separate
// classes, because Python 3.9 does not have NotRequired. If a member's name is a Python keyword,
// the class uses the functional syntax.
func python(all map[string]*jsonschema.Schema) string {
	var b strings.Builder
	b.WriteString(`"""Types of the results of vade rpc, generated from Go by internal/rpc/schema_test.go. Do not edit."""

from typing import Any, Literal, Optional, TypedDict
`)
	written := map[string]bool{}
	var write func(name string)
	write = func(name string) {
		if written[name] {
			return
		}
		written[name] = true
		s := all[name]
		var base, own []string
		for _, m := range members(s) {
			// The functional form evaluates types, so they must be declared first.
			for _, ref := range references(s.Properties[m]) {
				write(ref)
			}
			line := fmt.Sprintf("    %q: %s,\n", m, pythonType(s.Properties[m]))
			if required(s, m) {
				base = append(base, line)
			} else {
				own = append(own, line)
			}
		}
		parent := "TypedDict"
		if len(own) == 0 {
			fmt.Fprintf(&b, "\n%s = TypedDict(%q, {\n%s})\n", name, name, strings.Join(base, ""))
			return
		}
		if len(base) > 0 {
			parent = "_" + name
			fmt.Fprintf(&b, "\n%s = TypedDict(%q, {\n%s})\n", parent, parent, strings.Join(base, ""))
		}
		fmt.Fprintf(&b, "\n_%sOptional = TypedDict(%q, {\n%s}, total=False)\n", name, "_"+name+"Optional", strings.Join(own, ""))
		if parent == "TypedDict" {
			fmt.Fprintf(&b, "\n\nclass %s(_%sOptional):\n    pass\n\n", name, name)
		} else {
			fmt.Fprintf(&b, "\n\nclass %s(%s, _%sOptional):\n    pass\n\n", name, parent, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		write(name)
	}
	return b.String()
}

// references returns the types that a member's type refers to.
func references(s *jsonschema.Schema) []string {
	switch {
	case s == nil:
		return nil
	case s.Ref != "":
		return []string{strings.TrimPrefix(s.Ref, "#/$defs/")}
	}
	list := append(references(s.Items), references(s.AdditionalProperties)...)
	for _, x := range s.AnyOf {
		list = append(list, references(x)...)
	}
	return list
}

func pythonType(s *jsonschema.Schema) string {
	switch {
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, "#/$defs/")
	case len(s.AnyOf) > 0:
		return "Optional[" + pythonType(s.AnyOf[0]) + "]"
	case len(s.PrefixItems) > 0:
		return "list[str]"
	case len(s.Enum) > 0:
		var words []string
		for _, w := range s.Enum {
			words = append(words, fmt.Sprintf("%q", w))
		}
		return "Literal[" + strings.Join(words, ", ") + "]"
	}
	switch s.Type {
	case "string":
		return "str"
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "array":
		return "list[" + pythonType(s.Items) + "]"
	case "object":
		if s.AdditionalProperties != nil {
			return "dict[str, " + pythonType(s.AdditionalProperties) + "]"
		}
		return "dict[str, Any]"
	}
	return "Any"
}

func TestUnknownResult(t *testing.T) {
	if _, ok := rpc.ResultSchema("none"); ok {
		t.Error("there is a schema for no result")
	}
	for _, name := range rpc.ResultNames() {
		a, _ := rpc.ResultSchema(name)
		b, _ := rpc.ResultSchema(name)
		if !bytes.Equal(a, b) {
			t.Errorf("the schema of %s varies", name)
		}
	}
}
