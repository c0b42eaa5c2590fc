// Package materialize writes the files that hosts need from the source of truth of a
// project (vade sync), and moves existing files of hosts into it (vade import).
//
// There is one rule for what may be overwritten or removed: a file whose digest is
// recorded in .vade/sync.json is Vade's. A path where nothing is may be written. Any
// other file is the user's; it is reported, and left alone unless the user forces it.
package materialize

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/vfs"
)

// Options say what is kept in step.
type Options struct {
	// Hosts are the hosts that get copies. None are those of the project's vade.yaml,
	// or else those that have files of their own in the project, with those that
	// something was made for earlier. What was made for hosts that are not named here
	// stays as it is; what was made for hosts that the project does not want any more is
	// removed.
	Hosts []string
	// Force overwrites files that were edited since they were made, and files that Vade
	// has not made. With Paths, which are relative to the working directory, it does so
	// at those and below them alone, and also removes what was edited there and is not
	// wanted any more.
	Force bool
	Paths []string
	// AllowWidening writes also what a host would take for more than its author allows:
	// an agent with tools that were kept from it, a skill that the model may use. Without
	// it nothing of such a definition is written for that host, and what was made of it
	// earlier is removed.
	AllowWidening bool
}

// Result is what brings the hosts' files of a project in step with its source of truth.
// Its JSON is stable: fields are added, never renamed.
type Result struct {
	// Directory is the top of the project, which all paths are below. Source are the
	// directories and files that are the source of truth.
	Directory string   `json:"directory"`
	Source    []string `json:"source"`
	// Hosts get the copies.
	Hosts []catalog.CheckedHost `json:"hosts"`
	// Steps are what is done, by path.
	Steps []Step `json:"steps"`
	// Same is the number of copies that are in step already, Own that of those among
	// them that the project has by itself, InPlace that of definitions of which a host
	// reads the source, counted for each host.
	Same    int `json:"same"`
	Own     int `json:"own"`
	InPlace int `json:"inPlace"`
	// Copied: git makes no links here, and there are copies in their place.
	Copied bool `json:"copied,omitempty"`
	// Done: the steps were carried out. Refused: nothing was planned, because something
	// has to be fixed first. Interrupted: the run before this one did not end, and this
	// one completes it.
	Done        bool `json:"done"`
	Refused     bool `json:"refused,omitempty"`
	Interrupted bool `json:"interrupted,omitempty"`
	// Losses are what hosts cannot express; Diagnostics what is in the way, and what is
	// worth knowing.
	Losses      []export.HostLoss `json:"losses"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Step is one thing that is done at a path.
type Step struct {
	// Action is create, update, remove, link or unlink.
	Action string `json:"action"`
	Path   string `json:"path"`
	// Source is the file or directory that it is made of.
	Source string   `json:"source"`
	Hosts  []string `json:"hosts"`
	// Link is the text of a link.
	Link string `json:"link,omitempty"`
	// Forced: what is overwritten or removed is not as Vade has made it.
	Forced bool `json:"forced,omitempty"`

	before, after []byte
	executable    bool
}

// Diff is the change of a file as a unified diff, "" of a link.
func (s *Step) Diff() string {
	if s.Link != "" {
		return ""
	}
	return mcp.HideDiff(textdiff.Diff(s.Path, string(s.before), string(s.after)))
}

// Failed reports whether something could not be brought in step.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
}

var (
	// ErrBusy is the error of [Sync] and [Import] while another run works on the project.
	ErrBusy = errors.New("another vade sync is at work in this project")
	// ErrPath is the error of [Sync] for a path to force at which it makes nothing.
	ErrPath = errors.New("no copy is to stand there")
	// ErrNoLinks is the error of [Sync] where the system refuses to make a link.
	ErrNoLinks = errors.New("links cannot be made here; to have copies instead, write into " + config.File + ": sync: {links: never}")
)

// PlanSync says what [Sync] would do. Nothing is written.
func PlanSync(ctx context.Context, o catalog.Options, so Options) (*Result, error) {
	y, err := OpenSync(ctx, o, so)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	_, err = y.plan(ctx)
	return &y.Result, err
}

// Sync brings the files of the hosts in step with the source of truth of a project. A
// host that reads a definition where it is gets nothing; a skill of which nothing has to
// be changed is a link where all hosts that read it follow one; all else are files. Each
// file is written in one step, and a run that is killed is completed by the next.
// Nothing is written outside of the project or through a link, and nothing runs.
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
		if err := y.sweep(state, writer); err != nil {
			return nil, fmt.Errorf("vade: %w", err)
		}
	}
	p, err := y.plan(ctx)
	if err != nil || p == nil {
		return &y.Result, err
	}
	if err := p.apply(ctx, y.Tree, writer); err != nil {
		return nil, fmt.Errorf("vade: %w; run vade sync again to complete it", err)
	}
	y.Result.Done = true
	return &y.Result, nil
}

// Syncer is one run.
type Syncer struct {
	Options catalog.Options
	request Options
	Tree    *vfs.Tree
	Project *config.Project
	State   *syncstate.State
	// stateLost: the state cannot be read and is written anew.
	stateLost bool
	// hosts are the profiles of all hosts.
	hosts []*host.Profile
	// noLinks: git makes no links here.
	noLinks bool
	// mains are the main files of definitions by their paths, for each host that gets one.
	mains map[string][]mainFile
	// unread are the reasons for which sources that are there cannot be used, by path.
	unread map[string]string
	// Only are the paths to force, below the top.
	Only   []string
	Result Result
}

// OpenSync finds the top of the project and reads its file.
func OpenSync(ctx context.Context, o catalog.Options, so Options) (*Syncer, error) {
	o.ProjectOnly, o.As = true, ""
	c, err := catalog.Open(ctx, o)
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
	y := &Syncer{Options: o, request: so, Tree: tree, State: &syncstate.State{Version: 1}, hosts: registry.Hosts()}
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
	project, diags, err := config.Read(tree)
	if err != nil {
		tree.Close()
		return nil, fmt.Errorf("vade: %s: %w", config.File, catalog.Cause(err))
	}
	y.Project, y.noLinks = project, gitWithoutLinks(tree)
	y.Result = Result{
		Directory: tree.Dir(), Source: project.Sources(), Hosts: []catalog.CheckedHost{}, Steps: []Step{}, Losses: []export.HostLoss{},
		Diagnostics: append([]diag.Diagnostic{}, diags...), Copied: y.noLinks,
	}
	return y, nil
}

// Close gives back what the run holds open.
func (y *Syncer) Close() { y.Tree.Close() }

// lock keeps other runs away until release is called.
func (y *Syncer) lock() (w *vfs.Writer, release func(), err error) {
	unlock, err := y.Tree.Lock()
	if errors.Is(err, vfs.ErrBusy) {
		return nil, nil, fmt.Errorf("vade: %w", ErrBusy)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("vade: the project cannot be locked: %w", err)
	}
	w, err = y.Tree.Writer(vfs.WriterOptions{Before: y.Options.BeforeWrite})
	if err != nil {
		unlock()
		return nil, nil, fmt.Errorf("vade: %w", err)
	}
	return w, func() { w.Close(); unlock() }, nil
}

// plan compares the project with what hosts need. There is none where something has to
// be fixed first.
func (y *Syncer) plan(ctx context.Context) (*plan, error) {
	missing := y.Project.Missing(y.Tree)
	y.Result.Diagnostics = append(y.Result.Diagnostics, missing...)
	y.Result.Refused = true
	if y.Project.Invalid || len(missing) > 0 || !y.ReadState() {
		return nil, nil
	}
	if err := y.ChooseHosts(ctx); err != nil {
		return nil, err
	}
	if len(y.Result.Hosts) == 0 && y.Result.Failed() {
		return nil, nil
	}
	wants, sources, err := y.wants(ctx)
	if err != nil {
		return nil, err
	}
	if sources == 0 && !y.request.Force {
		// Taken for a source that has become empty it would remove all that was made.
		fix := "bring over what the hosts have with vade import, or write definitions there"
		if len(y.State.Files) > 0 {
			fix += "; to remove all that was made: vade sync --force"
		}
		y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncSource, "no source of truth: there are no definitions in %s",
			strings.Join(y.Project.Sources(), " or ")).WithFix("%s", fix))
		return nil, nil
	}
	y.Result.Refused = false
	c, err := catalog.Open(ctx, y.Options)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if y.Project.Sync.Servers {
		servers, err := y.wantedServers(ctx, c)
		if err != nil {
			return nil, err
		}
		wants = append(wants, servers...)
	}
	for i, p := range y.Only {
		near := func(at string) bool {
			return p == "." || at == p || strings.HasPrefix(at, p+"/") || strings.HasPrefix(p, at+"/")
		}
		if !slices.ContainsFunc(wants, func(w want) bool { return near(w.path) }) &&
			!slices.ContainsFunc(y.State.Files, func(e syncstate.Entry) bool { return near(e.Path) }) {
			return nil, fmt.Errorf("vade: %s: %w", y.request.Paths[i], ErrPath)
		}
	}
	p := y.makePlan(wants)
	r := &y.Result
	r.Steps, r.Same, r.Own = append(r.Steps, p.steps...), p.same, p.own
	r.Diagnostics = append(r.Diagnostics, p.problems...)
	err = y.outside(ctx, c, p, wants)
	diag.Sort(r.Diagnostics)
	return p, err
}

// ReadState reads what was made, and reports whether it can be used. With force a state
// that cannot be read is replaced.
func (y *Syncer) ReadState() bool {
	state, err := syncstate.Read(y.Tree)
	if err != nil {
		d := catalog.UnreadableState(err)
		if y.request.Force && len(y.Only) == 0 && !errors.Is(err, vfs.ErrLink) {
			d.Severity = diag.Warning
		}
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
		y.stateLost = d.Severity == diag.Warning
		return y.stateLost
	}
	// Anybody can have written the state: only files in places that hosts read count.
	state.Files = slices.DeleteFunc(state.Files, func(e syncstate.Entry) bool {
		why := y.badPlace(e.Path)
		if why != "" {
			d := diag.For(syncstate.File, diag.SyncState, "it names %q, which Vade has not made: the path %s", e.Path, why).WithFix("take the entry out of the file")
			d.Severity = diag.Warning
			y.Result.Diagnostics = append(y.Result.Diagnostics, d)
		}
		return why != ""
	})
	y.State = state
	return true
}

// badPlace says why a path cannot be one that was made, or "".
func (y *Syncer) badPlace(p string) string {
	if why := config.BadPath(p); why != "" {
		return why
	}
	if slices.ContainsFunc(y.hosts, func(h *host.Profile) bool {
		if h.Servers != nil && h.Servers.Path == p || h.Mine(p) {
			return true
		}
		x := h.Export
		return x != nil && x.Instructions != nil && x.Instructions.Nested && path.Base(p) == path.Base(x.Instructions.Whole)
	}) {
		return ""
	}
	return "is no place of a host"
}

// gitWithoutLinks reports whether git is told to write files in the place of links.
func gitWithoutLinks(tree *vfs.Tree) bool {
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

// ChooseHosts decides who gets copies: the hosts that are asked for, those of vade.yaml,
// or those that the project shows.
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
		y.choose(p, why)
	}
	if len(names) > 0 {
		return nil
	}
	// The hosts that vade check would take, and those that something was made for.
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
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	var files []string
	for _, d := range all.All {
		if p, ok := c.ProjectFile(d); ok && d.ReasonCode != diag.SyncCopy {
			files = append(files, p)
		}
	}
	there := func(label string) bool { return c.HasPath(label, slices.Values(files)) }
	for _, h := range catalog.DetectHosts(y.Project.Sources(), there) {
		if p, ok := registry.Lookup(h.Host); ok && p.Export != nil && p.Program() {
			y.choose(p, h.Why)
		}
	}
	for _, name := range y.State.Hosts() {
		if p, ok := registry.Lookup(name); ok && p.Export != nil {
			y.choose(p, "something was made for it")
		}
	}
	if len(y.Result.Hosts) == 0 {
		d := diag.For("", diag.SyncHost, "nothing shows which hosts the project uses").WithFix("name them with hosts: in %s, or with --hosts", config.File)
		d.Severity = diag.Error
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	return nil
}

func (y *Syncer) choose(p *host.Profile, why string) {
	if !slices.ContainsFunc(y.Result.Hosts, func(o catalog.CheckedHost) bool { return o.Host == p.Name }) {
		y.Result.Hosts = append(y.Result.Hosts, catalog.CheckedHost{Host: p.Name, Version: p.Version, Why: why})
	}
}

// isSource reports whether a path is one of the sources of truth, or in one.
func (y *Syncer) isSource(p string) bool { return catalog.UnderAny(y.Project.Sources(), p) }

// maxOutside is how many files outside of the source of truth are named.
const maxOutside = 5

// outside names the definitions that are in the directories of hosts and not in the
// source of truth, so that other hosts do not get them. What is in the way of a copy is
// named as that, and what a host gets none of from the sources may be its own.
func (y *Syncer) outside(ctx context.Context, c *catalog.Catalog, p *plan, wants []want) error {
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	var found []string
	owners := map[string]bool{}
	for _, d := range all.All {
		at := d.Origin.Path
		if d.Origin.Layer != definition.Project || d.State == definition.Dropped || d.Origin.Nested != "" || d.Format == definition.Package ||
			y.isSource(at) || strings.Contains(path.Base(at), ".local.") || p.after.Has(at) ||
			slices.ContainsFunc(p.steps, func(s Step) bool { return s.Path == at }) ||
			slices.ContainsFunc(wants, func(w want) bool { return w.path == at || strings.HasPrefix(at, w.path+"/") }) {
			continue
		}
		owner := ""
		if hosts := y.hostsOf(d.Origin.Root); len(hosts) > 0 && hosts[0].Program() && hosts[0].Export != nil {
			owner = hosts[0].Name
		}
		if owner != "" && y.Project.Excludes(owner, d.Kind) {
			continue
		}
		owners[owner] = true
		if d.Kind == definition.Skill {
			at = path.Dir(at)
		}
		found = append(found, at)
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	shown := strings.Join(found[:min(maxOutside, len(found))], ", ")
	if more := len(found) - maxOutside; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	fix := "vade import"
	for name := range owners {
		if len(owners) == 1 && name != "" {
			fix += " --from " + name
		}
	}
	verb, them := "stand", "them"
	if len(found) == 1 {
		verb, them = "stands", "it"
	}
	y.Result.Diagnostics = append(y.Result.Diagnostics, diag.For("", diag.SyncOutside, "%s %s outside of the source of truth: other hosts do not get %s", shown, verb, them).
		WithFix("bring it over with: %s; what is for one host only: sync: exclude: in %s", fix, config.File))
	return nil
}

// hostsOf returns the hosts that a directory belongs to alone.
func (y *Syncer) hostsOf(root string) []*host.Profile {
	var list []*host.Profile
	for _, p := range y.hosts {
		if slices.Contains(catalog.HostPaths(p), root) && catalog.OwnsPath(y.hosts, catalog.HostFamily(p.Name), root) {
			list = append(list, p)
		}
	}
	return list
}
