// Package check checks the definitions of a project: it applies [rules] to their text and
// compares what each of the project's hosts makes of them.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// Options say what to check. The zero value checks the project of the working
// directory for the hosts that it shows.
type Options struct {
	// Paths are files and directories; none is the project. A directory may be a
	// project, a part of one, or a collection of definitions such as skills/.
	Paths []string
	// Hosts are the hosts to check for, which may have a version; "all" is all of
	// them. None are those of the project's .vade/check.yaml, or else those that
	// have files of their own in the project.
	Hosts []string
	// Baseline is what [Report.Baseline] has written earlier: those findings do not
	// count.
	Baseline []byte
	// Progress is told how many definitions have been checked; nil tells nobody.
	Progress func(done, total int)
}

// Report is what was found. Its JSON is stable: fields are added, never renamed.
type Report struct {
	Hosts []catalog.CheckedHost `json:"hosts"`
	// Checked is the number of definitions, Excluded that of those that the
	// project's .vade/check.yaml leaves out, Known that of the findings that are in
	// the baseline.
	Checked  int `json:"checked"`
	Excluded int `json:"excluded"`
	Known    int `json:"known"`
	// ExcludedErrors is the number of errors in what is left out.
	ExcludedErrors int `json:"excludedErrors"`
	// Directory is what the paths of findings are relative to.
	Directory string          `json:"directory"`
	Findings  []rules.Finding `json:"findings"`

	all      []rules.Finding
	profiles []*host.Profile
	files    map[string]*checked
	config   *rules.Config
}

// Count returns how many findings are errors, warnings and for information.
func (r *Report) Count() (errors, warnings, infos int) {
	for _, f := range r.Findings {
		switch f.Severity {
		case diag.Error:
			errors++
		case diag.Warning:
			warnings++
		default:
			infos++
		}
	}
	return errors, warnings, infos
}

// Baseline returns all findings, also those of the baseline that was given, as a
// new baseline.
func (r *Report) Baseline() []byte { return rules.FormatBaseline(r.all) }

// ConfigUnused reports whether the project has a .vade/check.yaml that is broken, so
// that nothing of it counts. A finding says why.
func (r *Report) ConfigUnused() bool { return r.config != nil && r.config.Unused }

// ErrNothingThere is the error of [Run] for a path that is not there.
var ErrNothingThere = errors.New("there is no such file or directory")

// ErrBaseline is the error of [Run] for a baseline that is none.
var ErrBaseline = errors.New("the baseline can not be read")

// ErrNoDefinition is the error of [Run] for a path at which no definition stands.
var ErrNoDefinition = errors.New("no definition stands there")

// Run judges the definitions of a project: whether the hosts that read one load
// it, whether its text means the same to all of them, and whether what it refers
// to is there. Only the project's own definitions are judged, and the user's other
// ones are not looked at. Nothing runs, and nothing is written.
func Run(ctx context.Context, o catalog.Options, co Options) (*Report, error) {
	baseline, err := parseBaseline(co.Baseline)
	if err != nil {
		return nil, err
	}
	given := o
	o.ProjectOnly, o.Nested, o.Unread = true, true, true
	k := checker{ctx: ctx, options: o, request: co}
	defer k.close()
	if err := k.open(); err != nil {
		return nil, err
	}
	if err := k.gather(); err != nil {
		return nil, err
	}
	if err := k.chooseHosts(); err != nil {
		return nil, err
	}
	if err := k.readViews(); err != nil {
		return nil, err
	}
	k.adopt()
	findings, err := k.judge(slices.Concat(k.items, k.left))
	if err != nil {
		return nil, err
	}
	outOfSync, err := k.outOfSync(given)
	if err != nil {
		return nil, err
	}
	findings = slices.Concat(findings, k.outside(), k.nested(), k.unread(), k.cut, k.danglingSkills(), outOfSync)
	findings = k.inScope(findings)
	for _, d := range k.neutral.ProjectDiagnostics {
		findings = append(findings, rules.Of(d))
	}
	if err := k.emptyScope(findings); err != nil {
		return nil, err
	}
	k.insist(findings)
	rules.Sort(findings)
	findings = k.config.Apply(findings)
	if len(k.items) == 0 && len(k.left) > 0 {
		findings = append(findings, k.config.Nothing(len(k.left)))
	}
	rules.Sort(findings)
	rules.Fingerprint(findings)
	hideSecrets(findings)
	r := &Report{
		Hosts: k.hosts, Checked: len(k.items), Excluded: len(k.left), ExcludedErrors: k.excludedErrors, Directory: k.top(),
		all: findings, profiles: k.profiles, files: map[string]*checked{}, config: k.config,
	}
	r.Findings, r.Known = baseline.Without(slices.Clone(findings))
	if r.Findings == nil {
		r.Findings = []rules.Finding{}
	}
	for _, it := range k.items {
		r.files[it.path] = it
	}
	return r, nil
}

func parseBaseline(data []byte) (*rules.Baseline, error) {
	if data == nil {
		return nil, nil
	}
	b, err := rules.ParseBaseline(data)
	if err != nil {
		return nil, fmt.Errorf("vade: %w: %w", ErrBaseline, err)
	}
	return b, nil
}

// checker is one check.
type checker struct {
	ctx     context.Context
	options catalog.Options
	request Options

	neutral *catalog.Catalog
	all     []*definition.Definition
	config  *rules.Config
	// scope are the paths below the top that are asked for; none is all.
	scope    []string
	hosts    []catalog.CheckedHost
	profiles []*host.Profile
	views    []rules.View
	// found has, for each view, the definitions that it found in the project.
	found [][]*definition.Definition
	// catalogs are what each view has, nil where no agent in it begins with skills.
	catalogs []*resolve.Catalog
	// cut are the descriptions for which a host has no room.
	cut    []rules.Finding
	items  []*checked
	byReal map[string]*checked
	// project is what vade.yaml says.
	project *config.Project
	// copies are the files that vade sync made of others, and copied those that were
	// made of one, by its path.
	copies map[string]bool
	copied map[string][]string
	// truth are the sources of truth of a project, which show no host.
	truth []string
	// left are those that the project excludes.
	left           []*checked
	excludedErrors int
}

// checked is one definition that is judged.
type checked struct {
	d *definition.Definition
	// path is the file below the top of the project.
	path string
	// apart: no host reads it where it is. It is judged as if it stood in a
	// directory of theirs.
	apart bool
}

func (k *checker) close() {
	if k.neutral != nil {
		k.neutral.Close()
	}
}

func (k *checker) top() string {
	if t := k.neutral.Quick.Project; t != nil {
		return t.Dir()
	}
	return ""
}

// open opens the neutral view and finds out what the paths mean.
func (k *checker) open() error {
	if err := k.enter(); err != nil {
		return err
	}
	tree := k.neutral.Quick.Project
	if tree == nil {
		return errors.New("vade: there is no directory to check")
	}
	for _, p := range k.request.Paths {
		rel, typ, err := k.locate(tree, p)
		if err != nil {
			return err
		}
		if rel != "." {
			k.scope = append(k.scope, rel)
		}
		if base, ok := collection(tree, rel, typ); rel != "." && ok {
			k.options.PluginDirs = append(k.options.PluginDirs, tree.Path(base))
		}
	}
	// Directories of other names, such as agents, often hold something else.
	if typ, err := tree.Lstat("skills"); len(k.scope) == 0 && err == nil && typ == vfs.Dir {
		k.options.PluginDirs = append(k.options.PluginDirs, tree.Path("."))
	}
	slices.Sort(k.options.PluginDirs)
	k.options.PluginDirs = slices.Compact(k.options.PluginDirs)
	if len(k.options.PluginDirs) > 0 {
		k.neutral.Close()
		if err := k.enter(); err != nil {
			return err
		}
	}
	k.project = k.neutral.Project
	return k.readConfig()
}

// enter opens the neutral view: of the working directory, or of a directory
// elsewhere that is the only path.
func (k *checker) enter() error {
	o := k.options
	o.As = ""
	if len(k.request.Paths) == 1 && vfs.IsAbs(k.request.Paths[0]) {
		dir := path.Clean(k.request.Paths[0])
		if tree, err := vfs.Open(dir, vfs.Options{}); err == nil {
			tree.Close()
			o.Dir = dir
		}
	}
	var err error
	k.options.Dir = o.Dir
	k.neutral, err = catalog.Open(k.ctx, o)
	return err
}

// locate returns where a path is below the top of the project.
func (k *checker) locate(tree *vfs.Tree, p string) (string, vfs.Type, error) {
	clean := path.Clean(strings.ReplaceAll(p, "\\", "/"))
	rel := path.Join(k.neutral.Quick.WorkDir, clean)
	if vfs.IsAbs(p) {
		var ok bool
		if rel, ok = tree.Rel(clean); !ok {
			return "", 0, fmt.Errorf("vade: %s: it is outside of the project %s: check it alone, or from its own directory", p, tree.Dir())
		}
	}
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", 0, fmt.Errorf("vade: %s: it is outside of the project %s: check it alone, or from its own directory", p, tree.Dir())
	}
	typ, err := tree.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, fmt.Errorf("vade: %s: %w", p, ErrNothingThere)
	}
	if err != nil {
		return "", 0, fmt.Errorf("vade: %s: %w", p, err)
	}
	return rel, typ, nil
}

// collection returns the directory that holds directories of definitions which no
// host reads where they are, such as skills/ at the top of a repository, around a
// path.
func collection(tree *vfs.Tree, rel string, typ vfs.Type) (string, bool) {
	names := registry.Neutral().Collections
	for dir := rel; dir != "." && dir != ""; dir = path.Dir(dir) {
		up := path.Dir(dir)
		if slices.Contains(names, path.Base(dir)) && (up == "." || !strings.HasPrefix(path.Base(up), ".")) && (dir != rel || typ == vfs.Dir) {
			return up, true
		}
		if strings.HasPrefix(path.Base(dir), ".") {
			return "", false
		}
	}
	if typ != vfs.Dir {
		return "", false
	}
	for _, n := range names {
		if t, err := tree.Lstat(path.Join(rel, n)); err == nil && t == vfs.Dir && !strings.HasPrefix(path.Base(rel), ".") {
			return rel, true
		}
	}
	return "", false
}

// gather lists the definitions of the project.
func (k *checker) gather() error {
	all, err := k.neutral.Scan(k.ctx)
	if err != nil {
		return err
	}
	k.all, k.byReal, k.copies, k.copied = all.All, map[string]*checked{}, map[string]bool{}, map[string][]string{}
	for _, d := range k.all {
		k.take(d)
	}
	for _, d := range k.all {
		// A link has the file of its source.
		if k.isCopy(d) && k.byReal[d.Origin.Real] == nil {
			source := strings.TrimPrefix(d.Reason, catalog.CopyReason)
			k.copies[d.Origin.Real], k.copied[source] = true, append(k.copied[source], d.Origin.Real)
		}
	}
	k.order()
	return nil
}

func (k *checker) order() {
	slices.SortFunc(k.items, func(a, b *checked) int { return cmp.Compare(a.path, b.path) })
}

// take adds a definition to those that are judged, if it belongs to the project.
func (k *checker) take(d *definition.Definition) {
	if k.isCopy(d) || k.copies[d.Origin.Real] {
		return
	}
	p, ok := k.neutral.ProjectFile(d)
	if !ok || k.byReal[d.Origin.Real] != nil || !k.wanted(p) {
		return
	}
	if k.config.Excludes(p) {
		if _, known := k.byReal[d.Origin.Real]; !known {
			k.byReal[d.Origin.Real] = nil
			k.left = append(k.left, &checked{d: d, path: p, apart: k.isApart(d, p)})
		}
		return
	}
	it := &checked{d: d, path: p, apart: k.isApart(d, p)}
	k.byReal[d.Origin.Real] = it
	k.items = append(k.items, it)
}

// isApart reports whether no host reads a definition where it stands: in a directory
// of definitions alone, or in a source of which the hosts get copies.
func (k *checker) isApart(d *definition.Definition, p string) bool {
	return d.Origin.Plugin != "" || k.neutral.IsConfiguredSource(p)
}

// isCopy reports whether a definition is what was made of another, and has nothing in it
// to be judged.
func (k *checker) isCopy(d *definition.Definition) bool {
	return d.ReasonCode == diag.SyncCopy
}

// hideSecrets takes what may be a secret out of the lines that findings are shown with,
// and out of messages that quote it.
func hideSecrets(list []rules.Finding) {
	for i := range list {
		f := &list[i]
		shown := mcp.HideLine("", f.Source)
		if shown == f.Source {
			continue
		}
		before, _, _ := strings.Cut(shown, "‹hidden›")
		value := strings.Trim(strings.TrimPrefix(f.Source, strings.TrimRight(before, " ")), " \t\r\n\"',;")
		f.Source = shown
		if len(value) >= 4 {
			f.Message, f.Fix = strings.ReplaceAll(f.Message, value, "‹hidden›"), strings.ReplaceAll(f.Fix, value, "‹hidden›")
		}
	}
}

// readConfig reads the project's settings of checks. What can not be read is
// reported, and the check goes on without.
func (k *checker) readConfig() error {
	tree := k.neutral.Quick.Project
	data, err := tree.ReadFile(rules.ConfigFile, rules.MaxConfig+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		k.config = rules.UnreadConfig(rules.ConfigFile, catalog.Cause(err).Error())
		return nil
	}
	k.config = rules.ParseConfig(rules.ConfigFile, data, func(name string) bool {
		p, ok := registry.Lookup(name)
		return ok && p.Name != host.NeutralName
	})
	return nil
}

// wanted reports whether a path below the top is asked for.
func (k *checker) wanted(rel string) bool {
	if len(k.scope) == 0 {
		return true
	}
	return slices.ContainsFunc(k.scope, func(s string) bool { return rel == s || strings.HasPrefix(rel, s+"/") })
}

// inScope leaves out what is not asked for. What is said of a directory is kept
// where the directory is above a path that is asked for.
func (k *checker) inScope(list []rules.Finding) []rules.Finding {
	return slices.DeleteFunc(list, func(f rules.Finding) bool {
		above := slices.ContainsFunc(k.scope, func(s string) bool { return strings.HasPrefix(s, f.Path+"/") })
		if f.Path != "." && !k.wanted(f.Path) && !above {
			return true
		}
		excluded := k.config.Excludes(f.Path)
		if excluded && f.Severity == diag.Error {
			k.excludedErrors++
		}
		return excluded
	})
}

// emptyScope refuses a path that is asked for and at which nothing is to check.
func (k *checker) emptyScope(list []rules.Finding) error {
	for _, s := range k.scope {
		below := func(p string) bool { return p == s || strings.HasPrefix(p, s+"/") }
		item := func(it *checked) bool { return below(it.path) }
		if slices.ContainsFunc(k.items, item) || slices.ContainsFunc(k.left, item) ||
			slices.ContainsFunc(list, func(f rules.Finding) bool { return below(f.Path) }) {
			continue
		}
		what := ""
		switch typ, err := k.neutral.Quick.Project.Lstat(s); {
		case err != nil:
		case typ == vfs.Link:
			if target, err := k.neutral.Quick.Project.Readlink(s); err == nil {
				what = ": it is a link, which leads to " + target
			}
		case typ == vfs.Other:
			what = ": it is neither a file nor a directory"
		}
		return fmt.Errorf("vade: %s: %w%s", s, ErrNoDefinition, what)
	}
	return nil
}
