package scaffold

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/materialize"
)

// say notes something worth knowing.
func (m *maker) say(path, fix, format string, args ...any) {
	m.result.Diagnostics = append(m.result.Diagnostics, diag.For(path, diag.NewNote, format, args...).WithFix("%s", fix))
}

// project opens the view of a host, "" the neutral one, of a project with nothing but
// some files.
func (m *maker) project(ctx context.Context, as string, files []File) (*catalog.Catalog, error) {
	return materialize.Open(ctx, m.alone(as, files))
}

func (m *maker) alone(as string, files []File) catalog.Options {
	layer, all := definition.Project, draftProject(m.im.Tree, files)
	if m.home {
		layer, all.under = definition.User, nil
	}
	if as == "" && len(m.hosts) == 0 && !m.home {
		// What no host reads counts where vade.yaml names it.
		top, _, _ := strings.Cut(m.source, "/")
		if dir := strings.TrimSuffix(m.want.Dir, "/"); dir != "" {
			top = dir
		}
		for _, s := range m.im.Project.Sources() {
			if strings.HasPrefix(m.source, s+"/") {
				top = s
			}
		}
		all.files[config.File] = []byte(frontmatter.Write([]definition.Entry{{Key: "source", Value: listValue([]string{top})}}))
	}
	return catalog.Options{
		As: as, Isolated: true, Nested: m.kind == definition.Instruction, Layers: []catalog.LayerFS{{Layer: layer, Name: "new", FS: all}},
		Getenv: func(string) string { return "" },
	}
}

// make makes the files: of the source of truth, or of each host.
func (m *maker) make(ctx context.Context) error {
	neutral := m.beside([]File{{Path: m.source, data: m.text.encode()}})
	if len(m.hosts) == 0 {
		m.files = neutral
		return nil
	}
	c, err := m.project(ctx, "", neutral)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, p := range m.hosts {
		e, err := export.To(ctx, c, export.Request{Host: p.Name})
		if err == nil {
			e, err = m.lean(ctx, p, e, neutral[0].data)
		}
		if err != nil {
			return err
		}
		if err := m.take(p, e); err != nil {
			return err
		}
	}
	return m.once(ctx)
}

// beside adds the files beside a skill, the first file.
func (m *maker) beside(files []File) []File {
	dir := path.Dir(files[0].Path)
	for _, f := range m.text.beside {
		files = append(files, File{Path: path.Join(dir, f.Path), Hosts: files[0].Hosts, data: f.Data, executable: f.Executable})
	}
	return files
}

// take takes the files of a host. Where two hosts read one file and it would not be the
// same for both, the fuller one is taken, and checked for both.
func (m *maker) take(p *host.Profile, e *export.Export) error {
	for _, l := range e.Losses {
		if l.Whole {
			fix := l.Fix
			if l.What == export.LossKind {
				fix = "make it for another host"
			}
			return newError(ErrHost, fix, "%s can not have it: %s", p.Name, l.Message)
		}
		if l.What != export.LossName {
			l.Source, l.Line = "", 0
			m.result.Losses = append(m.result.Losses, l)
		}
	}
	if len(e.Files) == 0 {
		return newError(ErrHost, "see what it takes: vade export "+p.Name, "%s can not have it", p.Name)
	}
	var files []File
	for _, f := range e.Files {
		if f.Source == m.source && (f.Kind != definition.Skill || path.Base(f.Path) == "SKILL.md") {
			m.made[p.Name] = f.Path
			files = append([]File{{Path: f.Path, Hosts: []string{p.Name}, data: f.Data}}, files...)
			continue
		}
		files = append(files, File{Path: f.Path, Hosts: []string{p.Name}, data: f.Data, executable: f.Executable})
	}
	if m.kind == definition.Skill {
		files = m.beside(files)
	}
	for _, f := range files {
		i := slices.IndexFunc(m.files, func(o File) bool { return o.Path == f.Path })
		if i < 0 {
			m.files = append(m.files, f)
			continue
		}
		o := &m.files[i]
		o.Hosts = append(o.Hosts, p.Name)
		if len(f.data) > len(o.data) {
			o.data = f.data
		}
	}
	return nil
}

// once leaves out the files of a host that reads those of another one, and finds the same
// in them: it would have the definition twice.
func (m *maker) once(ctx context.Context) error {
	for _, p := range slices.Backward(m.hosts) {
		var rest, own []File
		for _, f := range m.files {
			if slices.Equal(f.Hosts, []string{p.Name}) {
				own = append(own, f)
			} else {
				rest = append(rest, f)
			}
		}
		if len(own) == 0 || len(rest) == 0 {
			continue
		}
		mine, text, err := m.loaded(ctx, p.Name, own)
		if err != nil {
			return err
		}
		other, same, err := m.loaded(ctx, p.Name, rest)
		if err != nil {
			return err
		}
		if mine == nil || other == nil || mine.Kind != other.Kind || mine.Name != other.Name || mine.Description != other.Description || !export.SameFields(mine, other) || text != same {
			continue
		}
		m.files = rest
		for i := range m.files {
			if f := &m.files[i]; path.Dir(f.Path) == path.Dir(other.Origin.Path) && (f.Path == other.Origin.Path || m.kind == definition.Skill) {
				f.Hosts = append(slices.Clone(f.Hosts), p.Name)
			}
		}
		m.made[p.Name] = other.Origin.Path
	}
	return nil
}

// loaded is what a host makes of files, with the text: nil where it loads none of them.
func (m *maker) loaded(ctx context.Context, as string, files []File) (*definition.Definition, string, error) {
	c, err := m.project(ctx, as, files)
	if err != nil {
		return nil, "", err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, d := range all.All {
		if d.State != definition.Loaded || d.Origin.Layer != definition.Project && d.Origin.Layer != definition.User {
			continue
		}
		doc, err := c.Document(ctx, d)
		if err != nil {
			return nil, "", err
		}
		return d, string(bytes.TrimSpace([]byte(doc.Body))), nil
	}
	return nil, "", nil
}

// chooseHosts decides which hosts the files are checked for: those that are asked for, or
// those that vade check would take in the project.
func (m *maker) chooseHosts(ctx context.Context) error {
	if m.profiles, m.users = m.hosts, m.hosts; len(m.hosts) > 0 {
		return nil
	}
	o := m.im.Options
	o.Nested, o.Unread = true, true
	k := check.Checker{Ctx: ctx, Options: o}
	defer k.Close()
	err := k.Open()
	if err == nil {
		err = k.Gather()
	}
	if err == nil {
		err = k.ChooseHosts()
	}
	m.profiles = k.Profiles
	if err != nil {
		return err
	}
	// What stands in the source of truth shows no host that anybody uses.
	k.Profiles, k.Hosts, k.Truth = nil, nil, m.im.Project.Sources()
	err = k.ChooseHosts()
	m.users = k.Profiles
	return err
}

// judge checks the files before they are written.
func (m *maker) judge(ctx context.Context) error {
	var names []string
	for _, p := range m.profiles {
		names = append(names, p.Name)
	}
	for _, name := range m.standards() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	err := m.check(ctx, names)
	if err == nil && m.withoutArguments() {
		err = m.check(ctx, names)
	}
	return err
}

// calls says how the definition is used in each host.
func (m *maker) calls(ctx context.Context) error {
	if err := m.syncing(ctx); err != nil {
		return err
	}
	for _, p := range m.users {
		if err := m.call(ctx, p); err != nil {
			return err
		}
	}
	m.sayBlocked()
	m.apart()
	m.result.SyncHosts = m.told()
	return nil
}

// check says what is wrong with the files in some hosts. That a host gets them by
// [materialize.Sync] alone is said otherwise.
func (m *maker) check(ctx context.Context, hosts []string) error {
	report, err := check.Run(ctx, m.alone("", m.files), check.Options{Hosts: hosts})
	if err != nil {
		return err
	}
	m.result.Findings = slices.DeleteFunc(report.Findings, func(f rules.Finding) bool {
		return f.Code == diag.RootUnread || f.Code == diag.NotRead && m.forOthers(f)
	})
	return nil
}

// forOthers reports whether a finding is about a file that was made for other hosts than
// those which it names: Codex has its agents in a directory that Cursor looks into too.
func (m *maker) forOthers(f rules.Finding) bool {
	i := slices.IndexFunc(m.files, func(o File) bool { return o.Path == f.Path })
	return i >= 0 && len(m.files[i].Hosts) > 0 && !slices.ContainsFunc(f.Hosts, func(h string) bool { return slices.Contains(m.files[i].Hosts, h) })
}

// call says how the definition is used in a host.
func (m *maker) call(ctx context.Context, p *host.Profile) error {
	d, _, err := m.loaded(ctx, p.Name, m.files)
	if err != nil {
		return err
	}
	call := Call{Host: p.Name, Loaded: d != nil, Name: m.name}
	if d == nil && len(m.hosts) == 0 {
		d, err = m.later(ctx, p)
	}
	if err != nil || d == nil || !p.Program() && len(m.hosts) == 0 {
		// Nobody uses a format.
		return err
	}
	call.Name = d.Name
	if x := p.Prompt; x != nil && m.kind != definition.Instruction {
		if x.UserCall != nil && (d.Fields.UserInvocable == nil || *d.Fields.UserInvocable) {
			call.User = x.UserCall(d.Kind, d.Name)
		}
		if x.ModelCall != nil && !d.Fields.DisableModelInvocation {
			call.Model = x.ModelCall(d.Kind, d.Name)
		}
	}
	m.result.Calls = append(m.result.Calls, call)
	return nil
}
