package render

import (
	"context"
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// TemplateInput is a body and the values that a host inserts into it.
type TemplateInput struct {
	Template *host.Template
	// Text is the body, Name is the definition's name, and File is the file
	// name used in diagnostics.
	Text, Name, File string
	Called           host.Called
	// Variables holds the values of ${name}. Unknown names are left as is.
	Variables map[string]string
	// CommandsBefore is the number of commands that ran in other bodies in the same request.
	CommandsBefore int
}

// TemplateOutput is the result of rendering a body: the text that the host sends, or the error that
// it reports.
type TemplateOutput struct {
	// Parts are the rendered texts. Some hosts send several texts in one message.
	Parts []string
	Error *HostError
	// Ran is the number of commands passed to the runner.
	Ran         int
	Diagnostics []diag.Diagnostic
}

// PathReader reads files and directories and decides which of them may be read. If it returns an
// error, the placeholder is left as is.
type PathReader interface {
	ReadPath(ctx context.Context, syntax *host.FileSyntax, path string) ([]string, *RefError)
}

// RenderTemplate renders a body according to a template's steps. Text inserted by one step is plain
// text for the later steps. Some hosts expand such text; for them, the result matches the host's
// only if the expansion would not run or read anything.
//
// A command runs only if the body's author wrote its opening delimiter and a shell would treat each
// argument in the command as a single word; otherwise, the invocation is refused. Only files that
// the author names are included.
func RenderTemplate(ctx context.Context, in TemplateInput, files PathReader, runner ShellRunner) TemplateOutput {
	r := templateRenderer{ctx: ctx, in: in, files: files, runner: runner}
	text := in.Text
	if in.Template.Trim {
		text = strings.TrimFunc(text, chars.IsSpace)
	}
	if in.Template.Split != nil {
		r.words = in.Template.Split(in.Called.Arguments)
	}
	r.parts = []marked{fillVariables(marked{text: text}, in.Variables)}
	for i := range in.Template.Steps {
		step := &in.Template.Steps[i]
		if step.InBody && !marks(step, text) {
			continue
		}
		if r.step(step, text); r.out.Error != nil {
			return r.out
		}
	}
	for _, p := range r.parts {
		if p.tooLong {
			message := fmt.Sprintf("with the arguments inserted, the text would exceed %d MiB", MaxRendered>>20)
			r.out.Error = &HostError{Code: diag.SizeLimit, Message: message, By: message, Fix: "use shorter arguments"}
			return r.out
		}
		if in.Template.Trim {
			p.text = strings.TrimFunc(p.text, chars.IsSpace)
		}
		r.out.Parts = append(r.out.Parts, p.text)
	}
	return r.out
}

type templateRenderer struct {
	ctx    context.Context
	in     TemplateInput
	words  []string
	files  PathReader
	runner ShellRunner
	parts  []marked
	out    TemplateOutput
}

// step performs one step. text is the original body.
func (r *templateRenderer) step(step *host.Step, text string) {
	switch {
	case step.Files != nil:
		r.inline(step.Files)
	case step.Shell != nil:
		for i := range r.parts {
			if r.parts[i] = r.commands(r.parts[i], step); r.out.Error != nil {
				return
			}
		}
	case step.Places != nil:
		for i := range r.parts {
			r.parts[i] = r.fill(r.parts[i], step.Places)
		}
	case step.Append != nil && !r.taken(text):
		last := len(r.parts) - 1
		var to markedBuilder
		to.copy(r.parts[last], 0, len(r.parts[last].text))
		to.value(step.Append(r.in.Called), true)
		r.parts[last] = to.done()
	}
}

// marks reports whether a body contains delimiters or placeholders that the step processes.
func marks(step *host.Step, text string) bool {
	switch {
	case step.Files != nil && strings.Contains(text, step.Files.Open),
		step.Shell != nil && strings.Contains(text, step.Shell.Open):
		return true
	}
	return step.Places != nil && hasPlaces(step.Places, text)
}

// taken reports whether the original text of the body has argument placeholders. If so, the
// arguments are not appended.
func (r *templateRenderer) taken(text string) bool {
	for i := range r.in.Template.Steps {
		if p := r.in.Template.Steps[i].Places; p != nil && hasPlaces(p, text) {
			return true
		}
	}
	return false
}

func hasPlaces(p *host.Placeholders, text string) bool {
	for _, all := range p.All {
		if strings.Contains(text, all) {
			return true
		}
	}
	return (p.Positions || p.FromZero) && len(body.Positions(text)) > 0 || p.Slices && len(body.Slices(text)) > 0 ||
		p.Defaults && len(body.Defaults(text)) > 0 || p.Inputs && len(body.Names(text)) > 0
}

// inline includes the files that the text names, each as a separate part.
func (r *templateRenderer) inline(syntax *host.FileSyntax) {
	var parts []marked
	for _, p := range r.parts {
		list, unclosed := body.Braced(p.text, syntax.Open, MaxFiles+1)
		if unclosed >= 0 {
			r.unclosed(p.text, syntax.Open, unclosed)
			return
		}
		if len(list) > MaxFiles {
			r.report(diag.FileLimit, "only the first %d files in a body are included", MaxFiles)
			list = list[:MaxFiles]
		}
		at := 0
		for _, place := range list {
			if place.Span.Start > at {
				parts = append(parts, p.part(at, place.Span.Start))
			}
			at = place.Span.End
			texts, err := r.readPath(syntax, place.Text)
			if err != nil {
				r.report(err.Code, "%s was left unchanged: %s", p.text[place.Span.Start:place.Span.End], err.Message)
				parts = append(parts, p.part(place.Span.Start, place.Span.End))
				continue
			}
			for _, text := range texts {
				parts = append(parts, marked{text: text, foreign: []foreign{{0, len(text), false}}})
			}
		}
		if at < len(p.text) {
			parts = append(parts, p.part(at, len(p.text)))
		}
	}
	if len(parts) == 0 {
		parts = []marked{{}}
	}
	r.parts = parts
}

func (r *templateRenderer) readPath(syntax *host.FileSyntax, path string) ([]string, *RefError) {
	if r.files == nil {
		return nil, &RefError{Code: diag.FileUnreadable, Message: "file references are not supported in this context"}
	}
	if r.ctx.Err() != nil {
		return nil, &RefError{Code: diag.FileUnreadable, Message: r.ctx.Err().Error()}
	}
	return r.files.ReadPath(r.ctx, syntax, path)
}

// unclosed aborts the invocation because of unbalanced braces, as injectionParser.ts does in Gemini
// CLI and Qwen Code.
func (r *templateRenderer) unclosed(text, open string, at int) {
	r.out.Error = &HostError{
		Code: diag.TemplateInvalid,
		Message: fmt.Sprintf("Invalid syntax in command '%s': Unclosed injection starting at index %d ('%s'). Ensure braces are balanced. Paths or commands with unbalanced braces are not supported directly.",
			r.in.Name, utf16Length(text[:at]), open),
		Fix: "close the brace in " + r.in.File,
	}
}

func (r *templateRenderer) report(code diag.Code, format string, args ...any) {
	d := diag.For(r.in.File, code, format, args...)
	d.Severity = diag.Warning
	r.out.Diagnostics = append(r.out.Diagnostics, d)
}

func (m marked) part(start, end int) marked {
	var to markedBuilder
	to.copy(m, start, end)
	return to.done()
}
