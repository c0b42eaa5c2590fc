package cli

import (
	"cmp"
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

// maxPrompt is the maximum size of a prompt on stdin, in bytes.
const maxPrompt = 1 << 20

// renderOptions holds the flags and the prompt of vade render.
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
		Use: "render [flags] [--] PROMPT…", Short: "Print what a host sends to the model for a prompt",
		DisableFlagsInUseLine: true,
		Long: `Print exactly the messages a host sends to its model for a prompt: a command or skill
with its arguments, variables and command output; the host's error; or the prompt
itself if it does not call a definition. With --by model, print what the model gets when
it calls the skill PROMPT.

Depending on the host, you call a definition with /name, /skill:name, or $name anywhere
in the prompt. Arguments are joined with spaces and re-split by the host's rules, so put
quotes inside the string: '/review "a b" c'. Flags come first. Without --host, print the
text that "vade load" returns. Shell commands run under your policy. If the policy
refuses a command that the host would run, the error is BASH_NOT_ALLOWED.

Not all hosts support all flags.

--json prints {"host", "version", "messages": [[role, text]…], "attached", "error",
"diagnostics"}, and "turn" if a definition requests a model, an effort, tools
or a separate conversation. Roles are user, tool_result and tool_result! (error).

Exit codes: 0 success, 1 the host reports an error or the policy refuses a command, 2
invalid usage.`,
		Example: `  vade render --host claude-code -- '/review src "the parser"'
  vade render --host claude-code --json -- /review src
  vade render --host claude-code --by model -- 'testing all of it'
  vade render --host claude-code --touched src/main.go -- /go-style
  vade render --host claude-code@2.1.88 -- /review src
  vade render --host gemini --json -- '/review src "the parser"'
  vade render --host codex -- 'use $go-style here'
  vade render --host pi -- '/skill:go-style all of it'
  echo '/review src' | vade render --host claude-code --stdin`,
		Args: cobra.ArbitraryArgs,
		// Complete the names of active commands and skills, in the form that a user or model would
		// use.
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
			if err := flagAfterPrompt(c, args); err != nil {
				return err
			}
			return a.runRender(c.Context(), o, args)
		},
	}
	// Flags after the first argument belong to the prompt.
	c.Flags().SetInterspersed(false)
	f := c.Flags()
	choiceFlag(c, &o.by, "by", "call it as `WHO` (default user)", "user", "model")
	a.agentFlag(c, &o.request.Subagent, "subagent", "let the model start the agent `NAME` with the task PROMPT")
	f.BoolVar(&o.request.Interactive, "interactive", false, "render it as the host's interactive mode does")
	f.StringVar(&o.request.Session, "session-id", "", "set the session ID to `ID`")
	f.StringVar(&o.request.Effort, "effort", "", "set the effort level to `EFFORT`")
	f.BoolVar(&o.stdin, "stdin", false, "read the prompt from stdin")
	f.BoolVar(&o.shell.Off, "no-shell", false, "do not run shell commands")
	a.shellFlags(c, &o.shell)
	a.viewFlags(c)
	hostFlag(c, &a.host, "print what `HOST` sends (see: vade help hosts)", catalog.Hosts)
	a.clientFlags(c, &o.client)
	completeFlag(c, "effort", "low", "medium", "high", "xhigh", "max")
	return c
}

// flagAfterPrompt rejects Vade's own flags after the prompt, where they would become arguments.
// They are allowed after "--".
func flagAfterPrompt(c *cobra.Command, args []string) error {
	if c.ArgsLenAtDash() >= 0 {
		return nil
	}
	noun := "prompt"
	if c.Name() == "run" {
		noun = "request"
	}
	for _, arg := range args {
		if f, _ := option(c, arg); f != nil {
			return usage{failure{arg + " comes after the " + noun, "put flags first; if it belongs to the " + noun + ", put -- before the " + noun}}
		}
	}
	return nil
}

func (a *app) runRender(ctx context.Context, o renderOptions, args []string) error {
	if err := o.prompt(a.world.Stdin, args); err != nil {
		return err
	}
	if r := &o.request; a.neutral() && (r.ByModel || r.Subagent != "" || r.Effort != "") {
		return usage{failure{"--by model, --subagent and --effort require a host", needsHost}}
	}
	if err := a.checkRequest(&o.request); err != nil {
		return err
	}
	cat, err := a.open(ctx, catalog.Options{Shell: withHelper(o.shell), Client: o.client, Session: o.request.Session})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("rendering")
	r, err := cat.Render(ctx, o.request)
	progress.Done()
	if err != nil {
		return err
	}
	return failIf(r.Error != nil, a.output(r, func() error { return a.printRendering(r) }))
}

// checkRequest rejects flags that the host does not have.
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
			return usage{failure{p.Name + " does not support " + s.flag, "remove it"}}
		}
	}
	return nil
}

// prompt sets the request's prompt from the arguments or, with --stdin, from stdin.
func (o *renderOptions) prompt(stdin io.Reader, args []string) error {
	o.request.ByModel = o.by == "model"
	if o.request.ByModel && o.request.Subagent != "" {
		return usage{failure{"--subagent implies --by model", "remove --by"}}
	}
	o.request.Prompt = strings.Join(args, " ")
	if o.stdin {
		if len(args) > 0 {
			return usage{failure{"--stdin and PROMPT cannot be used together", "use only one of them"}}
		}
		data, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
		if err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		if len(data) > maxPrompt {
			return usage{failure{"the prompt is longer than 1 MiB", "save the prompt to a file and reference it as @path"}}
		}
		o.request.Prompt = string(data)
	}
	if strings.TrimSpace(o.request.Prompt) == "" {
		return usage{failure{"empty prompt", "see: vade render --help"}}
	}
	return nil
}

// printRendering prints the messages to stdout and everything else to stderr.
func (a *app) printRendering(r *definition.Rendering) error {
	e := a.stderr()
	// The host's error message is printed separately below.
	isError := func(m definition.Message) bool {
		return m.Role == "tool_result!" && r.Error != nil && m.Text == r.Error.Message
	}
	a.printMessages(slices.DeleteFunc(slices.Clone(r.Messages), isError))
	for _, at := range r.Attached {
		not := ""
		if at.NotRead != "" {
			not = " (not read by Vade: " + at.NotRead + ")"
		}
		e.Label(terminal.Cyan, "vade: attached:", "%s%s", at.Path, not)
	}
	if r.Turn != nil && r.Turn.Fork {
		e.Label(terminal.Cyan, "vade: runs:", "in a separate conversation, as the agent %s",
			cmp.Or(r.Turn.Agent, "of the main conversation"))
	}
	if r.Error != nil {
		message := r.Error.Message
		if message == "" {
			message = "(the host did not report a message)"
		}
		fmt.Fprintf(e, "%s %s [%s]\n", e.Paint(terminal.Red, "vade: error:"), terminal.Escape(message), r.Error.Code)
		if r.Error.Fix != "" {
			e.Label(terminal.Cyan, "vade: hint:", "%s", r.Error.Fix)
		}
	}
	return a.printProblems(r.Diagnostics)
}
