package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// templateCall is a user's invocation of a template: the definition and the text that was typed.
type templateCall struct {
	d        *definition.Definition
	template *host.Template
	called   host.Called
}

// userCall handles user input in a host that uses templates. The input is a command, a prompt that
// mentions skills, or text that is sent unchanged.
func (h *hostCall) userCall() error {
	prompt := strings.TrimFunc(h.request.Prompt, chars.IsSpace)
	calls := h.p.Calls
	first := ""
	for _, k := range calls.Kinds {
		rest, ok := strings.CutPrefix(prompt, calls.Prefix(k))
		if !ok || calls.Prefix(k) == "" {
			continue
		}
		name, line := h.splitCall(rest, k)
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
	if h.send(roleUser, prompt); calls.Mentions != nil {
		if err := h.sendMentionedSkills(prompt); err != nil {
			return err
		}
	}
	if rest, ok := strings.CutPrefix(prompt, "/"); ok {
		if first == "" {
			first, _ = h.splitCall(rest, definition.Command)
		}
		return h.handleNonCall(typedWord(prompt), first)
	}
	return nil
}

// splitCall splits the text that follows a call's prefix into a name and arguments.
func (h *hostCall) splitCall(text string, k definition.Kind) (name, line string) {
	ends := ""
	if f := h.p.Calls.NameEnds; f != nil {
		ends = f(k)
	}
	if ends == "" {
		return h.splitName(text)
	}
	if i := strings.IndexAny(text, ends); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// findKind returns the callable definition with the given name, trying the kinds in order.
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

// callByUser handles a user's call to a definition.
func (h *hostCall) callByUser(d *definition.Definition, prompt, line string) error {
	calls := h.p.Calls
	why, fix := "", ""
	if calls.AsText != nil && !(calls.Interactive && h.request.Interactive) {
		why, fix = calls.AsText(d.Kind)
	}
	var t *host.Template
	if calls.User != nil {
		t = calls.User(d.Kind)
	}
	switch {
	case why != "":
	case d.Fields.UserInvocable != nil && !*d.Fields.UserInvocable:
		why, fix = "its frontmatter sets user-invocable: false", "use --by model, or remove user-invocable from "+d.Origin.Path
	case t == nil:
		why, fix = "the host has no such command", "use --by model"
	}
	if why != "" && h.p.NotForUsers != nil {
		h.fail(&definition.Error{Code: diag.NotInvocable, Message: h.p.NotForUsers(d.Name), Fix: fix})
		return nil
	}
	if why != "" {
		x := h.report(diag.NotInvocable, d.Origin.Path, "%s is sent as plain text: %s", typedWord(prompt), why)
		x.Fix, x.Severity = fix, diag.Warning
		h.send(roleUser, prompt)
		return nil
	}
	parts, w, err := h.renderTemplate(templateCall{d, t, host.Called{Invocation: prompt, Arguments: line}})
	if err != nil || h.out.Error != nil {
		return err
	}
	for _, text := range parts {
		h.send(roleUser, text)
	}
	if calls.Follow != nil {
		h.send(roleUser, calls.Follow(*w))
	}
	return h.attachMentioned(d, parts, line)
}

func typedWord(s string) string {
	if i := strings.IndexFunc(s, chars.IsSpace); i >= 0 {
		return s[:i]
	}
	return s
}

// handleNonCall handles a prompt that looks like a call to a command but is not one. It adds a
// diagnostic that explains why. If the host reports an error in this case, handleNonCall records
// that error.
func (h *hostCall) handleNonCall(word, name string) error {
	calls := h.p.Calls
	reason, fix := "", ""
	if calls.Removed != nil {
		reason, fix = calls.Removed(name)
	}
	switch {
	case reason != "":
	case slices.Contains(h.p.Own, name):
		x := h.report(diag.NotInvocable, "", "/%s is a built-in command of the host, not a definition, so Vade cannot show its effect", name)
		x.Severity = diag.Warning
		h.out.Messages = []definition.Message{}
		return nil
	case len(calls.Kinds) == 0:
		return nil
	case calls.Unknown != nil && isName(strings.ReplaceAll(name, "/", "")) && name != "":
		reason, fix = h.whyNotCallable(name)
		h.fail(&definition.Error{Code: diag.CommandNotFound, Message: calls.Unknown(name, h.available(calls.Kinds)), Fix: fix})
		if reason != "" {
			h.report(diag.CommandNotFound, "", "/%s cannot be invoked: %s", name, reason).Fix = fix
		}
		return nil
	default:
		reason, fix = h.whyNotCallable(name)
	}
	if reason == "" {
		reason = "no definition with this name can be invoked by users"
	}
	x := h.report(diag.CommandNotFound, "", "%s is sent as plain text: %s", word, reason)
	x.Fix, x.Severity = fix, diag.Warning
	return nil
}

// available returns the names of the active definitions of the given kinds that a model may invoke.
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

// maxMentioned is the maximum number of skills that a prompt can include.
const maxMentioned = 64

// sendMentionedSkills sends the texts of the skills that a prompt mentions. Skills mentioned by
// file path come first, followed by skills mentioned by an unambiguous name (see injection.rs in
// Codex's source).
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
			x := h.report(diag.SkillNotFound, "", "$%s is ambiguous: %d skills have this name", m.Name, n)
			x.Fix, x.Severity = "use the file path: [$"+m.Name+"](PATH)", diag.Warning
		}
	}
	for i, d := range chosen {
		if i == maxMentioned {
			h.report(diag.SkillLimit, "", "only the first %d skills that a prompt mentions are included", maxMentioned)
			break
		}
		parts, _, err := h.renderTemplate(templateCall{d, h.p.Calls.User(definition.Skill), host.Called{Invocation: prompt}})
		if err != nil || h.out.Error != nil {
			return err
		}
		for _, text := range parts {
			h.send(roleUser, text)
		}
	}
	return nil
}

// modelCall handles a model's request to load a skill.
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
	if calls.Ambiguous != nil && err == nil {
		d = cmp.Or(h.findFold(name, kinds), d)
	}
	switch {
	case err != nil || h.out.Error != nil:
		return err
	case d == nil:
		reason, fix := h.whyNotCallable(name)
		if reason != "" {
			h.report(diag.SkillNotFound, "", "%s cannot be invoked: %s", name, reason).Fix = fix
		}
		h.skillNotFound(diag.SkillNotFound, name, fmt.Sprintf("unknown skill %q", name), fix)
		return nil
	case d.Fields.DisableModelInvocation:
		h.skillNotFound(diag.NotInvocable, name, name+" cannot be invoked by models", "remove disable-model-invocation from "+d.Origin.Path+", or omit --by")
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

// findFold returns the model-invocable definition whose name equals name, ignoring case. If more
// than one matches, it answers the call with an error.
func (h *hostCall) findFold(name string, kinds []definition.Kind) *definition.Definition {
	all, err := h.c.Scan(h.ctx)
	if err != nil {
		return nil
	}
	var found []*definition.Definition
	for _, d := range all.All {
		callable := d.State == definition.Loaded && h.c.active(d) && !d.Fields.DisableModelInvocation
		if callable && slices.Contains(kinds, d.Kind) && strings.EqualFold(d.Name, name) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *definition.Definition) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	var names []string
	for _, d := range found {
		names = append(names, d.Name)
	}
	h.answer(diag.SkillNotFound, h.p.Calls.Ambiguous(name, names), "rename one of the skills: their names differ only in case")
	return nil
}

// skillNotFound handles a model's request for a skill that cannot be loaded. If it is not known how
// the host answers, the request fails.
func (h *hostCall) skillNotFound(code diag.Code, name, message, fix string) {
	calls := h.p.Calls
	if calls.Missing == nil {
		h.fail(&definition.Error{Code: code, Message: message, Fix: fix})
		return
	}
	h.answer(code, calls.Missing(name, h.available([]definition.Kind{definition.Skill})), fix)
}

// subagentUnknown rejects a request to start an agent in a host for which the prompts of agents are
// unknown.
func (h *hostCall) subagentUnknown() error {
	h.fail(&definition.Error{
		Code: diag.NotInvocable, Message: "Vade does not know the agent prompts of " + h.c.Profile.Name,
		Fix: "omit --subagent; to see what is known, run: vade explain --host " + h.c.Profile.Name,
	})
	return nil
}
