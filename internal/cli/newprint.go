package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/scaffold"
	"github.com/vadehq/vade/internal/terminal"
)

// printNew prints the created files and the commands to run next.
func (a *app) printNew(r *scaffold.Result, request *scaffold.Request) error {
	next := nextCommands(r, request)
	if a.json {
		return a.printJSON(struct {
			*scaffold.Result
			// Next lists the commands to run next.
			Next []string `json:"next"`
		}{r, next})
	}
	if request.Plan {
		for i := range r.Files {
			a.printFileText(i == 0, r.Files[i].Path, r.Files[i].Text)
		}
	}
	if err := a.printNewFindings(r); err != nil {
		return err
	}
	for _, l := range r.Losses {
		a.stderr().Label(terminal.Bold, terminal.EscapeLine(cmp.Or(l.Host, l.Source)+":"), "%s", l.Message)
		printFix(a.stderr(), l.Fix)
	}
	if !r.Done {
		if !a.reviewing || r.Failed() {
			fmt.Fprintln(a.stderr(), "vade: nothing was written")
		}
		return nil
	}
	out := a.stdout()
	for i := range r.Files {
		file := r.Files[i].Path
		if request.User {
			file = r.Directory + "/" + file
		}
		fmt.Fprintf(out, "created %s\n", out.Paint(terminal.Bold, terminal.EscapeLine(file)))
	}
	for _, line := range callLines(r.Calls, request) {
		fmt.Fprintln(out, terminal.Wrap(terminal.EscapeLine(line), out.Width(), 0, 2))
	}
	if len(next) > 0 {
		out.Line(terminal.Plain, "next: %s", strings.Join(next, "; "))
	}
	return nil
}

// printNewFindings prints the findings of vade check and the diagnostics.
func (a *app) printNewFindings(r *scaffold.Result) error {
	e := a.stderr()
	for i := range r.Findings {
		f := &r.Findings[i]
		terminal.PrintDiagnostics(e, f.Diagnostic())
		if len(f.Hosts) > 0 {
			e.Line(terminal.Dim, "  hosts: %s", strings.Join(f.Hosts, ", "))
		}
	}
	if r.Failed() && !r.Done {
		fmt.Fprintln(e, "vade: vade check reports problems; to write the definition anyway, use --anyway")
	}
	return a.printProblems(r.Diagnostics)
}

// callLines returns lines that describe how to use a definition in each host.
func callLines(calls []scaffold.Call, request *scaffold.Request) []string {
	var lines []string
	var ways []string
	hosts := map[string][]string{}
	var later []string
	for _, c := range calls {
		way := "read by "
		switch {
		case !c.Loaded && request.User:
			way = ""
		case c.User != "":
			way = "type " + c.User + " in "
		case c.Model != "":
			way = "called by the model in "
		case !c.Loaded:
			way = ""
		}
		if !c.Loaded {
			later = append(later, c.Host)
		}
		if way != "" {
			if hosts[way] == nil {
				ways = append(ways, way)
			}
			hosts[way] = append(hosts[way], c.Host)
		}
	}
	for _, way := range ways {
		lines = append(lines, way+strings.Join(hosts[way], ", "))
	}
	switch {
	case len(later) > 0 && request.User:
		lines = append(lines, fmt.Sprintf("not read by %s; to create it there, run: vade new %s %s --from %s --user --host HOST", strings.Join(later, ", "), request.Kind, request.Name, request.Name))
	case len(later) > 0:
		lines = append(lines, "read by "+strings.Join(later, ", ")+" only after vade sync")
	}
	return lines
}

// nextCommands returns the commands to run next. The list is empty if nothing was written or if the
// files are user-level, because vade check and vade sync apply only to the project.
func nextCommands(r *scaffold.Result, request *scaffold.Request) []string {
	next := []string{}
	if !r.Done || request.User {
		return next
	}
	later := slices.IndexFunc(r.Calls, func(c scaffold.Call) bool { return !c.Loaded })
	next = append(next, "edit "+r.Files[0].Path, "vade check "+r.Files[0].Path)
	switch {
	case later >= 0 && len(r.SyncHosts) > 0:
		next = append(next, "vade sync --host "+strings.Join(r.SyncHosts, ","))
	case later >= 0:
		next = append(next, "vade sync")
	}
	return next
}
