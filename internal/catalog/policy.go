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

// projectPolicy is the policy file of a project, below its top. policyName is
// the one of the user and of the managed layer, below their directories.
const (
	projectPolicy = ".vade/policy.yaml"
	policyName    = "vade/policy.yaml"
)

// Policy returns the policy that is in force in the working directory, line by
// line, and what is wrong in its files.
func (c *Catalog) Policy(ctx context.Context) ([]policy.Setting, []diag.Diagnostic, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	p, diags := c.EffectivePolicy()
	return p.Settings(), diags, nil
}

// CheckPolicy reads a policy file without putting it in force, and returns what
// is wrong in it for its layer: Managed, User or Project. file is the name for
// diagnostics.
func CheckPolicy(file string, layer definition.Layer, data []byte) []diag.Diagnostic {
	f, diags := policy.ParseFile(file, layer, data)
	_, more := policy.Combine(f)
	return append(diags, more...)
}

// PolicySchema returns the JSON Schema of policy files.
func PolicySchema() []byte { return policy.Schema() }

// rules are the policy of one catalog, and what is wrong in its files.
type policyState struct {
	policy *policy.Policy
	diags  []diag.Diagnostic
}

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

// RefreshPolicy reads the policy files again, puts what they say in force in this
// catalog, and reports whether that is something else than before, or wrong in another
// way. What is rendered from now on goes by it; nothing that was listed depends on it. It
// costs a few small files, and nobody waits for it.
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

// policyPlace is where a policy file may be.
type policyLocation struct {
	layer definition.Layer
	// file is an absolute path, or a name in the project.
	file string
	// system: only the administrator may be able to change it.
	adminOnly bool
	// inProject: it can be a file that came with the project.
	inProject bool
}

// ownedByProject reports whether an absolute path leads into the project. In a
// home directory that is a repository itself, all is the user's.
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

// policyPlaces returns the places in the order of their layers. The managed
// directory of the system counts also where another is given: what it forbids
// stays forbidden.
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

// systemPolicyDir is where an administrator keeps what holds for all users.
func systemPolicyDir(goos string, getenv func(string) string) string {
	switch goos {
	case "windows":
		return strings.ReplaceAll(getenv("ProgramData"), `\`, "/")
	case "darwin":
		return "/Library/Application Support"
	}
	return "/etc"
}

// userDir is a directory of the user by the rules of the XDG Base Directory
// Specification: a variable that is no absolute path does not count.
func (c *Catalog) userDir(variable, below string) string {
	if dir := c.Options.Getenv(variable); dir != "" && vfs.IsAbs(dir) {
		return path.Clean(strings.ReplaceAll(dir, `\`, "/"))
	}
	if c.Env.Home == "" {
		return ""
	}
	return path.Join(c.Env.Home, below)
}

// read reads the file of a place; nil is no file.
func (p policyLocation) read(project *vfs.Tree) (*policy.File, []diag.Diagnostic) {
	var data []byte
	var err error
	layer := p.layer
	var diags []diag.Diagnostic
	demoted := false
	if layer == definition.Project {
		data, err = readFollowingLinks(project, p.file, policy.MaxFile+1)
	} else {
		data, err = vfs.ReadUserFile(p.file, policy.MaxFile+1)
		var owner *vfs.OwnerError
		if err == nil && p.inProject {
			layer, demoted = definition.Project, true
			diags = append(diags, diag.For(p.file, diag.PolicyInvalid, "the file is inside the project; what it allows does not count").
				WithFix("keep your own policy outside of projects: HOME and XDG_CONFIG_HOME lead into this one"))
		}
		if err == nil && errors.As(p.checkOwner(), &owner) {
			layer = definition.Project
			demoted = true
			diags = append(diags, diag.For(p.file, diag.PolicyInvalid, "%s; what the file allows does not count", owner).
				WithFix("let only yourself, or the administrator, change the file and the directories above it"))
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && !errors.Is(err, vfs.ErrTooLarge):
		// What can not be read may forbid everything.
		return policy.Unreadable(p.file, layer), append(diags, diag.For(p.file, diag.PolicyInvalid, "the policy file can not be read, so no command is run: %v", pathErrorCause(err)).
			WithFix("make it a readable file, or remove it"))
	case err != nil:
		data = make([]byte, policy.MaxFile+1)
	}
	f, more := policy.ParseFile(p.file, layer, data)
	if demoted {
		// That it allows something is no fault of the file.
		more = slices.DeleteFunc(more, func(d diag.Diagnostic) bool { return d.Code == diag.PolicyWidens || d.Code == diag.PolicyNoEffect })
	}
	return f, append(diags, more...)
}

// misnamed reports a file beside the one that is read, under the other ending
// that such files have, and a managed directory that is not there.
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
	return []diag.Diagnostic{diag.For(name, diag.PolicyNoEffect, "the file is not read").WithFix("name it %s", path.Base(p.file))}
}

// owner checks who can change the file of a layer that may allow something.
func (p policyLocation) checkOwner() error {
	if p.adminOnly {
		return vfs.SystemOnlyFile(p.file)
	}
	return vfs.UserOnlyFile(p.file)
}

// readThrough reads a file of a tree, through links that stay in it.
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

func pathErrorCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
