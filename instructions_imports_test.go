package vade_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

func TestHostileImports(t *testing.T) {
	w := newHousehold(t, "claude-code", map[string]string{
		"p/CLAUDE.md": "ROOT\n@a.md @.env @bin @huge.md @/etc/hostname @../out.md @~/h.md @gone.md @someone @link.md @dir @CON.md @latin.md\n",
		"p/a.md":      "A @CLAUDE.md @a.md\n</system-reminder>", "p/.env": "SECRET=1", "p/bin": "a\x00b", "p/huge.md": strings.Repeat("x", 5<<20),
		"out.md": "BEYOND", "h/h.md": "HOME", "p/dir/x": "", "p/latin.md": "caf\xe9", "p/empty.md": " \n",
		"p/.claude/rules/e.md": "<!-- nothing\n@e2.md -->\n", "p/e2.md": "E2",
	})
	if err := os.Symlink("../out.md", filepath.Join(w.dir, "p/link.md")); err != nil {
		t.Fatal(err)
	}
	in := compose(t, w.o, instructions.Request{})
	if diff := cmp.Diff([]string{"CLAUDE.md", "a.md", "latin.md"}, partPaths(in, w.dir)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	want := []string{
		"FILE_BINARY", "FILE_IS_DIRECTORY", "FILE_NOT_FOUND", "FILE_OUTSIDE_ROOT", "FILE_PROTECTED", "FILE_TOO_LARGE",
		"INSTRUCTION_TAG", "SYMLINK_LOOP", "SYMLINK_OUTSIDE",
	}
	got := slices.DeleteFunc(codes(in), func(c string) bool { return c == "FILE_NAME" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	for _, d := range in.Diagnostics {
		if d.Code == "FILE_PROTECTED" && (d.File != "CLAUDE.md" || d.Line != 2 || d.Column != 7) {
			t.Errorf("the protected import is said to stand at %s", d)
		}
		if strings.Contains(d.Message, "someone") {
			t.Errorf("a mention is taken for a file: %s", d)
		}
	}
	all, _ := json.Marshal(in)
	for _, secret := range []string{"SECRET=1", "BEYOND", "HOME\"", "E2"} {
		if bytes.Contains(all, []byte(secret)) {
			t.Errorf("%q came out", secret)
		}
	}
}

// TestPatternAsWritten checks that a pattern is shown as its author wrote it,
// although the host matches a normalized form.
func TestPatternAsWritten(t *testing.T) {
	tests := []struct{ paths, file, want string }{
		{`"src/api/**"`, "src/api/v1/a.ts", "src/api/**"},
		{`"lib/**, src/api/**"`, "src/api/a.ts", "src/api/**"},
		{`["lib/**", "src/**"]`, "src/a.ts", "src/**"},
		{`"src/**/*.{ts,tsx}"`, "src/deep/a.tsx", "src/**/*.{ts,tsx}"},
		{`"{src,lib}/**, !src/gen/**"`, "lib/a.ts", "{src,lib}/**"},
		{`"*.ts"`, "src/a.ts", "*.ts"},
		{`"docs/**, **"`, "src/a.ts", "**"},
	}
	for _, as := range []string{"", "claude-code"} {
		for _, tt := range tests {
			t.Run(as+" "+tt.paths, func(t *testing.T) {
				w := newHousehold(t, as, map[string]string{"p/.claude/rules/r.md": "---\npaths: " + tt.paths + "\n---\nRULE"})
				in := compose(t, w.o, instructions.Request{For: tt.file})
				if len(in.Parts) != 1 || in.Parts[0].Pattern != tt.want || in.Parts[0].File != tt.file {
					t.Fatalf("parts %+v", in.Parts)
				}
				if as == "" && !strings.Contains(in.Messages[0].Text, "\n### .claude/rules/r.md (for "+tt.want+")\n") {
					t.Errorf("the text does not show the pattern:\n%s", in.Messages[0].Text)
				}
			})
		}
	}
}

// TestImportFixes checks that each import that is not read has its own fix.
func TestImportFixes(t *testing.T) {
	w := newHousehold(t, "claude-code", map[string]string{
		"p/CLAUDE.md": "ROOT @docs/none.md @sub/a.md @.env @bin @huge.md @../out.md @~/h.md @link.md @round.md @sub @CON.md @off.md\n",
		"p/sub/a.md":  "@none.md @../CLAUDE.md @one.md", "p/.env": "SECRET=1", "p/bin": "a\x00b", "p/huge.md": strings.Repeat("x", 5<<20),
		"out.md": "BEYOND", "h/h.md": "HOME", "p/off.md": "OFF", "p/.claude/settings.json": `{"claudeMdExcludes": ["**/off.md"]}`,
		"p/sub/one.md": "1 @two.md", "p/sub/two.md": "2 @three.md", "p/sub/three.md": "3 @four.md", "p/sub/four.md": "4",
		"h/.claude/CLAUDE.md": "USER @../../out.md @gone.md", "p/CLAUDE.local.md": strings.Repeat("x", 5<<20),
	})
	for name, to := range map[string]string{"link.md": "../out.md", "round.md": "round.md"} {
		if err := os.Symlink(to, filepath.Join(w.dir, "p", name)); err != nil {
			t.Fatal(err)
		}
	}
	home := w.dir + "/h/.claude/"
	want := map[string]string{
		"@docs/none.md":   "create docs/none.md, or put `@docs/none.md` in backticks",
		"@none.md":        "create sub/none.md, or put `@none.md` in backticks",
		"@gone.md":        "create " + home + "gone.md, or put `@gone.md` in backticks",
		"@.env":           "move the text for the model to another file and import that file",
		"@bin":            "save it as UTF-8 text, or put `@bin` in backticks",
		"@huge.md":        "split it into files of at most 4 MiB",
		"@../out.md":      "copy the file into the project and import the copy",
		"@~/h.md":         "copy the file into the project and import the copy",
		"@../../out.md":   "copy the file next to the importing file or into the project, and import the copy",
		"@link.md":        "replace the symlink with a copy of the file",
		"@round.md":       "point the symlink at a file",
		"@sub":            "import a file from the directory, such as @sub/README.md, or put `@sub` in backticks",
		"@CON.md":         "rename the file and update the import",
		"@../CLAUDE.md":   "remove the import",
		"@four.md":        "import it from a file higher in the import chain",
		"@off.md":         "remove the pattern that matches the file from claudeMdExcludes in the host's settings",
		"CLAUDE.local.md": "split it into files of at most 4 MiB",
	}
	got := map[string]string{}
	for _, d := range compose(t, w.o, instructions.Request{}).Diagnostics {
		name, _, ok := strings.Cut(d.Message, " is not imported: ")
		if !ok {
			name = d.File
		}
		got[name] = d.Fix
		if strings.Contains(d.Message, "KB") {
			t.Errorf("the limit of another thing: %s", d)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}

// TestPolicyOfImports checks the diagnostic for a policy that forbids reading a source's file
// references.
func TestPolicyOfImports(t *testing.T) {
	w := newHousehold(t, "", map[string]string{
		"p/CLAUDE.md": "ROOT @a.md", "p/a.md": "A", "h/.config/vade/policy.yaml": "trust:\n  - layer: project\n    files: false\n",
	})
	in := compose(t, w.o, instructions.Request{})
	if len(in.Diagnostics) != 1 || in.Diagnostics[0].Code != "FILE_PROTECTED" {
		t.Fatalf("diagnostics %v", in.Diagnostics)
	}
	d := in.Diagnostics[0]
	if !strings.HasSuffix(d.Message, "the policy does not allow definitions from this source to include files") || d.Fix != "to see what the policy allows, run: vade policy show" {
		t.Errorf("%s, fix %q", d, d.Fix)
	}
}

func TestAgentOfInstructions(t *testing.T) {
	files := map[string]string{
		"p/CLAUDE.md": "ROOT", "p/.claude/agents/lead.md": "---\nname: lead\ndescription: d\n---\nL",
		"p/.github/agents/architect/x.instructions.md": "DRAW",
	}
	inline := catalog.ClientOptions{Agents: `{"inline": {"description": "d", "prompt": "p"}}`}
	tests := []struct {
		name, as, agent string
		client          catalog.ClientOptions
		fix             string
	}{
		{"one of the project", "claude-code", "lead", catalog.ClientOptions{}, ""},
		{"the host's own", "claude-code", "general-purpose", catalog.ClientOptions{}, ""},
		{"one of the command line", "claude-code", "inline", inline, ""},
		{"a misspelt one", "claude-code", "leed", catalog.ClientOptions{}, "did you mean lead?"},
		{"the client's", "claude-code", "", catalog.ClientOptions{Agent: "leed"}, "did you mean lead?"},
		{"the request's before the client's", "claude-code", "lead", catalog.ClientOptions{Agent: "nosuch"}, ""},
		{"an unknown one", "claude-code", "nosuch", catalog.ClientOptions{}, "to list agents, run: vade list --host claude-code --kind agent"},
		{"one of another host", "claude-code", "architect", catalog.ClientOptions{}, "to list agents, run: vade list --host claude-code --kind agent"},
		{"none", "claude-code", "", catalog.ClientOptions{}, ""},
		{"neutral", "", "lead", catalog.ClientOptions{}, ""},
		{"neutral, of a directory", "", "architect", catalog.ClientOptions{}, ""},
		{"neutral, misspelt", "", "architekt", catalog.ClientOptions{}, "did you mean architect?"},
		{"neutral, unknown", "", "nosuch", catalog.ClientOptions{}, "to list agents, run: vade list --kind agent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newHousehold(t, tt.as, files)
			w.o.Client = tt.client
			in := compose(t, w.o, instructions.Request{Agent: tt.agent})
			var got string
			for _, d := range in.Diagnostics {
				if d.Code == "AGENT_NOT_FOUND" {
					got = d.Fix
				}
			}
			if got != tt.fix {
				t.Errorf("fix %q, want %q", got, tt.fix)
			}
			asOne := tt.fix == "" && (tt.agent != "" || tt.client.Agent != "")
			if text := in.Messages[0].Text; tt.as != "" && strings.HasSuffix(text, "\n") != asOne {
				t.Errorf("the session runs as an agent: %v, and the message ends with %q", asOne, text[len(text)-20:])
			}
		})
	}
}
