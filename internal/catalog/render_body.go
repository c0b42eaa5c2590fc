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

// forked is the context of a definition that runs in a conversation of its own.
const forked = "fork"

// invoke renders a definition with its arguments and says it, as called by a
// name.
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

// begin renders the body that a turn begins with. It is not ok where that fails; a
// model gets what the host ends with as the answer of its tool.
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

// effort is what a definition says of it, if the host knows the word.
func (h *hostCall) effort(d *definition.Definition) string {
	if slices.Contains(h.p.Efforts, d.Fields.Effort()) {
		return d.Fields.Effort()
	}
	return ""
}

// turn says what a definition asks of its turn; nil if nothing.
func (h *hostCall) turn(d *definition.Definition) *definition.Turn {
	f := &d.Fields
	t := definition.Turn{Model: f.Model(), Effort: h.effort(d), AllowedTools: f.AllowedTools(), DisallowedTools: f.DisallowedTools()}
	if f.Context() == forked {
		t.Fork, t.Agent = true, cmp.Or(f.Agent(), h.p.ForkAgent)
	}
	if !t.Fork && t.Model == "" && t.Effort == "" && len(t.AllowedTools)+len(t.DisallowedTools) == 0 {
		return nil
	}
	return &t
}

// body renders the body of a definition and notes what it mentions.
func (h *hostCall) body(d *definition.Definition, line string) (string, error) {
	doc, err := h.c.GatedDocument(h.ctx, d)
	if err != nil {
		return "", err
	}
	h.out.Diagnostics = append(h.out.Diagnostics, d.Diagnostics...)
	text := chars.ReplaceInvalid(doc.Body)
	if doc.Frontmatter != "" || doc.BodyAt > 0 {
		// The host's mark of the end takes all white space behind it (m44).
		text = strings.TrimLeftFunc(text, chars.IsSpace)
	}
	if len(text) > render.MaxRendered {
		h.fail(&definition.Error{
			Code: diag.SizeLimit, Message: fmt.Sprintf("%s has more than %d MB", d.Origin.Path, render.MaxRendered>>20), Fix: "shorten it",
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
			Code: diag.SizeLimit, Message: fmt.Sprintf("the texts of the request would be longer than %d MB", render.MaxRendered>>20),
			Fix: "have the agent begin with fewer skills, or shorten " + d.Origin.Path,
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

// noShell reports whether the host's settings switch the commands of a definition
// off; those of the administrator run all the same (formats dossier, section 3.9).
func (h *hostCall) noShell(d *definition.Definition) bool {
	return h.settings.NoShell && d.Origin.Layer != definition.Managed
}

// refuse ends the invocation because of one of its commands, and says who
// refuses it, and where it stands.
func (h *hostCall) refuse(d *definition.Definition, doc *parse.Document, e *render.HostError) {
	message := e.Message
	if h.p.Shell.Silent && !h.request.ByModel {
		message = ""
	}
	h.fail(&definition.Error{Code: e.Code, Message: message, Fix: e.Fix})
	var x *diag.Diagnostic
	switch {
	case e.Code == diag.BashTimeout:
		x = h.report(e.Code, d.Origin.Path, "Vade has ended this command, for which the host would wait longer: %s", e.By)
		x.Fix = "timeout in your policy is the time that a command has: vade policy show"
	case e.By != "" && e.Total > 0:
		x = h.report(e.Code, d.Origin.Path, "the host would run this command; Vade does not: %s", e.By)
		x.Fix = e.Fix
	case e.By != "":
		x = h.report(e.Code, d.Origin.Path, "%s", e.By)
		x.Fix = e.Fix
	case e.Code == diag.BashNotAllowed:
		x = h.report(e.Code, d.Origin.Path, "the host itself refuses this command here: %s", strings.TrimPrefix(e.Message, h.p.Shell.Refused(e.Pattern, "")))
		x.Fix = "it runs what only reads, and what a rule such as " + h.c.Profile.Permission.Tool +
			"(COMMAND:*) in allowed-tools of the definition, or in " + h.key(host.SettingAllow) + " of its settings, names"
	default:
		x = h.report(e.Code, d.Origin.Path, "the command has failed, and with it the whole invocation")
		x.Fix = "correct the command, or end it with || true"
	}
	if list := body.Commands(doc.Body, render.MaxReported); doc.BodyAt >= 0 && e.Total == len(list) && e.Command < e.Total {
		at := doc.File.Pos(doc.BodyAt + list[e.Command].Span.Start)
		end := doc.File.Pos(doc.BodyAt + list[e.Command].Span.End)
		x.Line, x.Column, x.EndLine, x.EndColumn = at.Line, at.Column, end.Line, end.Column
	}
}

// places are the directories of a definition as the host writes them: links are
// not resolved.
func (h *hostCall) places(d *definition.Definition) host.Places {
	c := h.c
	places := c.places(d)
	if d.Kind == definition.Skill {
		places.Skill = path.Dir(c.absolute(d.Origin.Path))
	}
	places.Config, _ = c.hostDir()
	places.PluginID = d.Origin.Plugin
	places.Effort = cmp.Or(h.effort(d), h.request.Effort, h.p.Effort)
	places.Session = cmp.Or(h.request.Session, c.session())
	return places
}

// absolute returns the absolute form of a path that is shown.
func (c *Catalog) absolute(shown string) string {
	if vfs.IsAbs(shown) || c.Quick.Project == nil {
		return shown
	}
	return c.Quick.Project.Path(shown)
}

// hostDir returns the user's directory of the host.
func (c *Catalog) hostDir() (string, bool) {
	if moved := c.Options.Getenv(c.Profile.UserEnv); c.Profile.UserEnv != "" && vfs.IsAbs(moved) {
		return moved, true
	}
	if c.Env.Home == "" {
		return "", false
	}
	return path.Join(c.Env.Home, c.Profile.UserDir), true
}

// session is the name of a session where the request has none: the same one for
// each directory, so that the same request gives the same text.
func (c *Catalog) session() string {
	sum := sha256.Sum256([]byte(c.Env.WorkDir))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// active reports whether a definition is available in the session as it is.
func (c *Catalog) active(d *definition.Definition) bool {
	_, ok := c.activeAt(d)
	return ok
}

// mode is the mode of permissions of the session.
func (c *Catalog) mode(s *settings.Settings) string {
	return cmp.Or(c.Options.Client.PermissionMode, s.DefaultMode)
}

// runner returns what runs the commands of a body, and gives the input the
// host's own check of them.
func (h *hostCall) runner(d *definition.Definition, doc *parse.Document, in *render.HostInput) (render.ShellRunner, func()) {
	if !strings.Contains(in.Text, "!") || in.NoShell && h.p.Shell.Off != "" {
		return nil, func() {}
	}
	c := h.c
	project := c.Env.WorkDir
	// The text that is checked has its arguments and variables already.
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

// within runs commands one by one within the time that all have together.
type timedRunner struct {
	ctx context.Context
	env *shellEnv
}

// RunShell implements [render.ShellRunner].
func (w timedRunner) RunShell(_ context.Context, commands []render.ShellCommand) []render.ShellResult {
	if w.ctx.Err() != nil {
		err := &render.RefError{Code: diag.BashTimeout, Message: "the commands of the body together took too long"}
		results := make([]render.ShellResult, len(commands))
		for i := range results {
			results[i] = render.ShellResult{Keep: true, Error: err}
		}
		return results
	}
	return w.env.RunShell(w.ctx, commands)
}
