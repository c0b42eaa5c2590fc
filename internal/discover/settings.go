package discover

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// SettingsFile is a settings file that exists.
type SettingsFile struct {
	// Source is the settings source that the profile assigns to the file, and Path is the displayed
	// path.
	Source, Path string
	// Data is the file's content. Unless the host is strict, comments and
	// trailing commas are replaced with spaces.
	Data []byte
}

// settingsPlace is a settings file's location. Locations are determined during planning, so reading
// settings does not modify the plan.
type settingsPlace struct {
	file *host.SettingsFile
	tree *vfs.Tree
	name string
}

// maxSettingsFiles is the maximum number of settings files to read in one directory.
const maxSettingsFiles = 100

// placeSettings locates the profile's settings files. A project file is located in the base nearest
// to the working directory.
func (p *Plan) placeSettings() {
	if p.Profile.Settings == nil {
		return
	}
	for i := range p.Profile.Settings.Files {
		f := &p.Profile.Settings.Files[i]
		if p.env.Client.excludes(f.Source) {
			continue
		}
		at := settingsPlace{file: f}
		switch f.Base {
		case host.InManaged:
			at.tree, at.name = p.managed(f.Managed), f.Path
		case host.InHome:
			if bs := p.bases[host.InHome]; len(bs) > 0 {
				at.tree, at.name = p.homeDir(bs[0], f.Path, f.Env)
			}
		default:
			if bs := p.bases[f.Base]; len(bs) > 0 {
				at.tree, at.name = bs[0].tree, path.Join(bs[0].dir, f.Path)
			}
		}
		if at.tree != nil {
			p.settings = append(p.settings, at)
		}
	}
}

// excludesSettings reports whether a settings file is skipped because the client excludes its
// source. from and name are the file's base and path in the profile.
func (p *Plan) excludesSettings(from host.Base, name string) bool {
	return p.Profile.Settings != nil && slices.ContainsFunc(p.Profile.Settings.Files, func(f host.SettingsFile) bool {
		return f.Base == from && f.Path == name && p.env.Client.excludes(f.Source)
	})
}

// Settings reads the profile's settings files, lowest precedence first. Unreadable files are
// reported and skipped. Settings is safe for concurrent use.
func (p *Plan) Settings() ([]SettingsFile, []diag.Diagnostic) {
	var files []SettingsFile
	var found []diag.Diagnostic
	for _, at := range p.settings {
		names := []string{at.name}
		if at.file.Each {
			entries, truncated, err := at.tree.ReadDir(at.name, maxSettingsFiles)
			if err != nil && !isNotExist(err) {
				found = append(found, Unreadable(p.Show(at.tree, at.name), err))
			}
			if truncated {
				found = append(found, diag.For(p.Show(at.tree, at.name), diag.FileLimit, "only the first %d settings files are read", maxSettingsFiles).
					WithFix("merge the files"))
			}
			names = names[:0]
			for _, e := range entries {
				if strings.HasSuffix(e.Name, ".json") && !strings.HasPrefix(e.Name, ".") {
					names = append(names, path.Join(at.name, e.Name))
				}
			}
			slices.Sort(names)
		}
		for _, name := range names {
			data, err := p.readSettings(at.tree, name)
			switch {
			case err == nil:
				if p.Profile.Settings.Strict {
					data = bytes.TrimPrefix(data, []byte("\ufeff"))
				} else {
					data = jsonc.Plain(data)
				}
				files = append(files, SettingsFile{Source: at.file.Source, Path: p.Show(at.tree, name), Data: data})
			case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, vfs.ErrDirectory):
				found = append(found, Unreadable(p.Show(at.tree, name), err))
			}
		}
	}
	return files, found
}
