package vade

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/listing"
)

// Listing is what a model sees of definitions before it loads one, as the view's
// host writes it: a line each, without the "- " that the host puts before it. An
// agent's description may have line breaks. The host's own skills and agents are
// not among them.
type Listing struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Skills are the lines of skills and commands, Agents those of agents.
	Skills []string `json:"skills"`
	Agents []string `json:"agents"`
	// Cut are the names of skills and commands whose description the host's
	// budget takes away or shortens.
	Cut []string `json:"cut"`
	// Skipped are the agents that were found and that the host does not list.
	Skipped     []Skipped    `json:"skipped"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Skipped is an agent that is not listed.
type Skipped struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Listing returns what a model sees in a session that has touched the files of
// [ClientOptions.Touched]. The neutral view lists everything in force, in full.
func (c *Catalog) Listing(ctx context.Context) (*Listing, error) {
	all, err := c.scan(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listing{
		Host: c.profile.Name, Version: c.profile.Version,
		Skills: []string{}, Agents: []string{}, Cut: []string{}, Skipped: []Skipped{}, Diagnostics: []Diagnostic{},
	}
	t := c.profile.Listing
	if t == nil {
		t = listing.Neutral()
	}
	w := lister{c: c, table: t, out: l, said: map[said]bool{}}
	w.collect(ctx, all.All)
	w.session(all.Get(Agent, c.options.Client.Agent))
	lines, cut := listing.Skills(t, w.skills, w.limits(ctx))
	l.Skills, l.Cut = append(l.Skills, lines...), append(l.Cut, cut...)
	l.Agents = append(l.Agents, listing.Agents(t, w.agents)...)
	w.report(c.diagnostics...)
	w.report(c.settings(ctx).Diagnostics...)
	return l, nil
}

// lister makes one listing.
type lister struct {
	c      *Catalog
	table  *host.Listing
	out    *Listing
	skills []listing.Entry
	agents []*definition.Definition
	said   map[said]bool
}

func (w *lister) collect(ctx context.Context, all []*definition.Definition) {
	overrides := w.c.settings(ctx).Overrides
	for _, d := range all {
		switch d.Kind {
		case definition.Agent:
			w.agent(d)
		case definition.Skill, definition.Command:
			at, active := w.c.activeAt(d)
			if w.listed(d) && active || w.c.profile.Listing == nil && d.State == definition.Loaded {
				nameOnly := d.Origin.Plugin == "" && overrides[d.Name] == host.OverrideNameOnly
				w.skills = append(w.skills, listing.Entry{Definition: d, ActiveAt: at, NameOnly: nameOnly})
			}
		}
	}
}

// listed reports whether the host lists a skill or command once it is available.
func (w *lister) listed(d *definition.Definition) bool {
	twin := w.table.Duplicates && d.State == definition.Shadowed && d.Origin.Nested == ""
	return (d.State == definition.Loaded || twin) && !d.Fields.DisableModelInvocation
}

func (w *lister) agent(d *definition.Definition) {
	switch d.State {
	case definition.Loaded:
		w.agents = append(w.agents, d)
	case definition.Dropped, definition.Disabled:
		w.out.Skipped = append(w.out.Skipped, Skipped{d.Name, d.Origin.Path, d.Reason})
		for _, x := range d.Diagnostics {
			if x.Severity > diag.Info {
				w.report(x)
			}
		}
	}
}

// session takes away what a session that runs as an agent has no tool for
// (Claude Code 2.1.329, case m55).
func (w *lister) session(agent *definition.Definition) {
	name := w.c.options.Client.Agent
	switch {
	case name == "" || w.c.profile.Listing == nil:
		return
	case agent == nil:
		if !slices.Contains(w.table.OwnAgents, name) {
			w.report(diag.For("", diag.AgentNotFound, "no agent is named %q; the session runs as it does without one", name).
				WithFix("see: vade list --kind agent"))
		}
		return
	}
	if !listing.Has(agent, w.table.SkillTool) {
		w.skills = nil
	}
	if !listing.Has(agent, w.table.AgentTools...) {
		w.agents = nil
	}
}

// limits are how much may be listed.
func (w *lister) limits(ctx context.Context) listing.Limits {
	if w.c.profile.Listing == nil {
		return listing.Limits{Total: math.MaxInt}
	}
	s := w.c.settings(ctx)
	b := &w.table.Budget
	replaced := 0
	if text := w.c.setting(ctx, b.Env); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			w.report(diag.For("", diag.FieldValue, "%s is %q, which is not a number above 0, and is ignored", b.Env, text).
				WithFix("set it to a number of characters, or to nothing"))
		} else {
			replaced = n
		}
	}
	return listing.Limits{
		Description: s.MaxDescription,
		Total:       listing.Total(b, w.c.options.Client.ContextTokens, s.BudgetFraction, replaced),
	}
}

// report adds diagnostics, each once.
func (w *lister) report(list ...Diagnostic) {
	for _, d := range list {
		k := said{d.Code, d.File, d.Line, d.Message}
		if !w.said[k] {
			w.said[k] = true
			w.out.Diagnostics = append(w.out.Diagnostics, d)
		}
	}
}

// said tells diagnostics apart.
type said struct {
	code    diag.Code
	file    string
	line    int
	message string
}
