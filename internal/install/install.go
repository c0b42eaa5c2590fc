// Package install adds definitions from other places to a project or home directory, keeps them up
// to date, and removes them (vade add, update, remove and verify).
//
// The ledger determines which files Vade may change: a file belongs to Vade if the ledger has its
// digest, and a symlink belongs to Vade if the ledger has its target. Everything else belongs to
// the user. The ledger is written twice: before the files are written, with the old and new
// digests, and again once they are in place. A command that was killed can therefore be repeated.
package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/vfs"
)

// Options configures an [Installer].
type Options struct {
	Catalog catalog.Options
	// If User is set, definitions are installed in the home directory, for all projects.
	User bool
	// Home is the home directory.
	Home string
	// Hosts lists the hosts to install for. If it is empty, Vade uses the hosts for which the
	// project has files or installed definitions or, if there are none, the hosts found in the home
	// directory. If User is set, Vade always uses the hosts found in the home directory. An update
	// does not change which hosts a definition is installed for.
	Hosts   []string
	Fetcher *source.Fetcher
	// Edits determines what an update or a removal does with files that the user edited. It is one
	// of the values below. If it is "", edited files are a conflict.
	Edits string
}

// The values of [Options.Edits]. With KeepEdits, an edited definition is not updated, and when a
// definition is removed, its edited files are kept. DiscardEdits is for removals: edited files are
// removed too. ReplaceEdits and PatchEdits are for updates: edited files are replaced. PatchEdits
// also saves a patch in .vade that turns the new version into the edited one.
const (
	KeepEdits    = "keep"
	DiscardEdits = "discard"
	ReplaceEdits = "replace"
	PatchEdits   = "patch"
)

// now returns the time to record.
func (o *Options) now() time.Time {
	if o.Catalog.Now != nil {
		return o.Catalog.Now()
	}
	return time.Now()
}

// Installer changes the definitions installed in a project or for the user.
type Installer struct {
	options Options
	tree    *vfs.Tree
	workDir string
	// Lock is the ledger, and lockData is its encoded form.
	Lock     *ledger.Lock
	lockData []byte
	// skills is the npx skills ledger, and skillsData is its encoded form.
	skills     *ledger.Skills
	skillsData []byte
}

// ErrBusy is returned if another command is changing the same directory.
var ErrBusy = errors.New("another Vade or gh process is changing the directory")

// Open opens the project that contains the working directory, or the user's home directory.
func Open(ctx context.Context, o Options) (*Installer, error) {
	if o.Catalog.Getenv == nil {
		o.Catalog.Getenv = os.Getenv
	}
	x := &Installer{options: o}
	c, err := catalog.Open(ctx, o.Catalog)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	x.workDir = c.Env.WorkDir
	dir := o.Home
	if !o.User {
		if c.Quick.Project == nil {
			return nil, errors.New("vade: no project found here")
		}
		// The catalog finds only the root of a repository. Elsewhere, the ledger marks the root.
		dir = c.Quick.Project.Dir()
		if _, repo := vfs.FindUp(dir, ".git"); !repo {
			top, found := vfs.FindUp(dir, ledger.Path)
			real, _ := vfs.RealPath(top)
			if home, _ := vfs.RealPath(o.Home); found && real != home {
				dir, x.options.Catalog.Dir = top, top
			}
		}
	}
	if x.tree, err = vfs.Open(dir, vfs.Options{}); err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	if err := x.read(); err != nil {
		x.tree.Close()
		return nil, fmt.Errorf("vade: %w", err)
	}
	return x, nil
}

// Close releases the directory.
func (x *Installer) Close() { x.tree.Close() }

// Dir returns the directory that all paths are relative to.
func (x *Installer) Dir() string { return x.tree.Dir() }

func (x *Installer) read() (err error) {
	if x.Lock, x.lockData, err = ledger.Read(x.tree); err != nil {
		return err
	}
	at := ledger.SkillsPath
	if x.options.User {
		at = x.userSkills()[0]
	}
	x.skills, x.skillsData, err = ledger.ReadSkills(x.tree, at)
	return err
}

// userSkills returns the paths of the npx skills and gh ledgers in the home
// directory. The ledger that npx skills reads comes first.
func (x *Installer) userSkills() []string {
	list := []string{ledger.UserSkillsPath}
	if dir := x.options.Catalog.Getenv("XDG_STATE_HOME"); dir != "" {
		if rel, ok := x.tree.Rel(path.Join(dir, "skills", path.Base(ledger.UserSkillsPath))); ok {
			list = append([]string{rel}, list...)
		}
	}
	return list
}

// Candidate is a definition in a source.
type Candidate struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Main is the definition's own file in the source.
	Main  string `json:"main"`
	files []ledger.File
	// The fields below are set for every kind except skills, because Vade converts definitions of
	// these kinds. original is the SHA-256 of Main. hosts are the hosts for which the definition
	// was converted. losses lists what the converted files cannot express.
	original string
	hosts    []string
	losses   []export.HostLoss
}

// Is reports whether an argument names this definition, as NAME or KIND:NAME.
func (c *Candidate) Is(arg string) bool { return arg == c.Name || arg == c.Kind+":"+c.Name }

// BareName returns the name in an argument of the form NAME or KIND:NAME.
func BareName(arg string) string {
	if kind, name, ok := strings.Cut(arg, ":"); ok {
		if _, ok := definition.ParseKind(kind); ok {
			return name
		}
	}
	return arg
}

// Find returns the definitions in a fetched source, sorted by name. It adds
// plugin parts that are not definitions to fetched.Omitted.
func (x *Installer) Find(ctx context.Context, fetched *source.Fetched) ([]Candidate, error) {
	fetched.Omitted = append(fetched.Omitted, unplaced(fetched)...)
	list := skillsIn(fetched)
	others, err := x.converted(ctx, fetched, list)
	if err != nil {
		return nil, err
	}
	list = append(list, others...)
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Main, b.Main)) })
	return list, nil
}

// skillsIn returns the skills in a fetched source. A skill inside another
// skill's directory belongs to the outer skill.
func skillsIn(fetched *source.Fetched) []Candidate {
	s := fetched.From
	var list []Candidate
	var dirs []string
	mains := slices.DeleteFunc(slices.Clone(fetched.Files), func(f ledger.File) bool { return path.Base(f.Path) != publish.Main })
	slices.SortStableFunc(mains, func(a, b ledger.File) int { return cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")) })
	for _, main := range mains {
		dir := path.Dir(main.Path) + "/"
		if dir == "./" {
			dir = ""
		}
		if slices.ContainsFunc(dirs, func(d string) bool { return strings.HasPrefix(dir, d) }) {
			continue
		}
		// A skill in the repository root does not include the repository's other skills.
		if dir == "" && len(mains) > 1 {
			continue
		}
		dirs = append(dirs, dir)
		c := Candidate{Kind: definition.Skill.String(), Main: main.Path}
		c.Name, c.Description = described(main.Data)
		if !publish.ValidName(c.Name) {
			c.Name = path.Base(path.Clean("/" + cmp.Or(strings.TrimSuffix(dir, "/"), s.Path, s.Repo, s.URL)))
		}
		for _, f := range fetched.Files {
			if rel, ok := strings.CutPrefix(f.Path, dir); ok {
				f.Path = rel
				c.files = append(c.files, f)
			}
		}
		list = append(list, c)
	}
	return list
}

// described returns the name and description from a file's frontmatter.
func described(data []byte) (name, description string) {
	doc, _ := frontmatter.Parse(diag.NewFile("", data), false, registry.Neutral().Dialect)
	for _, e := range doc.Entries {
		switch text, _ := frontmatter.Text(e.Value); e.Key {
		case "name":
			name = text
		case "description":
			description = text
		}
	}
	return name, description
}

// place describes where a skill is installed: its directory, and the symlinks to it for hosts that
// do not read that directory.
type place struct {
	dir   string
	links []string
	hosts []string
}

// sharedSkills is the directory that most hosts read, in a project and in the home directory.
const sharedSkills = ".agents/skills"

// place chooses the skill directories for the hosts.
func (x *Installer) place(ctx context.Context) (*place, error) {
	hosts, err := x.hosts(ctx)
	if err != nil {
		return nil, err
	}
	out := &place{}
	for _, p := range hosts {
		out.hosts = append(out.hosts, p.Name)
		switch dir, shared := x.skillsDir(p); {
		case shared:
			out.dir = sharedSkills
		case dir != "" && !slices.Contains(out.links, dir):
			out.links = append(out.links, dir)
		}
	}
	if out.dir == "" && len(out.links) > 0 {
		out.dir, out.links = out.links[0], out.links[1:]
	}
	out.dir = cmp.Or(out.dir, sharedSkills)
	return out, nil
}

// skillsDir returns the first directory where a host reads skills, and whether
// the host reads the shared one.
func (x *Installer) skillsDir(p *host.Profile) (dir string, shared bool) {
	dirs := dirsOf(p, definition.Skill, x.options.User)
	if len(dirs) == 0 {
		return "", false
	}
	return dirs[0], slices.Contains(dirs, sharedSkills)
}

// hosts returns the hosts to install for.
func (x *Installer) hosts(ctx context.Context) ([]*host.Profile, error) {
	var list []*host.Profile
	for _, name := range x.options.Hosts {
		p, ok := registry.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("vade: unknown host %q", name)
		}
		list = append(list, p)
	}
	if len(list) > 0 {
		return list, nil
	}
	if x.options.User {
		for _, h := range catalog.HomeHosts(x.options.Home) {
			if p, ok := registry.Lookup(h.Host); ok && p.Export != nil {
				list = append(list, p)
			}
		}
		return list, nil
	}
	y, err := materialize.OpenSync(ctx, x.options.Catalog, materialize.Options{})
	if err != nil {
		return nil, err
	}
	defer y.Close()
	if err := y.ChooseHosts(ctx); err != nil {
		return nil, err
	}
	for _, h := range y.Result.Hosts {
		if p, ok := registry.Lookup(h.Host); ok {
			list = append(list, p)
		}
	}
	return list, nil
}
