package prompt

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/instructions"
)

// host builds the parts of a host's initial prompt that Vade knows.
func (p *prompter) host() error {
	t := p.c.Profile.Listing
	if p.request.Budget > 0 && t.Budget.Overflow == host.Unbounded {
		return fmt.Errorf("vade: %s has no listing budget; it lists everything", p.c.Profile.Name)
	}
	name := ""
	if p.agent != nil {
		name = p.agent.Name
		if err := p.hostAgent(); err != nil {
			return err
		}
	}
	_, l, err := p.c.ListingWith(p.ctx, catalog.ListingOptions{Agent: name, Budget: p.request.Budget})
	if err != nil {
		return err
	}
	p.report(l.Diagnostics...)
	p.out.Cut = l.Cut
	p.add(PromptSkills, nil, textOrLines(l.Text, l.Skills))
	p.add(PromptAgents, nil, textOrLines(l.AgentsText, l.Agents))
	in, err := instructions.BuildForAgent(p.ctx, p.c, name, p.request.Files...)
	if err != nil {
		return err
	}
	p.add(PromptInstructions, nil, in.Text)
	p.report(in.Diagnostics...)
	return nil
}

// textOrLines returns the complete text of a listing. If it is not known which text the host adds
// around the lines, textOrLines returns only the lines.
func textOrLines(text string, lines []string) string {
	if text != "" {
		return text
	}
	return strings.Join(lines, "\n")
}

// unreadSkills reports skills fields that the host ignores.
func (p *prompter) unreadSkills() error {
	if len(p.agent.Fields.Skills()) > 0 {
		return nil
	}
	doc, err := p.c.Document(p.ctx, p.agent)
	if err != nil {
		return err
	}
	for i := range doc.Entries {
		if e := &doc.Entries[i]; definition.LookupField(e.Key) == definition.FieldSkills {
			d := diag.At(doc.File, e.KeySpan, diag.NotListed, "%s does not preload the skills in %s because it does not read that field", p.c.Profile.Name, e.Key)
			p.report(d.WithFix("to see which agent fields it reads, run: vade schema agent --host %s", p.c.Profile.Name))
		}
	}
	return nil
}

// hostAgent adds the agent's own text and the skills that the host preloads for the agent.
func (p *prompter) hostAgent() error {
	if err := p.unreadSkills(); err != nil {
		return err
	}
	if p.c.Profile.Prompt == nil || p.c.Profile.Prompt.Calls != nil {
		if len(p.agent.Fields.Skills()) > 0 {
			p.report(diag.For(p.agent.Origin.Path, diag.NotListed, "Vade does not know what %s adds before an agent's prompt, so the skills that the agent names are omitted", p.c.Profile.Name).
				WithFix("to see what is known, run: vade explain --host %s", p.c.Profile.Name))
		}
		return p.body()
	}
	const task = "task"
	r, err := p.c.Render(p.ctx, catalog.RenderRequest{Subagent: p.agent.Name, Prompt: task})
	if err != nil {
		return err
	}
	if r.Error != nil {
		return r.Error
	}
	p.report(r.Diagnostics...)
	p.add(PromptBody, p.agent, r.Turn.System)
	var texts []string
	for _, m := range r.Messages[1:] {
		texts = append(texts, m.Text)
	}
	p.add(PromptSkill, nil, strings.Join(texts, "\n\n"))
	return nil
}
