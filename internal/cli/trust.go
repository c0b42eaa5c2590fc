package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) trust() *cobra.Command {
	var yes string
	var dry bool
	c := &cobra.Command{
		Use: "trust NAME", Short: "Approve the commands that a definition may run",
		Long: `Show the commands that your policy would allow a definition to run, its files, and
what has changed since you last approved it; then ask. Approval applies to one project
and is tied to file hashes; any change revokes it. It is stored in your state
directory.

NAME is a request as in "vade load"; names like "list" and "revoke" need a kind prefix.
mcp:SERVER and mcp:SERVER/NAME approve what a server offers, for all your projects. A
server may answer differently next time, so --yes then requires the digest shown to you
(--yes=sha256:…). dir:DIRECTORY lets commands with --host follow this project's symlinks
to a directory outside it.

In its sandbox, an allowed program can read the whole project, even protected files.

Exit codes: 0 approved or nothing to approve, 1 not approved, 2 invalid usage.`,
		Example: `  vade trust /deploy
  vade trust skill:release --yes
  vade trust mcp:docs/refunds
  vade trust mcp:docs/refunds --dry-run
  vade trust dir:../shared/skills
  vade trust list
  vade trust revoke /deploy`,
		Args: checkArgs("specify one definition: vade trust /deploy"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runTrust(c.Context(), args[0], yes, dry)
		},
		ValidArgsFunction: a.completeNames(definition.Command, definition.Skill),
	}
	c.Flags().StringVar(&yes, "yes", "", "approve without asking; for servers, pass the `DIGEST` that was shown")
	c.Flags().Lookup("yes").NoOptDefVal = plainYes
	c.Flags().BoolVarP(&dry, "dry-run", "n", false, "show what needs approval and approve nothing")
	a.viewFlags(c)
	c.AddCommand(a.trustList(), a.trustRevoke())
	return c
}

// plainYes is the value of --yes if no digest is given.
const plainYes = "yes"

func (a *app) runTrust(ctx context.Context, name, yes string, dry bool) error {
	if yes != "" && yes != plainYes && !strings.HasPrefix(yes, "sha256:") {
		return usage{failure{"--yes=" + yes + ": not a digest", "use --yes, or --yes=sha256:… as shown"}}
	}
	if strings.HasPrefix(name, "mcp:") {
		return a.trustRemote(ctx, name, yes, dry)
	}
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	var approval *catalog.Approval
	if strings.HasPrefix(name, catalog.RootPrefix) {
		approval, err = cat.RootApproval(name)
	} else {
		approval, err = cat.Approval(ctx, name)
	}
	if err != nil {
		return err
	}
	if !a.json {
		a.printApproval(approval)
	}
	waiting := approval.State != "trusted" && approval.Needed()
	switch {
	case a.json && (dry || yes == "" || !waiting):
		return failIf(waiting, a.printJSON(approval))
	case dry:
		return failIf(waiting, nil)
	case !approval.Needed():
		text := "Nothing needs approval."
		if slices.ContainsFunc(approval.Commands, func(c catalog.ApprovalCommand) bool { return c.Runs == "refused" }) {
			text = "Nothing to approve: approval does not allow commands that are refused."
		}
		a.stdout().Line(terminal.Plain, "%s", text)
		return nil
	case !waiting:
		a.stdout().Line(terminal.Plain, "Already approved.")
		return nil
	case yes != "" && yes != plainYes && yes != approval.Digest:
		return failure{"nothing approved: " + name + " does not match the digest", "to review it again, run: vade trust " + shell.ForShell(name) + " --dry-run"}
	case yes == "":
		if err := a.confirm(ctx, "Approve it?", "nothing approved", "review it, then approve it with --yes"); err != nil {
			return err
		}
	}
	if err := cat.Trust(approval); err != nil {
		return err
	}
	return a.output(approval, func() error {
		a.stdout().Line(terminal.Plain, "Approved. To revoke the approval, run: vade trust revoke %s", shell.ForShell(approvalName(approval)))
		return nil
	})
}

// approvalHeader prints a line with the kind, name and path of a definition. It appends the text in
// more to the line.
func approvalHeader(out *terminal.Writer, c *catalog.Approval, more string) {
	kind := "directory"
	if !c.IsRoot() {
		kind = c.Kind.String()
	}
	fmt.Fprintf(out, "%s %s  %s\n", out.Paint(terminal.Dim, kind), out.Paint(terminal.Bold, terminal.EscapeLine(c.Name)),
		terminal.EscapeLine(c.Path+more))
}

func (a *app) printApproval(c *catalog.Approval) {
	out := a.stdout()
	approvalHeader(out, c, "")
	if c.IsRoot() {
		fmt.Fprint(out, "\nOnce you approve it, commands with --host HOST follow symlinks from this project into\n"+
			"this directory, even if its contents change. Shell commands still need their own\n"+
			"approval.\n\n")
		return
	}
	section := func(title string, list []string, none string) {
		fmt.Fprintf(out, "\n%s\n", out.Paint(terminal.Bold, title))
		if len(list) == 0 {
			fmt.Fprintf(out, "  %s\n", none)
		}
		for _, s := range list {
			fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(terminal.Escape(s), "\n", "\n  "))
		}
	}
	commands := make([]string, len(c.Commands))
	for i, command := range c.Commands {
		commands[i] = fmt.Sprintf("[%s] %s", command.Runs, command.Text)
		if command.Reason != "" {
			commands[i] += " (" + command.Reason + ")"
		}
	}
	section("Shell commands", commands, "(none)")
	nothing := "(none, so approval has no effect; see: vade policy show)"
	if len(c.Overrides) > 0 {
		nothing = "(none)"
	}
	section("Your policy allows these once you approve them", c.Grants, nothing)
	if len(c.Overrides) > 0 {
		var found []string
		for _, f := range c.Overrides {
			at := f.Path
			if f.Line > 0 {
				at += fmt.Sprintf(":%d", f.Line)
			}
			found = append(found, strings.TrimSpace(fmt.Sprintf("%s %s %s: %s", f.Severity, f.ID, at, f.Message)))
		}
		section("Audit findings that block loading without approval", found, "")
	}
	files := make([]string, len(c.Files))
	for i, f := range c.Files {
		files[i] = fmt.Sprintf("%s (%d bytes)", f.Path, f.Size)
	}
	section("Files covered by the approval", files, "(none)")
	if c.State == "changed" || len(c.Changes) > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Paint(terminal.Bold, "Changes since you approved it on "+c.ApprovedAt.Format("2006-01-02 15:04")))
		for _, change := range c.Changes {
			a.printChange(out, change)
		}
	}
	fmt.Fprintln(out)
}

func (a *app) printChange(out *terminal.Writer, c catalog.ApprovalChange) {
	note := ""
	if c.Note != "" {
		note = " (" + c.Note + ")"
	}
	out.Line(terminal.Plain, "  %s %s: %s%s", c.Subject, c.Kind, c.Name, note)
	for l := range strings.Lines(c.Diff) {
		style := map[byte]terminal.Style{'+': terminal.Green, '-': terminal.Red}[l[0]]
		fmt.Fprintf(out, "    %s\n", out.Paint(style, terminal.EscapeLine(strings.TrimSuffix(l, "\n"))))
	}
}

func (a *app) trustList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List your approvals", Example: "  vade trust list\n  vade trust list --json",
		RunE: func(c *cobra.Command, _ []string) error {
			cat, err := a.open(c.Context(), catalog.Options{})
			if err != nil {
				return err
			}
			defer cat.Close()
			list, diags, err := cat.Approvals()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(struct {
					Consents    []catalog.Approval `json:"consents"`
					Diagnostics []diag.Diagnostic  `json:"diagnostics,omitempty"`
				}{nonNil(list), diags})
			}
			table := terminal.Table{Columns: make([]terminal.Column, 4)}
			for _, t := range list {
				table.Row(t.ApprovedAt.Format("2006-01-02 15:04"), approvalName(&t), t.Path, cmp.Or(t.Project, "(every project)"))
			}
			table.Print(a.stdout())
			if len(list) == 0 {
				a.stderr().Line(terminal.Plain, "No approvals yet; see: vade trust --help")
			}
			return a.printProblems(diags)
		},
	}
}

func (a *app) trustRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME", Short: "Revoke an approval",
		Long:              "Revoke the approvals for a definition: NAME, /NAME, KIND:NAME or a path. The definition\ndoes not have to exist anymore.",
		Example:           "  vade trust revoke /deploy\n  vade trust revoke skill:release",
		Args:              checkArgs("specify one definition: vade trust revoke /deploy"),
		ValidArgsFunction: a.completeApprovals,
		RunE: func(c *cobra.Command, args []string) error {
			cat, err := a.open(c.Context(), catalog.Options{})
			if err != nil {
				return err
			}
			defer cat.Close()
			list, _, err := cat.Approvals()
			if err != nil {
				return err
			}
			revoked := []catalog.Approval{}
			for i := range list {
				if !selects(&list[i], args[0]) {
					continue
				}
				found, err := cat.Revoke(&list[i])
				if err != nil {
					return err
				}
				if found {
					revoked = append(revoked, list[i])
				}
				if found && !a.json {
					a.stdout().Line(terminal.Plain, "revoked %s  %s", approvalName(&list[i]), list[i].Path)
				}
			}
			if len(revoked) == 0 {
				return failure{fmt.Sprintf("no approval recorded for %s", args[0]), "to list approvals, run: vade trust list"}
			}
			if a.json {
				return a.printJSON(map[string]any{"revoked": revoked})
			}
			return nil
		},
	}
}

// completeApprovals completes the names of approved definitions.
func (a *app) completeApprovals(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	cat, err := a.open(c.Context(), catalog.Options{})
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer cat.Close()
	list, _, _ := cat.Approvals()
	var names []string
	for i := range list {
		names = append(names, terminal.EscapeLine(approvalName(&list[i]))+"\t"+terminal.EscapeLine(list[i].Path))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// approvalName returns the name to pass to vade trust.
func approvalName(t *catalog.Approval) string {
	if strings.HasPrefix(t.Name, "mcp:") || t.IsRoot() {
		return t.Name
	}
	return t.Kind.String() + ":" + t.Name
}

// selects reports whether name, an argument of vade trust revoke, refers to the approval t. name
// may be a name with or without its kind, a path, or an MCP server, which selects all of its
// approvals.
func selects(t *catalog.Approval, name string) bool {
	if strings.HasPrefix(name, "mcp:") && !strings.Contains(name, "/") && strings.HasPrefix(t.Name, name+"/") {
		return true
	}
	return name == t.Name || name == "/"+t.Name || name == t.Kind.String()+":"+t.Name || name == t.Path || t.Project != "" && t.Path == t.Project+"/"+name
}
