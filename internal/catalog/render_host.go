package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/listing"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/settings"
)

// Render returns what a host would send to its model for a request. In the neutral view, it returns
// the text from [Catalog.Load]. The result's Error field holds an error that the host would show.
// The returned error is non-nil only if Vade itself fails, for example because ctx was canceled,
// the request is empty or contradictory, or the view's directories cannot be opened.
//
// Only the user's policy decides which commands in bodies run. If it refuses a command that the
// host would run, the result has the error BASH_NOT_ALLOWED. The error's text is the host's
// refusal, or Vade's if the host has none.
func (c *Catalog) Render(ctx context.Context, r RenderRequest) (*definition.Rendering, error) {
	out := &definition.Rendering{
		Host: c.Profile.Name, Version: c.Profile.Version,
		Messages: []definition.Message{}, Attached: []definition.Attachment{}, Diagnostics: []diag.Diagnostic{},
	}
	if c.Profile.Prompt == nil {
		return out, c.renderNeutral(ctx, r, out)
	}
	if r.Caller != "" {
		return nil, fmt.Errorf("vade: RenderRequest.Caller is not supported for host %s", c.Profile.Name)
	}
	if strings.TrimSpace(r.Prompt) == "" && r.Subagent == "" {
		return nil, errors.New("vade: RenderRequest.Prompt is empty")
	}
	if r.ByModel && r.Subagent != "" {
		return nil, errors.New("vade: RenderRequest.ByModel and Subagent are mutually exclusive")
	}
	h := &hostCall{c: c, ctx: ctx, p: c.Profile.Prompt, settings: c.Settings(ctx), request: r, out: out}
	out.Diagnostics = append(append(out.Diagnostics, h.settings.Diagnostics...), c.versionDiagnostics()...)
	var err error
	switch {
	case h.p.Calls != nil && r.Subagent != "":
		err = h.subagentUnknown()
	case h.p.Calls != nil && r.ByModel:
		err = h.modelCall()
	case h.p.Calls != nil:
		err = h.userCall()
	case r.Subagent != "":
		err = h.subagent()
	case r.ByModel:
		err = h.model()
	default:
		err = h.user()
	}
	if e := (*definition.Error)(nil); errors.As(err, &e) && (e.Code == diag.AuditBlocked || e.Code == diag.LinkOutside) {
		h.fail(e)
		h.answeredByTool = false
	} else if err != nil {
		return nil, err
	}
	if out.Error != nil && !h.answeredByTool {
		out.Messages, out.Attached, out.Turn = []definition.Message{}, []definition.Attachment{}, nil
	}
	return out, nil
}

// renderNeutral renders a definition in the neutral view.
func (c *Catalog) renderNeutral(ctx context.Context, r RenderRequest, out *definition.Rendering) error {
	request := r.Prompt
	switch {
	case r.Subagent != "":
		request = "agent:" + r.Subagent
	case r.ByModel:
		request = strings.TrimSpace("skill:" + strings.TrimPrefix(r.Prompt, "/") + " " + r.Arguments)
	}
	l := Loader{C: c, Ctx: ctx, agent: r.Caller, request: resolve.ParseRequest(request)}
	result, err := l.answer()
	if e := (*definition.Error)(nil); err != nil && !errors.As(err, &e) {
		return err
	}
	out.Diagnostics = append(out.Diagnostics, result.Diagnostics...)
	if out.Error = result.Error; out.Error != nil {
		return nil
	}
	for _, content := range []*definition.Content{result.Command, result.Agent, result.Instruction} {
		if content != nil {
			out.Messages = append(out.Messages, definition.Message{Role: roleUser, Text: content.Text})
		}
	}
	for i := range result.Skills {
		out.Messages = append(out.Messages, definition.Message{Role: roleUser, Text: result.Skills[i].Text})
	}
	if result.Command != nil || len(result.Skills) == 1 {
		f := &l.picked.Fields
		// In some hosts, a definition runs as the agent in its agent field even if it does not
		// fork.
		out.Turn = turnOf(f, f.Effort(), f.Agent())
	}
	return nil
}

// Message roles.
const (
	roleUser   = "user"
	roleResult = "tool_result"
	roleFailed = "tool_result!"
)

// hostCall handles one request in a host's view.
type hostCall struct {
	c        *Catalog
	ctx      context.Context
	p        *host.Prompt
	settings *settings.Settings
	request  RenderRequest
	out      *definition.Rendering
	// commandsRun is the number of commands that ran, bytes is the total size
	// of the bodies, and deadline applies to all commands together.
	commandsRun, bytes int
	deadline           time.Time
	// answeredByTool is set if the error is also in the messages, as a tool result.
	answeredByTool bool
}

func (h *hostCall) send(role, text string) {
	h.out.Messages = append(h.out.Messages, definition.Message{Role: role, Text: text})
}

func (h *hostCall) report(code diag.Code, path, format string, args ...any) *diag.Diagnostic {
	h.out.Diagnostics = append(h.out.Diagnostics, diag.For(path, code, format, args...))
	return &h.out.Diagnostics[len(h.out.Diagnostics)-1]
}

// user handles user input, which is a command or text that is sent unchanged.
func (h *hostCall) user() error {
	prompt := h.request.Prompt
	if h.p.TrimText {
		prompt = strings.TrimFunc(prompt, chars.IsSpace)
	}
	rest, isCommand := strings.CutPrefix(prompt, "/")
	if !isCommand {
		h.send(roleUser, prompt)
		h.attach(prompt, prompt, nil)
		return nil
	}
	name, line := h.splitName(rest)
	d, err := h.find(name)
	if err != nil {
		return err
	}
	if d == nil {
		served, err := h.serverPrompt(rest)
		if served || err != nil {
			return err
		}
		if d, line, err = h.pluginCommand(name, line); err != nil {
			return err
		}
	}
	switch {
	case d == nil && (slices.Contains(h.p.Own, name) || slices.Contains(h.p.Others, name) || h.listedOwn(name)):
		h.report(diag.NotInvocable, "", "/%s is a built-in command of the host, not a definition, so Vade cannot show its effect", name).Severity = diag.Warning
		return nil
	case d == nil:
		if off := h.overriddenOff(name); off != nil {
			h.fail(&definition.Error{
				Code: diag.NotInvocable, Message: h.p.SwitchedOff(off.Name),
				Fix: "remove " + off.Name + " from " + h.key(host.SettingOverrides) + " in the settings",
			})
			return nil
		}
		return h.unknown(prompt, name)
	case d.Fields.UserInvocable != nil && !*d.Fields.UserInvocable:
		h.fail(&definition.Error{Code: diag.NotInvocable, Message: h.p.NotForUsers(d.Name), Fix: "use --by model, or remove user-invocable from " + d.Origin.Path})
		return nil
	}
	return h.invoke(d, line, d.Name)
}

// splitName splits input into a command name and the text that follows it.
func (h *hostCall) splitName(text string) (name, line string) {
	i := strings.IndexFunc(text, chars.IsSpace)
	if i < 0 {
		return text, ""
	}
	_, n := utf8.DecodeRuneInString(text[i:])
	name, line = text[:i], text[i+n:]
	if !h.p.KeepLeadingSpaces {
		line = strings.TrimFunc(line, chars.IsSpace)
	}
	return name, line
}

// find returns the skill or command with the given name that can be called now.
// A definition with paths must have been activated.
func (h *hostCall) find(name string) (*definition.Definition, error) {
	return h.findKind(name, definition.Command, definition.Skill)
}

// pluginCommand resolves "/plugin name" to "/plugin:name" (format notes, section 3.2).
func (h *hostCall) pluginCommand(plugin, line string) (*definition.Definition, string, error) {
	name, rest := h.splitName(line)
	if name == "" {
		return nil, "", nil
	}
	d, err := h.find(plugin + ":" + name)
	if d == nil || d.Origin.Plugin != plugin {
		return nil, "", err
	}
	return d, rest, nil
}

// overriddenOff returns the definition with the given name that the settings disable. It returns
// nil if there is none or if the host does not report an error for such a definition.
func (h *hostCall) overriddenOff(name string) *definition.Definition {
	if h.p.SwitchedOff == nil || h.c.Options.Client.Bare || h.c.Options.Client.NoCommands {
		return nil
	}
	all, err := h.c.Scan(h.ctx)
	if err != nil {
		return nil
	}
	for _, d := range all.All {
		if d.ReasonCode == diag.SwitchedOff && h.settings.Overrides[d.Name] == host.OverrideOff && resolve.HasName(d, name) {
			return d
		}
	}
	return nil
}

// unknown handles a call to a command that does not exist.
func (h *hostCall) unknown(prompt, name string) error {
	reason, fix := h.whyNotCallable(name)
	if !h.p.UnknownIsText && isName(name) {
		h.fail(&definition.Error{Code: diag.CommandNotFound, Message: h.p.Unknown(name), Fix: fix})
		if reason != "" {
			h.report(diag.CommandNotFound, "", "/%s cannot be invoked: %s", name, reason).Fix = fix
		}
		return nil
	}
	if reason == "" {
		reason = "no command or skill with this name can be invoked by users"
	}
	d := h.report(diag.CommandNotFound, "", "/%s is sent as plain text: %s", name, reason)
	d.Fix, d.Severity = fix, diag.Warning
	if h.p.UnknownIsText && !isName(name) {
		h.send(roleUser, prompt)
		h.out.NoListing = true
		return nil
	}
	if h.p.Reminder != nil && !h.c.Options.Client.Bare {
		h.send(roleUser, h.p.Reminder(h.unknownCommand(name)))
	}
	h.send(roleUser, prompt)
	h.attach(prompt, prompt, nil)
	return nil
}

// listedOwn reports whether the host's listing has a built-in entry with this name.
func (h *hostCall) listedOwn(name string) bool {
	return slices.ContainsFunc(h.c.Profile.Listing.Budget.Own, func(entry host.OwnEntry) bool { return entry.Name == name })
}

// unknownCommand returns what a host tells the model about an unknown command.
func (h *hostCall) unknownCommand(name string) host.UnknownCommand {
	u := host.UnknownCommand{Name: name}
	all, err := h.c.Scan(h.ctx)
	if err != nil || h.c.Options.Client.NoCommands {
		return u
	}
	w := lister{c: h.c, table: h.c.Profile.Listing}
	w.firstCommands(all.All)
	for _, d := range all.All {
		at, active := h.c.activeAt(d)
		switch {
		case !d.Kind.Callable() || d.State != definition.Loaded || !active || d.Fields.UserInvocable != nil && !*d.Fields.UserInvocable:
		case d.Fields.DisableModelInvocation && !h.isBlockedBySettings(d):
			u.Manual++
		default:
			w.skills = append(w.skills, listing.Entry{Definition: d, First: w.first[w.commandDir(d)], ActiveAt: at})
		}
	}
	u.Available = listing.ShortNames(w.table, w.skills)
	for _, entry := range w.table.Budget.Own {
		if !entry.ModelOnly && !slices.Contains(u.Available, entry.Name) {
			u.Available = append(u.Available, entry.Name)
		}
	}
	u.Similar = nearest(name, u.Available)
	return u
}

// isName reports whether a string can be a command name in hosts that reject unknown commands.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_") == ""
}

func (h *hostCall) fail(e *definition.Error) { h.out.Error = e }

// subagent sets the initial messages of an agent: its task and preloaded skills.
func (h *hostCall) subagent() error {
	d, err := h.c.find(h.ctx, []string{h.request.Subagent}, []definition.Kind{definition.Agent})
	if err != nil {
		return err
	}
	if d == nil {
		h.fail(&definition.Error{Code: diag.AgentNotFound, Message: fmt.Sprintf("unknown agent %q", h.request.Subagent), Fix: "to list agents, run: vade list --kind agent --host " + h.c.Profile.Name})
		return nil
	}
	doc, err := h.c.GatedDocument(h.ctx, d)
	if err != nil {
		return err
	}
	turn := &definition.Turn{Agent: d.Name, System: doc.Body, Model: d.Fields.Model(), Effort: d.Fields.Effort(),
		AllowedTools: d.Fields.Tools(), DisallowedTools: d.Fields.DisallowedTools()}
	var preloaded []definition.Message
	for i, name := range d.Fields.Skills() {
		if slices.Contains(d.Fields.Skills()[:i], name) {
			continue
		}
		if i == MaxPreloaded {
			h.report(diag.SkillLimit, d.Origin.Path, "only an agent's first %d skills are preloaded", MaxPreloaded)
			break
		}
		messages, err := h.preload(name)
		if err != nil || h.out.Error != nil {
			return err
		}
		preloaded = append(preloaded, messages...)
	}
	task := h.request.Prompt
	if len(preloaded) > 0 {
		task += h.p.Join
	}
	h.out.Messages = append([]definition.Message{{Role: roleUser, Text: task}}, preloaded...)
	h.out.Turn = turn
	return nil
}

// MaxPreloaded is the maximum number of skills that an agent can preload.
const MaxPreloaded = 64

// preload renders a skill that an agent preloads. The skill gets no arguments (Claude Code 2.1.329,
// case m36), and it is rendered only if models may invoke it (format notes, section 3.4).
func (h *hostCall) preload(name string) ([]definition.Message, error) {
	d, err := h.find(name)
	if err != nil {
		return nil, err
	}
	if d == nil || d.Fields.DisableModelInvocation {
		h.report(diag.SkillNotFound, "", "the agent %s preloads the skill %q, which does not exist or cannot be invoked by models", h.request.Subagent, name)
		return nil, nil
	}
	text, err := h.body(d, "")
	if err != nil || h.out.Error != nil {
		return nil, err
	}
	return []definition.Message{{Role: roleUser, Text: h.p.Preload(d.Name)}, {Role: roleUser, Text: text}}, nil
}
