package discover

import (
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// Hosts do not restrict where symlinks may point (case h07 in six hosts, m18 in Claude Code). In a
// host's view, Vade follows symlinks to any location, with one restriction. If a symlink points to
// a directory that the user approved, Vade reads the files there like any others. If it points
// anywhere else outside the symlink's own tree, Vade reads only the beginning of files named
// SKILL.md. It lists these skills but does not load them.

// linkTargets holds the additional trees that symlinks in a plan's trees may point to. The zero
// value holds no trees.
type linkTargets struct {
	once sync.Once
	// approved holds the trees of directories that the user approved. volume is the tree of the
	// whole volume. all holds all of these trees, in order of preference.
	approved []*vfs.Tree
	volume   atomic.Pointer[vfs.Tree]
	all      []*vfs.Tree
}

// Reasons why a symlink is not followed.
var (
	errProtected = errors.New("the policy protects the target because it may contain secrets")
	errSystem    = errors.New("the target is in a system directory for processes, devices or networks")
)

// systemDirs returns the names of a volume's top-level directories for processes, devices and
// networks, which do not contain ordinary files.
func systemDirs() []string { return []string{"proc", "sys", "dev", "net", "Network"} }

// Per-scan limits on reading through symlinks to unapproved directories.
const (
	maxOutsideDirs    = 2000
	maxOutsideEntries = 10_000
)

// outsideTrees returns the trees that the plan's symlinks may point to. It
// opens them on the first call.
func (p *Plan) outsideTrees() *linkTargets {
	b := &p.linkTargets
	b.once.Do(func() {
		if p.env.Roots == nil || p.env.Only || p.Project == nil || !vfs.IsAbs(p.Project.Real()) {
			return
		}
		for _, dir := range p.env.Roots() {
			if t, err := vfs.Open(dir, vfs.Options{HardLinks: true}); err == nil {
				b.approved = append(b.approved, t)
				b.all = append(b.all, t)
			}
		}
		if t, err := vfs.OpenVolume(p.Project.Real()); err == nil {
			b.volume.Store(t)
			b.all = append(b.all, t)
		}
	})
	return b
}

func (b *linkTargets) close() {
	for _, t := range b.all {
		t.Close()
	}
}

// resolve resolves the symlinks in name. It returns the tree that contains the target, and the
// target's path in that tree. It fails if the view does not allow the target.
func (p *Plan) resolve(t *vfs.Tree, name string) (*vfs.Tree, string, error) {
	to, rel, err := t.Resolve(name)
	if !errors.Is(err, vfs.ErrOutside) || errors.Is(err, vfs.ErrEncoding) || !vfs.IsAbs(t.Real()) {
		return to, rel, err
	}
	b := p.outsideTrees()
	if len(b.all) == 0 {
		return nil, "", err
	}
	if to, rel, err = t.ResolveAlso(name, b.all...); err != nil {
		return nil, "", err
	}
	if v := b.volume.Load(); v != nil {
		// An approved directory may be inside a protected one.
		if whole, ok := v.Rel(to.RealPath(rel)); ok {
			err = p.forbids(v, whole)
		}
	}
	return to, rel, err
}

// forbids returns the reason why a symlink to rel in t must not be followed, or nil if it may be
// followed.
func (p *Plan) forbids(t *vfs.Tree, rel string) error {
	if first, _, _ := strings.Cut(rel, "/"); p.unapproved(t) && slices.Contains(systemDirs(), first) {
		return errSystem
	}
	if p.protects(t, rel) {
		return errProtected
	}
	return nil
}

// unapproved reports whether t is the tree of the whole volume. The user has not approved the files
// that are read through it.
func (p *Plan) unapproved(t *vfs.Tree) bool { return t != nil && t == p.linkTargets.volume.Load() }

// protects reports whether the policy protects a file. Patterns in a policy are relative to a
// project root. In the tree of the whole volume, any directory could be a project root, so the
// patterns are tried against every suffix of the path.
func (p *Plan) protects(t *vfs.Tree, rel string) bool {
	if p.env.Hidden == nil {
		return false
	}
	for {
		if p.env.Hidden(t, rel) != nil {
			return true
		}
		_, rest, nested := strings.Cut(rel, "/")
		if !nested || !p.unapproved(t) {
			return false
		}
		rel = rest
	}
}

// listable reports whether the beginning of an unapproved file may be read. The file must be named
// SKILL.md, and a rule must make its directory a skill.
func listable(r *host.Rule, rel string) bool {
	return r.Kind == definition.Skill && r.File != "" && strings.EqualFold(path.Base(rel), "SKILL.md")
}

// mayListUnapproved reports whether skills in the place may be listed without the user's approval.
func (pl *Place) mayListUnapproved() bool {
	return slices.ContainsFunc(pl.Root.Rules, func(r host.Rule) bool {
		return r.Kind == definition.Skill && strings.EqualFold(r.File, "SKILL.md")
	})
}

// notApproved returns the diagnostic for a symlink whose target is not read. dir is the directory
// to approve.
func notApproved(shown, target, dir string) diag.Diagnostic {
	return diag.For(shown, diag.LinkOutside, "the symlink points to %s; the host follows it, but Vade reads the target only with your approval", target).
		WithFix("%s", ApproveFix(dir))
}

// ApproveFix returns the fix to suggest when content is not read because the user has not approved
// its directory.
func ApproveFix(dir string) string {
	return "run: vade trust " + shell.ForShell("dir:"+dir) + ", or add a parent directory to roots in your user policy"
}

// listOnly reduces an unapproved definition to the fields that may be disclosed: its name, its
// description, and the fields that determine whether it is listed. If the definition cannot be
// listed, only name, which is derived from the path, is kept.
func listOnly(d *definition.Definition, t *vfs.Tree, rel, name string) {
	d.Origin.Outside = true
	target := t.RealPath(rel)
	why := notApproved(d.Origin.Path, target, path.Dir(target))
	defer func() { d.Diagnostics = []diag.Diagnostic{why} }()
	if d.State == definition.Loaded && d.Fields.Description != "" {
		why.Severity = diag.Warning
		why.Message = "the symlink points to " + target + "; Vade lists the skill as the host does, but loads it only with your approval"
		d.Fields = listedFields(&d.Fields)
		return
	}
	if d.State == definition.Loaded {
		// Without a description field, Vade would have to take the description from the body.
		d.State, d.Reason, d.ReasonCode = definition.Dropped, why.Message, why.Code
	} else {
		d.Reason = "the symlink points to " + target + "; the host follows it, but does not load the file"
	}
	d.Name = name
	d.Title, d.Description, d.Aliases, d.Fields = d.Name, "", nil, definition.Fields{}
}

// listedFields returns the fields that decide whether and how a skill is listed.
func listedFields(f *definition.Fields) definition.Fields {
	kept := definition.Fields{
		Name: f.Name, Description: f.Description, UserInvocable: f.UserInvocable,
		DisableModelInvocation: f.DisableModelInvocation, AlwaysApply: f.AlwaysApply,
	}
	for _, k := range []definition.Field{
		definition.FieldWhenToUse, definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo,
	} {
		kept.SetList(k, f.List(k))
	}
	return kept
}
