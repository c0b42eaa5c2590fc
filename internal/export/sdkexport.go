package export

import (
	"context"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/prompt"
)

// sdkSkill, sdkCommand and sdkAgentFile are what the files beside the options hold.
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

// exportSDK makes the files of a host that takes definitions as options: the options,
// the skills, commands and agents beside them, and the module that hands them over.
func exportSDK(ctx context.Context, c *catalog.Catalog, r Request, version string) (*Export, error) {
	m, err := newSDKMaker(ctx, c, &r)
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
	out := &Export{Host: m.name, Version: version, Files: []ExportedFile{}, Losses: []HostLoss{}, Diagnostics: []diag.Diagnostic{}}
	for _, f := range []struct {
		name string
		v    any
	}{{m.sdk.Options, m.out}, {m.sdk.Skills, skills}, {m.sdk.Commands, commands}, {m.sdk.Agents, agents}} {
		data, err := jsonc.Marshal(f.v, "  ")
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, ExportedFile{Path: f.name, Data: data})
	}
	out.Files = append(out.Files, ExportedFile{Path: m.sdk.Module, Data: []byte(m.sdk.Text)})
	if err := out.recorded(m.sdk.Record); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Files, func(a, b ExportedFile) int { return strings.Compare(a.Path, b.Path) })
	for _, d := range m.out.Diagnostics {
		switch {
		case d.Severity == diag.Error:
			out.Diagnostics = append(out.Diagnostics, d)
		case d.Code == diag.MCPSecret:
			// It is among the losses.
		case d.Severity == diag.Warning:
			out.Losses = append(out.Losses, HostLoss{Host: m.name, Name: d.File, Source: d.File, Line: d.Line, What: "text", Message: d.Message, Fix: d.Fix})
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

// definitions are those that go along, by their names.
func (m *sdkMaker) definitions() (map[string]sdkSkill, map[string]sdkCommand, map[string]sdkAgentFile, error) {
	skills, commands, agents := map[string]sdkSkill{}, map[string]sdkCommand{}, map[string]sdkAgentFile{}
	for _, d := range m.all.All {
		if d.State != definition.Loaded || !m.takes(d) || d.Kind == definition.Instruction {
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
				HasArchitectureAccess: d.Fields.HasArchitectureAccess, Frontmatter: handedOn(&doc),
			}
		case d.Kind == definition.Command || d.Fields.DisableModelInvocation:
			// A skill that only people call is a command.
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
				Frontmatter: handedOn(&doc), Content: text,
			}
			m.behaviour(d, &doc)
		}
	}
	return skills, commands, agents, nil
}

func (m *sdkMaker) command(d *definition.Definition, doc *parse.Document) sdkCommand {
	pieces := m.pieces(d, doc, Cutting{Names: d.Fields.Arguments(), Arguments: true, Files: true})
	if pieces == nil {
		pieces = []Piece{}
	}
	if strings.TrimSpace(doc.Body) == "" {
		m.lose(d, 0, "text", "give the command a file of its own with a text", "the command has no text: it stands for its arguments alone")
	}
	return sdkCommand{
		Name: d.Title, Description: d.Description, ArgumentHint: d.Fields.ArgumentHint(), Agents: catalog.OrEmpty(d.Fields.Agents()),
		Source: catalog.SourceOf(d), Path: d.Origin.Path, Frontmatter: handedOn(doc), Pieces: pieces,
	}
}

// handedOn are the fields of a file without those that programs and servers are
// started by: in these may be secrets, and they are handed on in their own form.
func handedOn(doc *parse.Document) definition.Frontmatter {
	return catalog.FrontmatterOf(slices.DeleteFunc(slices.Clone(doc.Entries), func(e definition.Entry) bool {
		f := definition.LookupField(e.Key)
		return f == definition.FieldMCPServers || f == definition.FieldHooks || Secret(&e)
	}))
}

// behaviour notes the fields of a skill or a command that change what a host does
// with it, and that the module does nothing with.
func (m *sdkMaker) behaviour(d *definition.Definition, doc *parse.Document) {
	for i := range doc.Entries {
		e := &doc.Entries[i]
		line := doc.File.Pos(e.KeySpan.Start).Line
		before := len(m.out.Losses)
		if Secret(e) {
			m.lose(d, line, LossSecret, "refer to a variable of the environment instead, and renew what was written down", "%s may hold a secret and is left out", e.Key)
		}
		if definition.Flat(&e.Value) == "" && e.Value.Kind != definition.Map {
			continue
		}
		switch f := definition.LookupField(e.Key); f {
		case definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldTools, definition.FieldModel, definition.FieldEffort,
			definition.FieldContext, definition.FieldAgent, definition.FieldShell, definition.FieldHooks, definition.FieldMode,
			definition.FieldSubtask, definition.FieldHandoffs, definition.FieldAliases, definition.FieldBackground:
			m.lose(d, line, "field", "leave it out, or do what it asks for in your program", "%s has no effect there: the text is all that is handed over", e.Key)
		case definition.FieldPaths, definition.FieldGlobs:
			m.lose(d, line, "activation", "say in its description for which files it is", "%s has no effect there: it can always be loaded", e.Key)
		case definition.FieldAgents:
			if d.Kind == definition.Skill && !d.Fields.DisableModelInvocation {
				if prompt.Restricted(d) {
					m.lose(d, line, "activation", "take agents out of it, if all may have it", "it is for some agents: it is in their prompts as a whole, and in no tool and no table")
				}
			}
		case definition.FieldUserInvocable:
			if d.Kind == definition.Command {
				m.lose(d, line, "field", "make it a skill", "%s has no effect there: people can call it", e.Key)
			}
		}
		m.widen(before, d.Kind, e)
	}
}
