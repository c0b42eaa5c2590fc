package catalog

import (
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/vfs"
)

// SandboxMain must be the first call in the main function of the program named by
// [ShellOptions.SandboxHelper]. If the process was started to run a sandboxed command, SandboxMain
// sets up the sandbox, executes the command and does not return. Otherwise it returns immediately.
func SandboxMain() { sandbox.Main() }

// ShellOptions configures shell commands in bodies. The zero value runs the commands that the
// policy allows and that do not require starting a process.
type ShellOptions struct {
	// Off disables all commands, as the environment variable VADE_NO_SHELL
	// does; see [ShellSwitchedOff].
	Off bool
	// Remote indicates that the request comes from another user over a network.
	// Commands run only if the policy sets remote-shell: true.
	Remote bool
	// If DryRun is set, Vade decides whether each command may run, but does not run any.
	DryRun bool
	// If RequireSandbox is set, no process is started if any sandbox restriction is unavailable.
	RequireSandbox bool
	// SandboxHelper is the path of an executable that calls [SandboxMain] first. If it is empty, no
	// process is started, so only the commands that Vade implements itself can run.
	SandboxHelper string
}

// shellEnv is the environment in which a definition's commands run.
type shellEnv struct {
	c *Catalog
	// d is the definition, or nil if the user typed the command.
	d   *definition.Definition
	doc []byte
	// refs lists the files that the body references. commands holds the body's commands without
	// arguments.
	refs     []string
	commands []render.ShellCommand

	// approved maps the files that the approval covers to their digests.
	approved map[string]string

	// merged interleaves stdout and stderr.
	merged bool
	// If dry is set, commands are checked but not run.
	dry bool

	policy          *policy.Policy
	decisionContext policy.DecisionContext
	variables       map[string]string
	view            *vfs.View
	trees           []*vfs.Tree
}

// ShellSwitchedOff reports whether the environment variable VADE_NO_SHELL disables commands. Any
// value except "0" and "false" disables them.
func ShellSwitchedOff(getenv func(string) string) bool {
	switch getenv("VADE_NO_SHELL") {
	case "", "0", "false":
		return false
	}
	return true
}

// powerShell is the value of the shell field that marks commands as PowerShell. Claude Code runs
// such commands with Bash if PowerShell is not installed (observed in 2.1.330).
const powerShell = "powershell"

// shellEnv returns the environment for a definition's commands, or the reason that none may run.
func (c *Catalog) shellEnv(d *definition.Definition, pluginDir string) (*shellEnv, *render.RefError) {
	if c.Options.Shell.Off {
		return nil, switchedOff("commands are disabled by an option", "omit --no-shell")
	}
	if ShellSwitchedOff(c.Options.Getenv) {
		return nil, switchedOff("commands are disabled by VADE_NO_SHELL", "unset VADE_NO_SHELL")
	}
	project := c.Quick.Project
	if project == nil || !vfs.IsAbs(project.Real()) {
		return nil, switchedOff("commands run only if the project is a directory on disk", "run Vade in a project on disk")
	}
	if d != nil && d.Fields.Shell() == powerShell && c.Profile.Prompt == nil {
		return nil, notAllowed(policy.ReasonSyntax, "the shell field requests PowerShell, but Vade runs only POSIX shell commands")
	}
	r := &shellEnv{c: c, d: d, dry: c.Options.Shell.DryRun}
	r.policy, _ = c.EffectivePolicy()
	if c.Options.Shell.Remote && !r.policy.RemoteShell {
		return nil, notAllowed(policy.ReasonOff, "the policy disables commands for remote clients (remote-shell, "+r.policy.From("remote-shell").String()+")")
	}
	r.trees = []*vfs.Tree{project}
	r.decisionContext = policy.DecisionContext{Mode: r.policy.Shell, Name: "NAME", Dir: project.RealPath(c.Quick.WorkDir)}
	var places host.Places
	if d != nil {
		places = c.places(d)
		r.decisionContext.Mode = r.policy.Source(d.Origin.Layer, d.Origin.Plugin, serverOf(d)).Shell
		r.decisionContext.Name = d.Kind.String() + ":" + d.Name
		r.decisionContext.Allowed, _ = policy.ParseRules(d.Fields.AllowedTools()...)
		r.decisionContext.Disallowed, _ = policy.ParseRules(d.Fields.DisallowedTools()...)
	} else {
		places = host.Places{Project: project.Real(), Skill: pluginDir, Plugin: pluginDir}
	}
	r.decisionContext.Off = disablingSetting(r.policy, r.decisionContext.Mode)
	for _, dir := range []string{places.Skill, places.Plugin} {
		r.add(dir)
	}
	for _, t := range r.trees {
		for _, dir := range []string{t.Real(), t.Dir()} {
			if !slices.Contains(r.decisionContext.Roots, dir) {
				r.decisionContext.Roots = append(r.decisionContext.Roots, dir)
			}
		}
	}
	if c.Profile.Variables != nil {
		r.variables = c.Profile.Variables(places)
	}
	r.decisionContext.Expand = func(name string) (string, bool) {
		v, ok := r.variables[name]
		return v, ok && v != ""
	}
	r.decisionContext.Missing = func(name string) bool { return !sandbox.Installed(name, c.Options.Getenv("PATH")) }
	r.view = vfs.NewView(vfs.ViewOptions{Trees: r.trees, Dir: r.decisionContext.Dir, Hidden: run.Hidden(r.policy)})
	return r, nil
}

// disablingSetting describes the setting that disables commands. It returns "" if mode does not
// disable them.
func disablingSetting(p *policy.Policy, mode policy.Mode) string {
	switch {
	case mode != policy.Off:
		return ""
	case p.Shell == policy.Off:
		return "the policy disables commands (" + p.From("shell").String() + ")"
	}
	return "the policy does not allow commands from this source (see its trust entries)"
}

func notAllowed(reason policy.Reason, message string) *render.RefError {
	return &render.RefError{Code: diag.BashNotAllowed, Reason: string(reason), Message: message, Fix: reason.Fix()}
}

// switchedOff is like notAllowed, but for commands that are disabled by something other than the
// policy.
func switchedOff(message, fix string) *render.RefError {
	e := notAllowed(policy.ReasonOff, message)
	e.Fix = fix
	return e
}

// refuseAll is a runner that refuses every command.
type refuseAll struct{ err *render.RefError }

// RunShell implements [render.ShellRunner].
func (r refuseAll) RunShell(_ context.Context, commands []render.ShellCommand) []render.ShellResult {
	results := make([]render.ShellResult, len(commands))
	for i := range results {
		results[i] = render.ShellResult{Keep: true, Error: r.err}
	}
	return results
}

// add opens the definition's own directory for reading.
func (r *shellEnv) add(dir string) {
	if dir == "" || !vfs.IsAbs(dir) {
		return
	}
	for _, t := range r.trees {
		if _, ok := t.Rel(dir); ok {
			return
		}
	}
	if t, err := vfs.Open(dir, vfs.Options{HardLinks: true}); err == nil {
		r.trees = append(r.trees, t)
	}
}

// close closes the trees that add opened.
func (r *shellEnv) close() {
	for _, t := range r.trees[1:] {
		t.Close()
	}
}

// runner returns the command runner for the given approval state.
func (r *shellEnv) runner(approval policy.Approval) *run.Runner {
	s := r.decisionContext
	s.Approval = approval
	o := r.c.Options
	var covered func(string) bool
	if r.d != nil {
		covered = r.covered
	}
	return run.New(run.Options{
		Covered: covered,
		Policy:  r.policy, Context: s, View: r.view, Project: r.c.Quick.Project.Real(), Home: r.c.Env.Home,
		Helper: o.Shell.SandboxHelper, Require: o.Shell.RequireSandbox, Getenv: o.Getenv, Now: o.Now, DryRun: r.dry, Merged: r.merged,
	})
}

// RunShell implements [render.ShellRunner]. Read-only commands run in parallel.
// A command that may change something runs alone, after all earlier commands.
func (r *shellEnv) RunShell(ctx context.Context, commands []render.ShellCommand) []render.ShellResult {
	results := make([]render.ShellResult, len(commands))
	runner := r.runner(r.approvalState(ctx, commands))
	// Each command has its own timeout, and all commands share a longer one.
	ctx, cancel := context.WithTimeout(ctx, r.totalTimeout())
	defer cancel()
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, command := range commands {
		one := func() {
			result := runner.Run(ctx, command.Text, command.Bindings)
			results[i] = shellResult(result, r.dry)
		}
		if runner.Exclusive(command.Text, command.Bindings) {
			group.Wait()
			one()
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			one()
		})
	}
	group.Wait()
	return results
}

// totalTimeout returns the timeout for all of a body's commands, a multiple of
// the timeout for one command.
func (r *shellEnv) totalTimeout() time.Duration {
	const times = 6
	return times * max(r.policy.Timeout, r.longestGrant())
}

// longestGrant returns the longest timeout in any grant.
func (r *shellEnv) longestGrant() (d time.Duration) {
	for _, g := range r.policy.Allow {
		d = max(d, g.Timeout)
	}
	return d
}

// shellResult converts a command's result for rendering.
func shellResult(result run.Result, dry bool) render.ShellResult {
	out := render.ShellResult{Executed: result.Executed, Output: result.Output, Stdout: result.Stdout,
		Exit: result.Exit, Truncated: result.Truncated, NotRead: result.NotRead, Keep: dry, Details: &result}
	if f := result.Failure; f != nil {
		out.Error = &render.RefError{Code: f.Code, Reason: string(f.Reason), Message: f.Message, Fix: f.Fix}
		out.Span = f.Span
		out.Keep = out.Keep || f.Code != diag.BashFailed || !result.Executed
	}
	return out
}

// places returns the directories that a definition's variables refer to.
func (c *Catalog) places(d *definition.Definition) host.Places {
	places := host.Places{Session: c.Options.Session}
	if c.Quick.Project != nil {
		places.Project = c.Quick.Project.Real()
	}
	if d.Kind == definition.Skill && d.Origin.Layer != definition.Bundled && d.Origin.Layer != definition.MCP {
		places.Skill = path.Dir(d.Origin.Real)
	}
	if p := c.PluginOf(d); p != nil {
		places.Plugin = p.Tree.RealPath(p.Dir)
	}
	return places
}

// PluginOf returns the plugin that a definition belongs to, or nil.
func (c *Catalog) PluginOf(d *definition.Definition) *discover.Plugin {
	if d.Origin.Plugin == "" || c.Full == nil {
		return nil
	}
	for _, p := range c.Full.Plugins {
		if p.Name == d.Origin.Plugin && strings.HasPrefix(d.Origin.Real, strings.TrimSuffix(p.Tree.RealPath(p.Dir), "/")+"/") {
			return p
		}
	}
	return nil
}
