// Package discover finds the files of every layer that a profile names. It
// opens nothing that is not a place of the profile, and gives an account of
// each file it meets there.
package discover

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// Environment is what discovery has to know of the world. The zero value of a
// directory means that there is none.
type Environment struct {
	// WorkDir is the directory that is worked in, Home the user's. Both are
	// absolute, with forward slashes.
	WorkDir, Home string
	// Managed replaces the managed directories of the operating system.
	Managed string
	// GOOS is the operating system, as runtime.GOOS names it.
	GOOS string
	// Getenv reads the environment variables that profiles name; nil reads none.
	Getenv func(string) string
	// Nested looks for the project's roots in every directory below it too.
	Nested bool
	// Account walks further than the profile reads, to name what it does not.
	Account bool
	// PluginDirs are directories of plugins to use besides those installed.
	PluginDirs []string
	// Layers are file systems that take the place of a layer's directories.
	Layers []LayerFS
	// Only leaves out every layer that is not in Layers.
	Only bool
	// Client are the switches of a host's program.
	Client Client
	// NoPlugins leaves out plugins, and with them the reading of manifests.
	NoPlugins bool
	// Hidden says of a file that a link leads to whether it may not be read; nil
	// lets all be read. It is called by many goroutines.
	Hidden func(*vfs.Tree, string) error
	// Bundled are Vade's own definitions, laid out as a plugin is.
	Bundled fs.FS
	Limits  Limits
}

// LayerFS is a file system in the place of a layer's directories.
type LayerFS struct {
	Layer definition.Layer
	Name  string
	FS    fs.FS
}

// Place is one root of the profile at one directory.
type Place struct {
	Root  *host.Root
	Layer definition.Layer
	Tree  *vfs.Tree
	// Dir is the directory in Tree.
	Dir string
	// Row is the root's number in the profile, Distance how far the base is
	// above the working directory.
	Row, Distance int
	Plugin        *Plugin
	// Nested is the directory below the project that a nested place belongs to.
	Nested string
	// Shown is Dir as it is shown.
	Shown string
	// itself: Dir, named by a manifest, may be the definition's own directory.
	itself bool
	// parent: it is in a directory above the project.
	parent bool
}

// Plan is the list of places of one profile in one environment, strongest
// first within each layer.
type Plan struct {
	Profile *host.Profile
	// Project is the tree that paths are shown relative to; nil without one.
	Project *vfs.Tree
	// WorkDir is the working directory in Project.
	WorkDir string
	Places  []Place
	Plugins []*Plugin
	// Diagnostics are the findings of the planning itself.
	Diagnostics []diag.Diagnostic

	env   Environment
	trees []*vfs.Tree
	// managedTrees are the managed directories, nil where one is not read.
	managedTrees map[string]*vfs.Tree
	// ctx stops the planning; it is not kept beyond it.
	ctx            context.Context
	pluginsAt      map[string][]*Plugin
	tooManyPlugins bool
	bases          map[host.Base][]base
	settings       []settingsPlace
}

// base is one directory that roots are relative to.
type base struct {
	tree     *vfs.Tree
	dir      string
	distance int
	nested   string
	// present are, in a nested base, the names by which roots are reached that
	// are there.
	present []string
	// added is a further directory of the client, touched one above a file that
	// its session has touched.
	added, touched bool
	// parent is a directory above the project. above is one that has those places
	// alone which the profile marks so, summit the root of the file system, which
	// has the others.
	parent, above, summit bool
}

// NewPlan opens the directories of an environment and lays out the places of a
// profile in them. It reads manifests, but no definition. The plan has to be
// closed.
func NewPlan(ctx context.Context, env Environment, p *host.Profile) (*Plan, error) {
	plan, err := Begin(ctx, env, p)
	if err != nil {
		return nil, err
	}
	if err := plan.LayOut(ctx); err != nil {
		plan.Close()
		return nil, err
	}
	return plan, nil
}

// Begin opens the directories of an environment. The profile may change until
// [Plan.LayOut] is called. The plan has to be closed.
func Begin(ctx context.Context, env Environment, p *host.Profile) (*Plan, error) {
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	env.Limits = env.Limits.withDefaults()
	plan := &Plan{Profile: p, env: env, bases: map[host.Base][]base{}, managedTrees: map[string]*vfs.Tree{}, ctx: ctx}
	defer func() { plan.ctx = nil }()
	if err := plan.openProject(); err != nil {
		plan.Close()
		return nil, err
	}
	plan.openHome()
	plan.layers()
	return plan, nil
}

// LayOut lays out the places of the profile in the directories.
func (plan *Plan) LayOut(ctx context.Context) error {
	plan.ctx = ctx
	defer func() { plan.ctx = nil }()
	env, p := &plan.env, plan.Profile
	if env.Nested {
		plan.nest()
	}
	plan.addDirectories()
	plan.touch()
	plan.placeSettings()
	if !env.NoPlugins && !env.Client.Bare {
		plan.findPlugins()
	}
	plan.Places = make([]Place, 0, len(p.Roots)+1)
	for row := range p.Roots {
		plan.place(row)
	}
	if p.Bundled && env.Bundled != nil {
		plan.bundle()
	}
	if !env.NoPlugins {
		plan.collections()
	}
	plan.sort()
	return ctx.Err()
}

// Close gives back the directories that the plan holds open.
func (p *Plan) Close() {
	for _, t := range p.trees {
		t.Close()
	}
}

func (p *Plan) open(dir string, o vfs.Options) *vfs.Tree {
	t, err := vfs.Open(dir, o)
	switch {
	case err == nil:
		p.trees = append(p.trees, t)
		return t
	case !errors.Is(err, fs.ErrNotExist):
		p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.FileUnreadable, "the directory can not be opened: %v", reason(err)).
			WithFix("give yourself the right to read it, or leave it out"))
	}
	return nil
}

// openProject finds the top of the project and the bases between it and the
// working directory.
func (p *Plan) openProject() error {
	if p.env.Only || p.env.WorkDir == "" {
		return nil
	}
	top, repo := vfs.FindUp(p.env.WorkDir, ".git")
	if !repo {
		top = p.env.WorkDir
	}
	tree, err := vfs.Open(top, vfs.Options{})
	if err != nil {
		return err
	}
	p.trees = append(p.trees, tree)
	p.Project = tree
	if rel, ok := tree.Rel(p.env.WorkDir); ok {
		p.WorkDir = rel
	} else {
		return &fs.PathError{Op: "open", Path: p.env.WorkDir, Err: errors.New("the name of the directory is not valid UTF-8")}
	}
	for d, n := p.WorkDir, 0; ; n++ {
		p.bases[host.InProject] = append(p.bases[host.InProject], base{tree: tree, dir: d, distance: n})
		if d == "." {
			break
		}
		d = path.Dir(d)
	}
	p.bases[host.InTop] = []base{{tree: tree, dir: "."}}
	p.bases[host.InWorkDir] = p.bases[host.InProject][:1:1]
	p.openParents(top, repo)
	return nil
}

// openParents adds the directories above the project: for all places where it is
// in no repository and the profile walks on, else for those that are marked so.
// Each is a tree of its own, so that a link in it ends in it.
func (p *Plan) openParents(top string, repo bool) {
	all := !repo && p.Profile.Ancestors == host.ToFilesystem
	some := slices.ContainsFunc(p.Profile.Roots, func(r host.Root) bool { return r.Above })
	if !all && !some {
		return
	}
	n := len(p.bases[host.InProject])
	up := vfs.Ancestors(top)[1:]
	for i, d := range up {
		b := base{dir: ".", distance: n + i, parent: true, above: !all || d == p.env.Home, summit: i == len(up)-1}
		if b.above && (b.summit || !some) {
			continue
		}
		if b.tree = p.open(d, vfs.Options{}); b.tree != nil {
			p.bases[host.InProject] = append(p.bases[host.InProject], b)
		}
	}
}

func (p *Plan) openHome() {
	if p.env.Only || p.env.Home == "" {
		return
	}
	t := p.open(p.env.Home, vfs.Options{HardLinks: true})
	if t == nil {
		return
	}
	if p.Project != nil {
		t.Allow(p.Project)
	}
	p.bases[host.InHome] = []base{{tree: t, dir: "."}}
}

// layers puts file systems in the place of the directories of their layers.
func (p *Plan) layers() {
	bases := map[definition.Layer][]host.Base{
		definition.Managed: {host.InManaged}, definition.User: {host.InHome},
		definition.Project: {host.InProject, host.InTop, host.InWorkDir},
	}
	for _, l := range p.env.Layers {
		tree := vfs.FromFS(l.FS, l.Name)
		p.trees = append(p.trees, tree)
		for _, b := range bases[l.Layer] {
			p.bases[b] = []base{{tree: tree, dir: "."}}
		}
		if l.Layer == definition.Project {
			p.Project, p.WorkDir = tree, "."
		}
	}
}

// place adds the places of one row of the profile.
func (p *Plan) place(row int) {
	root := &p.Profile.Roots[row]
	if p.env.Client.leavesOutRoot(root) {
		return
	}
	switch root.Base {
	case host.InPlugin:
		for _, plug := range p.Plugins {
			for _, c := range plug.dirs(root) {
				p.add(Place{Root: root, Row: row, Tree: plug.Tree, Dir: c.dir, Plugin: plug, itself: c.named})
			}
		}
		return
	case host.InManaged:
		if t := p.managed(root.Managed); t != nil {
			p.add(Place{Root: root, Row: row, Tree: t, Dir: path.Clean(root.Dir)})
		}
		return
	case host.InEnv:
		for i, t := range p.listed(root.Env) {
			p.add(Place{Root: root, Row: row, Tree: t, Dir: path.Clean(root.Dir), Distance: i})
		}
		return
	}
	for _, b := range p.bases[root.Base] {
		if !b.wants(root) {
			continue
		}
		tree, dir := b.tree, root.Dir
		if root.Base == host.InHome {
			if tree, dir = p.movedDir(b, root.Dir, root.Env, root.EnvDepth); tree == nil {
				continue
			}
		}
		p.add(Place{
			Root: root, Row: row, Tree: tree, Dir: path.Join(b.dir, dir), Distance: b.distance, Nested: b.nested,
			parent: b.parent,
		})
	}
}

// managed returns the tree of a managed directory, opened once.
func (p *Plan) managed(m *host.ManagedDir) *vfs.Tree {
	if bs := p.bases[host.InManaged]; len(bs) > 0 {
		return bs[0].tree
	}
	dir := p.env.Managed
	if dir == "" && m != nil {
		dir = m.For(p.env.GOOS)
	}
	if dir == "" || p.env.Only {
		return nil
	}
	t, known := p.managedTrees[dir]
	if !known && p.keptByAdministrator(dir) {
		if i := slices.IndexFunc(p.trees, func(t *vfs.Tree) bool { return t.Dir() == dir }); i >= 0 {
			t = p.trees[i]
		} else {
			t = p.open(dir, vfs.Options{})
		}
	}
	p.managedTrees[dir] = t
	return t
}

// keptByAdministrator reports whether only the administrator, or for a
// directory that the user names also the user, can put something into a managed
// directory. Else what is in it does not count as managed and is not read.
func (p *Plan) keptByAdministrator(dir string) bool {
	check := vfs.SystemOnly
	if p.env.Managed != "" {
		check = vfs.UserOnly
	}
	var owner *vfs.OwnerError
	if !errors.As(check(dir), &owner) {
		return true
	}
	p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.ManagedOwner, "the managed directory is not read: %s", owner).WithFix("%s", owner.Fix))
	return false
}

// bundle adds Vade's own definitions.
func (p *Plan) bundle() {
	root := &host.Root{Layer: definition.Bundled, Rules: []host.Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: 1, Boundary: true, Naming: host.ByDir},
	}}
	tree := vfs.FromFS(p.env.Bundled, "vade:bundled")
	p.trees = append(p.trees, tree)
	p.add(Place{Root: root, Row: len(p.Profile.Roots), Tree: tree, Dir: "."})
}

func (p *Plan) add(pl Place) {
	pl.Layer = pl.Root.Layer
	pl.Shown = p.Show(pl.Tree, pl.Dir)
	p.Places = append(p.Places, pl)
}

// collections reports the directories of definitions at the top of the project
// that belong to no place.
func (p *Plan) collections() {
	for _, b := range p.bases[host.InTop] {
		for _, dir := range p.Profile.Collections {
			typ, err := b.tree.Lstat(dir)
			used := slices.ContainsFunc(p.Places, func(pl Place) bool {
				return pl.Tree == b.tree && (pl.Dir == dir || strings.HasPrefix(pl.Dir, dir+"/"))
			})
			if err == nil && typ == vfs.Dir && !used {
				p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.NotRead, "no host reads %s at the top of a project", dir).
					WithFix("if it is a collection of definitions, look at it as a plugin: --plugin-dir ."))
			}
		}
	}
}

// sort orders the places by layer, distance and row, and drops a place of the
// project that is also one of the user's: in a home directory that is itself a
// project both are the same.
func (p *Plan) sort() {
	slices.SortStableFunc(p.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
	})
	if p.Project == nil {
		return
	}
	user := map[string]bool{}
	for _, pl := range p.Places {
		if pl.Layer == definition.User {
			user[pl.Tree.RealPath(pl.Dir)] = true
		}
	}
	p.Places = slices.DeleteFunc(p.Places, func(pl Place) bool {
		return pl.Layer == definition.Project && user[pl.Tree.RealPath(pl.Dir)] && len(pl.Root.Rules) > 0 && (pl.parent || !pl.single())
	})
}

// single reports whether the place is one file, opened by its name.
func (pl *Place) single() bool {
	return len(pl.Root.Rules) == 1 && pl.Root.Rules[0].File != "" && pl.Root.Rules[0].Max == 0
}

// reason strips what fs.PathError adds: the path is shown beside it already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
