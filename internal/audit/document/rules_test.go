package document

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
)

// said replaces the other extractors in tests. It adds a signal for each of a few phrases.
type said struct{}

var saidForms = []struct {
	form string
	kind signal.Kind
	tags []signal.Tag
}{
	{`(?i)ignore (all )?previous instructions`, signal.Instruct, []signal.Tag{"override"}},
	{`(?i)(do not|never) (tell|mention)[^.]{0,40} the user`, signal.Instruct, []signal.Tag{"conceal"}},
	{`(?i)send (the conversation|it|the keys)`, signal.Instruct, []signal.Tag{"disclose"}},
	{`(?i)run this first|Update the list|ask for`, signal.Instruct, nil},
	{`~/\.aws/credentials`, signal.Read, []signal.Tag{"secret", "credential"}},
	{`curl [^|\n]*\| ?bash`, signal.Run, []signal.Tag{"network", "shell"}},
	{`curl -s https\S+ -o`, signal.Fetch, []signal.Tag{"unknown", "drop"}},
	{"!`[^`]*`", signal.Hook, []signal.Tag{"load"}},
	{`@\w+/\w+\.md`, signal.Reference, []signal.Tag{"include"}},
	{`bash notes\.txt`, signal.Program, []signal.Tag{"shell"}},
}

func (said) Region(s *signal.Set, index int) {
	r := &s.Regions[index]
	if r.Medium == signal.CodeSpan && r.Parent >= 0 {
		return
	}
	for _, x := range saidForms {
		if at := regexp.MustCompile(x.form).FindStringIndex(r.Text); at != nil {
			s.Add(x.kind, index, at[0], at[1], r.Text[at[0]:at[1]], "", x.tags...)
		}
	}
}

func (said) Finish(*signal.Set) {}

// read creates a package from files, sorted by path with the definition first.
func read(files map[string]string) *signal.Set {
	s := &signal.Set{Package: &signal.Package{Name: "notes"}}
	for _, name := range slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		if strings.HasSuffix(a, "SKILL.md") != strings.HasSuffix(b, "SKILL.md") {
			if strings.HasSuffix(a, "SKILL.md") {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	}) {
		s.Package.Files = append(s.Package.Files, &signal.File{Path: name, Raw: []byte(files[name]), Size: int64(len(files[name]))})
	}
	return s
}

func extract(s *signal.Set) *signal.Set {
	return all(s, said{}, Read(s))
}

func all(s *signal.Set, list ...signal.Extractor) *signal.Set {
	for i := 0; i < len(s.Regions); i++ {
		for _, x := range list {
			x.Region(s, i)
		}
	}
	for _, x := range list {
		x.Finish(s)
	}
	return s
}

// worst returns the highest severity that a rule reports for a package, and the
// messages. It ignores findings that only auditors see.
func worst(t *testing.T, id string, files map[string]string) (rules.Severity, []string) {
	t.Helper()
	s := extract(read(files))
	top := rules.Clean
	var messages []string
	for _, h := range rules.Judge(rules.All(), s) {
		messages = append(messages, h.Rule.ID+" "+h.Severity.String()+" "+h.Message)
		if h.Rule.ID == id && h.Persona == rules.Regular {
			top = max(top, h.Severity)
		}
	}
	return top, append(messages, s.Dump())
}

// own lists the rules that use signals from this package.
const own = "U01 U02 U03 U04 U05 F03 H01 H02 H03 H05 S01 S02 S03 S08"

func TestRuleExamples(t *testing.T) {
	for _, r := range rules.All() {
		if !strings.Contains(own, r.ID) {
			continue
		}
		for i, list := range [][]rules.Example{r.Wrong, r.Right} {
			for n, e := range list {
				files := map[string]string{"SKILL.md": ""}
				for _, f := range e {
					files[f.Path] = f.Text
				}
				files["SKILL.md"] = "---\nname: notes\ndescription: Keeps notes.\n---\n" + files["SKILL.md"]
				top, found := worst(t, r.ID, files)
				if i == 0 && top == rules.Clean || i == 1 && top > rules.Inform {
					t.Errorf("%s: example %d of %s: %v: %s", r.ID, n+1, []string{"Wrong", "Right"}[i], top, strings.Join(found, "\n"))
				}
			}
		}
	}
}

// TestRuleCases runs the rules on the packages in testdata. Packages named bad-… must match with
// the severity at the top of the file. Packages named ok-… must not match.
func TestRuleCases(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		id := strings.ToUpper(strings.TrimSuffix(filepath.Base(name), ".txtar"))
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(data)
		want := map[string]string{}
		for line := range strings.Lines(string(archive.Comment)) {
			if k, v, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				want[k] = v
			}
		}
		cases := map[string]map[string]string{}
		for _, f := range archive.Files {
			dir, rest, _ := strings.Cut(f.Name, "/")
			if cases[dir] == nil {
				cases[dir] = map[string]string{}
			}
			text := string(f.Data)
			if plain, ok := strings.CutSuffix(rest, ".quoted"); ok {
				rest, text = plain, ""
				for line := range strings.Lines(string(f.Data)) {
					s, err := strconv.Unquote(strings.TrimSpace(line))
					if err != nil {
						t.Fatalf("%s: %q: %v", f.Name, line, err)
					}
					text += s
				}
			}
			cases[dir][rest] = text
		}
		for _, dir := range slices.Sorted(maps.Keys(cases)) {
			top, found := worst(t, id, cases[dir])
			if w := want[dir]; w != "" && top.String() != w || w == "" && (top == rules.Clean && strings.HasPrefix(dir, "bad") || top > rules.Inform && !strings.HasPrefix(dir, "bad")) {
				t.Errorf("%s %s: %v, not %q: %s", id, dir, top, w, strings.Join(found, "\n"))
			}
		}
	}
}
