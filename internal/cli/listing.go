package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) listing() *cobra.Command {
	var client catalog.ClientOptions
	c := &cobra.Command{
		Use: "listing", Short: "Show the list of skills and agents in a model's context",
		Long: `Show the entries for skills, commands and agents in a model's context, exactly as a
host writes them, with its names, order, limits and budget. Shortened descriptions and
unlisted definitions are reported on stderr, with the reason. --touched adds
definitions that depend on a file. The host's built-in skills and agents are not shown.

--json prints the exact text: {"host", "version", "skills": [line…], "agents":
[line…], "cut": [{"name", "path", "reason"}…], "skipped": [{"kind", "name",
"path", "reason"}…], "text", "agentsText", "tools": [text…], "diagnostics"}. tools holds
descriptions and parameter values from the host's tools that name skills or agents.

Not all hosts support all flags.

Exit codes: 0 success, 1 failure, 2 invalid usage.`,
		Example: `  vade listing --host claude-code
  vade listing --host claude-code --context-tokens 200000
  vade listing --host claude-code --touched src/api/main.go
  vade listing --host claude-code --agent architect
  vade listing --host codex --context-tokens 128000
  vade listing --host gemini --json | jq -r .text
  vade listing --host copilot-cli --json | jq -r '.cut[].name'
  vade listing --host claude-code --json | jq '.skipped[]'
  vade listing --host claude-code@2.1.88 --json | jq -r '.skills[]'`,
		RunE: func(c *cobra.Command, _ []string) error { return a.runListing(c.Context(), client) },
	}
	a.viewFlags(c)
	a.viewFlag(c)
	a.clientFlags(c, &client)
	return c
}

func (a *app) runListing(ctx context.Context, client catalog.ClientOptions) error {
	if a.nested && !a.neutral() {
		hint := "remove it"
		if p, ok := registry.Lookup(a.host); ok && p.Switches&hosts.SwitchTouched != 0 {
			hint = "specify one: --touched DIR/FILE"
		}
		return usage{failure{"--nested: hosts list definitions in a subdirectory only after a file there is touched", hint}}
	}
	cat, err := a.open(ctx, catalog.Options{Client: client})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading definitions")
	l, err := cat.Listing(ctx)
	progress.Done()
	if err != nil {
		return err
	}
	return a.output(l, func() error { return a.printListing(l) })
}

func (a *app) printListing(l *catalog.Listing) error {
	out, e := a.stdout(), a.stderr()
	for _, part := range []struct {
		title string
		lines []string
		text  string
	}{{"Skills and commands", l.Skills, l.Text}, {"Agents", l.Agents, l.AgentsText}, {"Tools", l.Tools, ""}} {
		if part.title == "Tools" && len(part.lines) == 0 {
			continue
		}
		out.Line(terminal.Bold, "%s (%d)", part.title, len(part.lines))
		if part.text != "" {
			part.lines = strings.Split(part.text, "\n")
		}
		for _, entry := range part.lines {
			first, rest, more := strings.Cut(entry, "\n")
			fmt.Fprintln(out, "  "+terminal.Escape(first)) // keep tabs
			for line := ""; more; {
				line, rest, more = strings.Cut(rest, "\n")
				fmt.Fprintln(out, "    "+terminal.Escape(line))
			}
		}
	}
	printCut(e, "vade: ", l.Cut)
	if len(l.Cut) > 0 {
		hint := "shorten the descriptions"
		budget := slices.ContainsFunc(l.Cut, func(x catalog.Cut) bool {
			return x.Reason == catalog.CutDropped || x.Reason == catalog.CutShortened || x.Reason == catalog.CutOmitted
		})
		if p, ok := registry.Lookup(a.host); budget && ok && p.Listing != nil {
			hint += ", or list fewer definitions"
			if !p.Listing.Manual {
				hint += " (disable-model-invocation: true)"
			}
			if p.Switches&hosts.SwitchContextTokens != 0 {
				hint += "; for a larger context, use --context-tokens N"
			}
		}
		e.Label(terminal.Cyan, "vade: hint:", "%s", hint)
	}
	for i, s := range l.Skipped {
		if i == maxSkipped {
			e.Line(terminal.Plain, "vade: and %d more; use --json to list them", len(l.Skipped)-maxSkipped)
			break
		}
		e.Line(terminal.Plain, "vade: not listed: %s %s (%s): %s", s.Kind, s.Name, s.Path, s.Reason)
	}
	return a.printWarnings(l.Diagnostics)
}

// printWarnings prints warnings and errors. It omits informational diagnostics, except those about
// content that the model does not get. vade list --all prints all of them.
func (a *app) printWarnings(list []diag.Diagnostic) error {
	return a.printProblems(slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool {
		return d.Severity == diag.Info && !slices.Contains([]diag.Code{diag.NotListed, diag.FileOutsideRoot,
			diag.FileNotFound, diag.FileDirectory}, d.Code)
	}))
}

// Limits on how many names are printed. --json prints all of them.
const (
	maxCut     = 5
	maxSkipped = 20
)

// printCut prints the entries whose descriptions were cut, each preceded by prefix.
func printCut(w *terminal.Writer, prefix string, list []catalog.Cut) {
	for i, x := range list {
		if i == maxCut {
			w.Line(terminal.Plain, "%sand %d more; use --json to list them", prefix, len(list)-maxCut)
			break
		}
		w.Line(terminal.Plain, "%scut: %s (%s): %s", prefix, x.Name, x.Path, x.Reason)
	}
}
