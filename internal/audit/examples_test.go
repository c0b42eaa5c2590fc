package audit

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
)

// pack creates a package from an example.
func pack(e rules.Example, layer definition.Layer) *signal.Package {
	p := &signal.Package{Name: "example", Kind: definition.Skill, Layer: layer}
	for _, f := range e {
		p.Files = append(p.Files, &signal.File{Path: f.Path, Raw: []byte(f.Text), Size: int64(len(f.Text)), Exec: strings.HasPrefix(f.Text, "#!")})
	}
	main := slices.IndexFunc(p.Files, func(f *signal.File) bool { return f.Path == "SKILL.md" })
	if main < 0 {
		text := "---\nname: example\ndescription: Shows an example.\n---\n# Example\n\nRun " + e[0].Path + ".\n"
		p.Files = append(p.Files, &signal.File{Path: "SKILL.md", Raw: []byte(text), Size: int64(len(text))})
		main = len(p.Files) - 1
	}
	p.Files[0], p.Files[main] = p.Files[main], p.Files[0]
	slices.SortFunc(p.Files[1:], func(a, b *signal.File) int { return strings.Compare(path.Clean(a.Path), path.Clean(b.Path)) })
	return p
}

// TestExamples checks that each rule matches its wrong examples but not its right ones. It also
// checks that removing a rule removes all findings with its ID.
func TestExamples(t *testing.T) {
	for _, r := range rules.All() {
		layer := definition.Layer(0)
		if r.ID == "B03" {
			layer = definition.MCP
		}
		o := Options{Persona: rules.Auditor, KnownBad: &KnownBad{Publishers: []string{"a-known-bad-publisher"}}}
		for i, e := range r.Wrong {
			t.Run(fmt.Sprintf("%s/wrong/%d", r.ID, i), func(t *testing.T) {
				rep := Run(pack(e, layer), o)
				if !found(rep, r.ID) {
					t.Errorf("%s does not find it:\n%s\n%s", r.ID, e[0].Text, rep.Set.Dump())
				}
			})
		}
		for i, e := range r.Right {
			t.Run(fmt.Sprintf("%s/right/%d", r.ID, i), func(t *testing.T) {
				o := o
				o.Persona = rules.Pedantic
				rep := Run(pack(e, 0), o)
				for _, f := range rep.Findings {
					if f.ID == r.ID && (f.Severity > rules.Inform || r.Severity == rules.Inform) || f.Severity == rules.Block {
						t.Errorf("%s %s: %s\n%s\n%s", f.ID, f.Severity, f.Message, e[0].Text, rep.Set.Dump())
					}
				}
			})
		}
	}
}

func found(r *Report, id string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == id || slices.Contains(f.Also, id) })
}
