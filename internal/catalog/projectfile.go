package catalog

import (
	"errors"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// addConfiguredSources adds the sources in vade.yaml to the neutral view. Hosts do not read
// vade.yaml; they see only the copies of these sources.
func (c *Catalog) addConfiguredSources() {
	o := &c.Options
	tree := c.Quick.Project
	if c.Profile.Name != host.NeutralName || o.Sources != nil || tree == nil {
		return
	}
	p, found, err := config.Read(tree)
	if err != nil {
		found = append(found, unreadableProjectFile(err))
	}
	c.Project, c.ProjectDiagnostics = p, append(found, p.Missing(tree)...)
	c.configuredSources = c.Profile.Add(p.Source)
}

// unreadableProjectFile returns the diagnostic for a vade.yaml that cannot be read.
func unreadableProjectFile(err error) diag.Diagnostic {
	return diag.For(config.File, diag.ConfigInvalid, "cannot read the file: %s", Cause(err)).WithFix("replace it with a readable regular file")
}

// IsConfiguredSource reports whether a project path is in a source that hosts read only through
// copies.
func (c *Catalog) IsConfiguredSource(p string) bool { return UnderAny(c.configuredSources, p) }

// UnderAny reports whether a path is one of dirs or below one of them.
func UnderAny(dirs []string, place string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return place == d || strings.HasPrefix(place, d+"/") })
}

// Cause returns a file error's cause, without the path.
func Cause(err error) error {
	for _, known := range []error{vfs.ErrLink, vfs.ErrHardLink, vfs.ErrChanged, vfs.ErrEncoding, vfs.ErrDirectory,
		vfs.ErrTooLarge, vfs.ErrNotRegular, vfs.ErrOutside} {
		if errors.Is(err, known) {
			return known
		}
	}
	return vfs.WithoutPath(err)
}
