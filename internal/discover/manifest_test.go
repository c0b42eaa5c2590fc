package discover

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

func TestManifestTypes(t *testing.T) {
	const paths = host.ManifestPath | host.ManifestPaths
	const inline = paths | host.ManifestObject | host.ManifestList
	for _, tc := range []struct {
		raw   string
		types host.ManifestType
		want  bool
	}{
		{`"x"`, host.ManifestText, true},
		{`""`, host.ManifestText, true},
		{`5`, host.ManifestText, false},
		{`null`, host.ManifestText, false},
		{`true`, host.ManifestFlag, true},
		{`"true"`, host.ManifestFlag, false},
		{`["a"]`, host.ManifestTexts, true},
		{`[]`, host.ManifestTexts, true},
		{`["a", 5]`, host.ManifestTexts, false},
		{`"a"`, host.ManifestTexts, false},
		{`"./a"`, paths, true},
		{`"a"`, paths, false},
		{`"../a"`, paths, false},
		{`["./a", "./b"]`, paths, true},
		{`["./a", "b"]`, paths, false},
		{`["./a", {}]`, paths, false},
		{`{}`, paths, false},
		{`{}`, inline, true},
		{`[{}, "./a"]`, inline, true},
		{`[{}, "a"]`, inline, false},
		{`["a", {}]`, host.ManifestList, true},
		{`[[["./a"]]]`, paths, false},
	} {
		if got := hasType(json.RawMessage(tc.raw), tc.types, false); got != tc.want {
			t.Errorf("%s of %b: %v", tc.raw, tc.types, got)
		}
	}
	if hasType(json.RawMessage(`""`), host.ManifestText, true) {
		t.Error("a required text may be empty")
	}
}

// FuzzManifest checks that every accepted manifest is an object with a name, and that every
// rejected manifest is reported.
func FuzzManifest(f *testing.F) {
	for _, s := range []string{
		`{"name": "x"}`, `{"name": "x", "skills": ["./a"]}`, `{"name": 5}`, `[]`, `null`, `{"name": "x"} x`,
		"\ufeff{\"name\": \"x\"}", `{"name": "x", /* c */ "hooks": {}}`, `{"name": "x", "keywords": {`,
	} {
		f.Add([]byte(s))
	}
	profile, _ := registry.Lookup("claude-code")
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := vfs.FromFS(fstest.MapFS{"plugin.json": {Data: data}}, "p")
		defer tree.Close()
		p := &Plan{Profile: profile, ctx: context.Background()}
		keys, wrong := p.strictManifest(tree, "plugin.json")
		if wrong != nil {
			if wrong.Code != diag.PluginInvalid || wrong.Message == "" || strings.Contains(wrong.Message, "%!") {
				t.Errorf("%+v", wrong)
			}
			return
		}
		if keys == nil {
			return
		}
		var name string
		if json.Unmarshal(keys["name"], &name) != nil || name == "" {
			t.Errorf("accepted without a name: %q", data)
		}
	})
}
