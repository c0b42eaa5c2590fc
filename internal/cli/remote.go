package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) remote() *cobra.Command {
	c := &cobra.Command{
		Use: "remote", Short: "Show the MCP servers that you load definitions from",
		Long: `Query the MCP servers in ~/.config/vade/servers.yaml and print their state. Their
definitions are named mcp:SERVER/NAME and need your approval (vade trust mcp:SERVER).
A project's vade.yaml can exclude servers (servers:) but not add any.

STATE is ready, failed, or held (excluded by vade.yaml). BY is the request that the
server answered: skills or prompts.

For the MCP servers that hosts start, see: vade mcp list.

Exit codes: 0 all servers answered, 1 a server failed or is misconfigured, 2 invalid
usage.`,
		Example: `  vade remote
  vade remote --json
  vade trust mcp:docs
  vade remote read mcp:docs/refunds references/policy.md
  vade list --layer mcp`,
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return a.runRemoteServers(c.Context()) },
	}
	c.AddCommand(a.remoteRead())
	return c
}

func (a *app) runRemoteServers(ctx context.Context) error {
	cat, err := a.open(ctx, catalog.Options{Remote: true})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("asking servers")
	list, diags, err := cat.RemoteServers(ctx)
	progress.Done()
	if err != nil {
		return err
	}
	failed := false
	for _, s := range list {
		failed = failed || s.State == "failed"
	}
	for _, d := range diags {
		failed = failed || d.Severity == diag.Error
	}
	result := struct {
		Servers     []catalog.ServerState `json:"servers"`
		Diagnostics []diag.Diagnostic     `json:"diagnostics"`
	}{list, nonNil(diags)}
	return failIf(failed, a.output(result, func() error { return a.printRemoteServers(list, diags) }))
}

func (a *app) printRemoteServers(list []catalog.ServerState, diags []diag.Diagnostic) error {
	t := terminal.Table{Columns: []terminal.Column{
		{Title: "SERVER", Style: terminal.Bold}, {Title: "STATE"}, {Title: "BY", Style: terminal.Dim}, {Title: "OFFERS"}, {Title: "APPROVED"},
		{Title: "URL OR COMMAND", Flexible: true},
	}}
	for _, s := range list {
		style, by := terminal.Green, "prompts"
		if s.State != "ready" {
			style, by = terminal.Yellow, ""
		} else if s.Extension {
			by = "skills"
		}
		t.Row(s.Name, terminal.Cell{Text: s.State, Style: style}, by, s.Definitions, s.Trusted, s.Address)
	}
	if len(list) > 0 {
		t.Print(a.stdout())
	} else if len(diags) == 0 {
		a.stderr().Line(terminal.Plain, "No servers configured. Add some to ~/.config/vade/servers.yaml; see: vade help remote")
	}
	for _, s := range list {
		if s.State == "held" {
			a.stderr().Line(terminal.Plain, "%s: %s", s.Name, s.Reason)
			printFix(a.stderr(), s.Fix)
		}
	}
	return a.printProblems(diags)
}

func (a *app) remoteRead() *cobra.Command {
	untrusted := false
	c := &cobra.Command{
		Use: "read NAME [FILE]", Short: "Print a verified file of a server's skill, or list its files",
		Long: `Print a file of the skill mcp:SERVER/NAME or, without FILE, the
paths of all its files. The skill must be approved, and the file must match the digest
you approved. With --untrusted, neither is required, for review before approval.`,
		Example: `  vade remote read mcp:docs/refunds
  vade remote read mcp:docs/refunds references/policy.md
  vade remote read --untrusted mcp:docs/refunds SKILL.md`,
		Args: checkArgs("specify a skill and, optionally, a file: vade remote read mcp:docs/refunds references/policy.md"),
		RunE: func(c *cobra.Command, args []string) error {
			cat, err := a.open(c.Context(), catalog.Options{Remote: true})
			if err != nil {
				return err
			}
			defer cat.Close()
			if len(args) == 2 {
				data, err := cat.RemoteFile(c.Context(), args[0], args[1], untrusted)
				if err != nil {
					return err
				}
				return a.printFile(args, data)
			}
			files, err := cat.RemoteFiles(c.Context(), args[0], untrusted)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"files": nonNil(files)})
			}
			for _, f := range files {
				a.stdout().Line(terminal.Plain, "%s", f)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&untrusted, "untrusted", false, "read a skill that you have not approved, for review")
	return c
}

// printFile prints a file. It escapes the content only on a terminal.
func (a *app) printFile(args []string, data []byte) error {
	if a.json {
		return a.printJSON(struct {
			Name    string `json:"name"`
			File    string `json:"file"`
			Content []byte `json:"contentBase64"`
		}{args[0], args[1], data})
	}
	a.printText(string(data))
	return nil
}

// trustRemote asks the user to approve the definitions that an MCP server offers.
func (a *app) trustRemote(ctx context.Context, name, yes string, dry bool) error {
	cat, err := a.open(ctx, catalog.Options{Remote: true})
	if err != nil {
		return err
	}
	defer cat.Close()
	list, err := cat.RemoteApprovals(ctx, name)
	if err != nil {
		return err
	}
	var pending, approved []*catalog.Approval
	unread := 0
	progress := a.stderr().StartProgress("reading the server's definitions")
	defer progress.Done()
	for _, c := range list {
		if c.State == "trusted" {
			approved = append(approved, c)
			continue
		}
		if err := cat.RemoteReview(ctx, c); err != nil {
			return err
		}
		// The user must not approve text that cannot be shown.
		if c.Unread != "" {
			unread++
			continue
		}
		pending = append(pending, c)
	}
	progress.Done()
	if !a.json {
		a.printRemoteApprovals(list)
	}
	digest := catalog.ApprovalDigest(pending)
	how := fmt.Sprintf("vade trust %s --yes=%s", shell.ForShell(name), digest)
	done := false
	switch {
	case len(pending) == 0:
		// The server may no longer offer the version that was reviewed.
		if yes != "" && yes != plainYes && (len(approved) == 0 || yes != catalog.ApprovalDigest(approved)) {
			err = failure{"nothing approved: " + name + " does not match the digest, and there is nothing to approve", "to review it, run: vade trust " + shell.ForShell(name)}
		}
	case dry:
		if !a.json {
			a.stdout().Line(terminal.Plain, "To approve exactly this content, run: %s", how)
		}
	case yes == plainYes:
		err = failure{"nothing approved: for a server, --yes requires the digest of the content that you reviewed", "pass the digest: " + how}
	case yes != "" && yes != digest:
		err = failure{"nothing approved: " + name + " does not match the digest", "review it, then run: " + how}
	case yes == "" && a.json:
	case yes == "":
		if err := a.confirm(ctx, "Approve it for all your projects?", "nothing approved", "review it, then run: "+how); err != nil {
			return err
		}
		fallthrough
	default:
		for _, c := range pending {
			if err := cat.Trust(c); err != nil {
				return err
			}
		}
		pending, done = nil, true
	}
	if a.json {
		if err := a.printJSON(struct {
			Consents []*catalog.Approval `json:"consents"`
			// Digest identifies the content waiting for approval.
			Digest string `json:"digest"`
		}{list, digest}); err != nil {
			return err
		}
	} else if len(pending) == 0 && err == nil {
		text := "Nothing needs approval."
		revoke := " To revoke the approval, run: vade trust revoke " + shell.ForShell(name)
		switch {
		case done:
			text = "Approved for all your projects." + revoke
		case unread > 0:
			text = "Nothing to approve: " + plural(unread, "definition") + " cannot be approved; see above."
		case len(list) > 0:
			text = "Already approved." + revoke
		}
		a.stdout().Line(terminal.Plain, "%s", text)
	}
	return failIf(len(pending)+unread > 0, err)
}

// maxShown is the maximum number of bytes of a file to show before approval.
const maxShown = 256 << 10

// printRemoteApprovals prints each definition's state and description. If the definition is not
// approved, it also prints the text, a list of the other files, and the changes since the last
// approval.
func (a *app) printRemoteApprovals(list []*catalog.Approval) {
	out := a.stdout()
	for _, c := range list {
		state := map[string]string{"none": "not approved", "trusted": "approved", "changed": "changed since you approved it"}[c.State]
		approvalHeader(out, c, "  ["+state+"]")
		if c.Description != "" {
			out.Line(terminal.Plain, "  %s", c.Description)
		}
		out.Line(terminal.Plain, "  offered by %s", c.Server)
		if c.State == "trusted" {
			continue
		}
		for _, arg := range c.Arguments {
			out.Line(terminal.Plain, "  argument %s  %s", arg.Name, arg.Description)
		}
		if c.Kind == definition.Command {
			out.Line(terminal.Plain, "  The server generates the text for each call. It cannot be shown or verified.")
		}
		a.printRemoteText(out, c)
		for _, change := range c.Changes {
			a.printChange(out, change)
		}
	}
	if len(list) > 0 {
		fmt.Fprintln(out)
	}
}

// printRemoteText prints a skill's SKILL.md and lists the rest of its files.
func (a *app) printRemoteText(out *terminal.Writer, c *catalog.Approval) {
	if c.Unread != "" {
		out.Line(terminal.Red, "  It cannot be approved: %s", c.Unread)
		return
	}
	read := "vade remote read --untrusted " + shell.ForShell(c.Name) + " "
	for _, f := range c.Files {
		if f.Path != c.Path {
			continue
		}
		out.Line(terminal.Plain, "  SKILL.md, %d bytes:", f.Size)
		text := c.Text[:min(len(c.Text), maxShown)]
		for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			out.Label(terminal.Dim, "    |", "%s", strings.TrimSuffix(l, "\r"))
		}
		if rest := len(c.Text) - len(text); rest > 0 {
			out.Line(terminal.Plain, "    and %d more bytes; to see them, run: %sSKILL.md", rest, read)
		}
	}
	others := false
	for _, f := range c.Files {
		if f.Path == c.Path || !strings.Contains(f.Path, "://") {
			continue
		}
		if !others {
			out.Line(terminal.Plain, "  Other files (to review one, run: %sFILE):", read)
			others = true
		}
		out.Line(terminal.Plain, "    %s  %d bytes", strings.TrimPrefix(f.Path, strings.TrimSuffix(c.Path, "SKILL.md")), f.Size)
	}
}
