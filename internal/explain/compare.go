package explain

import (
	"context"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
)

// Comparison reports how hosts treat the definitions in a neutral view. It does not look for fixes,
// unlike [Run].
type Comparison struct {
	// Hosts are the names of the compared hosts.
	Hosts []string
	views []*view
	// copies maps a source's path to the canonical paths of its copies.
	copies map[string][]string
}

// Treatment describes how a host treats a definition. If the host does not look at the file,
// NotRead is set and State is [definition.Dropped]. Reason is empty for a loaded definition.
type Treatment struct {
	State   definition.State
	Reason  string
	NotRead bool
}

// Compare reads every host's view, in parallel. neutral is a neutral view that was opened with the
// options o.
func Compare(ctx context.Context, o catalog.Options, neutral *catalog.Catalog, hosts []string) (*Comparison, error) {
	e := explainer{ctx: ctx, options: o, neutral: &view{}}
	defer e.close()
	for _, name := range hosts {
		p, ok := registry.Lookup(name)
		if !ok {
			return nil, catalog.UnknownHost(name, registry.RealNames())
		}
		e.views = append(e.views, &view{profile: p, as: name})
	}
	all, err := neutral.Scan(ctx)
	if err == nil {
		err = catalog.Parallel(len(e.views), func(i int) error { return e.read(e.views[i]) })
	}
	if err != nil {
		return nil, err
	}
	c := &Comparison{Hosts: hosts, views: e.views, copies: map[string][]string{}}
	sources := neutral.SourceOfTruth(all.All)
	for _, d := range all.All {
		if source := sources.Copies[d.Origin.Path]; source != "" && d.ReasonCode == diag.SyncCopy {
			c.copies[source] = append(c.copies[source], d.Origin.Real)
		}
	}
	return c, nil
}

// Of describes how Hosts[host] treats a definition. If that host does not load the file itself but
// reads a copy of it, Of describes how the host treats the copy.
func (c *Comparison) Of(d *definition.Definition, host int) Treatment {
	v := c.views[host]
	t := v.treatment(d.Origin.Real)
	for _, copied := range c.copies[d.Origin.Path] {
		if found := v.treatment(copied); t.State != definition.Loaded && !found.NotRead {
			t = found
		}
	}
	return t
}

func (v *view) treatment(real string) Treatment {
	d := v.definition(real)
	if d == nil || v.unread(d) {
		return Treatment{definition.Dropped, "the file is not read", true}
	}
	return Treatment{State: d.State, Reason: d.Reason}
}

// Loaders returns the names of the hosts that load a definition.
func (c *Comparison) Loaders(d *definition.Definition) []string {
	var names []string
	for i, name := range c.Hosts {
		if c.Of(d, i).State == definition.Loaded {
			names = append(names, name)
		}
	}
	return names
}
