package cli

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/connect"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/terminal"
)

// connectFlags holds the flags for vade connect.
type connectFlags struct {
	scope, http, name, command    string
	dryRun, remove, noAuth, force bool
}

func (a *app) connect() *cobra.Command {
	var f connectFlags
	c := &cobra.Command{
		Use: "connect HOST", Short: "Add Vade's MCP server to a host's configuration",
		RunE: func(c *cobra.Command, args []string) error {
			if (c.Flags().Changed("command") && f.command == "") || f.name == "" {
				return usage{failure{"--name and --command cannot be empty", "omit them"}}
			}
			return a.runConnect(c.Context(), f, args[0])
		},
	}
	hosts := registry.Connectable()
	c.Long = `Add an entry to a host's MCP configuration file so that the host starts "vade serve"
and gets your skills and commands. The change is printed as a diff, with "…" in place
of possible secrets. On a terminal, Vade asks before it writes; otherwise, it writes
immediately. The rest of the file, including comments, is unchanged. The write is atomic
and does not follow symlinks.

--scope selects the project's file or your user-level file, which applies to all
projects. With --http, the host connects to a running "vade serve --http". The entry
takes the token from the environment variable ` + connect.TokenVariable + `, so set that
variable before you start the host.

--remove removes the entry, and the file if Vade created it. Without --force, Vade
changes an entry only if it is Vade's and has no keys of your own, such as env or
timeout. An entry is Vade's if it starts "vade", this program or the --command program,
or if it has a URL and takes the token from ` + connect.TokenVariable + `, or has only the
URL in --http.

--json prints {"host", "version", "scope", "path", "name", "action", "gone", "kept",
"next", "written", "diff"}: gone and kept list the keys that you added to the entry and
that Vade removes or keeps; action is create, add, update, remove, delete or none.

HOST is one of: ` + strings.Join(hosts[:4], ", ") + `,
` + strings.Join(hosts[4:], ", ") + `.

See also: vade mcp list, vade help connect HOST.

Exit codes: 0 done or nothing to do, 1 failure, 2 invalid usage.`
	c.Example = `  vade connect claude-code
  vade connect cursor --dry-run          show the change and write nothing
  vade connect codex --scope user        for all your projects
  vade connect gemini --http http://127.0.0.1:8808
  vade connect claude-code --remove      undo it`
	c.Args = checkArgs("use one of: " + strings.Join(hosts, ", "))
	c.ValidArgs = hosts
	flags := c.Flags()
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "show the change and write nothing")
	a.yesFlag(c)
	flags.BoolVar(&f.remove, "remove", false, "remove the entry")
	flags.StringVar(&f.scope, "scope", "project", "write the file for `SCOPE`: project or user")
	flags.StringVar(&f.http, "http", "", "connect to the server at `URL` instead of starting one")
	flags.BoolVar(&f.noAuth, "no-auth", false, "with --http: connect without a token")
	flags.StringVar(&f.name, "name", "vade", "name the entry `NAME`")
	flags.StringVar(&f.command, "command", "", "have the host start `PROGRAM` (default: the program in Vade's entry, or vade)")
	flags.BoolVar(&f.force, "force", false, "replace or remove an entry even if Vade did not create it or you added keys to it")
	_ = c.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"project", "user"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) runConnect(ctx context.Context, f connectFlags, name string) error {
	switch {
	case f.scope != "project" && f.scope != "user":
		return usage{failure{"--scope " + f.scope + ": unknown scope", "use project or user"}}
	case f.noAuth && f.http == "":
		return usage{failure{"--no-auth requires --http", "omit it: a server started by the host does not need a token"}}
	case f.http != "" && f.command != "":
		return usage{failure{"--http and --command cannot be used together", "use only one of them"}}
	case strings.ContainsAny(f.command, `/\`) && !filepath.IsAbs(f.command):
		hint := "use an absolute path"
		if whole, err := filepath.Abs(f.command); err == nil {
			hint += ": --command " + whole
		}
		return usage{failure{"--command " + f.command + ": a relative path depends on the directory that the host starts in", hint}}
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	r := connect.Request{
		Host: registry.Canonical(name), User: f.scope == "user", Name: f.name, Command: f.command, URL: f.http, NoAuth: f.noAuth, Remove: f.remove, Force: f.force,
	}
	// If Executable fails, entries with Vade's absolute path are not recognized as Vade's.
	r.Program, _ = os.Executable()
	c, err := connect.Run(ctx, o, r)
	switch {
	case errors.Is(err, export.ErrNoHost), errors.Is(err, export.ErrNoFiles):
		return unknownHost("connect", name, registry.Connectable())
	case errors.Is(err, connect.ErrNotOurs):
		hint := "choose another name with --name, or review the change with --force --dry-run"
		if f.remove {
			hint = "if it is your server, specify its URL: --remove --http URL; or review the change with --force --dry-run"
		}
		if f.command == "" && strings.Contains(err.Error(), ": it starts ") {
			hint = "if this program is Vade, specify its path: --command /path/to/vade; or review the change with --force --dry-run"
		}
		return failure{err.Error(), hint}
	case err != nil:
		base, _, _ := strings.Cut(r.Host, "@")
		return withHint(err,
			hint{connect.ErrOwnKeys, false, "review the change with --force --dry-run, or edit the file by hand"},
			hint{connect.ErrURL, true, "use a URL like http://127.0.0.1:8808 without a user name, password, query or fragment; the token comes from " + connect.TokenVariable},
			hint{connect.ErrName, true, "use letters, digits, hyphens and underscores"},
			hint{connect.ErrEdit, false, "edit the file by hand; for the entry, see: vade help connect " + base})
	}
	if !f.remove {
		a.warnOfConnection(c, f)
	}
	return a.finishConnect(ctx, c, f)
}

// warnOfConnection warns if the host will not find the program, if the entry has keys that Vade did
// not write, or if the token would be sent unencrypted.
func (a *app) warnOfConnection(c *connect.Connection, f connectFlags) {
	if f.http == "" {
		a.warnOfCommand(c, f)
	}
	if len(c.Kept) > 0 {
		a.warn(c.Path+": the entry keeps keys that Vade did not write: "+strings.Join(c.Kept, ", "), "if you did not add them, use --force to remove them")
	}
	if u, err := url.Parse(f.http); err == nil && u.Scheme == "http" && !f.noAuth && !loopback(u.Hostname()) {
		a.warn("the token in "+connect.TokenVariable+" is sent to "+u.Host+" unencrypted", "use https through a TLS proxy, or use a tunnel to this machine")
	}
}

// loopback reports whether host is a loopback address or a localhost name.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// warn prints a warning and its hint.
func (a *app) warn(message, hint string) {
	a.stderr().Label(terminal.Yellow, "vade: warning:", "%s", message)
	a.stderr().Label(terminal.Cyan, "vade: hint:", "%s", hint)
}

// warnOfCommand warns if the host will not find the program to start.
func (a *app) warnOfCommand(c *connect.Connection, f connectFlags) {
	message, hint := "", ""
	switch {
	case f.command == "" && c.Action == "none":
		return
	case filepath.IsAbs(f.command):
		if info, err := os.Stat(f.command); err == nil && info.Mode().IsRegular() {
			return
		}
		message, hint = f.command+": no such program; the host will not find it", "correct the path in --command, or omit --command"
	default:
		name := cmp.Or(f.command, "vade")
		if sandbox.Installed(name, a.getenv("PATH")) {
			return
		}
		message, hint = name+" is not in your PATH; the host will not find it", "add its directory to PATH"
		if self, err := os.Executable(); err == nil {
			hint = "use --command " + self + ", or " + hint
		}
	}
	a.warn(message, hint)
}

// finishConnect prints the change and, unless --dry-run is set, applies it.
func (a *app) finishConnect(ctx context.Context, c *connect.Connection, f connectFlags) error {
	out, e := a.stdout(), a.stderr()
	if !a.json {
		if err := printDiff(out, c.Diff()); err != nil {
			return err
		}
	}
	if !f.dryRun {
		if c.Action != "none" {
			if err := a.confirmWrite(ctx, 1, "file"); err != nil {
				return err
			}
		}
		if err := c.Write(); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(struct {
			*connect.Connection
			Written bool   `json:"written"`
			Diff    string `json:"diff"`
		}{c, !f.dryRun && c.Action != "none", c.Diff()})
	}
	e.Line(terminal.Plain, "vade: %s: %s", c.Host, connectSummary(c, f))
	if c.Next != "" && !f.dryRun {
		e.Label(terminal.Cyan, "vade: next:", "%s: %s", c.Host, c.Next)
	}
	return nil
}

func connectSummary(c *connect.Connection, f connectFlags) string {
	if c.Action == "none" {
		if f.remove {
			return c.Path + " has no entry " + c.Name + "; nothing to do"
		}
		return c.Path + " already has the entry " + c.Name + "; nothing to do"
	}
	verb := strings.TrimSuffix(c.Action, "e") + "ed"
	if f.dryRun {
		verb = "would " + c.Action
	}
	text := verb + " the entry " + c.Name + " in " + c.Path
	switch c.Action {
	case "create":
		text = verb + " " + c.Path + " with the entry " + c.Name
	case "delete":
		text = verb + " " + c.Path + ", which contains nothing else"
	}
	if len(c.Gone) > 0 {
		text += "; this removes what you added: " + strings.Join(c.Gone, ", ")
	}
	return text
}
