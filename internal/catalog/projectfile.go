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

// addOwnSources adds the sources of the project's file to the neutral view. A host reads
// nothing for the file's sake: it gets copies.
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

// unreadProject says that the project's file is there and can not be read.
func unreadableProjectFile(err error) diag.Diagnostic {
	return diag.For(config.File, diag.ConfigInvalid, "it can not be read: %s", Cause(err)).WithFix("put an ordinary file in its place that can be read")
}

// IsOwnSource reports whether a path below the top is in a source of which hosts get
// copies, and that none reads where it is.
func (c *Catalog) IsConfiguredSource(p string) bool { return UnderAny(c.configuredSources, p) }

// InOneOf reports whether a place is one of others, or below one.
func UnderAny(dirs []string, place string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return place == d || strings.HasPrefix(place, d+"/") })
}

// ReasonOf is an error without the path that it names.
func Cause(err error) error {
	for _, known := range []error{vfs.ErrLink, vfs.ErrHardLink, vfs.ErrChanged, vfs.ErrEncoding, vfs.ErrDirectory, vfs.ErrTooLarge, vfs.ErrNotRegular, vfs.ErrOutside} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}
