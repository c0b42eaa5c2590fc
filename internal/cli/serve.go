package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/serve"
	"github.com/vadehq/vade/internal/terminal"
)

// tokenVariable is the environment variable with the token of "vade serve --http".
const tokenVariable = "VADE_SERVE_TOKEN"

// minToken is the least length of a token: a short one can be guessed.
const minToken = 16

// watchEnd is how long the server waits for the watch to end.
const watchEnd = 2 * time.Second

// serveFlags are the flags of vade serve.
type serveFlags struct {
	address, tokenFile, log string
	noAuth, noWatch         bool
	web                     serve.HTTPOptions
}

func (a *app) serve() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve", Short: "Serve the definitions to agents as an MCP server",
		Long: `Serve the active definitions to every client of the Model Context Protocol:
commands and skills as prompts, and the tools load_skill, list_skills,
load_command, get_instructions and search_definitions. Changes of the files are
served while it runs.

Without --http it uses standard input and output, as a host starts it; shell
commands of definitions run under your policy, as with "vade load".

--http ADDR serves any number of clients at http://ADDR/mcp, with /healthz,
/metrics and the site that skill installers read (/.well-known/agent-skills/).
Your own commands and skills are served too; the site has those of the project
only. A port without a host is on the loopback interface. Clients have to send a
token of at least 16 characters, from --token-file or ` + tokenVariable + `;
with --no-auth they need none, on the loopback interface only. There is no
encryption: put a proxy with TLS in front of it where others can listen. Shell
commands do not run for these clients unless your policy says remote-shell: true.

Prompts are rendered for the client's host, which it is recognized as by its
name; --as renders for one host, whatever the client.

Exit codes: 0 the client or a signal ended it, 1 it failed, 2 wrong usage.`,
		Example: `  vade serve                                   for a host that starts it
  vade serve --http :8808 --token-file ~/.config/vade/token
  vade serve --http :8808 --no-auth            for this machine alone
  VADE_SERVE_TOKEN=… vade serve --http 10.0.0.5:8808 --allow-host vade.internal
  vade serve --as claude-code                  render for one host`,
		Args: exactly(cobra.NoArgs, "see: vade serve --help"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runServe(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.address, "http", "", "serve HTTP on `ADDR`, such as :8808, instead of standard input and output")
	flags.StringVar(&f.tokenFile, "token-file", "", "clients send the token in `FILE`")
	flags.BoolVar(&f.noAuth, "no-auth", false, "require no token, on the loopback interface only")
	flags.StringSliceVar(&f.web.Hosts, "allow-host", nil, "allow the host name `NAME` in requests (may be repeated)")
	flags.StringSliceVar(&f.web.Origins, "allow-origin", nil, "allow requests from web pages of `ORIGIN` (may be repeated)")
	flags.BoolVar(&f.noWatch, "no-watch", false, "don't reload when files change (policy changes still apply)")
	flags.StringVar(&f.log, "log", "text", "log requests to standard error as `FORMAT`: text, json, off")
	_ = c.RegisterFlagCompletionFunc("log", cobra.FixedCompletions([]string{"text", "json", "off"}, cobra.ShellCompDirectiveNoFileComp))
	a.view(c)
	a.as(c)
	return c
}

func (a *app) runServe(ctx context.Context, f serveFlags) error {
	logger, err := a.logger(f.log)
	if err != nil {
		return err
	}
	remote := f.address != ""
	if err := a.serveUsage(&f, remote); err != nil {
		return err
	}
	// Companions outlive the catalogs, which are replaced when files change.
	var companions catalog.Companions
	defer companions.Close()
	defer outliveReaders()()
	var sweep sync.Once
	base, err := a.options(catalog.Options{Shell: withHelper(catalog.ShellOptions{Remote: remote}), Companions: &companions})
	if err != nil {
		return err
	}
	// The working directory may be deleted and created again while the server runs, and is
	// then another one of the same name.
	if dir, err := filepath.Abs(base.Dir); err == nil {
		base.Dir = dir
	}
	as := base.As
	if a.neutral() {
		as = ""
	}
	open := func(ctx context.Context, host string) (*catalog.Catalog, error) {
		o := base
		if host != "" {
			o.As = host
		}
		c, err := catalog.Open(ctx, o)
		if err == nil {
			sweep.Do(func() { c.SweepCompanions(ctx) })
		}
		return c, err
	}
	s, err := serve.New(ctx, open, serve.Options{As: as, Remote: remote, Logger: logger})
	if err != nil {
		return err
	}
	defer s.Close()
	watch, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		// A policy that no longer allows a command applies in any case.
		if f.noWatch {
			s.WatchPolicy(watch)
			return
		}
		s.Watch(watch)
	}()
	defer func() {
		stop()
		select {
		case <-watched:
		case <-time.After(watchEnd):
			// A file system may hang.
		}
	}()
	if !remote {
		if e := a.stderr(); e.IsTerminal() && typed(a.world.Stdin) {
			fmt.Fprintln(e, "vade: serving over standard input and output, for a host that starts it (vade connect); Ctrl-D ends it")
		}
		return s.Stdio(ctx, a.world.Stdin, a.world.Stdout)
	}
	return a.serveHTTP(ctx, s, f)
}

// serveUsage rejects flags that contradict each other, and finds the token.
func (a *app) serveUsage(f *serveFlags, remote bool) error {
	if !remote {
		if f.tokenFile != "" || f.noAuth || len(f.web.Hosts)+len(f.web.Origins) > 0 {
			return usage{failure{"--token-file, --no-auth, --allow-host and --allow-origin are for --http", "say where to listen: --http :8808"}}
		}
		return nil
	}
	if f.noAuth {
		if f.tokenFile != "" {
			return usage{failure{"--no-auth and --token-file do not go together", "use one of the two"}}
		}
		return nil
	}
	token, from := a.getenv(tokenVariable), tokenVariable
	if f.tokenFile != "" {
		data, err := readToken(f.tokenFile)
		if err != nil {
			return err
		}
		token, from = data, f.tokenFile
	}
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return usage{failure{"clients over HTTP need a token", "make one, (umask 077; openssl rand -hex 32 > FILE), and name it with --token-file FILE, or set " + tokenVariable + "; on this machine alone: --no-auth"}}
	case len(token) < minToken:
		return usage{failure{fmt.Sprintf("the token of %s is shorter than %d characters", from, minToken), "make a longer one, such as with: openssl rand -hex 32"}}
	}
	f.web.Token = token
	return nil
}

// readToken reads the token file, which nobody else may be able to read.
func readToken(file string) (string, error) {
	const most = 4096
	// Opening a pipe would wait for a writer.
	opened, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", usage{failure{fmt.Sprintf("--token-file %s: %v", file, plain(err)), "name a file with a token in it"}}
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", usage{failure{"--token-file " + file + ": it is no regular file", "name a file with a token in it"}}
	}
	if os.PathSeparator == '/' && info.Mode().Perm()&0o077 != 0 {
		return "", usage{failure{"--token-file " + file + ": others than you can read it", "take that from them: chmod 600 " + file}}
	}
	data, err := io.ReadAll(io.LimitReader(opened, most+1))
	if err != nil || len(data) > most {
		return "", usage{failure{"--token-file " + file + ": it cannot be read, or is longer than 4 KiB", "name a file with one token in it"}}
	}
	return string(data), nil
}

// serveHTTP listens and serves.
func (a *app) serveHTTP(ctx context.Context, s *serve.Server, f serveFlags) error {
	if problem := serve.BadAddress(f.address); problem != "" {
		return usage{failure{fmt.Sprintf("--http %s: %s", f.address, problem), "write a port, or an address and a port: :8808, 127.0.0.1:8808"}}
	}
	l, open, err := serve.Listen(ctx, f.address)
	if err != nil {
		return failure{fmt.Sprintf("--http %s: %v", f.address, err), "name an address of this machine and a free port, such as :8808"}
	}
	if open && f.noAuth {
		l.Close()
		return usage{failure{"--no-auth is for the loopback interface, which " + f.address + " is not", "use a token, or listen on 127.0.0.1"}}
	}
	e := a.stderr()
	dir, commands := s.Serves(ctx)
	if dir == "" {
		dir = "no project"
	}
	token, shell := "the token is asked for", "commands do not run"
	if f.noAuth {
		token = "no token is asked for"
	}
	if commands {
		shell = "commands run for clients (remote-shell)"
	}
	fmt.Fprintf(e, "%s http://%s/mcp\n  %s; %s; %s\n", e.Paint(terminal.Cyan, "vade: serving"), l.Addr(), terminal.EscapeLine(dir), token, shell)
	if f.noAuth && a.getenv(tokenVariable) != "" {
		fmt.Fprintf(e, "vade: warning: --no-auth: the token in %s is not asked for\n", tokenVariable)
	}
	return s.ServeHTTP(ctx, l, f.web)
}

// typed reports whether input comes from a terminal.
func typed(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// logger writes to standard error.
func (a *app) logger(format string) (*slog.Logger, error) {
	switch format {
	case "off":
		return slog.New(slog.DiscardHandler), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.world.Stderr, nil)), nil
	case "text":
		return slog.New(slog.NewTextHandler(a.world.Stderr, nil)), nil
	}
	return nil, usage{failure{"--log " + format + ": there is no such format", "use text, json or off"}}
}
