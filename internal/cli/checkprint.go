package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/terminal"
)

// printReport prints what was found in one of the formats.
func (a *app) printReport(r *check.Report, format string, strict bool) error {
	switch format {
	case "json":
		return a.printJSON(r)
	case "sarif":
		return r.WriteSARIF(a.world.Stdout)
	case "github":
		if !strict {
			_, r = unreadApart(r, 0)
		}
		return r.WriteGitHub(a.world.Stdout)
	}
	out := a.stdout()
	all := r
	var unread []string
	if !strict {
		unread, r = unreadApart(r, maxUnread)
	}
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
			line := terminal.Wrap(terminal.EscapeLine("hosts: "+strings.Join(f.Hosts, ", ")), out.Width(), 2, 4)
			if _, err := fmt.Fprintf(out, "  %s\n", out.Paint(terminal.Dim, line)); err != nil {
				return err
			}
		}
	}
	if last != "" {
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
	}
	if len(unread) > 0 {
		line := fmt.Sprintf("%d places are not read by every checked host: %s; --strict shows which and what to do", len(unread), someOf(unread))
		if _, err := fmt.Fprintf(out, "%s\n\n", terminal.Wrap(terminal.EscapeLine(line), out.Width(), 0, 0)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out, out.Paint(terminal.Dim, terminal.Wrap(checkSummary(all), out.Width(), 0, 0)))
	return err
}

// maxUnread is how many places that not every host reads are shown one by one.
const maxUnread = 3

// unreadApart takes the findings for information about such places out of a report
// that has more than some of them, and returns the places.
func unreadApart(r *check.Report, most int) ([]string, *check.Report) {
	var places []string
	less := *r
	less.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f rules.Finding) bool {
		if f.Code != diag.RootUnread || f.Severity != diag.Info {
			return false
		}
		if !slices.Contains(places, f.Path) {
			places = append(places, f.Path)
		}
		return true
	})
	if len(r.Findings)-len(less.Findings) <= most {
		return nil, r
	}
	return places, &less
}

// someOf names the first of a list.
func someOf(names []string) string {
	if len(names) > maxUnread {
		return strings.Join(names[:maxUnread], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// checkSummary is the last line: how much was checked, and what was found.
func checkSummary(r *check.Report) string {
	errs, warnings, infos := r.Count()
	line := plural(r.Checked, "definition") + " checked: "
	switch {
	case r.Checked+r.Excluded+errs+warnings+infos == 0:
		return "no definition was found: there is nothing to check"
	case errs+warnings+infos == 0:
		line += "nothing is wrong"
	default:
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
		line += "; " + plural(r.Excluded, "definition") + " excluded"
	}
	if r.ExcludedErrors > 0 {
		line += fmt.Sprintf(", with %s in what is excluded", plural(r.ExcludedErrors, "error"))
	}
	return line
}
