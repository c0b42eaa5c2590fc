package main

import (
	"slices"
	"strings"
	"testing"
)

// TestTypeScript checks that the package contains all files that its manifest
// names, and that the CommonJS files contain no imports.
func TestTypeScript(t *testing.T) {
	t.Chdir("../..")
	manifest, members, err := typescript()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range members {
		names = append(names, strings.TrimPrefix(m.name, "package/"))
		for line := range strings.Lines(string(m.data)) {
			if strings.HasSuffix(m.name, ".cjs") && (strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ")) {
				t.Errorf("%s has the line %s", m.name, line)
			}
		}
	}
	exports := manifest["exports"].(map[string]any)["."].(map[string]any)
	for _, format := range []string{"import", "require"} {
		for _, file := range exports[format].(map[string]any) {
			if name := strings.TrimPrefix(file.(string), "./"); !slices.Contains(names, name) {
				t.Errorf("%s is missing in %q", name, names)
			}
		}
	}
	for _, name := range []string{"bin/vade.cjs", "program.cjs", "results.d.ts", "results.d.cts", "README.md"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing in %q", name, names)
		}
	}
}
