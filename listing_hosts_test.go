package vade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
)

// TestHiddenBySiblingFile checks that only the value false in Codex's file hides a skill, and that
// an unreadable file does not hide it.
func TestHiddenBySiblingFile(t *testing.T) {
	const key = "policy:\n  allow_implicit_invocation: "
	files := map[string]string{}
	for name, text := range map[string]string{
		"no": key + "false\n", "yes": key + "true\n", "text": key + "\"false\"\n", "broken": "policy: [\n", "other": "interface:\n  x: false\n",
		"long": key + "false\n# " + strings.Repeat("x", 70<<10), "flat": "policy: false\n", "empty": "",
	} {
		files["p/.agents/skills/"+name+"/SKILL.md"] = "---\nname: " + name + "\ndescription: d\n---\nx\n"
		files["p/.agents/skills/"+name+"/agents/openai.yaml"] = text
	}
	files["p/.agents/skills/none/SKILL.md"] = "---\nname: none\ndescription: d\n---\nx\n"
	w := newHousehold(t, "codex", files)
	l, err := listingOf(t, w.o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range l.Skipped {
		got = append(got, s.Name)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"no"}, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	if len(l.Skills) != 8 {
		t.Errorf("%d are listed", len(l.Skills))
	}
}

// TestSwitchesOfHosts checks that if a host does not support an option, the error names the option.
func TestSwitchesOfHosts(t *testing.T) {
	all := map[string]catalog.ClientOptions{
		"SettingSources": {SettingSources: []string{"user"}}, "Bare": {Bare: true}, "NoCommands": {NoCommands: true},
		"PermissionMode": {PermissionMode: "plan"}, "Agents": {Agents: "{}"}, "Agent": {Agent: "x"}, "AddDirs": {AddDirs: []string{"."}},
		"ContextTokens": {ContextTokens: 9}, "Touched": {Touched: []string{"x"}},
	}
	takes := map[string][]string{
		"agentskills": {}, "codex": {"ContextTokens"}, "copilot-cli": {"Touched"}, "copilot-vscode": {"Touched"}, "gemini": {"Touched"},
		"opencode": {"Touched"}, "cursor": {"Touched"}, "pi": {}, "qwen": {"Touched"}, "neutral": {},
	}
	w := newHousehold(t, "", nil)
	for _, as := range catalog.Hosts() {
		host, _, _ := strings.Cut(as, "@")
		for name, client := range all {
			o := w.o
			o.As, o.Client = as, client
			c, err := catalog.Open(t.Context(), o)
			if err == nil {
				c.Close()
			}
			takesIt := strings.HasPrefix(as, "claude") || slices.Contains(takes[host], name)
			if takesIt != (err == nil) {
				t.Errorf("%s, %s: %v", as, name, err)
			}
			if err != nil && (!strings.Contains(err.Error(), "ClientOptions."+name) || !strings.Contains(err.Error(), host)) {
				t.Errorf("%s, %s: %v", as, name, err)
			}
		}
		if _, ok := takes[host]; !ok && !strings.HasPrefix(as, "claude") {
			t.Errorf("%s has no row", as)
		}
	}
}

// TestLongListing checks that if there are a thousand skills, Codex lists only as many as fit, and
// the omitted ones are reported.
func TestLongListing(t *testing.T) {
	r := budgetCase(t, "codex")
	files := map[string]string{}
	for name, raw := range r.Files {
		files["p/"+name] = string(content(t, raw))
	}
	w := newHousehold(t, "codex", files)
	l, err := listingOf(t, w.o)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.Text); n < 18_000 || n > 23_000 || len(l.Skills) != 300 || len(l.Cut) != 300 {
		t.Errorf("%d bytes, %d entries, %d cut", n, len(l.Skills), len(l.Cut))
	}
	w.o.Client.ContextTokens = 50_000
	if l, err = listingOf(t, w.o); err != nil {
		t.Fatal(err)
	}
	omitted := 0
	for _, c := range l.Cut {
		if c.Reason == catalog.CutOmitted {
			omitted++
		}
	}
	if omitted == 0 || omitted+len(l.Skills) != 300 {
		t.Errorf("%d entries, %d left out", len(l.Skills), omitted)
	}
}
