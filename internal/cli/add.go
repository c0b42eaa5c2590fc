package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/install"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/terminal"
)

// installFlags are the flags of the commands that install definitions.
type installFlags struct {
	hosts                     []string
	user, every, yes, dry     bool
	frozen                    bool
	catalog                   catalog.Options
	action, question, nothing string
}

// printedInstall is the output of add, update and remove with --json.
type printedInstall struct {
	// Directory is where the paths of the changes are.
	Directory string            `json:"directory"`
	Changes   []*install.Change `json:"changes"`
	// Available are the skills of the source, if none was named.
	Available []install.Candidate `json:"available,omitempty"`
	// Done means that the changes were made.
	Done bool `json:"done"`
}

func (a *app) add() *cobra.Command {
	f := installFlags{action: "install", question: "Install", nothing: "everything is installed already"}
	c := &cobra.Command{
		Use: "add SOURCE [NAME…]", Short: "Install skills from a repository, site, archive or directory",
		Long: `Fetch a source, audit the skills in it, show what would be written where, and install
them after you confirm. A skill that the audit blocks is not installed; --yes does not
change that. Without NAME, Vade lists the skills of the source.

SOURCE is OWNER/REPO[/PATH][@REF] on GitHub, gitlab:OWNER/REPO, any git URL (https, ssh
or file; @REF selects a branch, tag or commit), a site with an index of skills, a .zip or
.tar.gz file or URL, or a local directory. Nothing in it runs.

A skill goes to .agents/skills, with a symlink for each of the project's hosts that does
not read it there. Vade records it in .vade/lock.yaml and in skills-lock.json, which npx
skills reads. Files that Vade did not write are never replaced.

Exit codes: 0 done or nothing to do, 1 failure or a conflict, 2 invalid usage, 3 the
audit blocks a skill.`,
		Example: `  vade add anthropics/skills                 list its skills
  vade add anthropics/skills pdf docx        install two of them
  vade add anthropics/skills/skills/pdf@v1.2 from a directory at a tag
  vade add https://example.com notes --user  from a site, for all your projects
  vade add ./shared --every --dry-run`,
		Args: checkArgs(cobra.MinimumNArgs(1), "name a source: vade add OWNER/REPO"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runAdd(c.Context(), f, args[0], args[1:])
		},
	}
	f.add(c)
	c.Flags().StringSliceVar(&f.hosts, "host", nil, "install for `HOST` (may be repeated; default: the hosts in use)")
	c.Flags().BoolVar(&f.every, "every", false, "install all skills of the source")
	completeFlag(c, "host", hostNames()...)
	return c
}

func (f *installFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.user, "user", false, "work in your home directory, for all projects")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVarP(&f.dry, "dry-run", "n", false, "show the changes and make none")
}

func (a *app) update() *cobra.Command {
	f := installFlags{action: "update", question: "Update", nothing: "everything is up to date"}
	c := &cobra.Command{
		Use: "update [NAME…]", Short: "Update installed skills from their sources",
		Long: `Fetch the sources of installed skills again, audit them, show the differences, and
update them after you confirm. A tag that was moved, or a file that you edited, stops the
update of its skill.

Exit codes: 0 done or nothing to do, 1 failure or a conflict, 2 invalid usage, 3 the
audit blocks a skill.`,
		Example: `  vade update --dry-run
  vade update pdf`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.install(c.Context(), f, func(x *install.Installer) ([]*install.Change, error) {
				return x.Update(c.Context(), args)
			})
		},
	}
	f.add(c)
	return c
}

func (a *app) remove() *cobra.Command {
	f := installFlags{action: "remove", question: "Remove", nothing: "nothing to remove"}
	c := &cobra.Command{
		Use: "remove NAME…", Short: "Remove installed skills",
		Long: `Remove skills that vade add installed: their files, symlinks and records. Files that
you edited or added stay.

Exit codes: 0 done, 1 failure or not installed, 2 invalid usage.`,
		Example: `  vade remove pdf
  vade remove pdf --user --yes`,
		Args: checkArgs(cobra.MinimumNArgs(1), "name a skill: vade remove NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.install(c.Context(), f, func(x *install.Installer) ([]*install.Change, error) { return x.Remove(args) })
		},
	}
	f.add(c)
	return c
}

func (a *app) verify() *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use: "verify", Short: "Compare installed skills with their records and sources",
		Long: `Compare the files and symlinks of installed skills with .vade/lock.yaml and
skills-lock.json, and with the recorded commits of their sources. --frozen compares only
the files, without the network, for CI.

Exit codes: 0 no difference, 1 failure or a difference, 2 invalid usage.`,
		Example: `  vade verify
  vade verify --frozen --json`,
		Args: checkArgs(cobra.NoArgs, "vade verify takes no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runVerify(c.Context(), f) },
	}
	c.Flags().BoolVar(&f.user, "user", false, "work in your home directory")
	c.Flags().BoolVar(&f.frozen, "frozen", false, "do not fetch the sources")
	return c
}

// installer opens the project, or with --user the home directory.
func (a *app) installer(ctx context.Context, f *installFlags) (*install.Installer, *source.Fetcher, error) {
	for _, name := range f.hosts {
		if !isHost(name) {
			return nil, nil, unknownHost("--host", name, hostNames())
		}
	}
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
	home, err := os.UserHomeDir()
	if f.user && err != nil {
		return nil, nil, failure{"--user: your home directory is not known", "set HOME"}
	}
	fetcher := &source.Fetcher{Helper: o.Shell.SandboxHelper, Cache: cache, Env: os.Environ()}
	var forbid []string
	if p := cat.Quick.Project; p != nil {
		forbid = append(forbid, p.Dir())
	}
	// Without git, other sources still work.
	fetcher.Git, _ = sandbox.Find("git", sandbox.Search{Path: a.getenv("PATH"), Forbid: forbid})
	f.catalog = o
	x, err := install.Open(ctx, install.Options{Catalog: o, User: f.user, Home: home, Hosts: f.hosts, Fetcher: fetcher})
	if err != nil {
		return nil, nil, failure{bare(err), ""}
	}
	return x, fetcher, nil
}

// sourceError adds the hint of a source's error.
func sourceError(err error) error {
	var s *source.Error
	var missing *install.NotInstalledError
	switch {
	case errors.Is(err, source.ErrSource) && errors.As(err, &s):
		return usage{failure{s.Error(), s.Hint}}
	case errors.As(err, &s):
		return failure{s.Error(), s.Hint}
	case errors.As(err, &missing):
		hint := "list what Vade installed with: vade verify --frozen --json"
		if near := resolve.Nearest(missing.Name, missing.Names); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return failure{missing.Error(), hint}
	}
	return err
}

func (a *app) runAdd(ctx context.Context, f installFlags, typed string, names []string) error {
	if f.every && len(names) > 0 {
		return usage{failure{"--every and NAME cannot be used together", "use one of them"}}
	}
	x, fetcher, err := a.installer(ctx, &f)
	if err != nil {
		return err
	}
	defer x.Close()
	dir := a.dir
	if dir == "" {
		if dir, err = os.Getwd(); err != nil {
			return err
		}
	}
	s, err := source.Parse(typed, dir)
	if err != nil {
		return sourceError(err)
	}
	progress := a.stderr().StartProgress("fetching " + typed)
	fetched, err := fetcher.Fetch(ctx, s, names)
	progress.Done()
	if err != nil {
		return sourceError(err)
	}
	for _, o := range fetched.Omitted {
		a.stderr().Label(terminal.Yellow, "vade: warning:", "%s: %s is not installed: %s", typed, o.Path, o.Reason)
	}
	all := install.Find(s, fetched)
	if len(all) == 0 {
		return failure{typed + ": it has no skills", "a skill is a directory with a SKILL.md"}
	}
	var chosen []install.Candidate
	for _, name := range names {
		found := slices.DeleteFunc(slices.Clone(all), func(c install.Candidate) bool { return c.Name != name })
		if len(found) == 0 {
			return failure{fmt.Sprintf("%s: it has no skill %q", typed, name), nearest(name, all, typed)}
		}
		chosen = append(chosen, found...)
	}
	switch {
	case f.every:
		chosen = all
	case len(chosen) == 0 && len(all) == 1:
		chosen = all
	case len(chosen) == 0:
		return a.listAvailable(x.Dir(), typed, all)
	}
	return a.finish(ctx, f, x, func() ([]*install.Change, error) { return x.Add(ctx, s, fetched, chosen) })
}

func nearest(name string, all []install.Candidate, typed string) string {
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if near := resolve.Nearest(name, names); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return "list its skills with: vade add " + typed
}

// listAvailable prints the skills of a source.
func (a *app) listAvailable(dir, typed string, all []install.Candidate) error {
	if a.json {
		return a.printJSON(printedInstall{Directory: dir, Changes: []*install.Change{}, Available: all})
	}
	table := terminal.Table{Columns: []terminal.Column{{Title: "SKILL", Style: terminal.Bold}, {Title: "DESCRIPTION", Flexible: true}}}
	for _, c := range all {
		table.Row(c.Name, c.Description)
	}
	table.Print(a.stdout())
	if err := a.stdout().Err(); err != nil {
		return err
	}
	a.stderr().Line(terminal.Plain, "vade: %s; install some with: vade add %s NAME…", plural(len(all), "skill"), typed)
	return nil
}

// install opens the project and makes the changes that plan returns.
func (a *app) install(ctx context.Context, f installFlags, plan func(*install.Installer) ([]*install.Change, error)) error {
	x, _, err := a.installer(ctx, &f)
	if err != nil {
		return err
	}
	defer x.Close()
	return a.finish(ctx, f, x, func() ([]*install.Change, error) { return plan(x) })
}

// finish shows changes, asks, and makes them.
func (a *app) finish(ctx context.Context, f installFlags, x *install.Installer, plan func() ([]*install.Change, error)) error {
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
			a.printInstall(c)
		}
	}
	// A repeated command with nothing to do still records what it found.
	apply := code == exitOK && !f.dry
	if apply && steps > 0 && !f.yes {
		if apply, err = a.confirm(f, changes); err != nil {
			return err
		}
	}
	if apply {
		if err := x.Apply(ctx, changes); err != nil {
			return failure{bare(err), "run the command again to complete it"}
		}
		out.Done = true
	}
	switch {
	case a.json:
		if err := a.printJSON(out); err != nil {
			return err
		}
	case code != exitOK:
		a.stderr().Label(terminal.Red, "vade: error:", "nothing was changed: see above")
	case steps == 0:
		a.stderr().Line(terminal.Plain, "vade: %s", f.nothing)
	case out.Done:
		a.stderr().Line(terminal.Green, "vade: done: %s; undo with: %s", plural(len(changes), "skill"), undo(changes))
	}
	if code != exitOK {
		return silent{code}
	}
	return nil
}

func undo(changes []*install.Change) string {
	verb, rest := "vade remove", ""
	for _, c := range changes {
		if c.New == nil {
			verb, rest = "vade add", " "+c.Old.Source
		}
	}
	for _, c := range changes {
		rest += " " + c.Name
	}
	return verb + rest
}

// confirm asks whether to make the changes. Without a terminal nobody can answer.
func (a *app) confirm(f installFlags, changes []*install.Change) (bool, error) {
	if !isCharDevice(a.world.Stdin) || a.json {
		return false, failure{"nothing was changed: cannot ask without a terminal", "review the changes, then repeat the command with --yes"}
	}
	fmt.Fprintf(a.stderr(), "%s %s? [y/N] ", f.question, plural(len(changes), "skill"))
	answer, err := bufio.NewReader(a.world.Stdin).ReadString('\n')
	if err != nil && err != io.EOF {
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	if answer != "y" && answer != "yes" {
		return false, failure{"nothing was changed", ""}
	}
	return true, nil
}

// printInstall prints what happens to one skill.
func (a *app) printInstall(c *install.Change) {
	p := auditPrinter{out: a.stdout()}
	r := c.New
	if r == nil {
		r = c.Old
	}
	head := c.Name + " from " + r.Source
	if r.Commit != "" {
		head += " at commit " + r.Commit[:12]
	}
	p.linef(terminal.Bold, 0, "%s", head)
	if len(c.Hosts) > 0 {
		p.linef(terminal.Plain, 2, "for %s", strings.Join(c.Hosts, ", "))
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
		p.linef(terminal.Yellow, 2, "keep   %s: it was edited since it was installed", at)
	}
	if c.Package != nil {
		p.verdict(c.Package)
	}
	for _, x := range c.Conflicts {
		p.linef(terminal.Red, 2, "conflict: %s; %s", x.Message, x.Fix)
	}
}

// verdict prints the verdict of the audit and what the skill needs.
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

// printedVerify is the output of verify with --json.
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
	if err != nil {
		return sourceError(err)
	}
	if a.json {
		err = a.printJSON(printedVerify{x.Dir(), nonNil(x.Lock.Definitions), drifts})
	} else {
		p := auditPrinter{out: a.stdout()}
		for _, d := range drifts {
			p.linef(terminal.Yellow, 0, "%s: %s: %s; %s", d.Name, d.Path, d.Message, d.Fix)
		}
		a.stderr().Line(terminal.Plain, "vade: %s installed, %s", plural(len(x.Lock.Definitions), "definition"), plural(len(drifts), "difference"))
	}
	if err == nil && len(drifts) > 0 {
		err = silent{exitFailure}
	}
	return err
}
