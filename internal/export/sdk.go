package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/resolve"
)

// sdkMaker creates SDK options and the files for an SDK export.
type sdkMaker struct {
	c    *catalog.Catalog
	ctx  context.Context
	sdk  *host.AgentSDK
	host string
	all  *resolve.Catalog
	// request is the export request. It is nil for a local session.
	request *Request
	// chosen holds the definitions to export.
	chosen map[*definition.Definition]bool
	out    *SDKOptions
	// reported and reportedDiagnostics hold the losses and diagnostics that have already been
	// added.
	reported            map[HostLoss]bool
	reportedDiagnostics map[catalog.DiagnosticKey]bool
}

func newSDKMaker(ctx context.Context, c *catalog.Catalog, sdk *host.AgentSDK, hostName string, r *Request) (*sdkMaker, error) {
	if c.Profile.Listing != nil {
		return nil, fmt.Errorf("vade: the catalog was opened for %s; open it without Options.As", c.Profile.Name)
	}
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	m := &sdkMaker{c: c, ctx: ctx, sdk: sdk, host: hostName, request: r, all: all, reported: map[HostLoss]bool{},
		reportedDiagnostics: map[catalog.DiagnosticKey]bool{}}
	if r != nil {
		list, err := Exported(ctx, c, r)
		if err != nil {
			return nil, err
		}
		m.chosen = map[*definition.Definition]bool{}
		for _, d := range list {
			m.chosen[d] = true
		}
	}
	m.out = &SDKOptions{
		Agents: map[string]SDKAgent{}, MCPServers: map[string]json.RawMessage{},
		SystemPrompt: SDKSystemPrompt{Type: "preset", Preset: m.sdk.Preset},
		AllowedTools: []string{}, SettingSources: []string{}, Plugins: []SDKPlugin{},
	}
	return m, nil
}

// includes reports whether the options include a definition. The SDK loads some plugins itself;
// their definitions are omitted so that they are not loaded twice.
func (m *sdkMaker) includes(d *definition.Definition) bool {
	if m.request != nil {
		return m.chosen[d]
	}
	return d.Origin.Layer != definition.Plugin || m.sdk.PluginManifest == "" || !slices.ContainsFunc(m.c.Env.PluginDirs, func(dir string) bool {
		if rel, ok := m.c.InProject(dir); ok {
			dir = rel
		}
		return instructions.AtOrBelow(d.Origin.Path, dir)
	})
}

func (m *sdkMaker) report(list ...diag.Diagnostic) {
	for _, d := range list {
		k := catalog.DiagnosticKey{Code: d.Code, File: d.File, Line: d.Line, Message: d.Message}
		if !m.reportedDiagnostics[k] {
			m.reportedDiagnostics[k] = true
			m.out.Diagnostics = append(m.out.Diagnostics, d)
		}
	}
}

func (m *sdkMaker) reportLoss(d *definition.Definition, line int, what, fix, format string, args ...any) {
	l := HostLoss{
		Host: m.sdk.Name, Kind: d.Kind, Name: d.Name, Source: d.Origin.Path, Line: line, What: what,
		Message: fmt.Sprintf(format, args...), Fix: fix,
	}
	if !m.reported[l] {
		m.reported[l] = true
		m.out.Losses = append(m.out.Losses, l)
	}
}

// widen sets Widens in all losses from index from on if the lost field is a restriction.
func (m *sdkMaker) widen(from int, kind definition.Kind, e *definition.Entry) {
	for i := range m.out.Losses[from:] {
		m.out.Losses[from+i].Widens = Narrows(kind, e)
	}
}

func (m *sdkMaker) mode() prompt.Mode {
	w := prompt.Mode{Include: m.includes, Tool: m.tool, AnyFile: true}
	if m.request != nil {
		w.SkillText, w.SharedTool = m.skillText, true
	}
	return w
}

// tool returns the name of the tool that an agent uses to load skills, or "" if the agent may not
// use that tool.
func (m *sdkMaker) tool(agent *definition.Definition) string {
	if agent == nil {
		return m.sdk.Tool
	}
	for _, t := range agent.Fields.DisallowedTools() {
		server, tool, ok := host.IsServerTool(t)
		if t == m.sdk.Tool || ok && (server == "*" || server == m.sdk.Server && tool == "") {
			return ""
		}
	}
	return m.sdk.Tool
}

func (m *sdkMaker) options() error {
	main, err := prompt.BuildWith(m.ctx, m.c, prompt.Request{}, m.mode())
	if err != nil {
		return err
	}
	m.report(main.Diagnostics...)
	m.out.SystemPrompt.Append = main.Text
	skills := hasPart(main, prompt.PromptSkills)
	for _, d := range m.all.All {
		if d.Kind != definition.Agent || d.State != definition.Loaded || !m.includes(d) {
			continue
		}
		a, listed, err := m.agent(d)
		if err != nil {
			return err
		}
		if a != nil {
			m.out.Agents[d.Name] = *a
			skills = skills || listed
		}
	}
	if skills {
		m.out.AllowedTools = append(m.out.AllowedTools, m.sdk.Tool)
	}
	m.instructions()
	if err := m.servers(); err != nil {
		return err
	}
	return m.plugins()
}

// instructions reports a loss for each instruction whose activation the options cannot express.
func (m *sdkMaker) instructions() {
	for _, d := range m.all.All {
		if d.Kind != definition.Instruction || d.State != definition.Loaded || !m.includes(d) {
			continue
		}
		switch patterns := m.c.SourcePatterns(m.ctx, d); {
		case len(d.Fields.Paths()) > 0:
			m.reportLoss(d, 0, LossActivation, "", "the text is always in the prompt, marked as applying to files that match %s", strings.Join(patterns, ", "))
		case m.c.FieldText(m.ctx, d, definition.FieldAlwaysApply.Key()) == "false":
			m.reportLoss(d, 0, LossActivation, "make it a skill", "the text is always in the prompt, not only on request")
		}
	}
}

func hasPart(p *prompt.Prompt, kind string) bool {
	return slices.ContainsFunc(p.Parts, func(x prompt.Part) bool { return x.What == kind })
}

// agent returns one agent, or nil if the agent is disabled. listed reports whether the agent's
// prompt contains the list of skills.
func (m *sdkMaker) agent(d *definition.Definition) (a *SDKAgent, listed bool, err error) {
	p, err := prompt.BuildWith(m.ctx, m.c, prompt.Request{Agent: d.Name}, m.mode())
	if err != nil {
		return nil, false, err
	}
	doc, err := m.c.Document(m.ctx, d)
	if err != nil {
		return nil, false, err
	}
	for i := range doc.Entries {
		if e := &doc.Entries[i]; SwitchesOff(e) {
			m.reportLoss(d, doc.File.Pos(e.KeySpan.Start).Line, LossField, "remove the field to export the agent", "the agent is disabled with %s and is omitted", e.Key)
			m.out.Losses[len(m.out.Losses)-1].Whole = true
			return nil, false, nil
		}
	}
	m.report(p.Diagnostics...)
	a = &SDKAgent{}
	a.Description, a.Prompt = cmp.Or(d.Description, d.Title, d.Name), p.Text
	listed = hasPart(p, prompt.PromptSkills)
	m.tools(d, &doc, a)
	if m.sdk.Form == host.SessionConfig {
		m.allowedOnly(d, a)
	}
	if len(a.Tools) > 0 && listed && !slices.Contains(a.Tools, m.sdk.Tool) {
		a.Tools = append(a.Tools, m.sdk.Tool)
	}
	for i := range doc.Entries {
		before := len(m.out.Losses)
		m.agentField(d, &doc, &doc.Entries[i], a)
		m.widen(before, d.Kind, &doc.Entries[i])
	}
	return a, listed, nil
}

// tools converts an agent's lists of allowed and disallowed tools. If the host does not know any of
// the allowed tools, the list is empty but not nil, so the agent gets no tools rather than all
// tools.
func (m *sdkMaker) tools(d *definition.Definition, doc *parse.Document, a *SDKAgent) {
	for i := range doc.Entries {
		e := &doc.Entries[i]
		field := definition.LookupField(e.Key)
		if field != definition.FieldTools && field != definition.FieldDisallowedTools && !IsPermission(e) ||
			e.Value.Kind == definition.Null {
			continue
		}
		line := doc.File.Pos(e.KeySpan.Start).Line
		words, off, everything := Tools(e)
		a.DisallowedTools = m.toolNames(d, line, off, true, a.DisallowedTools)
		switch {
		case field == definition.FieldDisallowedTools && everything:
			a.Tools = []string{}
		case field == definition.FieldDisallowedTools:
			a.DisallowedTools = m.toolNames(d, line, words, true, a.DisallowedTools)
		case everything, len(words) == 0 && len(off) > 0:
		case a.Tools == nil:
			a.Tools = m.toolNames(d, line, words, false, []string{})
		default:
			names := m.toolNames(d, line, words, false, nil)
			a.Tools = slices.DeleteFunc(a.Tools, func(t string) bool { return !slices.Contains(names, t) })
		}
	}
	for i := range doc.Entries {
		// Skip known fields such as permissionMode, because the host has a plan mode of its own.
		if e := &doc.Entries[i]; ReadOnly(e) && definition.LookupField(e.Key) == 0 {
			if a.Tools == nil {
				a.Tools = host.AllTools()
			}
			a.Tools = ReadOnlyTools(e, a.Tools)
		}
	}
}

// toolNames appends the SDK's tool names to a list, without duplicates. It
// keeps unknown tools only in lists of denied tools.
func (m *sdkMaker) toolNames(d *definition.Definition, line int, words []string, keepUnknown bool, list []string) []string {
	for _, w := range words {
		name, rule, ruled := strings.Cut(w, "(")
		names := slices.Clone(registry.NeutralTools(strings.TrimSpace(name)))
		for i := range names {
			if ruled {
				names[i] += "(" + rule
			}
		}
		if len(names) == 0 {
			m.reportLoss(d, line, "tool", "use one of the host's tools", "the host has no tool named %s", w)
			if keepUnknown {
				names = []string{w}
			}
		}
		for _, n := range names {
			if !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	return list
}

// agentField converts one of an agent's fields, or reports its loss.
func (m *sdkMaker) agentField(d *definition.Definition, doc *parse.Document, e *definition.Entry, a *SDKAgent) {
	line := doc.File.Pos(e.KeySpan.Start).Line
	text := definition.Flat(&e.Value)
	if text == "" && e.Value.Kind != definition.Map {
		return
	}
	if f := definition.LookupField(e.Key); Secret(e) && f != definition.FieldMCPServers {
		m.reportLoss(d, line, LossSecret, "use an environment variable instead, and rotate the secret", "%s may contain a secret and is omitted", e.Key)
		return
	}
	if f, why := definition.LookupField(e.Key), Leave(e); why != "" && f != definition.FieldMCPServers && f != definition.FieldHooks {
		m.reportLoss(d, line, "field", "set it in your program's options if you need it", "the field %s %s and is not exported", e.Key, why)
		return
	}
	known := func(ok bool, fix string) bool {
		if !ok {
			m.reportLoss(d, line, "field", fix, "%s: the SDK does not accept %s, so the field is omitted", e.Key, text)
		}
		return ok
	}
	f := definition.LookupField(e.Key)
	if slices.Contains(m.sdk.Unsupported, f) {
		m.reportLoss(d, line, "field", "set it in your program if you need it", "agents in the SDK do not support %s", e.Key)
		return
	}
	switch f {
	case definition.FieldModel:
		if m.sdk.Model(text) {
			a.Model = text
		} else {
			m.reportLoss(d, line, "model", "use one of the host's models, or remove the field", "the host has no model named %s, so the session's model is used", text)
		}
	case definition.FieldEffort:
		n, err := strconv.Atoi(text)
		if known(err == nil || slices.Contains(m.sdk.Efforts, text), "use one of: "+strings.Join(m.sdk.Efforts, ", ")) {
			a.Effort, _ = jsonc.Marshal(text, "")
			if err == nil {
				a.Effort = json.RawMessage(strconv.Itoa(n))
			}
		}
	case definition.FieldMaxTurns:
		n, err := strconv.Atoi(text)
		if known(err == nil && n > 0, "use a number greater than 0") {
			a.MaxTurns = n
		}
	case definition.FieldMemory:
		if known(slices.Contains(m.sdk.Memories, text), "use one of: "+strings.Join(m.sdk.Memories, ", ")) {
			a.Memory = text
		}
	case definition.FieldBackground:
		if b, err := strconv.ParseBool(text); known(err == nil, "use true or false") {
			a.Background = &b
		}
	case definition.FieldInitialPrompt:
		a.InitialPrompt = text
	case definition.FieldPermissionMode:
		// Leave has already rejected the modes that allow more actions without approval.
		if known(slices.Contains(m.sdk.Modes, text), "use one of: "+strings.Join(m.sdk.Modes, ", ")) {
			a.PermissionMode = text
		}
	case definition.FieldMCPServers:
		m.agentServers(d, line, e, a)
	case definition.FieldHooks, definition.FieldHandoffs, definition.FieldMode, definition.FieldIsolation, definition.FieldTemperature,
		definition.FieldTarget, definition.FieldAgents, definition.FieldDisableModelInvocation, definition.FieldUserInvocable,
		definition.FieldAliases, definition.FieldArgumentHint, definition.FieldAllowedTools, definition.FieldSubtask:
		m.reportLoss(d, line, "field", "remove the field, or implement it in your program", "agents in the SDK do not support %s", e.Key)
	case 0:
		switch e.Key {
		case "sandbox_mode", "approvalMode", "readonly":
			if ReadOnly(e) {
				// The exported tool list already reflects this field.
				return
			}
			fallthrough
		case "permission", "permissions", "approval_policy", "infer":
			m.reportLoss(d, line, "field", "list the tools the agent may use in the tools field", "agents in the SDK do not support %s", e.Key)
		}
	}
}

// skillText returns a skill's text for an export. The text is unchanged, because values inserted on
// this machine would be wrong on another.
func (m *sdkMaker) skillText(d *definition.Definition) (string, error) {
	doc, err := m.c.Document(m.ctx, d)
	if err != nil {
		return "", err
	}
	pieces := m.pieces(d, &doc, PieceOptions{})
	text := ""
	if len(pieces) > 0 {
		text = pieces[0].Text
	}
	if !ownDirectory(m.c, d) {
		return text, nil
	}
	return m.sdk.SkillDir + path.Dir(d.Origin.Path) + "\n\n" + text, nil
}

// ownDirectory reports whether a skill has its own directory in the project, which may contain
// files besides SKILL.md.
func ownDirectory(c *catalog.Catalog, d *definition.Definition) bool {
	return strings.EqualFold(path.Base(d.Origin.Path), "SKILL.md") && c.InsideProject(d)
}

// pieces splits a body into pieces and reports a loss for each part that cannot be replaced.
func (m *sdkMaker) pieces(d *definition.Definition, doc *parse.Document, c PieceOptions) []Piece {
	c.Variables = map[string]string{}
	if m.c.Profile.Variables != nil {
		places := host.Places{Project: "."}
		if d.Kind == definition.Skill {
			places.Skill = path.Dir(d.Origin.Path)
		}
		c.Variables = m.c.Profile.Variables(places)
	}
	if d.Kind == definition.Command {
		c.Project = host.EditorProject
		c.Variables[c.Project] = "."
		if strings.HasSuffix(strings.ToLower(d.Origin.Path), host.EditorSuffix) {
			c.Editor = host.EditorWords()
		}
	}
	pieces, left := Pieces(doc.Body, c)
	at := m.c.Input(d, doc, doc.Body).Start.Line
	for _, l := range left {
		line := max(at, 1) + strings.Count(doc.Body[:l.Offset], "\n")
		problem, fix := "it is left as is", "replace it with its value"
		switch l.What {
		case "shell":
			problem, fix = "the command is not run and is left as is", "tell the agent to run it, or insert its output"
		case "file":
			problem, fix = "the file is not included; the reference is left as is", "tell the agent to read it"
		case "variable":
			problem, fix = "the SDK does not expand it, so it is left as is", "make it an argument: $0, or a name from the arguments field"
		case "argument":
			problem, fix = "skills do not take arguments, so it is left as is", "make it a command"
		}
		m.reportLoss(d, line, l.What, fix, "%s: %s", strings.Join(strings.Fields(l.Text), " "), problem)
	}
	return pieces
}
