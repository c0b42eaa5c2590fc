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
	"github.com/vadehq/vade/internal/connect"
	"github.com/vadehq/vade/internal/serve"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/vfs"
)

// minToken is the minimum token length. Shorter tokens could be guessed.
const minToken = 16

// watchEnd is the maximum time to wait for the file watcher to stop.
const watchEnd = 2 * time.Second

// serveFlags holds the flags for vade serve.
type serveFlags struct {
	address, tokenFile, log string
	noAuth, noWatch         bool
	web                     serve.HTTPOptions
}

func (a *app) serve() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve", Short: "Serve definitions to agents as an MCP server",
		Long: `Serve active definitions to Model Context Protocol clients: commands and skills as
prompts, and tools to list, load and search them. Without --http, the server uses stdin
and stdout and is started by a host. Shell commands in definitions run under your
policy. The server reloads files when they change.

--http ADDR serves many clients at http://ADDR/mcp. If you specify only a port, the
server listens on the loopback interface. Clients must send the token, of at least 16
characters, from --token-file or ` + connect.TokenVariable + `. Traffic is not encrypted, so use a TLS
proxy on untrusted networks.

For the tools, safety and limits, run: vade help serve.

Exit codes: 0 the client or a signal ended it, 1 failure, 2 invalid usage.`,
		Example: `  vade serve                                   started by a host
  vade serve --http :8808 --token-file ~/.config/vade/token
  vade serve --http :8808 --no-auth            for local clients
  vade serve --http 10.0.0.5:8808 --allow-host vade.internal
  vade serve --host claude-code                render for one host`,
		RunE: func(c *cobra.Command, _ []string) error { return a.runServe(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.address, "http", "", "serve HTTP on `ADDR`, such as :8808, instead of stdin and stdout")
	flags.StringVar(&f.tokenFile, "token-file", "", "require the token in `FILE`")
	flags.BoolVar(&f.noAuth, "no-auth", false, "do not require a token (loopback interface only)")
	flags.StringSliceVar(&f.web.Hosts, "allow-host", nil, "allow the host name `NAME` in requests (may be repeated)")
	flags.StringSliceVar(&f.web.Origins, "allow-origin", nil, "allow requests from web pages on `ORIGIN` (may be repeated)")
	flags.BoolVar(&f.noWatch, "no-watch", false, "don't reload when files change (policy changes still apply)")
	f.log = "text"
	choiceFlag(c, &f.log, "log", "log requests to stderr as `FORMAT` (default text)", "text", "json", "off")
	a.viewFlags(c)
	hostFlag(c, &a.host, "render prompts for `HOST` (see: vade help hosts)", catalog.Hosts)
	return c
}

func (a *app) runServe(ctx context.Context, f serveFlags) error {
	logger := a.logger(f.log)
	remote := f.address != ""
	if err := a.serveUsage(&f, remote); err != nil {
		return err
	}
	// Companion files outlive catalogs, which are replaced whenever files change.
	var companions catalog.Companions
	defer companions.Close()
	defer surviveSIGPIPE()()
	var sweep sync.Once
	base, err := a.options(catalog.Options{Shell: withHelper(catalog.ShellOptions{Remote: remote}),
		Companions: &companions, Confined: true})
	if err != nil {
		return err
	}
	// Use an absolute path, because the working directory may be deleted and recreated while the
	// server runs.
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
	s, err := serve.New(ctx, open, serve.Options{As: as, Remote: remote, Logger: logger, Run: a.runForModel})
	if err != nil {
		return err
	}
	defer s.Close()
	watch, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		// Policy changes apply even with --no-watch.
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
			// The watcher may be blocked by an unresponsive file system.
		}
	}()
	if !remote {
		if e := a.stderr(); a.canAsk() {
			fmt.Fprintln(e, "vade: serving MCP on stdin and stdout; hosts start this command (see vade connect); press Ctrl-D to stop")
		}
		// Warn if there is no project. Desktop clients, for example, start servers in the root
		// directory.
		if dir, _ := s.Serving(ctx); f.log != "off" && (dir == "" || dir == filepath.Dir(dir)) {
			a.warn("no project found, so no project definitions are served", "start it in a project, or specify one: vade -C DIR serve")
		}
		return s.Stdio(ctx, a.world.Stdin, a.world.Stdout)
	}
	return a.serveHTTP(ctx, s, f)
}

// serveUsage rejects flags that contradict each other, and reads the token.
func (a *app) serveUsage(f *serveFlags, remote bool) error {
	if !remote {
		if f.tokenFile != "" || f.noAuth || len(f.web.Hosts)+len(f.web.Origins) > 0 {
			return usage{failure{"--token-file, --no-auth, --allow-host and --allow-origin require --http", "choose a port: --http :8808"}}
		}
		return nil
	}
	if f.noAuth {
		if f.tokenFile != "" {
			return usage{failure{"--no-auth and --token-file cannot be used together", "use only one of them"}}
		}
		return nil
	}
	token, from := a.getenv(connect.TokenVariable), connect.TokenVariable
	if f.tokenFile != "" {
		data, err := readToken(f.tokenFile)
		if err != nil {
			return err
		}
		token, from = data, f.tokenFile
	}
	token = strings.TrimSpace(token)
	switch {
	case token == "" && f.tokenFile == "":
		return usage{failure{"--http requires a token", "create one with (umask 077; openssl rand -hex 32 > FILE) and pass --token-file FILE, set " + connect.TokenVariable + ", or use --no-auth for local clients"}}
	case len(token) < minToken:
		return usage{failure{fmt.Sprintf("the token in %s is shorter than %d characters", from, minToken), "to create one, run: openssl rand -hex 32"}}
	}
	f.web.Token = token
	return nil
}

// readToken reads the token file. It fails if users other than the owner can access the file.
func readToken(file string) (string, error) {
	const maxBytes = 4096
	// Without O_NONBLOCK, opening a named pipe would wait for a writer.
	opened, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", usage{failure{fmt.Sprintf("--token-file %s: %v", file, vfs.WithoutPath(err)), "specify a file that contains a token"}}
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", usage{failure{"--token-file " + file + ": not a regular file", "specify a file that contains a token"}}
	}
	if os.PathSeparator == '/' && info.Mode().Perm()&0o077 != 0 {
		return "", usage{failure{"--token-file " + file + ": other users can access it", "run: chmod 600 " + file}}
	}
	data, err := io.ReadAll(io.LimitReader(opened, maxBytes+1))
	if err != nil || len(data) > maxBytes {
		return "", usage{failure{"--token-file " + file + ": cannot be read or is longer than 4 KiB", "specify a file that contains a single token"}}
	}
	return string(data), nil
}

// serveHTTP listens on the address and serves requests.
func (a *app) serveHTTP(ctx context.Context, s *serve.Server, f serveFlags) error {
	if problem := serve.CheckAddress(f.address); problem != "" {
		return usage{failure{fmt.Sprintf("--http %s: %s", f.address, problem), "use a port, or a host and a port: :8808, 127.0.0.1:8808"}}
	}
	l, open, err := serve.Listen(ctx, f.address)
	if err != nil {
		return failure{fmt.Sprintf("--http %s: %v", f.address, err), "use a local IP address and a free port, such as :8808"}
	}
	if open && f.noAuth {
		l.Close()
		return usage{failure{"--no-auth requires the loopback interface, not " + f.address, "use a token, or listen on 127.0.0.1"}}
	}
	e := a.stderr()
	dir, commands := s.Serving(ctx)
	if dir == "" {
		dir = "no project"
	}
	token, shell := "token required", "shell commands disabled"
	if f.noAuth {
		token = "no token required"
	}
	if commands {
		shell = "shell commands enabled (remote-shell)"
	}
	fmt.Fprintf(e, "%s http://%s/mcp\n  %s; %s; %s\n", e.Paint(terminal.Cyan, "vade: serving"), l.Addr(), terminal.EscapeLine(dir), token, shell)
	if f.noAuth && a.getenv(connect.TokenVariable) != "" {
		fmt.Fprintf(e, "vade: warning: --no-auth ignores the token in %s\n", connect.TokenVariable)
	}
	return s.ServeHTTP(ctx, l, f.web)
}

// logger returns a logger that writes to stderr.
func (a *app) logger(format string) *slog.Logger {
	switch format {
	case "off":
		return slog.New(slog.DiscardHandler)
	case "json":
		return slog.New(slog.NewJSONHandler(a.world.Stderr, nil))
	}
	return slog.New(slog.NewTextHandler(a.world.Stderr, nil))
}
