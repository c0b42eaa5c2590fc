// Package check finds problems in a project's definitions. It applies the rules in package [rules]
// to their text, and compares how the project's hosts load them.
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

// Options configures a check. The zero value checks the project in the working directory for the
// hosts that the project uses.
type Options struct {
	// Paths lists the files and directories to check; empty means the whole project. A directory
	// may be a project, part of one, or a collection of definitions such as skills/.
	Paths []string
	// Hosts lists the hosts to check for, each with an optional version. "all" means every host. If
	// Hosts is empty, the check uses the hosts listed in .vade/check.yaml, or else those listed in
	// vade.yaml, or else the hosts detected from the project's files.
	Hosts []string
	// Baseline is the result of an earlier [Report.Baseline]. Its findings are not reported again.
	Baseline []byte
	// Progress, if not nil, is called periodically with the number of definitions checked so far
	// and the total number.
	Progress func(done, total int)
}

// Report is the result of a check. Its JSON form is stable: fields may be added
// but are never renamed.
type Report struct {
	Hosts []catalog.CheckedHost `json:"hosts"`
	// Checked counts the definitions that were checked. Excluded counts the definitions that the
	// project's .vade/check.yaml excludes. Known counts the findings in the baseline.
	Checked  int `json:"checked"`
	Excluded int `json:"excluded"`
	Known    int `json:"known"`
	// ExcludedErrors counts the errors in excluded definitions.
	ExcludedErrors int `json:"excludedErrors"`
	// Directory is the directory that the paths in Findings are relative to.
	Directory string          `json:"directory"`
	Findings  []rules.Finding `json:"findings"`

	all      []rules.Finding
	profiles []*host.Profile
	files    map[string]*checked
	config   *rules.Config
}

// Count returns the number of errors, warnings and informational findings.
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

// Baseline returns a new baseline that contains all current findings, including those that were
// already in the old baseline.
func (r *Report) Baseline() []byte { return rules.FormatBaseline(r.all) }

// ConfigUnused reports whether the project's .vade/check.yaml is invalid and was therefore ignored.
// One of the findings gives the reason.
func (r *Report) ConfigUnused() bool { return r.config != nil && r.config.Unused }

// ErrNothingThere is returned by [Run] for a path that does not exist.
var ErrNothingThere = errors.New("no such file or directory")

// ErrBaseline is returned by [Run] for an invalid baseline.
var ErrBaseline = errors.New("cannot read the baseline")

// ErrNoDefinition is returned by [Run] for a path without definitions.
var ErrNoDefinition = errors.New("no definitions found")

// Run checks a project's own definitions, but not the user's. It checks whether each host that
// reads a definition's file also loads the definition, whether the hosts interpret its text in the
// same way, and whether the files that it refers to exist. Run does not execute or write anything.
func Run(ctx context.Context, o catalog.Options, co Options) (*Report, error) {
	baseline, err := parseBaseline(co.Baseline)
	if err != nil {
		return nil, err
	}
	callerOptions := o
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
	k.addHostOnly()
	findings, err := k.judge(slices.Concat(k.items, k.excluded))
	if err != nil {
		return nil, err
	}
	outOfSync, err := k.outOfSync(callerOptions)
	if err != nil {
		return nil, err
	}
	findings = slices.Concat(findings, k.outside(), k.nested(), k.unread(), k.budgetFindings, k.danglingSkills(), outOfSync)
	findings = k.inScope(findings)
	for _, d := range k.neutral.ProjectDiagnostics {
		findings = append(findings, rules.Of(d))
	}
	if err := k.emptyScope(findings); err != nil {
		return nil, err
	}
	k.raiseUnread(findings)
	rules.Sort(findings)
	findings = k.config.Apply(findings)
	if len(k.items) == 0 && len(k.excluded) > 0 {
		findings = append(findings, k.config.Nothing(len(k.excluded)))
	}
	rules.Sort(findings)
	rules.Fingerprint(findings)
	hideSecrets(findings)
	r := &Report{
		Hosts: k.hosts, Checked: len(k.items), Excluded: len(k.excluded), ExcludedErrors: k.excludedErrors, Directory: k.top(),
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

// checker holds the state of one check.
type checker struct {
	ctx     context.Context
	options catalog.Options
	request Options

	neutral *catalog.Catalog
	all     []*definition.Definition
	config  *rules.Config
	// scope lists the requested paths, relative to the project root. If it is empty, all paths are
	// in scope.
	scope    []string
	hosts    []catalog.CheckedHost
	profiles []*host.Profile
	views    []rules.View
	// found lists, for each host in profiles, the definitions that the host finds in the project.
	found [][]*definition.Definition
	// catalogs holds, for each host in profiles, all definitions that the host finds. An entry is
	// nil if none of the host's agents in the project preload skills.
	catalogs []*resolve.Catalog
	// budgetFindings reports descriptions that a host drops or shortens because its listing budget
	// is full.
	budgetFindings []rules.Finding
	items          []*checked
	byReal         map[string]*checked
	// project is the parsed vade.yaml.
	project *config.Project
	// copies holds the files that vade sync created. copied maps a source's path to its copies.
	copies map[string]bool
	copied map[string][]string
	// sources lists the paths in the project that vade sync copies from. Files there do not show
	// that the project uses a host.
	sources []string
	// excluded lists the definitions that the project excludes.
	excluded       []*checked
	excludedErrors int
}

// checked is a definition that the check covers.
type checked struct {
	d *definition.Definition
	// path is the file's path relative to the project root.
	path string
	// unhosted reports whether no host reads the definition at its path. Such a
	// definition is checked as if it were in a host's directory.
	unhosted bool
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

// open opens the project, without the rules of any particular host, and resolves the requested
// paths.
func (k *checker) open() error {
	if err := k.openNeutral(); err != nil {
		return err
	}
	tree := k.neutral.Quick.Project
	if tree == nil {
		return errors.New("vade: no directory to check")
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
	// Treat only skills/ this way. Other directories with typical names, such as agents/, often
	// contain files that are not definitions.
	if typ, err := tree.Lstat("skills"); len(k.scope) == 0 && err == nil && typ == vfs.Dir {
		k.options.PluginDirs = append(k.options.PluginDirs, tree.Path("."))
	}
	slices.Sort(k.options.PluginDirs)
	k.options.PluginDirs = slices.Compact(k.options.PluginDirs)
	if len(k.options.PluginDirs) > 0 {
		k.neutral.Close()
		if err := k.openNeutral(); err != nil {
			return err
		}
	}
	k.project = k.neutral.Project
	return k.readConfig()
}

// openNeutral opens the project without the rules of any particular host. It looks for the project
// from the working directory or, if a single absolute directory was requested, from that directory.
func (k *checker) openNeutral() error {
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

// locate returns a requested path relative to the project root, and the path's type.
func (k *checker) locate(tree *vfs.Tree, p string) (string, vfs.Type, error) {
	clean := path.Clean(strings.ReplaceAll(p, "\\", "/"))
	rel := path.Join(k.neutral.Quick.WorkDir, clean)
	if vfs.IsAbs(p) {
		var ok bool
		if rel, ok = tree.Rel(clean); !ok {
			return "", 0, fmt.Errorf("vade: %s is outside the project %s; to check it, run vade check in its directory", p, tree.Dir())
		}
	}
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", 0, fmt.Errorf("vade: %s is outside the project %s; to check it, run vade check in its directory", p, tree.Dir())
	}
	typ, err := tree.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, fmt.Errorf("vade: %s: %w", p, ErrNothingThere)
	}
	if err != nil {
		return "", 0, fmt.Errorf("vade: %s: %w", p, vfs.WithoutPath(err))
	}
	return rel, typ, nil
}

// collection returns the parent directory of the collection that rel is in or contains, if any. A
// collection is a directory of definitions that no host reads, such as skills/ at the root of a
// repository.
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

// gather collects the project's definitions.
func (k *checker) gather() error {
	all, err := k.neutral.Scan(k.ctx)
	if err != nil {
		return err
	}
	k.all, k.byReal, k.copies, k.copied = all.All, map[string]*checked{}, map[string]bool{}, map[string][]string{}
	for _, d := range k.all {
		k.addDefinition(d)
	}
	for _, d := range k.all {
		// A symlink has the same canonical path as its source, so do not treat it as a copy.
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

// addDefinition adds a definition to the items to check or, if the configuration excludes it, to
// the excluded items. It ignores copies, definitions that are not in the project, and definitions
// that are out of scope.
func (k *checker) addDefinition(d *definition.Definition) {
	if k.isCopy(d) || k.copies[d.Origin.Real] {
		return
	}
	p, ok := k.neutral.ProjectFile(d)
	if !ok || k.byReal[d.Origin.Real] != nil || !k.selected(p) {
		return
	}
	if k.config.Excludes(p) {
		if _, known := k.byReal[d.Origin.Real]; !known {
			k.byReal[d.Origin.Real] = nil
			k.excluded = append(k.excluded, &checked{d: d, path: p, unhosted: k.isUnhosted(d, p)})
		}
		return
	}
	it := &checked{d: d, path: p, unhosted: k.isUnhosted(d, p)}
	k.byReal[d.Origin.Real] = it
	k.items = append(k.items, it)
}

// isUnhosted reports whether no host reads the definition at its path. This is the case in a
// collection such as skills/, and in a source directory from which vade sync copies files for the
// hosts.
func (k *checker) isUnhosted(d *definition.Definition, p string) bool {
	return d.Origin.Plugin != "" || k.neutral.IsConfiguredSource(p)
}

// isCopy reports whether a definition is a copy that vade sync wrote. Copies are not checked
// themselves.
func (k *checker) isCopy(d *definition.Definition) bool {
	return d.ReasonCode == diag.SyncCopy
}

// hideSecrets masks likely secrets in findings' source lines and in messages that quote them.
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

// readConfig reads the project's check configuration. If the file cannot be
// read, it is reported and ignored.
func (k *checker) readConfig() error {
	tree := k.neutral.Quick.Project
	data, err := tree.ReadFile(rules.ConfigFile, rules.MaxConfig+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, vfs.ErrTooLarge):
		// ParseConfig reports the size.
		data = make([]byte, rules.MaxConfig+1)
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

// selected reports whether a path relative to the project root is in scope.
func (k *checker) selected(rel string) bool {
	if len(k.scope) == 0 {
		return true
	}
	return slices.ContainsFunc(k.scope, func(s string) bool { return rel == s || strings.HasPrefix(rel, s+"/") })
}

// inScope removes findings outside the requested paths and findings in excluded files. It keeps a
// finding about a directory that contains a requested path.
func (k *checker) inScope(list []rules.Finding) []rules.Finding {
	return slices.DeleteFunc(list, func(f rules.Finding) bool {
		above := slices.ContainsFunc(k.scope, func(s string) bool { return strings.HasPrefix(s, f.Path+"/") })
		if f.Path != "." && !k.selected(f.Path) && !above {
			return true
		}
		excluded := k.config.Excludes(f.Path)
		if excluded && f.Severity == diag.Error {
			k.excludedErrors++
		}
		return excluded
	})
}

// emptyScope returns an error if a requested path contains no definitions.
func (k *checker) emptyScope(list []rules.Finding) error {
	for _, s := range k.scope {
		below := func(p string) bool { return p == s || strings.HasPrefix(p, s+"/") }
		item := func(it *checked) bool { return below(it.path) }
		if slices.ContainsFunc(k.items, item) || slices.ContainsFunc(k.excluded, item) ||
			slices.ContainsFunc(list, func(f rules.Finding) bool { return below(f.Path) }) {
			continue
		}
		detail := ""
		switch typ, err := k.neutral.Quick.Project.Lstat(s); {
		case err != nil:
		case typ == vfs.Link:
			if target, err := k.neutral.Quick.Project.Readlink(s); err == nil {
				detail = ": it is a symlink to " + target
			}
		case typ == vfs.Other:
			detail = ": it is neither a file nor a directory"
		}
		return fmt.Errorf("vade: %s: %w%s", s, ErrNoDefinition, detail)
	}
	return nil
}
