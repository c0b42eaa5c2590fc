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
		Long: `Ask the MCP servers that your own servers.yaml names what they offer, side by side,
and print what became of each. The file is in your directory for configuration
(~/.config/vade/servers.yaml). A project can leave servers out, with servers: in its
vade.yaml, and never add one.

What a server offers is named mcp:SERVER/NAME and is used only after your consent
(vade trust mcp:SERVER), which ends when anything of it changes.

STATE is ready, failed, or held where the project's vade.yaml leaves the server out. BY
is what it was asked for: skills, by the extension for them, or prompts. OFFERS is the
number of its definitions, CONSENTED that of those you have consented to.

The MCP servers that hosts start are others: vade mcp list.

Exit codes: 0 all servers answered; 1 one did not, or can not be used as servers.yaml
has it; 2 wrong usage.`,
		Example: `  vade servers
  vade servers --json
  vade trust mcp:docs
  vade servers read mcp:docs/refunds references/policy.md
  vade list --layer mcp`,
		Args: exactly(cobra.NoArgs, "see: vade servers --help"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runRemoteServers(c.Context()) },
	}
	if !a.named(c) {
		return c
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
		if diags == nil {
			diags = []diag.Diagnostic{}
		}
		err = a.printJSON(struct {
			Servers     []catalog.ServerState `json:"servers"`
			Diagnostics []diag.Diagnostic     `json:"diagnostics"`
		}{list, diags})
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
		t.Row(terminal.Text(s.Name), terminal.Cell{Text: s.State, Style: style}, terminal.Text(by),
			terminal.Text(fmt.Sprint(s.Definitions)), terminal.Text(fmt.Sprint(s.Trusted)), terminal.Text(s.Address))
	}
	if len(list) > 0 {
		if err := t.Print(a.stdout()); err != nil {
			return err
		}
	} else if len(diags) == 0 {
		fmt.Fprintln(a.stderr(), "You use no servers; name some in ~/.config/vade/servers.yaml: see docs/remote.md")
	}
	for _, s := range list {
		if s.State == "held" {
			fmt.Fprintf(a.stderr(), "%s: %s\n", terminal.EscapeLine(s.Name), terminal.EscapeLine(s.Reason))
		}
	}
	return a.printProblems(diags)
}

func (a *app) serversRead() *cobra.Command {
	untrusted := false
	c := &cobra.Command{
		Use: "read NAME [FILE]", Short: "Print one verified file of a skill of a server, or the list of its files",
		Long: `Print a file of a skill that a server offers (mcp:SERVER/NAME), by its path below the
skill's directory; without FILE the paths of all of them. Both only after your consent to
the skill, and a file only if it is what the server listed then. With --untrusted it
has to be what the server lists now, and no consent is needed: for looking at it
before you give one.`,
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
					read = cat.RemotePeek
				}
				data, err := read(c.Context(), args[0], args[1])
				if err != nil {
					return requestFailure(err)
				}
				return a.printFile(args, data)
			}
			list := cat.RemoteFiles
			if untrusted {
				list = cat.RemotePeekFiles
			}
			files, err := list(c.Context(), args[0])
			if err != nil {
				return requestFailure(err)
			}
			if a.json {
				if files == nil {
					files = []string{}
				}
				return a.printJSON(struct {
					Files []string `json:"files"`
				}{files})
			}
			for _, f := range files {
				if _, err := fmt.Fprintln(a.world.Stdout, terminal.EscapeLine(f)); err != nil {
					return err
				}
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
	if a.stdout().IsTerminal() {
		_, err := fmt.Fprint(a.world.Stdout, terminal.Escape(string(data)))
		return err
	}
	_, err := a.world.Stdout.Write(data)
	return err
}

// trustRemote asks for the consent to what a server offers.
func (a *app) trustRemote(ctx context.Context, name, yes string, dry bool) error {
	cat, err := a.open(ctx, catalog.Options{Remote: true})
	if err != nil {
		return err
	}
	defer cat.Close()
	list, err := cat.RemoteConsents(ctx, name)
	if err != nil {
		return requestFailure(err)
	}
	var wanted, had []*catalog.Consent
	unread := 0
	progress := a.stderr().StartProgress("reading what it offers")
	defer progress.Done()
	for _, c := range list {
		if c.State == "trusted" {
			had = append(had, c)
			continue
		}
		if err := cat.RemoteReview(ctx, c); err != nil {
			return requestFailure(err)
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
	digest := catalog.ConsentDigest(wanted)
	how := fmt.Sprintf("vade trust %s --yes=%s", name, digest)
	given := false
	switch {
	case len(wanted) == 0:
		// A digest is of what somebody has looked at, which may be gone by now.
		if yes != "" && yes != plainYes && (len(had) == 0 || yes != catalog.ConsentDigest(had)) {
			err = failure{name + " is not what has this digest, and there is nothing to consent to: nothing was trusted", "see what there is with: vade trust " + name}
		}
	case dry:
		if !a.json {
			fmt.Fprintf(a.world.Stdout, "Consent to just this with: %s\n", terminal.EscapeLine(how))
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
	return a.finishTrust(name, consentCount{list, len(wanted), unread, given}, digest, err)
}

// consentCount is what came of asking for the consent to a list.
type consentCount struct {
	list []*catalog.Consent
	// waiting are those without a consent that could be given, unread those that none
	// can be given to. given: some got theirs now.
	waiting, unread int
	given           bool
}

// finishTrust says what came of it.
func (a *app) finishTrust(name string, n consentCount, digest string, failed error) error {
	if a.json {
		if err := a.printJSON(struct {
			Consents []*catalog.Consent `json:"consents"`
			// Digest is that of what a consent is asked for.
			Digest string `json:"digest"`
		}{n.list, digest}); err != nil {
			return err
		}
	} else if n.waiting == 0 && failed == nil {
		const takeBack = "Take it back with: vade trust revoke "
		text := "Trusted, as it is now, for every project of yours. " + takeBack + terminal.EscapeLine(name)
		switch {
		case len(n.list) == n.unread:
			text = "There is nothing to consent to."
		case !n.given:
			text = "There is nothing to consent to: you have consented to it already, as it is now. " + takeBack + terminal.EscapeLine(name)
		}
		if _, err := fmt.Fprintln(a.world.Stdout, text); err != nil {
			return err
		}
	}
	if failed == nil && n.waiting+n.unread > 0 {
		return silent{exitFailed}
	}
	return failed
}

// maxShown is how much of one text is shown before a consent, in bytes.
const maxShown = 256 << 10

// printRemoteConsents prints what a consent would be given to: what a server says of
// it, its text, and its other files.
func (a *app) printRemoteConsents(list []*catalog.Consent) {
	out := a.stdout()
	line := terminal.EscapeLine
	for _, c := range list {
		state := map[string]string{"none": "no consent", "trusted": "consented", "changed": "changed since your consent"}[c.State]
		fmt.Fprintf(out, "%s %s  %s  [%s]\n", out.Paint(terminal.Dim, c.Kind.String()), out.Paint(terminal.Bold, line(c.Name)), line(c.Path), state)
		if c.Description != "" {
			fmt.Fprintf(out, "  %s\n", line(c.Description))
		}
		fmt.Fprintf(out, "  offered by %s\n", line(c.Server))
		if c.State == "trusted" {
			continue
		}
		for _, arg := range c.Arguments {
			fmt.Fprintf(out, "  argument %s  %s\n", line(arg.Name), line(arg.Description))
		}
		if c.Kind == definition.Command {
			fmt.Fprintln(out, "  Its server makes the text anew for each call; it can not be shown, and will not be verified.")
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
func (a *app) printRemoteText(out *terminal.Writer, c *catalog.Consent) {
	line := terminal.EscapeLine
	if c.Unread != "" {
		fmt.Fprintf(out, "  %s\n", out.Paint(terminal.Red, "It can not be consented to: "+line(c.Unread)))
		return
	}
	read := "vade servers read --untrusted " + line(c.Name) + " "
	for _, f := range c.Files {
		if f.Path != c.Path {
			continue
		}
		fmt.Fprintf(out, "  SKILL.md, %d bytes:\n", f.Size)
		text := c.Text[:min(len(c.Text), maxShown)]
		for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			fmt.Fprintf(out, "    %s %s\n", out.Paint(terminal.Dim, "|"), line(strings.TrimSuffix(l, "\r")))
		}
		if rest := len(c.Text) - len(text); rest > 0 {
			fmt.Fprintf(out, "    and %d bytes more: %sSKILL.md\n", rest, read)
		}
	}
	others := false
	for _, f := range c.Files {
		if f.Path == c.Path || !strings.Contains(f.Path, "://") {
			continue
		}
		if !others {
			fmt.Fprintf(out, "  Its other files, to look at with %sFILE:\n", read)
			others = true
		}
		fmt.Fprintf(out, "    %s  %d bytes\n", line(strings.TrimPrefix(f.Path, strings.TrimSuffix(c.Path, "SKILL.md"))), f.Size)
	}
}
