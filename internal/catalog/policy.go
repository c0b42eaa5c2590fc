package catalog

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/vfs"
)

// projectPolicy is the path of the project's policy file, relative to the project root. policyName
// is the file name of the user policy and the managed policy in their respective directories.
const (
	projectPolicy = ".vade/policy.yaml"
	policyName    = "vade/policy.yaml"
)

// Policy returns the settings in effect in the working directory, and the problems in policy files.
func (c *Catalog) Policy(ctx context.Context) ([]policy.Setting, []diag.Diagnostic, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	p, diags := c.EffectivePolicy()
	return p.Settings(), diags, nil
}

// CheckPolicy parses a policy file without applying it, and returns its problems. layer is Managed,
// User or Project, and file is the name to use in diagnostics.
func CheckPolicy(file string, layer definition.Layer, data []byte) []diag.Diagnostic {
	f, diags := policy.ParseFile(file, layer, data)
	_, more := policy.Combine(f)
	return append(diags, more...)
}

// PolicySchema returns the JSON Schema for policy files.
func PolicySchema() []byte { return policy.Schema() }

// policyState holds a catalog's policy and the problems in its files.
type policyState struct {
	policy *policy.Policy
	diags  []diag.Diagnostic
}

// EffectivePolicy returns the policy that results from combining all layers, and the problems in
// the policy files. It reads the files once.
func (c *Catalog) EffectivePolicy() (*policy.Policy, []diag.Diagnostic) {
	r := c.policyState.Load()
	if r == nil {
		c.policyMu.Lock()
		defer c.policyMu.Unlock()
		if r = c.policyState.Load(); r == nil {
			read := c.readPolicy()
			r = &read
			c.policyState.Store(r)
		}
	}
	return r.policy, r.diags
}

func (c *Catalog) readPolicy() (r policyState) {
	var files []*policy.File
	for _, place := range c.policyLocations() {
		if place.layer != definition.Project {
			if _, err := vfs.RealPath(path.Dir(place.file)); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			place.inProject = c.ownedByProject(place.file)
		}
		f, diags := place.read(c.Quick.Project)
		diags = append(diags, place.misnamed(c.Quick.Project)...)
		if f != nil {
			files = append(files, f)
		}
		r.diags = append(r.diags, diags...)
	}
	p, diags := policy.Combine(files...)
	r.policy, r.diags = p, append(append(r.diags, diags...), c.unknownBundled(p)...)
	return r
}

// RefreshPolicy rereads the policy files, applies them to this catalog, and reports whether the
// settings or problems changed. Later renderings use the new policy; listings do not depend on it.
// It reads a few small files and does not block other users of the catalog.
func (c *Catalog) RefreshPolicy() bool {
	before, diags := c.EffectivePolicy()
	c.policyMu.Lock()
	defer c.policyMu.Unlock()
	now := c.readPolicy()
	same := func(a, b diag.Diagnostic) bool { return a.File == b.File && a.Line == b.Line && a.Message == b.Message }
	if slices.Equal(before.Settings(), now.policy.Settings()) && slices.EqualFunc(diags, now.diags, same) {
		return false
	}
	c.policyState.Store(&now)
	return true
}

// policyLocation is a path where Vade looks for a policy file.
type policyLocation struct {
	layer definition.Layer
	// file is an absolute path or a path relative to the project.
	file string
	// adminOnly is set if only administrators may have write access to the file.
	adminOnly bool
	// inProject is set if the file may be part of the project.
	inProject bool
}

// ownedByProject reports whether an absolute path resolves to a location inside the project. If the
// home directory is the project, everything belongs to the user.
func (c *Catalog) ownedByProject(p string) bool {
	project := c.Quick.Project
	if project == nil || !vfs.IsAbs(project.Real()) {
		return false
	}
	for d := p; ; d = path.Dir(d) {
		if real, err := vfs.RealPath(d); err == nil {
			if _, inside := project.Rel(real); !inside {
				return false
			}
			home, err := vfs.RealPath(c.Env.Home)
			return err != nil || home != project.Real()
		}
		if d == path.Dir(d) {
			return false
		}
	}
}

// policyLocations returns the locations of the policy files in layer order. It includes the
// system's managed directory even if another one is configured. If it did not, a user could lift
// the administrator's restrictions by configuring another directory.
func (c *Catalog) policyLocations() []policyLocation {
	var places []policyLocation
	if !c.Env.Only {
		if dir := systemPolicyDir(c.Env.GOOS, c.Options.Getenv); dir != "" {
			places = append(places, policyLocation{layer: definition.Managed, file: path.Join(dir, policyName), adminOnly: true})
		}
		if c.Env.Managed != "" {
			places = append(places, policyLocation{layer: definition.Managed, file: path.Join(c.Env.Managed, "policy.yaml")})
		}
		if dir := c.userDir("XDG_CONFIG_HOME", ".config"); dir != "" {
			places = append(places, policyLocation{layer: definition.User, file: path.Join(dir, policyName)})
		}
	}
	if c.Quick.Project != nil {
		places = append(places, policyLocation{layer: definition.Project, file: projectPolicy})
	}
	return places
}

// systemPolicyDir returns the directory of the system-wide administrator policy.
func systemPolicyDir(goos string, getenv func(string) string) string {
	switch goos {
	case "windows":
		return strings.ReplaceAll(getenv("ProgramData"), `\`, "/")
	case "darwin":
		return "/Library/Application Support"
	}
	return "/etc"
}

// userDir returns the XDG base directory that an environment variable names. If the variable is not
// an absolute path, userDir returns the default, which is relative to the home directory, or "" if
// the home directory is unknown.
func (c *Catalog) userDir(variable, below string) string {
	if dir := c.Options.Getenv(variable); dir != "" && vfs.IsAbs(dir) {
		return path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	}
	if c.Env.Home == "" {
		return ""
	}
	return path.Join(c.Env.Home, below)
}

// read parses the policy file. It returns nil if the file does not exist.
func (p policyLocation) read(project *vfs.Tree) (*policy.File, []diag.Diagnostic) {
	var data []byte
	var err error
	layer := p.layer
	var diags []diag.Diagnostic
	downgraded := false
	if layer == definition.Project {
		data, err = readFollowingLinks(project, p.file, policy.MaxFile+1)
	} else {
		data, err = vfs.ReadUserFile(p.file, policy.MaxFile+1)
		var owner *vfs.OwnerError
		if err == nil && p.inProject {
			layer, downgraded = definition.Project, true
			diags = append(diags, diag.For(p.file, diag.PolicyInvalid, "the file is inside the project, so the permissions that it grants are ignored").
				WithFix("move the file out of the project; check HOME, XDG_CONFIG_HOME and VADE_MANAGED_DIR"))
		}
		if err == nil && errors.As(p.checkOwner(), &owner) {
			layer = definition.Project
			downgraded = true
			// The diagnostic already has the path, so remove it from the error.
			problem := strings.TrimPrefix(owner.Error(), p.file+" ")
			diags = append(diags, diag.For(p.file, diag.PolicyInvalid, "%s, so the permissions that the file grants are ignored", problem).
				WithFix("make the file and its parent directories writable only by you or the administrator"))
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && !errors.Is(err, vfs.ErrTooLarge):
		// The unreadable file might forbid all commands, so run none.
		return policy.Unreadable(p.file, layer), append(diags, diag.For(p.file, diag.PolicyInvalid, "cannot read the policy file, so no commands run: %v", vfs.WithoutPath(err)).
			WithFix("make it readable, or remove it"))
	case err != nil:
		data = make([]byte, policy.MaxFile+1)
	}
	f, more := policy.ParseFile(p.file, layer, data)
	if downgraded {
		// The file is treated as a project policy. An earlier diagnostic says that the permissions
		// that the file grants are ignored, so do not also report each setting that has no effect.
		more = slices.DeleteFunc(more, func(d diag.Diagnostic) bool {
			return d.Code == diag.PolicyWidens || d.Code == diag.PolicyNoEffect
		})
	}
	return f, append(diags, more...)
}

// misnamed reports a policy file with the extension .yml, which Vade does not read.
func (p policyLocation) misnamed(project *vfs.Tree) []diag.Diagnostic {
	name := strings.TrimSuffix(p.file, ".yaml") + ".yml"
	var err error
	if p.layer == definition.Project {
		_, err = project.Lstat(name)
	} else {
		_, err = vfs.RealPath(name)
	}
	if err != nil {
		return nil
	}
	return []diag.Diagnostic{diag.For(name, diag.PolicyNoEffect, "the file is ignored because of its extension").WithFix("rename it to %s", path.Base(p.file))}
}

// checkOwner returns an error if unauthorized users can change a file that may grant permissions.
func (p policyLocation) checkOwner() error {
	if p.adminOnly {
		return vfs.SystemOnlyFile(p.file)
	}
	return vfs.UserOnlyFile(p.file)
}

// readFollowingLinks reads a file in a tree, following symlinks that stay inside the tree.
func readFollowingLinks(tree *vfs.Tree, name string, limit int64) ([]byte, error) {
	data, err := tree.ReadFile(name, limit)
	if errors.Is(err, vfs.ErrLink) {
		var to *vfs.Tree
		if to, name, err = tree.Resolve(name); err == nil {
			data, err = to.ReadFile(name, limit)
		}
	}
	return data, err
}
