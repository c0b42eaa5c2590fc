package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/install"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/terminal"
)

// installFlags holds the flags shared by the commands that install definitions.
type installFlags struct {
	hosts                     []string
	user, every, dry          bool
	frozen                    bool
	pin, edits, format        string
	action, question, nothing string
	// source is the argument that the user passed to add.
	source string
}

// printedInstall is the JSON output of vade add, vade update and vade remove.
type printedInstall struct {
	// Directory is the base for the relative paths in Changes.
	Directory string            `json:"directory"`
	Changes   []*install.Change `json:"changes"`
	// Available lists the skills in the source. It is set only if the user did not name any.
	Available []install.Candidate `json:"available,omitempty"`
	// Done reports whether the changes were made.
	Done bool `json:"done"`
}

func (a *app) add() *cobra.Command {
	f := installFlags{action: "add", question: "Install", nothing: "everything is already installed"}
	c := &cobra.Command{
		Use: "add SOURCE [NAME…]", Short: "Install definitions from a repository, package or site",
		Long: `Fetch a source, audit the definitions in it, show which files would be written, and
install them after you confirm. Without NAME, Vade lists the definitions in the source
and, on a terminal, asks which ones to install. NAME can be KIND:NAME.

SOURCE is OWNER/REPO[/PATH][@REF] on GitHub, gitlab:OWNER/REPO, any git URL (https, ssh
or file; @REF selects a branch, tag or commit), a site with a skill index, a .zip or
.tar.gz file or URL, npm:PACKAGE[@VERSION], a local directory, or PLUGIN@SOURCE for a
plugin in a marketplace. Vade does not run anything from the source.

Definitions that the audit blocks are not installed, even with --yes, unless you suppress
the findings in your policy. For what is written and where, run: vade help add.

Exit codes: 0 done or nothing to do, 1 failure or a conflict, 2 invalid usage, 3 a
definition is blocked by the audit.`,
		Example: `  vade add anthropics/skills                 list its definitions
  vade add anthropics/skills pdf docx        install two of them
  vade add anthropics/skills/skills/pdf@v1.2 from a directory at a tag
  vade add https://example.com notes --user  from a site, for all your projects
  vade add tools@acme/plugins --every        a plugin from a marketplace
  vade add npm:@acme/skills agent:reviewer
  vade add ./shared --every --dry-run`,
		Args: checkArgs("specify a source: vade add OWNER/REPO"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runAdd(c.Context(), f, args[0], args[1:])
		},
	}
	f.add(a, c)
	hostsFlag(c, &f.hosts, "install for `HOST` (may be repeated; default: the hosts in use)", registry.RealNames)
	c.Flags().BoolVar(&f.every, "every", false, "install everything in the source")
	c.Flags().StringVar(&f.pin, "pin", "", "install from the branch, tag, commit or version `REF` (same as SOURCE@REF)")
	return c
}

func (f *installFlags) add(a *app, c *cobra.Command) {
	c.Flags().BoolVar(&f.user, "user", false, "use your home directory instead of the project")
	a.yesFlag(c)
	c.Flags().BoolVarP(&f.dry, "dry-run", "n", false, "show the changes without making them")
}

func (a *app) update() *cobra.Command {
	f := installFlags{action: "update", question: "Update", nothing: "everything is up to date"}
	c := &cobra.Command{
		Use: "update [NAME…]", Short: "Update installed definitions from their sources",
		Long: `Fetch the sources of installed definitions again, audit them, show the differences,
and update the definitions after you confirm. Vade also shows new audit findings and any
changes to a definition's requirements or description. A moved tag, a different signer
or a file that you edited is a conflict. If there is a conflict, nothing is changed.
--edits controls what happens to definitions that you edited: keep does not update them,
replace discards your edits, and patch saves your edits as .vade/NAME.patch before
updating, so that you can restore them with git apply.

Exit codes: 0 done or nothing to do, 1 failure or a conflict, 2 invalid usage, 3 a
definition is blocked by the audit.`,
		Example: `  vade update --dry-run
  vade update pdf --edits patch`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.install(c.Context(), f, func(x *install.Installer) ([]*install.Change, error) {
				return x.Update(c.Context(), args)
			})
		},
	}
	f.add(a, c)
	choiceFlag(c, &f.edits, "edits", "use `RESOLUTION` to resolve conflicts in files that you edited", install.KeepEdits, install.ReplaceEdits, install.PatchEdits)
	return c
}

func (a *app) remove() *cobra.Command {
	f := installFlags{action: "remove", question: "Remove", nothing: "no files to remove, only records"}
	c := &cobra.Command{
		Use: "remove NAME…", Short: "Remove installed definitions",
		Long: `Remove definitions that vade add installed, including their files,
symlinks and records. Files that you added are kept. A file that you edited is a
conflict, and nothing is changed unless you pass --edits: keep removes the record but
not the file, and discard removes both.

Exit codes: 0 done, 1 failure, a conflict or not installed, 2 invalid usage.`,
		Example: `  vade remove pdf
  vade remove pdf --edits keep
  vade remove pdf --user --yes`,
		Args: checkArgs("specify a definition: vade remove NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.install(c.Context(), f, func(x *install.Installer) ([]*install.Change, error) { return x.Remove(args) })
		},
	}
	f.add(a, c)
	choiceFlag(c, &f.edits, "edits", "use `RESOLUTION` to resolve conflicts in files that you edited", install.KeepEdits, install.DiscardEdits)
	return c
}

func (a *app) verify() *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use: "verify", Short: "Check installed definitions against their records and sources",
		Long: `Compare the files and symlinks of installed definitions against
.vade/lock.yaml and skills-lock.json, and against the recorded commits of their sources.
In CI, use --frozen to check only the files, without network access. Files recorded by
npx skills, gh, ToolHive or APM are checked against those installers' ledgers.

Exit codes: 0 no difference, 1 failure or a difference, 2 invalid usage, 3 a ledger's
format is not supported by this version of Vade.`,
		Example: `  vade verify
  vade verify --frozen --json`,
		RunE: func(c *cobra.Command, _ []string) error { return a.runVerify(c.Context(), f) },
	}
	c.Flags().BoolVar(&f.user, "user", false, "check your home directory instead of the project")
	c.Flags().BoolVar(&f.frozen, "frozen", false, "do not fetch the sources")
	choiceFlag(c, &f.format, "format", "print `FORMAT` (default text)", "text", "json", "sarif")
	return c
}

func (a *app) owners() *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use: "owners [NAME]", Short: "Show who installed each definition",
		Long: `Compare the ledgers of Vade, npx skills, gh, ToolHive and APM with what is on disk,
and show who installed each definition. A definition is owned by one installer,
double-booked by several, drifted from its ledger, orphaned (its files are gone),
diverged (its copies differ), or unrecorded in any ledger. For each problem, Vade
prints how to resolve it. With NAME, Vade also shows what npx skills remove and gh skill
update would do to the definition.

Exit codes: 0 no problem, 1 failure or a problem, 2 invalid usage, 3 a ledger's format
is not supported by this version of Vade.`,
		Example: `  vade owners
  vade owners pdf --user`,
		Args: checkArgs("specify one definition: vade owners NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runOwners(c.Context(), f, strings.Join(args, ""))
		},
	}
	c.Flags().BoolVar(&f.user, "user", false, "check your home directory instead of the project")
	return c
}

// installer returns an installer for the project or, with --user, the home directory. It also
// returns the fetcher that the installer uses.
func (a *app) installer(ctx context.Context, f *installFlags) (*install.Installer, *source.Fetcher, error) {
	o, err := a.options(catalog.Options{Shell: withHelper(catalog.ShellOptions{})})
	if err != nil {
		return nil, nil, err
	}
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	defer cat.Close()
	cache, err := cat.StateDir("sources")
	if err != nil {
		return nil, nil, err
	}
	if f.user && cat.Env.Home == "" {
		return nil, nil, catalog.ErrNoHome
	}
	fetcher := &source.Fetcher{Helper: o.Shell.SandboxHelper, Cache: cache, Env: os.Environ()}
	var forbid []string
	if p := cat.Quick.Project; p != nil {
		forbid = append(forbid, p.Dir())
	}
	// It is not an error if git is missing: other kinds of sources still work.
	fetcher.Git, _ = sandbox.Find("git", sandbox.Search{Path: a.getenv("PATH"), Forbid: forbid})
	x, err := install.Open(ctx, install.Options{Catalog: o, User: f.user, Home: cat.Env.Home, Hosts: f.hosts,
		Fetcher: fetcher, Edits: f.edits})
	if err != nil {
		return nil, nil, err
	}
	return x, fetcher, nil
}

// sourceError adds a hint to an error from reading a source, or to the error for a definition that
// is not installed.
func sourceError(err error) error {
	var s *source.Error
	var missing *install.NotInstalledError
	switch {
	case errors.Is(err, source.ErrSource) && errors.As(err, &s):
		return usage{failure{s.Error(), s.Hint}}
	case errors.As(err, &s):
		return failure{s.Error(), s.Hint}
	case errors.As(err, &missing):
		return failure{missing.Error(), didYouMean(missing.Name, missing.Names, "to list installed definitions, run: vade owners; for your home directory, add --user")}
	}
	return err
}

func (a *app) runAdd(ctx context.Context, f installFlags, typed string, names []string) error {
	if f.every && len(names) > 0 {
		return usage{failure{"--every and NAME cannot be used together", "use only one of them"}}
	}
	f.source = typed
	x, fetcher, err := a.installer(ctx, &f)
	if err != nil {
		return err
	}
	defer x.Close()
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return err
	}
	s, err := source.Parse(typed, dir)
	if err == nil && f.pin != "" {
		err = s.Pin(f.pin)
	}
	if err != nil {
		return sourceError(err)
	}
	progress := a.stderr().StartProgress("fetching " + typed)
	var bareNames []string
	for _, name := range names {
		bareNames = append(bareNames, install.BareName(name))
	}
	fetched, err := fetcher.Fetch(ctx, s, bareNames)
	progress.Done()
	if err != nil {
		return sourceError(err)
	}
	all, err := x.Find(ctx, fetched)
	if err != nil {
		return err
	}
	for _, o := range fetched.Omitted {
		a.stderr().Label(terminal.Yellow, "vade: warning:", "%s: skipped %s: %s", typed, o.Path, o.Reason)
	}
	if len(all) == 0 {
		return failure{typed + ": no definitions found", "a skill is a directory with a SKILL.md; see: vade help add"}
	}
	var chosen []install.Candidate
	for _, name := range names {
		found := slices.DeleteFunc(slices.Clone(all), func(c install.Candidate) bool { return !c.Is(name) })
		if len(found) == 0 {
			return failure{fmt.Sprintf("%s: no definition named %q", typed, name), nearest(name, all, typed)}
		}
		if first := found[0]; slices.ContainsFunc(found, func(c install.Candidate) bool { return c.Kind != first.Kind }) {
			return failure{fmt.Sprintf("%s: %q is the name of more than one kind of definition", typed, name), "specify the kind: " + first.Kind + ":" + name}
		}
		chosen = append(chosen, found...)
	}
	switch {
	case f.every:
		chosen = all
	case len(chosen) == 0 && len(all) == 1:
		chosen = all
	case len(chosen) == 0:
		if chosen, err = a.choose(ctx, x.Dir(), typed, all); err != nil || len(chosen) == 0 {
			return err
		}
	}
	return a.confirmAndApply(ctx, f, x, func() ([]*install.Change, error) { return x.Add(ctx, s, fetched, chosen) })
}

func nearest(name string, all []install.Candidate, typed string) string {
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return didYouMean(name, names, "to list its definitions, run: vade add "+shell.ForShell(typed))
}

// choose prints the definitions in a source and, on a terminal, asks which ones to install.
func (a *app) choose(ctx context.Context, dir, typed string, all []install.Candidate) ([]install.Candidate, error) {
	if a.json {
		return nil, a.printJSON(printedInstall{Directory: dir, Changes: []*install.Change{}, Available: all})
	}
	table := terminal.Table{Columns: []terminal.Column{{Title: "KIND"}, {Title: "NAME", Style: terminal.Bold}, {Title: "DESCRIPTION", Flexible: true}}}
	for _, c := range all {
		table.Row(c.Kind, c.Name, c.Description)
	}
	table.Print(a.stdout())
	if err := a.stdout().Err(); err != nil {
		return nil, err
	}
	if !a.canAsk() {
		a.stderr().Line(terminal.Plain, "vade: %s; to install some, run: vade add %s NAME…", plural(len(all), "definition"), shell.ForShell(typed))
		return nil, nil
	}
	var chosen []install.Candidate
	err := a.ask(ctx, "specify the names: vade add "+shell.ForShell(typed)+" NAME…").ask("Install which ones? (names separated by spaces, * for all, empty to cancel)", func(answer string) error {
		chosen = nil
		for _, arg := range strings.Fields(answer) {
			before := len(chosen)
			for _, c := range all {
				if arg == "*" || c.Is(arg) {
					chosen = append(chosen, c)
				}
			}
			if len(chosen) == before {
				return fmt.Errorf("no definition named %q", arg)
			}
		}
		return nil
	})
	return chosen, err
}

// install opens the project and applies the changes that plan returns.
func (a *app) install(ctx context.Context, f installFlags, plan func(*install.Installer) ([]*install.Change, error)) error {
	x, _, err := a.installer(ctx, &f)
	if err != nil {
		return err
	}
	defer x.Close()
	return a.confirmAndApply(ctx, f, x, func() ([]*install.Change, error) { return plan(x) })
}

// finishHint is the hint for errors that occur while changes are being applied.
const finishHint = "after resolving the problem, run the same command again to finish"

// confirmAndApply prints the planned changes, asks for confirmation, and applies them.
func (a *app) confirmAndApply(ctx context.Context, f installFlags, x *install.Installer, plan func() ([]*install.Change, error)) error {
	progress := a.stderr().StartProgress("auditing")
	changes, err := plan()
	progress.Done()
	if err != nil {
		return sourceError(err)
	}
	code, steps := exitOK, 0
	for _, c := range changes {
		steps += len(c.Steps)
		switch {
		case c.Blocked():
			code = exitRefused
		case len(c.Conflicts) > 0 && code == exitOK:
			code = exitFailure
		}
	}
	out := printedInstall{Directory: x.Dir(), Changes: changes}
	if !a.json {
		for _, c := range changes {
			if unchanged := len(c.Steps)+len(c.Conflicts)+len(c.Kept) == 0 && !c.Blocked(); !unchanged || f.action != "update" {
				a.printInstall(c)
			}
		}
	}
	// Call Apply even if there are no steps, because it also records the current state.
	apply := code == exitOK && !f.dry
	if apply && steps > 0 {
		if err := a.confirmChange(ctx, f.question+" "+plural(len(changes), "definition")+"?"); err != nil {
			return err
		}
	}
	if apply {
		if err := x.Apply(ctx, changes); err != nil {
			return failure{withoutProgramName(err), finishHint}
		}
		out.Done = true
	}
	switch {
	case a.json:
		if err := a.printJSON(out); err != nil {
			return err
		}
	case code != exitOK:
		a.printRefused(f, changes)
	case steps == 0 && f.action == "update" && slices.ContainsFunc(changes, func(c *install.Change) bool { return len(c.Kept) > 0 }):
		a.stderr().Line(terminal.Plain, "vade: nothing was updated: edited definitions were kept")
	case steps == 0 && (f.action != "remove" || !out.Done): // Removing only a ledger record takes no steps.
		a.stderr().Line(terminal.Plain, "vade: %s", f.nothing)
	case out.Done:
		a.stderr().Line(terminal.Green, "vade: done: %s%s", plural(len(changes), "definition"), undo(x, changes))
	}
	if code != exitOK {
		return silent{code}
	}
	return nil
}

// printRefused lists the definitions that could not be changed, and suggests a command that skips
// them. No definition is changed if any is refused.
func (a *app) printRefused(f installFlags, changes []*install.Change) {
	var refused, others []string
	blocked := false
	for _, c := range changes {
		blocked = blocked || c.Blocked()
		if c.Blocked() || len(c.Conflicts) > 0 {
			refused = append(refused, c.Name)
			continue
		}
		others = append(others, shell.ForShell(c.Kind+":"+c.Name))
	}
	e := a.stderr()
	e.Label(terminal.Red, "vade: error:", "nothing was changed: problems with %s; see the output above", strings.Join(refused, ", "))
	if blocked {
		e.Label(terminal.Cyan, "vade: hint:", "to accept the findings after you review them, suppress them in your policy; see: vade help audit")
	}
	// Do not list dozens of names, because the command would be hard to read.
	if len(others) > maxNamed {
		others = []string{"NAME…"}
	}
	if len(others) > 0 {
		command := []string{"vade", f.action}
		if f.source != "" {
			command = append(command, shell.ForShell(f.source))
		}
		if command = append(command, others...); f.user {
			command = append(command, "--user")
		}
		if f.pin != "" {
			command = append(command, "--pin", shell.ForShell(f.pin))
		}
		if len(f.hosts) > 0 {
			command = append(command, "--host", strings.Join(f.hosts, ","))
		}
		if f.edits != "" {
			command = append(command, "--edits", f.edits)
		}
		e.Label(terminal.Cyan, "vade: hint:", "to skip %s, run: %s", strings.Join(refused, ", "), strings.Join(command, " "))
	}
}

// maxNamed is the maximum number of definitions that a suggested command names.
const maxNamed = 10

// undo returns a hint for undoing the changes. It returns "" if no command can undo them because an
// update replaced a version or edited files were kept. If definitions were removed from several
// sources, the hint has one command per source.
func undo(x *install.Installer, changes []*install.Change) string {
	var commands [][]string
	names := map[string][]string{}
	for _, c := range changes {
		if c.New != nil && c.Old != nil || len(c.Kept) > 0 {
			return ""
		}
		command := []string{"remove"}
		if c.New == nil {
			command = x.AddArgs(c.Old, true)
		}
		key := x.Command(command...)
		if names[key] == nil {
			commands = append(commands, command)
		}
		names[key] = append(names[key], c.Name)
	}
	var lines []string
	for _, command := range commands {
		line := x.Command(command...)
		if list := names[line]; len(list) > maxNamed {
			line += " NAME…"
		} else {
			line = x.Command(append(command, list...)...)
		}
		lines = append(lines, line)
	}
	return "; to undo, run: " + strings.Join(lines, " && ")
}

func (a *app) printInstall(c *install.Change) {
	p := auditPrinter{out: a.stdout()}
	r := c.New
	if r == nil {
		r = c.Old
	}
	head := c.Kind + " " + c.Name + " from " + r.Source
	if r.Commit != "" {
		head += " at commit " + r.Commit[:12]
	}
	p.linef(terminal.Bold, 0, "%s", head)
	switch {
	case len(c.Hosts) > 0:
		p.linef(terminal.Plain, 2, "for %s", strings.Join(c.Hosts, ", "))
	case c.New != nil && len(c.Conflicts) == 0:
		p.linef(terminal.Plain, 2, "for hosts that read %s; to choose others, use --host", path.Dir(c.New.Dir))
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		if s.Link != "" {
			p.linef(terminal.Plain, 2, "%-6s %s -> %s", s.Action, s.Path, s.Link)
			continue
		}
		p.linef(terminal.Plain, 2, "%-6s %s", s.Action, s.Path)
		if s.Action == "update" {
			_ = printDiff(a.stdout(), s.Diff())
		}
	}
	for _, at := range c.Kept {
		p.linef(terminal.Yellow, 2, "keep   %s: edited, or not installed by Vade", at)
	}
	for i := range c.Losses {
		l := &c.Losses[i]
		p.linef(terminal.Yellow, 2, "loss   %s: %s", l.Host, l.Message)
	}
	var listed []string
	for _, s := range c.Seen {
		if s.Clash != "" {
			p.linef(terminal.Yellow, 2, "clash  %s %s", s.Host, s.Clash)
		}
		if s.Tokens > 0 {
			listed = append(listed, fmt.Sprintf("%s %d tokens", s.Host, s.Tokens))
		}
	}
	if len(listed) > 0 {
		p.linef(terminal.Dim, 2, "listing entry: %s", strings.Join(listed, ", "))
	}
	if c.New != nil && c.New.Signer != "" {
		p.linef(terminal.Dim, 2, "signer %s (not verified)", c.New.Signer)
	}
	if c.Package != nil {
		p.verdict(c.Package)
	}
	if d := c.Delta; d != nil {
		if d.Before != d.After {
			p.linef(terminal.Yellow, 2, "description was: %s", d.Before)
			p.linef(terminal.Yellow, 2, "description is:  %s", d.After)
		}
		for _, f := range d.Findings {
			p.linef(severityStyle(f.Severity), 2, "new    %s %s:%d: %s", f.ID, f.Path, f.Line, f.Message)
		}
		for _, n := range d.Needs {
			p.linef(terminal.Yellow, 2, "needs  %s (new requirement)", n)
		}
		for _, n := range d.Drops {
			p.linef(terminal.Dim, 2, "no longer needs %s", n)
		}
	}
	for _, x := range c.Conflicts {
		p.linef(terminal.Red, 2, "conflict: %s; %s", x.Message, x.Fix)
	}
}

// verdict prints the capabilities that a package uses and the audit's verdict.
func (p *auditPrinter) verdict(x *scan.Package) {
	needs := map[string][]string{}
	if m := x.Capabilities; m != nil {
		for _, c := range m.Capabilities {
			needs[string(c.Kind)] = append(needs[string(c.Kind)], c.What)
		}
	}
	for _, kind := range []string{"run", "read", "write", "net", "env", "tool"} {
		if list := slices.Compact(slices.Sorted(slices.Values(needs[kind]))); len(list) > 0 {
			p.linef(terminal.Dim, 2, "%-6s %s", kind, strings.Join(list, ", "))
		}
	}
	if x.Verdict == rules.Clean {
		p.linef(terminal.Green, 2, "audit  clean")
		return
	}
	p.linef(severityStyle(x.Verdict), 2, "audit  %s: %s", x.Verdict, x.Reason)
	for _, f := range x.Findings {
		if f.Severity == x.Verdict && f.Suppressed == nil {
			p.linef(terminal.Plain, 4, "%s %s:%d: %s", f.ID, f.Path, f.Line, f.Message)
		}
	}
}

// printedVerify is the JSON output of vade verify.
type printedVerify struct {
	Directory   string           `json:"directory"`
	Definitions []*ledger.Record `json:"definitions"`
	Differences []install.Drift  `json:"differences"`
}

func (a *app) runVerify(ctx context.Context, f installFlags) error {
	x, _, err := a.installer(ctx, &f)
	if err != nil {
		return err
	}
	defer x.Close()
	progress := a.stderr().StartProgress("comparing")
	drifts, err := x.Verify(ctx, f.frozen)
	progress.Done()
	switch {
	case err != nil:
		return sourceError(err)
	case f.format == "sarif":
		err = install.WriteSARIF(a.world.Stdout, x.Dir(), drifts)
	case a.json || f.format == "json":
		err = a.printJSON(printedVerify{x.Dir(), nonNil(x.Lock.Definitions), drifts})
	default:
		p := auditPrinter{out: a.stdout()}
		for _, d := range drifts {
			p.linef(terminal.Yellow, 0, "%s: %s: %s; %s", d.Name, d.Path, d.Message, d.Fix)
		}
		a.stderr().Line(terminal.Plain, "vade: %s installed, %s", plural(len(x.Lock.Definitions), "definition"), plural(len(drifts), "difference"))
	}
	return failIf(len(drifts) > 0, err)
}

// printedOwners is the JSON output of vade owners.
type printedOwners struct {
	Directory   string          `json:"directory"`
	Definitions []install.Owned `json:"definitions"`
}

func (a *app) runOwners(ctx context.Context, f installFlags, name string) error {
	x, _, err := a.installer(ctx, &f)
	if err != nil {
		return err
	}
	defer x.Close()
	progress := a.stderr().StartProgress("comparing")
	list, err := x.Owners(ctx, name)
	progress.Done()
	if missing, ok := errors.AsType[*install.NotInstalledError](err); ok {
		return failure{fmt.Sprintf("no definition named %q", name), didYouMean(name, missing.Names, "to list definitions, run: vade owners; for your home directory, add --user")}
	}
	if err != nil {
		return sourceError(err)
	}
	problems := slices.ContainsFunc(list, func(o install.Owned) bool { return len(o.Problems) > 0 })
	return failIf(problems, a.output(printedOwners{x.Dir(), list}, func() error { return a.printOwners(list, name != "") }))
}

// printOwners prints a table of definitions and their problems. If details is set, it also prints
// how other installers would affect them.
func (a *app) printOwners(list []install.Owned, details bool) error {
	table := terminal.Table{Columns: []terminal.Column{{Title: "KIND"}, {Title: "NAME", Style: terminal.Bold}, {Title: "STATE"}, {Title: "OWNERS", Flexible: true}}}
	for _, o := range list {
		var owners []string
		for _, c := range o.Owners {
			text := c.Installer + ": " + c.Source
			if v := strings.TrimPrefix(strings.TrimPrefix(c.Version, "refs/heads/"), "refs/tags/"); v != "" {
				text += fmt.Sprintf(" (%.12s)", v)
			}
			owners = append(owners, text)
		}
		table.Row(o.Kind, o.Name, o.State, strings.Join(owners, ", "))
	}
	table.Print(a.stdout())
	p := auditPrinter{out: a.stdout()}
	for _, o := range list {
		for _, x := range o.Problems {
			p.linef(terminal.Yellow, 0, "%s: %s: %s; %s", o.Name, x.State, x.Message, x.Fix)
		}
		for _, e := range o.Others {
			if details {
				p.linef(terminal.Plain, 0, "%s: %s", e.Command, e.Effect)
			}
		}
	}
	return a.stdout().Err()
}
