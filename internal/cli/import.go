package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/terminal"
)

// importFlags holds the flags for vade import.
type importFlags struct {
	request         materialize.ImportOptions
	dir             string
	dryRun, verbose bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use: "import", Short: "Move hosts' definitions into the project's source of truth",
		Long: `Convert the project's host-specific definitions to the neutral format and write them to
the source of truth: .agents/skills, .github/commands, .github/agents and
.github/instructions, or the same directories under --to. Fields and syntax that only
one host supports are kept. A skill's companion files are copied, and imports are
adjusted. From there, vade sync writes the hosts' files.

Nothing is overwritten. The originals are kept unless you use --move, and vade sync
updates those that were imported without loss. Files written by vade sync are skipped.

Exit codes: 0 all definitions are in the source of truth (losses are reported), 1 at
least one definition is not, 2 invalid usage.`,
		Example: `  vade import --dry-run            show what would be imported
  vade import --host claude-code
  vade import --from .claude --to ai
  vade import --host claude-code --move`,
		Args: checkArgs("choose a host with --host HOST"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runImport(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.request.From, "host", "", "import only from `HOST` (see: vade help hosts)")
	flags.StringVar(&f.dir, "from", "", "import only from `DIR`")
	flags.StringVar(&f.request.To, "to", "", "write to `DIR` instead of .agents and .github")
	a.yesFlag(c)
	flags.BoolVar(&f.request.Move, "move", false, "remove the originals")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "show the plan and write nothing")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "list each loss: what the new format cannot express")
	return c
}

func (a *app) runImport(ctx context.Context, f importFlags) error {
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	if f.dir != "" && f.request.From != "" {
		return usage{failure{"--host and --from cannot be used together", "use only one of them"}}
	}
	f.request.From = cmp.Or(f.dir, f.request.From)
	if _, err := os.Lstat(filepath.Join(a.dir, f.request.From)); err != nil {
		f.request.From = registry.Canonical(f.request.From)
	}
	return a.reviewed(ctx, f.dryRun, func(dry bool) (int, error) {
		f.dryRun = dry
		return a.importOnce(ctx, o, f)
	})
}

// importOnce imports files and returns the number of changes. With --dry-run, it only plans the
// import.
func (a *app) importOnce(ctx context.Context, o catalog.Options, f importFlags) (int, error) {
	run := materialize.Import
	if f.dryRun {
		run = materialize.PlanImport
	}
	progress := a.stderr().StartProgress("reading definitions")
	r, err := run(ctx, o, f.request)
	progress.Done()
	if err != nil {
		return 0, withHint(err,
			hint{materialize.ErrBusy, false, "wait until it ends, then try again"},
			hint{materialize.ErrImportPlace, true, "see: vade import --help"})
	}
	err = failIf(r.Failed() && !f.dryRun, a.output(r, func() error { return a.printImport(r, f) }))
	changes := 0
	for i := range r.Files {
		if r.Files[i].Action == "create" || r.Files[i].Removed {
			changes++
		}
	}
	return changes, err
}

// maxLosses is the maximum number of losses listed without --verbose.
const maxLosses = 10

func (a *app) printImport(r *materialize.ImportResult, f importFlags) error {
	out, e := a.stdout(), a.stderr()
	created, same, failed, removed := 0, 0, 0, 0
	counted := map[string]bool{}
	for i := range r.Files {
		file := &r.Files[i]
		style := terminal.Plain
		switch file.Action {
		case "create":
			style = terminal.Green
			created++
		case "same":
			same++
		default:
			style = terminal.Yellow
			failed++
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
			text += ", which was removed"
		}
		if file.Removed && !counted[file.Source] {
			removed++
			counted[file.Source] = true
		}
		if !a.shown {
			out.Line(style, "%s", text)
		}
	}
	if err := a.printProblems(r.Diagnostics); err != nil {
		return err
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
			more = "; use --verbose to list them"
		}
		fmt.Fprintf(e, "vade: %s%s\n", lossSummary(r.Losses), more)
	}
	word, remove := "written", "removed"
	if f.dryRun {
		word, remove = "to write", "to remove"
	}
	if len(r.Files) == 0 {
		a.stderr().Line(terminal.Plain, "vade: no host-specific definitions found; to create a definition, run: vade new; to search subdirectories, run: vade list --nested")
		return nil
	}
	text := fmt.Sprintf("%s %s, %d up to date", plural(created, "file"), word, same)
	if failed > 0 {
		text += fmt.Sprintf(", %d not imported", failed)
	}
	if removed > 0 {
		text += ", " + plural(removed, "original") + " " + remove
	}
	fmt.Fprintf(e, "vade: %s\n", text)
	return nil
}
