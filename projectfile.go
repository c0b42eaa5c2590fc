package vade

import (
	"errors"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
) // ownSources adds the sources of the project's file to the neutral view, and reports
// whether the view has changed by it. A host reads nothing for the file's sake: it
// gets copies.
func (c *Catalog) ownSources() bool {
	o := &c.options
	tree := c.quick.Project
	if c.profile.Name != host.NeutralName || o.sources != nil || o.made != nil || tree == nil {
		return false
	}
	p, found, err := config.Read(tree)
	if err != nil {
		found = append(found, unreadProject(err))
	}
	c.project, c.projectFound = p, append(found, p.Missing(tree)...)
	c.ownAt = c.profile.Add(p.Source)
	return len(c.ownAt) > 0
}

// unreadProject says that the project's file is there and can not be read.
func unreadProject(err error) diag.Diagnostic {
	return diag.For(config.File, diag.ConfigInvalid, "it can not be read: %s", reasonOf(err)).WithFix("put an ordinary file in its place that can be read")
}

// isOwnSource reports whether a path below the top is in a source of which hosts get
// copies, and that none reads where it is.
func (c *Catalog) isOwnSource(p string) bool { return inOneOf(c.ownAt, p) }

// inOneOf reports whether a place is one of others, or below one.
func inOneOf(dirs []string, place string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return place == d || strings.HasPrefix(place, d+"/") })
}

// reasonOf is an error without the path that it names.
func reasonOf(err error) error {
	for _, known := range []error{vfs.ErrLink, vfs.ErrHardLink, vfs.ErrChanged, vfs.ErrEncoding, vfs.ErrDirectory, vfs.ErrTooLarge, vfs.ErrNotRegular, vfs.ErrOutside} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}
