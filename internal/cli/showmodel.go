package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/terminal"
)

// runShowModel prints what a model gets of a definition.
func (a *app) runShowModel(ctx context.Context, name string) error {
	cat, err := a.open(ctx, catalog.Options{Shell: catalog.ShellOptions{Off: true}, Unaudited: true})
	if err != nil {
		return err
	}
	defer cat.Close()
	list, err := cat.Named(ctx, name)
	if err != nil {
		return requestFailure(err)
	}
	if in := slices.DeleteFunc(slices.Clone(list), func(d catalog.Definition) bool { return d.State() != definition.Loaded }); len(in) > 0 {
		list = in
	}
	if len(list) == 0 {
		hint := "see what there is with: vade list --all"
		if near := cat.Nearest(ctx, name); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return failure{fmt.Sprintf("nothing is named %q here", name), hint}
	}
	if len(list) > 1 {
		var words []string
		for _, d := range list {
			words = append(words, d.Path())
		}
		return usage{failure{fmt.Sprintf("%d definitions are named %q", len(list), name), "name one: " + strings.Join(words, ", ")}}
	}
	m, err := list[0].AsModel(ctx)
	if err != nil {
		return requestFailure(err)
	}
	text, n := terminal.Visible(m.Text)
	if a.json {
		return a.printJSON(struct {
			*catalog.ModelText
			Visible string `json:"visible"`
			Hidden  int    `json:"hidden"`
		}{m, text, n})
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, err := a.stdout().Write([]byte(text)); err != nil {
		return err
	}
	e := a.stderr()
	say := func(style terminal.Style, text string) {
		fmt.Fprintf(e, "vade: %s\n", e.Paint(style, terminal.EscapeLine(text)))
	}
	if n > 0 {
		say(terminal.Yellow, fmt.Sprintf("%s: %s", plural(n, "character")+" that can not be seen stand as their numbers", unseenIn(text)))
	} else {
		say(terminal.Dim, "there is nothing in the text that can not be seen")
	}
	if m.Commands > 0 {
		say(terminal.Dim, plural(m.Commands, "shell command")+" in it: none was run; vade load runs those that the policy allows")
	}
	return a.printProblems(m.Diagnostics)
}

// unseenIn says how often each character is in a text that [terminal.Visible] made.
func unseenIn(text string) string {
	const most = 12
	count := map[string]int{}
	var order []string
	for {
		_, rest, ok := strings.Cut(text, "‹")
		if !ok {
			break
		}
		text = rest
		number, _, ok := strings.Cut(rest, "›")
		if !ok || len(number) > 8 || !strings.HasPrefix(number, "U+") && !strings.HasPrefix(number, "0x") {
			continue
		}
		if count[number]++; count[number] == 1 {
			order = append(order, number)
		}
	}
	slices.Sort(order)
	var parts []string
	for i, number := range order {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d others", len(order)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s ×%d", number, count[number]))
	}
	return strings.Join(parts, ", ")
}
