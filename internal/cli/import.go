package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/terminal"
)

// importFlags are the flags of vade import.
type importFlags struct {
	request         materialize.ImportOptions
	dryRun, verbose bool
}

func (a *app) importing() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use: "import", Short: "Bring the hosts' definitions into the source of truth",
		Long: `Read the definitions that hosts have in the project, and write them into its source
of truth: skills to .agents/skills, commands to .github/commands, agents to
.github/agents, instructions to .github/instructions, or all below --to. Bodies are
written in the neutral syntax, fields and tools under their neutral names; what only one
host knows stays as it is. Files beside a skill go along, and imports are written for
the new place. vade sync makes the hosts' files of them again.

Nothing is overwritten. The originals stay; --move takes away those of which nothing
was lost, when all of them is in its new place. Files that vade sync has made are not
read.

Exit codes: 0 every definition is in the source of truth, and what of one is lost is
said; 1 one is not; 2 wrong usage.`,
		Example: `  vade import --dry-run            what would be brought over
  vade import --from claude-code
  vade import --from .claude --to ai
  vade import --from claude-code --move   then write hosts: [claude-code] into vade.yaml, and vade sync`,
		Args: exactly(cobra.NoArgs, "name what is read with --from"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runImport(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.request.From, "from", "", "read the definitions of `HOST`, or those below a directory: "+strings.Join(realHosts(), ", "))
	flags.StringVar(&f.request.To, "to", "", "write below `DIR` instead of .agents and .github")
	flags.BoolVar(&f.request.Move, "move", false, "take the originals away")
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing, and show what would be written")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "name each thing that is lost")
	return c
}

func (a *app) runImport(ctx context.Context, f importFlags) error {
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	run := materialize.Import
	if f.dryRun {
		run = materialize.PlanImport
	}
	r, err := run(ctx, o, f.request)
	switch {
	case errors.Is(err, materialize.ErrBusy):
		return failure{materialize.ErrBusy.Error(), "wait until it is done, and try again"}
	case errors.Is(err, materialize.ErrImportPlace):
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "see: vade import --help"}}
	case err != nil:
		return err
	}
	if a.json {
		err = a.printJSON(r)
	} else {
		err = a.printImport(r, f)
	}
	if err == nil && r.Failed() && !f.dryRun {
		err = silent{exitFailed}
	}
	return err
}

// maxLosses is how many losses are shown one by one without being asked for.
const maxLosses = 10

func (a *app) printImport(r *materialize.ImportResult, f importFlags) error {
	out, e := a.stdout(), a.stderr()
	made, same, kept, removed := 0, 0, 0, 0
	gone := map[string]bool{}
	for i := range r.Files {
		file := &r.Files[i]
		style := terminal.Plain
		switch file.Action {
		case "create":
			style = terminal.Green
			made++
		case "same":
			same++
		default:
			style = terminal.Yellow
			kept++
		}
		from := file.Source
		if len(file.Sources) > 0 {
			from = strings.Join(file.Sources, ", ")
		}
		text := fmt.Sprintf("%-6s %s from %s", file.Action, file.Path, from)
		switch {
		case file.Removed && f.dryRun:
			text += ", which would be removed"
		case file.Removed:
			text += ", which is removed"
		}
		if file.Removed && !gone[file.Source] {
			removed++
			gone[file.Source] = true
		}
		if _, err := fmt.Fprintln(out, out.Paint(style, terminal.EscapeLine(text))); err != nil {
			return err
		}
	}
	for _, d := range r.Diagnostics {
		if err := terminal.PrintDiagnostic(e, d); err != nil {
			return err
		}
	}
	each := f.verbose || len(r.Losses) <= maxLosses
	for i := range r.Losses {
		if l := &r.Losses[i]; each || l.Whole || l.Widens {
			printLoss(e, l)
		}
	}
	if len(r.Losses) > 0 {
		more := ""
		if !each {
			more = ": see --verbose"
		}
		fmt.Fprintf(e, "vade: %s (%s)%s\n", number(len(r.Losses), "loss", "losses"),
			counts(r.Losses, func(l *export.HostLoss) string { return l.What }), more)
	}
	word, remove := "written", "removed"
	if f.dryRun {
		word, remove = "to write", "to remove"
	}
	text := fmt.Sprintf("%s %s, %d there already", number(made, "file", "files"), word, same)
	if kept > 0 {
		text += fmt.Sprintf(", %d not brought over", kept)
	}
	if removed > 0 {
		text += ", " + number(removed, "original", "originals") + " " + remove
	}
	fmt.Fprintf(e, "vade: %s\n", text)
	return nil
}
