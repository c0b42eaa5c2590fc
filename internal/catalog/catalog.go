package catalog

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/settings"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/version"
)

// Catalog provides the definitions that are visible from a working directory, either in the neutral
// view or in the view of one host. The definitions are listed once, and the list never changes; to
// see later changes, open a new catalog. A Catalog is safe for concurrent use.
type Catalog struct {
	Options Options
	Profile *host.Profile
	Env     discover.Environment
	Parser  discover.Parser
	// Quick is the discovery plan without plugins, and Full is the plan with plugins.
	Quick, Full *discover.Plan

	// scanMu is held during a full scan. Lookups of a single name do not wait for it.
	scanMu sync.Mutex
	// mu guards the fields below, which are loaded on first use.
	mu              sync.Mutex
	all             *resolve.Catalog
	ScanDiagnostics []diag.Diagnostic
	Configuration   discover.Configuration
	// ConfigurationDiagnostics holds the problems in the files that Configuration was read from.
	// They are also in ScanDiagnostics.
	ConfigurationDiagnostics []diag.Diagnostic

	// policyState is nil until first use. policyMu is held while the policy is read.
	policyState atomic.Pointer[policyState]
	policyMu    sync.Mutex

	settingsOnce sync.Once
	settingsRead *settings.Settings

	stateOnce sync.Once
	state     *syncstate.State
	stateErr  error

	files fileCache
	// auditState caches the audit verdicts for loaded definitions.
	auditState auditState
	// rowCache caches the audit verdicts for listing rows.
	rowCache rowCache
	remote   remoteLayer

	// companions writes companion files to disk. If ownCompanions is set, Close also closes it.
	companions    *Companions
	ownCompanions bool

	// Project is the parsed vade.yaml, or nil if the view ignores it. ProjectDiagnostics holds the
	// problems in that file, and configuredSources lists its sources that only Vade reads.
	Project            *config.Project
	configuredSources  []string
	ProjectDiagnostics []diag.Diagnostic
}

// Close releases the catalog's resources. The catalog must not be used afterward.
func (c *Catalog) Close() error {
	c.remote.close()
	c.scanMu.Lock()
	defer c.scanMu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Quick.Close()
	if c.Full != nil {
		c.Full.Close()
	}
	if c.ownCompanions {
		return c.companions.Close()
	}
	return nil
}

// Plan returns the plan with plugins.
func (c *Catalog) Plan(ctx context.Context) (*discover.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Full != nil {
		return c.Full, nil
	}
	plan, err := discover.NewPlan(ctx, c.Env, c.Profile)
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	c.Full = plan
	return plan, nil
}

// Scan reads all definitions on the first call and returns the same result on later calls. If a
// call is interrupted, the next one starts over.
func (c *Catalog) Scan(ctx context.Context) (*resolve.Catalog, error) {
	if all := c.scanned(); all != nil {
		return all, nil
	}
	c.scanMu.Lock()
	defer c.scanMu.Unlock()
	if all := c.scanned(); all != nil {
		return all, nil
	}
	plan, err := c.Plan(ctx)
	if err != nil {
		return nil, err
	}
	found, diags, err := plan.Scan(ctx, c.Parser, nil)
	if err != nil {
		return nil, err
	}
	c.completeBundled(found)
	found = c.dropCopies(found, c.SyncState)
	contributed, more := plan.PackageCommands()
	contributed = append(contributed, plan.Entries(parse.TOML, parse.Entries(c.Profile, version.Number))...)
	configuration, configDiags := plan.ReadConfiguration(parse.TOML)
	given, wrong := c.clientAgents()
	diags = slices.Concat(plan.Diagnostics, diags, more, configDiags, plan.UnreadSettings(parse.TOML),
		c.ProjectDiagnostics, c.stateDiagnostics(), wrong, c.versionDiagnostics())
	diag.Sort(diags)
	all := resolve.NewWithSwitches(slices.Concat(found, contributed, given), c.Profile, c.switches(ctx))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all, c.ScanDiagnostics, c.Configuration, c.ConfigurationDiagnostics = all, diags, configuration, configDiags
	return all, nil
}

// scanned returns the result of the scan if it is complete, and nil otherwise.
func (c *Catalog) scanned() *resolve.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// Query selects definitions to list. The zero value selects all active ones.
type Query struct {
	// Kinds limits the list to these kinds; empty means all.
	Kinds []definition.Kind
	// If All is set, shadowed, dropped and disabled definitions are included.
	All bool
	// Layers limits the list to these layers; empty means all.
	Layers []definition.Layer
	// Agent is the agent that the list is for. Commands, skills and instructions for other agents
	// are omitted; see [Definition.ForAgent]. If Agent is empty, nothing is omitted.
	Agent string
	// Words filters by name, title and description: each word must occur in one of them, ignoring
	// case.
	Words []string
}

// List returns definitions sorted by kind and name.
func (c *Catalog) List(ctx context.Context, q Query) ([]Definition, error) {
	found, err := c.selected(ctx, q)
	if err != nil {
		return nil, err
	}
	return c.listed(found, q), nil
}

// listed removes the inactive definitions unless the query asks for all definitions.
func (c *Catalog) listed(found []*definition.Definition, q Query) []Definition {
	list := make([]Definition, 0, len(found))
	for _, d := range found {
		if d.State == definition.Loaded || q.All {
			list = append(list, Definition{c, d})
		}
	}
	return list
}

// selected returns the definitions that match the query's kinds, layers and agent, whether or not
// they are active.
func (c *Catalog) selected(ctx context.Context, q Query) ([]*definition.Definition, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	remote, err := c.remoteMatching(ctx, q)
	if err != nil {
		return nil, err
	}
	found := make([]*definition.Definition, 0, len(all.All)+len(remote))
	agent := FilterFor(all, q.Agent)
	for _, some := range [][]*definition.Definition{all.All, remote} {
		for _, d := range some {
			if q.matches(d) && agent.Allows(d) {
				found = append(found, d)
			}
		}
	}
	return found, nil
}

func (q Query) matches(d *definition.Definition) bool {
	if len(q.Layers) > 0 && !slices.Contains(q.Layers, d.Origin.Layer) {
		return false
	}
	if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, d.Kind) {
		return false
	}
	if len(q.Words) == 0 {
		return true
	}
	text := strings.ToLower(d.Name + "\n" + d.Title + "\n" + d.Description)
	return !slices.ContainsFunc(q.Words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}

// remoteMatching returns the definitions from MCP servers that match the query. If the query
// excludes the MCP layer, it contacts no server and returns nothing.
func (c *Catalog) remoteMatching(ctx context.Context, q Query) ([]*definition.Definition, error) {
	if len(q.Layers) > 0 && !slices.Contains(q.Layers, definition.MCP) {
		return nil, nil
	}
	return c.remoteDefinitions(ctx)
}

// Get returns the active definition with the given name or alias. The plugin name may be omitted if
// the result is unambiguous. If possible, Get reads only the paths where the definition could be.
// If no active definition has the name, the error wraps [definition.ErrNotFound].
func (c *Catalog) Get(ctx context.Context, kind definition.Kind, name string) (Definition, error) {
	d, err := c.find(ctx, []string{name}, []definition.Kind{kind})
	if err != nil {
		return Definition{}, err
	}
	if d == nil {
		return Definition{}, fmt.Errorf("vade: %s %q: %w", kind, name, definition.ErrNotFound)
	}
	return Definition{c, d}, nil
}

// Named returns every definition with the given name, of any kind and in any state. The name may
// have a kind prefix ("skill:x") or be a file path.
func (c *Catalog) Named(ctx context.Context, name string) ([]Definition, error) {
	if server, rest, ok := c.remoteName(name); ok {
		d, err := c.remoteNamed(ctx, server, rest)
		if err != nil {
			return nil, err
		}
		return []Definition{{c, d}}, nil
	}
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	kind, name := KindAndName(name)
	rel, inside := c.InProject(name)
	var list []Definition
	for _, d := range all.All {
		named := resolve.HasName(d, name) || "/"+d.Name == name || d.Origin.Path == name || inside && d.Origin.Path == rel
		if named && (kind == 0 || d.Kind == kind) {
			list = append(list, Definition{c, d})
		}
	}
	for _, k := range definition.Kinds {
		if bare := all.Get(k, name); len(list) == 0 && bare != nil && (kind == 0 || kind == k) {
			list = append(list, Definition{c, bare})
		}
	}
	return list, nil
}

// KindAndName splits a name like "skill:deploy". The kind is 0 if the name has no prefix.
func KindAndName(name string) (definition.Kind, string) {
	if word, rest, ok := strings.Cut(name, ":"); ok {
		if k, known := definition.ParseKind(word); known && word == k.String() {
			return k, rest
		}
	}
	return 0, name
}

// Nearest returns the names of up to three active definitions whose names resemble name. If name
// has a kind prefix, only definitions of that kind are considered.
func (c *Catalog) Nearest(ctx context.Context, name string) []string {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil
	}
	kind, bare := KindAndName(name)
	prefix := strings.TrimSuffix(name, bare)
	var names []string
	for _, k := range definition.Kinds {
		if kind == 0 || k == kind {
			names = append(names, all.Names(k)...)
		}
	}
	near := resolve.Nearest(bare, names)
	for i := range near {
		near[i] = prefix + near[i]
	}
	return near
}

// Diagnostics returns the problems that do not concern a single definition.
func (c *Catalog) Diagnostics(ctx context.Context) ([]diag.Diagnostic, error) {
	if _, err := c.Scan(ctx); err != nil {
		return nil, err
	}
	if more := slices.Concat(c.bundledDiagnostics(), c.remoteDiagnostics()); len(more) > 0 {
		return slices.Concat(c.ScanDiagnostics, more), nil
	}
	return c.ScanDiagnostics, nil
}

// find tries the names and kinds in order and returns the first active definition that it finds. It
// first looks for files at the paths that the names imply, and scans all definitions only if that
// fails. If the only match is a definition whose symlink points outside the allowed directories,
// find returns an error: the host would load that definition, but Vade does not.
func (c *Catalog) find(ctx context.Context, names []string, kinds []definition.Kind) (*definition.Definition, error) {
	d, _, err := c.findAmong(ctx, names, kinds)
	if d == nil && err == nil {
		err = c.outsideErrorFor(names, kinds)
	}
	return d, err
}

// findAmong is like find, but it does not return an error for a definition whose symlink points
// outside the allowed directories. If the definition was found by its own name without a full scan,
// among is the catalog that [Catalog.direct] returned. Otherwise, among is nil.
func (c *Catalog) findAmong(ctx context.Context, names []string,
	kinds []definition.Kind) (d *definition.Definition, among *resolve.Catalog, err error) {
	if server, rest, ok := c.remoteName(names[0]); ok {
		d, err := c.remoteFind(ctx, server, rest, kinds)
		return d, nil, err
	}
	all := c.scanned()
	if all == nil {
		d, among, err := c.findByPlace(ctx, names, kinds)
		// The target of a symlink may also be active under another name. Only a full scan can tell.
		if err != nil || d != nil && !d.Origin.Linked {
			return d, among, err
		}
		if all, err = c.Scan(ctx); err != nil {
			return nil, nil, err
		}
	}
	for _, k := range kinds {
		for _, n := range names {
			if d := all.Get(k, n); d != nil {
				return d, nil, nil
			}
		}
	}
	return nil, nil, nil
}

// findByPlace is like [Catalog.findAmong], but it looks only at the paths that the names imply.
func (c *Catalog) findByPlace(ctx context.Context, names []string, kinds []definition.Kind) (d *definition.Definition,
	among *resolve.Catalog, err error) {
	for _, k := range kinds {
		if !c.byPlace(k) {
			return nil, nil, nil
		}
		for _, n := range names {
			direct, err := c.direct(ctx, k, n)
			if err != nil {
				return nil, nil, err
			}
			if direct == nil {
				continue
			}
			if d := direct.Get(k, n); d != nil {
				if d.Kind == k && d.Name == n {
					among = direct
				}
				return d, among, nil
			}
		}
	}
	return nil, nil, nil
}

// byPlace reports whether a definition of this kind can be found by the path that its name implies.
// That is impossible if names of this kind come from frontmatter, or if the kind shares its names
// with such a kind. It is also impossible if nested directories are read, because the name of a
// definition then depends on other definitions.
func (c *Catalog) byPlace(kind definition.Kind) bool {
	if c.Env.Nested || len(c.Env.Client.Touched) > 0 {
		return false
	}
	if c.Profile.Clash != nil && c.Profile.Clash(kind) == host.BothRenamed && c.Profile.Plugins != nil {
		// If a plugin has a definition with the same name, the host renames both definitions.
		return false
	}
	return !c.Profile.NameField(kind) && (!c.Profile.SharedNames || kind != definition.Command ||
		!c.Profile.NameField(definition.Skill))
}

// direct reads the definitions at the paths that the name implies and resolves conflicts between
// them. It returns nil if there are none, or if the names of this kind do not correspond to paths.
func (c *Catalog) direct(ctx context.Context, kind definition.Kind, name string) (*resolve.Catalog, error) {
	if !c.byPlace(kind) {
		return nil, nil
	}
	plan := c.Quick
	if strings.Contains(name, ":") {
		var err error
		if plan, err = c.Plan(ctx); err != nil {
			return nil, err
		}
	}
	kinds := []definition.Kind{kind}
	if c.Profile.SharedNames && kind == definition.Command {
		kinds = []definition.Kind{definition.Skill, definition.Command}
	}
	var found []*definition.Definition
	for _, k := range kinds {
		some, _, err := plan.Find(ctx, c.Parser, k, name)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	if len(found) == 0 {
		return nil, nil
	}
	if len(kinds) > 1 {
		// Workflows must be scanned, because their names are set inside the files.
		some, _, err := plan.Scan(ctx, c.Parser, func(pl *discover.Place) bool { return pl.Has(definition.Workflow) })
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	c.completeBundled(found)
	found = c.dropCopies(found, func() *syncstate.State { return c.stateFor(found) })
	return resolve.NewWithSwitches(found, c.Profile, c.switches(ctx)), nil
}

// Parallel calls do(i) for 0 ≤ i < n in parallel and returns the error with the lowest i.
func Parallel(n int, do func(int) error) error {
	problems := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				problems[i] = do(i)
			}
		})
	}
	wg.Wait()
	return cmp.Or(problems...)
}
