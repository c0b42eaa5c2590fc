package export

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

var update = flag.Bool("update", false, "write the tables of docs/export.md")

// TestTables compares the tables in docs/export.md against those generated from
// the code.
func TestTables(t *testing.T) {
	const file, begin, end = "../../docs/export.md", "<!-- tables -->\n", "<!-- end of tables -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("docs/export.md has no markers for the tables")
	}
	got := tables()
	if got == old {
		return
	}
	if !*update {
		t.Fatalf("the tables of docs/export.md are not those of the code: go test ./internal/export -run TestTables -update")
	}
	if err := os.WriteFile(file, []byte(before+begin+got+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func hosts() []*host.Profile {
	return slices.DeleteFunc(registry.Profiles(), func(p *host.Profile) bool { return p.Export == nil })
}

func code(s string) string {
	if s == "" {
		return "–"
	}
	return "`" + s + "`"
}

func tables() string {
	var b strings.Builder
	b.WriteString("\n### Where files go\n\n| host | skill | command | agent | basis |\n|---|---|---|---|---|\n")
	for _, p := range hosts() {
		row := []string{p.Name + " " + p.Version}
		for _, k := range []definition.Kind{definition.Skill, definition.Command, definition.Agent} {
			row = append(row, placeText(p, k))
		}
		fmt.Fprintf(&b, "| %s | %s: %s |\n", strings.Join(row, " | "), p.Export.Basis, p.Export.Source)
	}
	b.WriteString("\n### Bodies of commands\n\n| host | all arguments | one argument | command | file | arguments without a placeholder |\n|---|---|---|---|---|---|\n")
	for _, p := range hosts() {
		b.WriteString("| " + p.Name + " | " + strings.Join(syntaxRow(p), " | ") + " |\n")
	}
	b.WriteString("\nOnly claude-code and opencode expand placeholders in skills.\n")
	b.WriteString("\n### Instructions\n\n| host | whole project | some files | key of the patterns |\n|---|---|---|---|\n")
	for _, p := range hosts() {
		x := p.Export.Instructions
		if x == nil {
			fmt.Fprintf(&b, "| %s | – | – | – |\n", p.Name)
			continue
		}
		some := code(x.Dir)
		if x.Dir != "" {
			some = code(x.Dir + "/*" + x.Suffix)
		} else if x.Nested {
			some = "in a directory: " + code("DIR/"+x.Whole)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.Name, code(x.Whole), some, code(x.Paths))
	}
	b.WriteString(toolTable())
	var words []string
	for _, p := range hosts() {
		if x := p.Export.Tools; x != nil && x.Server != nil {
			words = append(words, code(x.Server("server", "tool"))+" in "+p.Name)
		}
	}
	b.WriteString("\nA tool of an MCP server is " + strings.Join(words, ", ") + ". codex and cursor take no list of tools; an agent whose tools write nothing becomes read-only there. pi has no agents.\n")
	for _, k := range []definition.Kind{definition.Skill, definition.Command, definition.Agent} {
		b.WriteString(fieldTable(k))
	}
	b.WriteString("\n")
	return b.String()
}

// toolTable returns a table with one column for each group of hosts that use
// the same tool names.
func toolTable() string {
	var heads []string
	var columns [][]string
	for _, p := range hosts() {
		if p.Export.Tools == nil || p.Export.Tools.Name == nil {
			continue
		}
		var column []string
		for _, neutral := range host.AllTools() {
			column = append(column, code(p.Export.Tools.Name(neutral)))
		}
		if i := slices.IndexFunc(columns, func(c []string) bool { return slices.Equal(c, column) }); i >= 0 {
			heads[i] += ", " + p.Name
			continue
		}
		heads, columns = append(heads, p.Name), append(columns, column)
	}
	var b strings.Builder
	b.WriteString("\n### Tools\n\n| " + strings.Join(heads, " | ") + " |\n|" + strings.Repeat("---|", len(heads)) + "\n")
	for i := range host.AllTools() {
		for _, column := range columns {
			b.WriteString("| " + column[i] + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

func placeText(p *host.Profile, k definition.Kind) string {
	at := p.Export.Place(k)
	if at == nil {
		if k == definition.Command && p.Export.CommandAsSkill {
			return "as a skill"
		}
		return "–"
	}
	name := "NAME"
	if at.Join == "/" {
		name = "DIR/NAME"
	}
	if at.File != "" {
		return code(at.Dir + "/" + name + "/" + at.File)
	}
	return code(at.Dir + "/" + name + at.Suffix)
}

func syntaxRow(p *host.Profile) []string {
	var x *host.Syntax
	if p.Export.Syntax != nil {
		x = p.Export.Syntax(definition.Command)
	}
	if x == nil {
		return []string{"–", "–", "–", "–", "up to the host"}
	}
	one, command, file, none := "–", "–", "–", "dropped"
	switch {
	case x.Inputs:
		one = "`${input:name}`"
	case x.Positions && x.Named:
		one = fmt.Sprintf("`$%d`, `$name`", x.Base)
	case x.Positions:
		one = fmt.Sprintf("`$%d`", x.Base)
	}
	if x.ShellOpen != "" {
		command = "`` " + x.ShellOpen + "…" + x.ShellClose + " ``"
	}
	if x.FileOpen != "" {
		file = code(x.FileOpen + "path" + x.FileClose)
	}
	if x.Appended {
		none = "appended to the body"
	}
	return []string{code(x.All), one, command, file, none}
}

// fieldTable returns a table with each host's key for each field.
func fieldTable(k definition.Kind) string {
	var b strings.Builder
	list := slices.DeleteFunc(hosts(), func(p *host.Profile) bool { return p.Export.Place(k) == nil })
	fmt.Fprintf(&b, "\n### Fields of %s\n\n| field |", chars.WithArticle(k.String()))
	for _, p := range list {
		b.WriteString(" " + p.Name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(list)) + "\n")
	for _, r := range registry.Neutral().Table(k) {
		cells, any := []string{}, false
		for _, p := range list {
			f := &fielder{p: p, kind: k}
			key := ""
			if x := p.Export.Tools; x != nil && x.Key != "" && k == definition.Agent && (r.Field == definition.FieldTools || r.Field == definition.FieldDisallowedTools) {
				key, any = x.Key, true
			}
			if r.Field == definition.FieldMCPServers {
				continue
			}
			if own, ok := f.rule(r.Field); ok {
				key = own.Key
				any = true
			}
			cells = append(cells, code(key))
		}
		if any {
			fmt.Fprintf(&b, "| %s | %s |\n", code(r.Key), strings.Join(cells, " | "))
		}
	}
	return b.String()
}
