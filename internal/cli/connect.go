package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	"github.com/vadehq/vade/internal/terminal"
)

// connectFlags are the flags of vade connect.
type connectFlags struct {
	scope, http, name, command   string
	print, remove, noAuth, force bool
}

func (a *app) connect() *cobra.Command {
	var f connectFlags
	c := &cobra.Command{
		Use: "connect HOST", Short: "Add Vade's MCP server to a host's configuration",
		RunE: func(c *cobra.Command, args []string) error {
			if (c.Flags().Changed("command") && f.command == "") || f.name == "" {
				return usage{failure{"--name and --command can not be empty", "leave them out"}}
			}
			return a.runConnect(c.Context(), f, args[0])
		},
	}
	hosts := registry.Connectable()
	c.Long = `Add an entry to the file in which a host keeps its MCP servers, so that the host starts
"vade serve" and has your skills and commands. The change of the entry is shown first,
as a diff with "…" for what may be secret. --print shows it and writes nothing.

Every other byte of the file stays, comments too. --remove takes the entry out, and
gives back the file as it was; a file that Vade has made goes. The file is written in
one step, and never through a link. An entry of the same name that is not Vade's is
left alone without --force. Vade's is one that starts "vade", this program or that of
--command; another path that ends in vade is not. One that starts the same already is
not changed: keys that Vade has not written (env, a timeout, options after serve) stay,
and are named. An entry with such keys is changed or taken out with --force only. An
entry for a URL is Vade's if it takes its token from ` + connect.TokenVariable + `; one without
is taken out with --remove --http URL.

The file is that of the project, or with --scope user that of the user for all
projects. With --http the host asks a server that runs already ("vade serve --http"):
the entry refers to the variable ` + connect.TokenVariable + ` for the bearer token, which is written
nowhere, so that the host has to be started with it; with --no-auth it has none.

The servers of all hosts are shown by "vade mcp list"; the servers whose skills Vade
itself uses are others: "vade servers".

--json prints {"host", "version", "scope", "path", "name", "action", "gone", "kept",
"next", "written", "diff"}; gone are your keys in the entry that are removed; kept are your
keys that stay; action is create, add, update, remove, delete or none.

HOST is one of: ` + strings.Join(hosts, ", ") + `.

Exit codes: 0 done, also where nothing had to be, 1 failed, 2 wrong usage.`
	c.Example = `  vade connect claude-code
  vade connect cursor --print                    show the change, write nothing
  vade connect codex --scope user                for all projects of yours
  vade connect gemini --http http://127.0.0.1:8808
  vade connect claude-code --remove              as it was before`
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage{failure{"name one host", "use one of: " + strings.Join(hosts, ", ")}}
		}
		return nil
	}
	c.ValidArgs = hosts
	flags := c.Flags()
	flags.BoolVar(&f.print, "print", false, "show the change, and write nothing")
	flags.BoolVar(&f.remove, "remove", false, "take the entry out")
	flags.StringVar(&f.scope, "scope", "project", "write the file of `SCOPE`: project or user")
	flags.StringVar(&f.http, "http", "", "ask the server at `URL` instead of starting one")
	flags.BoolVar(&f.noAuth, "no-auth", false, "with --http: the server asks for no bearer token")
	flags.StringVar(&f.name, "name", "vade", "the `NAME` of the entry")
	flags.StringVar(&f.command, "command", "", "the `PROGRAM` that the host starts (vade, or that of Vade's entry)")
	flags.BoolVar(&f.force, "force", false, "replace or remove an entry that is not Vade's, or has keys of yours")
	_ = c.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"project", "user"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) runConnect(ctx context.Context, f connectFlags, name string) error {
	switch {
	case f.scope != "project" && f.scope != "user":
		return usage{failure{"--scope " + f.scope + ": there is no such scope", "use project or user"}}
	case f.noAuth && f.http == "":
		return usage{failure{"--no-auth is for --http", "leave it out: a server that the host starts asks for no token"}}
	case f.http != "" && f.command != "":
		return usage{failure{"--http and --command exclude each other", "use one of them"}}
	case strings.ContainsAny(f.command, `/\`) && !filepath.IsAbs(f.command):
		hint := "give the whole path"
		if whole, err := filepath.Abs(f.command); err == nil {
			hint += ": --command " + whole
		}
		return usage{failure{"--command " + f.command + ": the host starts it in a directory of its own", hint}}
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	r := connect.Request{
		Host: name, User: f.scope == "user", Name: f.name, Command: f.command, URL: f.http, NoAuth: f.noAuth, Remove: f.remove, Force: f.force,
	}
	// Where it is not known, no other path is Vade's either.
	r.Program, _ = os.Executable()
	c, err := connect.Run(ctx, o, r)
	switch {
	case errors.Is(err, export.ErrNoHost), errors.Is(err, export.ErrNoFiles):
		return usage{failure{name + ": there is no host of this name with a file of MCP servers", "use one of: " + strings.Join(registry.Connectable(), ", ")}}
	case errors.Is(err, connect.ErrNotOurs):
		hint := "choose another name with --name, or look at the change with --force --print"
		if f.remove {
			hint = "if it asks a server of yours, name its address: --remove --http URL; or look at the change with --force --print"
		}
		if f.command == "" && strings.Contains(err.Error(), ": it starts ") {
			hint = "if this program is Vade, name it: --command /path/to/vade; or look at the change with --force --print"
		}
		return failure{err.Error(), hint}
	case errors.Is(err, connect.ErrOwnKeys):
		return failure{err.Error(), "look at the change with --force --print, or change the entry by hand"}
	case errors.Is(err, connect.ErrURL):
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "write http://127.0.0.1:8808, without a name and a password; the token is taken from " + connect.TokenVariable}}
	case errors.Is(err, connect.ErrName):
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "use letters, digits, hyphens and underscores"}}
	case errors.Is(err, connect.ErrEdit):
		return failure{err.Error(), "change the file by hand; what has to stand in it: docs/connect/" + name + ".md"}
	case err != nil:
		return err
	}
	if !f.remove {
		a.warnOfConnection(c, f)
	}
	return a.finishConnect(c, f)
}

// warnOfConnection says what the host will not find, what of the entry may do something
// else than Vade, and where a token would be read by others.
func (a *app) warnOfConnection(c *connect.Connection, f connectFlags) {
	if f.http == "" {
		a.warnOfCommand(c, f)
	}
	if len(c.Kept) > 0 {
		a.warn(c.Path+": the entry keeps what Vade has not written: "+strings.Join(c.Kept, ", "), "look whether it is yours; --force writes the entry without it")
	}
	if u, err := url.Parse(f.http); err == nil && u.Scheme == "http" && !f.noAuth && !loopback(u.Hostname()) {
		a.warn("the token of "+connect.TokenVariable+" goes to "+u.Host+" without encryption, and others can read it on the way", "use https, with a proxy with TLS before the server, or a tunnel to this machine")
	}
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// warn writes a warning and its hint.
func (a *app) warn(message, hint string) {
	e := a.stderr()
	fmt.Fprintf(e, "%s %s\n%s %s\n", e.Paint(terminal.Yellow, "vade: warning:"), terminal.EscapeLine(message), e.Paint(terminal.Cyan, "vade: hint:"), terminal.EscapeLine(hint))
}

// warnOfCommand says it where the host will not find the program.
func (a *app) warnOfCommand(c *connect.Connection, f connectFlags) {
	message, hint := "", ""
	switch {
	case f.command == "" && c.Action == "none":
		return
	case filepath.IsAbs(f.command):
		if info, err := os.Stat(f.command); err == nil && info.Mode().IsRegular() {
			return
		}
		message, hint = f.command+": there is no such program; the host will not find it", "give the path of vade with --command"
	default:
		name := cmp.Or(f.command, "vade")
		if a.inPath(name) {
			return
		}
		message, hint = name+" is not in your PATH; the host will not find it", "add its directory to PATH"
		if self, err := os.Executable(); err == nil {
			hint = "--command " + self + ", or " + hint
		}
	}
	a.warn(message, hint)
}

// inPath reports whether a directory of PATH has a file of this name.
func (a *app) inPath(name string) bool {
	for _, dir := range filepath.SplitList(a.getenv("PATH")) {
		for _, ending := range []string{"", ".exe"} {
			if info, err := os.Stat(filepath.Join(dir, name+ending)); dir != "" && err == nil && info.Mode().IsRegular() {
				return true
			}
		}
	}
	return false
}

// finishConnect shows the change, and then makes it.
func (a *app) finishConnect(c *connect.Connection, f connectFlags) error {
	out, e := a.stdout(), a.stderr()
	if !a.json {
		if err := printDiff(out, c.Diff()); err != nil {
			return err
		}
	}
	if !f.print {
		if err := c.Write(); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(struct {
			*connect.Connection
			Written bool   `json:"written"`
			Diff    string `json:"diff"`
		}{c, !f.print && c.Action != "none", c.Diff()})
	}
	fmt.Fprintf(e, "vade: %s\n", terminal.EscapeLine(connectSummary(c, f)))
	if c.Next != "" && !f.print {
		fmt.Fprintf(e, "%s %s\n", e.Paint(terminal.Cyan, "vade: next:"), terminal.EscapeLine(c.Host+": "+c.Next))
	}
	return nil
}

func connectSummary(c *connect.Connection, f connectFlags) string {
	entry := "the entry " + c.Name
	if c.Action == "none" {
		if f.remove {
			return c.Path + " has no entry " + c.Name + ": nothing to do"
		}
		return c.Path + " has " + entry + " already: nothing to do"
	}
	text := map[string]string{
		"create": "IS made, with " + entry, "delete": "IS removed: it has nothing else", "remove": entry + " IS removed",
		"update": entry + " IS changed", "add": entry + " IS added",
	}[c.Action]
	gone := ""
	if len(c.Gone) > 0 {
		gone = "; this removes what you had added: " + strings.Join(c.Gone, ", ")
	}
	verb := "is"
	if f.print {
		verb = "would be"
	}
	return c.Path + ": " + strings.Replace(text, "IS", verb, 1) + gone
}
