package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/hostpermission"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/settings"
	"github.com/vadehq/vade/internal/vfs"
)

// forked is the value of the context field for a definition that runs in a separate conversation.
const forked = "fork"

// invoke renders a definition with its arguments and adds the messages that the host sends for the
// call. It handles calls by users, and calls by models to definitions that run in a separate
// conversation. called is the name that the caller used.
func (h *hostCall) invoke(d *definition.Definition, line, called string) error {
	text, ok, err := h.begin(d, line)
	if !ok {
		return err
	}
	if d.Fields.Context() == forked {
		h.out.Turn.ForkResult = h.p.Tool.Forked(called)
		h.send(roleUser, text)
		return nil
	}
	h.send(roleUser, h.p.Announce(called, line)+h.p.Join)
	h.send(roleUser, text)
	return nil
}

// begin renders a body and sets the turn's settings. ok is false if rendering failed. In that case,
// if a model made the call, begin sends the host's error as the tool result.
func (h *hostCall) begin(d *definition.Definition, line string) (text string, ok bool, err error) {
	text, err = h.body(d, line)
	switch {
	case err != nil:
		return "", false, err
	case h.out.Error != nil:
		if h.request.ByModel {
			h.answeredByTool = true
			h.send(roleFailed, h.out.Error.Message)
		}
		return "", false, nil
	}
	h.out.Turn = h.turn(d)
	return text, true, nil
}

// effort returns the definition's effort level if the host supports it.
func (h *hostCall) effort(d *definition.Definition) string {
	if slices.Contains(h.p.Efforts, d.Fields.Effort()) {
		return d.Fields.Effort()
	}
	return ""
}

// turn returns the turn settings that a definition requests, or nil if there are none.
func (h *hostCall) turn(d *definition.Definition) *definition.Turn {
	agent := ""
	if d.Fields.Context() == forked {
		agent = cmp.Or(d.Fields.Agent(), h.p.ForkAgent)
	}
	return turnOf(&d.Fields, h.effort(d), agent)
}

// turnOf returns a turn with the settings from the fields, the effort level and the agent. It
// returns nil if none is set.
func turnOf(f *definition.Fields, effort, agent string) *definition.Turn {
	t := definition.Turn{
		Fork: f.Context() == forked, Agent: agent, Model: f.Model(), Effort: effort,
		AllowedTools: f.AllowedTools(), DisallowedTools: f.DisallowedTools(), Hooks: f.Hooks(),
	}
	if !t.Fork && t.Agent == "" && t.Model == "" && t.Effort == "" &&
		len(t.AllowedTools)+len(t.DisallowedTools)+len(t.Hooks) == 0 {
		return nil
	}
	return &t
}

// body renders a definition's body and records the files that it mentions.
func (h *hostCall) body(d *definition.Definition, line string) (string, error) {
	doc, err := h.c.GatedDocument(h.ctx, d)
	if err != nil {
		return "", err
	}
	h.out.Diagnostics = append(h.out.Diagnostics, d.Diagnostics...)
	if d.Kind == definition.Workflow && h.p.Workflow != nil {
		return h.p.Workflow(host.WorkflowCall{
			Name: d.Name, Description: d.Description, WhenToUse: d.Fields.WhenToUse(),
			Arguments: strings.TrimFunc(line, chars.IsSpace), Phases: phases(&doc),
		}), nil
	}
	text := chars.ReplaceInvalid(doc.Body)
	if doc.Frontmatter != "" || doc.BodyAt > 0 {
		// The host strips all whitespace after the frontmatter's closing delimiter (m44).
		text = strings.TrimLeftFunc(text, chars.IsSpace)
	}
	if len(text) > render.MaxRendered {
		h.fail(&definition.Error{
			Code: diag.SizeLimit, Message: fmt.Sprintf("%s is larger than %d MiB", d.Origin.Path, render.MaxRendered>>20), Fix: "shorten it",
		})
		return "", nil
	}
	places := h.places(d)
	in := render.HostInput{
		Host: h.p, Text: text, File: d.Origin.Path, Line: line, Names: d.Fields.Arguments(), NoShell: h.noShell(d),
		Variables:      h.c.Profile.Variables(places),
		CommandsBefore: h.commandsRun,
		Saved:          host.Saved{Config: places.Config, Project: h.c.Env.WorkDir, Session: places.Session},
	}
	if d.Kind == definition.Skill {
		in.Place = h.p.Place(places.Skill)
	}
	runner, done := h.runner(d, &doc, &in)
	defer done()
	out := render.RenderHost(h.ctx, in, runner)
	h.out.Diagnostics = append(h.out.Diagnostics, out.Diagnostics...)
	h.commandsRun += out.Ran
	if h.bytes += len(out.Text); h.bytes > render.MaxRendered {
		h.fail(&definition.Error{
			Code: diag.SizeLimit, Message: fmt.Sprintf("the request would render to more than %d MiB of text", render.MaxRendered>>20),
			Fix: "preload fewer skills, or shorten " + d.Origin.Path,
		})
		return "", nil
	}
	if e := out.Error; e != nil {
		h.refuse(d, &doc, e)
		return "", nil
	}
	author := doc.Body
	if !h.request.ByModel {
		author += "\n" + line
	}
	h.attach(out.Text, author, d)
	return out.Text, nil
}

// phases returns the phases of a workflow. It skips entries whose title is not a string.
func phases(doc *parse.Document) []host.WorkflowPhase {
	var list []host.WorkflowPhase
	for _, e := range doc.Entries {
		if e.Key != "phases" {
			continue
		}
		for i := range e.Value.Items {
			title, detail := e.Value.Items[i].Pair("title"), e.Value.Items[i].Pair("detail")
			if title.Kind != definition.String {
				continue
			}
			p := host.WorkflowPhase{Title: title.Text}
			if detail.Kind == definition.String {
				p.Detail = detail.Text
			}
			list = append(list, p)
		}
	}
	return list
}

// noShell reports whether the host's settings disable a definition's commands.
// Managed definitions are exempt (format notes, section 3.9).
func (h *hostCall) noShell(d *definition.Definition) bool {
	return h.settings.NoShell && d.Origin.Layer != definition.Managed
}

// refuse aborts the invocation because a command failed or was refused, and reports the reason and
// the command's position.
func (h *hostCall) refuse(d *definition.Definition, doc *parse.Document, e *render.HostError) {
	message := e.Message
	if h.p.Shell.Silent && !h.request.ByModel {
		message = ""
	}
	h.fail(&definition.Error{Code: e.Code, Message: message, Fix: e.Fix})
	var x *diag.Diagnostic
	switch {
	case e.Code == diag.BashTimeout:
		x = h.report(e.Code, d.Origin.Path, "Vade stopped this command before the host's timeout: %s", e.By)
		x.Fix = "increase timeout in your policy; see: vade policy show"
	case e.By != "" && e.Total > 0:
		x = h.report(e.Code, d.Origin.Path, "the host would run this command, but Vade does not: %s", e.By)
		x.Fix = e.Fix
	case e.By != "":
		x = h.report(e.Code, d.Origin.Path, "%s", e.By)
		x.Fix = e.Fix
	case e.Code == diag.BashNotAllowed:
		x = h.report(e.Code, d.Origin.Path, "the host refuses this command: %s", strings.TrimPrefix(e.Message, h.p.Shell.Refused(e.Pattern, "")))
		x.Fix = "use a read-only command, or add a rule such as " + h.c.Profile.Permission.Tool +
			"(COMMAND:*) to the definition's allowed-tools or to " + h.key(host.SettingAllow) + " in the host's settings"
	default:
		x = h.report(e.Code, d.Origin.Path, "the command failed, which aborts the invocation")
		x.Fix = "fix the command, or append || true"
	}
	if list := body.Commands(doc.Body, render.MaxReported); doc.BodyAt >= 0 && e.Total == len(list) && e.Command < e.Total {
		at := doc.File.Pos(doc.BodyAt + list[e.Command].Span.Start)
		end := doc.File.Pos(doc.BodyAt + list[e.Command].Span.End)
		x.Line, x.Column, x.EndLine, x.EndColumn = at.Line, at.Column, end.Line, end.Column
	}
}

// places returns a definition's directories in the form that the host uses, without resolving
// symlinks.
func (h *hostCall) places(d *definition.Definition) host.Places {
	c := h.c
	places := c.places(d)
	if d.Kind == definition.Skill {
		places.Skill = path.Dir(c.absolute(d.Origin.Path))
	}
	places.Config, _ = c.HostDir()
	if p := c.PluginOf(d); p != nil {
		places.PluginID = p.ID
	}
	places.Effort = cmp.Or(h.effort(d), h.request.Effort, h.p.Effort)
	places.Session = cmp.Or(h.request.Session, places.Session, c.session())
	return places
}

// absolute converts a display path to an absolute path.
func (c *Catalog) absolute(shown string) string {
	if vfs.IsAbs(shown) || c.Quick.Project == nil {
		return shown
	}
	return c.Quick.Project.Path(shown)
}

// HostDir returns the absolute path of the host's user directory. It returns
// false if the home directory is unknown.
func (c *Catalog) HostDir() (string, bool) {
	if moved := c.Options.Getenv(c.Profile.UserEnv); c.Profile.UserEnv != "" && vfs.IsAbs(moved) {
		return moved, true
	}
	if c.Env.Home == "" {
		return "", false
	}
	return path.Join(c.Env.Home, c.Profile.UserDir), true
}

// session returns the session ID to use if neither the request nor the options specify one. It
// depends only on the working directory, so identical requests render identically.
func (c *Catalog) session() string {
	sum := sha256.Sum256([]byte(c.Env.WorkDir))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// active reports whether a definition is currently available in the session.
func (c *Catalog) active(d *definition.Definition) bool {
	_, ok := c.activeAt(d)
	return ok
}

// mode returns the session's permission mode.
func (c *Catalog) mode(s *settings.Settings) string {
	return cmp.Or(c.Options.Client.PermissionMode, s.DefaultMode)
}

// runner returns the runner for a body's commands. It also sets the input's permission check to the
// host's.
func (h *hostCall) runner(d *definition.Definition, doc *parse.Document, in *render.HostInput) (render.ShellRunner, func()) {
	if !strings.Contains(in.Text, "!") || in.NoShell && h.p.Shell.Off != "" {
		return nil, func() {}
	}
	c := h.c
	project := c.Env.WorkDir
	// The command to check already contains the expanded arguments and variables.
	in.Check = hostpermission.New(c.Profile.Permission, hostpermission.Command{
		Dir: project, Project: project, Home: c.Env.Home, Additional: c.Options.Client.AddDirs, Variables: in.Variables,
		Allowed: d.Fields.AllowedTools(), Allow: h.settings.Allow, Deny: h.settings.Deny, Ask: h.settings.Ask, Mode: c.mode(h.settings),
	}).Check
	env, refused := c.shellEnv(d, "")
	if refused != nil {
		return refuseAll{refused}, func() {}
	}
	env.merged = true
	env.read(doc, c.Input(d, doc, doc.Body))
	_, diags := c.EffectivePolicy()
	h.out.Diagnostics = append(h.out.Diagnostics, diags...)
	if h.deadline.IsZero() {
		h.deadline = time.Now().Add(env.totalTimeout())
	}
	ctx, cancel := context.WithDeadline(h.ctx, h.deadline)
	return timedRunner{ctx, env}, func() { cancel(); env.close() }
}

// timedRunner runs all of a request's commands under a shared deadline.
type timedRunner struct {
	ctx context.Context
	env *shellEnv
}

// RunShell implements [render.ShellRunner].
func (w timedRunner) RunShell(_ context.Context, commands []render.ShellCommand) []render.ShellResult {
	if w.ctx.Err() != nil {
		err := &render.RefError{Code: diag.BashTimeout, Message: "the commands in the body exceeded their total timeout"}
		results := make([]render.ShellResult, len(commands))
		for i := range results {
			results[i] = render.ShellResult{Keep: true, Error: err}
		}
		return results
	}
	return w.env.RunShell(w.ctx, commands)
}
