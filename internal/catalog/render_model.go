package catalog

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/resolve"
)

// model handles a model's call to the host's skill tool. It performs the checks in the host's
// order.
func (h *hostCall) model() error {
	called := strings.TrimSpace(h.request.Prompt)
	called = strings.TrimPrefix(called, "/")
	args := h.request.Arguments
	d, err := h.resolveCall(&called, &args)
	if err != nil {
		return err
	}
	tool := &h.p.Tool
	switch {
	case d == nil && slices.Contains(h.p.Own, called):
		h.answer(diag.NotInvocable, tool.Own(called), "specify a skill or command that is not built into the host")
	case d == nil && tool.Overridden != nil && h.overriddenOff(called) != nil:
		h.answerOverridden(called, h.overriddenOff(called))
	case d == nil:
		reason, fix := h.whyNotCallable(called)
		if reason != "" {
			h.report(diag.SkillNotFound, "", "%s cannot be invoked: %s", called, reason).Fix = fix
		}
		h.answer(diag.SkillNotFound, tool.Unknown(called, h.similar(called)), fix)
	case d.Fields.DisableModelInvocation && tool.Overridden != nil && h.isBlockedBySettings(d):
		h.answerOverridden(called, d)
	case d.Fields.DisableModelInvocation:
		fix := "omit --by to invoke it as a user, or remove disable-model-invocation from " + d.Origin.Path
		if key := h.key(host.SettingOverrides); key != "" {
			fix += ", and its name from " + key + " in the settings"
		}
		h.answer(diag.NotInvocable, tool.Disabled(called), fix)
	case h.matchingRule(h.settings.Deny, d) != "":
		h.answer(diag.InvocationDenied, tool.Denied, "remove the rule "+h.matchingRule(h.settings.Deny, d)+" from "+h.key(host.SettingDeny)+" in the settings")
	case h.wouldAsk(d):
		h.answer(diag.InvocationDenied, tool.Asks(called), "the host would ask the user because the definition grants tools, has hooks, is a workflow, or matches a rule in "+
			h.key(host.SettingAsk)+"; remove any such rule and add "+h.p.Tool.Rule+"("+d.Name+") to "+h.key(host.SettingAllow)+" in the settings")
	default:
		return h.launch(d, called, args)
	}
	return nil
}

// isBlockedBySettings reports whether the settings, and not the definition's frontmatter, prevent a
// model from calling it.
func (h *hostCall) isBlockedBySettings(d *definition.Definition) bool {
	switch h.c.FieldText(h.ctx, d, "disable-model-invocation") {
	case "", "false":
		return h.settings.Overrides[d.Name] == host.OverrideUserOnly
	}
	return false
}

// answerOverridden rejects a call to a definition that the settings disable.
func (h *hostCall) answerOverridden(called string, d *definition.Definition) {
	h.answer(diag.NotInvocable, h.p.Tool.Overridden(called), "remove "+d.Name+" from "+h.key(host.SettingOverrides)+" in the settings")
}

func (h *hostCall) key(of host.Setting) string { return h.c.Profile.Settings.Key(of) }

// resolveCall finds the definition that a model called. Names may contain spaces, and arguments may
// follow the name. resolveCall first looks for a definition whose path matches the text, with and
// without the arguments, and scans all definitions only if there is none.
func (h *hostCall) resolveCall(called, args *string) (*definition.Definition, error) {
	name, rest := h.splitName(*called)
	if rest == "" || *args != "" {
		return h.find(*called)
	}
	all := *called
	for _, find := range []func(string) (*definition.Definition, error){h.findByPath, h.find} {
		for _, n := range []string{all, name} {
			d, err := find(n)
			if err != nil {
				return nil, err
			}
			if d != nil {
				if n == name {
					*called, *args = name, rest
				}
				return d, nil
			}
		}
	}
	return nil, nil
}

// findByPath is like find but looks only at the paths that the name implies.
func (h *hostCall) findByPath(name string) (*definition.Definition, error) {
	d, _, err := h.c.findByPlace(h.ctx, []string{name}, []definition.Kind{definition.Command, definition.Skill})
	if d == nil || err != nil || d.Origin.Linked {
		return nil, err
	}
	return h.find(name)
}

// launch renders a definition that a model called.
func (h *hostCall) launch(d *definition.Definition, called, args string) error {
	if d.Fields.Context() == forked {
		return h.invoke(d, args, called)
	}
	text, ok, err := h.begin(d, args)
	if !ok {
		return err
	}
	before, repeated := h.lastText(d)
	again := repeated && before != text && h.p.Tool.Changed != nil
	if h.p.Tool.Loaded != nil && repeated && before == text {
		text = h.p.Tool.Loaded(called, args)
	} else if duplicate, err := h.hasNestedDuplicate(d); err != nil {
		return err
	} else if duplicate {
		text += h.p.TwinJoin
	}
	if len(h.out.Attached) > 0 {
		text += h.p.AttachJoin
	}
	h.send(roleResult, h.p.Tool.Launching(called))
	if again {
		h.send(roleUser, h.p.Tool.Changed(called))
	}
	h.send(roleUser, text)
	return nil
}

// lastText returns the text from the definition's last call in the session. ok is false if the
// definition was not called.
func (h *hostCall) lastText(d *definition.Definition) (text string, ok bool) {
	names := append([]string{d.Name}, d.Aliases...)
	isCall := func(m definition.Message) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return m.Role == roleResult && m.Text == h.p.Tool.Launching(name) || m.Role == roleUser && strings.HasPrefix(m.Text, h.p.Announce(name, ""))
		})
	}
	isNotice := func(m definition.Message) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return h.p.Tool.Changed != nil && m.Text == h.p.Tool.Changed(name) || h.p.Tool.Loaded != nil && strings.HasPrefix(m.Text, h.p.Tool.Loaded(name, ""))
		})
	}
	called := false
	for _, m := range h.request.History {
		switch {
		case isCall(m):
			called = true
		case called && m.Role == roleUser && !isNotice(m):
			text, ok, called = m.Text, true, false
		}
	}
	return text, ok
}

// answer rejects a call with the host's error text as the tool result.
func (h *hostCall) answer(code diag.Code, text, fix string) {
	h.answeredByTool = true
	h.send(roleFailed, text)
	h.fail(&definition.Error{Code: code, Message: text, Fix: fix})
}

// wouldAsk reports whether the host would ask the user before a model loads a skill. An ask rule
// always makes the host ask. The host also asks if the skill grants tools, has hooks or is a
// workflow, unless a rule or the permission mode allows the skill. This was observed in Claude Code
// 2.1.329 (case s16) and 2.1.330, except that the effect of ask rules and hooks is inferred.
func (h *hostCall) wouldAsk(d *definition.Definition) bool {
	switch {
	case h.matchingRule(h.settings.Ask, d) != "":
		return true
	case h.matchingRule(h.settings.Allow, d) != "", h.c.mode(h.settings) == h.p.Tool.Bypass:
		return false
	}
	return len(d.Fields.AllowedTools()) > 0 || d.Fields.HasHooks || d.Kind == definition.Workflow
}

// matchingRule returns the first permission rule that matches a skill, or "". Rules have the form
// Skill, Skill(name), Skill(prefix:*) or Skill(prefix *).
func (h *hostCall) matchingRule(rules []string, d *definition.Definition) string {
	for _, rule := range rules {
		rest, ok := strings.CutPrefix(strings.TrimSpace(rule), h.p.Tool.Rule)
		if !ok {
			continue
		}
		if rest == "" {
			return rule
		}
		rest, ok = strings.CutPrefix(rest, "(")
		name, closed := strings.CutSuffix(rest, ")")
		if !ok || !closed {
			continue
		}
		name = strings.TrimPrefix(name, "/")
		prefix, wild := strings.CutSuffix(name, ":*")
		if !wild {
			prefix, wild = strings.CutSuffix(name, " *")
		}
		if name == "*" || resolve.HasName(d, name) || wild && (d.Name == prefix || strings.HasPrefix(d.Name, prefix)) {
			return rule
		}
	}
	return ""
}

// similar returns the known name that is most similar to an unknown one. The names must be at most
// two edits apart and differ in more than case. This was observed in Claude Code 2.1.329 (cases m25
// and m42), except that the limit of two edits is inferred.
func (h *hostCall) similar(name string) string {
	names := slices.Clone(h.p.Own)
	if all, err := h.c.Scan(h.ctx); err == nil {
		for _, d := range all.All {
			if d.Kind.Callable() && d.State == definition.Loaded && h.c.active(d) {
				names = append(names, d.Name)
			}
		}
	}
	slices.Sort(names)
	a := strings.ToLower(name)
	return nearest(name, slices.DeleteFunc(names, func(n string) bool { return strings.ToLower(n) == a }))
}

// nearest returns the name with the smallest edit distance from name, ignoring case. It returns the
// first one in case of a tie, or "" if every distance is greater than two.
func nearest(name string, names []string) string {
	const maxDistance, maxSimilar = 2, 256
	best, distance := "", maxDistance+1
	if len(name) > maxSimilar {
		return ""
	}
	a := strings.ToLower(name)
	for _, n := range names {
		if d := resolve.Distance(a, strings.ToLower(n), maxDistance); d < distance {
			best, distance = n, d
		}
	}
	return best
}

// hasNestedDuplicate reports whether a nested directory has an active skill
// with the same name (Claude Code 2.1.329, case m27).
func (h *hostCall) hasNestedDuplicate(d *definition.Definition) (bool, error) {
	if len(h.c.Options.Client.Touched) == 0 || d.Origin.Nested != "" {
		return false, nil
	}
	all, err := h.c.Scan(h.ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(all.All, func(other *definition.Definition) bool {
		return other.Origin.Nested != "" && other.State == definition.Loaded && other.Name == other.Origin.Nested+":"+d.Name
	}), nil
}
