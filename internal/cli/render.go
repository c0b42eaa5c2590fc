package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
)

// maxPrompt is the length in bytes of the longest prompt on standard input.
const maxPrompt = 1 << 20

// renderOptions are what the flags of render say.
type renderOptions struct {
	request catalog.RenderRequest
	client  catalog.ClientOptions
	shell   catalog.ShellOptions
	by      string
	stdin   bool
}

func (a *app) render() *cobra.Command {
	var o renderOptions
	c := &cobra.Command{
		Use: "render [flags] [--] PROMPT…", Short: "Say what a host would send to the model for a prompt",
		DisableFlagsInUseLine: true,
		Long: `Print the messages that a host would send to its model for a prompt, byte for byte:
a command or skill with its arguments, variables and command output, the error
that the host ends with, or the prompt itself where it calls nothing. With --by
model it is the answer to a model that calls the skill PROMPT.

Each host has its own calls: /name, /skill:name, or $name anywhere. The words of
PROMPT are joined with spaces and re-split by the host's rules, so put quotes
inside the string: '/review "a b" c'. Flags come first. Without --as it is the text
of "vade load". Shell commands run under your policy; where it refuses one that the
host would run, the error is BASH_NOT_ALLOWED.

Which switches are allowed depends on the host.

--json prints {"host", "version", "messages": [[role, text]…], "attached", "error",
"diagnostics"}, and "turn" where a definition asks for a model, an effort, tools
or a conversation of its own. A role is user, tool_result or tool_result! (error).

Exit codes: 0 rendered, 1 the host ends with an error, 2 wrong usage.`,
		Example: `  vade render --as claude-code -- '/review src "the parser"'
  vade render --as claude-code --json -- /review src
  vade render --as claude-code --by model -- 'testing all of it'
  vade render --as claude-code --touched src/main.go -- /go-style
  vade render --as claude-code@2.1.88 -- /review src
  vade render --as gemini --json -- '/review src "the parser"'
  vade render --as codex -- 'use $go-style here'
  vade render --as pi -- '/skill:go-style all of it'
  echo '/review src' | vade render --as claude-code --stdin`,
		Args: cobra.ArbitraryArgs,
		// Names in force are offered as commands.
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			slash := "/"
			if o.by == "model" {
				slash = ""
			}
			var commands []string
			for _, name := range a.names(c, definition.Command, definition.Skill) {
				commands = append(commands, slash+strings.TrimPrefix(name, "skill:"))
			}
			return commands, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := optionBehind(c, args); err != nil {
				return err
			}
			return a.runRender(c.Context(), o, args)
		},
	}
	// What follows the first word is the prompt's.
	c.Flags().SetInterspersed(false)
	f := c.Flags()
	choice(c, &o.by, "by", "`WHO` calls (default user)", "user", "model")
	a.agent(c, &o.request.Subagent, "subagent", "the model starts the agent `NAME`; PROMPT is its task")
	f.StringVar(&o.request.Session, "session-id", "", "the `ID` of the session")
	f.StringVar(&o.request.Effort, "effort", "", "the `EFFORT` that the host runs with")
	f.BoolVar(&o.stdin, "stdin", false, "read the prompt from standard input")
	f.BoolVar(&o.shell.Off, "no-shell", false, "run no shell command")
	a.shellFlags(c, &o.shell)
	a.view(c)
	a.as(c)
	a.client(c, &o.client)
	complete(c, "effort", "low", "medium", "high", "xhigh", "max")
	return c
}

// optionBehind refuses an option of vade behind the prompt, where it would be
// taken for an argument; with "--" before it, it is one.
func optionBehind(c *cobra.Command, args []string) error {
	if c.ArgsLenAtDash() >= 0 {
		return nil
	}
	for _, arg := range args {
		if f, _ := option(c, arg); f != nil {
			return usage{failure{arg + " stands behind the prompt", "options come first; if it belongs to the prompt, put -- before that"}}
		}
	}
	return nil
}

func (a *app) runRender(ctx context.Context, o renderOptions, args []string) error {
	if err := o.prompt(a.world.Stdin, args); err != nil {
		return err
	}
	if r := &o.request; a.neutral() && (r.ByModel || r.Subagent != "" || r.Session != "" || r.Effort != "") {
		return usage{failure{"--by model, --subagent, --session-id and --effort mean nothing in the neutral view", "name the host: --as claude-code"}}
	}
	if err := a.checkRequest(&o.request); err != nil {
		return err
	}
	cat, err := a.open(ctx, catalog.Options{Shell: withHelper(o.shell), Client: o.client})
	if err != nil {
		return err
	}
	defer cat.Close()
	r, err := cat.Render(ctx, o.request)
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(r)
	} else {
		err = a.printRendering(r)
	}
	if err == nil && r.Error != nil {
		return silent{exitFailed}
	}
	return err
}

// checkRequest refuses what means nothing to the host.
func (a *app) checkRequest(r *catalog.RenderRequest) error {
	p, ok := registry.Lookup(a.host)
	if !ok || a.neutral() {
		return nil
	}
	for _, s := range []struct {
		is    hosts.Switch
		flag  string
		given bool
	}{{hosts.SwitchSession, "--session-id", r.Session != ""}, {hosts.SwitchEffort, "--effort", r.Effort != ""}} {
		if s.given && p.Switches&s.is == 0 {
			return usage{failure{s.flag + " means nothing in the view of " + p.Name, "leave it out"}}
		}
	}
	return nil
}

// prompt takes the prompt from the words or from standard input.
func (o *renderOptions) prompt(stdin io.Reader, args []string) error {
	o.request.ByModel = o.by == "model"
	if o.request.ByModel && o.request.Subagent != "" {
		return usage{failure{"--subagent is a call of the model already", "leave out --by"}}
	}
	o.request.Prompt = strings.Join(args, " ")
	if o.stdin {
		if len(args) > 0 {
			return usage{failure{"the prompt stands both on standard input and behind the options", "leave out one of them"}}
		}
		data, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		if len(data) > maxPrompt {
			return usage{failure{"the prompt is longer than 1 MB", "give it as a file that it mentions: @path"}}
		}
		o.request.Prompt = string(data)
	}
	if strings.TrimSpace(o.request.Prompt) == "" {
		return usage{failure{"there is no prompt", "see: vade render --help"}}
	}
	return nil
}

// printRendering prints the texts, one after the other, and the rest on standard
// error.
func (a *app) printRendering(r *definition.Rendering) error {
	e := a.stderr()
	// What the host ends with is told below.
	told := func(m definition.Message) bool {
		return m.Role == "tool_result!" && r.Error != nil && m.Text == r.Error.Message
	}
	a.printMessages(slices.DeleteFunc(slices.Clone(r.Messages), told))
	for _, at := range r.Attached {
		not := ""
		if at.NotRead != "" {
			not = " (not read by Vade: " + at.NotRead + ")"
		}
		e.Label(terminal.Cyan, "vade: attached:", "%s%s", at.Path, not)
	}
	if r.Turn != nil && r.Turn.Fork {
		e.Label(terminal.Cyan, "vade: runs:", "in a conversation of its own, as the agent %s", r.Turn.Agent)
	}
	if r.Error != nil {
		message := r.Error.Message
		if message == "" {
			message = "(the host ends without a word)"
		}
		fmt.Fprintf(e, "%s %s [%s]\n", e.Paint(terminal.Red, "vade: error:"), terminal.Escape(message), r.Error.Code)
		if r.Error.Fix != "" {
			e.Label(terminal.Cyan, "vade: hint:", "%s", r.Error.Fix)
		}
	}
	return a.printProblems(r.Diagnostics)
}
