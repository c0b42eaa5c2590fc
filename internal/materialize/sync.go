// Package materialize writes the files that hosts need from the source of truth of a
// project (vade sync), and moves existing files of hosts into it (vade import).
package materialize

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/vfs"
)

// PlanSync says what [Sync] would do. Nothing is written.
func PlanSync(ctx context.Context, o catalog.Options, so SyncOptions) (*SyncResult, error) {
	y, err := OpenSync(ctx, o, so)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	if _, err := y.plan(ctx, mirror.Tree{Tree: y.Tree}); err != nil {
		return nil, err
	}
	return &y.Result, nil
}

// Sync brings the files of the hosts in step with the source of truth of a project.
// A host that reads a definition where it is gets nothing; a skill of which nothing
// has to be changed is a link where all that read it follow one; all else are files
// that are made, and known again by a mark in them or by .vade/sync.json. Files of
// the project's own are left alone. Each file is written in one step, and a run that
// ends in the middle is completed by the next. Nothing is written outside of the
// project or through a link, and nothing runs.
func Sync(ctx context.Context, o catalog.Options, so SyncOptions) (*SyncResult, error) {
	y, err := OpenSync(ctx, o, so)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	release, err := y.Tree.Lock()
	if errors.Is(err, vfs.ErrBusy) {
		return nil, fmt.Errorf("vade: %w", ErrSyncBusy)
	}
	if err != nil {
		return nil, fmt.Errorf("vade: the project can not be locked: %w", err)
	}
	defer release()
	writer, err := y.Tree.Writer(vfs.WriterOptions{Before: o.BeforeWrite})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	defer writer.Close()
	if err := y.carryOut(ctx, mirror.Files{Tree: mirror.Tree{Tree: y.Tree}, Writer: writer}); err != nil {
		return nil, err
	}
	return &y.Result, nil
}

// Syncer is one run.
type Syncer struct {
	Options catalog.Options
	request SyncOptions
	Tree    *vfs.Tree
	Project *config.Project
	// noLinks: the file system makes none. unlinked is the number of links that would
	// stand else.
	noLinks  bool
	unlinked int
	State    *mirror.State
	// copies are sources that say what would be made of others.
	copies map[string]bool
	// lost: there is no state.
	lost bool
	// again is what would be made of the sources of what is not wanted any more, by
	// its path, and claimed what would be if the state were believed; nil where that was
	// not asked for.
	again, claimed map[string][]mirror.Want
	// sources makes files of single sources again; nil where that was not asked for.
	sources *copies
	// mains are the files of definitions by their paths, for each host that gets one.
	mains map[string][]mainFile
	// forged are files in the sources with a mark of a source that is not there.
	forged map[string]string
	// Only are the paths that force is for, below the top.
	Only   []string
	Result SyncResult
}

// OpenSync finds the top of the project and reads its file.
func OpenSync(ctx context.Context, o catalog.Options, so SyncOptions) (*Syncer, error) {
	o.ProjectOnly, o.As = true, ""
	c, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if c.Quick.Project == nil {
		return nil, errors.New("vade: there is no project to keep in step")
	}
	o.Dir = c.Quick.Project.Dir()
	tree, err := vfs.Open(o.Dir, vfs.Options{})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	y := &Syncer{Options: o, request: so, Tree: tree, State: &mirror.State{Version: 1}, copies: map[string]bool{}, forged: map[string]string{}}
	for _, p := range so.Paths {
		rel := path.Join(c.Quick.WorkDir, strings.ReplaceAll(p, "\\", "/"))
		if vfs.IsAbs(p) {
			var inside bool
			if rel, inside = tree.Rel(path.Clean(p)); !inside {
				rel = ".."
			}
		}
		y.Only = append(y.Only, rel)
	}
	if err := y.readProject(); err != nil {
		tree.Close()
		return nil, err
	}
	return y, nil
}

func (y *Syncer) Close() {
	if y.sources != nil {
		y.sources.again.close()
	}
	y.Tree.Close()
}

func (y *Syncer) readProject() error {
	project, diags, err := config.Read(y.Tree)
	if err != nil {
		return fmt.Errorf("vade: %s: %w", config.File, catalog.ReasonOf(err))
	}
	y.Project = project
	y.unlinked = 0
	y.Result = SyncResult{
		Directory: y.Tree.Dir(), Source: project.Sources(), Hosts: []catalog.CheckedHost{}, Steps: []SyncStep{}, Losses: []export.HostLoss{}, Diagnostics: []diag.Diagnostic{},
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, diags...)
	return nil
}

// carryOut plans and does; a second time where it shows that there are no links.
func (y *Syncer) carryOut(ctx context.Context, disk mirror.Disk) error {
	before := slices.Clone(y.Result.Diagnostics)
	for {
		state, _, _ := mirror.ReadState(disk, y.Bad())
		if state.Pending {
			y.Result.Interrupted = true
		}
		if _, err := state.Sweep(disk); err != nil {
			return fmt.Errorf("vade: %w", err)
		}
		plan, err := y.plan(ctx, disk)
		if err != nil || plan == nil {
			return err
		}
		err = plan.Apply(ctx, disk)
		if errors.Is(err, mirror.ErrNoLinks) && !y.noLinks {
			y.noLinks = true
			y.Result.Diagnostics, y.Result.Losses = slices.Clone(before), []export.HostLoss{}
			y.Result.InPlace = 0
			continue
		}
		if err != nil {
			return fmt.Errorf("vade: %w; run vade sync again to complete it", err)
		}
		y.Result.Done = true
		return nil
	}
}

// plan compares the project with what it should hold. There is none where the
// project's file can not be used.
func (y *Syncer) plan(ctx context.Context, disk mirror.Reader) (*mirror.Plan, error) {
	missing := y.Project.Missing(y.Tree)
	y.Result.Diagnostics = append(y.Result.Diagnostics, missing...)
	if y.Result.Refused = y.Project.Invalid || len(missing) > 0; y.Result.Refused {
		return nil, nil
	}
	if known, err := y.readState(ctx, disk); err != nil || !known {
		y.Result.Refused = true
		return nil, err
	}
	if err := y.ChooseHosts(ctx); err != nil {
		return nil, err
	}
	if len(y.Result.Hosts) == 0 && y.Result.Failed() {
		y.Result.Refused = true
		return nil, nil
	}
	wants, sources, err := y.wants(ctx)
	if err != nil {
		return nil, err
	}
	if sources == 0 && !y.request.Force {
		y.noSource()
		return nil, nil
	}
	if y.Project.Sync.Servers {
		servers, err := y.wantedServers(ctx, y.Result.Hosts)
		if err != nil {
			return nil, err
		}
		wants = append(wants, servers...)
	}
	y.sayForged(wants)
	if err := y.forcedPaths(wants); err != nil {
		return nil, err
	}
	o := mirror.Options{
		Force: y.request.Force, Only: y.Only, NoRunBits: !vfs.RunBits(), TextLinks: y.gitWithoutLinks(), Bad: config.BadPath,
		Source: y.isSource, Makes: func(e mirror.Entry, data []byte) bool { return y.makes(ctx, e, data) },
	}
	if len(y.request.Hosts) > 0 {
		o.Scope = []string{}
		for _, h := range y.Result.Hosts {
			o.Scope = append(o.Scope, h.Host)
		}
	}
	p := mirror.Make(disk, y.State, wants, o)
	p.State.NoLinks = y.noLinks && !y.gitWithoutLinks()
	y.show(p, wants)
	y.sayLinks()
	return p, y.sayOutside(ctx, p, wants)
}

// noSource says that there is nothing that anything could be made of. Taken for a
// source that has become empty it would remove all that was made.
func (y *Syncer) noSource() {
	y.Result.Refused = true
	fix := "bring over what the hosts have with vade import, or write definitions there"
	if len(y.State.Files) > 0 {
		fix += "; to remove all that was made: vade sync --force"
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncSource, "no source of truth: there are no definitions in %s",
		strings.Join(y.Project.Sources(), " or ")).WithFix("%s", fix))
}

// forcedPaths finds fault with a path at which nothing is or was to be made.
func (y *Syncer) forcedPaths(wants []mirror.Want) error {
	for i, p := range y.Only {
		near := func(at string) bool {
			return p == "." || at == p || strings.HasPrefix(at, p+"/") || strings.HasPrefix(p, at+"/")
		}
		if !slices.ContainsFunc(wants, func(w mirror.Want) bool { return near(w.Path) }) &&
			!slices.ContainsFunc(y.State.Files, func(e mirror.Entry) bool { return near(e.Path) }) {
			return fmt.Errorf("vade: %s: %w", y.request.Paths[i], ErrSyncPath)
		}
	}
	return nil
}

func (y *Syncer) show(p *mirror.Plan, wants []mirror.Want) {
	r := &y.Result
	r.Steps, r.Same, r.Own, r.Copied = []SyncStep{}, p.Same, p.Own, y.noLinks
	for _, s := range p.Steps {
		r.Steps = append(r.Steps, SyncStep{
			Action: string(s.Action), Path: s.Path, Source: s.Source, Hosts: s.Hosts, Link: s.Link, Forced: s.Forced, Adopted: s.Adopted, before: s.Before, after: s.After,
		})
	}
	for _, d := range p.Problems {
		r.Diagnostics = append(r.Diagnostics, y.namesLost(y.deniedOrphan(d), wants))
	}
	diag.Sort(r.Diagnostics)
}

// ChooseHosts decides who gets copies: who is asked for, those of vade.yaml, or
// those that the project shows.
func (y *Syncer) ChooseHosts(ctx context.Context) error {
	names, why := y.request.Hosts, "named by --hosts"
	if len(names) == 0 {
		names, why = y.Project.Hosts, "named by "+config.File
	}
	y.Result.Hosts = []catalog.CheckedHost{}
	for _, name := range names {
		p, ok := registry.Lookup(name)
		if !ok || p.Name == host.NeutralName {
			return fmt.Errorf("vade: no host is named %q; there are: %s", name, strings.Join(registry.RealNames(), ", "))
		}
		if p.Export == nil {
			y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncHost, "%s has no files of its own that could be kept in step", p.Name).
				WithFix("see vade export %s", p.Name))
			continue
		}
		y.choose(catalog.CheckedHost{Host: p.Name, Version: p.Version, Why: why})
	}
	if len(names) > 0 {
		return nil
	}
	return y.shownHosts(ctx)
}

func (y *Syncer) choose(h catalog.CheckedHost) {
	if !slices.ContainsFunc(y.Result.Hosts, func(o catalog.CheckedHost) bool { return o.Host == h.Host }) {
		y.Result.Hosts = append(y.Result.Hosts, h)
	}
}

// shownHosts takes the hosts that vade check would take, and those that something
// was made for.
func (y *Syncer) shownHosts(ctx context.Context) error {
	o := y.Options
	o.Nested, o.Unread = true, true
	if typ, err := y.Tree.Lstat("skills"); err == nil && typ == vfs.Dir {
		o.PluginDirs = append(slices.Clone(o.PluginDirs), y.Tree.Path("."))
	}
	c, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	stale := StaleCopies(ctx, c, all.All)
	var files []string
	for _, d := range all.All {
		_, isStale := stale[d.Origin.Path]
		if p, ok := c.ProjectFile(d); ok && (d.ReasonCode != diag.SyncCopy || isStale) {
			files = append(files, p)
		}
	}
	there := func(label string) bool { return c.HasPlace(label, slices.Values(files)) }
	for _, h := range catalog.EvidentHosts(y.Project.Sources(), there) {
		if p, ok := registry.Lookup(h.Host); ok && p.Export != nil && p.Program() {
			y.choose(h)
		}
	}
	for _, name := range y.State.Hosts() {
		if p, ok := registry.Lookup(name); ok && p.Export != nil {
			y.choose(catalog.CheckedHost{Host: p.Name, Version: p.Version, Why: "something was made for it"})
		}
	}
	if len(y.Result.Hosts) == 0 {
		d := diag.For("", diag.SyncHost, "nothing shows which hosts the project uses").WithFix("name them with hosts: in %s, or with --hosts", config.File)
		d.Severity = diag.Error
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	return nil
}
