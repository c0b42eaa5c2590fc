package explain

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
)

// view is the catalog of a host, or the neutral catalog, with indexes that are used to determine
// verdicts.
type view struct {
	profile *host.Profile
	// as is the host's name with the requested version, or "" for the neutral view.
	as  string
	c   *catalog.Catalog
	all []*definition.Definition
	// byReal maps canonical paths to definitions, and byName maps kinds and names to active
	// definitions.
	byReal map[string][]*definition.Definition
	byName map[kindName][]*definition.Definition
	// shadows maps a definition to the definitions that it shadows.
	shadows map[*definition.Definition][]*definition.Definition
	lines   map[*definition.Definition]ListingState
	// imported maps instruction files to files that import them. It is set only if an instruction
	// file is explained.
	imported map[string]string
	// parser parses files at hypothetical locations.
	parser discover.Parser
}

type kindName struct {
	kind definition.Kind
	name string
}

// open opens and reads all views, the neutral one first and the others in parallel.
func (e *explainer) open() error {
	if err := e.read(e.neutral); err != nil {
		return err
	}
	e.sources = e.neutral.c.SourceOfTruth(e.neutral.all)
	return catalog.Parallel(len(e.views), func(i int) error {
		v := e.views[i]
		if err := e.read(v); err != nil {
			return err
		}
		var err error
		v.lines, err = listingStates(e.ctx, v.c, v.all)
		return err
	})
}

func (e *explainer) read(v *view) error {
	o := e.options
	o.As, o.Unread = v.as, true
	// Explaining must not store anything, not even audit verdicts.
	o.Shell.DryRun = true
	var err error
	if v.c, err = catalog.Open(e.ctx, o); err != nil {
		return err
	}
	all, err := v.c.Scan(e.ctx)
	if err != nil {
		return err
	}
	v.all = all.All
	v.byReal = make(map[string][]*definition.Definition, len(v.all))
	v.byName = map[kindName][]*definition.Definition{}
	v.shadows = map[*definition.Definition][]*definition.Definition{}
	for _, d := range v.all {
		v.byReal[d.Origin.Real] = append(v.byReal[d.Origin.Real], d)
		switch {
		case d.State == definition.Loaded:
			k := kindName{d.Kind, d.Name}
			v.byName[k] = append(v.byName[k], d)
		case d.State == definition.Shadowed && d.ReplacedBy != nil:
			v.shadows[d.ReplacedBy] = append(v.shadows[d.ReplacedBy], d)
		}
	}
	if v.as == "" {
		// This profile includes the sources from vade.yaml as roots.
		v.profile = v.c.Profile
	}
	return nil
}

func (e *explainer) close() {
	for _, v := range append([]*view{e.neutral}, e.views...) {
		if v.c != nil {
			v.c.Close()
		}
	}
}

// definition returns the view's definition for a file, preferring an active one.
func (v *view) definition(real string) *definition.Definition {
	var best *definition.Definition
	for _, d := range v.byReal[real] {
		if best == nil || d.State < best.State {
			best = d
		}
	}
	return best
}

// root returns the root in which a definition was found. It is nil for bundled
// definitions and for commands in a package.json.
func (v *view) root(d *definition.Definition) *host.Root {
	if d.Format == definition.Package || d.Origin.Row < 0 || int(d.Origin.Row) >= len(v.profile.Roots) {
		return nil
	}
	return &v.profile.Roots[d.Origin.Row]
}

// unread reports whether the host does not look at the definition at all. It returns false if the
// host reads the definition but rejects its content.
func (v *view) unread(d *definition.Definition) bool {
	if r := v.root(d); d.Origin.Nested != "" && r != nil && !r.Touched && v.as != "" {
		// The definition is in a subdirectory of the working directory, where the host does not
		// look for this root.
		return true
	}
	unread := []diag.Code{diag.NotRead, diag.DepthLimit, diag.DirLimit, diag.DirSkipped, diag.FilenameCase}
	return d.State == definition.Dropped && slices.Contains(unread, d.ReasonCode)
}

func paths(list []*definition.Definition, but *definition.Definition) []string {
	var all []string
	for _, d := range list {
		if d != but {
			all = append(all, d.Origin.Path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
