package export

import (
	"context"
	_ "embed" // for definitionsModule
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/prompt"
)

// sdkSkill, sdkCommand and sdkAgentFile define the contents of the files next to the options.
type sdkSkill struct {
	Name        string                 `json:"name"`
	Description string                 `json:"description"`
	Keywords    []string               `json:"keywords"`
	Source      string                 `json:"source"`
	Path        string                 `json:"path"`
	Frontmatter definition.Frontmatter `json:"frontmatter"`
	Content     string                 `json:"content"`
}

type sdkCommand struct {
	Name         string                 `json:"name"`
	Description  string                 `json:"description"`
	ArgumentHint string                 `json:"argumentHint"`
	Agents       []string               `json:"agents"`
	Source       string                 `json:"source"`
	Path         string                 `json:"path"`
	Frontmatter  definition.Frontmatter `json:"frontmatter"`
	Pieces       []Piece                `json:"pieces"`
}

type sdkAgentFile struct {
	Source                string                 `json:"source"`
	Path                  string                 `json:"path"`
	UseSkills             []string               `json:"useSkills"`
	HasArchitectureAccess bool                   `json:"hasArchitectureAccess"`
	Frontmatter           definition.Frontmatter `json:"frontmatter"`
}

// definitionsModule reads the skills, commands and agents. Each SDK's module imports it.
//
//go:embed vade-definitions.ts
var definitionsModule []byte

// exportSDK exports files for a program that passes definitions to an SDK: the options, the skills,
// commands and agents, and the modules that load them.
func exportSDK(ctx context.Context, c *catalog.Catalog, r Request, sdk *host.AgentSDK, hostName string) (*Export, error) {
	m, err := newSDKMaker(ctx, c, sdk, hostName, &r)
	if err != nil {
		return nil, err
	}
	if err := m.options(); err != nil {
		return nil, err
	}
	skills, commands, agents, err := m.definitions()
	if err != nil {
		return nil, err
	}
	out := &Export{Host: m.sdk.Name, Version: sdk.Version, Files: []ExportedFile{}, Losses: []HostLoss{},
		Diagnostics: []diag.Diagnostic{}}
	var options any = m.out
	if sdk.Form == host.SessionConfig {
		options = m.sessionConfig()
	}
	for _, f := range []struct {
		name string
		v    any
	}{{"options.json", options}, {"skills.json", skills}, {"commands.json", commands}, {"agents.json", agents}} {
		data, err := jsonc.Marshal(f.v, "  ")
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, ExportedFile{Path: f.name, Data: data})
	}
	out.Files = append(out.Files,
		ExportedFile{Path: "vade-definitions.ts", Data: definitionsModule}, ExportedFile{Path: "vade-options.ts", Data: []byte(sdk.Module)})
	// The record lists the other files, so add it last.
	if err := out.recorded("vade-made.json"); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Files, func(a, b ExportedFile) int { return strings.Compare(a.Path, b.Path) })
	for _, d := range m.out.Diagnostics {
		switch {
		case d.Severity == diag.Error:
			out.Diagnostics = append(out.Diagnostics, d)
		case d.Code == diag.MCPSecret:
			// The secret is already reported as a loss.
		case d.Severity == diag.Warning:
			out.Losses = append(out.Losses, HostLoss{Host: m.sdk.Name, Name: d.File, Source: d.File, Line: d.Line, What: "text", Message: d.Message, Fix: d.Fix})
		}
	}
	out.Losses = append(out.Losses, m.out.Losses...)
	diag.Sort(out.Diagnostics)
	slices.SortStableFunc(out.Losses, func(a, b HostLoss) int {
		if n := strings.Compare(a.Source, b.Source); n != 0 {
			return n
		}
		return a.Line - b.Line
	})
	return out, nil
}

// definitions returns the selected skills, commands and agents by name. A skill that only users may
// invoke is returned as a command.
func (m *sdkMaker) definitions() (map[string]sdkSkill, map[string]sdkCommand, map[string]sdkAgentFile, error) {
	skills, commands, agents := map[string]sdkSkill{}, map[string]sdkCommand{}, map[string]sdkAgentFile{}
	for _, d := range m.all.All {
		if d.State != definition.Loaded || !m.includes(d) || d.Kind == definition.Instruction {
			continue
		}
		doc, err := m.c.Document(m.ctx, d)
		if err != nil {
			return nil, nil, nil, err
		}
		switch {
		case d.Kind == definition.Agent:
			agents[d.Name] = sdkAgentFile{
				Source: catalog.SourceOf(d), Path: d.Origin.Path, UseSkills: catalog.OrEmpty(d.Fields.Skills()),
				HasArchitectureAccess: d.Fields.HasArchitectureAccess, Frontmatter: publicFrontmatter(&doc),
			}
		case d.Kind == definition.Command || d.Fields.DisableModelInvocation:
			// A command takes precedence over a skill with the same name.
			if _, taken := commands[d.Name]; !taken || d.Kind == definition.Command {
				commands[d.Name] = m.command(d, &doc)
			}
			m.behaviour(d, &doc)
		default:
			if prompt.Restricted(d) {
				m.behaviour(d, &doc)
				continue
			}
			text, err := m.skillText(d)
			if err != nil {
				return nil, nil, nil, err
			}
			skills[d.Name] = sdkSkill{
				Name: d.Title, Description: d.Description, Keywords: catalog.OrEmpty(d.Fields.Keywords()), Source: catalog.SourceOf(d), Path: d.Origin.Path,
				Frontmatter: publicFrontmatter(&doc), Content: text,
			}
			m.behaviour(d, &doc)
		}
	}
	return skills, commands, agents, nil
}

func (m *sdkMaker) command(d *definition.Definition, doc *parse.Document) sdkCommand {
	pieces := m.pieces(d, doc, PieceOptions{Names: d.Fields.Arguments(), Arguments: true, Files: true})
	if pieces == nil {
		pieces = []Piece{}
	}
	if strings.TrimSpace(doc.Body) == "" {
		m.reportLoss(d, 0, "text", "add a body to the command's file", "the command has no body")
	}
	return sdkCommand{
		Name: d.Title, Description: d.Description, ArgumentHint: d.Fields.ArgumentHint(), Agents: catalog.OrEmpty(d.Fields.Agents()),
		Source: catalog.SourceOf(d), Path: d.Origin.Path, Frontmatter: publicFrontmatter(doc), Pieces: pieces,
	}
}

// publicFrontmatter returns a file's frontmatter without MCP servers, hooks and other fields that
// may contain secrets.
func publicFrontmatter(doc *parse.Document) definition.Frontmatter {
	return catalog.FrontmatterOf(slices.DeleteFunc(slices.Clone(doc.Entries), func(e definition.Entry) bool {
		f := definition.LookupField(e.Key)
		return f == definition.FieldMCPServers || f == definition.FieldHooks || Secret(&e)
	}))
}

// behaviour reports the fields of a skill or command that have an effect in hosts but not in the
// generated module.
func (m *sdkMaker) behaviour(d *definition.Definition, doc *parse.Document) {
	for i := range doc.Entries {
		e := &doc.Entries[i]
		line := doc.File.Pos(e.KeySpan.Start).Line
		before := len(m.out.Losses)
		if Secret(e) {
			m.reportLoss(d, line, LossSecret, "use an environment variable instead, and rotate the secret", "%s may contain a secret and is omitted", e.Key)
		}
		if definition.Flat(&e.Value) == "" && e.Value.Kind != definition.Map {
			continue
		}
		switch f := definition.LookupField(e.Key); f {
		case definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldTools, definition.FieldModel, definition.FieldEffort,
			definition.FieldContext, definition.FieldAgent, definition.FieldShell, definition.FieldHooks, definition.FieldMode,
			definition.FieldSubtask, definition.FieldHandoffs, definition.FieldAliases, definition.FieldBackground:
			m.reportLoss(d, line, "field", "remove the field, or implement it in your program", "%s has no effect in the SDK; only the text is exported", e.Key)
		case definition.FieldPaths, definition.FieldGlobs:
			m.reportLoss(d, line, "activation", "say in its description which files it is for", "%s has no effect in the SDK, so the definition can always be loaded", e.Key)
		case definition.FieldAgents:
			if d.Kind == definition.Skill && !d.Fields.DisableModelInvocation {
				if prompt.Restricted(d) {
					m.reportLoss(d, line, "activation", "remove the agents field if all agents may use the skill", "only certain agents may use the skill, so it appears only in their prompts, not in the skill tool or the listing")
				}
			}
		case definition.FieldUserInvocable:
			if off := d.Fields.UserInvocable; d.Kind == definition.Command && off != nil && !*off {
				m.reportLoss(d, line, "field", "make it a skill", "%s has no effect in the SDK, so users can invoke the command", e.Key)
			}
		}
		m.widen(before, d.Kind, e)
	}
}
