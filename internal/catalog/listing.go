package catalog

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/listing"
	"github.com/vadehq/vade/internal/settings"
)

// Listing is what a model sees of definitions before it loads one, as the view's
// host writes it: an entry each, without the "- " that the host may put before it.
// An entry may have line breaks. The host's own skills and agents are not among
// them.
type Listing struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Skills are the entries of skills and commands, Agents those of agents.
	Skills []string `json:"skills"`
	Agents []string `json:"agents"`
	// Text is what the host makes of Skills, AgentsText of Agents, byte for byte
	// as far as it is known: "" where it is not, or nothing is listed.
	Text       string `json:"text"`
	AgentsText string `json:"agentsText"`
	// Cut are the skills and commands whose description is not whole, in the
	// order of Skills.
	Cut []Cut `json:"cut"`
	// Skipped are the definitions that were found and that the host does not
	// list. Shadowed ones, and further paths to one file, are not among them
	// (see [Query.All]), nor what a session lists none of: a diagnostic says
	// that.
	Skipped     []Skipped         `json:"skipped"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Cut is a skill or command that is listed without its description, or with a
// part of it.
type Cut struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Reason is CutDropped or CutShortened, or says how long a description may
	// be, or which setting takes it away.
	Reason string `json:"reason"`
}

// The reasons of a [Cut] that more room would fix.
const (
	CutDropped   = "the budget took the description away"
	CutShortened = "the budget shortened the description"
	// CutOmitted: it is among [Listing.Cut], and not among [Listing.Skills].
	CutOmitted = "the budget took the whole entry away"
)

// Skipped is a definition that is not listed.
type Skipped struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	Path string          `json:"path"`
	// Reason says why, with the field or the setting that decides it, and what
	// to do.
	Reason string `json:"reason"`
}

// Listing returns what a model sees in a session that has touched the files of
// [ClientOptions.Touched]. The neutral view lists everything in force, in full. A
// host lists what stands below the working directory once a file there is
// touched, and not before: [Options.Nested] names it among Skipped.
func (c *Catalog) Listing(ctx context.Context) (*Listing, error) {
	_, l, err := c.ListingLines(ctx)
	return l, err
}

// ListingLines returns the listing, and the entries in it by the keys of their
// definitions; see listingKey.
func (c *Catalog) ListingLines(ctx context.Context) (lines map[string]string, l *Listing, err error) {
	return c.ListingWith(ctx, ListingOptions{Agent: c.Options.Client.Agent})
}

// ListingWay is a listing that is not the session's own.
type ListingOptions struct {
	// Agent is the agent that the session runs as, budget the length that takes the
	// place of the host's, 0 for none.
	Agent  string
	Budget int
}

func (c *Catalog) ListingWith(ctx context.Context, o ListingOptions) (lines map[string]string, l *Listing, err error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, nil, err
	}
	l = &Listing{
		Host: c.Profile.Name, Version: c.Profile.Version,
		Skills: []string{}, Agents: []string{}, Cut: []Cut{}, Skipped: []Skipped{}, Diagnostics: []diag.Diagnostic{},
	}
	t := c.Profile.Listing
	if t == nil {
		t = listing.Neutral()
	}
	w := lister{options: o, c: c, ctx: ctx, table: t, settings: c.Settings(ctx), out: l, reported: map[DiagnosticKey]bool{}}
	w.collect(all.All)
	w.session(all.Get(definition.Agent, o.Agent))
	w.checkTouched()
	lines = map[string]string{}
	skills := listing.Skills(t, w.skills, w.limits())
	for _, x := range skills.Lines {
		l.Skills = append(l.Skills, x.Text)
		lines[ListingKey(x.Definition)] = x.Text
	}
	for _, x := range skills.Cut {
		l.Cut = append(l.Cut, w.cut(x))
	}
	for _, x := range listing.Agents(t, w.agents) {
		l.Agents = append(l.Agents, x.Text)
		lines[ListingKey(x.Definition)] = x.Text
	}
	l.Text = skills.Text
	if t.AgentFrame != nil && len(l.Agents) > 0 {
		l.AgentsText = t.AgentFrame(l.Agents)
	}
	w.report(c.ScanDiagnostics...)
	w.report(w.settings.Diagnostics...)
	return lines, l, nil
}

// ListingKey tells definitions apart: what stands in one file has one name in each
// kind.
func ListingKey(d *definition.Definition) string {
	return d.Origin.Path + " " + d.Kind.String() + " " + d.Name
}

// lister makes one listing.
type lister struct {
	options  ListingOptions
	c        *Catalog
	ctx      context.Context
	table    *host.Listing
	settings *settings.Settings
	out      *Listing
	skills   []listing.Entry
	agents   []*definition.Definition
	// hasAgents: some are in force, whether or not the host lists any.
	hasAgents bool
	reported  map[DiagnosticKey]bool
}

func (w *lister) collect(all []*definition.Definition) {
	for _, d := range all {
		switch d.Kind {
		case definition.Agent:
			w.agent(d)
		case definition.Skill, definition.Command:
			w.skill(d)
		}
	}
}

func (w *lister) skill(d *definition.Definition) {
	duplicate := w.table.Duplicates && d.State == definition.Shadowed && d.Origin.Nested == ""
	if d.State != definition.Loaded && !duplicate {
		w.skipInactive(d)
		return
	}
	at, active := w.activeAt(d)
	if why := w.whyUnlisted(d, active); why != "" {
		if !duplicate {
			w.skip(d, why)
		}
		return
	}
	e := listing.Entry{Definition: d, ActiveAt: at, NameOnly: w.override(d) == host.OverrideNameOnly}
	if w.table.Line != nil {
		e.Path, e.Root = Absolute(w.c.Quick.Project, d.Origin.Path), Absolute(w.c.Quick.Project, d.Origin.Root)
		if w.table.RealPaths && d.Origin.Real != "" {
			e.Path = d.Origin.Real
		}
	}
	w.skills = append(w.skills, e)
}

// activeAt is that of the catalog, for hosts whose definitions wait for files.
func (w *lister) activeAt(d *definition.Definition) (at int, ok bool) {
	if !w.table.Paths && d.Origin.Nested == "" {
		return 0, true
	}
	return w.c.activeAt(d)
}

func (w *lister) agent(d *definition.Definition) {
	switch why := w.whyNotBelow(d); {
	case d.State != definition.Loaded:
		w.skipInactive(d)
	case why != "":
		w.skip(d, why)
	case w.table.Agent == nil:
		w.hasAgents = true
	default:
		if why := w.agentHidden(d); why != "" {
			w.skip(d, why)
			return
		}
		w.agents = append(w.agents, d)
	}
}

// session takes away what the host's version has not in its messages, and what a
// session that runs as an agent has no tool for (Claude Code 2.1.329, case m55).
func (w *lister) session(agent *definition.Definition) {
	if w.table.Agent == nil && w.hasAgents {
		w.report(diag.For("", diag.NotListed, "%s %s lists no agents in its messages", w.out.Host, w.out.Version).
			WithFix("see those that it loads: vade list --kind agent --as %s@%s", w.out.Host, w.out.Version))
	}
	name := w.options.Agent
	switch {
	case name == "" || w.c.Profile.Listing == nil:
		return
	case agent == nil:
		if !slices.Contains(w.table.OwnAgents, name) {
			w.report(diag.For("", diag.AgentNotFound, "no agent is named %q; the session runs as it does without one", name).
				WithFix("see: vade list --kind agent --as %s", w.out.Host))
		}
		return
	}
	if w.table.SkillTool == "" {
		return
	}
	if !listing.HasTool(agent, w.table.SkillTool) {
		w.skills = nil
		w.withoutTool(agent, w.table.SkillTool, "skills and commands", definition.Skill, definition.Command)
	}
	if !listing.HasTool(agent, w.table.AgentTools...) {
		w.agents = nil
		w.withoutTool(agent, w.table.AgentTools[0], "agents", definition.Agent)
	}
}

// without says that an agent has not the tool for some kinds. Why one of them
// would not be listed does not matter then.
func (w *lister) withoutTool(agent *definition.Definition, tool, what string, kinds ...definition.Kind) {
	w.out.Skipped = slices.DeleteFunc(w.out.Skipped, func(s Skipped) bool { return slices.Contains(kinds, s.Kind) })
	if slices.Contains(kinds, definition.Agent) && w.table.Agent == nil {
		return
	}
	w.report(diag.For(agent.Origin.Path, diag.NotListed, "%s has no %s tool: no %s are listed to it", agent.Name, tool, what).
		WithFix("add %s to its tools", tool))
}

// limits are how much may be listed.
func (w *lister) limits() listing.Limits {
	if w.c.Profile.Listing == nil {
		return listing.Limits{Total: math.MaxInt}
	}
	s := w.settings
	b := &w.table.Budget
	replaced, text := w.options.Budget, ""
	if b.Env != "" && replaced == 0 {
		text = w.c.setting(w.ctx, b.Env)
	}
	if text != "" {
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
		Total:       listing.Total(b, w.c.Options.Client.ContextTokens, s.BudgetFraction, replaced),
	}
}

// report adds diagnostics, each once.
func (w *lister) report(list ...diag.Diagnostic) {
	for _, d := range list {
		k := DiagnosticKey{d.Code, d.File, d.Line, d.Message}
		if !w.reported[k] {
			w.reported[k] = true
			w.out.Diagnostics = append(w.out.Diagnostics, d)
		}
	}
}

// Said tells diagnostics apart.
type DiagnosticKey struct {
	Code    diag.Code
	File    string
	Line    int
	Message string
}
