package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/vfs"
)

// ShellRequest describes a single command to check against the policy and run. The command is
// treated as if it were part of a definition.
type ShellRequest struct {
	Command string
	// Arguments holds the values of $ARGUMENTS, $1 and so on.
	Arguments []string
	// PluginDir is substituted for the variables that refer to a definition's own directory. ""
	// means the working directory.
	PluginDir string
	// Allowed and Disallowed restrict the command further, like a definition's
	// allowed-tools and disallowed-tools.
	Allowed, Disallowed []string
	// If DryRun is set, Vade decides whether the command may run, but does not run it.
	DryRun bool
}

// ShellResult is the result of a single command.
type ShellResult struct {
	definition.BashExpansion
	// Diagnostics holds problems in policy files.
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`
}

// Shell checks a command against the policy and runs it exactly as loading a definition would. The
// user typed the command, so grants need no separate approval.
func (c *Catalog) Shell(ctx context.Context, request ShellRequest) (*ShellResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir := request.PluginDir
	switch {
	case dir != "":
		abs, err := vfs.Absolute(dir)
		if err != nil {
			return nil, fmt.Errorf("vade: %w", err)
		}
		dir = abs
	case c.Quick.Project != nil:
		dir = c.Quick.Project.RealPath(c.Quick.WorkDir)
	}
	env, refused := c.shellEnv(nil, dir)
	expansion := render.ShellExpansion{Command: request.Command}
	if refused != nil {
		expansion.ShellResult = render.ShellResult{Keep: true, Error: refused}
		result := &ShellResult{BashExpansion: bashExpansion(expansion, "")}
		result.Decision = &definition.ShellDecision{Code: refused.Reason, Reason: refused.Message, Commands: []definition.CommandDecision{}}
		return result, nil
	}
	defer env.close()
	env.dry = env.dry || request.DryRun
	env.decisionContext.Allowed, _ = policy.ParseRules(request.Allowed...)
	env.decisionContext.Disallowed, _ = policy.ParseRules(request.Disallowed...)
	in := render.Input{Text: request.Command, Arguments: render.NewArguments(request.Arguments), Variables: env.variables}
	command := render.ShellCommand{Text: request.Command, Bindings: render.Bindings(in)}
	expansion.ShellResult = env.RunShell(ctx, []render.ShellCommand{command})[0]
	result := &ShellResult{BashExpansion: bashExpansion(expansion, "")}
	_, result.Diagnostics = c.EffectivePolicy()
	if details, ok := expansion.Details.(*run.Result); ok {
		result.Decision = decisionOf(request.Command, details)
	}
	return result, nil
}

// bashExpansion describes a command's outcome. where is the name of the definition that contains
// the command, if the request loaded more than one definition.
func bashExpansion(s render.ShellExpansion, where string) definition.BashExpansion {
	e := definition.BashExpansion{
		Command: s.Command, Executed: s.Executed, Error: expansionError(s.Error), Truncated: s.Truncated,
		Quoted: s.InFence || s.InCode || s.InComment, Line: s.Line, Column: s.Column, In: where,
	}
	details, ok := s.Details.(*run.Result)
	if !ok {
		return e
	}
	if s.Executed {
		e.Output, e.Redacted, e.Sandbox = details.Output, details.Redacted, &details.Sandbox
		e.NotRead = details.NotRead
		ms := float64(details.Duration.Round(10*time.Microsecond)) / float64(time.Millisecond)
		e.ExitCode, e.DurationMS = &details.Exit, &ms
		if e.Error != nil {
			e.Error.Stderr = details.Stderr
		}
	}
	if s.Keep && (!s.Executed) {
		e.Decision = decisionOf(s.Command, details)
	}
	return e
}

func decisionOf(text string, r *run.Result) *definition.ShellDecision {
	d := &definition.ShellDecision{Allow: r.Decision.Allow(), Commands: []definition.CommandDecision{}}
	if refusal := r.Decision.Refusal; refusal != nil {
		d.Code, d.Reason = string(refusal.Reason), refusal.Message
		at := diag.NewFile("", []byte(text)).Pos(r.Decision.Span.Start)
		d.Line, d.Column = at.Line, at.Column
	} else if f := r.Failure; f != nil && f.Reason != "" {
		d.Allow, d.Code, d.Reason = false, string(f.Reason), f.Message
	}
	for _, c := range r.Decision.Commands {
		d.Commands = append(d.Commands, commandDecision(c))
	}
	return d
}

func commandDecision(c policy.Judged) definition.CommandDecision {
	j := definition.CommandDecision{Argv: OrEmpty(c.Argv), Open: !c.Known}
	switch v := c.Verdict; {
	case c.Refusal != nil:
		j.Code, j.Reason = string(c.Refusal.Reason), c.Refusal.Message
	case v == nil:
	case v.Missing:
		j.Runs = "missing"
	case v.Prepared != nil:
		j.Runs = "in-process"
	case v.Process():
		j.Runs = "process"
		if v.Grant != nil {
			j.Grant = v.Grant.Rule.String()
		}
	default:
		j.Runs = "shell"
	}
	return j
}
