package materialize

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host/registry"
)

// note reports what is worth knowing and hinders nothing.
func (m *Importer) note(code diag.Code, path, fix, format string, args ...any) {
	d := diag.For(path, code, format, args...).WithFix("%s", fix)
	d.Severity = diag.Info
	m.result.Diagnostics = append(m.result.Diagnostics, d)
}

// left names what is not brought over because another has its name, or because it can
// not be read. What says the same as the file in the source of truth is there already.
func (m *Importer) left(ctx context.Context, c *catalog.Catalog) error {
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	for _, d := range all.All {
		if d.Origin.Layer != definition.Project || m.Truth.Mine(d.Origin.Path) {
			continue
		}
		switch {
		case d.State == definition.Shadowed && d.By != nil:
			files, there := m.there(ctx, c, d)
			if m.Request.Move {
				m.result.Files = append(m.result.Files, files...)
			}
			if !there {
				m.problem(diag.ImportLeft, d.Origin.Path, "rename it, or put what it says into the other",
					"it is not brought over: %s is the %s %s already, and says something else", d.By.Origin.Path, d.By.Kind, d.By.Name)
			}
		case d.State == definition.Dropped && d.ReasonCode != diag.SameFile && d.ReasonCode != diag.NotRead && d.ReasonCode != diag.SyncCopy,
			d.State == definition.Disabled:
			m.problem(diag.ImportLeft, d.Origin.Path, "see: vade check "+d.Origin.Path, "it is not brought over: %s", d.Reason)
		}
	}
	return nil
}

// there reports whether the source of truth has, or will have, what a definition says,
// and in which files; these are none where something of it is lost.
func (m *Importer) there(ctx context.Context, c *catalog.Catalog, d *definition.Definition) (files []ImportedFile, there bool) {
	made, err := m.make(ctx, c, []*definition.Definition{d})
	if err != nil || len(made.Files) == 0 {
		return nil, false
	}
	for _, f := range made.Files {
		var data []byte
		if i := slices.IndexFunc(m.result.Files, func(o ImportedFile) bool { return o.Path == f.Path }); i >= 0 {
			data = m.result.Files[i].data
		} else if data, err = m.Tree.ReadFile(f.Path, maxCompanion); err != nil {
			return nil, false
		}
		if string(data) != string(f.Data) {
			return nil, false
		}
		files = append(files, ImportedFile{Action: "same", Path: f.Path, Kind: f.Kind, Name: f.Name, Source: f.Source, data: f.Data})
	}
	if m.Request.Move && len(made.Losses) > 0 {
		m.note(diag.ImportLeft, d.Origin.Path, "put what is lost into the source of truth by hand, and remove the file", "it stays, because not all of it could be carried over")
		return nil, true
	}
	return files, true
}

// beside names the files of a host that stand outside of the directory that is
// imported.
func (m *Importer) beside() {
	if m.as != "" || m.Request.From == "" {
		return
	}
	from := m.sources[0]
	said := map[string]bool{}
	for _, p := range registry.Hosts() {
		labels := places(p)
		if !p.Program() || !slices.ContainsFunc(labels, func(l string) bool { return l == from || strings.HasPrefix(l, from+"/") }) {
			continue
		}
		for _, l := range labels {
			if said[l] || catalog.InOneOf([]string{from}, l) || m.Truth.Mine(l) || path.Ext(l) != ".md" || strings.Contains(l, ".local.") || !catalog.Own(registry.Hosts(), catalog.FirstWord(p.Name), l) {
				continue
			}
			if _, err := m.Tree.Lstat(l); err == nil {
				said[l] = true
				m.note(diag.ImportLeft, l, "vade import --from "+p.Name, "it is not below %s, and stays", from)
			}
		}
	}
}

// unread says that the source of truth which was written to is none yet.
func (m *Importer) unread() {
	to := path.Clean(m.Request.To)
	if m.Request.To == "" || catalog.InOneOf(m.Project.Sources(), to) {
		return
	}
	m.note(diag.SyncSource, config.File, "write into "+config.File+": source: "+to, "vade sync does not read %s yet", to)
}

// nested names the instruction files in directories below the top, which stay.
func (m *Importer) nested(ctx context.Context) error {
	if m.as == "" && m.Request.From != "" {
		return nil
	}
	o := m.Options
	o.As, o.Made, o.Nested = m.as, m.copied, true
	c, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	for _, d := range all.All {
		if d.Kind == definition.Instruction && d.Origin.Layer == definition.Project && d.Origin.Nested != "" && d.State != definition.Dropped && !m.Truth.Mine(d.Origin.Path) {
			m.note(diag.ImportLeft, d.Origin.Path, "put what other hosts need into the source of truth, with applyTo: "+d.Origin.Nested+"/**",
				"it is for the files below %s, and stays there", d.Origin.Nested)
		}
	}
	return nil
}
