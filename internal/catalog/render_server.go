package catalog

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// serverPrompt sends an MCP prompt if the text starts with a prompt name, which may contain spaces
// (format notes, section 3.15). Nothing in the prompt's messages is expanded or run (Claude Code
// 2.1.329, case e02).
func (h *hostCall) serverPrompt(text string) (bool, error) {
	if o := &h.c.Options.Client; o.Bare || o.NoCommands {
		return false, nil
	}
	for _, s := range h.c.Options.Prompts {
		prompts, err := s.Prompts(h.ctx)
		if ctxErr := h.ctx.Err(); ctxErr != nil {
			return false, ctxErr
		}
		if err != nil {
			h.report(diag.FileUnreadable, s.Name(), "cannot list the server's prompts: %v", err)
			continue
		}
		for _, p := range prompts {
			name := h.p.ServerCommand(s.Name(), p.Name)
			rest, ok := strings.CutPrefix(text, name)
			if !ok || rest != "" && !chars.IsSpace(rune(rest[0])) {
				continue
			}
			if !h.p.KeepLeadingSpaces {
				rest = strings.TrimFunc(rest, chars.IsSpace)
			} else if rest != "" {
				rest = rest[1:]
			}
			return true, h.sendPrompt(s, p, name, rest)
		}
	}
	return false, nil
}

// sendPrompt sends a prompt's messages. Arguments are split at single spaces and assigned to the
// declared names in order. Extra arguments are dropped.
func (h *hostCall) sendPrompt(s PromptServer, p Prompt, name, line string) error {
	arguments := map[string]string{}
	if line != "" {
		for i, word := range strings.Split(line, " ") {
			if i < len(p.Arguments) {
				arguments[p.Arguments[i]] = word
			}
		}
	}
	texts, err := s.Prompt(h.ctx, p.Name, arguments)
	if err != nil {
		if ctxErr := h.ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		h.fail(&definition.Error{Code: diag.CommandNotFound, Message: fmt.Sprintf("the server %s failed to return its prompt %s: %v", s.Name(), p.Name, err)})
		return nil
	}
	h.send(roleUser, h.p.Announce(name, line)+h.p.Join)
	for _, m := range texts {
		h.send(roleUser, m.Text)
		if h.p.Attach.FromServers {
			h.attach(m.Text, "", nil)
		}
	}
	return nil
}
