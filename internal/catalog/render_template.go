package catalog

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/render"
)

// renderTemplate renders a body using its template. It returns the parts of the text as the host
// sends them, and the input to [host.Template.Wrap]. Both are nil if rendering fails.
func (h *hostCall) renderTemplate(call templateCall) ([]string, *host.Wrapped, error) {
	d, t := call.d, call.template
	doc, err := h.c.GatedDocument(h.ctx, d)
	if err != nil {
		return nil, nil, err
	}
	h.out.Diagnostics = append(h.out.Diagnostics, d.Diagnostics...)
	text := templateText(t, &doc)
	if t.Footer != nil {
		text += t.Footer(path.Dir(h.c.absolute(d.Origin.Path)))
	}
	if len(text) > render.MaxRendered {
		h.tooLong(d)
		return nil, nil, nil
	}
	places := h.places(d)
	in := render.TemplateInput{Template: t, Text: text, Name: d.Name, File: d.Origin.Path, Called: call.called,
		CommandsBefore: h.commandsRun}
	if t.Variables != nil {
		in.Variables = t.Variables(places)
	}
	runner, done := h.templateRunner(d, &doc, t, text)
	defer done()
	out := render.RenderTemplate(h.ctx, in, &pathReader{hostCall: h, d: d}, runner)
	h.out.Diagnostics = append(h.out.Diagnostics, out.Diagnostics...)
	h.commandsRun += out.Ran
	for _, p := range out.Parts {
		h.bytes += len(p)
	}
	switch {
	case h.ctx.Err() != nil:
		return nil, nil, h.ctx.Err()
	case out.Error != nil:
		h.refuseTemplate(d, &doc, t, text, out.Error)
		return nil, nil, nil
	case h.bytes > render.MaxRendered:
		h.tooLong(d)
		return nil, nil, nil
	}
	w := &host.Wrapped{
		Called: call.called, Name: d.Name, Body: strings.Join(out.Parts, ""), File: h.c.absolute(d.Origin.Path), Session: places.Session,
	}
	w.Dir = path.Dir(w.File)
	if t.Resources > 0 {
		w.Resources = h.c.resources(d, t)
	}
	h.templateTurn(d, &doc, t)
	if t.Wrap != nil {
		return []string{t.Wrap(*w)}, w, nil
	}
	return out.Parts, w, nil
}

func (h *hostCall) tooLong(d *definition.Definition) {
	h.fail(&definition.Error{Code: diag.SizeLimit, Message: d.Origin.Path + " renders to more than 8 MiB of text", Fix: "shorten it"})
}

// template returns the template for a definition called by a user, or nil if
// the view's host does not use templates.
func (c *Catalog) template(d *definition.Definition) *host.Template {
	if d == nil || c.Profile.Prompt == nil || c.Profile.Prompt.Calls == nil || c.Profile.Prompt.Calls.User == nil {
		return nil
	}
	return c.Profile.Prompt.Calls.User(d.Kind)
}

// templateText returns a document's text, normalized for its template.
func templateText(t *host.Template, doc *parse.Document) string {
	text := doc.Body
	if t.Whole && doc.File != nil {
		text = string(doc.File.Data)
	}
	text = chars.ReplaceInvalid(text)
	if t.LineFeeds {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	if t.TrimAfter && doc.Frontmatter != "" && doc.BodyAt >= 0 {
		text = strings.TrimFunc(text, chars.IsSpace)
	}
	return text
}

// templateRunner returns the runner for a template body's commands.
func (h *hostCall) templateRunner(d *definition.Definition, doc *parse.Document, t *host.Template,
	text string) (render.ShellRunner, func()) {
	i := slices.IndexFunc(t.Steps, func(s host.Step) bool { return s.Shell != nil && strings.Contains(text, s.Shell.Open) })
	if i < 0 {
		return nil, func() {}
	}
	env, refused := h.c.shellEnv(d, "")
	if refused != nil {
		return refuseAll{refused}, func() {}
	}
	env.merged = t.Steps[i].Shell.ErrorsToo
	env.read(doc, h.c.Input(d, doc, doc.Body))
	_, diags := h.c.EffectivePolicy()
	h.out.Diagnostics = append(h.out.Diagnostics, diags...)
	if h.deadline.IsZero() {
		h.deadline = time.Now().Add(env.totalTimeout())
	}
	ctx, cancel := context.WithDeadline(h.ctx, h.deadline)
	return timedRunner{ctx, env}, func() { cancel(); env.close() }
}

// refuseTemplate aborts the invocation because of a placeholder in the body and
// reports the placeholder's position.
func (h *hostCall) refuseTemplate(d *definition.Definition, doc *parse.Document, t *host.Template, text string,
	e *render.HostError) {
	h.fail(&definition.Error{Code: e.Code, Message: e.Message, Fix: e.Fix})
	if e.By == "" {
		return
	}
	message := "%s"
	switch {
	case e.Code == diag.BashTimeout:
		message = "Vade stopped this command before the host's timeout: %s"
	case e.Total > 0:
		message = "the host would run this command, but Vade does not: %s"
	}
	x := h.report(e.Code, d.Origin.Path, message, e.By)
	if x.Fix = e.Fix; e.Code == diag.BashTimeout {
		x.Fix = "increase timeout in your policy; see: vade policy show"
	}
	list := render.TemplatePlaces(t, text)
	offset := strings.Index(doc.Body, text)
	if doc.BodyAt < 0 || offset < 0 || t.Whole || len(list) != e.Total || e.Command >= e.Total {
		return
	}
	at := doc.File.Pos(doc.BodyAt + offset + list[e.Command].Start)
	end := doc.File.Pos(doc.BodyAt + offset + list[e.Command].End)
	x.Line, x.Column, x.EndLine, x.EndColumn = at.Line, at.Column, end.Line, end.Column
}

// templateTurn records the turn settings that the frontmatter requests.
func (h *hostCall) templateTurn(d *definition.Definition, doc *parse.Document, t *host.Template) {
	turn := definition.Turn{Model: entryText(doc, t.Turn.Model), Agent: entryText(doc, t.Turn.Agent)}
	if t.Turn.Tools != "" {
		turn.AllowedTools = entryTexts(doc, t.Turn.Tools)
	}
	if t.Turn.Fork != "" {
		fork := entryText(doc, t.Turn.Fork)
		turn.Fork = fork == "true" || fork != "false" && h.isWorker(turn.Agent)
	}
	if turn.Model != "" || turn.Agent != "" || turn.Fork || len(turn.AllowedTools) > 0 {
		h.out.Turn = &turn
	}
}

// isWorker reports whether an agent runs in a separate conversation.
func (h *hostCall) isWorker(name string) bool {
	calls := h.p.Calls
	if name == "" || calls.WorkerMode == "" {
		return false
	}
	d, err := h.c.find(h.ctx, []string{name}, []definition.Kind{definition.Agent})
	if d == nil || err != nil {
		return slices.Contains(calls.Workers, name)
	}
	doc, err := h.c.Document(h.ctx, d)
	return err == nil && entryText(&doc, definition.FieldMode.Key()) == calls.WorkerMode
}

func entry(doc *parse.Document, key string) (definition.Value, bool) {
	i := slices.IndexFunc(doc.Entries, func(e definition.Entry) bool { return key != "" && e.Key == key })
	if i < 0 {
		return definition.Value{}, false
	}
	return doc.Entries[i].Value, true
}

func entryText(doc *parse.Document, key string) string {
	v, _ := entry(doc, key)
	return v.Text
}

// entryTexts returns the texts in a field that is a list of strings or a single string.
func entryTexts(doc *parse.Document, key string) []string {
	v, _ := entry(doc, key)
	var list []string
	for _, item := range v.Items {
		list = append(list, item.Text)
	}
	if v.Kind == definition.String && v.Text != "" {
		list = []string{v.Text}
	}
	return list
}
