package audit

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/pack"
	"github.com/vadehq/vade/internal/vfs"
)

// TestRules runs each rule over packages of its own: testdata/<id>.txtar has at least
// two packages bad-… in which the rule finds something, and three ok-… that are nearly
// like them and in which it finds nothing. A line "bad-1: block" at its top says how
// bad. A file NAME.quoted has the text of NAME in lines of quoted strings, so that what
// does not show can be seen.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range Rules() {
		if seen[rule.ID] {
			t.Errorf("%s is there twice", rule.ID)
		}
		seen[rule.ID] = true
		t.Run(rule.ID, func(t *testing.T) {
			if rule.Name == "" || rule.Title == "" || rule.Why == "" || rule.Fix == "" || rule.Scope == "" || rule.Severity == Clean || rule.Confidence == 0 || len(rule.CWE) == 0 || rule.OWASP == "" {
				t.Error("a field of the rule is empty")
			}
			cases, want := fixtures(t, "testdata/"+strings.ToLower(rule.ID)+".txtar")
			var bad, ok int
			for _, name := range slices.Sorted(maps.Keys(cases)) {
				r := auditAs(t, cases[name], name, want)
				worst := Clean
				for _, f := range r.Findings {
					if f.ID == rule.ID {
						worst = max(worst, f.Severity)
					}
				}
				switch {
				case strings.HasPrefix(name, "bad"):
					bad++
					if worst == Clean {
						t.Errorf("%s: %s finds nothing; found: %s", name, rule.ID, summary(r))
					} else if want[name] != "" && worst.String() != want[name] {
						t.Errorf("%s: %s, want %s", name, worst, want[name])
					}
				case strings.HasPrefix(name, "ok"):
					ok++
					if worst > Clean {
						t.Errorf("%s: a near miss is found: %s", name, summary(r))
					}
				default:
					t.Errorf("%s is neither bad nor ok", name)
				}
			}
			if bad < 2 || ok < 3 {
				t.Errorf("%d positive and %d negative cases: there have to be 2 and 3", bad, ok)
			}
		})
	}
}

func summary(r *Report) string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, f.ID+" "+f.Severity.String()+" "+f.Path+":"+strconv.Itoa(f.Line)+" "+f.Message)
	}
	return strings.Join(list, "; ")
}

// fixtures reads the packages of a file, and what is said of them at its top.
func fixtures(t *testing.T, name string) (cases map[string]fstest.MapFS, want map[string]string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	cases, want = map[string]fstest.MapFS{}, map[string]string{}
	for line := range strings.Lines(string(archive.Comment)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.Contains(k, " ") {
			want[k] = v
		}
	}
	for _, f := range archive.Files {
		dir, rest, ok := strings.Cut(f.Name, "/")
		if !ok {
			t.Fatalf("%s: %s is in no package", name, f.Name)
		}
		if cases[dir] == nil {
			cases[dir] = fstest.MapFS{}
		}
		body := f.Data
		if plain, ok := strings.CutSuffix(rest, ".quoted"); ok {
			rest, body = plain, unquoted(t, body)
		}
		cases[dir][rest] = &fstest.MapFile{Data: body, Mode: 0o644}
	}
	return cases, want
}

func unquoted(t *testing.T, data []byte) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(string(data)) {
		s, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, s...)
	}
	return out
}

// auditFS audits a package in memory: a skill, or else its only Markdown file.
func auditFS(t testing.TB, fsys fs.FS, name string) *Report { return auditAs(t, fsys, name, nil) }

// auditAs does so with settings that the top of a file of fixtures has for all of its
// packages, or for one as in "bad-1.layer": persona, layer, and what is known to be
// bad as digests, hosts and publishers.
func auditAs(t testing.TB, fsys fs.FS, name string, settings map[string]string) *Report {
	t.Helper()
	set := func(key string) string { return cmp.Or(settings[name+"."+key], settings[key]) }
	var o Options
	o.Persona, _ = ParsePersona(set("persona"))
	if bad := (KnownBad{strings.Fields(set("digests")), strings.Fields(set("hosts")), strings.Fields(set("publishers"))}); len(bad.Digests)+len(bad.Hosts)+len(bad.Publishers) > 0 {
		o.KnownBad = &bad
	}
	var layer definition.Layer
	for l := definition.Managed; l <= definition.MCP; l++ {
		if l.String() == set("layer") {
			layer = l
		}
	}
	main, kind, dir := "SKILL.md", definition.Skill, "."
	if _, err := fs.Stat(fsys, main); err != nil {
		list, _ := fs.Glob(fsys, "*.md")
		if len(list) != 1 {
			t.Fatalf("%s has no definition", name)
		}
		main, kind, dir = list[0], definition.Command, ""
		name = strings.TrimSuffix(path.Base(main), ".md")
	}
	tree := vfs.FromFS(fsys, name)
	p, err := pack.Read(context.Background(), pack.Request{Name: name, Kind: kind, Layer: layer, Tree: tree, Main: main, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return run(p, o)
}
