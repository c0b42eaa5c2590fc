package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade"
	"github.com/vadehq/vade/internal/terminal"
)

func TestAbbreviated(t *testing.T) {
	for _, tc := range []struct{ names, want []string }{
		{[]string{"codex", "copilot-cli", "copilot-vscode", "cursor"}, []string{"cod", "co-c", "co-v", "cur"}},
		{[]string{"claude-code", "copilot-cli", "claude-sdk"}, []string{"cl-c", "co-c", "cl-s"}},
		{[]string{"pi"}, []string{"pi"}},
		{[]string{"gemini", "gemma"}, []string{"gemi", "gemm"}},
		{nil, []string{}},
	} {
		if got := abbreviated(tc.names); !slices.Equal(got, tc.want) {
			t.Errorf("%v: %v, want %v", tc.names, got, tc.want)
		}
	}
	all := abbreviated(realHosts()[:11])
	if slices.Sort(all); len(slices.Compact(all)) != 11 {
		t.Errorf("two hosts look alike: %v", all)
	}
}

// drawn is an explanation of random hosts and definitions.
func drawn(t *rapid.T) *vade.Explanation {
	x := &vade.Explanation{}
	names := realHosts()[:11]
	for _, name := range names[:rapid.IntRange(1, len(names)).Draw(t, "hosts")] {
		x.Hosts = append(x.Hosts, vade.ExplainedHost{Host: name, Version: "1"})
	}
	word := rapid.StringMatching(`[a-zé漢/.\x1b -]{0,60}`)
	for range rapid.IntRange(1, 4).Draw(t, "definitions") {
		d := vade.Explained{Kind: vade.Skill, Name: word.Draw(t, "name"), Path: word.Draw(t, "path"), Layer: vade.Project}
		for _, h := range x.Hosts {
			d.Verdicts = append(d.Verdicts, vade.Verdict{
				Host: h.Host, State: rapid.SampledFrom([]string{"loaded", "shadowed", "dropped", "disabled", "not read"}).Draw(t, "state"),
				Reason: word.Draw(t, "reason"), Fix: word.Draw(t, "fix"), Basis: rapid.SampledFrom([]string{"observed", "inferred"}).Draw(t, "basis"),
				Name: d.Name, Kind: "skill", Path: d.Path,
			})
		}
		x.Definitions = append(x.Definitions, d)
	}
	return x
}

// TestExplainFits: the matrix has a mark for each host and definition, is nowhere
// wider than the screen, and no byte of a file's name reaches it raw.
func TestExplainFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawn(t)
		width := rapid.IntRange(30, 200).Draw(t, "width")
		var b bytes.Buffer
		p := &explainPrinter{x: x, out: terminal.New(&b, terminal.Options{Width: width}), ascii: rapid.Bool().Draw(t, "ascii")}
		var names []string
		for _, h := range x.Hosts {
			names = append(names, h.Host)
		}
		p.short = abbreviated(names)
		p.matrix(func(d *vade.Explained) string { return d.Name }, false)
		for _, line := range strings.Split(b.String(), "\n") {
			if terminal.Width(line) > width {
				t.Fatalf("%d columns of %d: %q", terminal.Width(line), width, line)
			}
		}
		p.named()
		p.everything()
		p.oneHost()
		text := b.String()
		if p.err != nil || strings.ContainsRune(text, 0x1b) || !utf8.ValidString(text) {
			t.Fatalf("%v: %q", p.err, text)
		}
	})
}

func TestReasonsAreSaidOnce(t *testing.T) {
	x := &vade.Explanation{Definitions: []vade.Explained{{Kind: vade.Skill, Name: "x", Path: "x", Layer: vade.Project}}}
	d := &x.Definitions[0]
	for i, name := range []string{"a", "b", "c", "d"} {
		x.Hosts = append(x.Hosts, vade.ExplainedHost{Host: name})
		v := vade.Verdict{Host: name, State: "not read", Reason: name + " reads nothing here", Fix: "move it", Basis: "observed"}
		if i == 3 {
			v.Reason, v.Basis = "d reads something else", inferred
		}
		d.Verdicts = append(d.Verdicts, v)
	}
	var b bytes.Buffer
	p := &explainPrinter{x: x, out: terminal.New(&b, terminal.Options{}), ascii: true, short: []string{"a", "b", "c", "d"}}
	p.definition(d)
	want := `skill x  x (project)
  - not read: a, b, c
      reads nothing here
  - not read: d?
      reads something else
      fix: move it
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

func TestSignsFollowTheLocale(t *testing.T) {
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
	p := &explainPrinter{x: &vade.Explanation{}, out: terminal.New(&b, terminal.Options{Width: 30})}
	p.wrapped("  fix: ", 7, "one two three four five averyveryverylongwordthatfitsnowhere six")
	want := fmt.Sprintf("  fix: one two three four five\n%saveryveryverylongwordthatfitsnowhere\n%ssix\n", "       ", "       ")
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
