package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/connect"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/install"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/terminal"
)

// trace describes files or entries that Vade wrote to disk. Its JSON form is stable.
type trace struct {
	What  string   `json:"what"`
	Paths []string `json:"paths"`
	// Kept explains why vade clean does not remove the trace, and names the command that does.
	Kept string `json:"kept,omitempty"`

	remove func(context.Context) error
}

// cleaner holds the state needed to find everything that Vade wrote.
type cleaner struct {
	options catalog.Options
	cat     *catalog.Catalog
}

// find finds everything that Vade wrote, grouped by feature. It marks unreadable items as kept, so
// that everything else can still be removed.
func (x *cleaner) find(ctx context.Context) []trace {
	list := slices.Concat([]trace{}, x.copies(ctx), x.connections(ctx), x.installed(ctx))
	for _, d := range [][2]string{{"approvals", "trust"}, {"fetched sources", "sources"}, {"runs", "runs"}, {"plans", "plans"}} {
		list = append(list, x.stateDir(d[0], d[1])...)
	}
	for _, d := range [][2]string{{"audit verdicts", "verdicts"}, {"search index", "search"}, {"server responses", "remote"}, {"companion files", "companions"}} {
		if dir := x.cat.CacheDir(d[1]); dir != "" {
			list = append(list, directory(d[0], dir)...)
		}
	}
	return list
}

func (a *app) clean() *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use: "clean", Short: "Remove generated files, server entries and caches",
		Long: `List what Vade wrote, and remove it after you confirm: files from vade sync, vade
connect entries with the default name, approvals, runs, caches and fetched sources.
Files in your home directory belong to all of your projects. Files that you edited, and
files that Vade cannot read, are kept.

Installed definitions and their records (.vade/lock.yaml) are also kept; to remove them,
use vade remove. If any run is active or has a worktree, all runs are kept; to remove
finished runs, use vade runs clean. Vade does not list files that are yours to keep:
vade.yaml, exports, definitions written by vade new, import or skillify, and settings
changed by vade disable.

--json prints {"traces", "removed"}: each trace has what, paths and, for kept files, the
reason in kept.

Exit codes: 0 done or nothing to do, 1 failure, 2 invalid usage.`,
		Example: "  vade clean --dry-run\n  vade clean --yes",
		RunE:    func(c *cobra.Command, _ []string) error { return a.runClean(c.Context(), dry) },
	}
	a.yesFlag(c)
	c.Flags().BoolVarP(&dry, "dry-run", "n", false, "list what would be removed and remove nothing")
	return c
}

func (a *app) runClean(ctx context.Context, dry bool) error {
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	x := cleaner{options: o}
	if x.cat, err = catalog.Open(ctx, o); err != nil {
		return err
	}
	defer x.cat.Close()
	all := x.find(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	n := 0
	for _, t := range all {
		if t.remove != nil {
			n++
		}
		if a.json {
			continue
		}
		word, style := "remove", terminal.Red
		if t.Kept != "" {
			word, style = "keep", terminal.Yellow
		}
		for _, p := range t.Paths {
			a.stdout().Line(style, "%-6s %s (%s)", word, p, t.What)
		}
		if t.Kept != "" {
			a.stdout().Line(terminal.Plain, "       %s", t.Kept)
		}
	}
	if n > 0 && !dry {
		if err := a.confirmChange(ctx, "Remove all of this?"); err != nil {
			return err
		}
		for _, t := range all {
			if t.remove != nil {
				if err := t.remove(ctx); err != nil {
					return failure{withoutProgramName(err), finishHint}
				}
			}
		}
	}
	switch {
	case a.json:
		return a.printJSON(struct {
			Traces  []trace `json:"traces"`
			Removed bool    `json:"removed"`
		}{all, n > 0 && !dry})
	case n == 0:
		a.stderr().Line(terminal.Plain, "vade: nothing to remove")
	case !dry:
		a.stderr().Line(terminal.Green, "vade: removed")
	}
	return nil
}

// copies finds the files that vade sync wrote.
func (x *cleaner) copies(ctx context.Context) (list []trace) {
	so := materialize.Options{Remove: true}
	if x.cat.Quick.Project == nil {
		return nil
	}
	r, err := materialize.PlanSync(ctx, x.options, so)
	if err != nil {
		return unreadable("vade sync", syncstate.File, err)
	}
	for _, d := range r.Diagnostics {
		list = append(list, trace{What: "vade sync", Paths: []string{d.File}, Kept: d.Message + "; " + d.Fix})
	}
	t := trace{What: "vade sync", remove: func(ctx context.Context) error {
		_, err := materialize.Sync(ctx, x.options, so)
		return err
	}}
	for i := range r.Steps {
		t.Paths = append(t.Paths, r.Steps[i].Path)
	}
	if len(t.Paths) > 0 {
		list = append(list, t)
	}
	return list
}

// unreadable returns a trace for a feature whose files cannot be found because Vade's list of them
// cannot be read. what is the feature's name, file is the list, and err is the error.
func unreadable(what, file string, err error) []trace {
	return []trace{{What: what, Paths: []string{file}, Kept: withoutProgramName(err) + "; fix the file, then run vade clean again"}}
}

// connections finds the entries that vade connect added to hosts' MCP configuration files.
func (x *cleaner) connections(ctx context.Context) (list []trace) {
	program, _ := os.Executable()
	for _, host := range registry.Connectable() {
		for _, user := range []bool{false, true} {
			c, err := connect.Run(ctx, x.options, connect.Request{Host: host, User: user, Program: program, Remove: true})
			switch {
			case err != nil && (errors.Is(err, connect.ErrOwnKeys) || errors.Is(err, connect.ErrNotOurs)):
				scope := map[bool]string{true: " --scope user"}[user]
				list = append(list, trace{What: "vade connect", Paths: []string{host}, Kept: withoutProgramName(err) + "; see: vade connect " + host + " --remove" + scope})
			case err != nil || c.Action == "none":
			default:
				list = append(list, trace{What: "vade connect " + host, Paths: []string{c.Path}, remove: func(context.Context) error { return c.Write() }})
			}
		}
	}
	return list
}

// installed finds the definitions that vade add installed. Only vade remove can remove them.
func (x *cleaner) installed(ctx context.Context) (list []trace) {
	for _, user := range []bool{false, true} {
		if user && x.cat.Env.Home == "" || !user && x.cat.Quick.Project == nil {
			continue
		}
		i, err := install.Open(ctx, install.Options{Catalog: x.options, User: user, Home: x.cat.Env.Home})
		if err != nil {
			list = append(list, unreadable("vade add", map[bool]string{true: "~/"}[user]+ledger.Path, err)...)
			continue
		}
		command, t := "vade remove", trace{What: "vade add"}
		for _, r := range i.Lock.Definitions {
			t.Paths, command = append(t.Paths, r.Kind+" "+r.Name), command+" "+shell.ForShell(r.Name)
		}
		i.Close()
		if user {
			command += " --user"
		}
		if t.Kept = "installed definitions; to remove them, run: " + command; len(t.Paths) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// stateDir returns a trace for the state directory called name, if it exists.
func (x *cleaner) stateDir(what, name string) []trace {
	dir, err := x.cat.StateDir(name)
	if err != nil {
		return nil // There is no usable state directory.
	}
	list, store := directory(what, dir), filepath.Join(filepath.Dir(dir), "runs")
	if len(list) == 0 || name != "runs" && name != "plans" || len(directory("", store)) == 0 {
		return list
	}
	return keepRuns(list, store)
}

// keepRuns marks the first trace in list as kept if any run stored in dir still has a worktree or a
// process, or if the runs cannot be read.
func keepRuns(list []trace, dir string) []trace {
	store, err := runs.Open(dir)
	var all []*runs.Run
	if err == nil {
		all, err = store.List()
	}
	if err != nil {
		list[0].remove, list[0].Kept = nil, withoutProgramName(err)
	}
	if slices.ContainsFunc(all, func(r *runs.Run) bool { return r.Worktree != "" || store.Alive(r.ID) }) {
		list[0].remove, list[0].Kept = nil, "some runs are active or have worktrees; to remove finished runs, run: vade runs clean"
	}
	return list
}

// directory returns a trace for one of Vade's directories, if it exists. The directory is removed
// without following symlinks.
func directory(what, dir string) []trace {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	return []trace{{What: what, Paths: []string{dir}, remove: func(context.Context) error {
		parent := filepath.Dir(dir)
		root, err := os.OpenRoot(parent)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := root.RemoveAll(filepath.Base(dir)); err != nil {
			return fmt.Errorf("cannot remove %s: %w", dir, err)
		}
		// Remove the parent if it is empty. If it is not, os.Remove fails, which is fine.
		_ = os.Remove(parent)
		return nil
	}}}
}
