// Package materialize writes the files that hosts need from a project's source of truth (vade
// sync), and imports existing host files into it (vade import).
//
// A single rule decides what may be overwritten or removed: a file whose digest is recorded in
// .vade/sync.json belongs to Vade. A missing file may be created. Any other file belongs to the
// user; it is reported and left alone unless the user forces it.
package materialize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/vfs"
)

// Options selects what to sync.
type Options struct {
	// Hosts are the hosts to write files for. If empty, Sync uses the hosts in vade.yaml. If
	// vade.yaml lists none, Sync uses the hosts that have files in the project or for which files
	// were written earlier. If there are none, it uses the hosts found in the home directory.
	//
	// If Hosts is set, files for other hosts are left alone. Otherwise, files for hosts that the
	// project no longer uses are removed.
	Hosts []string
	// If Force is set, files that were edited or that Vade did not write are overwritten. If Paths
	// is set, Force applies only at and below these paths, which are relative to the working
	// directory, and edited files that are no longer needed are also removed.
	Force bool
	Paths []string
	// If AllowWidening is set, Sync also writes files that grant more than their author intended,
	// such as an agent with tools that the author denied, or a skill that becomes available to the
	// model. Otherwise, such a definition is not written for that host, and its earlier files are
	// removed.
	AllowWidening bool
	// If Remove is set, Sync removes all files that were written for Hosts, or for every host if
	// Hosts is empty.
	Remove bool
}

// Result describes the outcome of a sync. Its JSON is stable: fields may be
// added but are never renamed.
type Result struct {
	// Directory is the project root; all paths are relative to it. Source lists the
	// directories and files of the source of truth.
	Directory string   `json:"directory"`
	Source    []string `json:"source"`
	// Hosts lists the hosts for which files are written.
	Hosts []catalog.CheckedHost `json:"hosts"`
	// Steps lists the changes, sorted by path.
	Steps []Step `json:"steps"`
	// Same is the number of files that are up to date. Own is the number of these files that the
	// project already had. InPlace is the number of definitions that hosts read directly from the
	// source, counted per host.
	Same    int `json:"same"`
	Own     int `json:"own"`
	InPlace int `json:"inPlace"`
	// Copied is set if git does not create symlinks in this project, so files are copied instead.
	Copied bool `json:"copied,omitempty"`
	// Done reports whether the changes were made. Refused is set if an error prevented planning.
	// Interrupted is set if the previous run was killed and this run completes it.
	Done        bool `json:"done"`
	Refused     bool `json:"refused,omitempty"`
	Interrupted bool `json:"interrupted,omitempty"`
	// Losses lists what hosts cannot express. Diagnostics lists conflicts and notes.
	Losses      []export.HostLoss `json:"losses"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Step is the change at one path.
type Step struct {
	// Action is "create", "update", "remove", "link" or "unlink".
	Action string `json:"action"`
	Path   string `json:"path"`
	// Source is the file or directory that the path is generated from.
	Source string   `json:"source"`
	Hosts  []string `json:"hosts"`
	// Link is the symlink's target.
	Link string `json:"link,omitempty"`
	// Forced is set if the step overwrites or removes content that Vade did not write.
	Forced bool `json:"forced,omitempty"`

	before, after []byte
	executable    bool
}

// Diff returns a unified diff for a file, or "" for a symlink.
func (s *Step) Diff() string {
	if s.Link != "" {
		return ""
	}
	return mcp.HideDiff(textdiff.Diff(s.Path, string(s.before), string(s.after)))
}

// Failed reports whether anything could not be synced.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
}

var (
	// ErrBusy is returned by [Sync] and [Import] if another process holds the project's lock.
	ErrBusy = errors.New("another Vade process is changing this project")
	// ErrPath is returned by [Sync] if a path in Options.Paths is not a path that Sync writes to.
	ErrPath = errors.New("not a file that vade sync writes")
	// ErrNoLinks is returned by [Sync] if symlinks cannot be created.
	ErrNoLinks = errors.New("cannot create symlinks in this project; to use copies instead, add to " + config.File + ": sync: {links: never}")
)

// PlanSync returns what [Sync] would do. It does not write any files.
func PlanSync(ctx context.Context, o catalog.Options, so Options) (*Result, error) {
	y, err := OpenSync(ctx, o, so)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	_, err = y.plan(ctx)
	return &y.Result, err
}

// Sync updates hosts' files from the project's source of truth. A definition that a host reads in
// place needs no file. An unchanged skill becomes a symlink if all hosts that read it follow
// symlinks. Everything else is written as files. Each file changes atomically, and if a run is
// killed, the next run completes it. Sync does not write outside the project or through a symlink,
// and does not execute anything.
func Sync(ctx context.Context, o catalog.Options, so Options) (*Result, error) {
	y, err := OpenSync(ctx, o, so)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	writer, release, err := y.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	if state, err := syncstate.Read(y.Tree); err == nil {
		y.Result.Interrupted = state.Pending
		if err := y.removeTemporaryFiles(state, writer); err != nil {
			return nil, fmt.Errorf("vade: %w", err)
		}
	}
	p, err := y.plan(ctx)
	if err != nil || p == nil {
		return &y.Result, err
	}
	if err := p.apply(ctx, y.Tree, writer); err != nil {
		return nil, fmt.Errorf("vade: %w; to complete the sync, fix the problem and run vade sync again", err)
	}
	y.Result.Done = true
	return &y.Result, nil
}

// Syncer holds the state of one run.
type Syncer struct {
	Options catalog.Options
	request Options
	// home is the user's home directory, or "".
	home    string
	Tree    *vfs.Tree
	Project *config.Project
	State   *syncstate.State
	// stateUnreadable is set if the state file is invalid and will be replaced.
	stateUnreadable bool
	hosts           []*host.Profile
	// noLinks is set if git does not create symlinks in this project.
	noLinks bool
	// mains maps paths to definitions' main files. Each path has one entry for each host that gets
	// the definition.
	mains map[string][]mainFile
	// readers maps a host's name to its hostFiles.
	readers map[string]*hostFiles
	// sourceProblems maps paths to the reason an existing source cannot be used.
	sourceProblems map[string]string
	// toRoot is the path from the working directory to the project root, or "" if they are the same.
	toRoot string
	// ForcedPaths are the paths to force, relative to the project root.
	ForcedPaths []string
	Result      Result
}

// OpenSync finds the project root, reads vade.yaml, and returns a Syncer that the caller must
// close.
func OpenSync(ctx context.Context, o catalog.Options, so Options) (*Syncer, error) {
	home := o.UserHome()
	o.ProjectOnly, o.As = true, ""
	c, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if c.Quick.Project == nil {
		return nil, errors.New("vade: no project found here")
	}
	o.Dir = c.Quick.Project.Dir()
	tree, err := vfs.Open(o.Dir, vfs.Options{})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	y := &Syncer{Options: o, request: so, home: home, Tree: tree, State: &syncstate.State{Version: 1}, hosts: registry.Hosts()}
	if dir := c.Quick.WorkDir; dir != "." {
		y.toRoot = strings.Repeat("../", strings.Count(dir, "/")+1)
	}
	for _, p := range so.Paths {
		rel := path.Join(c.Quick.WorkDir, strings.ReplaceAll(p, "\\", "/"))
		if vfs.IsAbs(p) {
			var inside bool
			if rel, inside = tree.Rel(path.Clean(p)); !inside {
				rel = ".."
			}
		}
		y.ForcedPaths = append(y.ForcedPaths, rel)
	}
	project, diags, err := config.Read(tree)
	if err != nil {
		tree.Close()
		return nil, fmt.Errorf("vade: %s: %w", config.File, catalog.Cause(err))
	}
	y.Project, y.noLinks = project, gitDisablesSymlinks(tree)
	y.Result = Result{
		Directory: tree.Dir(), Source: project.Sources(), Hosts: []catalog.CheckedHost{}, Steps: []Step{}, Losses: []export.HostLoss{},
		Diagnostics: append([]diag.Diagnostic{}, diags...), Copied: y.noLinks,
	}
	return y, nil
}

// Close closes the project tree.
func (y *Syncer) Close() { y.Tree.Close() }

// lock locks the project and returns a writer for it. Until release is called, other runs fail with
// [ErrBusy].
func (y *Syncer) lock() (w *vfs.Writer, release func(), err error) {
	unlock, err := y.Tree.Lock()
	if errors.Is(err, vfs.ErrBusy) {
		return nil, nil, fmt.Errorf("vade: %w", ErrBusy)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("vade: cannot lock the project: %w", err)
	}
	w, err = y.Tree.Writer(vfs.WriterOptions{Before: y.Options.BeforeWrite})
	if err != nil {
		unlock()
		return nil, nil, fmt.Errorf("vade: %w", err)
	}
	return w, func() { w.Close(); unlock() }, nil
}

// plan compares the project against the files that hosts need. It returns nil
// if there are errors that must be fixed first.
func (y *Syncer) plan(ctx context.Context) (*plan, error) {
	var missing []diag.Diagnostic
	if !y.request.Remove {
		missing = y.Project.Missing(y.Tree)
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, missing...)
	y.Result.Refused = true
	if y.Project.Invalid || len(missing) > 0 || !y.ReadState() {
		return nil, nil
	}
	if y.request.Remove && len(y.request.Hosts) == 0 {
		return y.finishPlan(nil), nil
	}
	if err := y.ChooseHosts(ctx); err != nil {
		return nil, err
	}
	if y.request.Remove {
		return y.finishPlan(nil), nil
	}
	if len(y.Result.Hosts) == 0 && y.Result.Failed() {
		return nil, nil
	}
	wants, sources, err := y.desiredFiles(ctx)
	if err != nil {
		return nil, err
	}
	if sources == 0 && !y.request.Force {
		// Syncing an empty source would remove all generated files.
		fix := "import existing definitions with vade import, or create definitions in a source"
		if len(y.State.Files) > 0 {
			fix += "; to remove all generated files, run: vade sync --force"
		}
		d := diag.For("", diag.SyncSource, "the source of truth is empty: no definitions in %s", catalog.JoinOr(y.Project.Sources())).WithFix("%s", fix)
		if len(y.sourceProblems) > 0 {
			first := slices.Min(slices.Collect(maps.Keys(y.sourceProblems)))
			d = diag.For(first, diag.SyncSource, "none of the definitions in the source of truth can be used: %s", y.sourceProblems[first]).WithFix("run vade check")
		}
		if !y.Result.Failed() {
			y.Result.Diagnostics = append(y.Result.Diagnostics, d)
		}
		return nil, nil
	}
	c, err := catalog.Open(ctx, y.Options)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if y.Project.Sync.Servers {
		files, err := y.desiredServers(ctx, c)
		if err != nil {
			return nil, err
		}
		wants = append(wants, files...)
	}
	for i, p := range y.ForcedPaths {
		overlaps := func(at string) bool {
			return p == "." || at == p || strings.HasPrefix(at, p+"/") || strings.HasPrefix(p, at+"/")
		}
		if !slices.ContainsFunc(wants, func(w desiredFile) bool { return overlaps(w.path) }) &&
			!slices.ContainsFunc(y.State.Files, func(e syncstate.Entry) bool { return overlaps(e.Path) }) {
			return nil, fmt.Errorf("vade: %s: %w", y.request.Paths[i], ErrPath)
		}
	}
	p := y.finishPlan(wants)
	err = y.reportOutside(ctx, c, p, wants)
	diag.Sort(y.Result.Diagnostics)
	return p, err
}

// finishPlan makes the plan and adds it to the result.
func (y *Syncer) finishPlan(wants []desiredFile) *plan {
	p := y.makePlan(wants)
	r := &y.Result
	r.Refused = false
	r.Steps, r.Same, r.Own = append(r.Steps, p.steps...), p.same, p.own
	r.Diagnostics = append(r.Diagnostics, p.problems...)
	diag.Sort(r.Diagnostics)
	return p
}

// ReadState reads the state file and reports whether it can be used. If Force is set and Paths is
// empty, an unreadable state file is replaced, unless its path contains a symlink or is a directory.
func (y *Syncer) ReadState() bool {
	state, err := syncstate.Read(y.Tree)
	if err != nil {
		d := catalog.UnreadableState(err)
		if y.request.Force && len(y.ForcedPaths) == 0 && !errors.Is(err, vfs.ErrLink) && !errors.Is(err, vfs.ErrDirectory) {
			d.Severity = diag.Warning
		}
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
		y.stateUnreadable = d.Severity == diag.Warning
		return y.stateUnreadable
	}
	// The state file can be forged, so accept only paths that hosts read. A
	// symlink that vade add recorded belongs to vade add.
	installed, _, _ := ledger.Read(y.Tree)
	state.Files = slices.DeleteFunc(state.Files, func(e syncstate.Entry) bool {
		if e.Link != "" && installed.HasLink(e.Path) {
			return true
		}
		problem := y.pathProblem(e.Path)
		if problem != "" {
			d := diag.For(syncstate.File, diag.SyncState, "entry %q was not written by Vade: the path %s", e.Path, problem).WithFix("remove the entry")
			d.Severity = diag.Warning
			y.Result.Diagnostics = append(y.Result.Diagnostics, d)
		}
		return problem != ""
	})
	y.State = state
	return true
}

// pathProblem returns the reason that Vade cannot have written a file at path p, or "".
func (y *Syncer) pathProblem(p string) string {
	if problem := config.BadPath(p); problem != "" {
		return problem
	}
	if slices.ContainsFunc(y.hosts, func(h *host.Profile) bool { return h.MayHaveWritten(p) }) {
		return ""
	}
	return "is not read by any host"
}

// gitDisablesSymlinks reports whether core.symlinks is false in git's configuration.
func gitDisablesSymlinks(tree *vfs.Tree) bool {
	data, err := tree.ReadFile(".git/config", 1<<20)
	if err != nil {
		return false
	}
	section, off := "", false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == "core" && strings.EqualFold(strings.TrimSpace(key), "symlinks") {
			off = strings.EqualFold(strings.TrimSpace(value), "false")
		}
	}
	return off
}

// ChooseHosts determines the hosts to write files for: the requested hosts, or
// else the hosts in vade.yaml, or else the detected hosts.
func (y *Syncer) ChooseHosts(ctx context.Context) error {
	names, reason := y.request.Hosts, "specified with --host"
	if len(names) == 0 {
		names, reason = y.Project.Hosts, "listed in "+config.File
	}
	y.Result.Hosts = []catalog.CheckedHost{}
	for _, name := range names {
		p, ok := registry.Lookup(name)
		if !ok || p.Name == host.NeutralName {
			return fmt.Errorf("vade: unknown host %q; valid hosts: %s", name, strings.Join(registry.RealNames(), ", "))
		}
		if p.Export == nil {
			y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncHost, "vade sync does not write files for %s", p.Name).
				WithFix("to export definitions for it, run: vade export %s", p.Name))
			continue
		}
		y.addHost(p, reason)
	}
	if len(names) > 0 {
		return nil
	}
	// Use the detected hosts that have their own files in the project, and the hosts for which vade
	// sync or vade add wrote files earlier. If there are none, use the hosts in the home directory.
	o := y.Options
	o.Nested, o.Unread = true, true
	if typ, err := y.Tree.Lstat("skills"); err == nil && typ == vfs.Dir {
		o.PluginDirs = append(slices.Clone(o.PluginDirs), y.Tree.Path("."))
	}
	c, err := catalog.Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	detected, _, err := c.DetectPrograms(ctx, y.Project.Sources())
	if err != nil {
		return err
	}
	add := func(list []catalog.CheckedHost) {
		for _, h := range list {
			if p, ok := registry.Lookup(h.Host); ok && p.Export != nil {
				y.addHost(p, h.Why)
			}
		}
	}
	add(detected)
	installed, _, _ := ledger.Read(y.Tree)
	for _, name := range append(y.State.Hosts(), installed.Hosts()...) {
		if p, ok := registry.Lookup(name); ok && p.Export != nil {
			y.addHost(p, "Vade previously wrote files for it")
		}
	}
	if len(y.Result.Hosts) == 0 {
		add(catalog.HomeHosts(y.home))
	}
	if len(y.Result.Hosts) == 0 {
		d := diag.For("", diag.SyncHost, "no host was detected in the project or your home directory").WithFix("list your hosts in the hosts field of %s, or use --host", config.File)
		d.Severity = diag.Error
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	return nil
}

func (y *Syncer) addHost(p *host.Profile, reason string) {
	if !slices.ContainsFunc(y.Result.Hosts, func(o catalog.CheckedHost) bool { return o.Host == p.Name }) {
		y.Result.Hosts = append(y.Result.Hosts, catalog.CheckedHost{Host: p.Name, Version: p.Version, Why: reason})
	}
}

// keptBy returns the names of the hosts that keep their own project-wide instructions, because
// vade.yaml excludes instructions for them. It returns "" if there are no such hosts, or if the
// instructions are written to the same file for another host.
func (y *Syncer) keptBy(d *definition.Definition) string {
	var names []string
	for _, p := range y.hosts {
		if d.Kind != definition.Instruction || p.Export == nil || p.Export.Instructions == nil ||
			p.Export.Instructions.Whole != d.Origin.Path ||
			len(y.Project.Hosts) > 0 && !slices.Contains(y.Project.Hosts, p.Name) {
			continue
		}
		if !y.Project.Excludes(p.Name, d.Kind) {
			return ""
		}
		names = append(names, p.Name)
	}
	return strings.Join(names, " and ")
}

// isSource reports whether a path is in the source of truth.
func (y *Syncer) isSource(p string) bool { return catalog.UnderAny(y.Project.Sources(), p) }

// maxReported is the maximum number of files outside the source of truth that are reported by name.
const maxReported = 5

// reportOutside reports definitions that are in host directories but not in the source of truth, so
// other hosts do not get them. It skips paths that vade sync manages, and kinds that are excluded
// for the host.
func (y *Syncer) reportOutside(ctx context.Context, c *catalog.Catalog, p *plan, wants []desiredFile) error {
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	var found []string
	var imported map[string]bool
	owners := map[string]bool{}
	for _, d := range all.All {
		at := d.Origin.Path
		if d.Origin.Layer != definition.Project || d.State == definition.Dropped || d.Origin.Nested != "" || d.Format == definition.Package ||
			y.isSource(at) || y.importsSource(d) || y.keptBy(d) != "" || strings.Contains(path.Base(at), ".local.") || p.after.Has(at) ||
			slices.ContainsFunc(p.steps, func(s Step) bool { return s.Path == at }) ||
			slices.ContainsFunc(wants, func(w desiredFile) bool { return w.path == at || strings.HasPrefix(at, w.path+"/") }) {
			continue
		}
		owner := ""
		if hosts := y.hostsOf(d.Origin.Root); len(hosts) > 0 && hosts[0].Program() && hosts[0].Export != nil {
			owner = hosts[0].Name
		}
		if owner != "" && y.Project.Excludes(owner, d.Kind) {
			continue
		}
		if imported == nil {
			imported = y.imported(ctx)
		}
		if imported[at] {
			continue
		}
		owners[owner] = true
		if d.Kind == definition.Skill {
			at = path.Dir(at)
		}
		found = append(found, at)
	}
	y.reportRepeats(all, p)
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	names := strings.Join(found[:min(maxReported, len(found))], ", ")
	if more := len(found) - maxReported; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	fix := "vade import"
	for name := range owners {
		if len(owners) == 1 && name != "" {
			fix += " --host " + name
		}
	}
	verb, object := "are", "them"
	if len(found) == 1 {
		verb, object = "is", "it"
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncOutside, "%s %s outside the source of truth, so other hosts do not get %s", names, verb, object).
		WithFix("to import, run: %s; for definitions that only one host needs, use sync.exclude in %s", fix, config.File))
	return nil
}

// importsSource reports whether an instruction file contains only an import of a
// file in the source of truth, such as a CLAUDE.md with "@AGENTS.md".
func (y *Syncer) importsSource(d *definition.Definition) bool {
	if d.Kind != definition.Instruction {
		return false
	}
	data, err := y.Tree.ReadFile(d.Origin.Path, syncstate.MaxFile)
	name, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "@")
	return err == nil && ok && !strings.ContainsAny(name, " \t\r\n") && y.isSource(path.Join(path.Dir(d.Origin.Path), name))
}

// imported returns the set of files whose content is already in the source of truth.
func (y *Syncer) imported(ctx context.Context) map[string]bool {
	found := map[string]bool{}
	r, err := PlanImport(ctx, y.Options, ImportOptions{Move: true})
	if err != nil {
		return found
	}
	for _, f := range r.Files {
		same, seen := found[f.Source]
		found[f.Source] = f.Action == "same" && (same || !seen)
	}
	for _, l := range r.Losses {
		found[l.Source] = false
	}
	return found
}

// hostsOf returns the selected hosts that read definitions from root, if root belongs only to their
// family; see [catalog.OwnsPath].
func (y *Syncer) hostsOf(root string) []*host.Profile {
	var list []*host.Profile
	for _, p := range y.hosts {
		if slices.Contains(catalog.HostPaths(p), root) && catalog.OwnsPath(y.hosts, catalog.HostFamily(p.Name), root) {
			list = append(list, p)
		}
	}
	return list
}
