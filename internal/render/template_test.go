package render_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/shell"
)

// notes is a PathReader over a map.
type notes map[string]string

func (n notes) ReadPath(_ context.Context, syntax *host.FileSyntax, path string) ([]string, *render.RefError) {
	text, ok := n[path]
	if !ok {
		return nil, &render.RefError{Code: diag.FileNotFound, Message: "there is no such file"}
	}
	if syntax.Content != nil {
		text = syntax.Content(text)
	}
	return []string{text}, nil
}

// status is a runner that prints a command's words and returns an exit code.
type status struct {
	code int
	ran  []render.ShellCommand
}

func (s *status) RunShell(_ context.Context, commands []render.ShellCommand) []render.ShellResult {
	results := make([]render.ShellResult, len(commands))
	for i, c := range commands {
		s.ran = append(s.ran, c)
		_, said, _ := strings.Cut(c.Text, " ")
		results[i] = render.ShellResult{Executed: true, Output: said, Stdout: said + "\n", Exit: s.code}
		if s.code != 0 {
			results[i].Error = &render.RefError{Code: diag.BashFailed, Message: "it failed"}
		}
		if strings.HasPrefix(c.Text, "deny") {
			results[i] = render.ShellResult{Keep: true, Error: &render.RefError{Code: diag.BashNotAllowed, Reason: "R", Message: "not granted", Fix: "grant it"}}
		}
		if strings.HasPrefix(c.Text, "dry") {
			results[i] = render.ShellResult{Keep: true}
		}
	}
	return results
}

func template(t testing.TB, as string, k definition.Kind) *host.Template {
	t.Helper()
	calls := profile(t, as).Calls
	if calls == nil || calls.User == nil || calls.User(k) == nil {
		t.Fatalf("%s has no template for what a user calls", as)
	}
	return calls.User(k)
}

func call(name, line string) host.Called {
	c := host.Called{Invocation: "/" + name, Arguments: line}
	if line != "" {
		c.Invocation += " " + line
	}
	return c
}

// recordedBody and recordedTOML use every host's syntax, like the recorded command cases.
const (
	recordedBody = "CMD A=[$ARGUMENTS] 0=[$0] 1=[$1] 2=[$2] at=[@$1] all=[$@] n=[${1}] sl=[${@:2}] braces=[{{args}}]\nfile @note.txt\nshell !`echo hi` inj !{echo hi} at @{note.txt}\ndir ${CLAUDE_SKILL_DIR}\n"
	recordedTOML = "CMD A=[{{args}}] sh=[!{echo hi}] file=[@{note.txt}] $ARGUMENTS !`echo hi` @note.txt\n"
)

// TestRecordedTemplates renders bodies and compares them against the recorded
// texts in case n05 for each host (for Qwen Code also n05-1).
func TestRecordedTemplates(t *testing.T) {
	for _, tc := range []struct {
		as, text, line string
		want           []string
	}{
		{"gemini", recordedTOML, "alpha 'beta gamma'", []string{
			"CMD A=[alpha 'beta gamma'] sh=[hi\n[Shell command 'echo hi' terminated by signal 0]] file=[", "NOTE\n", "] $ARGUMENTS !`echo hi` @note.txt\n",
		}},
		{"qwen", recordedTOML, "alpha 'beta gamma'", []string{"CMD A=[alpha 'beta gamma'] sh=[hi] file=[", "NOTE\n", "] $ARGUMENTS !`echo hi` @note.txt\n"}},
		{"qwen", recordedBody, "alpha 'beta gamma'", []string{
			"CMD A=[$ARGUMENTS] 0=[$0] 1=[$1] 2=[$2] at=[@$1] all=[$@] n=[${1}] sl=[${@:2}] braces=[alpha 'beta gamma']\nfile @note.txt\nshell !`echo hi` inj hi at ",
			"NOTE\n", "\ndir ${CLAUDE_SKILL_DIR}\n",
		}},
		{"opencode", recordedBody, `alpha "beta gamma"`, []string{
			"CMD A=[alpha \"beta gamma\"] 0=[undefined] 1=[alpha] 2=[beta gamma] at=[@alpha] all=[$@] n=[${1}] sl=[${@:2}] braces=[{{args}}]\nfile @note.txt\nshell hi\n inj !{echo hi} at @{note.txt}\ndir ${CLAUDE_SKILL_DIR}",
		}},
		{"pi", recordedBody, "alpha 'beta gamma' delta", []string{
			"CMD A=[alpha beta gamma delta] 0=[] 1=[alpha] 2=[beta gamma] at=[@alpha] all=[alpha beta gamma delta] n=[${1}] sl=[beta gamma delta] braces=[{{args}}]\nfile @note.txt\nshell !`echo hi` inj !{echo hi} at @{note.txt}\ndir ${CLAUDE_SKILL_DIR}\n",
		}},
	} {
		t.Run(tc.as, func(t *testing.T) {
			got := render.RenderTemplate(t.Context(), render.TemplateInput{
				Template: template(t, tc.as, definition.Command), Text: tc.text, Name: "c", Called: call("c", tc.line),
			}, notes{"note.txt": "NOTE\n"}, &status{})
			if got.Error != nil || !reflect.DeepEqual(got.Parts, tc.want) {
				t.Errorf("error %v\n got %q\nwant %q", got.Error, got.Parts, tc.want)
			}
		})
	}
}

// TestRenderTemplate covers behavior that the hosts' sources define but no recording shows.
func TestRenderTemplate(t *testing.T) {
	for _, tc := range []struct{ as, text, line, want string }{
		{"opencode", "only $0", "a b", "only b"},
		{"opencode", "only $0", "", "only"},
		{"opencode", "$2 and $1", "a b c d", "b c d and a"},
		{"opencode", "$3|$2", "a", "|"},
		{"opencode", "text", "a  b", "text\n\na  b"},
		{"opencode", "text", "   ", "text"},
		{"opencode", "<$ARGUMENTS>", "$$5 $&", "<$5 $ARGUMENTS>"},
		{"opencode", "$1", "$ARGUMENTS", "$ARGUMENTS"},
		{"opencode", "$1 $2", "$ARGUMENTS x", "$ARGUMENTS x x"},
		{"opencode", "  x\n", "", "x"},
		{"pi", "$1", "'$@'", "$@"},
		{"pi", "text", "lost", "text"},
		{"pi", "${@:2:1}|${@:0}|${@:9}", "a b c", "b|a b c|"},
		{"gemini", "text", "a b", "text\n\n/c a b"},
		{"gemini", "text", "", "text"},
		{"gemini", "<{{args}}>", "$$ {{args}}", "<$ {{args}}>"},
		{"gemini", "{{args}} !{}", "x", "x "},
		{"gemini", "!{ echo {a} }", "", "{a}\n[Shell command 'echo {a}' terminated by signal 0]"},
		{"gemini", "!{echo {{args}}}", "a b", "'a b'\n[Shell command 'echo 'a b'' terminated by signal 0]"},
		{"gemini", "!{echo {{args}}}", "", "\n[Shell command 'echo ' terminated by signal 0]"},
		{"gemini", "!{dry {{args}}}", "x", "!{dry {{args}}}"},
		{"gemini", "see @{gone.txt}", "", "see @{gone.txt}"},
		{"qwen", "!{echo $ARGUMENTS}", "'a b'", "a b\n\n/c 'a b'"},
		{"cursor", "body", "more", "body\n\nmore"},
		{"copilot-vscode", "for ${input:who:name} ${input:x} ${file}", `who="Ada L"`, "for Ada L ${input:x} ${file}"},
	} {
		got := render.RenderTemplate(t.Context(), render.TemplateInput{
			Template: template(t, tc.as, definition.Command), Text: tc.text, Name: "c", Called: call("c", tc.line),
		}, notes{}, &status{})
		if text := strings.Join(got.Parts, ""); got.Error != nil || text != tc.want {
			t.Errorf("%s: %q with %q: error %v\n got %q\nwant %q", tc.as, tc.text, tc.line, got.Error, text, tc.want)
		}
	}
}

func TestRenderTemplateFailures(t *testing.T) {
	for _, tc := range []struct{ as, want string }{
		{"gemini", "oops\n[Shell command 'x oops' exited with code 3]"}, {"qwen", "oops\n[Shell command 'x oops' exited with code 3]"},
	} {
		got := render.RenderTemplate(t.Context(), render.TemplateInput{Template: template(t, tc.as, definition.Command), Text: "!{x oops}", Name: "c"}, nil, &status{code: 3})
		if got.Error != nil || got.Parts[0] != tc.want {
			t.Errorf("%s: error %v, got %q", tc.as, got.Error, got.Parts)
		}
	}
	got := render.RenderTemplate(t.Context(), render.TemplateInput{Template: template(t, "opencode", definition.Command), Text: "a !`x oops` b"}, nil, &status{code: 3})
	if got.Error != nil || got.Parts[0] != "a oops\n b" {
		t.Errorf("opencode: error %v, got %q", got.Error, got.Parts)
	}
}

// TestTemplateRefuses checks that the invocation is aborted before any command runs, if the policy
// refuses a command or if an argument or file would introduce one.
func TestTemplateRefuses(t *testing.T) {
	files := notes{"evil.md": "read !{rm -rf x} {{args}}", "open.md": "!{never closed", "plain.md": "!`id`"}
	for _, tc := range []struct {
		as, text, line string
		code           diag.Code
		reason         string
	}{
		{"opencode", "$ARGUMENTS", "!`id`", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "no place", "!`id`", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!$1", "'`id`'", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`wc $1`", "a;id", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`wc $1`", "$(id)", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`wc $ARGUMENTS`", "a\nid", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`wc \"$1\"`", `'"; id; "'`, diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`wc '$1'`", `"'; id; '"`, diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`echo $1 | head`", "a`", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!$1`echo x`", "", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!$1$ARGUMENTS`echo x`", "", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`echo $1 | head` !`echo y`", "`", diag.BashNotAllowed, render.ReasonForeign},
		{"opencode", "!`deny x` !`echo y`", "", diag.BashNotAllowed, "R"},
		{"gemini", "@{evil.md} {{args}}", "x", diag.BashNotAllowed, render.ReasonForeign},
		{"gemini", "@{open.md} {{args}}", "x", diag.TemplateInvalid, ""},
		{"gemini", "!{never {closed}", "x", diag.TemplateInvalid, ""},
		{"gemini", "@{never {closed}", "x", diag.TemplateInvalid, ""},
		{"gemini", "!{grep \"{{args}}\" f}", "$(id)\"'", diag.BashNotAllowed, render.ReasonForeign},
		{"gemini", "!{grep '{{args}}' f}", "it's; id '", diag.BashNotAllowed, render.ReasonForeign},
		{"gemini", "!{grep {{args}} f}", "a $", diag.BashNotAllowed, render.ReasonForeign},
		{"gemini", "!{deny {{args}}}", "x", diag.BashNotAllowed, "R"},
		{"qwen", "!{grep {{args}} $ARGUMENTS}", "a $ARGUMENTS", diag.BashNotAllowed, render.ReasonForeign},
		{"qwen", "!{grep $ARGUMENTS}", "a\nid", diag.BashNotAllowed, render.ReasonForeign},
		{"qwen", "!{grep $ARGUMENTS}", "a&id", diag.BashNotAllowed, render.ReasonForeign},
		{"qwen", "!{grep $ARGUMENTS}", "${HOME}", diag.BashNotAllowed, render.ReasonForeign},
	} {
		runner := &status{}
		got := render.RenderTemplate(t.Context(), render.TemplateInput{
			Template: template(t, tc.as, definition.Command), Text: tc.text, Name: "c", Called: call("c", tc.line),
		}, files, runner)
		if got.Error == nil || got.Error.Code != tc.code || got.Error.Reason != tc.reason || len(got.Parts) > 0 {
			t.Errorf("%s: %q with %q: error %+v, parts %q", tc.as, tc.text, tc.line, got.Error, got.Parts)
		}
		if tc.reason == render.ReasonForeign && len(runner.ran) > 0 {
			t.Errorf("%s: %q with %q: %v has run", tc.as, tc.text, tc.line, runner.ran)
		}
	}
	// If the body itself contains no commands, an inserted file is plain text.
	got := render.RenderTemplate(t.Context(), render.TemplateInput{Template: template(t, "gemini", definition.Command), Text: "@{evil.md}"}, files, &status{})
	if got.Error != nil || strings.Join(got.Parts, "") != files["evil.md"] {
		t.Errorf("a file that is put in: error %v, got %q", got.Error, got.Parts)
	}
}

// TestTemplateLimits checks that unbounded expansions are refused without using
// much memory or time.
func TestTemplateLimits(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, tc := range []struct{ as, text, line string }{
		{"opencode", strings.Repeat("$1", 100_000), long},
		{"opencode", strings.Repeat("$ARGUMENTS", 100_000), strings.Repeat("$'", 1000)},
		{"pi", strings.Repeat("${@:1}", 100_000), long},
		{"pi", strings.Repeat("$@", 100_000), long},
		{"gemini", strings.Repeat("{{args}}", 100_000), long},
	} {
		got := render.RenderTemplate(t.Context(), render.TemplateInput{
			Template: template(t, tc.as, definition.Command), Text: tc.text, Called: call("c", tc.line),
		}, nil, nil)
		if got.Error == nil || got.Error.Code != diag.SizeLimit {
			t.Errorf("%s: %.20q: error %v", tc.as, tc.text, got.Error)
		}
	}
	runner := &status{}
	got := render.RenderTemplate(t.Context(), render.TemplateInput{
		Template: template(t, "gemini", definition.Command), Text: strings.Repeat("!{echo x}", render.MaxCommands+1),
	}, nil, runner)
	if got.Error == nil || got.Error.Reason != render.ReasonLimit || len(runner.ran) > 0 {
		t.Errorf("too many commands: error %v, %d have run", got.Error, len(runner.ran))
	}
}

// templated returns every host's templates, for users and for models.
func templated(t testing.TB) map[string]*host.Template {
	all := map[string]*host.Template{}
	for _, p := range registry.Profiles() {
		if p.Prompt == nil || p.Prompt.Calls == nil {
			continue
		}
		for _, k := range definition.Kinds {
			for by, of := range map[string]func(definition.Kind) *host.Template{"user": p.Prompt.Calls.User, "model": p.Prompt.Calls.Model} {
				if of != nil && of(k) != nil {
					all[fmt.Sprintf("%s %s %s", p.Name, k, by)] = of(k)
				}
			}
		}
	}
	if len(all) < 15 {
		t.Fatalf("only %d templates: the test is broken", len(all))
	}
	return all
}

// TestPlainTextStays checks that every host leaves text without placeholders unchanged.
func TestPlainTextStays(t *testing.T) {
	for name, tpl := range templated(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			text := strings.TrimSpace(rapid.StringMatching("[a-z0-9 .,#*()\\n`'\"é-]{0,60}").Draw(t, "text"))
			got := render.RenderTemplate(context.Background(), render.TemplateInput{Template: tpl, Text: text, Name: "c", Called: call("c", "")}, notes{}, &status{})
			if out := strings.Join(got.Parts, ""); got.Error != nil || out != text {
				t.Fatalf("%q became %q (error %v)", text, out, got.Error)
			}
		}))
	}
}

// TestNoArgumentAddsACommand checks that arbitrary arguments cannot add a command. Either the
// invocation is refused, or only the author's commands run. A shell must parse each of them into
// the same commands as without arguments.
func TestNoArgumentAddsACommand(t *testing.T) {
	for name, tpl := range templated(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
				"text ", "$1", "$2", "$ARGUMENTS", "$@", "${@:2}", "{{args}}", "!", "@", "`", "{", "}", "@{f}", "\n",
				"!`echo x`", "!`echo $1`", "!`echo \"$ARGUMENTS\"`", "!`echo '$1' | cat`", "!{echo {{args}}}", "!{echo \"{{args}}\" '{{args}}'}", "!{echo $ARGUMENTS; cat}",
			}), 0, 6).Draw(t, "body")
			text := strings.Join(pieces, "")
			line := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
				"a", " ", "'", "\"", "`", "!`id`", "!{id}", "$(id)", ";", "|", "&", "\n", "\\", "$", "$1", "$&", "$'", "$`", "$ARGUMENTS", "{{args}}", "@{g}", ">", "}", "{", "-x", "#", "*",
			}), 0, 8).Draw(t, "line"), "")
			runner := &status{}
			got := render.RenderTemplate(context.Background(), render.TemplateInput{Template: tpl, Text: text, Name: "c", Called: call("c", line)}, notes{"f": "!{id} {{args}} !`id`"}, runner)
			authored := render.TemplateCommands(tpl, text)
			if got.Error == nil && len(runner.ran) > len(authored) {
				t.Fatalf("%q with %q runs %v", text, line, runner.ran)
			}
			for _, c := range runner.ran {
				if !shell.SameShape(c.Text, c.Bindings) {
					t.Fatalf("%q with %q runs %q, in which an argument is more than a word", text, line, c.Text)
				}
				if slices.ContainsFunc(authored, func(a render.ShellCommand) bool { return a.Text == c.Text && len(a.Bindings) == 0 }) {
					// The author wrote the whole command, which takes no arguments.
					continue
				}
				script, err := shell.Parse(c.Text, nil)
				if err != nil {
					t.Fatalf("%q with %q runs %q: %v", text, line, c.Text, err)
				}
				if !slices.ContainsFunc(authored, func(a render.ShellCommand) bool { return len(commands(a)) == len(script.Commands) }) {
					t.Fatalf("%q with %q runs %q, which has other commands than the author's", text, line, c.Text)
				}
				for _, cmd := range script.Commands {
					if len(cmd.Words) > 0 && cmd.Words[0].Text != "echo" && cmd.Words[0].Text != "cat" {
						t.Fatalf("%q with %q runs %q", text, line, cmd.Words[0].Text)
					}
				}
			}
		}))
	}
}

// commands returns the simple commands in a shell command, with empty arguments.
func commands(c render.ShellCommand) []shell.Command {
	script, err := shell.Parse(c.Text, c.Bindings)
	if err != nil {
		return nil
	}
	return script.Commands
}

// FuzzRenderTemplate checks that no combination of body and arguments makes a host's template panic
// or run a command that the body's author did not write.
func FuzzRenderTemplate(f *testing.F) {
	f.Add("a $1 !`echo $ARGUMENTS` !{x {{args}}} @{f} ${@:1:2} ${input:a}", "b 'c d' a=$&")
	all := templated(f)
	f.Fuzz(func(t *testing.T, text, line string) {
		for name, tpl := range all {
			runner := &status{}
			got := render.RenderTemplate(t.Context(), render.TemplateInput{Template: tpl, Text: text, Name: "c", Called: call("c", line)}, notes{"f": text}, runner)
			// An argument may close a command that its author left open, as it can in the host.
			begun := strings.Count(text, "!`") + strings.Count(text, "!{")
			if most := len(render.TemplateCommands(tpl, text)); len(runner.ran) > most+len(text) || most+begun == 0 && len(runner.ran) > 0 {
				t.Fatalf("%s: %d commands have run, %d are written", name, len(runner.ran), most)
			}
			if got.Error == nil && len(got.Parts) == 0 {
				t.Fatalf("%s: no text and no error", name)
			}
		}
	})
}
