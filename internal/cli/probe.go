package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/worker"
)

func (a *app) probe() *cobra.Command {
	host, differ := "", false
	c := &cobra.Command{
		Use: "probe [NAME]", Short: "Ask the installed hosts what they load, and compare the answers with Vade's predictions",
		Long: `Start each installed host in an empty session, without a prompt to its model, and
compare the commands and skills that it lists against Vade's predictions. Hosts list
different kinds of definitions: Codex lists only skills, and Gemini CLI lists none of
yours. With NAME, compare only that name.

A definition that Vade predicts but the host does not list, or the other way around, is
a difference: the installed version may load definitions differently from the version
that Vade knows.

--json prints {"hosts": [{"host", "knownVersion", "program", "announced", "missing",
"unexpected", "reason"}…]}: program is the name and version that the installed program
reports, missing and unexpected list the differences, and reason says why a host did not
answer.

Exit codes: 0 success, 1 no host answered, no host lists NAME or, with --check, any
difference, 2 invalid usage.`,
		Example: `  vade probe
  vade probe --host opencode
  vade probe --check --json
  vade probe review-pr`,
		RunE: func(c *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.runProbe(c.Context(), host, name, differ)
		},
	}
	hostFlag(c, &host, "ask only `HOST`", launchHosts)
	c.Flags().BoolVar(&differ, "check", false, "fail if anything differs")
	return c
}

func (a *app) runProbe(ctx context.Context, host, name string, check bool) error {
	names := launchHosts()
	if host != "" {
		names = []string{host}
	}
	empty, err := os.MkdirTemp("", "vade-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(empty)
	progress := a.stderr().StartProgress("asking hosts")
	var list []*worker.Probe
	for _, h := range names {
		var p *worker.Probe
		if p, err = a.probeHost(ctx, h, name, empty); err != nil {
			break
		}
		list = append(list, p)
	}
	progress.Done()
	if err != nil {
		return err
	}
	asked, differs, found := false, false, name == ""
	for _, p := range list {
		asked = asked || p.Reason == ""
		differs = differs || len(p.Missing)+len(p.Unexpected) > 0
		found = found || p.Announced+len(p.Missing) > 0
	}
	if asked && !found {
		return failure{"no host lists " + name, "to list definitions, run: vade list; to see what a host loads, run: vade list --host HOST"}
	}
	err = a.output(map[string]any{"hosts": list}, func() error { return a.printProbes(list) })
	return failIf(!asked || check && differs, err)
}

// probeHost starts a host's program and compares the definitions that it reports with those that
// Vade expects. If name is not empty, the result is limited to that definition. empty is a
// directory without definitions.
func (a *app) probeHost(ctx context.Context, host, name, empty string) (*worker.Probe, error) {
	o, err := a.options(catalog.Options{})
	if err != nil {
		return nil, err
	}
	o.As = host
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return nil, err
	}
	p, err := worker.AskHost(ctx, cat, dir, empty, worker.Options{
		Getenv: a.getenv, Environ: os.Environ(), Forbid: []string{cat.ProjectDir()}, ID: runs.NewID(time.Now()),
	})
	if err == nil && name != "" {
		other := func(s string) bool { return strings.TrimPrefix(s, cat.Profile.Launch.Prefix) != name }
		for _, names := range []*[]string{&p.Same, &p.Missing, &p.Unexpected} {
			*names = slices.DeleteFunc(*names, other)
		}
		p.Announced = len(p.Same) + len(p.Unexpected)
	}
	return p, err
}

func (a *app) printProbes(list []*worker.Probe) error {
	out := a.stdout()
	t := terminal.Table{Columns: []terminal.Column{
		{Title: "HOST", Style: terminal.Bold}, {Title: "PROGRAM"}, {Title: "KNOWN", Style: terminal.Dim},
		{Title: "SAME"}, {Title: "RESULT", Flexible: true},
	}}
	for _, p := range list {
		result := terminal.Cell{Text: "as predicted", Style: terminal.Green}
		switch {
		case p.Reason != "":
			result = terminal.Cell{Text: "no answer: " + p.Reason, Style: terminal.Dim}
		case len(p.Missing)+len(p.Unexpected) > 0:
			differences := plural(len(p.Missing)+len(p.Unexpected), "difference")
			result = terminal.Cell{Text: differences, Style: terminal.Yellow}
		}
		t.Row(p.Host, p.Program, p.Known, len(p.Same), result)
	}
	t.Print(out)
	for _, p := range list {
		for _, name := range p.Missing {
			out.Line(terminal.Yellow, "%s: Vade expected %s, but the host did not list it", p.Host, name)
		}
		for _, name := range p.Unexpected {
			out.Line(terminal.Yellow, "%s: the host listed %s, but Vade did not expect it", p.Host, name)
		}
	}
	return out.Err()
}
