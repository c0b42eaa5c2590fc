package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade"
	"github.com/vadehq/vade/internal/terminal"
)

// printReport prints what was found in one of the formats.
func (a *app) printReport(r *vade.Report, format string) error {
	switch format {
	case "json":
		return a.printJSON(r)
	case "sarif":
		return r.WriteSARIF(a.world.Stdout)
	case "github":
		return r.WriteGitHub(a.world.Stdout)
	}
	out := a.stdout()
	last := ""
	for i := range r.Findings {
		f := &r.Findings[i]
		if last != "" && f.Path != last {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		last = f.Path
		if err := terminal.PrintDiagnostic(out, f.Diagnostic()); err != nil {
			return err
		}
		if len(f.Hosts) > 0 && !slices.Equal(f.Hosts, f.NotLoaded) {
			line := "hosts: " + strings.Join(f.Hosts, ", ")
			if _, err := fmt.Fprintf(out, "  %s\n", out.Paint(terminal.Dim, terminal.EscapeLine(line))); err != nil {
				return err
			}
		}
	}
	if last != "" {
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out, out.Paint(terminal.Dim, checkSummary(r)))
	return err
}

// checkSummary is the last line: how much was checked, and what was found.
func checkSummary(r *vade.Report) string {
	errs, warnings, infos := r.Count()
	line := plural(r.Checked, "definition") + " checked: "
	if errs+warnings+infos == 0 {
		line += "nothing is wrong"
	} else {
		line += fmt.Sprintf("%s, %s, %d for information", plural(errs, "error"), plural(warnings, "warning"), infos)
	}
	mendable := 0
	for i := range r.Findings {
		if r.Findings[i].Mendable() {
			mendable++
		}
	}
	if mendable > 0 {
		line += fmt.Sprintf("; %d can be mended: vade check --fix", mendable)
	}
	if r.Known > 0 {
		line += fmt.Sprintf("; %d in the baseline", r.Known)
	}
	if r.Excluded > 0 {
		line += fmt.Sprintf("; %s excluded", plural(r.Excluded, "definition"))
	}
	return line
}
