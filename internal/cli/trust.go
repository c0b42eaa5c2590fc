package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/terminal"
)

// plain strips what a path error adds: the path is shown beside it already.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (a *app) trust() *cobra.Command {
	var yes string
	var dry bool
	c := &cobra.Command{
		Use: "trust NAME", Short: "Consent to what a definition would run beyond reading",
		Long: `Show what a definition would run with your policy's grants, its files, and what has
changed since you last approved it; then ask. Approval applies to one project and
is tied to file hashes; any change revokes it. It is kept in your own state
directory.

NAME is a request as "vade load" takes it; "list" and "revoke" need their kind. With
mcp:SERVER or mcp:SERVER/NAME it is for what a server of your servers.yaml offers,
in all your projects. A server may answer differently next time, so --yes then needs
the digest of what was shown (--yes=sha256:…).

A granted program can read the whole project in its sandbox, also protected files.

Exit codes: 0 trusted, or nothing needs it; 1 not; 2 wrong usage.`,
		Example: "  vade trust /deploy\n  vade trust skill:release --yes\n  vade trust mcp:docs/refunds\n  vade trust mcp:docs/refunds --dry-run\n  vade trust list\n  vade trust revoke /deploy",
		Args:    exactly(cobra.ExactArgs(1), "name one definition: vade trust /deploy"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runTrust(c.Context(), args[0], yes, dry)
		},
		ValidArgsFunction: a.completeTrust,
	}
	c.Flags().StringVar(&yes, "yes", "", "consent without being asked: for a server to what has this `DIGEST`, which was shown")
	c.Flags().Lookup("yes").NoOptDefVal = plainYes
	c.Flags().BoolVar(&dry, "dry-run", false, "show what a consent would be given to, and give none")
	a.view(c)
	c.AddCommand(a.trustList(), a.trustRevoke())
	return c
}

// plainYes is the value of --yes without a digest.
const plainYes = "yes"

func (a *app) runTrust(ctx context.Context, name, yes string, dry bool) error {
	if yes != "" && yes != plainYes && !strings.HasPrefix(yes, "sha256:") {
		return usage{failure{"--yes=" + yes + " is no digest", "write --yes, or --yes=sha256:… as it was shown"}}
	}
	if strings.HasPrefix(name, "mcp:") {
		return a.trustRemote(ctx, name, yes, dry)
	}
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	consent, err := cat.Approval(ctx, name)
	if err != nil {
		return err
	}
	if a.json && (dry || yes == "") {
		if err := a.printJSON(consent); err != nil {
			return err
		}
		return trustExit(consent)
	}
	if !a.json {
		a.printConsent(consent)
	}
	switch {
	case dry:
		return trustExit(consent)
	case len(consent.Grants) == 0 && len(consent.Overrides) == 0:
		a.stdout().Line(terminal.Plain, "There is nothing to consent to.")
		return nil
	case consent.State == "trusted":
		if a.json {
			return a.printJSON(consent)
		}
		a.stdout().Line(terminal.Plain, "You have trusted exactly this already.")
		return nil
	case yes != "" && yes != plainYes && yes != consent.Digest:
		return failure{name + " is not what has this digest, so nothing was trusted", "look at it again: vade trust " + name + " --dry-run"}
	case yes == "":
		if err := a.ask("Trust it? [y/N] ", "look at it, and then consent with --yes"); err != nil {
			return err
		}
	}
	if err := cat.Trust(consent); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(consent)
	}
	a.stdout().Line(terminal.Plain, "Trusted. Take it back with: vade trust revoke %s", name)
	return nil
}

// trustExit is the exit code of a question for a consent: 0 where there is
// nothing that waits for one.
func trustExit(c *catalog.Approval) error {
	if c.State == "trusted" || len(c.Grants) == 0 && len(c.Overrides) == 0 {
		return nil
	}
	return silent{exitFailed}
}

// ask asks the user a question on a terminal. The hint is for where there is none.
func (a *app) ask(question, hint string) error {
	if !a.stdout().IsTerminal() {
		return failure{"nobody can be asked here, so nothing was trusted", hint}
	}
	fmt.Fprint(a.stdout(), question)
	line, _ := bufio.NewReader(a.world.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	a.stdout().Line(terminal.Plain, "Nothing was trusted.")
	return silent{exitFailed}
}

// consentHead prints the first line about what a consent is for.
func consentHead(out *terminal.Writer, c *catalog.Approval, more string) {
	fmt.Fprintf(out, "%s %s  %s\n", out.Paint(terminal.Dim, c.Kind.String()), out.Paint(terminal.Bold, terminal.EscapeLine(c.Name)),
		terminal.EscapeLine(c.Path+more))
}

func (a *app) printConsent(c *catalog.Approval) {
	out := a.stdout()
	consentHead(out, c, "")
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
	section("Its shell commands", commands, "(none)")
	nothing := "(nothing: a consent changes nothing; see vade policy show)"
	if len(c.Overrides) > 0 {
		nothing = "(nothing)"
	}
	section("What your policy grants of them, with this consent", c.Grants, nothing)
	if len(c.Overrides) > 0 {
		var found []string
		for _, f := range c.Overrides {
			at := f.Path
			if f.Line > 0 {
				at += fmt.Sprintf(":%d", f.Line)
			}
			found = append(found, strings.TrimSpace(fmt.Sprintf("%s %s %s: %s", f.Severity, f.ID, at, f.Message)))
		}
		section("What the audit finds, for which it is not loaded without this consent", found, "")
	}
	files := make([]string, len(c.Files))
	for i, f := range c.Files {
		files[i] = fmt.Sprintf("%s (%d bytes)", f.Path, f.Size)
	}
	section("The files that the consent is bound to", files, "(none)")
	if c.State == "changed" || len(c.Changes) > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Paint(terminal.Bold, "What has changed since your consent of "+c.ApprovedAt.Format("2006-01-02 15:04")))
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
		Use: "list", Short: "Print the consents that you have given", Example: "  vade trust list\n  vade trust list --json",
		Args: exactly(cobra.NoArgs, "see: vade trust list --help"),
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
				}{present(list), diags})
			}
			table := terminal.Table{Columns: make([]terminal.Column, 4)}
			for _, t := range list {
				table.Row(t.ApprovedAt.Format("2006-01-02 15:04"), consentName(&t), t.Path, cmp.Or(t.Project, "(every project)"))
			}
			table.Print(a.stdout())
			if len(list) == 0 {
				a.stderr().Line(terminal.Plain, "You have consented to nothing yet; see: vade trust --help")
			}
			return a.printProblems(diags)
		},
	}
}

func (a *app) trustRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME", Short: "Take a consent back",
		Long:              "Take back the consents to what has a name (NAME, /NAME or KIND:NAME) or is a file.\nThe definition need not be there any more.",
		Example:           "  vade trust revoke /deploy\n  vade trust revoke skill:release",
		Args:              exactly(cobra.ExactArgs(1), "name one definition: vade trust revoke /deploy"),
		ValidArgsFunction: a.completeConsents,
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
				if !answersTo(&list[i], args[0]) {
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
					a.stdout().Line(terminal.Plain, "revoked %s  %s", consentName(&list[i]), list[i].Path)
				}
			}
			if len(revoked) == 0 {
				return failure{fmt.Sprintf("no consent is recorded for %s", args[0]), "see what there is with: vade trust list"}
			}
			if a.json {
				return a.printJSON(struct {
					Revoked []catalog.Approval `json:"revoked"`
				}{revoked})
			}
			return nil
		},
	}
}

// completeTrust offers what a consent can be given to.
func (a *app) completeTrust(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.names(c, definition.Command, definition.Skill), cobra.ShellCompDirectiveDefault
}

// completeConsents offers the names of what is trusted.
func (a *app) completeConsents(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	cat, err := a.open(c.Context(), catalog.Options{})
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer cat.Close()
	list, _, _ := cat.Approvals()
	var names []string
	for i := range list {
		names = append(names, terminal.EscapeLine(consentName(&list[i]))+"\t"+terminal.EscapeLine(list[i].Path))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// consentName is how a definition is named to a user.
func consentName(t *catalog.Approval) string {
	if strings.HasPrefix(t.Name, "mcp:") {
		return t.Name
	}
	return t.Kind.String() + ":" + t.Name
}

// answersTo reports whether a consent is meant by a name.
func answersTo(t *catalog.Approval, name string) bool {
	if strings.HasPrefix(name, "mcp:") && !strings.Contains(name, "/") && strings.HasPrefix(t.Name, name+"/") {
		return true
	}
	return name == t.Name || name == "/"+t.Name || name == t.Kind.String()+":"+t.Name || name == t.Path || t.Project != "" && t.Path == t.Project+"/"+name
}
