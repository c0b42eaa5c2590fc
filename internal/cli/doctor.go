package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/doctor"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Diagnose problems with hosts, files and the sandbox on this machine",
		Long: `Check the installed hosts and their settings, symlinks that git checked out as text
files, files that Vade cannot read or write, the clock, the sandbox and git. The
command does not start or write anything: it takes a host's version from the
package.json next to the host's program or up to three directories above it.

Exit codes: 0 no error (warnings do not count), 1 an error or failure, 2 invalid usage.`,
		Example: "  vade doctor\n  vade doctor --json",
		RunE: func(c *cobra.Command, _ []string) error {
			o, err := a.options(catalog.Options{Unread: true})
			if err != nil {
				return err
			}
			progress := a.stderr().StartProgress("checking this machine")
			lines, err := doctor.Run(c.Context(), doctor.Machine{Options: o, Path: a.getenv("PATH"), Isolation: sandbox.Supported(), Now: time.Now()})
			progress.Done()
			if err != nil {
				return err
			}
			broken := slices.ContainsFunc(lines, func(l doctor.Line) bool { return l.State == doctor.Error })
			return failIf(broken, a.output(map[string]any{"lines": lines}, func() error { return a.printDoctor(lines) }))
		},
	}
}

func (a *app) printDoctor(lines []doctor.Line) error {
	out := a.stdout()
	styles := map[string]terminal.Style{doctor.OK: terminal.Green, doctor.Warning: terminal.Yellow, doctor.Error: terminal.Red}
	for _, l := range lines {
		text := terminal.EscapeLine(fmt.Sprintf("%-9s %s", l.Check, l.What))
		fmt.Fprintf(out, "%s %s\n", out.Paint(styles[l.State], fmt.Sprintf("%-7s", l.State)), terminal.Wrap(text, out.Width(), 8, 18))
		if l.Fix != "" {
			out.Line(terminal.Plain, "%18sfix: %s", "", l.Fix)
		}
	}
	return out.Err()
}
