// Package cli is the command line: it wires the library to arguments, streams
// and exit codes. One file holds one command.
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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
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
	ctx := &signalContext{begun: time.Now()}
	ctx.Context, ctx.cancel = context.WithCancel(context.Background())
	defer ctx.cancel()
	a := &app{world: w, args: args}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	err := root.ExecuteContext(ctx)
	return a.exit(err)
}

// signalContext is canceled when the process is told to end. To begin listening for that
// takes the system longer than most of what commands do. It begins when somebody waits
// for the end, or asks for it after a while. A signal that is earlier ends the process as
// one before Main does.
type signalContext struct {
	context.Context
	cancel    context.CancelFunc
	begun     time.Time
	listening atomic.Bool
}

func (c *signalContext) Done() <-chan struct{} {
	if !c.listening.Swap(true) {
		go cancelOnSignal(c.Context, c.cancel)
	}
	return c.Context.Done()
}

func (c *signalContext) Err() error {
	if !c.listening.Load() && time.Since(c.begun) > 10*time.Millisecond {
		c.Done()
	}
	return c.Context.Err()
}

// cancelOnSignal cancels a context when the process is told to end.
func cancelOnSignal(ctx context.Context, cancel context.CancelFunc) {
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
	// actions: GitHub Actions reads standard output and standard error.
	actions bool
	// args are the words of the command line.
	args []string
	// printed: standard output has JSON.
	printed bool
	// out and err are standard output and standard error once they are used.
	streams  sync.Mutex
	out, err *terminal.Writer
}

// silent is the error of a command that has said all there is to say.
type silent struct{ code int }

func (silent) Error() string { return "" }

// failure is an error that the user can fix, with how.
type failure struct{ message, hint string }

func (f failure) Error() string { return f.message }

// usage marks an error as one of the command line's form.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

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
		return exitFine
	case errors.As(err, &s):
		return s.code
	case errors.Is(err, context.Canceled):
		err = failure{message: "interrupted"}
	case errors.As(err, &u): // It has its own hint.
	case errors.As(err, &e):
		err = failure{e.Message, e.Fix}
	}
	// An error in the command line ends its parsing, maybe before this flag is read.
	a.noColor = a.noColor || slices.Contains(a.args, "--no-color")
	if a.json && !a.printed {
		_ = a.printJSON(map[string]string{"error": bare(err)})
	}
	out := a.stderr()
	out.Label(terminal.Red, "vade: error:", "%s", bare(err))
	if isUsage(err) {
		f.hint = "list commands with: vade help"
	}
	if errors.As(err, &f); f.hint != "" {
		out.Label(terminal.Cyan, "vade: hint:", "%s", f.hint)
	}
	if errors.As(err, &u) || isUsage(err) {
		return exitUsage
	}
	return exitFailed
}

// isUsage recognizes what cobra says of commands that it does not know.
func isUsage(err error) bool { return strings.HasPrefix(err.Error(), "unknown command") }

// bare is the text of an error without the name of the program.
func bare(err error) string { return strings.TrimPrefix(err.Error(), "vade: ") }

func (a *app) stdout() *terminal.Writer { return a.writer(&a.out, a.world.Stdout) }
func (a *app) stderr() *terminal.Writer { return a.writer(&a.err, a.world.Stderr) }

func (a *app) writer(kept **terminal.Writer, w io.Writer) *terminal.Writer {
	a.streams.Lock()
	defer a.streams.Unlock()
	if *kept == nil {
		*kept = terminal.New(w, terminal.Options{Env: a.world.LookupEnv, NoColour: a.noColor, Actions: a.actions})
	}
	return *kept
}

// printJSON prints one value as indented JSON.
func (a *app) printJSON(v any) error {
	a.printed = true
	data, err := jsonc.Marshal(v, "  ")
	if err == nil {
		_, err = a.world.Stdout.Write(terminal.EscapeJSON(data))
	}
	return err
}

// present makes an empty list of nil, which JSON would print as null.
func present[T any](list []T) []T { return append([]T{}, list...) }

// printText prints other people's text: escaped on a terminal, else exactly as it is.
func (a *app) printText(text string) {
	if out := a.stdout(); out.IsTerminal() {
		text = terminal.Escape(text)
	}
	io.WriteString(a.stdout(), text)
}

// printProblems prints diagnostics to standard error.
func (a *app) printProblems(diags []diag.Diagnostic) error {
	for _, d := range diags {
		terminal.PrintDiagnostic(a.stderr(), d)
	}
	return a.stderr().Err()
}

// printDiff prints a unified diff of other people's text.
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

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
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
	err := cmp.Or(directories("-C", a.dir), directories("--plugin-dir", a.plugins...),
		directories("--add-dir", o.Client.AddDirs...))
	if err != nil {
		return o, err
	}
	if a.host != "" && !known(a.host) {
		return o, noHost("--as", a.host, "", catalog.Hosts())
	}
	return o, a.checkClient(&o.Client)
}

// directories refuses the directories of a flag that do not exist.
func directories(flag string, dirs ...string) error {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
			return usage{failure{flag + " " + dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	return nil
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

const about = `"list", "show" and "explain" are read-only and make no network requests unless you
configure remote servers. "load" and "render" run only read-only shell commands of a
definition. Anything else needs a policy and your approval.

Exit codes: 0 success, 1 failure or nothing found, 2 invalid usage, and 3 for a
command that "vade shell" refuses. See: vade help exit-codes`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "vade", Long: about,
		Short: "See which skills, commands, agents and instructions each coding agent loads",
		Example: `  vade list                       list active definitions
  vade show deploy                show one definition and its problems
  vade explain deploy             show which hosts load it, and why others do not
  vade load /review src           load a command with its arguments, as JSON
  vade load skills: go, testing   load two skills, as JSON`,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.Version = version.Number
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage{failure{err.Error(), "see: " + c.CommandPath() + " --help"}}
	})
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.printHelp(c) })
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "work in `DIR` instead of the current directory")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.BoolVar(&a.noColor, "no-color", false, "print no colors")
	type command struct {
		name, group string
		build       func(*app) *cobra.Command
	}
	const inspect, checks, share, connect, preview, permissions = "inspect", "check", "share", "connect", "preview", "permissions"
	root.AddGroup([]*cobra.Group{
		{ID: inspect, Title: "Inspect"}, {ID: checks, Title: "Check"}, {ID: share, Title: "Create and share"},
		{ID: connect, Title: "Connect agents and servers"}, {ID: preview, Title: "See what a model gets"},
		{ID: permissions, Title: "Permissions"},
	}...)
	commands := []command{
		{"list", inspect, (*app).list},
		{"show", inspect, (*app).show},
		{"explain", inspect, (*app).explain},
		{"check", checks, (*app).check},
		{"audit", checks, (*app).audit},
		{"new", share, (*app).making},
		{"skillify", share, (*app).skillify},
		{"export", share, (*app).export},
		{"sync", share, (*app).sync},
		{"import", share, (*app).importing},
		{"publish", share, (*app).publish},
		{"connect", connect, (*app).connect},
		{"serve", connect, (*app).serve},
		{"mcp", connect, (*app).mcp},
		{"servers", connect, (*app).servers},
		{"load", preview, (*app).load},
		{"render", preview, (*app).render},
		{"prompt", preview, (*app).prompt},
		{"listing", preview, (*app).listing},
		{"instructions", preview, (*app).instructions},
		{"policy", permissions, (*app).policy},
		{"trust", permissions, (*app).trust},
		{"shell", permissions, (*app).shell},
		{"loop", "", (*app).loop},
		{"schema", "", (*app).schema},
		{"version", "", (*app).version},
		{"completion", "", (*app).completion},
	}
	// A command that is named is all that can run, be explained or completed. To make
	// the others as well would take longer than most commands run.
	if i := slices.IndexFunc(commands, func(c command) bool { return c.name == a.first() }); i >= 0 {
		commands = commands[i : i+1]
	}
	for _, c := range commands {
		built := c.build(a)
		built.GroupID = c.group
		root.AddCommand(built)
	}
	root.SetHelpCommand(a.help())
	return root
}

// first returns the first word of the command line that is no flag and no value of one
// that comes before commands.
func (a *app) first() string {
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

// view adds the flags that say what is looked at.
func (a *app) view(c *cobra.Command) {
	c.Flags().BoolVar(&a.nested, "nested", false, "look in all directories below the project too")
	c.Flags().StringArrayVar(&a.plugins, "plugin-dir", nil, "use the plugin in `DIR` (may be repeated)")
}

func (a *app) as(c *cobra.Command) {
	c.Flags().StringVar(&a.host, "as", "", "take the view of `HOST` (see: vade help hosts)")
	complete(c, "as", catalog.Hosts()...)
}

// complete offers words to the shell as the values of a flag.
func complete(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// choice adds a flag that takes one of some words.
func choice(c *cobra.Command, to *string, flag, usage string, words ...string) {
	c.Flags().Func(flag, usage+": "+strings.Join(words, ", "), func(text string) error {
		if !slices.Contains(words, text) {
			return fmt.Errorf("use one of: %s", strings.Join(words, ", "))
		}
		*to = text
		return nil
	})
	complete(c, flag, words...)
}

// kinds adds the flag --kind.
func kinds(c *cobra.Command, to *[]definition.Kind, verb string) {
	var words []string
	for _, k := range definition.Kinds {
		words = append(words, k.String())
	}
	c.Flags().Func("kind", verb+" only `KIND` (may be repeated): "+strings.Join(words, ", "), func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			k, ok := definition.ParseKind(word)
			if !ok {
				return errors.New("use skill, command, agent or instruction")
			}
			*to = append(*to, k)
		}
		return nil
	})
	complete(c, "kind", words...)
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

func (a *app) completion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print the completion script of a shell",
		Long: "Print the script that completes vade's commands, flags and names in bash, zsh, fish or powershell.",
		Example: `  vade completion bash > /etc/bash_completion.d/vade
  vade completion zsh > "${fpath[1]}/_vade"
  vade completion fish > ~/.config/fish/completions/vade.fish
  vade completion powershell >> $PROFILE`,
		ValidArgs: shells,
		Args:      exactly(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), "use one of: bash, zsh, fish, powershell"),
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), a.world.Stdout
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return root.GenBashCompletionV2(out, true)
		},
	}
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  vade version\n  vade version --json",
		Args: exactly(cobra.NoArgs, "see: vade version --help"),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.printJSON(map[string]string{
					"version": version.Number, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.world.Stdout, "vade %s (%s, %s/%s)\n", version.Number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// client adds the switches of a host's own program, by its own names. They mean
// something in the view of a host only; open sees to that.
func (a *app) client(c *cobra.Command, o *catalog.ClientOptions) {
	f := c.Flags()
	settings := catalog.SettingSources()
	about := "read the user's, the project's and the local settings and definitions only of `LIST`: " + strings.Join(settings, ",")
	f.Func("setting-sources", about, func(text string) error {
		// An empty list reads none.
		o.SettingSources = []string{}
		for word := range strings.SplitSeq(text, ",") {
			switch word = strings.TrimSpace(word); {
			case word == "":
			case slices.Contains(settings, word):
				o.SettingSources = append(o.SettingSources, word)
			default:
				return fmt.Errorf("unknown source %q; use %s", word, strings.Join(settings, ", "))
			}
		}
		return nil
	})
	f.BoolVar(&o.Bare, "bare", false, "load no definitions and no instructions")
	f.BoolVar(&o.NoCommands, "disable-slash-commands", false, "load no skills and no commands")
	choice(c, &o.PermissionMode, "permission-mode", "ask for permission as in `MODE`", catalog.PermissionModes()...)
	f.Func("agents", "use the agents of `JSON` besides those in files", func(text string) error {
		var all map[string]json.RawMessage
		err := json.Unmarshal([]byte(text), &all)
		if err == nil && all == nil {
			err = errors.New("it is null")
		}
		if err != nil {
			return fmt.Errorf(`not a JSON object: %w; write {"name": {"description": "…", "prompt": "…"}}`, err)
		}
		o.Agents = text
		return nil
	})
	a.agent(c, &o.Agent, "agent", "run the session as the agent `NAME`")
	f.StringArrayVar(&o.AddDirs, "add-dir", nil, "look for definitions in `DIR` too (may be repeated)")
	positive(c, &o.ContextTokens, "context-tokens", "the model's context has `N` tokens")
	f.StringArrayVar(&o.Touched, "touched", nil, "the session has read or changed `FILE` (may be repeated)")
	complete(c, "setting-sources", settings...)
	c.PreRun = func(c *cobra.Command, _ []string) { a.takesFor = c.Flags().Lookup("for") != nil }
}

// neutral reports whether the view is no host's.
func (a *app) neutral() bool { return a.host == "" || a.host == hosts.NeutralName }

// checkClient refuses switches that the view's host does not have.
func (a *app) checkClient(o *catalog.ClientOptions) error {
	given := o.SetFields()
	if len(given) == 0 {
		return nil
	}
	p := registry.Neutral()
	if !a.neutral() {
		p, _ = registry.Lookup(a.host)
	}
	if foreign := (hosts.SwitchesOf(given) &^ p.Switches).Words(); len(foreign) > 0 {
		s := foreign[0]
		if a.neutral() {
			hint := "name the host: --as claude-code"
			if s.Is == hosts.SwitchTouched && a.takesFor {
				hint = "use --for FILE, or " + hint
			}
			return usage{failure{s.Flag + " is a switch of a host's program and means nothing in the neutral view", hint}}
		}
		hint := "leave it out"
		var flags []string
		for _, s := range p.Switches.Words() {
			flags = append(flags, s.Flag)
		}
		if len(flags) > 0 {
			hint += "; there are: " + strings.Join(flags, ", ")
		}
		return usage{failure{s.Flag + " means nothing in the view of " + p.Name, hint}}
	}
	return nil
}

// agent adds a flag that takes the name of an agent. An empty name, as of a variable that
// is not set, is refused: it would ask for no agent, and get what is only for some.
func (a *app) agent(c *cobra.Command, to *string, flag, usage string) {
	c.Flags().Func(flag, usage, func(text string) error {
		if strings.TrimSpace(text) == "" {
			return errors.New("it names no agent; see: vade list --kind agent")
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

// positive adds a flag that takes a number above 0.
func positive(c *cobra.Command, to *int, flag, usage string) {
	c.Flags().Func(flag, usage, func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return errors.New("not a number above 0")
		}
		*to = n
		return nil
	})
}
