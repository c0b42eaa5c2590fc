// Package discover finds the definition files that a profile selects, in every layer. It opens
// files only in the profile's directories and reports the files there that it does not read.
package discover

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// Environment is the input to discovery. An empty directory field means that
// the directory does not exist.
type Environment struct {
	// WorkDir is the working directory, and Home is the user's home directory. Both are absolute,
	// with forward slashes.
	WorkDir, Home string
	// Managed overrides the operating system's managed directories.
	Managed string
	// GOOS is the operating system, as in runtime.GOOS.
	GOOS string
	// Getenv returns the value of an environment variable. If nil, no variables are set.
	Getenv func(string) string
	// If Nested is set, all subdirectories of the project are also searched for roots.
	Nested bool
	// If Account is set, discovery also walks directories that the host does not read, so that
	// their files can be reported as unread.
	Account bool
	// PluginDirs lists additional plugin directories.
	PluginDirs []string
	// Layers lists file systems to read in place of the directories of their layers.
	Layers []LayerFS
	// If Only is set, layers that are not in Layers are excluded.
	Only bool
	// Client is the host program's state.
	Client Client
	// If NoPlugins is set, plugins and their manifests are skipped.
	NoPlugins bool
	// Roots returns the absolute paths of directories outside the project that the user allows
	// symlinks to point to. It is called at most once per plan, and only if a symlink leaves its
	// tree. If Roots is nil, symlinks must not leave their tree, and skills outside it are not
	// listed.
	Roots func() []string
	// Hidden returns an error if a symlink's target must not be read. If nil,
	// all targets may be read. Hidden must be safe for concurrent use.
	Hidden func(*vfs.Tree, string) error
	// Edited maps the absolute paths of settings files to contents that are used in place of the
	// files on disk. If the content is nil, the file is treated as missing.
	Edited map[string][]byte
	// Order sorts the entries of a directory that the host reads in file system order. dir is the
	// directory's absolute path. If Order is nil, the entries are not sorted.
	Order func(dir string, entries []vfs.Entry)
	// Bundled holds Vade's own skills, each in NAME/SKILL.md.
	Bundled fs.FS
	Limits  Limits
}

// LayerFS is a file system that replaces a layer's directories.
type LayerFS struct {
	Layer definition.Layer
	Name  string
	FS    fs.FS
}

// Place is a directory in which one of the profile's roots is read.
type Place struct {
	Root  *host.Root
	Layer definition.Layer
	Tree  *vfs.Tree
	// Dir is the directory's name in Tree.
	Dir string
	// Row is the root's index in the profile. Distance is the number of directory levels from the
	// working directory up to the base. For plugins and directories listed in environment
	// variables, it is the position in the list.
	Row, Distance int
	Plugin        *Plugin
	// Nested is the project subdirectory that a nested place belongs to.
	Nested string
	// Shown is Dir's displayed path.
	Shown string
	// itself is set if a manifest lists Dir explicitly. If so, Dir may be the directory of a single
	// definition.
	itself bool
	// command is the command that a plugin manifest describes at this place, or nil.
	command *namedCommand
	// parent is set if the place is above the project.
	parent bool
}

// Plan lists a profile's places in one environment, with the highest precedence
// first within each layer.
type Plan struct {
	Profile *host.Profile
	// Project is the tree that displayed paths are relative to, or nil without a project.
	Project *vfs.Tree
	// WorkDir is the working directory in Project.
	WorkDir string
	Places  []Place
	Plugins []*Plugin
	// Diagnostics holds the problems found during planning.
	Diagnostics []diag.Diagnostic

	env   Environment
	trees []*vfs.Tree
	// managedTrees maps managed directories to their trees. The tree is nil if the directory is not
	// read.
	managedTrees map[string]*vfs.Tree
	// ctx cancels planning. It is nil afterward.
	ctx            context.Context
	pluginsAt      map[string][]*Plugin
	tooManyPlugins bool
	bases          map[host.Base][]base
	settings       []settingsPlace
	linkTargets    linkTargets
	// enclosed maps absolute, symlink-free directories to the names of the
	// plugins that contain them.
	enclosed sync.Map
}

// base is a directory that roots are relative to.
type base struct {
	tree     *vfs.Tree
	dir      string
	distance int
	nested   string
	// present holds the first path elements of the roots that exist in a nested base.
	present []string
	// added is set for the client's additional directories. touched is set for directories above a
	// file that the session touched.
	added, touched bool
	// parent is set for directories above the project. above is set for those in which only the
	// roots marked with [host.Root.Above] are read. fsRoot is set for the root of the file system,
	// where the roots with this mark are not read.
	parent, above, fsRoot bool
}

// NewPlan opens an environment's directories and creates a profile's places in
// them. It reads manifests but not definitions. The caller must close the plan.
func NewPlan(ctx context.Context, env Environment, p *host.Profile) (*Plan, error) {
	plan, err := Begin(ctx, env, p)
	if err != nil {
		return nil, err
	}
	if err := plan.AddPlaces(ctx); err != nil {
		plan.Close()
		return nil, err
	}
	return plan, nil
}

// Begin opens an environment's directories. The profile may still change until
// [Plan.AddPlaces] is called. The caller must close the plan.
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

// AddPlaces creates the profile's places in the opened directories.
func (plan *Plan) AddPlaces(ctx context.Context) error {
	plan.ctx = ctx
	defer func() { plan.ctx = nil }()
	env, p := &plan.env, plan.Profile
	if env.Nested {
		plan.addNestedBases()
	}
	plan.addDirectories()
	plan.addTouched()
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

// Close closes the plan's directories.
func (p *Plan) Close() {
	for _, t := range p.trees {
		t.Close()
	}
	p.linkTargets.close()
}

func (p *Plan) open(dir string, o vfs.Options) *vfs.Tree {
	t, err := vfs.Open(dir, o)
	switch {
	case err == nil:
		p.trees = append(p.trees, t)
		return t
	case !errors.Is(err, fs.ErrNotExist):
		p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.FileUnreadable, "cannot open the directory: %v", reason(err)).
			WithFix("make sure that it is a directory that your user can read"))
	}
	return nil
}

// openProject finds the project root and the bases between it and the working directory.
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
		return &fs.PathError{Op: "open", Path: p.env.WorkDir, Err: errors.New("the directory name is not valid UTF-8")}
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

// openParents adds the directories above the project. If the project is not in a repository and the
// profile walks up to the filesystem root, all roots are read in these directories. Otherwise, and
// always in the home directory, only the roots marked with [host.Root.Above] are read. Each
// directory is a separate tree that its symlinks cannot leave.
func (p *Plan) openParents(top string, repo bool) {
	all := !repo && p.Profile.Ancestors == host.ToFilesystem
	anyAbove := slices.ContainsFunc(p.Profile.Roots, func(r host.Root) bool { return r.Above })
	if !all && !anyAbove {
		return
	}
	n := len(p.bases[host.InProject])
	up := vfs.Ancestors(top)[1:]
	for i, d := range up {
		b := base{dir: ".", distance: n + i, parent: true, above: !all || d == p.env.Home, fsRoot: i == len(up)-1}
		if b.above && (b.fsRoot || !anyAbove) {
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

// layers replaces the directories of layers with the file systems in env.Layers.
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

// place adds the places of the root at index row of the profile.
func (p *Plan) place(row int) {
	root := &p.Profile.Roots[row]
	if p.env.Client.excludesRoot(root) {
		return
	}
	switch root.Base {
	case host.InPlugin:
		n := 0
		for _, plug := range p.Plugins {
			if plug.ownSkillUnread(p, root) {
				continue
			}
			for _, c := range plug.dirs(root) {
				// Number the places consecutively to preserve the order of the plugins and their
				// directories.
				at := root
				if root.Single() && c.named {
					named := *root
					named.Rules = host.InstructionFile(path.Base(c.dir))
					at, c.dir = &named, path.Dir(c.dir)
				}
				p.add(Place{Root: at, Row: row, Tree: plug.Tree, Dir: c.dir, Plugin: plug, itself: c.named, command: c.command, Distance: n})
				n++
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
		if !b.includes(root, p.env.Getenv) {
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

// managed returns a managed directory's tree, or nil if the directory does not exist or is not
// trusted. It opens each directory once.
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
	if !known && p.ownedByAdministrator(dir) {
		if i := slices.IndexFunc(p.trees, func(t *vfs.Tree) bool { return t.Dir() == dir }); i >= 0 {
			t = p.trees[i]
		} else {
			t = p.open(dir, vfs.Options{})
		}
	}
	p.managedTrees[dir] = t
	return t
}

// ownedByAdministrator reports whether a managed directory can be trusted because only the
// administrator can write to it. If not, it adds a diagnostic. If the user chose the managed
// directory, the user may have write access too.
func (p *Plan) ownedByAdministrator(dir string) bool {
	check := vfs.SystemOnly
	if p.env.Managed != "" {
		check = vfs.UserOnly
	}
	var owner *vfs.OwnerError
	if !errors.As(check(dir), &owner) {
		return true
	}
	p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.ManagedOwner, "ignored the managed directory: %s", owner).WithFix("%s", owner.Fix))
	return false
}

// bundle adds the places for Vade's own definitions.
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

// collections reports the directories at the project root that are named like collections of
// definitions but are not read by any host.
func (p *Plan) collections() {
	for _, b := range p.bases[host.InTop] {
		for _, dir := range p.Profile.Collections {
			if typ, err := b.tree.Lstat(dir); err != nil || typ != vfs.Dir {
				continue
			}
			real := b.tree.RealPath(dir)
			used := slices.ContainsFunc(p.Places, func(pl Place) bool {
				at := pl.Tree.RealPath(pl.Dir)
				return at == real || strings.HasPrefix(at, real+"/")
			})
			if !used {
				p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.NotRead, "no host reads %s at the project root", dir).
					WithFix("if it contains definitions, move them to a directory that a host reads; to see these directories, run: vade explain --host HOST"))
			}
		}
	}
}

// sort orders places by layer, distance and row. If the home directory is in a project, some
// project places are also user places. sort removes these project places, except single files that
// are not above the project.
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

// single reports whether the place is a single file, which can be opened by name.
func (pl *Place) single() bool {
	return len(pl.Root.Rules) == 1 && pl.Root.Rules[0].File != "" && pl.Root.Rules[0].Max == 0
}

// reason unwraps an fs.PathError, because its path is displayed separately.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
