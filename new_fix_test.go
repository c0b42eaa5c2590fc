package vade

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/scaffold"
)

// notesOf returns the messages and fixes from a result's notes.
func notesOf(r *scaffold.Result) string {
	var all []string
	for _, d := range r.Diagnostics {
		all = append(all, d.File+": "+d.Message+"; "+d.Fix)
	}
	return strings.Join(all, "\n")
}

// TestNewIsClean creates a skill and a command with arguments and tools for each host. vade check
// must not find a problem in the whole project, except for files that some host does not read.
func TestNewIsClean(t *testing.T) {
	for _, h := range append([]string{""}, export.Hosts()...) {
		for _, k := range []definition.Kind{definition.Skill, definition.Command} {
			t.Run(k.String()+" "+h, func(t *testing.T) {
				t.Parallel()
				// These hosts accept only a list here.
				lists := h == "copilot-cli" || h == "qwen"
				o := layProject(t, map[string]string{".git/HEAD": "ref: x\n", ".claude/rules/a.md": "A.\n"})
				got, err := scaffold.New(t.Context(), o, scaffold.Request{
					Kind: k, Name: "tidy", Description: newDescription, Arguments: []string{"branch"}, Tools: []string{"Bash(git diff:*)", "Read"}, Host: h,
				})
				if err != nil || !got.Done {
					t.Fatalf("%v", err)
				}
				report, err := check.Run(t.Context(), o, check.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range report.Findings {
					if f.Code != diag.RootUnread && f.Code != diag.NotRead && (f.Severity != diag.Info || f.Code == diag.FieldList && !lists) {
						t.Errorf("%s %s:%d %s", f.Code, f.Path, f.Line, f.Message)
					}
				}
			})
		}
	}
}

// TestNewForeignFields checks that a file omits fields that its host does not use.
func TestNewForeignFields(t *testing.T) {
	for _, h := range []string{"claude-code", "codex"} {
		o := layProject(t, nil)
		got, err := scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Skill, Name: "tidy", Description: newDescription, Arguments: []string{"branch"}, Model: "opus", Host: h})
		if err != nil || !got.Done {
			t.Fatalf("%+v %v", got, err)
		}
		text := newText(t, got, 0)
		if has := strings.Contains(text, "\nmodel:"); has != (h == "claude-code") || !strings.Contains(text, "- branch\n") {
			t.Errorf("%s:\n%s", h, text)
		}
		for _, l := range got.Losses {
			if strings.Contains(l.Message, "argument") {
				t.Errorf("%+v", l)
			}
		}
	}
}

// TestNewFromBundled copies bundled skills with their companion files.
func TestNewFromBundled(t *testing.T) {
	for _, name := range []string{"claude-api", "keybindings", "lorem-ipsum", "remember", "run-skill-generator", "simplify", "update-config"} {
		t.Run(name, func(t *testing.T) {
			o := layProject(t, nil)
			got, err := scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Skill, Name: "my-own", From: "skill:" + name})
			if err != nil || !got.Done || len(got.Findings) > 0 || len(got.Losses) > 0 {
				t.Fatalf("%+v %v", got, err)
			}
			text, err := os.ReadFile(filepath.Join(o.Dir, got.Files[0].Path))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range got.Files[1:] {
				rel := strings.TrimPrefix(f.Path, ".agents/skills/my-own/")
				if data, err := os.ReadFile(filepath.Join(o.Dir, f.Path)); err != nil || len(data) == 0 || !strings.Contains(string(text), rel) {
					t.Errorf("%s %v", rel, err)
				}
			}
			if strings.Contains(string(text), "](reference/") != (len(got.Files) > 1) {
				t.Errorf("%d files", len(got.Files))
			}
		})
	}
}

// TestNewInstructionExists checks the suggestion when the project-wide
// instruction file already exists.
func TestNewInstructionExists(t *testing.T) {
	o := layProject(t, map[string]string{".git/HEAD": "ref: x\n", "AGENTS.md": "Mine.\n"})
	_, err := scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Instruction, Name: "house", Host: "codex"})
	var e *scaffold.Error
	if !errors.Is(err, scaffold.ErrNewExists) || !errors.As(err, &e) || strings.Contains(e.Fix, "another name") || !strings.Contains(e.Fix, "by hand") {
		t.Errorf("%v %+v", err, e)
	}
}

// TestNewSyncHosts checks that the result lists exactly the hosts that sync would not detect.
func TestNewSyncHosts(t *testing.T) {
	r := scaffold.Request{Kind: definition.Skill, Name: "x", Description: newDescription}
	for _, tc := range []struct {
		name  string
		files map[string]string
		sync  []string
		calls string
	}{
		{"shown", map[string]string{".claude/skills/y/SKILL.md": "---\nname: y\ndescription: Y.\n---\nY.\n"}, []string{}, "claude-code"},
		{"named", map[string]string{"vade.yaml": "hosts: [gemini, claude-code]\n"}, []string{}, "claude-code"},
		{"not shown", map[string]string{"AGENTS.md": "Mine.\n"}, []string{"claude-code"}, "claude-code"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.files[".git/HEAD"] = "ref: x\n"
			got, err := scaffold.New(t.Context(), layProject(t, tc.files), r)
			if err != nil || !got.Done || !slices.Equal(got.SyncHosts, tc.sync) {
				t.Fatalf("%+v %v", got, err)
			}
			later := ""
			for _, c := range got.Calls {
				if !c.Loaded {
					later += c.Host
				}
				if c.Host == "agentskills" {
					t.Errorf("nobody types into a format: %+v", c)
				}
			}
			if later != tc.calls {
				t.Errorf("later for %s", later)
			}
		})
	}
}

// TestNewAgain checks that a second definition is reported for the same hosts as the first. The
// first one is in the source of truth, so it does not indicate which hosts the project uses.
func TestNewAgain(t *testing.T) {
	o := layProject(t, map[string]string{".git/HEAD": "ref: x\n", "CLAUDE.md": "Mine.\n"})
	for _, name := range []string{"one", "two"} {
		got, err := scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Agent, Name: name, Description: newDescription})
		if err != nil || !got.Done {
			t.Fatalf("%+v %v", got, err)
		}
		all := strings.Join(got.SyncHosts, " ")
		for _, c := range got.Calls {
			all += "\n" + c.Host
		}
		if !strings.Contains(all, "claude-code") {
			t.Errorf("%s: %s", name, all)
		}
	}
}

// TestNewForDirectory creates an instruction for a directory's files, for hosts without patterns.
func TestNewForDirectory(t *testing.T) {
	for _, h := range []string{"codex", "gemini", "opencode", "pi", "qwen", "claude-code", "cursor"} {
		t.Run(h, func(t *testing.T) {
			o := layProject(t, map[string]string{"src/a.go": "package a\n"})
			got, err := scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Instruction, Name: "go-style", Paths: []string{"src/**"}, Host: h})
			if errors.Is(err, scaffold.ErrHost) && !strings.Contains(err.Error(), "would not load") {
				t.Skipf("the host has no such instructions: %v", err)
			}
			if err != nil || !got.Done || len(got.Calls) != 1 || !got.Calls[0].Loaded {
				t.Fatalf("%+v %v", got, err)
			}
			if h == "codex" && got.Files[0].Path != "src/AGENTS.md" {
				t.Errorf("%+v", got.Files)
			}
		})
	}
}

// TestNewAlias creates a skill whose name is an alias of a bundled skill. The conflict must be
// reported, and the bundled skill must still load under its own name.
func TestNewAlias(t *testing.T) {
	o := layProject(t, nil)
	got, err := scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Skill, Name: "shortcuts", Description: newDescription})
	if err != nil || !got.Done {
		t.Fatalf("%+v %v", got, err)
	}
	if n := notesOf(got); !strings.Contains(n, "the skill keybindings also has the name shortcuts") {
		t.Error(n)
	}
	c, err := catalog.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.List(t.Context(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list, func(d catalog.Definition) bool { return d.Name() == "keybindings" })
	if at < 0 || list[at].State() != definition.Loaded || slices.Contains(list[at].Aliases(), "shortcuts") || len(list[at].Diagnostics()) > 0 {
		t.Fatalf("%d of %d: %v", at, len(list), list[max(at, 0)].Diagnostics())
	}
	if d, err := c.Get(t.Context(), definition.Skill, "shortcuts"); err != nil || d.Name() != "shortcuts" {
		t.Errorf("%v %v", d.Name(), err)
	}
}

// TestNewUserForOthers creates a user definition that some of the project's hosts do not read. The
// report must name these hosts. It then creates the definition for one of them.
func TestNewUserForOthers(t *testing.T) {
	o := layProject(t, map[string]string{".git/HEAD": "ref: x\n", ".claude/skills/y/SKILL.md": "---\nname: y\ndescription: Y.\n---\nY.\n"})
	r := scaffold.Request{Kind: definition.Skill, Name: "my-review", From: "simplify", User: true}
	got, err := scaffold.New(t.Context(), o, r)
	if err != nil || !got.Done || !slices.ContainsFunc(got.Calls, func(c scaffold.Call) bool { return c.Host == "claude-code" && !c.Loaded }) || len(got.SyncHosts) > 0 {
		t.Fatalf("%+v %v", got, err)
	}
	r.From, r.Host = "my-review", "claude-code"
	got, err = scaffold.New(t.Context(), o, r)
	if err != nil || !got.Done || !got.Calls[0].Loaded || got.Files[0].Path != ".claude/skills/my-review/SKILL.md" {
		t.Fatalf("%+v %v", got, err)
	}
	// The name is already taken in hosts that read the first definition.
	r.Host = "codex"
	if _, err = scaffold.New(t.Context(), o, r); !errors.Is(err, scaffold.ErrNewExists) {
		t.Errorf("%v", err)
	}
}
