package vade

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/vfs"
)

// PlanSync says what [Sync] would do. Nothing is written.
func PlanSync(ctx context.Context, o Options, so SyncOptions) (*SyncResult, error) {
	y, err := openSync(ctx, o, so)
	if err != nil {
		return nil, err
	}
	defer y.close()
	if _, err := y.plan(ctx, mirror.Tree{Tree: y.tree}); err != nil {
		return nil, err
	}
	return &y.result, nil
}

// Sync brings the files of the hosts in step with the source of truth of a project.
// A host that reads a definition where it is gets nothing; a skill of which nothing
// has to be changed is a link where all that read it follow one; all else are files
// that are made, and known again by a mark in them or by .vade/sync.json. Files of
// the project's own are left alone. Each file is written in one step, and a run that
// ends in the middle is completed by the next. Nothing is written outside of the
// project or through a link, and nothing runs.
func Sync(ctx context.Context, o Options, so SyncOptions) (*SyncResult, error) {
	y, err := openSync(ctx, o, so)
	if err != nil {
		return nil, err
	}
	defer y.close()
	release, err := y.tree.Lock()
	if errors.Is(err, vfs.ErrBusy) {
		return nil, fmt.Errorf("vade: %w", ErrSyncBusy)
	}
	if err != nil {
		return nil, fmt.Errorf("vade: the project can not be locked: %w", err)
	}
	defer release()
	writer, err := y.tree.Writer(vfs.WriterOptions{Before: o.beforeWrite})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	defer writer.Close()
	if err := y.carryOut(ctx, mirror.Files{Tree: mirror.Tree{Tree: y.tree}, Writer: writer}); err != nil {
		return nil, err
	}
	return &y.result, nil
}

// syncer is one run.
type syncer struct {
	options Options
	request SyncOptions
	tree    *vfs.Tree
	project *config.Project
	// noLinks: the file system makes none. unlinked is the number of links that would
	// stand else.
	noLinks  bool
	unlinked int
	state    *mirror.State
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
	// only are the paths that force is for, below the top.
	only   []string
	result SyncResult
}

// openSync finds the top of the project and reads its file.
func openSync(ctx context.Context, o Options, so SyncOptions) (*syncer, error) {
	o.projectOnly, o.As = true, ""
	c, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if c.quick.Project == nil {
		return nil, errors.New("vade: there is no project to keep in step")
	}
	o.Dir = c.quick.Project.Dir()
	tree, err := vfs.Open(o.Dir, vfs.Options{})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	y := &syncer{options: o, request: so, tree: tree, state: &mirror.State{Version: 1}, copies: map[string]bool{}, forged: map[string]string{}}
	for _, p := range so.Paths {
		rel := path.Join(c.quick.WorkDir, strings.ReplaceAll(p, "\\", "/"))
		if vfs.IsAbs(p) {
			var inside bool
			if rel, inside = tree.Rel(path.Clean(p)); !inside {
				rel = ".."
			}
		}
		y.only = append(y.only, rel)
	}
	if err := y.readProject(); err != nil {
		tree.Close()
		return nil, err
	}
	return y, nil
}

func (y *syncer) close() {
	if y.sources != nil {
		y.sources.again.close()
	}
	y.tree.Close()
}

func (y *syncer) readProject() error {
	project, diags, err := config.Read(y.tree)
	if err != nil {
		return fmt.Errorf("vade: %s: %w", config.File, reasonOf(err))
	}
	y.project = project
	y.unlinked = 0
	y.result = SyncResult{
		Directory: y.tree.Dir(), Source: project.Sources(), Hosts: []CheckedHost{}, Steps: []SyncStep{}, Losses: []ExportLoss{}, Diagnostics: []Diagnostic{},
	}
	y.result.Diagnostics = append(y.result.Diagnostics, diags...)
	return nil
}

// carryOut plans and does; a second time where it shows that there are no links.
func (y *syncer) carryOut(ctx context.Context, disk mirror.Disk) error {
	before := slices.Clone(y.result.Diagnostics)
	for {
		state, _, _ := mirror.ReadState(disk, y.bad())
		if state.Pending {
			y.result.Interrupted = true
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
			y.result.Diagnostics, y.result.Losses = slices.Clone(before), []ExportLoss{}
			y.result.InPlace = 0
			continue
		}
		if err != nil {
			return fmt.Errorf("vade: %w; run vade sync again to complete it", err)
		}
		y.result.Done = true
		return nil
	}
}

// plan compares the project with what it should hold. There is none where the
// project's file can not be used.
func (y *syncer) plan(ctx context.Context, disk mirror.Reader) (*mirror.Plan, error) {
	missing := y.project.Missing(y.tree)
	y.result.Diagnostics = append(y.result.Diagnostics, missing...)
	if y.result.Refused = y.project.Invalid || len(missing) > 0; y.result.Refused {
		return nil, nil
	}
	if known, err := y.readState(ctx, disk); err != nil || !known {
		y.result.Refused = true
		return nil, err
	}
	if err := y.chooseHosts(ctx); err != nil {
		return nil, err
	}
	if len(y.result.Hosts) == 0 && y.result.Failed() {
		y.result.Refused = true
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
	if y.project.Sync.Servers {
		servers, err := y.wantedServers(ctx, y.result.Hosts)
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
		Force: y.request.Force, Only: y.only, NoRunBits: !vfs.RunBits(), TextLinks: y.gitWithoutLinks(), Bad: config.BadPath,
		Source: y.isSource, Makes: func(e mirror.Entry, data []byte) bool { return y.makes(ctx, e, data) },
	}
	if len(y.request.Hosts) > 0 {
		o.Scope = []string{}
		for _, h := range y.result.Hosts {
			o.Scope = append(o.Scope, h.Host)
		}
	}
	p := mirror.Make(disk, y.state, wants, o)
	p.State.NoLinks = y.noLinks && !y.gitWithoutLinks()
	y.show(p, wants)
	y.sayLinks()
	return p, y.sayOutside(ctx, p, wants)
}

// noSource says that there is nothing that anything could be made of. Taken for a
// source that has become empty it would remove all that was made.
func (y *syncer) noSource() {
	y.result.Refused = true
	fix := "bring over what the hosts have with vade import, or write definitions there"
	if len(y.state.Files) > 0 {
		fix += "; to remove all that was made: vade sync --force"
	}
	y.result.Diagnostics = append(y.result.Diagnostics, diag.For("", diag.SyncSource, "no source of truth: there are no definitions in %s",
		strings.Join(y.project.Sources(), " or ")).WithFix("%s", fix))
}

// forcedPaths finds fault with a path at which nothing is or was to be made.
func (y *syncer) forcedPaths(wants []mirror.Want) error {
	for i, p := range y.only {
		near := func(at string) bool {
			return p == "." || at == p || strings.HasPrefix(at, p+"/") || strings.HasPrefix(p, at+"/")
		}
		if !slices.ContainsFunc(wants, func(w mirror.Want) bool { return near(w.Path) }) &&
			!slices.ContainsFunc(y.state.Files, func(e mirror.Entry) bool { return near(e.Path) }) {
			return fmt.Errorf("vade: %s: %w", y.request.Paths[i], ErrSyncPath)
		}
	}
	return nil
}

func (y *syncer) show(p *mirror.Plan, wants []mirror.Want) {
	r := &y.result
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

// chooseHosts decides who gets copies: who is asked for, those of vade.yaml, or
// those that the project shows.
func (y *syncer) chooseHosts(ctx context.Context) error {
	names, why := y.request.Hosts, "named by --hosts"
	if len(names) == 0 {
		names, why = y.project.Hosts, "named by "+config.File
	}
	y.result.Hosts = []CheckedHost{}
	for _, name := range names {
		p, ok := host.Lookup(name)
		if !ok || p.Name == host.NeutralName {
			return fmt.Errorf("vade: no host is named %q; there are: %s", name, strings.Join(host.RealNames(), ", "))
		}
		if p.Export == nil {
			y.result.Diagnostics = append(y.result.Diagnostics, diag.For("", diag.SyncHost, "%s has no files of its own that could be kept in step", p.Name).
				WithFix("see vade export %s", p.Name))
			continue
		}
		y.choose(CheckedHost{p.Name, p.Version, why})
	}
	if len(names) > 0 {
		return nil
	}
	return y.shownHosts(ctx)
}

func (y *syncer) choose(h CheckedHost) {
	if !slices.ContainsFunc(y.result.Hosts, func(o CheckedHost) bool { return o.Host == h.Host }) {
		y.result.Hosts = append(y.result.Hosts, h)
	}
}

// shownHosts takes the hosts that vade check would take, and those that something
// was made for.
func (y *syncer) shownHosts(ctx context.Context) error {
	o := y.options
	o.Nested, o.Unread = true, true
	if typ, err := y.tree.Lstat("skills"); err == nil && typ == vfs.Dir {
		o.PluginDirs = append(slices.Clone(o.PluginDirs), y.tree.Path("."))
	}
	c, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.scan(ctx)
	if err != nil {
		return err
	}
	stale := c.staleCopies(ctx, all.All)
	var files []string
	for _, d := range all.All {
		_, isStale := stale[d.Origin.Path]
		if p, ok := c.projectFile(d); ok && (d.ReasonCode != diag.SyncCopy || isStale) {
			files = append(files, p)
		}
	}
	there := func(label string) bool { return c.hasPlace(label, slices.Values(files)) }
	for _, h := range evidentHosts(y.project.Sources(), there) {
		if p, ok := host.Lookup(h.Host); ok && p.Export != nil && p.Program() {
			y.choose(h)
		}
	}
	for _, name := range y.state.Hosts() {
		if p, ok := host.Lookup(name); ok && p.Export != nil {
			y.choose(CheckedHost{p.Name, p.Version, "something was made for it"})
		}
	}
	if len(y.result.Hosts) == 0 {
		d := diag.For("", diag.SyncHost, "nothing shows which hosts the project uses").WithFix("name them with hosts: in %s, or with --hosts", config.File)
		d.Severity = diag.Error
		y.result.Diagnostics = append(y.result.Diagnostics, d)
	}
	return nil
}
