package scaffold

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// taken refuses a name that another definition of the same layer has, in the neutral view
// or in that of a host that is asked for, and says which others there are.
func (m *maker) taken(ctx context.Context) error {
	views := []string{""}
	for _, p := range m.hosts {
		views = append(views, p.Name)
	}
	said := map[string]bool{}
	for _, as := range views {
		c, err := materialize.Open(ctx, m.givenAs(as))
		if err != nil {
			return err
		}
		all, err := c.Scan(ctx)
		c.Close()
		if err != nil {
			return err
		}
		for _, d := range all.All {
			if err := m.meets(d, as, said); err != nil {
				return err
			}
		}
	}
	return nil
}

// meets looks at one definition that is there.
func (m *maker) meets(d *definition.Definition, as string, said map[string]bool) error {
	if !m.sameName(d) || d.State == definition.Dropped || said[d.Origin.Path] {
		return nil
	}
	own := definition.Project
	if m.want.User {
		own = definition.User
	}
	where := "where both are read"
	if as != "" {
		where = "where " + as + " reads both"
	}
	switch at := d.Origin.Layer; {
	case at == own && m.elsewhere(as):
		m.say(d.Origin.Path, "nothing has to be done", "another %s %s of the user's own is there, which %s does not read", d.Kind, d.Name, m.hosts[0].Name)
		// Where the host does, its own view says so.
		return nil
	case at == own:
		fix := "give the new one another name, or change that file"
		if len(m.hosts) > 0 && as == "" && d.Kind == m.kind {
			fix = "give the new one another name; or bring that one to the host: vade export " + m.hosts[0].Name + " --name " + d.Name + " --out ."
		}
		return newError(ErrNewExists, fix, "the %s %s is there already: %s", d.Kind, d.Name, d.Origin.Path)
	case at == definition.Managed:
		return newError(ErrNewExists, "give the new one another name", "the %s %s of an administrator comes before it: %s", d.Kind, d.Name, d.Origin.Path)
	case at < own:
		m.say(d.Origin.Path, "give the new one another name, if both are needed", "in this project the %s %s of %s comes before the new one", d.Kind, d.Name, d.Origin.Path)
	case (at == definition.User || at == definition.Bundled) && !m.called(d):
		m.say(d.Origin.Path, "give the new one another name, if both are needed", "the %s %s of %s is called by its own name alone now: its further name %s means the new one, %s", d.Kind, d.Name, d.Origin.Path, m.name, where)
	case at == definition.User || at == definition.Bundled:
		m.say(d.Origin.Path, "give the new one another name, if both are needed", "the new one comes before the %s %s of %s, %s", d.Kind, d.Name, d.Origin.Path, where)
	}
	said[d.Origin.Path] = true
	return nil
}

// sameName reports whether a definition has the name: skills and commands share theirs,
// and some file systems and hosts know no capitals.
func (m *maker) sameName(d *definition.Definition) bool {
	called := func(k definition.Kind) bool { return k == definition.Skill || k == definition.Command }
	if d.Kind != m.kind && !(called(d.Kind) && called(m.kind)) {
		return false
	}
	return resolve.Answers(d, m.name) || m.called(d)
}

// called reports whether the name is that of a definition, and not a further one.
func (m *maker) called(d *definition.Definition) bool {
	return strings.EqualFold(strings.ReplaceAll(d.Name, "/", ":"), m.name)
}

// elsewhere: the user's own are made for one host, and the view is not its own.
func (m *maker) elsewhere(as string) bool { return m.want.User && as == "" && len(m.hosts) == 1 }

// settle finds out where the files are written, and what is to be done afterwards.
func (m *maker) settle(ctx context.Context) error {
	m.out = m.im.Tree
	if m.want.User {
		if err := m.usersPlace(ctx); err != nil {
			return err
		}
	}
	if err := m.calls(ctx); err != nil {
		return err
	}
	if err := m.loads(ctx); err != nil {
		return err
	}
	m.result.Directory = m.out.Dir()
	for _, f := range m.files {
		if why := config.BadPath(f.Path); why != "" {
			return newError(ErrNewPlace, "give it another name", "%s: the path %s", f.Path, why)
		}
		f.Bytes = len(f.data)
		if f.Hosts == nil {
			f.Hosts = []string{}
		}
		m.result.Files = append(m.result.Files, f)
	}
	p := m.im.Project
	switch {
	case m.want.User:
	case len(m.hosts) > 0 && (len(p.Source) > 0 || len(p.Hosts) > 0):
		m.say(m.result.Files[0].Path, "to have it for all hosts, make it without --host, and then: vade sync",
			"the project has its source of truth in %s; what is made for a host alone stays there alone", strings.Join(p.Sources(), " and "))
	case len(m.hosts) == 0 && !m.read():
		m.say(m.source, "add it to source in "+config.File, "no host reads it, and nobody else, until %s names its directory as a source", config.File)
	}
	return nil
}

// loads holds the files to what they are made for: each host that is asked for loads
// them, or else the neutral view does under the name that was asked for.
func (m *maker) loads(ctx context.Context) error {
	for _, c := range m.result.Calls {
		if len(m.hosts) > 0 && !c.Loaded {
			return m.notLoaded(ctx, c.Host)
		}
	}
	for _, p := range m.hosts {
		if !slices.ContainsFunc(m.result.Calls, func(c Call) bool { return c.Host == p.Name }) {
			return m.notLoaded(ctx, p.Name)
		}
	}
	if len(m.hosts) > 0 {
		return nil
	}
	d, _, err := m.loaded(ctx, "", m.files)
	if err == nil && (d == nil || d.Kind != m.kind || d.Name != m.name) {
		err = newError(ErrName, "give it another name", "a file of this name would not be the %s %s", m.kind, m.name)
	}
	return err
}

func (m *maker) notLoaded(ctx context.Context, as string) error {
	fix := "make it for another host, or under another name"
	if m.kind == definition.Instruction {
		fix = "make it for another host"
	}
	return newError(ErrHost, fix, "%s would not load it%s", as, m.whyNot(ctx, as))
}

// read reports whether the neutral view reads the source of truth, with vade.yaml.
func (m *maker) read() bool {
	return registry.Neutral().Mine(m.source) ||
		slices.ContainsFunc(m.im.Project.Source, func(s string) bool { return strings.HasPrefix(m.source, s+"/") })
}

// usersPlace finds where the user has such definitions: as the host that is asked for
// reads them, or in ~/.agents, and instructions in ~/.copilot.
func (m *maker) usersPlace(ctx context.Context) error {
	if len(m.hosts) > 1 {
		return newError(ErrNewField, "name one host at a time", "the user's own places of %d hosts are in several directories", len(m.hosts))
	}
	o := m.given
	p := m.im.Truth
	if o.As = ""; len(m.hosts) == 1 {
		p = m.hosts[0]
		o.As = p.Name
	}
	c, err := materialize.Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	main := m.files[0].Path
	dir, rel := split(p, main)
	if len(m.hosts) == 0 {
		dir = registry.OwnDir(m.kind)
	}
	place := usersRoot(c.Quick.Places, m.files[0].kind(m.kind, p), dir, rel)
	if place == nil {
		return newError(ErrNewPlace, "make it for the project", "%s has no place that is known for %s of the user's own", p.Name, article(m.kind))
	}
	to := place.Dir
	if isSingle(place.Root) {
		to = path.Dir(path.Join(place.Dir, "x"))
	}
	top, _ := split(p, main)
	for i := range m.files {
		f := &m.files[i]
		f.Path = path.Join(to, strings.TrimPrefix(f.Path, top+"/"))
		if len(m.hosts) == 0 && m.kind == definition.Command {
			// The ending says the kind in .github alone.
			f.Path = strings.TrimSuffix(f.Path, ".command.md") + ".md"
		}
	}
	m.home = place.Tree.Dir() == c.Env.Home
	if m.out, err = vfs.Open(place.Tree.Dir(), vfs.Options{HardLinks: true}); err != nil {
		m.out = nil
		return fmt.Errorf("vade: %w", err)
	}
	return nil
}

// kind is what a file is in a host.
func (f *File) kind(k definition.Kind, p *host.Profile) definition.Kind {
	if k == definition.Command && p.Export.Place(k) == nil {
		return definition.Skill
	}
	return k
}

// split divides the path of a definition in a project into the directory in which the
// host has those of the kind, and the rest.
func split(p *host.Profile, file string) (dir, rel string) {
	var dirs []string
	for _, k := range definition.Kinds {
		if at := p.Export.Place(k); at != nil {
			dirs = append(dirs, at.Dir)
		}
	}
	dirs = append(dirs, p.Export.CommandDir)
	if x := p.Export.Instructions; x != nil {
		dirs = append(dirs, x.Dir)
	}
	for _, d := range dirs {
		if rest, ok := strings.CutPrefix(file, d+"/"); ok && d != "" {
			return d, rest
		}
	}
	return path.Dir(file), path.Base(file)
}

func isSingle(r *host.Root) bool {
	return len(r.Rules) == 1 && r.Rules[0].File != "" && r.Rules[0].Max == 0
}

// usersRoot is the place of the user's own in which a view takes a file for a definition
// of a kind: the one that is named as the project's is, or has its last name, else the
// first.
func usersRoot(places []discover.Place, kind definition.Kind, dir, rel string) *discover.Place {
	best, rank := (*discover.Place)(nil), 3
	for i := range places {
		pl := &places[i]
		if pl.Layer != definition.User || pl.Tree == nil {
			continue
		}
		fits := slices.ContainsFunc(pl.Root.Rules, func(r host.Rule) bool {
			named, exact := r.Fits(path.Base(rel), strings.Count(rel, "/"))
			return named && exact && r.Kind == kind && r.Skip == ""
		})
		if !fits {
			continue
		}
		n := 2
		switch {
		case pl.Root.Dir == dir:
			n = 0
		case path.Base(pl.Root.Dir) == path.Base(dir):
			n = 1
		}
		if n < rank {
			best, rank = pl, n
		}
	}
	return best
}
