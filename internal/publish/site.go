package publish

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/lazyregexp"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// Marketplace describes a site's plugin marketplace.
type Marketplace struct {
	// File is the marketplace file's path, relative to the site's root.
	File string
	// Name is the name of both the marketplace and its only plugin.
	Name, Owner string
}

var invalidNameRunes = lazyregexp.New(`[^a-z0-9]+`)

// MarketplaceOf returns the marketplace for a project directory.
func MarketplaceOf(dir string) Marketplace {
	m := Marketplace{Owner: path.Base(dir)}
	name := invalidNameRunes().ReplaceAllString(strings.ToLower(m.Owner), "-")
	m.Name = strings.Trim(name[:min(len(name), 64)], "-")
	if m.Name == "" {
		m.Name, m.Owner = "skills", "skills"
	}
	for _, name := range registry.With(host.CanPlugin) {
		if p, ok := registry.Lookup(name); ok && m.File == "" {
			m.File = p.Plugin.Marketplace
		}
	}
	return m
}

// json encodes a marketplace with a single plugin, which is the site itself. The plugin's skills
// are those in the index. strict is false because the plugin has no manifest. The marketplace
// format is described in Claude Code's documentation of plugin marketplaces (version 2.1.329).
func (m *Marketplace) json(snapshot *Snapshot) []byte {
	type owner struct {
		Name string `json:"name"`
	}
	type plugin struct {
		Name        string   `json:"name"`
		Source      string   `json:"source"`
		Description string   `json:"description"`
		Strict      bool     `json:"strict"`
		Skills      []string `json:"skills"`
	}
	skills := []string{}
	for _, e := range snapshot.Entries {
		skills = append(skills, "./"+IndexDir+"/"+e.Name)
	}
	return indented(struct {
		Name    string   `json:"name"`
		Owner   owner    `json:"owner"`
		Plugins []plugin `json:"plugins"`
	}{m.Name, owner{m.Owner}, []plugin{{m.Name, "./", "Skills from " + m.Owner, false, skills}}})
}

// SiteFile is a file on a site.
type SiteFile struct {
	// Path is relative to the site's root.
	Path       string
	Executable bool
	// Digest is the content's digest.
	Digest string
	// Data returns the content.
	Data func(context.Context) ([]byte, error)
}

// Site returns a site's files. The index and the marketplace come last, so readers never find a
// reference to a missing file while the site is being written.
func (s *Snapshot) Site(src Source, m Marketplace) []SiteFile {
	var files []SiteFile
	for i, e := range s.Entries {
		for j := range e.Resources {
			r := &e.Resources[j]
			files = append(files, SiteFile{
				Path: IndexDir + "/" + e.Name + "/" + r.Path, Executable: r.Executable, Digest: r.Digest,
				Data: func(ctx context.Context) ([]byte, error) { return ReadResource(ctx, src, e, r) },
			})
		}
		if len(e.Resources) > 1 {
			files = append(files, SiteFile{
				Path: IndexDir + "/" + e.Name + archiveSuffix, Digest: s.Index.Skills[i].Digest,
				Data: func(ctx context.Context) ([]byte, error) { return Archive(ctx, src, e) },
			})
		}
	}
	add := func(name string, data []byte) {
		files = append(files, SiteFile{Path: name, Digest: digestOf(data),
			Data: func(context.Context) ([]byte, error) { return data, nil }})
	}
	add(IndexFile, s.Index.JSON())
	if m.File != "" {
		add(m.File, m.json(s))
	}
	return files
}

// Lookup returns a file's content and media type, given its path relative to the site's root. It
// returns [ErrNoFile] if the file does not exist.
func (s *Snapshot) Lookup(ctx context.Context, src Source, m Marketplace, name string) (data []byte, media string, err error) {
	switch {
	case name == IndexFile:
		return s.Index.JSON(), "application/json", nil
	case m.File != "" && (name == m.File || name == "marketplace.json"):
		return m.json(s), "application/json", nil
	}
	rest, ok := strings.CutPrefix(name, IndexDir+"/")
	if !ok {
		return nil, "", ErrNoFile
	}
	skill, file, hasFile := strings.Cut(rest, "/")
	if name, ok := strings.CutSuffix(skill, archiveSuffix); ok && !hasFile {
		if e := s.Find(name); e != nil && len(e.Resources) > 1 {
			data, err = Archive(ctx, src, e)
			return data, "application/gzip", asNoFile(err)
		}
		return nil, "", ErrNoFile
	}
	e := s.Find(skill)
	if e == nil || !hasFile {
		return nil, "", ErrNoFile
	}
	r, ok := e.Resource(file)
	if !ok {
		return nil, "", ErrNoFile
	}
	data, err = ReadResource(ctx, src, e, &r)
	return data, TypeOf(file), asNoFile(err)
}

// asNoFile converts errors about files that no longer exist to ErrNoFile.
func asNoFile(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrOutside) {
		return ErrNoFile
	}
	return err
}
