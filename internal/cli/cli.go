// Package cli implements the vade command line. Each command is in a file named after it.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/version"
)

// Exit codes. A command that found problems returns exitFailure.
const (
	exitOK = iota
	exitFailure
	exitUsage
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

// signalContext is canceled by an interrupt or termination signal. Installing a signal handler
// takes longer than most commands run, so the handler is installed only when a caller first waits
// on Done, or checks Err after 10 ms. A signal that arrives before then kills the process.
type signalContext struct {
	context.Context
	cancel    context.CancelCauseFunc
	begun     time.Time
	listening atomic.Bool
	held      atomic.Bool
	again     chan struct{}
}

func newSignalContext(parent context.Context) *signalContext {
	c := &signalContext{begun: time.Now(), again: make(chan struct{})}
	c.Context, c.cancel = context.WithCancelCause(parent)
	return c
}

func (c *signalContext) Done() <-chan struct{} {
	if !c.listening.Swap(true) {
		signals := make(chan os.Signal, 2)
		signal.Notify(signals, stopSignals()...)
		go c.cancelOnSignal(signals)
	}
	return c.Context.Done()
}

func (c *signalContext) Err() error {
	if !c.listening.Load() && time.Since(c.begun) > 10*time.Millisecond {
		c.Done()
	}
	return c.Context.Err()
}

// hold makes the next signal cancel the context with that signal as its cause. A second signal
// closes the returned channel instead of killing the process.
func (c *signalContext) hold() <-chan struct{} {
	c.held.Store(true)
	c.Done()
	return c.again
}

// cancelOnSignal cancels the context when the first termination signal arrives.
func (c *signalContext) cancelOnSignal(signals chan os.Signal) {
	// A second signal kills the process.
	defer signal.Stop(signals)
	select {
	case s := <-signals:
		number, ok := s.(syscall.Signal)
		if !ok || !c.held.Load() {
			c.cancel(nil)
			return
		}
		c.cancel(&sandbox.SignalError{Signal: number})
		<-signals
		close(c.again)
		// Ignore all further signals.
		select {}
	case <-c.Context.Done():
	}
}

// app holds the flags shared by all commands and the output streams.
type app struct {
	world World

	dir     string
	json    bool
	noColor bool
	noPager bool
	host    string
	nested  bool
	plugins []string
	// yes answers yes to all questions without asking.
	yes bool
	// questions prompts the user. It is nil until the first question.
	questions *questions
	// shown reports whether the command has printed its plan.
	shown bool
	// actions reports whether GitHub Actions reads stdout and stderr.
	actions bool
	// args are the command-line arguments.
	args    []string
	signals *signalContext
	// jsonPrinted reports whether JSON was written to stdout.
	jsonPrinted bool
	// out and err are created on first use.
	streams  sync.Mutex
	out, err *terminal.Writer
}

// silent is the error of a command that has already reported why it failed. code is its exit code.
type silent struct{ code int }

func (silent) Error() string { return "" }

// failure is an error with a hint for fixing it.
type failure struct{ message, hint string }

func (f failure) Error() string { return f.message }

// usage marks an error as invalid usage, which has its own exit code.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// hint pairs an error with advice for it. If usage is set, the error is a usage error.
type hint struct {
	is    error
	usage bool
	text  string
}

// withHint adds the advice of the first matching hint to err.
func withHint(err error, hints ...hint) error {
	for _, h := range hints {
		switch {
		case !errors.Is(err, h.is):
		case h.usage:
			return usage{failure{bare(err), h.text}}
		default:
			return failure{bare(err), h.text}
		}
	}
	return err
}

func (a *app) exit(err error) int {
	var s silent
	var u usage
	var f failure
	var e *definition.Error
	if err == nil && a.out != nil {
		err = a.out.Err()
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return s.code
	case errors.Is(err, context.Canceled):
		err = failure{message: "interrupted"}
	case errors.As(err, &u): // Usage errors have their own hint.
	case strings.HasPrefix(err.Error(), "unknown command"):
		// Replace cobra's message.
		names := []string{"help"}
		for _, c := range commandTable() {
			names = append(names, c.name)
		}
		err = unknownCommand("vade", a.commandName(), names)
	case errors.As(err, &e):
		err = failure{e.Message, e.Fix}
	case errors.Is(err, catalog.ErrNoHome):
		err = failure{bare(err), "set HOME, or set XDG_STATE_HOME to a directory for Vade's state"}
	}
	// Parsing stops at a usage error, so these flags may not have been parsed.
	given := a.args
	if i := slices.Index(given, "--"); i >= 0 {
		given = given[:i]
	}
	a.noColor = a.noColor || slices.Contains(given, "--no-color")
	a.json = a.json || errors.As(err, &u) && slices.Contains(given, "--json")
	if a.json && !a.jsonPrinted {
		_ = a.printJSON(map[string]string{"error": bare(err)})
	}
	out := a.stderr()
	out.Label(terminal.Red, "vade: error:", "%s", bare(err))
	if errors.As(err, &f); f.hint != "" {
		out.Label(terminal.Cyan, "vade: hint:", "%s", f.hint)
	}
	if errors.As(err, &u) {
		return exitUsage
	}
	if errors.Is(err, ledger.ErrVersion) {
		return exitRefused
	}
	return exitFailure
}

// bare returns err's message without the program name.
func bare(err error) string { return strings.TrimPrefix(err.Error(), "vade: ") }

func (a *app) stdout() *terminal.Writer { return a.writer(&a.out, a.world.Stdout) }
func (a *app) stderr() *terminal.Writer { return a.writer(&a.err, a.world.Stderr) }

func (a *app) writer(cached **terminal.Writer, w io.Writer) *terminal.Writer {
	a.streams.Lock()
	defer a.streams.Unlock()
	if *cached == nil {
		*cached = terminal.New(w, terminal.Options{Env: a.world.LookupEnv, NoColor: a.noColor, Actions: a.actions})
	}
	return *cached
}

// printJSON prints one value as indented JSON.
func (a *app) printJSON(v any) error {
	a.jsonPrinted = true
	data, err := jsonc.Marshal(v, "  ")
	if err == nil {
		_, err = a.world.Stdout.Write(terminal.EscapeJSON(data))
	}
	return err
}

// output prints v as JSON if --json is set, and otherwise calls text.
func (a *app) output(v any, text func() error) error {
	if a.json {
		return a.printJSON(v)
	}
	return text()
}

// failIf returns err or, if err is nil and the command found problems, an error with exit code 1.
func failIf(problems bool, err error) error {
	if err == nil && problems {
		return silent{exitFailure}
	}
	return err
}

// nonNil returns a non-nil copy of list, which marshals to [] instead of null.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }

// printText prints untrusted text. The text is escaped on a terminal and otherwise unchanged.
func (a *app) printText(text string) {
	if out := a.stdout(); out.IsTerminal() {
		text = terminal.Escape(text)
	}
	io.WriteString(a.stdout(), text)
}

// printProblems prints diagnostics to stderr.
func (a *app) printProblems(diags []diag.Diagnostic) error {
	return terminal.PrintDiagnostics(a.stderr(), diags...)
}

// printDiff prints a unified diff of untrusted text.
func printDiff(out *terminal.Writer, diff string) error {
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		if out.IsTerminal() {
			text = terminal.EscapeLine(text)
		}
		style := map[byte]terminal.Style{'+': terminal.Green, '-': terminal.Red, '@': terminal.Cyan}[line[0]]
		fmt.Fprintln(out, out.Paint(style, text))
	}
	return out.Err()
}

func plural(n int, word string) string { return number(n, word, word+"s") }

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// count is a number of things, such as "2 shadowed".
type count struct {
	n    int
	word string
}

// counted returns the nonzero counts as text.
func counted(list ...count) []string {
	var parts []string
	for _, c := range list {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return parts
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
		// The process exits before a model can read any companion files.
		o.NoCompanions = true
	}
	err := cmp.Or(directories("-C", a.dir), directories("--plugin-dir", a.plugins...),
		directories("--add-dir", o.Client.AddDirs...))
	if err != nil {
		return o, err
	}
	return o, a.checkClient(&o.Client)
}

// at resolves a path that the user specified, which is relative to -C.
func (a *app) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// directories returns a usage error if any of dirs, which were passed to flag, does not exist.
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

const about = `"list", "show" and "explain" are read-only and make no network requests unless you
configure remote servers. "load" and "render" run only a definition's read-only shell
commands. Anything else needs a policy and your approval.

Exit codes: 0 success, 1 failure or nothing found, 2 invalid usage, 3 refused by your
policy or the audit. See: vade help exit-codes.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "vade", Long: about,
		Short: "See which skills, commands, agents and instructions each coding agent loads",
		Example: `  vade list                       list active definitions
  vade show deploy                show one definition and its problems
  vade explain deploy             show which hosts load it, and why not
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
	// Building all commands takes longer than most commands run.
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

// command is a row in the command table. aliases are separated by spaces.
type command struct {
	group, name string
	build       func(*app) *cobra.Command
	aliases     string
}

// Titles of the command groups in the help, in display order.
const (
	inspectGroup    = "Inspect"
	checkGroup      = "Check"
	installGroup    = "Install"
	shareGroup      = "Share"
	connectGroup    = "Connect"
	previewGroup    = "Preview a host"
	runGroup        = "Run"
	permissionGroup = "Permissions"
	otherGroup      = "Other"
)

// commandTable returns all commands in help order.
func commandTable() []command {
	return []command{
		{group: inspectGroup, name: "list", aliases: "ls", build: (*app).list},
		{group: inspectGroup, name: "show", build: (*app).show},
		{group: inspectGroup, name: "explain", aliases: "why", build: (*app).explain},
		{group: inspectGroup, name: "search", build: (*app).search},
		{group: inspectGroup, name: "stats", build: (*app).stats},
		{group: checkGroup, name: "check", build: (*app).check},
		{group: checkGroup, name: "audit", build: (*app).audit},
		{group: checkGroup, name: "doctor", build: (*app).doctor},
		{group: installGroup, name: "add", build: (*app).add},
		{group: installGroup, name: "update", build: (*app).update},
		{group: installGroup, name: "remove", build: (*app).remove},
		{group: installGroup, name: "verify", build: (*app).verify},
		{group: installGroup, name: "owners", build: (*app).owners},
		{group: installGroup, name: "enable", build: (*app).enable},
		{group: installGroup, name: "disable", build: (*app).disable},
		{group: installGroup, name: "clean", build: (*app).clean},
		{group: installGroup, name: "new", build: (*app).newCommand},
		{group: installGroup, name: "skillify", build: (*app).skillify},
		{group: shareGroup, name: "sync", build: (*app).sync},
		{group: shareGroup, name: "init", build: (*app).initCommand},
		{group: shareGroup, name: "import", build: (*app).importCommand},
		{group: shareGroup, name: "export", build: (*app).export},
		{group: shareGroup, name: "publish", build: (*app).publish},
		{group: connectGroup, name: "connect", build: (*app).connect},
		{group: connectGroup, name: "serve", build: (*app).serve},
		{group: connectGroup, name: "mcp", build: (*app).mcp},
		{group: connectGroup, name: "remote", aliases: "servers", build: (*app).remote},
		{group: previewGroup, name: "render", build: (*app).render},
		{group: previewGroup, name: "listing", build: (*app).listing},
		{group: previewGroup, name: "instructions", build: (*app).instructions},
		{group: previewGroup, name: "prompt", build: (*app).prompt},
		{group: runGroup, name: "run", build: (*app).run},
		{group: runGroup, name: "runs", build: (*app).runs},
		{group: runGroup, name: "probe", build: (*app).probe},
		{group: runGroup, name: "loop", build: (*app).loop},
		{group: permissionGroup, name: "policy", build: (*app).policy},
		{group: permissionGroup, name: "trust", build: (*app).trust},
		{group: permissionGroup, name: "shell", build: (*app).shell},
		{group: otherGroup, name: "load", build: (*app).load},
		{group: otherGroup, name: "rpc", build: (*app).rpc},
		{group: otherGroup, name: "schema", build: (*app).schema},
		{group: otherGroup, name: "docs", build: (*app).docs},
		{group: otherGroup, name: "completion", build: (*app).completion},
		{group: otherGroup, name: "version", build: (*app).version},
	}
}

// commandName returns the first argument that is neither a global flag nor a flag's value.
func (a *app) commandName() string {
	for i := 0; i < len(a.args) && a.args[i] != "--"; i++ {
		switch word := a.args[i]; {
		case word == "-C" || word == "--directory":
			i++
		case !strings.HasPrefix(word, "-"):
			return word
		}
	}
	return ""
}

// viewFlags adds the flags that select the directories to read.
func (a *app) viewFlags(c *cobra.Command) {
	c.Flags().BoolVar(&a.nested, "nested", false, "also search all subdirectories of the project")
	c.Flags().StringArrayVar(&a.plugins, "plugin-dir", nil, "use the plugin in `DIR` (may be repeated)")
}

// viewFlag adds --host, which selects a host's view.
func (a *app) viewFlag(c *cobra.Command) {
	hostFlag(c, &a.host, "show what `HOST` sees (see: vade help hosts)", catalog.Hosts)
}

// completeFlag offers words as completions for a flag's value.
func completeFlag(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) completion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print a shell completion script",
		Long: "Print a script that completes commands, flags and definition names in bash, zsh,\nfish or powershell.",
		Example: `  vade completion bash > /etc/bash_completion.d/vade
  vade completion zsh > "${fpath[1]}/_vade"
  vade completion fish > ~/.config/fish/completions/vade.fish
  vade completion powershell >> $PROFILE`,
		ValidArgs: shells,
		Args:      checkArgs("use one of: bash, zsh, fish, powershell"),
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), a.world.Stdout
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			case "bash":
				return root.GenBashCompletionV2(out, true)
			}
			return unknownWord("completion", "shell", args[0], shells)
		},
	}
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Long: `--json prints {"version", "commit", "date", "go", "platform"}. commit and date are
empty unless this is a release build.`,
		Example: "  vade version\n  vade version --json",
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.printJSON(map[string]string{
					"version": version.Number, "commit": version.Commit, "date": version.Date,
					"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.world.Stdout, "vade %s (%s, %s/%s)\n", version.Number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// clientFlags adds flags that have the same names and meanings as flags of the hosts' own programs.
// They require --host. checkClient rejects flags that the selected host does not have.
func (a *app) clientFlags(c *cobra.Command, o *catalog.ClientOptions) {
	f := c.Flags()
	settings := catalog.SettingSources()
	about := "read settings and definitions only from the sources in `LIST`: " + strings.Join(settings, ",")
	f.Func("setting-sources", about, func(text string) error {
		// An empty, non-nil list selects no sources.
		o.SettingSources = []string{}
		for word := range strings.SplitSeq(text, ",") {
			switch word = strings.TrimSpace(word); {
			case word == "":
			case slices.Contains(settings, word):
				o.SettingSources = append(o.SettingSources, word)
			default:
				return fmt.Errorf("unknown source %q; use one of: %s", word, strings.Join(settings, ", "))
			}
		}
		return nil
	})
	f.BoolVar(&o.Bare, "bare", false, "do not load definitions or instructions")
	f.BoolVar(&o.NoCommands, "disable-slash-commands", false, "do not load skills or commands")
	choiceFlag(c, &o.PermissionMode, "permission-mode", "use the permission mode `MODE`", catalog.PermissionModes()...)
	f.Func("agents", "add the agents in `JSON` to those in files", func(text string) error {
		var all map[string]json.RawMessage
		err := json.Unmarshal([]byte(text), &all)
		if err == nil && all == nil {
			err = errors.New("the value is null")
		}
		if err != nil {
			return fmt.Errorf(`invalid JSON object: %w; use {"name": {"description": "…", "prompt": "…"}}`, err)
		}
		o.Agents = text
		return nil
	})
	a.agentFlag(c, &o.Agent, "agent", "run the session as the agent `NAME`")
	f.StringArrayVar(&o.AddDirs, "add-dir", nil, "also look for definitions in `DIR` (may be repeated)")
	positiveFlag(c, &o.ContextTokens, "context-tokens", "assume a model context of `N` tokens")
	f.StringArrayVar(&o.Touched, "touched", nil, "assume the session has read or edited `FILE` (may be repeated)")
	completeFlag(c, "setting-sources", settings...)
}

// neutral reports whether no host is selected.
func (a *app) neutral() bool { return a.host == "" || a.host == hosts.NeutralName }

const needsHost = "add --host HOST, such as --host claude-code"

// checkClient returns a usage error for flags that the selected host does not have.
func (a *app) checkClient(o *catalog.ClientOptions) error {
	p := registry.Neutral()
	if !a.neutral() {
		p, _ = registry.Lookup(a.host)
	}
	if foreign := (o.Switches() &^ p.Switches).Words(); len(foreign) > 0 {
		s := foreign[0]
		if a.neutral() {
			return usage{failure{s.Flag + " is a host-specific flag and needs --host", needsHost}}
		}
		hint := "remove it"
		var flags []string
		for _, s := range p.Switches.Words() {
			flags = append(flags, s.Flag)
		}
		if len(flags) > 0 {
			hint += "; available: " + strings.Join(flags, ", ")
		}
		return usage{failure{p.Name + " does not support " + s.Flag, hint}}
	}
	return nil
}

// agentFlag adds a flag that takes an agent name. It rejects an empty name, such as the value of an
// unset variable, because running without an agent means running without restrictions.
func (a *app) agentFlag(c *cobra.Command, to *string, flag, usage string) {
	c.Flags().Func(flag, usage, func(text string) error {
		if strings.TrimSpace(text) == "" {
			return errors.New("the name is empty; to list agents, run: vade list --kind agent")
		}
		*to = text
		return nil
	})
	_ = c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		names := a.names(c, definition.Agent)
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], "agent:")
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

// positiveFlag adds a flag that takes a positive integer.
func positiveFlag(c *cobra.Command, to *int, flag, usage string) {
	c.Flags().Func(flag, usage, func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return errors.New("must be a positive integer")
		}
		*to = n
		return nil
	})
}
