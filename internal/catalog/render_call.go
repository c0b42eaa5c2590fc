package catalog

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// callAs is a call by a kind of its own: who calls, and what was typed.
type templateCall struct {
	d        *definition.Definition
	template *host.Template
	called   host.Called
}

// userCall answers to what a user types, in a host whose bodies are templates: a
// call at the beginning of the prompt, or skills that the prompt names, or else a
// text that is sent as it is.
func (h *hostCall) userCall() error {
	prompt := strings.TrimFunc(h.request.Prompt, chars.IsSpace)
	calls := h.p.Calls
	first := ""
	for _, k := range calls.Kinds {
		rest, ok := strings.CutPrefix(prompt, calls.Prefix(k))
		if !ok || calls.Prefix(k) == "" {
			continue
		}
		name, line := h.splitCall(rest)
		if first == "" || len(name) < len(first) {
			first = name
		}
		d, err := h.findKind(name, k)
		if err != nil {
			return err
		}
		if d != nil {
			return h.callByUser(d, prompt, line)
		}
	}
	if h.sendAsUser(prompt); calls.Mentions != nil {
		if err := h.sendMentionedSkills(prompt); err != nil {
			return err
		}
	}
	if rest, ok := strings.CutPrefix(prompt, "/"); ok {
		if first == "" {
			first, _ = h.splitCall(rest)
		}
		return h.notACall(typedWord(prompt), first)
	}
	return nil
}

func (h *hostCall) sendAsUser(text string) { h.send(roleUser, text) }

// called divides what is typed behind a prefix.
func (h *hostCall) splitCall(text string) (name, line string) {
	if ends := h.p.Calls.NameEnds; ends != "" {
		name, line = text, ""
		if i := strings.IndexAny(text, ends); i >= 0 {
			name, line = text[:i], text[i+1:]
		}
		return name, line
	}
	return h.splitName(text)
}

// kinds returns the definition that can be called now under a name, of the first
// of the kinds that has one.
func (h *hostCall) findKind(name string, kinds ...definition.Kind) (*definition.Definition, error) {
	if o := &h.c.Options.Client; name == "" || o.Bare || o.NoCommands || len(kinds) == 0 {
		return nil, nil
	}
	d, err := h.c.find(h.ctx, []string{name}, kinds)
	if d == nil || err != nil || !h.c.active(d) {
		return nil, err
	}
	return d, nil
}

// userCalls answers to the call of a definition.
func (h *hostCall) callByUser(d *definition.Definition, prompt, line string) error {
	calls := h.p.Calls
	why, fix := "", ""
	if calls.AsText != nil {
		why, fix = calls.AsText(d.Kind)
	}
	var t *host.Template
	if calls.User != nil {
		t = calls.User(d.Kind)
	}
	switch {
	case why != "":
	case d.Fields.UserInvocable != nil && !*d.Fields.UserInvocable:
		why, fix = "its frontmatter says that users do not call it", "let the model call it: --by model, or take user-invocable from "+d.Origin.Path
	case t == nil:
		why, fix = "the host has no such call", "let the model call it: --by model"
	}
	if why != "" {
		x := h.report(diag.NotInvocable, d.Origin.Path, "%s is sent as the text that it is: %s", typedWord(prompt), why)
		x.Fix, x.Severity = fix, diag.Warning
		h.sendAsUser(prompt)
		return nil
	}
	parts, w, err := h.renderTemplate(templateCall{d, t, host.Called{Invocation: prompt, Arguments: line}})
	if err != nil || h.out.Error != nil {
		return err
	}
	for _, text := range parts {
		h.sendAsUser(text)
	}
	if calls.Follow != nil {
		h.sendAsUser(calls.Follow(*w))
	}
	return h.attachMentioned(d, parts, line)
}

func typedWord(s string) string {
	if i := strings.IndexFunc(s, chars.IsSpace); i >= 0 {
		return s[:i]
	}
	return s
}

// notCalled says why a prompt that looks like a call is none, and ends with the
// host's error where it has one.
func (h *hostCall) notACall(word, name string) error {
	calls := h.p.Calls
	reason, fix := "", ""
	if calls.Gone != nil {
		reason, fix = calls.Gone(name)
	}
	switch {
	case reason != "":
	case slices.Contains(h.p.Own, name):
		x := h.report(diag.NotInvocable, "", "/%s is a command of the host itself, which is no definition: nothing is known of what it does", name)
		x.Severity = diag.Warning
		h.out.Messages = []definition.Message{}
		return nil
	case len(calls.Kinds) == 0:
		return nil
	case calls.Unknown != nil && isName(strings.ReplaceAll(name, "/", "")) && name != "":
		reason, fix = h.whyNotCallable(name)
		h.fail(&definition.Error{Code: diag.CommandNotFound, Message: calls.Unknown(name, h.available(calls.Kinds)), Fix: fix})
		if reason != "" {
			h.report(diag.CommandNotFound, "", "/%s can not be called: %s", name, reason).Fix = fix
		}
		return nil
	default:
		reason, fix = h.whyNotCallable(name)
	}
	if reason == "" {
		reason = "there is nothing of this name that a user can call"
	}
	x := h.report(diag.CommandNotFound, "", "%s is sent as the text that it is: %s", word, reason)
	x.Fix, x.Severity = fix, diag.Warning
	return nil
}

// available are the names of what is in force, of some kinds, that a model is
// told of.
func (h *hostCall) available(kinds []definition.Kind) []string {
	all, err := h.c.Scan(h.ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, d := range all.All {
		if slices.Contains(kinds, d.Kind) && d.State == definition.Loaded && h.c.active(d) && !d.Fields.DisableModelInvocation {
			names = append(names, d.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maxMentioned is the number of skills that one prompt brings in.
const maxMentioned = 64

// mentioned says the texts of the skills that a prompt names: those with the path
// of their file first, then those with a name that only one has (Codex:
// injection.rs).
func (h *hostCall) sendMentionedSkills(prompt string) error {
	mentions := h.p.Calls.Mentions(prompt)
	if o := &h.c.Options.Client; len(mentions) == 0 || o.Bare || o.NoCommands {
		return nil
	}
	all, err := h.c.Scan(h.ctx)
	if err != nil {
		return err
	}
	count, taken := map[string]int{}, map[string]bool{}
	var skills, chosen []*definition.Definition
	for _, d := range all.All {
		if d.Kind == definition.Skill && d.State == definition.Loaded && h.c.active(d) {
			skills = append(skills, d)
			count[d.Name]++
		}
	}
	choose := func(is func(host.SkillMention, *definition.Definition) bool) {
		for _, d := range skills {
			if !slices.Contains(chosen, d) && slices.ContainsFunc(mentions, func(m host.SkillMention) bool { return is(m, d) }) {
				chosen = append(chosen, d)
				taken[d.Name] = true
			}
		}
	}
	choose(func(m host.SkillMention, d *definition.Definition) bool {
		return m.Path != "" && m.Path == h.c.absolute(d.Origin.Path)
	})
	choose(func(m host.SkillMention, d *definition.Definition) bool {
		return m.Path == "" && m.Name == d.Name && count[d.Name] == 1 && !taken[d.Name]
	})
	for _, m := range mentions {
		if n := count[m.Name]; m.Path == "" && n > 1 {
			x := h.report(diag.SkillNotFound, "", "$%s brings in no skill: %d have the name", m.Name, n)
			x.Fix, x.Severity = "name one by its file: [$"+m.Name+"](PATH)", diag.Warning
		}
	}
	for i, d := range chosen {
		if i == maxMentioned {
			h.report(diag.SkillLimit, "", "only the first %d skills of a prompt are brought in", maxMentioned)
			break
		}
		parts, _, err := h.renderTemplate(templateCall{d, h.p.Calls.User(definition.Skill), host.Called{Invocation: prompt}})
		if err != nil || h.out.Error != nil {
			return err
		}
		for _, text := range parts {
			h.sendAsUser(text)
		}
	}
	return nil
}

// modelCall answers to a model that loads a skill.
func (h *hostCall) modelCall() error {
	calls := h.p.Calls
	var kinds []definition.Kind
	for _, k := range []definition.Kind{definition.Skill, definition.Command} {
		if calls.Model != nil && calls.Model(k) != nil {
			kinds = append(kinds, k)
		}
	}
	name, line := strings.TrimSpace(h.request.Prompt), h.request.Arguments
	d, err := h.findKind(name, kinds...)
	if d == nil && err == nil && line == "" {
		if word, rest := h.splitName(name); rest != "" {
			if d, err = h.findKind(word, kinds...); d != nil {
				name, line = word, rest
			}
		}
	}
	switch {
	case err != nil:
		return err
	case d == nil:
		reason, fix := h.whyNotCallable(name)
		if reason != "" {
			h.report(diag.SkillNotFound, "", "%s can not be called: %s", name, reason).Fix = fix
		}
		h.skillNotFound(diag.SkillNotFound, name, "there is no skill of the name "+name, fix)
		return nil
	case d.Fields.DisableModelInvocation:
		h.skillNotFound(diag.NotInvocable, name, name+" is only for users: the model is not told of it", "take disable-model-invocation from "+d.Origin.Path+", or leave out --by")
		return nil
	}
	parts, _, err := h.renderTemplate(templateCall{d, calls.Model(d.Kind), host.Called{Invocation: name, Arguments: line}})
	if err != nil || h.out.Error != nil {
		return err
	}
	text := strings.Join(parts, "")
	role := roleResult
	if calls.Launching != nil {
		h.send(roleResult, calls.Launching(name))
		role = roleUser
	}
	if calls.Loaded != nil && slices.Contains(h.request.History, definition.Message{Role: role, Text: text}) {
		text = calls.Loaded(name)
	}
	h.send(role, text)
	return nil
}

// noSkill answers to a model that calls what it can not call. Where a model reads
// files, there is nobody to answer.
func (h *hostCall) skillNotFound(code diag.Code, name, message, fix string) {
	calls := h.p.Calls
	if calls.Missing == nil {
		h.fail(&definition.Error{Code: code, Message: message, Fix: fix})
		return
	}
	h.answer(code, calls.Missing(name, h.available([]definition.Kind{definition.Skill})), fix)
}

// noSubagents refuses the start of an agent in a host of which it is not known
// what an agent begins with.
func (h *hostCall) subagentUnknown() error {
	h.fail(&definition.Error{
		Code: diag.NotInvocable, Message: "what an agent of " + h.c.Profile.Name + " begins with is not known",
		Fix: "leave out --subagent; vade explain says what is known of agents",
	})
	return nil
}
