package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/render"
)

// ModelText is a definition's text as a model receives it.
type ModelText struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	Path string          `json:"path"`
	// Text is the unescaped text.
	Text string `json:"text"`
	// Commands is the number of shell commands in the text that did not run.
	Commands    int               `json:"commandsNotRun"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// AsModel returns the text that a model receives when it loads the definition without arguments,
// in the catalog's view. To inspect the text before a model sees it, open the catalog with
// [ShellOptions.Off], so no command runs, and with [Options.Unaudited].
func (d Definition) AsModel(ctx context.Context) (*ModelText, error) {
	c := d.c
	out := &ModelText{Kind: d.d.Kind, Name: d.d.Name, Path: d.d.Origin.Path, Diagnostics: []diag.Diagnostic{}}
	if c.Profile.Prompt != nil && d.d.Kind.Callable() {
		r, err := c.Render(ctx, RenderRequest{Prompt: d.d.Name, ByModel: true})
		if err != nil {
			return nil, err
		}
		if r.Error != nil {
			return nil, errors.New(r.Error.Message)
		}
		var parts []string
		for _, m := range r.Messages {
			parts = append(parts, m.Text)
		}
		out.Text, out.Diagnostics = strings.Join(parts, "\n"), append(out.Diagnostics, r.Diagnostics...)
		return out, nil
	}
	l := Loader{C: c, Ctx: ctx}
	content, err := l.content(d.d, render.Arguments{}, false)
	if err != nil {
		return nil, err
	}
	out.Text = content.Text
	for _, x := range l.result.Diagnostics {
		// The refused commands are already counted in Commands.
		if x.Code != diag.BashNotAllowed {
			out.Diagnostics = append(out.Diagnostics, x)
		}
	}
	if l.result.Expansions != nil {
		out.Commands = len(l.result.Expansions.Bash)
	}
	return out, nil
}
