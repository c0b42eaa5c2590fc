package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) servers() *cobra.Command {
	c := &cobra.Command{
		Use: "servers", Short: "Show the MCP servers whose definitions you use, and the state of each",
		Long: `Ask the MCP servers of your own ~/.config/vade/servers.yaml what they offer, and
print what became of each. A project's vade.yaml can leave servers out (servers:),
never add one. What a server offers is named mcp:SERVER/NAME and is used only after
your approval (vade trust mcp:SERVER).

STATE is ready, failed, or held by vade.yaml. BY is what it was asked for: skills or
prompts. The MCP servers that hosts start are others: vade mcp list.

Exit codes: 0 all servers answered; 1 one did not, or cannot be used; 2 wrong usage.`,
		Example: `  vade servers
  vade servers --json
  vade trust mcp:docs
  vade servers read mcp:docs/refunds references/policy.md
  vade list --layer mcp`,
		Args: exactly(cobra.NoArgs, "see: vade servers --help"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runRemoteServers(c.Context()) },
	}
	c.AddCommand(a.serversRead())
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
	if a.json {
		err = a.printJSON(struct {
			Servers     []catalog.ServerState `json:"servers"`
			Diagnostics []diag.Diagnostic     `json:"diagnostics"`
		}{list, present(diags)})
	} else {
		err = a.printRemoteServers(list, diags)
	}
	if err == nil && failed {
		err = silent{exitFailed}
	}
	return err
}

func (a *app) printRemoteServers(list []catalog.ServerState, diags []diag.Diagnostic) error {
	t := terminal.Table{Columns: []terminal.Column{
		{Title: "SERVER", Style: terminal.Bold}, {Title: "STATE"}, {Title: "BY", Style: terminal.Dim}, {Title: "OFFERS"}, {Title: "CONSENTED"},
		{Title: "ADDRESS", Flexible: true},
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
		a.stderr().Line(terminal.Plain, "You use no servers; name some in ~/.config/vade/servers.yaml: see docs/remote.md")
	}
	for _, s := range list {
		if s.State == "held" {
			a.stderr().Line(terminal.Plain, "%s: %s", s.Name, s.Reason)
		}
	}
	return a.printProblems(diags)
}

func (a *app) serversRead() *cobra.Command {
	untrusted := false
	c := &cobra.Command{
		Use: "read NAME [FILE]", Short: "Print one verified file of a skill of a server, or the list of its files",
		Long: `Print a file of a skill that a server offers (mcp:SERVER/NAME), or without FILE the
paths of all. Both need your approval of the skill, and a file has to be what the
server listed then; with --untrusted what it lists now, without approval.`,
		Example: "  vade servers read mcp:docs/refunds\n  vade servers read mcp:docs/refunds references/policy.md\n  vade servers read --untrusted mcp:docs/refunds SKILL.md",
		Args:    exactly(cobra.RangeArgs(1, 2), "name a skill and a file: vade servers read mcp:docs/refunds references/policy.md"),
		RunE: func(c *cobra.Command, args []string) error {
			cat, err := a.open(c.Context(), catalog.Options{Remote: true})
			if err != nil {
				return err
			}
			defer cat.Close()
			if len(args) == 2 {
				read := cat.RemoteFile
				if untrusted {
					read = cat.PreviewRemoteFile
				}
				data, err := read(c.Context(), args[0], args[1])
				if err != nil {
					return err
				}
				return a.printFile(args, data)
			}
			list := cat.RemoteFiles
			if untrusted {
				list = cat.PreviewRemoteFiles
			}
			files, err := list(c.Context(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(struct {
					Files []string `json:"files"`
				}{present(files)})
			}
			for _, f := range files {
				a.stdout().Line(terminal.Plain, "%s", f)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&untrusted, "untrusted", false, "read what you have not consented to, for looking at it")
	return c
}

// printFile prints a file of a server: to a terminal escaped, else as it is.
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

// trustRemote asks for the consent to what a server offers.
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
	var wanted, had []*catalog.Approval
	unread := 0
	progress := a.stderr().StartProgress("reading what it offers")
	defer progress.Done()
	for _, c := range list {
		if c.State == "trusted" {
			had = append(had, c)
			continue
		}
		if err := cat.RemoteReview(ctx, c); err != nil {
			return err
		}
		// Nobody can consent to what nobody can see.
		if c.Unread != "" {
			unread++
			continue
		}
		wanted = append(wanted, c)
	}
	progress.Done()
	if !a.json {
		a.printRemoteConsents(list)
	}
	digest := catalog.ApprovalDigest(wanted)
	how := fmt.Sprintf("vade trust %s --yes=%s", name, digest)
	given := false
	switch {
	case len(wanted) == 0:
		// A digest is of what somebody has looked at, which may be gone by now.
		if yes != "" && yes != plainYes && (len(had) == 0 || yes != catalog.ApprovalDigest(had)) {
			err = failure{name + " is not what has this digest, and there is nothing to consent to: nothing was trusted", "see what there is with: vade trust " + name}
		}
	case dry:
		if !a.json {
			a.stdout().Line(terminal.Plain, "Consent to just this with: %s", how)
		}
	case yes == plainYes:
		err = failure{"a server may offer another thing than you have looked at, so nothing was trusted", "name what was shown: " + how}
	case yes != "" && yes != digest:
		err = failure{name + " is not what has this digest, so nothing was trusted", "look at it, and then consent with: " + how}
	case yes == "" && a.json:
	case yes == "":
		if err := a.ask("Trust it, for every project of yours? [y/N] ", "look at it, and then consent with: "+how); err != nil {
			return err
		}
		fallthrough
	default:
		for _, c := range wanted {
			if err := cat.Trust(c); err != nil {
				return err
			}
		}
		wanted, given = nil, true
	}
	if a.json {
		if err := a.printJSON(struct {
			Consents []*catalog.Approval `json:"consents"`
			// Digest is that of what a consent is asked for.
			Digest string `json:"digest"`
		}{list, digest}); err != nil {
			return err
		}
	} else if len(wanted) == 0 && err == nil {
		text := "There is nothing to consent to."
		takeBack := " Take it back with: vade trust revoke " + name
		switch {
		case given:
			text = "Trusted, as it is now, for every project of yours." + takeBack
		case len(list) > unread:
			text = "There is nothing to consent to: you have consented to it already, as it is now." + takeBack
		}
		a.stdout().Line(terminal.Plain, "%s", text)
	}
	if err == nil && len(wanted)+unread > 0 {
		return silent{exitFailed}
	}
	return err
}

// maxShown is how much of one text is shown before a consent, in bytes.
const maxShown = 256 << 10

// printRemoteConsents prints what a consent would be given to: what a server says of
// it, its text, and its other files.
func (a *app) printRemoteConsents(list []*catalog.Approval) {
	out := a.stdout()
	for _, c := range list {
		state := map[string]string{"none": "no consent", "trusted": "consented", "changed": "changed since your consent"}[c.State]
		consentHead(out, c, "  ["+state+"]")
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
			out.Line(terminal.Plain, "  Its server makes the text anew for each call; it can not be shown, and will not be verified.")
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

// printRemoteText prints the SKILL.md and what else comes with it.
func (a *app) printRemoteText(out *terminal.Writer, c *catalog.Approval) {
	if c.Unread != "" {
		out.Line(terminal.Red, "  It can not be consented to: %s", c.Unread)
		return
	}
	read := "vade servers read --untrusted " + c.Name + " "
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
			out.Line(terminal.Plain, "    and %d bytes more: %sSKILL.md", rest, read)
		}
	}
	others := false
	for _, f := range c.Files {
		if f.Path == c.Path || !strings.Contains(f.Path, "://") {
			continue
		}
		if !others {
			out.Line(terminal.Plain, "  Its other files, to look at with %sFILE:", read)
			others = true
		}
		out.Line(terminal.Plain, "    %s  %d bytes", strings.TrimPrefix(f.Path, strings.TrimSuffix(c.Path, "SKILL.md")), f.Size)
	}
}
