package bundled

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

func TestEveryFolderIsASkill(t *testing.T) {
	names := Names(FS())
	if len(names) < 2 {
		t.Fatalf("only %v are there: the test is broken", names)
	}
	for _, name := range names {
		data, err := fs.ReadFile(FS(), name+"/"+File)
		if err != nil {
			t.Error(err)
			continue
		}
		doc, found := frontmatter.Parse(diag.NewFile(name, data), false, host.NeutralDialect())
		if !doc.Found || !doc.Valid || len(found) > 0 {
			t.Errorf("%s: its frontmatter is not plain: %v", name, found)
		}
		if c := When(new(KeyReader).Keys(FS(), name)); !c.Known() {
			t.Errorf("%s: the condition is not known: %+v", name, c)
		}
		if _, err := ReadCompanions(FS(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKeysMatchParser checks that the fast reader for Vade's keys agrees with the YAML parser.
func TestKeysMatchParser(t *testing.T) {
	n := 0
	for _, name := range Names(FS()) {
		data, err := fs.ReadFile(FS(), name+"/"+File)
		if err != nil {
			t.Error(err)
			continue
		}
		doc, _ := frontmatter.Parse(diag.NewFile(name, data), false, host.NeutralDialect())
		var want []Key
		for i := range doc.Entries {
			if definition.LookupField(doc.Entries[i].Key) != definition.FieldMetadata {
				continue
			}
			for _, e := range doc.Entries[i].Value.Pairs {
				if key, ok := strings.CutPrefix(e.Key, keyPrefix); ok {
					want = append(want, Key{key, e.Value.Text})
				}
			}
		}
		got := new(KeyReader).Keys(FS(), name)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		for _, k := range got {
			if f := definition.LookupField(k.Name); f == 0 && k.Name != whenKey {
				t.Errorf("%s: vade-%s means nothing", name, k.Name)
			}
		}
		n += len(got)
	}
	if n == 0 {
		t.Error("no key is there: the test is broken")
	}
}

func TestKeys(t *testing.T) {
	for text, want := range map[string][]Key{
		"":                    nil,
		"---\nname: x\n":      nil,
		"---\nname: x\n---\n": nil,
		"---\nname: x\n---\nvade-when: experimental\n---\n":                                                    nil,
		"---\nmetadata:\n  vade-when: experimental\n  other: 1\n---\n":                                         {{"when", "experimental"}},
		"---\nmetadata:\n  vade-argument-hint: \"[a: \\\"b\\\"]\"\n  vade-when: 'exists ~/it''s'\n---\nbody\n": {{"argument-hint", `[a: "b"]`}, {"when", "exists ~/it's"}},
	} {
		fsys := fstest.MapFS{"x/SKILL.md": {Data: []byte(text)}}
		if got := new(KeyReader).Keys(fsys, "x"); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := new(KeyReader).Keys(fstest.MapFS{}, "x"); got != nil {
		t.Errorf("nothing gives %q", got)
	}
}

// machine implements Facts as a list of the facts that are true.
type machine []string

func (m machine) Program(name string) bool  { return slices.Contains(m, "program "+name) }
func (m machine) Exists(path string) bool   { return slices.Contains(m, "exists "+path) }
func (m machine) Variable(name string) bool { return slices.Contains(m, "variable "+name) }

func TestConditions(t *testing.T) {
	here := machine{"program b", "exists ~/a b.json", "variable TOKEN"}
	for _, x := range []struct {
		text string
		met  bool
		why  string
	}{
		{"", true, ""},
		{"experimental", false, "the definition is experimental"},
		{"program a | b", true, ""},
		{"program a", false, "program not found: a"},
		{"program a | c", false, "program not found: a or c"},
		{"exists ~/a b.json", true, ""},
		{"exists /x | ~/y", false, "path not found: /x or ~/y"},
		{"variable TOKEN", true, ""},
		{"variable OTHER", false, "OTHER is not set"},
		{"exists", false, `unknown condition "exists"`},
		{"experimental x", false, `unknown condition "experimental x"`},
		{"on full moon | never", false, `unknown condition "on full moon | never"`},
	} {
		met, why := ParseCondition(x.text).Met(here)
		if met != x.met || why != x.why {
			t.Errorf("%q: %v %q, want %v %q", x.text, met, why, x.met, x.why)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("---\nmetadata:\n  vade-when: \"x\"\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range keys([]byte(text)) {
			if strings.Contains(k.Name, "\n") || strings.Contains(k.Value, "\n") {
				t.Errorf("%q", k)
			}
			When([]Key{k}).Met(machine{})
		}
	})
}
