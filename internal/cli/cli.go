// Package cli implements the vade command line. Each command is in a file named after it.
package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/version"
)

// World holds a command's streams and environment.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	LookupEnv      func(string) (string, bool)
}

// System returns the World of the running process.
func System() World {
	return World{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv}
}

// Main runs a command line and returns the exit code.
func Main(args []string, w World) int {
	ctx := newSignalContext(context.Background())
	defer ctx.cancel(nil)
	a := &app{world: w, args: args, signals: ctx}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	err := root.ExecuteContext(ctx)
	return a.exit(err)
}

// Command returns the vade command with all of its subcommands, for generating man pages.
func Command() *cobra.Command {
	a := &app{world: System()}
	return a.root()
}

// app holds the output streams and the flags that all commands share.
type app struct {
	world World

	dir     string
	json    bool
	noColor bool
	noPager bool
	host    string
	nested  bool
	plugins []string
	// yes skips confirmation prompts, as if the user had answered yes.
	yes bool
	// questions prompts the user. It is nil until the first question.
	questions *questions
	// reviewing is set while the command prints the plan that it asks the user to confirm. shown is
	// set once the plan has been printed.
	reviewing, shown bool
	// actions is set if the output may go to a GitHub Actions log, which interprets some lines as
	// workflow commands.
	actions bool
	// args are the command-line arguments.
	args    []string
	signals *signalContext
	// jsonPrinted is set once JSON has been written to stdout.
	jsonPrinted bool
	// out and err are created on first use.
	streams  sync.Mutex
	out, err *terminal.Writer
}

func (a *app) getenv(name string) string {
	v, _ := a.world.LookupEnv(name)
	return v
}

// open opens the catalog that the flags select.
func (a *app) open(ctx context.Context, o catalog.Options) (*catalog.Catalog, error) {
	o, err := a.options(o)
	if err != nil {
		return nil, err
	}
	return catalog.Open(ctx, o)
}

// options returns o with the flag values added.
func (a *app) options(o catalog.Options) (catalog.Options, error) {
	o.Dir, o.As, o.Nested, o.PluginDirs = a.dir, a.host, a.nested, a.plugins
	o.Getenv = a.getenv
	if o.Companions == nil {
		// Do not write companion files: the process exits before a model can read them.
		o.NoCompanions = true
	}
	err := cmp.Or(directories("-C", a.dir), directories("--plugin-dir", a.plugins...),
		directories("--add-dir", o.Client.AddDirs...))
	if err != nil {
		return o, err
	}
	return o, a.checkClient(&o.Client)
}

// resolvePath resolves a path from the command line, which is relative to the -C directory.
func (a *app) resolvePath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// directories checks that the directories passed to a flag exist, and returns a usage error for the
// first one that does not.
func directories(flag string, dirs ...string) error {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
			return usage{failure{flag + " " + dir + ": no such directory", "specify an existing directory"}}
		}
	}
	return nil
}

func isHost(host string) bool {
	_, ok := registry.Lookup(host)
	return ok
}

const about = `"list" and "show" are read-only and make no network requests unless you configure
remote servers. "load" and "render" run only a definition's read-only shell commands.
Anything else needs a policy and your approval.

Exit codes: 0 success, 1 failure or nothing found, 2 invalid usage, 3 refused by your
policy or the audit. See: vade help exit-codes.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "vade", Long: about,
		Short: "See which skills, commands, agents and instructions each coding agent loads",
		Example: `  vade list                       list active definitions
  vade show deploy                show one definition and its problems
  vade explain deploy             show which hosts load or ignore it, and why
  vade load /review src           load a command with its arguments, as JSON
  vade load skills: go, testing   load two skills, as JSON`,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(c *cobra.Command, _ []string) error { return a.runOverview(c.Context()) },
	}
	root.Version = version.Number
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(flagName)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.printHelp(c) })
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "work in `DIR` instead of the current directory")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.BoolVar(&a.noColor, "no-color", false, "disable colors")
	commands := commandTable()
	// Build only the named command, because no other command can run or complete arguments.
	// Building all commands would take longer than running most of them.
	name := a.commandName()
	if i := slices.IndexFunc(commands, func(c command) bool {
		return name == c.name || c.aliases != "" && slices.Contains(strings.Fields(c.aliases), name)
	}); i >= 0 {
		commands = commands[i : i+1]
	}
	for _, c := range commandTable() {
		if !root.ContainsGroup(c.group) {
			root.AddGroup(&cobra.Group{ID: c.group, Title: c.group})
		}
	}
	for _, c := range commands {
		built := c.build(a)
		built.GroupID, built.Aliases = c.group, strings.Fields(c.aliases)
		checkAllArgs(built)
		root.AddCommand(built)
	}
	root.SetHelpCommand(a.help())
	return root
}
