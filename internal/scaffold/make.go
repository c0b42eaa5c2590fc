package scaffold

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// draftFS is the file system of a project that contains only the files to be written. Lstat also
// finds the real project's files, so that links to them resolve, but these files cannot be read.
type draftFS struct {
	fstest.MapFS
	under *vfs.Tree
}

// Lstat returns information about a file to be written or, if there is none with this name, about a
// file in the real project.
func (d draftFS) Lstat(name string) (fs.FileInfo, error) {
	info, err := d.MapFS.Lstat(name)
	if err == nil || d.under == nil {
		return info, err
	}
	return d.under.Info(name)
}

// isolatedOptions returns catalog options for a project that contains only the new files. as is the
// host whose view is used, or "" for the neutral view.
func (m *maker) isolatedOptions(as string) catalog.Options {
	layer, all := definition.Project, draftFS{fstest.MapFS{}, m.im.Tree}
	if m.home {
		layer, all.under = definition.User, nil
	}
	for _, f := range m.files {
		all.MapFS[f.Path] = &fstest.MapFile{Data: f.data, Mode: 0o444}
	}
	if as == "" && m.host == nil && !m.home {
		// List the sources in vade.yaml, so that sources that no host reads are also read.
		sources := m.im.Project.Sources()
		if dir := strings.TrimSuffix(m.want.Dir, "/"); dir != "" {
			sources = []string{dir}
		}
		text := frontmatter.Write([]definition.Entry{{Key: "source", Value: definition.ListValue(sources)}})
		all.MapFS[config.File] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
	}
	return catalog.Options{
		As: as, Isolated: true, Nested: m.kind == definition.Instruction, Getenv: func(string) string { return "" },
		Layers: []catalog.LayerFS{{Layer: layer, Name: "new", FS: all}},
	}
}

// chooseUsers chooses the hosts for which to check the files: the requested host or, by default,
// the hosts for which vade check would check the project. Files in the source of truth are ignored,
// because they do not show which hosts are in use.
func (m *maker) chooseUsers(ctx context.Context) (err error) {
	if m.host != nil {
		m.users = []*host.Profile{m.host}
		return nil
	}
	m.users, err = check.HostsOf(ctx, m.im.Options, m.im.Project.Sources())
	return err
}

// make generates the files. They use the requested host's format or, if no host is requested, the
// format of the source of truth.
func (m *maker) make(ctx context.Context) error {
	m.files = m.withCompanions(File{Path: m.source, Hosts: []string{}, data: encode(m.entries, m.body)})
	if m.host == nil {
		return nil
	}
	c, err := catalog.Open(ctx, m.isolatedOptions(""))
	if err != nil {
		return err
	}
	defer c.Close()
	e, err := export.To(ctx, c, export.Request{Host: m.host.Name})
	if err != nil {
		return err
	}
	lost := map[int]bool{}
	for _, l := range e.Losses {
		lost[l.Line] = lost[l.Line] || l.What == export.LossField || l.What == export.LossModel
		if l.Whole && l.What == export.LossKind {
			l.Fix = "create it for another host"
		}
		if l.Whole {
			return newError(ErrHost, l.Fix, "%s cannot express the definition: %s", m.host.Name, l.Message)
		}
		if l.What != export.LossName {
			l.Source, l.Line = "", 0
			m.result.Losses = append(m.result.Losses, l)
		}
	}
	full := m.files[0].data
	m.files = nil
	for _, f := range e.Files {
		file := File{Path: f.Path, Hosts: []string{m.host.Name}, data: f.Data, executable: f.Executable}
		if bytes.Equal(file.data, full) {
			// The draft has fields that this host does not support. Remove them, because another
			// host that reads the same directory may drop a file with these fields.
			entries, body := parse(m.kind, full)
			entries = slices.DeleteFunc(entries, func(e definition.Entry) bool {
				return lost[1+bytes.Count(full[:e.KeySpan.Start], []byte("\n"))]
			})
			file.data = encode(entries, body)
		}
		m.files = append(m.files, file)
	}
	if len(m.files) == 0 {
		return newError(ErrHost, "to see what the host supports, run: vade explain --host "+m.host.Name, "%s cannot express the definition", m.host.Name)
	}
	if m.kind == definition.Skill {
		m.files = append(m.files, m.withCompanions(m.files[0])[1:]...)
	}
	return nil
}

// withCompanions returns a definition's file and its companion files.
func (m *maker) withCompanions(main File) []File {
	files := []File{main}
	for _, f := range m.companions {
		p := path.Join(path.Dir(main.Path), f.Path)
		files = append(files, File{Path: p, Hosts: main.Hosts, data: f.Data, executable: f.Executable})
	}
	return files
}

// loaded returns the definition that a host loads from the files. If the host
// loads none, it returns nil and, if known, the reason.
func (m *maker) loaded(ctx context.Context, as string) (*definition.Definition, string, error) {
	all, err := scan(ctx, m.isolatedOptions(as))
	why := ""
	for _, d := range all {
		switch {
		case d.Origin.Layer != definition.Project && d.Origin.Layer != definition.User:
		case d.State == definition.Loaded:
			return d, "", nil
		case d.Reason != "":
			why = fmt.Sprintf(": %s: %s", d.Origin.Path, d.Reason)
		}
	}
	return nil, why, err
}

// scan returns all definitions in the catalog that o describes.
func scan(ctx context.Context, o catalog.Options) ([]*definition.Definition, error) {
	c, err := catalog.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	return all.All, nil
}

// judge checks the files before they are written. It checks them for the chosen hosts, and for each
// shared format that includes the files' directory.
func (m *maker) judge(ctx context.Context) error {
	var names []string
	for _, p := range append(slices.Clone(m.users), registry.Hosts()...) {
		isStandard := !p.Program() && p.Export != nil && slices.ContainsFunc(m.files, func(f File) bool { return p.ReadsFile(f.Path) })
		if (isStandard || slices.Contains(m.users, p)) && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	report, err := check.Run(ctx, m.isolatedOptions(""), check.Options{Hosts: names})
	if err != nil {
		return err
	}
	m.result.Findings = slices.DeleteFunc(report.Findings, func(f rules.Finding) bool {
		// Drop findings about hosts that need a sync, because the output reports these hosts
		// separately. Also drop findings about other hosts that do not load a file for m.host. For
		// example, Cursor also reads Codex's agent directory.
		return f.Code == diag.RootUnread || f.Code == diag.NotRead && m.host != nil && !slices.Contains(f.Hosts, m.host.Name)
	})
	return nil
}

// resolveTargets determines where the files are written and how the definition is used.
func (m *maker) resolveTargets(ctx context.Context) error {
	m.out = m.im.Tree
	if m.want.User {
		if err := m.usersPlace(ctx); err != nil {
			return err
		}
	}
	m.im.ReadState()
	for _, p := range m.users {
		if err := m.call(ctx, p); err != nil {
			return err
		}
	}
	if m.host == nil {
		d, _, err := m.loaded(ctx, "")
		if err != nil {
			return err
		}
		if d == nil || d.Kind != m.kind || d.Name != m.name {
			return newError(ErrName, "choose another name", "a file with this name would not be loaded as the %s %q", m.kind, m.name)
		}
		if err := m.syncHosts(ctx); err != nil {
			return err
		}
	}
	m.result.Directory = m.out.Dir()
	for _, f := range m.files {
		if why := config.BadPath(f.Path); why != "" {
			return newError(ErrNewPlace, "choose another name", "%s: the path %s", f.Path, why)
		}
		if f.Bytes = len(f.data); m.want.Plan {
			f.Text = strings.ToValidUTF8(string(f.data), "\ufffd")
		}
		m.result.Files = append(m.result.Files, f)
	}
	m.noteReaders()
	return nil
}

// isRead reports whether the file is in the source of truth.
func (m *maker) isRead() bool {
	return registry.Neutral().ReadsFile(m.source) || catalog.UnderAny(m.im.Project.Source, m.source)
}

// noteReaders adds a note if no host reads the file, or if the file is for a single host although
// the project has a source of truth for all hosts.
func (m *maker) noteReaders() {
	p := m.im.Project
	switch {
	case m.want.User:
	case m.host == nil && !m.isRead():
		m.say(m.source, "add the directory to source in "+config.File,
			"no host reads it until %s lists its directory as a source", config.File)
	case m.host != nil && (len(p.Source) > 0 || len(p.Hosts) > 0):
		m.say(m.result.Files[0].Path, "to share it with all hosts, create it without --host and run: vade sync",
			"the project's source of truth is %s; vade sync does not copy a definition created for one host",
			strings.Join(p.Sources(), " and "))
	}
}

// call determines how the definition is used in a host, and adds a [Call] to the result.
func (m *maker) call(ctx context.Context, p *host.Profile) error {
	d, why, err := m.loaded(ctx, p.Name)
	if err != nil {
		return err
	}
	if d == nil && m.host != nil {
		return newError(ErrHost, "create it for another host", "%s would not load the definition%s", p.Name, why)
	}
	call := Call{Host: p.Name, Loaded: d != nil}
	if d == nil {
		// The host does not read the file itself. If possible, vade sync will make a copy for it.
		if destination(p, m.kind, m.name) == "" || !m.isRead() {
			return nil
		}
		d = &definition.Definition{Name: m.name}
		_, d.Kind = export.PlaceOf(p, m.kind)
	}
	if !p.Program() && m.host == nil {
		return nil // a shared format is not a host
	}
	call.Name = d.Name
	call.User, call.Model = p.Calls(d)
	m.result.Calls = append(m.result.Calls, call)
	return nil
}

// syncHosts sets Result.SyncHosts if vade sync would not detect all of the hosts that need the
// definition.
func (m *maker) syncHosts(ctx context.Context) error {
	if m.want.User {
		return nil
	}
	y := m.im.Syncer
	before := y.Result.Diagnostics
	err := y.ChooseHosts(ctx)
	y.Result.Diagnostics = before
	var known, later []string
	for _, h := range y.Result.Hosts {
		known = append(known, h.Host)
	}
	for _, c := range m.result.Calls {
		if !c.Loaded {
			later = append(later, c.Host)
		}
	}
	if slices.ContainsFunc(later, func(h string) bool { return !slices.Contains(known, h) }) {
		known = slices.DeleteFunc(known, func(h string) bool { return slices.Contains(later, h) })
		m.result.SyncHosts = append(later, known...)
	}
	return err
}
