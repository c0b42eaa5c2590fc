package catalog

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/trust"
	"github.com/vadehq/vade/internal/vfs"
)

// rootKind is the kind that the approval store uses for approved directories. RootPrefix is the
// prefix of a directory's name as shown to users.
const (
	rootKind   = "directory"
	RootPrefix = "dir:"
)

// approvedRoots returns the directories outside the project that symlinks may point to in a host's
// view: those listed in the policy's roots, and those that the user approved for this project.
func (c *Catalog) approvedRoots() []string {
	p, _ := c.EffectivePolicy()
	if p.NoRoots {
		return nil
	}
	var dirs []string
	for _, v := range p.Roots {
		dir := v.Text
		if rest, home := strings.CutPrefix(dir, "~/"); home {
			if c.Env.Home == "" {
				continue
			}
			dir = path.Join(c.Env.Home, rest)
		}
		dirs = append(dirs, dir)
	}
	if !p.UserGrants {
		return dirs
	}
	store, err := c.store()
	if err != nil {
		return dirs
	}
	records, _, err := store.List()
	if err != nil {
		return dirs
	}
	for i := range records {
		if id := &records[i].ID; id.Kind == rootKind && id.Project == c.Quick.Project.Real() {
			dirs = append(dirs, id.Path)
		}
	}
	return dirs
}

// RootApproval returns the approval for a directory outside the project. name is "dir:" and a path
// that is absolute, in the home directory (~/x) or relative to the working directory. Once
// approved, project and user symlinks may point into that directory in a host's view. Unlike a
// definition's approval, a directory's approval is not tied to the content.
func (c *Catalog) RootApproval(name string) (*Approval, error) {
	dir := strings.TrimPrefix(name, RootPrefix)
	refuse := func(why, fix string) (*Approval, error) {
		return nil, &definition.Error{Code: diag.LinkOutside, Message: "cannot approve " + dir + ": " + why, Fix: fix}
	}
	real, isDir := c.realDir(dir)
	if !isDir {
		return refuse("it is not an existing directory", "specify a directory: vade trust dir:/PATH")
	}
	project := c.Quick.Project
	home, _ := vfs.RealPath(c.Env.Home)
	switch _, inside := project.Rel(real); {
	case inside:
		return refuse("it is inside the project, which needs no approval", "approve a definition by name: vade trust /NAME")
	case real == path.Dir(real) || strings.HasPrefix(home+"/", real+"/"):
		return refuse("it is the root directory, your home directory or one of its parents", "approve one of its subdirectories")
	}
	closure := &trust.Closure{ID: trust.ID{Project: project.Real(), Kind: rootKind, Name: RootPrefix + real, Path: real}}
	store, err := c.store()
	if err != nil {
		return nil, err
	}
	state, record, err := store.Check(closure)
	if err != nil && record == nil {
		state = trust.None
	}
	return newApproval(closure, state, record), nil
}

// realDir returns the absolute path, with symlinks resolved, of an existing directory that a user
// names.
func (c *Catalog) realDir(dir string) (string, bool) {
	if c.Quick.Project == nil || !vfs.IsAbs(c.Quick.Project.Real()) {
		return "", false
	}
	abs := strings.ReplaceAll(dir, `\`, "/")
	if rest, home := strings.CutPrefix(abs, "~/"); home {
		abs = path.Join(c.Env.Home, rest)
	} else if !vfs.IsAbs(abs) {
		abs = path.Join(c.Env.WorkDir, abs)
	}
	t, err := vfs.Open(abs, vfs.Options{})
	if err != nil {
		return "", false
	}
	defer t.Close()
	return t.Real(), true
}

// outsideErrorFor returns an error if a definition with one of the names is not read because its
// symlink points outside the project. Otherwise it returns nil.
func (c *Catalog) outsideErrorFor(names []string, kinds []definition.Kind) error {
	all := c.scanned()
	if all == nil || c.Env.Roots == nil {
		return nil
	}
	for _, name := range names {
		for _, d := range all.Named(name) {
			if d.State == definition.Dropped && d.ReasonCode == diag.LinkOutside && slices.Contains(kinds, d.Kind) {
				return c.outsideError(d)
			}
		}
	}
	return nil
}

// outsideError returns the error for a symlink whose target is in a directory outside the project
// that is not approved.
func (c *Catalog) outsideError(d *definition.Definition) error {
	return &definition.Error{
		Code:    diag.LinkOutside,
		Message: fmt.Sprintf("the %s '%s' is not loaded: its symlink points to %s, which is outside the project and not approved", d.Kind, d.Name, d.Origin.Real),
		Fix:     discover.ApproveFix(path.Dir(d.Origin.Real)), SearchedPaths: []string{d.Origin.Path},
	}
}
