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

// SandboxMain has to be the first thing that a program does whose own
// executable is [ShellOptions.SandboxHelper]: in a process that was started to run a
// command it builds the walls, becomes the command and does not return. In any
// other it returns at once.
func SandboxMain() { run.Main() }

// ShellOptions say what becomes of the shell commands in bodies. The zero value
// runs what the policy allows and needs no process.
type ShellOptions struct {
	// Off runs no command; so does the environment variable VADE_NO_SHELL, see
	// [ShellSwitchedOff].
	Off bool
	// Remote: whoever asks does so over a network and is not this user. No command
	// runs for them unless the policy says remote-shell: true.
	Remote bool
	// DryRun decides on each command and runs none.
	DryRun bool
	// RequireSandbox runs no process unless every wall around it can be built.
	RequireSandbox bool
	// SandboxHelper is an executable that calls [SandboxMain] first. Without
	// one no process is started: only commands that run in this process do.
	SandboxHelper string
}

// shellRoom is what the commands of one definition have around them.
type shellEnv struct {
	c *Catalog
	// d is nil for a command that the user types.
	d   *definition.Definition
	doc []byte
	// refs are the files that the body refers to, commands its commands without
	// arguments.
	refs     []string
	commands []render.ShellCommand

	// consented are the digests of the files that the consent was given to.
	approved map[string]string

	// merged: both outputs of a process come in their order, as one.
	merged bool

	policy          *policy.Policy
	decisionContext policy.DecisionContext
	variables       map[string]string
	view            *vfs.View
	trees           []*vfs.Tree
}

// ShellSwitchedOff reports whether the environment variable VADE_NO_SHELL says
// that no command runs: it is set, and not to "0" or "false".
func ShellSwitchedOff(getenv func(string) string) bool {
	switch getenv("VADE_NO_SHELL") {
	case "", "0", "false":
		return false
	}
	return true
}

// shellRoom returns what the commands of a definition have around them, or why
// they can not run at all.
func (c *Catalog) shellEnv(d *definition.Definition, pluginDir string) (*shellEnv, *render.RefError) {
	if c.Options.Shell.Off {
		return nil, notAllowed(policy.ReasonOff, "commands are switched off by an option")
	}
	if ShellSwitchedOff(c.Options.Getenv) {
		return nil, notAllowed(policy.ReasonOff, "commands are switched off by VADE_NO_SHELL")
	}
	project := c.Quick.Project
	if project == nil || !vfs.IsAbs(project.Real()) {
		return nil, notAllowed(policy.ReasonOff, "commands run only in a directory of the system")
	}
	r := &shellEnv{c: c, d: d}
	r.policy, _ = c.EffectivePolicy()
	if c.Options.Shell.Remote && !r.policy.RemoteShell {
		return nil, notAllowed(policy.ReasonOff, "the policy runs no commands for those who ask over a network (remote-shell, "+r.policy.From("remote-shell").String()+")")
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
	r.decisionContext.Off = offBecause(r.policy, r.decisionContext.Mode)
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

// offBecause says where it is stated that no command runs.
func offBecause(p *policy.Policy, mode policy.Mode) string {
	switch {
	case mode != policy.Off:
		return ""
	case p.Shell == policy.Off:
		return "the policy runs no commands (" + p.From("shell").String() + ")"
	}
	return "the policy does not allow commands from this source (see its entries of trust)"
}

func notAllowed(reason policy.Reason, message string) *render.RefError {
	return &render.RefError{Code: diag.BashNotAllowed, Reason: string(reason), Message: message, Fix: reason.Fix()}
}

// refuseAll runs nothing.
type refuseAll struct{ err *render.RefError }

// RunShell implements [render.ShellRunner].
func (r refuseAll) RunShell(_ context.Context, commands []render.ShellCommand) []render.ShellResult {
	results := make([]render.ShellResult, len(commands))
	for i := range results {
		results[i] = render.ShellResult{Keep: true, Error: r.err}
	}
	return results
}

// add makes a definition's own directory readable, if it is not already.
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

// close gives back what add has opened.
func (r *shellEnv) close() {
	for _, t := range r.trees[1:] {
		t.Close()
	}
}

// runner returns what runs the commands, with the consent as it is.
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
		Helper: o.Shell.SandboxHelper, Require: o.Shell.RequireSandbox, Getenv: o.Getenv, Now: o.Now, DryRun: o.Shell.DryRun, Merged: r.merged,
	})
}

// RunShell implements [render.ShellRunner]. Commands that only read run side by
// side; one that may change something runs alone, after those before it.
func (r *shellEnv) RunShell(ctx context.Context, commands []render.ShellCommand) []render.ShellResult {
	results := make([]render.ShellResult, len(commands))
	runner := r.runner(r.approvalState(ctx, commands))
	// Each command has its own time; together they have the time of some.
	ctx, cancel := context.WithTimeout(ctx, r.totalTimeout())
	defer cancel()
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, command := range commands {
		one := func() {
			result := runner.Run(ctx, command.Text, command.Bindings)
			results[i] = shellResult(result, r.c.Options.Shell.DryRun)
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

// together is the time that all commands of a body may take: some times the limit
// of one.
func (r *shellEnv) totalTimeout() time.Duration {
	const times = 6
	return times * max(r.policy.Timeout, r.longestGrant())
}

// longest is the longest time that a grant gives.
func (r *shellEnv) longestGrant() (d time.Duration) {
	for _, g := range r.policy.Allow {
		d = max(d, g.Timeout)
	}
	return d
}

// shellResult is what rendering has to know of a result.
func shellResult(result run.Result, dry bool) render.ShellResult {
	out := render.ShellResult{Executed: result.Executed, Output: result.Output, Stdout: result.Stdout, Exit: result.Exit, Truncated: result.Truncated, NotRead: result.NotRead, Keep: dry, Details: &result}
	if f := result.Failure; f != nil {
		out.Error = &render.RefError{Code: f.Code, Reason: string(f.Reason), Message: f.Message, Fix: f.Fix}
		out.Span = f.Span
		out.Keep = out.Keep || f.Code != diag.BashFailed || !result.Executed
	}
	return out
}

// places are the directories that a definition's variables stand for.
func (c *Catalog) places(d *definition.Definition) host.Places {
	var places host.Places
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

// PluginOf returns the plugin that a definition belongs to.
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
