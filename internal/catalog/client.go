package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// SettingSources returns the values that [ClientOptions.SettingSources] accepts.
func SettingSources() []string {
	return []string{host.SourceUser, host.SourceProject, host.SourceLocal}
}

// PermissionModes returns the values that [ClientOptions.PermissionMode] accepts for any host.
func PermissionModes() []string { return registry.PermissionModes() }

// Switches returns the bits of all options that are set.
func (o *ClientOptions) Switches() host.Switch {
	var set host.Switch
	for _, s := range []struct {
		is  host.Switch
		set bool
	}{
		{host.SwitchSources, o.SettingSources != nil},
		{host.SwitchBare, o.Bare},
		{host.SwitchNoCommands, o.NoCommands},
		{host.SwitchPermissionMode, o.PermissionMode != ""},
		{host.SwitchAgents, o.Agents != ""},
		{host.SwitchAgent, o.Agent != ""},
		{host.SwitchAddDirs, len(o.AddDirs) > 0},
		{host.SwitchContextTokens, o.ContextTokens != 0},
		{host.SwitchTouched, len(o.Touched) > 0},
	} {
		if s.set {
			set |= s.is
		}
	}
	return set
}

// check returns an error if the caller passed invalid options. Problems that
// depend on the environment, such as a missing additional directory or agents
// that are not valid JSON, are reported as diagnostics instead.
func (o *ClientOptions) check(p *host.Profile) error {
	if foreign := (o.Switches() &^ p.Switches).Words(); len(foreign) > 0 {
		field := foreign[0].Field
		if p.Switches == 0 && p.Listing == nil {
			return fmt.Errorf("vade: ClientOptions.%s is not supported in the %s view; set Options.As to a host", field, p.Name)
		}
		return fmt.Errorf("vade: ClientOptions.%s is not supported for host %s", field, p.Name)
	}
	for _, s := range o.SettingSources {
		if !slices.Contains(SettingSources(), s) {
			return fmt.Errorf("vade: unknown setting source %q; use one of: %s", s, strings.Join(SettingSources(), ", "))
		}
	}
	if o.PermissionMode != "" && (p.Permission == nil || !slices.Contains(p.Permission.Modes, o.PermissionMode)) {
		modes := PermissionModes()
		if p.Permission != nil {
			modes = p.Permission.Modes
		}
		return fmt.Errorf("vade: unknown permission mode %q; use one of: %s", o.PermissionMode, strings.Join(modes, ", "))
	}
	if o.ContextTokens < 0 {
		return fmt.Errorf("vade: invalid context size %d; use a positive number of tokens, or 0 for the host's default", o.ContextTokens)
	}
	return nil
}

// applyClientOptions checks the client options and passes them to discovery.
func (o *Options) applyClientOptions(p *host.Profile, env *discover.Environment) error {
	client := &o.Client
	if err := client.check(p); err != nil || p.Switches == 0 {
		return err
	}
	added := make([]string, len(client.AddDirs))
	for i, dir := range client.AddDirs {
		abs, err := vfs.Absolute(dir)
		if err != nil {
			return fmt.Errorf("vade: %w", err)
		}
		added[i] = abs
	}
	client.AddDirs = added
	touched := make([]string, len(client.Touched))
	for i, file := range client.Touched {
		touched[i] = filepath.ToSlash(file)
	}
	client.Touched = touched
	env.Client = discover.Client{
		Sources: client.SettingSources, Bare: client.Bare, NoCommands: client.NoCommands, Added: added, Touched: touched,
	}
	return nil
}

// activeAt reports when a definition became available in the session. at is 0 if the definition is
// always available; otherwise, it is the 1-based index of the touched file that activated the
// definition. ok is false if the definition is not available yet.
//
// A definition below the working directory is activated when the session touches a file in its
// directory (Claude Code 2.1.329, case m27). A definition with path patterns is activated when the
// session touches a file whose path, relative to the working directory, matches one of them (m25,
// m52).
func (c *Catalog) activeAt(d *definition.Definition) (at int, ok bool) {
	if d.Origin.Nested != "" {
		if at, ok = c.firstTouched(func(file string) bool {
			return strings.HasPrefix(c.fromTop(file), d.Origin.Nested+"/")
		}); !ok {
			return 0, false
		}
	}
	if len(d.Fields.Paths()) == 0 {
		return at, true
	}
	form := c.Profile.Patterns
	m, _ := form.Compile(d.Fields.Paths())
	if m == nil {
		return at, true
	}
	matched, ok := c.firstTouched(func(file string) bool {
		return m.MatchUnder(form.Subject(file, path.Join(c.Quick.Project.RealPath(c.Quick.WorkDir), file)), false)
	})
	return max(at, matched), ok
}

// firstTouched returns the 1-based index of the first touched file that is below the working
// directory and for which is returns true.
func (c *Catalog) firstTouched(is func(file string) bool) (int, bool) {
	for i, file := range c.Env.Client.Touched {
		if rel, ok := c.Quick.Below(file); ok && is(rel) {
			return i + 1, true
		}
	}
	return 0, false
}

// fromTop converts a path relative to the working directory to one relative to the project root.
func (c *Catalog) fromTop(file string) string {
	if c.Quick.WorkDir == "." || c.Quick.WorkDir == "" {
		return file
	}
	return c.Quick.WorkDir + "/" + file
}

// agentsFlag is the path displayed for agents from [ClientOptions.Agents].
const agentsFlag = "--agents"

// clientAgents returns the agents from the client's command line. They rank after managed agents,
// according to Claude Code's documentation, and before the project's agents (Claude Code 2.1.329,
// case m37).
func (c *Catalog) clientAgents() ([]*definition.Definition, []diag.Diagnostic) {
	text := c.Options.Client.Agents
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var all map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &all)
	if err == nil && all == nil {
		err = errors.New("the value is null")
	}
	if err != nil {
		return nil, []diag.Diagnostic{diag.For(agentsFlag, diag.JSONInvalid, "ignored because it is not a valid JSON object: %s", diag.JSONProblem(err)).
			WithFix(`use {"name": {"description": "…", "prompt": "…"}}`)}
	}
	var list []*definition.Definition
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, c.clientAgent(name, all[name]))
	}
	return list, nil
}

func (c *Catalog) clientAgent(name string, raw json.RawMessage) *definition.Definition {
	d := &definition.Definition{
		Kind: definition.Agent, Name: name, Title: name, Format: definition.Package, Size: int64(len(raw)),
		// A distance of -1 ranks these definitions just before those in the working directory.
		Origin: definition.Origin{Layer: definition.Project, Root: agentsFlag, Path: agentsFlag, Real: agentsFlag + "#" + name, Distance: -1},
	}
	var a struct {
		Description, Prompt, Model     string
		Tools, DisallowedTools, Skills []string
	}
	why := ""
	if err := json.Unmarshal(raw, &a); err != nil {
		why = "invalid agent: " + diag.JSONProblem(err)
		d.Diagnostics = append(d.Diagnostics, diag.For(agentsFlag, diag.FieldType, "ignored agent %s: %s", name, diag.JSONProblem(err)).
			WithFix(`use {"description": "…", "prompt": "…", "tools": ["Read"]}`))
	}
	d.Fields = definition.Fields{Name: name, Description: a.Description}
	d.Fields.SetText(definition.FieldModel, a.Model)
	d.Fields.SetList(definition.FieldTools, a.Tools)
	d.Fields.SetList(definition.FieldDisallowedTools, a.DisallowedTools)
	d.Fields.SetList(definition.FieldSkills, a.Skills)
	d.Description = a.Description
	d.Fields.SetInline(a.Prompt)
	switch {
	case why != "":
	case c.Profile.Refuses != nil && c.Profile.Refuses(d) != "":
		why = c.Profile.Refuses(d)
	case a.Prompt == "":
		why = "the agent has no prompt"
	default:
		return d
	}
	d.State, d.ReasonCode, d.Reason = definition.Dropped, diag.NotRead, why
	return d
}
