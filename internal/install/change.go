package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/source"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/textdiff"
	"github.com/vadehq/vade/internal/vfs"
)

// Change describes what a command does to one definition.
type Change struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// New is the new record, or nil if the definition is removed. Old is the previous record.
	New *ledger.Record `json:"record,omitempty"`
	Old *ledger.Record `json:"before,omitempty"`
	// Hosts are the hosts that the definition is installed for.
	Hosts []string `json:"hosts,omitempty"`
	// Steps are the file changes, in the order in which they are made.
	Steps []Step `json:"steps"`
	// Conflicts are the reasons why the change cannot be made.
	Conflicts []Conflict `json:"conflicts"`
	// Kept lists the paths that Vade leaves unchanged, usually because the user edited them.
	Kept []string `json:"kept,omitempty"`
	// Losses lists what the hosts' formats cannot express.
	Losses []export.HostLoss `json:"losses,omitempty"`
	// Seen describes how the hosts would treat the definition.
	Seen []Seen `json:"seen,omitempty"`
	// Package is the audit result for the definition. Delta lists what an update changes besides
	// the files.
	Package *scan.Package `json:"audit,omitempty"`
	Delta   *Delta        `json:"delta,omitempty"`

	files []ledger.File
}

// Step is the change at one path.
type Step struct {
	// Action is "create", "update", "remove", "link" or "unlink".
	Action string `json:"action"`
	Path   string `json:"path"`
	Link   string `json:"link,omitempty"`

	before, after []byte
	executable    bool
}

// Diff returns a unified diff for a file, or "" for a symlink.
func (s *Step) Diff() string {
	if s.Link != "" {
		return ""
	}
	return textdiff.Diff(s.Path, string(s.before), string(s.after))
}

// Conflict describes why a change cannot be made, and what to do about it.
type Conflict struct {
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Blocked reports whether the audit blocks the definition.
func (c *Change) Blocked() bool { return c.Package != nil && c.Package.Verdict == rules.Block }

// Add returns the changes that install candidates from a source. It does not write any files.
func (x *Installer) Add(ctx context.Context, s source.Source, fetched *source.Fetched, chosen []Candidate) ([]*Change, error) {
	where, err := x.place(ctx)
	if err != nil {
		return nil, err
	}
	var changes []*Change
	for i, c := range chosen {
		var alike []string
		from, skill := fetched.From, c.Kind == definition.Skill.String()
		r := &ledger.Record{
			Name: c.Name, Kind: c.Kind, Source: relative(s, x.tree.Dir()), Type: from.Type, URL: from.URL, Ref: from.Ref, Tag: fetched.Tag, Pinned: s.Pinned,
			Commit: fetched.Commit, Digest: cmp.Or(fetched.Digest, fetched.Digests[c.Name]), Signer: ledger.Signer(fetched.Files, c.Name), Main: c.Main, Original: c.original, Dir: ".",
			Files: map[string]string{}, Links: map[string]string{},
		}
		if !strings.Contains(from.URL, "://") && !strings.HasPrefix(from.URL, "git@") {
			r.URL = ""
		}
		change := &Change{Kind: c.Kind, Name: c.Name, New: r, Old: x.Lock.Get(c.Kind, c.Name), Hosts: c.hosts,
			Losses: c.losses, Steps: []Step{}, Conflicts: []Conflict{}}
		if skill {
			r.Dir, change.Hosts = x.linkedDir(path.Join(where.dir, c.Name)), where.hosts
			for _, dir := range append([]string{where.dir}, where.links...) {
				if link := path.Join(dir, c.Name); link != r.Dir {
					r.Links[link] = syncstate.LinkText(link, r.Dir)
				}
			}
		}
		r.Hosts = change.Hosts
		folded := map[string]string{}
		for _, f := range c.files {
			r.Files[f.Path] = ledger.SHA256(f.Data)
			if first, twice := folded[strings.ToLower(f.Path)]; twice {
				alike = append(alike, first+" and "+f.Path)
			}
			folded[strings.ToLower(f.Path)] = f.Path
		}
		switch {
		case len(c.files) == 0:
			none := "no host in use"
			if len(x.options.Hosts) > 0 {
				none = "none of the selected hosts"
			}
			change.conflict("", "to choose other hosts, use vade add with --host", "%s supports the %s %s", none, c.Kind, c.Name)
		case len(alike) > 0:
			change.conflict("", "rename them in its source", "the names of %s differ only in case", strings.Join(alike, ", "))
		case skill && !publish.ValidName(c.Name):
			change.conflict("", "rename it in its source; use up to 64 lowercase letters, digits and single hyphens", "some hosts do not accept the name %q", c.Name)
		case slices.ContainsFunc(chosen[:i], func(o Candidate) bool { return o.Name == c.Name && o.Kind == c.Kind }):
			change.conflict("", "specify the directory: SOURCE/"+path.Dir(c.Main), "the source contains more than one %s named %s", c.Kind, c.Name)
		case change.Old != nil && change.Old.Source != r.Source:
			change.conflict("", "remove it first: "+x.Command("remove", c.Name), "%s is already installed from %s", c.Name, change.Old.Source)
		}
		for _, o := range fetched.Omitted {
			if o.Missing && (o.Path == c.Main || skill && strings.HasPrefix(o.Path, path.Dir(c.Main)+"/")) {
				change.conflict("", "fetch its content with git, then install from that directory", "%s is missing from the source: %s", o.Path, o.Reason)
			}
		}
		change.files = c.files
		x.plan(change)
		changes = append(changes, change)
	}
	if err := x.preview(ctx, changes); err != nil {
		return nil, err
	}
	return changes, x.audit(ctx, changes)
}

// linkedDir returns the skill directory that a path leads to. It differs from the path if the user
// replaced the directory with a symlink to another host's directory.
func (x *Installer) linkedDir(at string) string {
	_, real, err := x.tree.Resolve(at)
	if err != nil || path.Base(real) != path.Base(at) || !slices.Contains(x.skillsDirs(), path.Dir(real)) {
		return at
	}
	return real
}

// relative returns the text that a user in dir would type to refer to a source.
func relative(s source.Source, dir string) string {
	if strings.Contains(s.URL, "://") || strings.HasPrefix(s.URL, "git@") {
		return s.Typed
	}
	plugin := ""
	if s.Plugin != "" {
		plugin = s.Plugin + "@"
	}
	rel := syncstate.LinkText(path.Join(dir, "here"), s.URL)
	if !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return plugin + rel
}

func (c *Change) conflict(at, fix, format string, args ...any) {
	c.Conflicts = append(c.Conflicts, Conflict{at, fmt.Sprintf(format, args...), fix})
}

// edited adds a conflict for a file that the user has edited.
func (x *Installer) edited(c *Change, at string) {
	choices := "--edits keep, --edits replace or --edits patch"
	if c.New == nil {
		choices = "--edits keep or --edits discard"
	}
	c.conflict(at, "to choose what happens to your changes, add "+choices+" to: "+x.repeat(c), "%s was edited since it was installed", at)
}

// repeat returns a command that makes the change and accepts --edits. Only update and remove do, so
// an addition is repeated as an update.
func (x *Installer) repeat(c *Change) string {
	if c.New == nil {
		return x.Command("remove", c.Name)
	}
	return x.Command("update", c.Name)
}

// owned reports whether, according to the record r, data is what Vade wrote to the file at the
// given path.
func owned(r *ledger.Record, at string, data []byte) bool {
	if r == nil {
		return false
	}
	rel, ok := strings.CutPrefix(at, r.Dir+"/")
	if r.Dir == "." {
		rel, ok = at, true
	}
	digest := ledger.SHA256(data)
	return ok && (r.Files[rel] == digest || r.Before[rel] == digest)
}

// plan compares the change's files with those on disk, and adds the necessary steps and any
// conflicts to the change.
func (x *Installer) plan(c *Change) {
	var kept []string
	patch := ""
	for _, f := range c.files {
		at := path.Join(c.New.Dir, f.Path)
		existing, err := x.tree.ReadFile(at, syncstate.MaxFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.Steps = append(c.Steps, Step{Action: "create", Path: at, after: f.Data, executable: f.Executable})
		case err != nil:
			c.conflict(at, "move it out of the way", "cannot write %s: %v", at, vfs.WithoutPath(err))
		case string(existing) == string(f.Data):
		case owned(c.Old, at, existing):
			c.Steps = append(c.Steps, Step{Action: "update", Path: at, before: existing, after: f.Data, executable: f.Executable})
		case c.Old != nil && x.options.Edits == KeepEdits:
			kept = append(kept, at)
		case c.Old != nil && x.options.Edits != "":
			c.Steps = append(c.Steps, Step{Action: "update", Path: at, before: existing, after: f.Data, executable: f.Executable})
			patch += textdiff.Diff(at, string(f.Data), string(existing))
		case c.Old != nil:
			x.edited(c, at)
		default:
			c.conflict(at, "move it out of the way, or install under another host's directory with --host", "%s exists and was not installed by Vade", at)
		}
	}
	if c.Old != nil {
		x.planRemovals(c)
		for _, s := range c.Steps {
			if s.Action == "remove" && !owned(c.Old, s.Path, s.before) {
				patch += textdiff.Diff(s.Path, "", string(s.before))
			}
		}
		if x.options.Edits == KeepEdits {
			kept = append(kept, c.Kept...)
		}
	}
	for _, link := range slices.Sorted(maps.Keys(c.New.Links)) {
		x.planLink(c, link)
	}
	if patch != "" && x.options.Edits == PatchEdits {
		x.planPatch(c, patch)
	}
	if len(kept) > 0 {
		c.New, c.Steps, c.Kept, c.files = c.Old, []Step{}, kept, x.installed(c.Old)
	}
	slices.SortStableFunc(c.Steps, func(a, b Step) int { return strings.Compare(a.Path, b.Path) })
}

// planPatch adds a step that saves the user's edits as a patch that turns the new version into the
// edited one.
func (x *Installer) planPatch(c *Change, patch string) {
	at := path.Join(path.Dir(ledger.Path), c.Name+".patch")
	if _, err := x.tree.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
		c.conflict(at, "move it out of the way", "%s exists", at)
		return
	}
	c.Steps = append(c.Steps, Step{Action: "create", Path: at, after: []byte(patch)})
}

func (x *Installer) planLink(c *Change, link string) {
	target := c.New.Links[link]
	switch typ, err := x.tree.Lstat(link); {
	case errors.Is(err, fs.ErrNotExist):
		c.Steps = append(c.Steps, Step{Action: "link", Path: link, Link: target})
	case err != nil:
		c.conflict(link, "move it out of the way", "cannot create the symlink %s: %v", link, vfs.WithoutPath(err))
	default:
		if at, err := x.tree.Readlink(link); typ != vfs.Link || err != nil || at != target {
			c.conflict(link, "move it out of the way", "%s exists and is not a symlink to %s", link, c.New.Dir)
		}
	}
}

// planRemovals plans the removal of files and symlinks that are in the old
// record but not in the new one.
func (x *Installer) planRemovals(c *Change) {
	next := c.New
	if next == nil {
		next = &ledger.Record{Dir: c.Old.Dir}
	}
	names := map[string]bool{}
	for _, list := range []map[string]string{c.Old.Files, c.Old.Before} {
		for name := range list {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if _, again := next.Files[name]; again && next.Dir == c.Old.Dir {
			continue
		}
		at := path.Join(c.Old.Dir, name)
		data, err := x.tree.ReadFile(at, syncstate.MaxFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case !x.placeable(c.Old, at) || x.options.Edits == KeepEdits && (err != nil || !owned(c.Old, at, data)):
			c.Kept = append(c.Kept, at)
		case err != nil:
			c.conflict(at, "remove it, or keep it: "+x.repeat(c)+" --edits "+KeepEdits, "cannot read %s: %v", at, vfs.WithoutPath(err))
		case owned(c.Old, at, data) || x.options.Edits != "":
			c.Steps = append(c.Steps, Step{Action: "remove", Path: at, before: data})
		default:
			x.edited(c, at)
		}
	}
	for _, link := range slices.Sorted(maps.Keys(c.Old.Links)) {
		if next.Links[link] == c.Old.Links[link] {
			continue
		}
		if target, err := x.tree.Readlink(link); err == nil && target == c.Old.Links[link] {
			c.Steps = append(c.Steps, Step{Action: "unlink", Path: link, Link: target})
		} else if !errors.Is(err, fs.ErrNotExist) {
			c.Kept = append(c.Kept, link)
		}
	}
}

// placeable reports whether Vade could have installed the record's file at this path. Only paths
// that hosts read are accepted, because a project's ledger is part of the repository and can be
// forged.
func (x *Installer) placeable(r *ledger.Record, at string) bool {
	if r.Kind == definition.Skill.String() {
		return slices.Contains(x.skillsDirs(), path.Dir(r.Dir))
	}
	return x.options.User || slices.ContainsFunc(registry.Hosts(), func(p *host.Profile) bool { return p.MayHaveWritten(at) })
}

// Remove returns the changes that remove definitions. Each change removes the definition's symlinks
// first.
func (x *Installer) Remove(names []string) ([]*Change, error) {
	var changes []*Change
	records, err := x.records(names)
	if err != nil {
		return nil, err
	}
	for _, old := range records {
		c := &Change{Kind: old.Kind, Name: old.Name, Old: old, Steps: []Step{}, Conflicts: []Conflict{}}
		x.planRemovals(c)
		slices.SortStableFunc(c.Steps, func(a, b Step) int { return strings.Compare(b.Action, a.Action) })
		changes = append(changes, c)
	}
	return changes, nil
}

// NotInstalledError is the error for a name that is not in the ledger.
type NotInstalledError struct {
	Name  string
	Names []string
}

func (e *NotInstalledError) Error() string { return fmt.Sprintf("Vade did not install %q", e.Name) }

// records returns the records that args name. Each argument has the form NAME or KIND:NAME.
func (x *Installer) records(args []string) ([]*ledger.Record, error) {
	var list []*ledger.Record
	for _, arg := range args {
		before := len(list)
		var names []string
		for _, r := range x.Lock.Definitions {
			if names = append(names, r.Name); (arg == r.Name || arg == r.Kind+":"+r.Name) && !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
		if len(list) == before {
			return nil, &NotInstalledError{Name: arg, Names: names}
		}
	}
	return list, nil
}

// audit audits the definitions as they will be written, and the versions that they replace.
func (x *Installer) audit(ctx context.Context, changes []*Change) error {
	temp, err := vfs.OpenTempDir(x.options.Fetcher.Cache, vfs.TempDirOptions{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer temp.Close()
	n := 0
	audited := func(name string, files []ledger.File) (*scan.Package, error) {
		var list []vfs.TempFile
		for _, f := range files {
			list = append(list, vfs.TempFile{Path: f.Path, Data: f.Data})
		}
		// Use a number instead of the name, because several definitions may have the same name.
		n++
		dir, err := temp.Write(strconv.Itoa(n), list)
		if err != nil {
			return nil, unwritable{err}
		}
		report, err := scan.Run(ctx, x.options.Catalog, scan.Options{Paths: []string{dir}, Capabilities: true})
		if err != nil {
			return nil, err
		}
		return worst(report, name), nil
	}
	for _, c := range changes {
		if len(c.files) == 0 {
			continue // The change has a conflict, so there is nothing to audit.
		}
		if c.Package, err = audited(c.Name, c.files); err != nil {
			if u := (unwritable{}); errors.As(err, &u) {
				c.conflict("", "rename or remove the file in the source", "cannot write the files: %v", u.error)
				continue
			}
			return err
		}
		old := x.installed(c.Old)
		if len(old) == 0 || len(c.Steps) == 0 {
			continue
		}
		before, err := audited(c.Name, old)
		if err != nil {
			return err
		}
		c.Delta = delta(before, c.Package, old, c.files)
	}
	return nil
}

// unwritable is the error for files that cannot be written to disk, for example
// because a name is too long or inside .git.
type unwritable struct{ error }

// installed returns those of a record's files that exist on disk.
func (x *Installer) installed(r *ledger.Record) (files []ledger.File) {
	if r == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		if data, err := x.tree.ReadFile(path.Join(r.Dir, name), syncstate.MaxFile); err == nil {
			info, err := x.tree.Info(path.Join(r.Dir, name))
			files = append(files, ledger.File{Path: name, Data: data, Executable: err == nil && info.Mode()&0o111 != 0})
		}
	}
	return files
}

// worst returns the report's root package. It sets the package's name to the given one, and its
// verdict to the worst verdict of all packages.
func worst(r *scan.Report, name string) *scan.Package {
	p := &r.Packages[0]
	for i := range r.Packages {
		if r.Packages[i].Path == "." {
			p = &r.Packages[i]
		}
	}
	p.Name, p.Verdict = name, r.Worst()
	return p
}
