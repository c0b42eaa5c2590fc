// Package prompt builds the whole prompt that an agent begins with.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/listing"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/tokens"
)

// Request says whose context is put together. The zero value is the main
// conversation.
type Request struct {
	// Agent is the name of an agent, or of its file, "" for the main conversation.
	Agent string
	// Files are the files that are worked on, absolute or relative to the working
	// directory: they bring in instructions, and make skills available.
	Files []string
	// Budget is how long the table of skills may be; 0 is the view's own budget, in
	// the neutral view 15,000 characters. A host that has no budget takes none.
	Budget int
}

// Prompt is the context that an agent starts with, as far as it comes from
// definitions.
type Prompt struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	Agent   string `json:"agent"`
	// Text are the parts, in their order, with an empty line between them.
	Text  string `json:"text"`
	Parts []Part `json:"parts"`
	// Characters is the length of Text, Tokens the sum of what its parts are estimated
	// to cost.
	Characters int `json:"characters"`
	Tokens     int `json:"tokens"`
	// Cut are the skills whose description is not whole.
	Cut         []catalog.Cut     `json:"cut"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Part is one part of a prompt.
type Part struct {
	// What is PromptBody, PromptSkill, PromptSkills, PromptAgents or
	// PromptInstructions.
	What string `json:"what"`
	// Name and Path are of the definition that it comes from; "" where it comes from
	// several.
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
	// Characters and Tokens are the length of Text and what it is estimated to cost.
	Characters int `json:"characters"`
	Tokens     int `json:"tokens"`
}

// The parts of a prompt.
const (
	// PromptBody is the agent's own text, PromptSkill a skill that it begins with.
	PromptBody  = "prompt"
	PromptSkill = "skill"
	// PromptSkills is the list of skills, PromptAgents that of agents.
	PromptSkills = "skills"
	PromptAgents = "agents"
	// PromptInstructions are the instructions.
	PromptInstructions = "instructions"
)

// BuildIn puts together the context that an agent starts with.
//
// In the neutral view it is the agent's body as it stands in its file; the skills
// that it names (useSkills), each under its name, rendered without arguments; a
// table of the others that a model may load, with the tool loadSkill; and the
// instructions of [instructions.Combine]. In the view of a host its listing and its
// instructions take the place of these, in the host's form. How a host begins an
// agent with skills is known of some only; a diagnostic says where it is not.
//
// The error is an [*catalog.Error] with the code AGENT_NOT_FOUND for an agent that is not
// there.
func Build(ctx context.Context, c *catalog.Catalog, r Request) (*Prompt, error) {
	return BuildWith(ctx, c, r, Mode{})
}

// loadTool is the name of the tool for skills in the neutral view.
const loadTool = "loadSkill"

// Mode is how a prompt is put together that others than the user of this
// machine get.
type Mode struct {
	// Takes says which definitions go in; nil: all.
	Include func(*definition.Definition) bool
	// Skill returns the text of a skill; nil is that of LoadSkill.
	SkillText func(*definition.Definition) (string, error)
	// Tool is the name of the tool for skills, "" for none: no table.
	Tool func(agent *definition.Definition) string
	// Shared: all agents have one tool for skills, which does not know who asks.
	SharedTool bool
	// AnyFiles: skills that wait for files are listed too.
	IgnorePaths bool
}

// prompt is one prompt in the making.
type prompter struct {
	c       *catalog.Catalog
	ctx     context.Context
	request Request
	mode    Mode
	all     *resolve.Catalog
	agent   *definition.Definition
	// preloaded are the skills that are in the prompt.
	preloaded []*definition.Definition
	out       *Prompt
}

func BuildWith(ctx context.Context, c *catalog.Catalog, r Request, mode Mode) (*Prompt, error) {
	if r.Budget < 0 {
		return nil, fmt.Errorf("vade: a budget of %d characters: the number has to be above 0, or 0 for the view's own", r.Budget)
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

// add adds a part, unless it has no text.
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
	in, err := instructions.BuildFiltered(p.ctx, p.c, name, p.request.Files, p.mode.Include)
	if err != nil {
		return err
	}
	p.add(PromptInstructions, nil, in.Text)
	p.report(in.Diagnostics...)
	return nil
}

// preload adds the skills that the agent names. What people alone may call is
// added too: the agent's author is one.
func (p *prompter) preload() error {
	for i, name := range p.agent.Fields.Skills() {
		switch {
		case slices.Contains(p.agent.Fields.Skills()[:i], name):
			continue
		case len(p.preloaded) == catalog.MaxPreloaded:
			p.report(diag.For(p.agent.Origin.Path, diag.SkillLimit, "only the first %d skills of an agent are put before it", catalog.MaxPreloaded).
				WithFix("let it load the others by their names"))
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
	// What is for some agents is not in a tool that all have: it goes along with those.
	agent := catalog.FilterFor(p.all, p.agent.Name)
	for _, d := range p.all.All {
		switch {
		case d.Kind != definition.Skill || d.State != definition.Loaded || d.Fields.DisableModelInvocation || !Restricted(d) || !agent.Allows(d) || slices.Contains(p.preloaded, d):
		case p.mode.Include != nil && !p.mode.Include(d):
		case len(p.preloaded) == catalog.MaxPreloaded:
			p.report(diag.For(d.Origin.Path, diag.SkillLimit, "only the first %d skills of an agent are put before it: %s does not get %q", catalog.MaxPreloaded, p.agent.Name, d.Name).
				WithFix("let all agents have the skill"))
			return nil
		default:
			if err := p.addSkill(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// Restricted reports whether a definition is for some agents only.
func Restricted(d *definition.Definition) bool {
	return d.Fields.Agents() != nil && !slices.Contains(d.Fields.Agents(), "*")
}

// put puts a skill before the agent, if that may have it.
func (p *prompter) addSkill(d *definition.Definition) error {
	name := d.Name
	err := p.c.CheckAgent(p.ctx, p.agent.Name, d)
	text := ""
	if err == nil {
		text, err = p.skillText(d)
	}
	if e := (*definition.Error)(nil); errors.As(err, &e) {
		p.report(diag.For(d.Origin.Path, e.Code, "the skill %q is not put before the agent %s: %s", name, p.agent.Name, e.Message).WithFix("%s", e.Fix))
		return nil
	}
	if err != nil {
		return err
	}
	p.preloaded = append(p.preloaded, d)
	p.add(PromptSkill, d, p.escapeTags(d.Origin.Path, "## Skill: "+listing.OneLine(d.Name)+"\n\n"+strings.TrimSpace(text)))
	return nil
}

// guarded escapes the tags of the element of instructions in what stands before it,
// so that no skill can pass for instructions of another source.
func (p *prompter) escapeTags(file, text string) string {
	text, n := instructions.EscapeTags(text)
	if n > 0 {
		p.report(diag.For(file, diag.InstructionTag, "it holds the tag of the element around instructions; it is escaped").
			WithFix("take it out of the file"))
	}
	return text
}

func (p *prompter) skillText(d *definition.Definition) (string, error) {
	if p.mode.SkillText != nil {
		return p.mode.SkillText(d)
	}
	s, err := p.c.LoadSkillFor(p.ctx, p.agent.Name, d.Name)
	if err != nil {
		return "", err
	}
	p.report(s.Diagnostics...)
	return s.Content, nil
}

func (p *prompter) missingSkill(name string) diag.Diagnostic {
	return MissingSkill(p.agent, name, p.all)
}

// NoSuchSkill is the warning of an agent that begins with a skill which is not there.
func MissingSkill(agent *definition.Definition, name string, all *resolve.Catalog) diag.Diagnostic {
	fix := "write it, or take it out of the agent's skills"
	if near := resolve.Nearest(name, all.Names(definition.Skill)); len(near) > 0 {
		fix = "did you mean " + strings.Join(near, " or ") + "?"
	}
	d := diag.For(agent.Origin.Path, diag.SkillNotFound, "the agent %s begins with the skill %q, which is not there", agent.Name, name).WithFix("%s", fix)
	d.Severity = diag.Warning
	return d
}

// table adds the table of the skills that a model may load now and that are not in
// the prompt yet.
func (p *prompter) table() {
	tool := loadTool
	if p.mode.Tool != nil {
		if tool = p.mode.Tool(p.agent); tool == "" {
			return
		}
	}
	agent := catalog.FilterFor(p.all, p.request.Agent)
	var skills []*definition.Definition
	for _, d := range p.all.All {
		switch {
		case d.Kind != definition.Skill || d.State != definition.Loaded || d.Fields.DisableModelInvocation || slices.Contains(p.preloaded, d):
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

// available reports whether a skill with paths is there for one of the files.
func (p *prompter) available(d *definition.Definition) bool {
	if len(d.Fields.Paths()) == 0 || p.mode.IgnorePaths {
		return true
	}
	return slices.ContainsFunc(p.request.Files, func(file string) bool {
		rel, ok := p.c.InProject(file)
		return ok && p.c.Handle(d).Active(rel)
	})
}
