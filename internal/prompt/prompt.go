// Package prompt builds the part of an agent's initial prompt that comes from definitions.
package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/listing"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/tokens"
)

// Request selects the prompt to build. The zero value selects the main conversation.
type Request struct {
	// Agent is the name of an agent or its file, or "" for the main conversation.
	Agent string
	// Files are the files being worked on, absolute or relative to the working directory. They
	// activate instructions and skills.
	Files []string
	// Budget is the maximum length of the skill table. 0 means the view's default, which is 15,000
	// characters in the neutral view. Budget must be 0 if the host has no budget.
	Budget int
	// Tool is the agent's name for the tool that loads skills, in the neutral view. "" means
	// loadSkill. The name depends on the client: Copilot calls an MCP server's tool SERVER-TOOL,
	// such as vade-load_skill; Claude Code calls it mcp__SERVER__TOOL.
	Tool string
}

// ForHost splits a request into options for the host's session and the rest of the request. If the
// host adds the definitions for a file only when the file is touched, the request's files become
// touched files in the options.
func ForHost(p *host.Profile, r Request) (Request, catalog.ClientOptions) {
	var client catalog.ClientOptions
	if p.Switches&host.SwitchTouched != 0 {
		client.Touched, r.Files = r.Files, nil
	}
	return r, client
}

// Prompt is the part of an agent's initial context that comes from definitions.
type Prompt struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	Agent   string `json:"agent"`
	// Text is the concatenation of the parts, separated by blank lines.
	Text  string `json:"text"`
	Parts []Part `json:"parts"`
	// Characters is the length of Text. Tokens is the sum of the parts' estimated numbers of
	// tokens.
	Characters int `json:"characters"`
	Tokens     int `json:"tokens"`
	// Cut lists the skills that are dropped or have incomplete descriptions.
	Cut         []catalog.Cut     `json:"cut"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Part is one part of a prompt.
type Part struct {
	// What is PromptBody, PromptSkill, PromptSkills, PromptAgents or PromptInstructions.
	What string `json:"what"`
	// Name and Path identify the definition that the part comes from. They are "" if the part comes
	// from multiple definitions.
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
	// Characters is the length of Text. Tokens is the estimated number of tokens.
	Characters int `json:"characters"`
	Tokens     int `json:"tokens"`
}

// Kinds of prompt parts.
const (
	// PromptBody is the agent's own text, and PromptSkill is a preloaded skill.
	PromptBody  = "prompt"
	PromptSkill = "skill"
	// PromptSkills is the skill list, and PromptAgents is the agent list.
	PromptSkills = "skills"
	PromptAgents = "agents"
	// PromptInstructions is the instructions text.
	PromptInstructions = "instructions"
)

// Build builds an agent's initial context.
//
// In the neutral view, it consists of the agent's body as written; the skills that the agent names
// (useSkills), each under its name and rendered without arguments; a table of the other skills that
// the model may load with the loadSkill tool; and the instructions from
// [instructions.BuildForAgent].
//
// In a host's view, the host's listing and instructions are used instead. If it is not known how
// the host preloads skills, a diagnostic says so.
//
// If the agent does not exist, the error is a [*definition.Error] with the code AGENT_NOT_FOUND.
func Build(ctx context.Context, c *catalog.Catalog, r Request) (*Prompt, error) {
	return BuildWith(ctx, c, r, Mode{})
}

// loadTool is the name of the tool that loads skills in the neutral view.
const loadTool = "loadSkill"

// Mode configures prompts that are sent to anyone other than this machine's user.
type Mode struct {
	// Include reports whether a definition may be included in the prompt. If it is nil, all
	// definitions may be included.
	Include func(*definition.Definition) bool
	// SkillText returns the text of a preloaded skill. If it is nil, the skill is loaded with
	// LoadSkill.
	SkillText func(*definition.Definition) (string, error)
	// Tool returns the name of the tool that loads skills for an agent. If it returns "", the
	// prompt does not contain the skill table.
	Tool func(agent *definition.Definition) string
	// SharedTool is set if all agents share one skill tool, which cannot identify the caller.
	SharedTool bool
	// If AnyFile is set, the prompt includes skills and instructions that are limited to certain
	// files, regardless of which files are being worked on.
	AnyFile bool
}

// prompter builds one prompt.
type prompter struct {
	c       *catalog.Catalog
	ctx     context.Context
	request Request
	mode    Mode
	all     *resolve.Catalog
	agent   *definition.Definition
	// preloaded lists the skills whose text is part of the prompt.
	preloaded []*definition.Definition
	out       *Prompt
}

// BuildWith is like [Build] but configures the prompt with mode.
func BuildWith(ctx context.Context, c *catalog.Catalog, r Request, mode Mode) (*Prompt, error) {
	if r.Budget < 0 {
		return nil, fmt.Errorf("vade: invalid budget of %d characters: use a positive number, or 0 for the default", r.Budget)
	}
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	p := &prompter{c: c, ctx: ctx, request: r, mode: mode, all: all, out: &Prompt{
		Host: c.Profile.Name, Version: c.Profile.Version, Agent: r.Agent,
		Parts: []Part{}, Cut: []catalog.Cut{}, Diagnostics: []diag.Diagnostic{},
	}}
	if r.Agent != "" {
		if p.agent = catalog.FindAgent(all, r.Agent); p.agent == nil {
			return nil, (&catalog.Loader{C: c, Ctx: ctx}).NotFound(definition.Agent, r.Agent)
		}
		p.out.Agent = p.agent.Name
	}
	put := p.neutral
	if c.Profile.Listing != nil {
		put = p.host
	}
	if err := put(); err != nil {
		return nil, err
	}
	var texts []string
	for i := range p.out.Parts {
		texts = append(texts, p.out.Parts[i].Text)
		p.out.Tokens += p.out.Parts[i].Tokens
	}
	p.out.Text = strings.Join(texts, "\n\n")
	p.out.Characters = utf8.RuneCountInString(p.out.Text)
	diag.Sort(p.out.Diagnostics)
	return p.out, nil
}

// add adds a part unless text is empty.
func (p *prompter) add(what string, d *definition.Definition, text string) {
	if text == "" {
		return
	}
	part := Part{What: what, Text: text, Characters: utf8.RuneCountInString(text), Tokens: tokens.Estimate(text)}
	if d != nil {
		part.Name, part.Path = d.Name, d.Origin.Path
	}
	p.out.Parts = append(p.out.Parts, part)
}

func (p *prompter) report(list ...diag.Diagnostic) {
	p.out.Diagnostics = append(p.out.Diagnostics, list...)
}

// body adds the agent's own text.
func (p *prompter) body() error {
	doc, err := p.c.GatedDocument(p.ctx, p.agent)
	if err != nil {
		return err
	}
	p.report(p.agent.Diagnostics...)
	p.add(PromptBody, p.agent, p.escapeTags(p.agent.Origin.Path, strings.TrimSpace(doc.Body)))
	return nil
}

func (p *prompter) neutral() error {
	if p.agent != nil {
		if err := p.body(); err != nil {
			return err
		}
		if err := p.preload(); err != nil {
			return err
		}
	}
	p.table()
	name := ""
	if p.agent != nil {
		name = p.agent.Name
	}
	in, err := instructions.BuildFiltered(p.ctx, p.c, instructions.Request{Agent: name, Files: p.request.Files},
		instructions.Filter{Include: p.mode.Include, AnyFile: p.mode.AnyFile})
	if err != nil {
		return err
	}
	p.add(PromptInstructions, nil, in.Text)
	p.report(in.Diagnostics...)
	return nil
}

// preload adds the skills that the agent names. It includes skills that only users may invoke,
// because the agent's author chose them.
func (p *prompter) preload() error {
	for i, name := range p.agent.Fields.Skills() {
		switch {
		case slices.Contains(p.agent.Fields.Skills()[:i], name):
			continue
		case len(p.preloaded) == catalog.MaxPreloaded:
			p.report(diag.For(p.agent.Origin.Path, diag.SkillLimit, "only the first %d skills of an agent are preloaded", catalog.MaxPreloaded).
				WithFix("let the agent load the other skills by name"))
			return nil
		}
		d := p.all.Get(definition.Skill, name)
		if d == nil || p.mode.Include != nil && !p.mode.Include(d) {
			p.report(p.missingSkill(name))
			continue
		}
		if slices.Contains(p.preloaded, d) {
			continue
		}
		if err := p.addSkill(d); err != nil {
			return err
		}
	}
	if !p.mode.SharedTool {
		return nil
	}
	// If all agents share the tool, its list omits skills that are limited to certain agents.
	// Preload those skills instead.
	agent := catalog.FilterFor(p.all, p.agent.Name)
	for _, d := range p.all.All {
		switch {
		case d.Kind != definition.Skill || d.State != definition.Loaded || d.Fields.DisableModelInvocation ||
			!Restricted(d) || !agent.Allows(d) || slices.Contains(p.preloaded, d):
		case p.mode.Include != nil && !p.mode.Include(d):
		case len(p.preloaded) == catalog.MaxPreloaded:
			p.report(diag.For(d.Origin.Path, diag.SkillLimit, "only the first %d skills of an agent are preloaded, so %s does not get %q", catalog.MaxPreloaded, p.agent.Name, d.Name).
				WithFix("make the skill available to all agents"))
			return nil
		default:
			if err := p.addSkill(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// Restricted reports whether a definition is limited to certain agents.
func Restricted(d *definition.Definition) bool {
	return d.Fields.Agents() != nil && !slices.Contains(d.Fields.Agents(), "*")
}

// addSkill adds a skill if the agent is allowed to use it.
func (p *prompter) addSkill(d *definition.Definition) error {
	name := d.Name
	err := p.c.CheckAgent(p.ctx, p.agent.Name, d)
	text := ""
	if err == nil {
		text, err = p.skillText(d)
	}
	if e := (*definition.Error)(nil); errors.As(err, &e) {
		p.report(diag.For(d.Origin.Path, e.Code, "the skill %q is not preloaded for the agent %s: %s", name, p.agent.Name, e.Message).WithFix("%s", e.Fix))
		return nil
	}
	if err != nil {
		return err
	}
	p.preloaded = append(p.preloaded, d)
	p.add(PromptSkill, d, p.escapeTags(d.Origin.Path, "## Skill: "+listing.OneLine(d.Name)+"\n\n"+strings.TrimSpace(text)))
	return nil
}

// escapeTags escapes the instructions element's tags, so a skill's text cannot be mistaken for
// instructions from another source.
func (p *prompter) escapeTags(file, text string) string {
	text, n := instructions.EscapeTags(text)
	if n > 0 {
		p.report(diag.For(file, diag.InstructionTag, "the text contains a <custom-instructions> tag, which was escaped").
			WithFix("remove it from the file"))
	}
	return text
}

func (p *prompter) skillText(d *definition.Definition) (string, error) {
	if p.mode.SkillText != nil {
		return p.mode.SkillText(d)
	}
	s, err := p.c.LoadSkill(p.ctx, p.agent.Name, d.Name)
	if err != nil {
		return "", err
	}
	p.report(s.Diagnostics...)
	return s.Content, nil
}

func (p *prompter) missingSkill(name string) diag.Diagnostic {
	return MissingSkill(p.agent, name, p.all)
}

// MissingSkill returns the warning for an agent that preloads an unknown skill.
func MissingSkill(agent *definition.Definition, name string, all *resolve.Catalog) diag.Diagnostic {
	fix := catalog.DidYouMean(name, all.Names(definition.Skill), "create it, or remove it from the agent's skills")
	d := diag.For(agent.Origin.Path, diag.SkillNotFound, "the agent %s preloads the unknown skill %q", agent.Name, name).WithFix("%s", fix)
	d.Severity = diag.Warning
	return d
}

// table adds the table of other skills that a model may load now.
func (p *prompter) table() {
	tool := cmp.Or(p.request.Tool, loadTool)
	if p.mode.Tool != nil {
		if tool = p.mode.Tool(p.agent); tool == "" {
			return
		}
	}
	agent := catalog.FilterFor(p.all, p.request.Agent)
	var skills []*definition.Definition
	for _, d := range p.all.All {
		switch {
		case d.Kind != definition.Skill || d.State != definition.Loaded || d.Fields.DisableModelInvocation ||
			slices.Contains(p.preloaded, d):
		case p.mode.Include != nil && !p.mode.Include(d) || !agent.Allows(d) || !p.available(d) || p.mode.SharedTool && Restricted(d):
		default:
			if err := p.c.AuditListing(p.ctx, d); err != nil {
				p.report(catalog.UnlistedDiagnostic(d, err))
				continue
			}
			skills = append(skills, d)
		}
	}
	listed := listing.Table(tool, skills, p.request.Budget, p.c.BundledLast)
	p.add(PromptSkills, nil, p.escapeTags("", listed.Text))
	for _, x := range listed.Cut {
		p.out.Cut = append(p.out.Cut, catalog.Cut{Name: x.Definition.Name, Path: x.Definition.Origin.Path, Reason: catalog.CutDropped})
	}
}

// available reports whether the model may load a skill now: the skill has no paths, or one of the
// files being worked on matches them.
func (p *prompter) available(d *definition.Definition) bool {
	if len(d.Fields.Paths()) == 0 || p.mode.AnyFile {
		return true
	}
	return slices.ContainsFunc(p.request.Files, func(file string) bool {
		rel, ok := p.c.InProject(file)
		return ok && p.c.Handle(d).Active(rel)
	})
}
