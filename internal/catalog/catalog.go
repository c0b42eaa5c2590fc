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
)

// Catalog is what one working directory offers in one view. What it lists is
// read once and does not change afterwards; open another for what is there
// later. It is safe for use by many goroutines.
type Catalog struct {
	Options Options
	Profile *host.Profile
	Env     discover.Environment
	Parser  discover.Parser
	// Quick has no plugins, full has everything.
	Quick, Full *discover.Plan

	// scanning is held while everything is read. Who looks for one name does not
	// wait for it.
	scanMu sync.Mutex
	// mu guards what is read on first use.
	mu              sync.Mutex
	all             *resolve.Catalog
	ScanDiagnostics []diag.Diagnostic
	Carried         discover.Carried
	// CarriedFound is what was wrong with the files of carried, which is among
	// diagnostics too.
	CarriedDiagnostics []diag.Diagnostic

	// rules are nil until they are needed; rulesReading is held while they are read.
	policyState atomic.Pointer[policyState]
	policyMu    sync.Mutex

	settingsOnce sync.Once
	settingsRead *settings.Settings

	stateOnce sync.Once
	state     *syncstate.State
	stateErr  error

	files fileCache
	// judging is what the audit has said of what was loaded.
	auditState auditState
	// rows are the words of lists that were judged.
	rowCache rowCache
	remote   remoteLayer

	// beside puts the files beside skills on the disk; ownBeside: it ends with the
	// catalog.
	companions    *Companions
	ownCompanions bool

	// Project is the project's file, nil where the view does not go by it, and
	// projectFound what is wrong with it. ownAt are its sources that only Vade reads.
	Project            *config.Project
	configuredSources  []string
	ProjectDiagnostics []diag.Diagnostic
}

// Close gives back what the catalog holds open. It must not be used afterwards.
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

// Scan reads everything, once. A scan that was interrupted is begun again.
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
	carries, carried := plan.Carry(parse.TOML)
	given, wrong := c.clientAgents()
	diags = slices.Concat(plan.Diagnostics, diags, more, carried, plan.UnreadSettings(parse.TOML), c.ProjectDiagnostics, c.stateDiagnostics(), wrong)
	diag.Sort(diags)
	all := resolve.NewWithSwitches(slices.Concat(found, contributed, given), c.Profile, c.switches(ctx))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all, c.ScanDiagnostics, c.Carried, c.CarriedDiagnostics = all, diags, carries, carried
	return all, nil
}

// scanned returns what was read if everything has been already.
func (c *Catalog) scanned() *resolve.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// Query says which definitions to list. The zero value is all that are in force.
type Query struct {
	// Kinds are those wanted; none means all.
	Kinds []definition.Kind
	// All includes what is shadowed, dropped or disabled.
	All bool
	// Layers are those wanted; none means all.
	Layers []definition.Layer
	// Agent is the agent that the list is for: it leaves out commands, skills and
	// instructions that are for others; see [Definition.ForAgent]. "" leaves out
	// none.
	Agent string
}

// List returns definitions by kind and name.
func (c *Catalog) List(ctx context.Context, q Query) ([]Definition, error) {
	found, err := c.selected(ctx, q)
	if err != nil {
		return nil, err
	}
	return c.listed(found, q), nil
}

// listed are the definitions that a query lists of those that it selects.
func (c *Catalog) listed(found []*definition.Definition, q Query) []Definition {
	list := make([]Definition, 0, len(found))
	for _, d := range found {
		if d.State == definition.Loaded || q.All {
			list = append(list, Definition{c, d})
		}
	}
	return list
}

// selected returns the definitions of the kinds and layers of a query for its agent, in
// every state.
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
			if q.wants(d) && agent.Allows(d) {
				found = append(found, d)
			}
		}
	}
	return found, nil
}

func (q Query) wants(d *definition.Definition) bool {
	if len(q.Layers) > 0 && !slices.Contains(q.Layers, d.Origin.Layer) {
		return false
	}
	for _, k := range q.Kinds {
		if k == d.Kind {
			return true
		}
	}
	return len(q.Kinds) == 0
}

// remoteWanted asks the servers where their layer is wanted.
func (c *Catalog) remoteMatching(ctx context.Context, q Query) ([]*definition.Definition, error) {
	if len(q.Layers) > 0 && !slices.Contains(q.Layers, definition.MCP) {
		return nil, nil
	}
	return c.remoteDefinitions(ctx)
}

// Get returns the definition in force under a name or an alias, or, for a
// plugin's, under its name without the plugin's where that is clear. Only the
// places where it can be are read. The error is [ErrNotFound] where there is
// none.
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

// Named returns all that has a name, of every kind and in every state. The name
// may have its kind before it ("skill:x"), and may be the path of a file.
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
	kind := definition.Kind(0)
	if word, rest, ok := strings.Cut(name, ":"); ok {
		if k, known := definition.ParseKind(word); known && word == k.String() {
			kind, name = k, rest
		}
	}
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

// Nearest returns up to three of the names in force that are most like one.
func (c *Catalog) Nearest(ctx context.Context, name string) []string {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, k := range definition.Kinds {
		names = append(names, all.Names(k)...)
	}
	return resolve.Nearest(name, names)
}

// Diagnostics returns what was wrong or ignored outside of any definition.
func (c *Catalog) Diagnostics(ctx context.Context) ([]diag.Diagnostic, error) {
	if _, err := c.Scan(ctx); err != nil {
		return nil, err
	}
	if more := slices.Concat(c.bundledDiagnostics(), c.remoteDiagnostics()); len(more) > 0 {
		return slices.Concat(c.ScanDiagnostics, more), nil
	}
	return c.ScanDiagnostics, nil
}

// find returns the definition in force under the first of the names and kinds
// that has one. It looks at the places that the names have before it reads
// everything.
func (c *Catalog) find(ctx context.Context, names []string, kinds []definition.Kind) (*definition.Definition, error) {
	d, _, err := c.findAmong(ctx, names, kinds)
	return d, err
}

// findAmong is find. Among is what [Catalog.direct] says of the definition, nil where
// it was not asked that.
func (c *Catalog) findAmong(ctx context.Context, names []string, kinds []definition.Kind) (d *definition.Definition, among *resolve.Catalog, err error) {
	if server, rest, ok := c.remoteName(names[0]); ok {
		d, err := c.remoteFind(ctx, server, rest, kinds)
		return d, nil, err
	}
	all := c.scanned()
	if all == nil {
		d, among, err := c.placed(ctx, names, kinds)
		// What a link leads to may be in force under another name.
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

// placed returns the first that has one of the names by its place; among is that of
// [Catalog.findAmong].
func (c *Catalog) placed(ctx context.Context, names []string, kinds []definition.Kind) (d *definition.Definition, among *resolve.Catalog, err error) {
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

// byPlace reports whether the places of a name tell who has it. They do not for
// kinds that are known by their frontmatter, or that share their names with such a
// kind, and with nested directories, whose names depend on each other.
func (c *Catalog) byPlace(kind definition.Kind) bool {
	if c.Env.Nested || len(c.Env.Client.Touched) > 0 {
		return false
	}
	if c.Profile.Clash != nil && c.Profile.Clash(kind) == host.BothRenamed && c.Profile.Plugins != nil {
		// A plugin that has the name as well renames the others.
		return false
	}
	return !c.Profile.NameField(kind) && (!c.Profile.SharedNames || kind != definition.Command || !c.Profile.NameField(definition.Skill))
}

// direct resolves the files that have the name by their place; nil where there is
// none, or where their places do not tell.
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
	c.completeBundled(found)
	found = c.dropCopies(found, func() *syncstate.State { return c.stateFor(found) })
	return resolve.NewWithSwitches(found, c.Profile, c.switches(ctx)), nil
}

// SideBySide calls do(i) for 0 ≤ i < n in parallel and returns the error with the lowest i.
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
