package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"

	"github.com/vadehq/vade/internal/testenv"
)

func TestAbbreviated(t *testing.T) {
	for _, tc := range []struct{ names, want []string }{
		{[]string{"codex", "copilot-cli", "copilot-vscode", "cursor"}, []string{"cod", "co-c", "co-v", "cur"}},
		{[]string{"claude-code", "copilot-cli", "claude-sdk"}, []string{"cl-c", "co-c", "cl-s"}},
		{[]string{"pi"}, []string{"pi"}},
		{[]string{"gemini", "gemma"}, []string{"gemi", "gemm"}},
		{nil, []string{}},
	} {
		if got := columnTitles(tc.names); !slices.Equal(got, tc.want) {
			t.Errorf("%v: %v, want %v", tc.names, got, tc.want)
		}
	}
	all := columnTitles(registry.RealNames()[:11])
	if slices.Sort(all); len(slices.Compact(all)) != 11 {
		t.Errorf("two hosts look alike: %v", all)
	}
}

// drawn returns an explanation with random hosts and definitions.
func drawn(t *rapid.T) *explain.Explanation {
	x := &explain.Explanation{}
	names := registry.RealNames()[:11]
	for _, name := range names[:rapid.IntRange(1, len(names)).Draw(t, "hosts")] {
		x.Hosts = append(x.Hosts, explain.Host{Host: name, Version: "1"})
	}
	word := rapid.StringMatching(`[a-zé漢/.\x1b -]{0,60}`)
	for range rapid.IntRange(1, 4).Draw(t, "definitions") {
		d := explain.ExplainedFile{Kind: definition.Skill, Name: word.Draw(t, "name"), Path: word.Draw(t, "path"), Layer: definition.Project}
		for _, h := range x.Hosts {
			d.Verdicts = append(d.Verdicts, explain.Verdict{
				Host: h.Host, State: rapid.SampledFrom([]string{"loaded", "shadowed", "dropped", "disabled", "not read"}).Draw(t, "state"),
				Reason: word.Draw(t, "reason"), Fix: word.Draw(t, "fix"), Basis: rapid.SampledFrom([]string{"observed", "inferred"}).Draw(t, "basis"),
				Name: d.Name, Kind: "skill", Path: d.Path,
			})
		}
		x.Definitions = append(x.Definitions, d)
	}
	return x
}

// TestExplainFits checks that the matrix has a mark for each host and definition, that it is never
// wider than the screen, and that file names are escaped.
func TestExplainFits(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		x := drawn(t)
		width := rapid.IntRange(30, 200).Draw(t, "width")
		var b bytes.Buffer
		p := &explainPrinter{x: x, out: terminal.New(&b, terminal.Options{Width: width}), ascii: rapid.Bool().Draw(t, "ascii")}
		p.matrix(func(d *explain.ExplainedFile) string { return d.Name })
		for _, line := range strings.Split(b.String(), "\n") {
			if terminal.Width(line) > width {
				t.Fatalf("%d columns of %d: %q", terminal.Width(line), width, line)
			}
		}
		p.named()
		p.everything()
		p.oneHost()
		text := b.String()
		if strings.ContainsRune(text, 0x1b) || !utf8.ValidString(text) {
			t.Fatalf("%q", text)
		}
	})
}

func TestReasonsPrintedOnce(t *testing.T) {
	x := &explain.Explanation{Definitions: []explain.ExplainedFile{{Kind: definition.Skill, Name: "x", Path: "x", Layer: definition.Project}}}
	d := &x.Definitions[0]
	for i, name := range []string{"a", "b", "c", "d"} {
		x.Hosts = append(x.Hosts, explain.Host{Host: name})
		v := explain.Verdict{Host: name, State: "not read", Reason: name + " reads nothing here", Fix: "move it", Basis: "observed"}
		if i == 3 {
			v.Reason, v.Basis = "d reads something else", inferred
		}
		d.Verdicts = append(d.Verdicts, v)
	}
	var b bytes.Buffer
	p := &explainPrinter{x: x, out: terminal.New(&b, terminal.Options{}), ascii: true}
	p.definition(d)
	want := `skill x  x (project)
  - not read: a, b, c
      reads nothing here
      fix: move it
  - not read: d?
      reads something else
      fix: move it
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

func TestUTF8Locale(t *testing.T) {
	for _, tc := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "en_GB.UTF-8"}, true},
		{map[string]string{"LC_ALL": "C", "LANG": "en_GB.UTF-8"}, false},
		{map[string]string{"LC_CTYPE": "de_DE.utf8"}, true},
	} {
		a := &app{world: World{LookupEnv: func(name string) (string, bool) { v, ok := tc.env[name]; return v, ok }}}
		if a.utf8() != tc.want {
			t.Errorf("%v: %v", tc.env, a.utf8())
		}
	}
}

func TestWrapped(t *testing.T) {
	var b bytes.Buffer
	p := &explainPrinter{x: &explain.Explanation{}, out: terminal.New(&b, terminal.Options{Width: 30})}
	p.wrapped(7, "one two three four five averyveryverylongwordthatfitsnowhere six", labelCell(terminal.Green, "  fix: "))
	want := fmt.Sprintf("  fix: one two three four five\n%saveryveryverylongwordthatfitsnowhere\n%ssix\n", "       ", "       ")
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// TestNamedFits checks that the explanation of one skill fits into 80 columns, that legend items
// are not broken across lines, and that typical output is short.
func TestNamedFits(t *testing.T) {
	d := explain.ExplainedFile{Kind: definition.Skill, Name: "good", Path: ".claude/skills/good/SKILL.md", Root: ".claude/skills", Layer: definition.Project}
	x := &explain.Explanation{}
	for i, name := range registry.RealNames()[:11] {
		x.Hosts = append(x.Hosts, explain.Host{Host: name})
		v := explain.Verdict{
			Host: name, State: "loaded", Name: "good", Kind: "skill", Basis: "observed", UserCall: "/good", Trust: "answer yes when the host asks",
			ModelCall: []string{"Skill(good)", "skill(good)", "reads good's SKILL.md"}[i%3],
		}
		if i%2 == 0 {
			v = explain.Verdict{
				Host: name, State: "not read", Basis: "inferred", Reads: []string{".agents/skills", "." + name}, Reason: name + " reads .agents/skills and ." + name + ", not .claude/skills",
				Fix: "mkdir -p .agents/skills && ln -s ../../.claude/skills/good .agents/skills/good",
			}
		}
		d.Verdicts = append(d.Verdicts, v)
	}
	x.Definitions = []explain.ExplainedFile{d}
	for _, color := range []bool{false, true} {
		var b bytes.Buffer
		env := func(name string) (string, bool) { return "1", name == "FORCE_COLOR" && color }
		p := &explainPrinter{x: x, out: terminal.New(&b, terminal.Options{Width: 80, Env: env})}
		p.named()
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for _, line := range lines {
			if n := terminal.Width(sgr.ReplaceAllString(line, "")); n > 80 || strings.HasSuffix(line, " =") {
				t.Errorf("%d columns: %q", n, line)
			}
		}
		if len(lines) > 20 {
			t.Errorf("%d lines:\n%s", len(lines), b.String())
		}
		for _, want := range []string{"  none of these hosts reads .claude/skills; all read .agents/skills\n", "mkdir -p .agents/skills &&\n", " ln -s ../../.claude/skills/good .agents/skills/good\n"} {
			if strings.Count(b.String(), want) != 1 {
				t.Errorf("%q is not there once:\n%s", want, b.String())
			}
		}
	}
}
