// Package cli is the command line: it wires the library to arguments, streams
// and exit codes. One file holds one command.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/version"
)

// The exit codes: 0 fine, 1 something was found or failed, 2 wrong usage.
const (
	exitFine = iota
	exitFailed
	exitUsage
)

// World is what a command sees of the process it runs in.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	LookupEnv      func(string) (string, bool)
}

// System is the world of the running process.
func System() World {
	return World{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv}
}

// Main runs a command line and returns the exit code.
func Main(args []string, w World) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go heed(ctx, cancel)
	a := &app{world: w, args: args}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	err := root.ExecuteContext(ctx)
	return a.exit(err)
}

// heed ends a context when the process is told to end. To begin listening takes the
// system longer than most of what commands do, which does not wait for it: a signal
// that is earlier ends the process as one before Main does.
func heed(ctx context.Context, cancel context.CancelFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stops()...)
	// A second signal ends the process at once.
	defer signal.Stop(signals)
	select {
	case <-signals:
		cancel()
	case <-ctx.Done():
	}
}

// app holds the flags that every command has, and the streams.
type app struct {
	world World

	dir     string
	json    bool
	noColor bool
	host    string
	nested  bool
	plugins []string
	// takesFor: the command has the flag --for.
	takesFor bool
	// commands are set where GitHub Actions reads standard output and standard error.
	commands [2]*terminal.Commands
	// args are the words of the command line.
	args []string
}

// silent is the error of a command that has said all there is to say.
type silent struct{ code int }

func (silent) Error() string { return "" }

// failure is an error that the user can mend, with how.
type failure struct{ message, hint string }

func (f failure) Error() string { return f.message }

// usage marks an error as one of the command line's form.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func (a *app) exit(err error) int {
	var s silent
	var u usage
	var f failure
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &s):
		return s.code
	case errors.Is(err, context.Canceled):
		err = failure{message: "interrupted"}
	}
	// An error in the command line ends its parsing, maybe before this flag is read.
	a.noColor = a.noColor || slices.Contains(a.args, "--no-color")
	e := a.stderr()
	fmt.Fprintf(e, "%s %s\n", e.Paint(terminal.Red, "vade: error:"), terminal.EscapeLine(strings.TrimPrefix(err.Error(), "vade: ")))
	if isUsage(err) {
		f.hint = "see what there is with: vade --help"
	}
	if errors.As(err, &f) || f.hint != "" {
		fmt.Fprintf(e, "%s %s\n", e.Paint(terminal.Cyan, "vade: hint:"), terminal.EscapeLine(f.hint))
	}
	if errors.As(err, &u) || isUsage(err) {
		return exitUsage
	}
	return exitFailed
}

// isUsage recognizes what cobra says of commands that it does not know.
func isUsage(err error) bool { return strings.HasPrefix(err.Error(), "unknown command") }

func (a *app) stdout() *terminal.Writer { return a.writer(a.world.Stdout, a.commands[0]) }
func (a *app) stderr() *terminal.Writer { return a.writer(a.world.Stderr, a.commands[1]) }

func (a *app) writer(w io.Writer, c *terminal.Commands) *terminal.Writer {
	return terminal.New(w, terminal.Options{Env: a.world.LookupEnv, NoColour: a.noColor, Commands: c})
}

func (a *app) getenv(name string) string {
	v, _ := a.world.LookupEnv(name)
	return v
}

// open opens the catalog that the flags describe.
func (a *app) open(ctx context.Context, o catalog.Options) (*catalog.Catalog, error) {
	o, err := a.options(o)
	if err != nil {
		return nil, err
	}
	return catalog.Open(ctx, o)
}

// options are the options that the flags describe.
func (a *app) options(o catalog.Options) (catalog.Options, error) {
	o.Dir, o.As, o.Nested, o.PluginDirs = a.dir, a.host, a.nested, a.plugins
	o.Getenv = a.getenv
	if o.Companions == nil {
		// The process ends before anybody can read them.
		o.NoCompanions = true
	}
	if a.dir != "" {
		if info, err := os.Stat(a.dir); err != nil || !info.IsDir() {
			return o, usage{failure{"-C " + a.dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	for _, dir := range a.plugins {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return o, usage{failure{"--plugin-dir " + dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	if a.host != "" && !known(a.host) {
		return o, noHost("--as", a.host, "", catalog.Hosts())
	}
	return o, a.checkClient(&o.Client)
}

// noHost refuses a name that no host has, or not in that version. Other are words
// that the flag takes besides.
func noHost(flag, name, other string, names []string) error {
	if bare, _, pinned := strings.Cut(name, "@"); pinned && slices.Contains(names, bare) {
		versions := registry.VersionsOf(bare)
		return usage{failure{
			fmt.Sprintf("%s %s: %s is known in %s only", flag, name, bare, strings.Join(versions, " and ")), "use " + bare + ", or " + bare + "@" + versions[0],
		}}
	}
	return usage{failure{fmt.Sprintf("%s %s: no host is named so", flag, name), "use " + other + "one of: " + strings.Join(names, ", ")}}
}

// realHosts are the names of the hosts, without that of the neutral view.
func realHosts() []string { return registry.RealNames() }

func known(host string) bool {
	_, ok := registry.Lookup(host)
	return ok
}

const about = `Vade shows and loads what coding agents carry: skills, slash commands, agents and
instructions, in every layer and every host's format. "list" and "show" run
nothing. "load" and "render" run those shell commands of a definition that your policy
allows: by default those that only read, inside the project.

Exit codes: 0 fine, 1 something failed or is not there, 2 wrong usage, and
3 for a command that "vade shell" refuses.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "vade", Short: "The handbook of coding agents: list it, show it, load it", Long: about,
		Example: `  vade list                       what is in force here
  vade show deploy                one definition in full, with what is wrong in it
  vade load /review src           a command with its arguments, as JSON
  vade load skills: go, testing   two skills, as JSON
  vade shell -- 'git status'      try what the policy says of a command`,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.Version = version.Number
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage{failure{err.Error(), "see: " + c.CommandPath() + " --help"}}
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "work in `DIR` instead of the current directory")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.BoolVar(&a.noColor, "no-color", false, "print no colors")
	root.AddCommand(
		a.list(),
		a.show(),
		a.check(),
		a.audit(),
		a.export(),
		a.sync(),
		a.importing(),
		a.publish(),
		a.explain(),
		a.listing(),
		a.instructions(),
		a.prompt(),
		a.load(),
		a.render(),
		a.mcp(),
		a.serve(),
		a.connect(),
		a.shell(),
		a.loop(),
		a.making(),
		a.skillify(),
		a.schema(),
		a.policy(),
		a.trust(),
		a.servers(),
		a.version(),
		a.completion(),
	)
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Explain a command", Example: "  vade help load", RunE: func(c *cobra.Command, args []string) error {
		sub, _, err := c.Root().Find(args)
		if err != nil {
			return usage{failure{err.Error(), "see: vade --help"}}
		}
		return sub.Help()
	}})
	return root
}

// named reports whether the command line may be about a command, or about one below
// it: its name or an alias is among the words. No other command can be run, explained
// or completed, so that no other needs flags and commands of its own; to make them
// all would take longer than most commands run.
func (a *app) named(c *cobra.Command) bool {
	return slices.ContainsFunc(a.args, func(arg string) bool { return arg == c.Name() || c.HasAlias(arg) })
}

// view adds the flags that say what is looked at.
func (a *app) view(c *cobra.Command) {
	c.Flags().BoolVar(&a.nested, "nested", false, "look in all directories below the project too")
	c.Flags().StringArrayVar(&a.plugins, "plugin-dir", nil, "use the plugin in `DIR` (may be repeated)")
}

func (a *app) as(c *cobra.Command) {
	c.Flags().StringVar(&a.host, "as", "", "take the view of `HOST`: "+strings.Join(catalog.Hosts(), ", "))
	_ = c.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(catalog.Hosts(), cobra.ShellCompDirectiveNoFileComp))
}

// exactly wraps an argument check so that its failure counts as wrong usage.
func exactly(check cobra.PositionalArgs, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage{failure{err.Error(), hint}}
		}
		return nil
	}
}
