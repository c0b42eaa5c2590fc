package vade

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/scaffold"

	"github.com/vadehq/vade/internal/testenv"
)

const newDescription = "Looks at a change and says what is wrong in it. Use when a change is ready."

// TestNewTemplates creates a definition from each template, for each host and without a host. vade
// check must not find anything, and the host must load the definition under its name.
func TestNewTemplates(t *testing.T) {
	t.Parallel()
	for _, template := range scaffold.Templates(0) {
		for _, h := range append([]string{""}, export.Hosts()...) {
			t.Run(fmt.Sprintf("%s/%s/%s", template.Kind, template.Name, h), func(t *testing.T) {
				t.Parallel()
				o := layProject(t, nil)
				r := scaffold.Request{Kind: template.Kind, Name: "fresh-start", From: template.Name, Description: newDescription}
				if h != "" {
					r.Host = h
				}
				got, err := scaffold.New(t.Context(), o, r)
				if lacks := hostLacks(h, template.Kind); lacks || err != nil {
					if !lacks || !errors.Is(err, scaffold.ErrHost) || snapshot(t, o.Dir) != "" {
						t.Fatalf("err = %v, left %q", err, snapshot(t, o.Dir))
					}
					return
				}
				if !got.Done || len(got.Findings) > 0 {
					t.Fatalf("done %v, findings %v", got.Done, got.Findings)
				}
				for i, f := range got.Files {
					text := newText(t, got, i)
					if strings.Contains(text, "{{inputs") || strings.Contains(text, "{{title") || strings.Contains(text, "about:") || strings.Contains(text, "\n\n\n") || strings.Count(text, "\n") > 500 {
						t.Errorf("%s is not what was meant:\n%s", f.Path, text)
					}
				}
				checkNew(t, o, h, got)
			})
		}
	}
}

func newText(t *testing.T, r *scaffold.Result, i int) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Directory, r.Files[i].Path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// hostLacks reports whether a host does not support a kind of definition.
func hostLacks(h string, k definition.Kind) bool {
	return k == definition.Agent && (h == "agentskills" || h == "pi") || k == definition.Instruction && h == "agentskills"
}

// checkNew checks the written files as vade check does, and opens the host's view.
func checkNew(t *testing.T, o catalog.Options, h string, got *scaffold.Result) {
	t.Helper()
	hosts := []string{"all"}
	if h != "" {
		hosts = []string{h}
	}
	report, err := check.Run(t.Context(), o, check.Options{Hosts: hosts})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		// vade sync has not yet created the copies from the source of truth.
		if h != "" || f.Severity != diag.Info {
			t.Errorf("vade check: %s %s:%d %s", f.Code, f.Path, f.Line, f.Message)
		}
	}
	name := got.Name
	if h != "" {
		name = got.Calls[0].Name
	}
	o.As = h
	c, err := catalog.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.List(t.Context(), catalog.Query{Layers: []definition.Layer{definition.Project}})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Name() != name || list[0].State() != definition.Loaded {
		t.Errorf("%s has %d definitions; %+v", h, len(list), list)
	}
	if list[0].Kind() == definition.Instruction {
		return
	}
	if list[0].Description() != newDescription {
		t.Errorf("described as %q", list[0].Description())
	}
}

// TestNewFields writes a request's fields and reads them back.
func TestNewFields(t *testing.T) {
	o := layProject(t, nil)
	_, err := scaffold.New(t.Context(), o, scaffold.Request{
		Kind: definition.Command, Name: "git/tidy", Description: "Tidies:  it all #1", Arguments: []string{"branch", "base"}, Tools: []string{"Bash(git log:*)", "Read"}, Model: "opus",
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = scaffold.New(t.Context(), o, scaffold.Request{Kind: definition.Instruction, Name: "go", Description: "Go.", Paths: []string{"**/*.go", "go.{mod,sum}"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d, err := c.Get(t.Context(), definition.Command, "git:tidy")
	if err != nil {
		t.Fatal(err)
	}
	if d.Description() != "Tidies: it all #1" || d.ArgumentHint() != "[branch] [base]" || d.Model() != "opus" {
		t.Errorf("%q %q %q", d.Description(), d.ArgumentHint(), d.Model())
	}
	front, err := d.Frontmatter(t.Context())
	if err != nil || front.Text("allowed-tools") != "Bash(git log:*), Read" {
		t.Errorf("allowed-tools %q %v", front.Text("allowed-tools"), err)
	}
	r, err := c.Load(t.Context(), "/git:tidy main dev")
	if err != nil || r.Command == nil || !strings.Contains(r.Command.Text, "Values: main dev\n") {
		t.Errorf("%+v %v", r, err)
	}
	list, err := c.List(t.Context(), catalog.Query{Kinds: []definition.Kind{definition.Instruction}})
	if err != nil || len(list) != 1 || !slices.Equal(list[0].Paths(), []string{"**/*.go", "go.mod", "go.sum"}) {
		t.Errorf("%q %v", list[0].Paths(), err)
	}
}

// TestNewInvalid checks that invalid requests are rejected and that nothing is written.
func TestNewInvalid(t *testing.T) {
	long := strings.Repeat("a", 65)
	for _, tc := range []struct {
		name string
		r    scaffold.Request
		why  error
	}{
		{"no kind", scaffold.Request{Name: "x", Description: "d"}, scaffold.ErrNewField},
		{"no name", scaffold.Request{Kind: definition.Skill, Description: "d"}, scaffold.ErrName},
		{"uppercase", scaffold.Request{Kind: definition.Skill, Name: "Review", Description: "d"}, scaffold.ErrName},
		{"long", scaffold.Request{Kind: definition.Skill, Name: long, Description: "d"}, scaffold.ErrName},
		{"device", scaffold.Request{Kind: definition.Skill, Name: "con", Description: "d"}, scaffold.ErrName},
		{"way up", scaffold.Request{Kind: definition.Command, Name: "../x", Description: "d"}, scaffold.ErrName},
		{"parts of a skill", scaffold.Request{Kind: definition.Skill, Name: "a/b", Description: "d"}, scaffold.ErrName},
		{"readme", scaffold.Request{Kind: definition.Command, Name: "git/readme", Description: "d"}, scaffold.ErrName},
		{"index", scaffold.Request{Kind: definition.Command, Name: "index", Description: "d"}, scaffold.ErrName},
		{"the host's own", scaffold.Request{Kind: definition.Command, Name: "help", Description: "d", Host: "gemini"}, scaffold.ErrName},
		{"no description", scaffold.Request{Kind: definition.Skill, Name: "x"}, scaffold.ErrNewField},
		{"lines", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "a\n---\nb: c"}, scaffold.ErrNewField},
		{"escape", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "a\x1b[31m"}, scaffold.ErrNewField},
		{"hidden", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "a\u202eb"}, scaffold.ErrNewField},
		{"tools of instructions", scaffold.Request{Kind: definition.Instruction, Name: "x", Tools: []string{"Read"}}, scaffold.ErrNewField},
		{"paths of an agent", scaffold.Request{Kind: definition.Agent, Name: "x", Description: "d", Paths: []string{"*"}}, scaffold.ErrNewField},
		{"argument", scaffold.Request{Kind: definition.Command, Name: "x", Description: "d", Arguments: []string{"a-b"}}, scaffold.ErrNewField},
		{"no host", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", Host: "nobody"}, scaffold.ErrNewField},
		{"neutral", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", Host: "neutral"}, scaffold.ErrNewField},
		{"options", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", Host: "claude-sdk"}, scaffold.ErrNewField},
		{"two places", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", Host: "pi", Dir: "ai"}, scaffold.ErrNewField},
		{"out of the project", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", Dir: "../ai"}, scaffold.ErrNewPlace},
		{"git", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", Dir: ".git/ai"}, scaffold.ErrNewPlace},
		{"vade's own", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", Dir: ".vade/ai"}, scaffold.ErrNewPlace},
		{"nothing there", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", From: "nothing"}, scaffold.ErrNewFrom},
		{"outside", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", From: "../secret"}, scaffold.ErrNewFrom},
		{"another kind", scaffold.Request{Kind: definition.Skill, Name: "x", Description: "d", From: "rev"}, scaffold.ErrNewFrom},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := layProject(t, map[string]string{".git/HEAD": "ref: x\n", ".github/agents/rev.agent.md": "---\nname: rev\ndescription: R.\n---\nR.\n"})
			before := snapshot(t, o.Dir)
			_, err := scaffold.New(t.Context(), o, tc.r)
			var e *scaffold.Error
			if !errors.Is(err, tc.why) || !errors.As(err, &e) || e.Message == "" || e.Fix == "" {
				t.Errorf("err = %v, %+v", err, e)
			}
			if after := snapshot(t, o.Dir); after != before {
				t.Errorf("left %s", after)
			}
		})
	}
}

// TestNewOverwritesNothing checks that existing files are reported as conflicts
// and not overwritten.
func TestNewOverwritesNothing(t *testing.T) {
	link := func(target, name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			name := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.Symlink(target, name)); err != nil {
				t.Skipf("there are no links here: %v", err)
			}
		}
	}
	file := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { putFile(t, filepath.Join(dir, name), "mine\n") }
	}
	outside := t.TempDir()
	for _, tc := range []struct {
		name string
		lay  func(t *testing.T, dir string)
		host string
	}{
		{"the file", file(".agents/skills/x/SKILL.md"), ""},
		{"a file of the skill", file(".agents/skills/x/notes.md"), ""},
		{"a file for a directory", file(".agents"), ""},
		{"different case", file(".agents/skills/X/SKILL.md"), ""},
		{"a directory in different case", file(".Agents/skills/y/notes.txt"), ""},
		{"a link to a file", link("../../../elsewhere.md", ".agents/skills/x/SKILL.md"), ""},
		{"a link that leads nowhere", link("gone", ".agents/skills/x"), ""},
		{"a link out of the project", link(outside, ".agents"), ""},
		{"a link in the project", link("real", ".agents"), ""},
		{"a command of the name", file(".claude/commands/x.md"), ""},
		{"an alias", func(t *testing.T, dir string) {
			putFile(t, filepath.Join(dir, ".agents/skills/other/SKILL.md"), "---\nname: other\ndescription: O.\naliases: [x]\n---\nO.\n")
		}, ""},
		{"a host's", file(".qwen/skills/x/SKILL.md"), "qwen"},
		{"a host's place through a link", link(outside, ".claude"), "claude-code"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := layProject(t, map[string]string{".git/HEAD": "ref: x\n"})
			tc.lay(t, o.Dir)
			before := snapshot(t, o.Dir)
			r := scaffold.Request{Kind: definition.Skill, Name: "x", Description: newDescription}
			if tc.host != "" {
				r.Host = tc.host
			}
			for _, plan := range []bool{true, false} {
				r.Plan = plan
				if _, err := scaffold.New(t.Context(), o, r); !errors.Is(err, scaffold.ErrNewExists) {
					t.Errorf("plan %v: err = %v", plan, err)
				}
			}
			if after := snapshot(t, o.Dir); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			if left := snapshot(t, outside); left != "" {
				t.Errorf("outside there is %s", left)
			}
		})
	}
}

// TestNewHostileNames checks that no request changes an existing file or writes outside the
// project.
func TestNewHostileNames(t *testing.T) {
	word := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"../x", "a/../../x", "/etc/x", "C:\\x", "CON", "con.md", "x.", "x ", ".git/hooks/x", "git~1", "a\x00b", "\x1b[31mx", "~/.ssh/x", "-rf", "--", "x\u202e", "deploy", "DEPLOY", "ok", "git/ok", "a:b", "a::b", "a//b", "..", ".", "\\\\server\\x"}),
		rapid.StringMatching(`[a-z./:~\\-]{0,12}`),
	)
	testenv.Check(t, func(rt *rapid.T) {
		above := t.TempDir()
		dir := filepath.Join(above, "project")
		o := catalog.Options{Dir: dir, Home: filepath.Join(above, "home"), ManagedDir: filepath.Join(above, "managed"), Getenv: func(string) string { return "" }}
		putFile(t, filepath.Join(dir, ".git/HEAD"), "ref: x\n")
		putFile(t, filepath.Join(dir, ".agents/skills/deploy/SKILL.md"), "---\nname: deploy\ndescription: Ships.\n---\nShip.\n")
		putFile(t, filepath.Join(o.Home, ".agents/notes"), "mine\n")
		putFile(t, filepath.Join(above, "x"), "mine\n")
		before := strings.Split(snapshot(t, above), "\n")
		git := snapshot(t, filepath.Join(dir, ".git"))
		r := scaffold.Request{
			Kind: rapid.SampledFrom([]definition.Kind{definition.Skill, definition.Command, definition.Agent, definition.Instruction}).Draw(rt, "kind"), Name: word.Draw(rt, "name"),
			Description: newDescription, Anyway: rapid.Bool().Draw(rt, "anyway"),
		}
		switch rapid.IntRange(0, 4).Draw(rt, "place") {
		case 1:
			r.Dir = word.Draw(rt, "dir")
		case 2:
			r.Host = rapid.SampledFrom(export.Hosts()).Draw(rt, "host")
		case 3:
			r.From = word.Draw(rt, "from")
		case 4:
			r.User = true
		}
		got, err := scaffold.New(t.Context(), o, r)
		after := strings.Split(snapshot(t, above), "\n")
		allowed := map[string]bool{}
		for _, line := range before {
			allowed[line] = true
			if !slices.Contains(after, line) {
				rt.Fatalf("%q is not as it was", line)
			}
		}
		for _, line := range after {
			if allowed[line] {
				continue
			}
			if err != nil || !got.Done {
				rt.Fatalf("%v left %q", err, line)
			}
			root := "project/"
			if r.User {
				root = "home/"
			}
			if !strings.HasPrefix(line, root) {
				rt.Fatalf("%q was written", line)
			}
		}
		if now := snapshot(t, filepath.Join(dir, ".git")); now != git {
			rt.Fatalf("in .git there is %s", now)
		}
	})
}

// TestNewKilled makes each file system change fail in turn and checks that nothing is left behind.
func TestNewKilled(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	r := scaffold.Request{Kind: definition.Skill, Name: "x", From: "script", Description: newDescription}
	o := layProject(t, nil)
	changes := 0
	o.BeforeWrite = func(string, string) error { changes++; return nil }
	if _, err := scaffold.New(t.Context(), o, r); err != nil || changes < 6 {
		t.Fatal(changes, err)
	}
	for at := 1; at <= changes; at++ {
		o, n := layProject(t, nil), 0
		o.BeforeWrite = func(change, _ string) error {
			if n++; n == at && change != "remove" {
				return errors.New("no space left")
			}
			return nil
		}
		got, err := scaffold.New(t.Context(), o, r)
		if err == nil {
			t.Errorf("change %d: %+v", at, got)
		}
		if left := snapshot(t, o.Dir); left != "" {
			t.Errorf("change %d left %s", at, left)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	o = layProject(t, nil)
	o.BeforeWrite = func(change, name string) error {
		if change == "rename" {
			cancel()
		}
		return nil
	}
	if _, err := scaffold.New(ctx, o, r); !errors.Is(err, context.Canceled) || snapshot(t, o.Dir) != "" {
		t.Errorf("%v left %s", err, snapshot(t, o.Dir))
	}
}

// TestNewFindings checks that a draft with findings is written only on request.
func TestNewFindings(t *testing.T) {
	o := layProject(t, map[string]string{".claude/settings.json": "{}"})
	r := scaffold.Request{Kind: definition.Skill, Name: "x", Description: strings.Repeat("long ", 300)}
	got, err := scaffold.New(t.Context(), o, r)
	if err != nil || got.Done || !got.Failed() {
		t.Fatalf("%+v %v", got, err)
	}
	r.Anyway = true
	if got, err = scaffold.New(t.Context(), o, r); err != nil || !got.Done || !got.Failed() {
		t.Fatalf("%+v %v", got, err)
	}
}
