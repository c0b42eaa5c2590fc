package schema_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/schema"

	"github.com/vadehq/vade/internal/testenv"
)

// fataler is a test, or a check inside a test.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// read parses one project file in a view. It returns nil if the host does not read the file.
func read(t fataler, p *host.Profile, path, text string) *definition.Definition {
	t.Helper()
	plan, err := discover.NewPlan(context.Background(), discover.Environment{
		Only: true, Layers: []discover.LayerFS{{Layer: definition.Project, Name: "p", FS: fstest.MapFS{path: {Data: []byte(text)}}}},
	}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	found, _, err := plan.Scan(context.Background(), parse.Parser(p, "1.2.3"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if d.Origin.Path == path {
			return d
		}
	}
	return nil
}

// plain converts a value to its JSON form.
func plain(v *definition.Value) any {
	switch v.Kind {
	case definition.Null:
		return nil
	case definition.Bool:
		return strings.EqualFold(v.Text, "true")
	case definition.Number:
		if n, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return n
		}
	case definition.List:
		list := []any{}
		for i := range v.Items {
			list = append(list, plain(&v.Items[i]))
		}
		return list
	case definition.Map:
		m := map[string]any{}
		for i := range v.Pairs {
			m[v.Pairs[i].Key] = plain(&v.Pairs[i].Value)
		}
		return m
	}
	return v.Text
}

// complained reports whether a definition has a problem with its fields that a
// schema can detect, or a problem that is unrelated to fields.
func complained(d *definition.Definition) (fields, other bool) {
	for _, one := range d.Diagnostics {
		switch one.Code {
		case diag.FieldType, diag.FieldValue, diag.FieldMissing, diag.NameChars, diag.NameLength, diag.DescLength, diag.HooksInvalid:
			fields = true
		case diag.FieldUnknown:
			fields = fields || one.Severity == diag.Error
		default:
			other = true
		}
	}
	return fields, other
}

// agree checks that the loader and the schema agree about a file.
func agree(t interface {
	fataler
	Errorf(string, ...any)
}, p *host.Profile, r *jsonschema.Resolved, path, text string) {
	t.Helper()
	d := read(t, p, path, text)
	if d == nil {
		return
	}
	doc := parse.File(d, []byte(text), p)
	if doc.Entries == nil {
		return
	}
	object := map[string]any{}
	for i := range doc.Entries {
		object[doc.Entries[i].Key] = plain(&doc.Entries[i].Value)
	}
	err := r.Validate(object)
	fields, other := complained(d)
	// If the parser repairs a value, its diagnostics differ from the host's.
	exact := p.Fields != nil && p.Accepts == nil
	switch {
	case exact && fields && err == nil:
		t.Errorf("%s reports %q, but the schema does not: %v", p.Name, text, d.Diagnostics)
	case !fields && !other && err != nil:
		t.Errorf("%s accepts %q, but the schema does not: %v", p.Name, text, err)
	}
}

// TestAgreesWithRecordings compares the schemas with recordings. If a host does not load a file
// because of a field, the file must violate its schema. If a host accepts a file without complaint,
// the file must match its schema.
func TestAgreesWithRecordings(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "conformance", "frontmatter-matrix.json"))
	if err != nil {
		t.Skip("no recordings:", err)
	}
	var matrix struct {
		Files map[string]json.RawMessage `json:"files"`
	}
	if err := json.Unmarshal(data, &matrix); err != nil {
		t.Fatal(err)
	}
	roots := map[string]string{
		"agentskills": ".agents/skills", "claude-code": ".claude/skills", "codex": ".agents/skills", "copilot-cli": ".agents/skills",
		"copilot-vscode": ".agents/skills", "gemini": ".agents/skills", "opencode": ".agents/skills", "cursor": ".agents/skills",
		"pi": ".agents/skills", "qwen": ".agents/skills", "neutral": ".agents/skills", "claude-sdk": ".claude/skills",
	}
	checked := 0
	for _, p := range registry.Profiles() {
		root, ok := roots[p.Name]
		if !ok {
			t.Errorf("no skills for %s", p.Name)
		}
		r := resolved(t, p, definition.Skill)
		for path, raw := range matrix.Files {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				var coded struct{ Base64 string }
				if err := json.Unmarshal(raw, &coded); err != nil || coded.Base64 == "" {
					continue
				}
				b, err := base64.StdEncoding.DecodeString(coded.Base64)
				if err != nil {
					t.Fatal(err)
				}
				text = string(b)
			}
			agree(t, p, r, root+"/"+path, text)
			checked++
		}
	}
	if checked < 200 {
		t.Errorf("only %d files were checked", checked)
	}
}

// places returns the files on which the schemas are tested. It omits Claude Code, which silently
// drops many values.
func places() map[string]map[definition.Kind]string {
	skill, command, agent, rule := definition.Skill, definition.Command, definition.Agent, definition.Instruction
	return map[string]map[definition.Kind]string{
		"agentskills":    {skill: ".agents/skills/s/SKILL.md"},
		"codex":          {skill: ".agents/skills/s/SKILL.md"},
		"copilot-cli":    {skill: ".agents/skills/s/SKILL.md", agent: ".github/agents/a.agent.md"},
		"copilot-vscode": {skill: ".agents/skills/s/SKILL.md", agent: ".github/agents/a.agent.md", command: ".github/prompts/p.prompt.md", rule: ".github/instructions/i.instructions.md"},
		"gemini":         {agent: ".gemini/agents/a.md"},
		"opencode":       {skill: ".agents/skills/s/SKILL.md", command: ".opencode/command/c.md", agent: ".opencode/agent/a.md"},
		"cursor":         {skill: ".agents/skills/s/SKILL.md", agent: ".cursor/agents/a.md"},
		"pi":             {skill: ".agents/skills/s/SKILL.md", command: ".pi/prompts/p.md"},
		"qwen":           {skill: ".agents/skills/s/SKILL.md", command: ".qwen/commands/c.md", agent: ".qwen/agents/a.md"},
	}
}

// TestAgreesWithLoader checks that the schemas and the loader agree about files with random
// frontmatter.
func TestAgreesWithLoader(t *testing.T) {
	for _, p := range registry.Profiles() {
		for k, path := range places()[p.Name] {
			t.Run(p.Name+"/"+k.String(), func(t *testing.T) {
				if d := read(t, p, path, "---\nname: s\ndescription: d\n---\nbody\n"); d == nil || d.Kind != k {
					t.Fatalf("%s is not a %s: %v", path, k, d)
				}
				r, rules := resolved(t, p, k), p.Table(k)
				testenv.Check(t, func(t *rapid.T) { agree(t, p, r, path, drawFile(t, rules)) })
			})
		}
	}
}

// drawFile generates a file with some of the host's fields and some other fields.
func drawFile(t *rapid.T, rules []host.FieldRule) string {
	var b strings.Builder
	b.WriteString("---\n")
	for i := range rules {
		rule := &rules[i]
		if rapid.IntRange(0, 3).Draw(t, "in") > 0 && !rule.Required || rule.InTOML {
			continue
		}
		b.WriteString(rule.Key + ":" + drawValue(t, rule) + "\n")
	}
	if rapid.IntRange(0, 5).Draw(t, "other") == 0 {
		b.WriteString("otherwise: 1\n")
	}
	b.WriteString("---\nbody\n")
	return b.String()
}

func drawValue(t *rapid.T, rule *host.FieldRule) string {
	texts := append([]string{"word", "two words", "a-b", "s", "Big", "low", "worktree", "3", "0", "", " ", strings.Repeat("x", 65), strings.Repeat("y", 1025)}, rule.Words...)
	text := func() string { return " " + strconv.Quote(rapid.SampledFrom(texts).Draw(t, "text")) }
	switch rapid.IntRange(0, 9).Draw(t, "type") {
	case 0:
		return rapid.SampledFrom([]string{" 3", " 0", " 1.5", " -2"}).Draw(t, "number")
	case 1:
		return rapid.SampledFrom([]string{" true", " false"}).Draw(t, "flag")
	case 2:
		return ""
	case 3:
		return "\n  -" + text() + "\n  -" + text()
	case 4:
		return "\n  - 3\n  -" + text()
	case 5:
		return "\n  key:" + text()
	case 6:
		return "\n  key: true"
	}
	return text()
}

// TestAgreementFails checks that the comparison detects a schema that differs.
func TestAgreementFails(t *testing.T) {
	p, _ := registry.Lookup("copilot-cli")
	other, _ := registry.Lookup("agentskills")
	r := resolved(t, other, definition.Skill)
	found := &counter{fataler: t}
	agree(found, p, r, ".agents/skills/s/SKILL.md", "---\nname: s\ndescription: d\nargument-hint: h\n---\nbody\n")
	agree(found, p, resolved(t, mustLookup(t, "pi"), definition.Skill), ".agents/skills/s/SKILL.md", "---\nname: s\ndescription: d\nuser-invocable: 3\n---\nbody\n")
	if found.errors != 2 {
		t.Errorf("%d of 2 differences were found", found.errors)
	}
	if len(schema.Kinds(p)) == 0 {
		t.Error("there are no kinds")
	}
}

func mustLookup(t *testing.T, name string) *host.Profile {
	t.Helper()
	p, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("no host %s", name)
	}
	return p
}

// counter counts a test's errors instead of failing.
type counter struct {
	fataler
	errors int
}

func (c *counter) Errorf(string, ...any) { c.errors++ }
