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

// Market says what the list of plugins of a site is called.
type Market struct {
	// File is where the list stands below the top of the site.
	File string
	// Name is that of the list and of its one plugin, Owner who keeps it.
	Name, Owner string
}

var otherCharacters = lazyregexp.New(`[^a-z0-9]+`)

// MarketOf is the list of plugins of a project, by its directory.
func MarketOf(dir string) Market {
	m := Market{Owner: path.Base(dir)}
	name := otherCharacters().ReplaceAllString(strings.ToLower(m.Owner), "-")
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

// marketplace is the text of a list with one plugin, which is the site itself: its
// skills are where the index has them. strict is off, as the plugin has no manifest
// of its own (documented: Claude Code 2.1.329, plugin marketplaces).
func (m *Market) marketplace(book *Book) []byte {
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
	for _, e := range book.Entries {
		skills = append(skills, "./"+IndexDir+"/"+e.Name)
	}
	return indented(struct {
		Name    string   `json:"name"`
		Owner   owner    `json:"owner"`
		Plugins []plugin `json:"plugins"`
	}{m.Name, owner{m.Owner}, []plugin{{m.Name, "./", "The skills of " + m.Owner, false, skills}}})
}

// SiteFile is one file of a site.
type SiteFile struct {
	// Path is below the top of the site.
	Path       string
	Executable bool
	// Digest is that of the content.
	Digest string
	// Data makes the content.
	Data func(context.Context) ([]byte, error)
}

// Site returns the files of a site, the index and the list of plugins last: who
// reads while they are written never finds one that is not there yet.
func (book *Book) Site(s Source, m Market) []SiteFile {
	var files []SiteFile
	for i, e := range book.Entries {
		for j := range e.Resources {
			r := &e.Resources[j]
			files = append(files, SiteFile{
				Path: IndexDir + "/" + e.Name + "/" + r.Path, Executable: r.Executable, Digest: r.Digest,
				Data: func(ctx context.Context) ([]byte, error) { return ReadResource(ctx, s, e, r) },
			})
		}
		if len(e.Resources) > 1 {
			files = append(files, SiteFile{
				Path: IndexDir + "/" + e.Name + archiveEnd, Digest: book.Index.Skills[i].Digest,
				Data: func(ctx context.Context) ([]byte, error) { return Archive(ctx, s, e) },
			})
		}
	}
	text := func(name string, data []byte) {
		files = append(files, SiteFile{Path: name, Digest: digestOf(data), Data: func(context.Context) ([]byte, error) { return data, nil }})
	}
	text(IndexFile, book.Index.JSON())
	if m.File != "" {
		text(m.File, m.marketplace(book))
	}
	return files
}

// Lookup returns the content of one file of the site, by its path below the top, and
// its media type. The error is [ErrNoFile] where there is none.
func (book *Book) Lookup(ctx context.Context, s Source, m Market, name string) (data []byte, media string, err error) {
	switch {
	case name == IndexFile:
		return book.Index.JSON(), "application/json", nil
	case m.File != "" && (name == m.File || name == "marketplace.json"):
		return m.marketplace(book), "application/json", nil
	}
	rest, ok := strings.CutPrefix(name, IndexDir+"/")
	if !ok {
		return nil, "", ErrNoFile
	}
	skill, file, inside := strings.Cut(rest, "/")
	if archived, ok := strings.CutSuffix(skill, archiveEnd); ok && !inside {
		if e := book.Find(archived); e != nil && len(e.Resources) > 1 {
			data, err = Archive(ctx, s, e)
			return data, "application/gzip", gone(err)
		}
		return nil, "", ErrNoFile
	}
	e := book.Find(skill)
	if e == nil || !inside {
		return nil, "", ErrNoFile
	}
	r, ok := e.Resource(file)
	if !ok {
		return nil, "", ErrNoFile
	}
	data, err = ReadResource(ctx, s, e, &r)
	return data, TypeOf(file), gone(err)
}

// gone takes a file that went away for one that was never there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrOutside) {
		return ErrNoFile
	}
	return err
}
