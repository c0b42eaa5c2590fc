package vade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

var (
	full        = flag.Bool("full", false, "export the whole corpus and not each shape of a definition once")
	updateTable = flag.Bool("update-losses", false, "with -full, write the table of losses in bench/export.md")
)

// gatheredOf copies the skills, commands and agents of all repositories into a few projects, in
// directories that match their syntax. It puts each agent into both .agents and .github. If a
// project already has the name or contains 1,500 files, gatheredOf uses the next project, because
// some hosts read at most 2,000 skill directories. Unless all is set, it skips a definition if its
// fields and syntax have all occurred before.
func gatheredOf(t *testing.T, from string, all bool) []string {
	t.Helper()
	const most = 1500
	var dirs []string
	count := map[string]int{}
	names, seen := map[string]bool{}, map[string]bool{}
	put := func(file, pattern, name string) {
		data, err := os.ReadFile(file)
		must(t, err)
		if !all {
			rare := false
			for _, word := range shape(data) {
				word = pattern + "\n" + word
				rare = rare || !seen[word]
				seen[word] = true
			}
			if !rare {
				return
			}
		}
		for i := 0; ; i++ {
			if i == len(dirs) {
				dirs = append(dirs, t.TempDir())
				must(t, os.Mkdir(filepath.Join(dirs[i], ".git"), 0o755))
			}
			rel := fmt.Sprintf(pattern, strings.ToLower(name))
			// Agents with the same name are one definition, regardless of their directory.
			key := dirs[i] + strings.NewReplacer(".github/agents/", "agent ", ".agents/agents/", "agent ", ".agent.md", ".md").Replace(rel)
			if names[key] || count[dirs[i]] == most {
				continue
			}
			names[key] = true
			count[dirs[i]]++
			target := filepath.Join(dirs[i], filepath.FromSlash(rel))
			must(t, os.MkdirAll(filepath.Dir(target), 0o755))
			must(t, os.WriteFile(target, data, 0o644))
			return
		}
	}
	must(t, filepath.WalkDir(from, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		base, slash := filepath.Base(file), filepath.ToSlash(file)
		stem, _, _ := strings.Cut(base, ".")
		switch in := func(dir string) bool { return strings.Contains(slash, "/"+dir+"/") }; {
		case base == "SKILL.md":
			put(file, ".agents/skills/%s/SKILL.md", filepath.Base(filepath.Dir(file)))
		case strings.EqualFold(stem, "readme"), in("skills"):
		case strings.HasSuffix(base, ".prompt.md"):
			put(file, ".github/prompts/%s.prompt.md", stem)
		case strings.HasSuffix(base, ".toml") && in("commands"):
			put(file, ".gemini/commands/%s.toml", stem)
		case strings.HasSuffix(base, ".md") && (in(".opencode/command") || in(".opencode/commands")):
			put(file, ".opencode/commands/%s.md", stem)
		case strings.HasSuffix(base, ".md") && in("commands"):
			put(file, ".agents/commands/%s.md", stem)
		case strings.HasSuffix(base, ".agent.md"), strings.HasSuffix(base, ".md") && in("agents"):
			put(file, ".github/agents/%s.agent.md", stem)
			put(file, ".agents/agents/%s.md", stem)
		}
		return nil
	}))
	if len(dirs) == 0 {
		t.Fatal("the corpus has no definitions: the test is broken")
	}
	return dirs
}

// marks matches body syntax that at least one host does not treat as plain text.
var marks = regexp.MustCompile(`\$ARGUMENTS(\[|\b)|\\?\$[0-9]|\$[a-z]|\{\{[a-z]|\$@|\$\{[@a-zA-Z_]+[:}]|!` + "`" + `|` + "```" + `!|!\{|@\{|(?m)(^|\s)@["./\w]|#(file|tool):|\]\(\.|\r\n|^---`)

// shape returns everything in a definition that affects how it is exported: its field keys, its
// tools, and the special syntax in its text. Each key is combined with its value or, if the value
// is long, with the value's first character.
func shape(data []byte) []string {
	head, text := []byte(nil), data
	if rest, ok := bytes.CutPrefix(data, []byte("---")); ok {
		if h, b, closed := bytes.Cut(rest, []byte("\n---")); closed {
			head, text = h, b
		}
	}
	var words []string
	for _, line := range strings.Split(string(head), "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimLeft(key, " -") != key {
			continue
		}
		value = strings.TrimSpace(value)
		free := len(value) > 16 || slices.Contains([]string{"name", "description", "argument-hint", "version", "author", "license", "metadata"}, key)
		switch {
		case strings.Contains(key, "tools"):
			for _, tool := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
				tool, _, _ = strings.Cut(tool, "(")
				words = append(words, key+":"+tool)
			}
			continue
		case free && value != "":
			value = value[:1]
			if value[0]|0x20 >= 'a' && value[0]|0x20 <= 'z' || value[0] >= 0x80 {
				value = "x"
			}
		}
		words = append(words, key+":"+value)
	}
	words = append(words, marks.FindAllString(string(text), -1)...)
	if len(text) > 30_000 {
		words = append(words, "long")
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// flatFields maps a definition's field keys, in lowercase and without punctuation, to their values.
func flatFields(t *testing.T, d catalog.Definition) map[string]any {
	t.Helper()
	fm, err := d.Frontmatter(context.Background())
	must(t, err)
	data, err := json.Marshal(fm)
	must(t, err)
	var m map[string]any
	must(t, json.Unmarshal(data, &m))
	flat := map[string]any{}
	for k, v := range m {
		flat[strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(k))] = v
	}
	return flat
}

// wordsOf returns the words in a list, or in a string separated by commas or
// spaces. For a map, it returns the keys whose values are true.
func wordsOf(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		depth := 0
		list = strings.FieldsFunc(v, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			return depth == 0 && (r == ',' || r == ' ' || r == '\n')
		})
	case []any:
		for _, x := range v {
			list = append(list, wordsOf(x)...)
		}
	case map[string]any:
		for k, on := range v {
			if on == true {
				list = append(list, k)
			}
		}
	}
	return list
}

// fields compares the fields for which no loss is reported, using the host's key for each field.
func (r *exportRead) fields(t *testing.T, f export.ExportedFile, src sourceText, d catalog.Definition) {
	t.Helper()
	before, after := flatFields(t, src.d), flatFields(t, d)
	flat := func(v any) string {
		return strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(fmt.Sprint(v)), "anthropic/")), " ")
	}
	for _, key := range []string{"model", "argumenthint"} {
		want, got := "", ""
		if v := before[key]; v != nil {
			want = flat(v)
		}
		if v := after[key]; v != nil {
			got = flat(v)
		}
		switch {
		case want == "", want == got, want == "inherit", want == "default":
		case key == "argumenthint" && (strings.Contains(got, want) || got != "" && strings.Trim(want, "[]") == strings.Trim(got, "[]")):
		default:
			t.Errorf("%s for %s: %s was %q and is %q, and no loss says so", f.Source, r.host, key, want, got)
		}
	}
	for _, key := range []string{"tools", "allowedtools", "disallowedtools"} {
		want := wordsOf(before[key])
		if len(want) == 0 || slices.Contains(want, "*") || slices.Contains(want, "all") || key == "disallowedtools" && r.host == "opencode" {
			continue
		}
		r.tools(t, f, key, want, wordsOf(after[key]))
	}
	var want, got []string
	for _, key := range []string{"paths", "globs", "applyto"} {
		want, got = append(want, wordsOf(before[key])...), append(got, wordsOf(after[key])...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) > 0 && !slices.Equal(slices.Compact(want), slices.Compact(got)) {
		t.Errorf("%s for %s: the paths were %q and are %q, and no loss says so", f.Source, r.host, want, got)
	}
}

// tools checks that the tools are unchanged after translation to the host's names. Package mcp
// compares the tools of MCP servers.
func (r *exportRead) tools(t *testing.T, f export.ExportedFile, key string, want, got []string) {
	t.Helper()
	a, b := r.ownWords(want, false), r.ownWords(got, true)
	if !slices.Equal(a, b) {
		t.Errorf("%s for %s: %s were %q and are %q, and no loss says so", f.Source, r.host, key, a, b)
	}
}

// ownWords translates tool names to the host's names and sorts them. If read is set, the names come
// from one of the host's own files, and those that the host knows are not translated.
func (r *exportRead) ownWords(words []string, read bool) []string {
	name := func(neutral string) string { return neutral }
	if p, _ := registry.Lookup(r.host); p.Export.Tools != nil && p.Export.Tools.Name != nil {
		name = p.Export.Tools.Name
	}
	own := map[string]bool{}
	for _, n := range host.AllTools() {
		own[name(n)] = true
	}
	var list []string
	for _, w := range words {
		base, rule, ruled := strings.Cut(w, "(")
		if ruled {
			rule = "(" + rule
		}
		neutral := registry.NeutralTools(base)
		if read && own[base] {
			list = append(list, w)
			continue
		}
		for _, n := range neutral {
			if _, _, server := host.IsServerTool(n); !server && name(n) != "" {
				list = append(list, name(n)+rule)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// lossTable compares the table in bench/export.md against the counts, or writes it.
func lossTable(t *testing.T, total map[string]*exportTally) {
	t.Helper()
	const file, begin, end = "bench/export.md", "<!-- losses -->\n", "<!-- end of losses -->"
	data, err := os.ReadFile(file)
	must(t, err)
	before, rest, ok := strings.Cut(string(data), begin)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("bench/export.md has no place for the table of losses")
	}
	words := slices.DeleteFunc([]string{
		export.LossKind, export.LossName, export.LossField, export.LossTool, export.LossModel, export.LossActivation, export.LossArgument,
		export.LossShell, export.LossFile, export.LossVariable, export.LossText, export.LossCompanion,
	}, func(w string) bool {
		return !slices.ContainsFunc(export.Hosts(), func(h string) bool { return total[h].lost[w] > 0 })
	})
	var b strings.Builder
	fmt.Fprintf(&b, "\n| host | definitions | exported | nothing lost | `%s` |\n|---|---|---|---|%s\n", strings.Join(words, "` | `"), strings.Repeat("---|", len(words)))
	for _, h := range export.Hosts() {
		n := total[h]
		fmt.Fprintf(&b, "| %s | %d | %d | %d (%.0f %%) |", h, n.exported+n.whole, n.exported, n.unchanged, 100*float64(n.unchanged)/float64(n.exported+n.whole))
		for _, w := range words {
			fmt.Fprintf(&b, " %d |", n.lost[w])
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	switch {
	case b.String() == old:
	case *updateTable:
		must(t, os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o644))
	default:
		t.Logf("the table of bench/export.md is another: write it with -update-losses\n%s", b.String())
	}
}
