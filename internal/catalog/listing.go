package catalog

import (
	"context"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/listing"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/settings"
)

// Listing is what a model learns about the definitions before it loads one, in the format of the
// view's host. An entry may contain line breaks and does not include the "- " that the host may put
// before it. Skills and Agents do not include the skills and agents that are built into the host.
type Listing struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Skills holds the entries for skills and commands, and Agents holds those for agents.
	Skills []string `json:"skills"`
	Agents []string `json:"agents"`
	// Text and AgentsText are the texts that the host builds from Skills and Agents. Known formats
	// are reproduced byte for byte. Each field is "" if the format is unknown or nothing is listed.
	Text       string `json:"text"`
	AgentsText string `json:"agentsText"`
	// Tools holds the parts of the host's tool definitions that depend on skills and agents, such
	// as a description or the names that a parameter accepts.
	Tools []string `json:"tools,omitempty"`
	// Cut lists the skills and commands whose description is incomplete, in the order of Skills.
	Cut []Cut `json:"cut"`
	// Skipped lists the definitions that the host finds but does not list. It does not include
	// shadowed definitions or additional paths to the same file (see [Query.All]). If the session
	// cannot list any definitions of a kind, Skipped omits the kind, and a diagnostic reports it
	// instead.
	Skipped     []Skipped         `json:"skipped"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Cut is a skill or command whose description is shortened or missing in the listing.
type Cut struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Reason is one of the Cut constants, or it names the length limit or setting that shortened or
	// removed the description.
	Reason string `json:"reason"`
}

// Reasons for a [Cut] that a larger budget would prevent.
const (
	CutDropped   = "the description was dropped to fit the listing budget"
	CutShortened = "the description was shortened to fit the listing budget"
	// CutOmitted means that the whole entry is omitted: it is in [Listing.Cut] but not in
	// [Listing.Skills].
	CutOmitted = "the entry was dropped to fit the listing budget"
)

// Skipped is a definition that a listing omits.
type Skipped struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	Path string          `json:"path"`
	// Reason explains why the definition is not listed, which field or setting
	// is responsible, and how to fix it.
	Reason string `json:"reason"`
}

// Listing returns what a model sees in a session that touched the files in [ClientOptions.Touched].
// The neutral view lists all active definitions in full. In a host's view, a definition below the
// working directory is listed only after the session touches a file there. With [Options.Nested],
// Skipped includes the definitions that are not listed yet.
func (c *Catalog) Listing(ctx context.Context) (*Listing, error) {
	_, l, err := c.ListingLines(ctx)
	return l, err
}

// ListingLines returns the listing and its entries, keyed by [ListingKey].
func (c *Catalog) ListingLines(ctx context.Context) (lines map[string]string, l *Listing, err error) {
	return c.ListingWith(ctx, ListingOptions{Agent: c.Options.Client.Agent})
}

// ListingOptions overrides settings of the session.
type ListingOptions struct {
	// Agent is the agent that the session runs as. Budget, if positive, replaces the host's budget.
	Agent  string
	Budget int
}

// ListingWith is like [Catalog.ListingLines] but takes options.
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
	w := lister{options: o, c: c, ctx: ctx, all: all, table: t, settings: c.Settings(ctx), out: l,
		reported: map[DiagnosticKey]bool{}}
	w.firstCommands(all.All)
	w.collect(all.All)
	w.places(all.All)
	w.addBuiltins(all.All)
	w.session(all.Get(definition.Agent, o.Agent))
	w.checkTouched()
	lines = map[string]string{}
	skills := listing.Skills(t, w.skills, w.limits())
	var skillNames, agentNames []string
	for _, x := range skills.Lines {
		skillNames = append(skillNames, x.Definition.Name)
		l.Skills = append(l.Skills, x.Text)
		lines[ListingKey(x.Definition)] = x.Text
	}
	for _, x := range skills.Cut {
		l.Cut = append(l.Cut, w.cutReason(x))
	}
	for _, x := range listing.Agents(t, w.agents) {
		agentNames = append(agentNames, listing.AgentName(t, x.Definition))
		l.Agents = append(l.Agents, x.Text)
		lines[ListingKey(x.Definition)] = x.Text
	}
	l.Text = skills.Text
	if t.AgentFrame != nil && len(l.Agents) > 0 {
		l.AgentsText = t.AgentFrame(l.Agents)
	}
	if t.Tools != nil {
		l.Tools = t.Tools(skillNames, agentNames)
	}
	w.report(c.ScanDiagnostics...)
	w.report(w.settings.Diagnostics...)
	return lines, l, nil
}

// ListingKey returns a key that identifies a definition by its path, kind and name. A file may
// contain several definitions, but not two of the same kind and name.
func ListingKey(d *definition.Definition) string {
	return d.Origin.Path + " " + d.Kind.String() + " " + d.Name
}

// lister builds one listing.
type lister struct {
	options  ListingOptions
	c        *Catalog
	ctx      context.Context
	table    *host.Listing
	all      *resolve.Catalog
	settings *settings.Settings
	out      *Listing
	skills   []listing.Entry
	agents   []*definition.Definition
	// first maps each command directory in a plugin to its first file.
	first map[string]string
	// hasAgents is set if any agents are active, even if the host does not list them.
	hasAgents bool
	reported  map[DiagnosticKey]bool
}

func (w *lister) firstCommands(all []*definition.Definition) {
	w.first = map[string]string{}
	for _, d := range all {
		dir := w.commandDir(d)
		if dir == "" {
			continue
		}
		if first, ok := w.first[dir]; !ok || w.table.Compare != nil && w.table.Compare(d.Origin.Path, first) < 0 {
			w.first[dir] = d.Origin.Path
		}
	}
}

// commandDir returns the directory of a plugin's command file, or "" for any other file.
func (w *lister) commandDir(d *definition.Definition) string {
	if d.Origin.Plugin == "" || w.c.Profile.Roots[d.Origin.Row].Component != "commands" {
		return ""
	}
	return path.Dir(d.Origin.Path)
}

func (w *lister) collect(all []*definition.Definition) {
	for _, d := range all {
		switch d.Kind {
		case definition.Agent:
			w.agent(d)
		case definition.Skill, definition.Command, definition.Workflow:
			w.skill(d)
		}
	}
}

// places records, for each entry, which definitions the listed one replaces. It does nothing unless
// the host lists a definition at the position of the one that it replaces.
func (w *lister) places(all []*definition.Definition) {
	if !w.table.KeepsPlace {
		return
	}
	replaced := map[*definition.Definition][]*definition.Definition{}
	for _, d := range all {
		if d.ReplacedBy != nil {
			replaced[d.ReplacedBy] = append(replaced[d.ReplacedBy], d)
		}
	}
	for i := range w.skills {
		w.skills[i].Replaced = replaced[w.skills[i].Definition]
	}
}

func (w *lister) skill(d *definition.Definition) {
	duplicate := w.isUncovered(d) || w.table.Duplicates && d.State == definition.Shadowed && d.Origin.Nested == ""
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
	e := listing.Entry{Definition: d, First: w.first[w.commandDir(d)], ActiveAt: at,
		NameOnly: w.override(d) == host.OverrideNameOnly}
	if w.table.Line != nil {
		e.Path, e.Root = Absolute(w.c.Quick.Project, d.Origin.Path), Absolute(w.c.Quick.Project, d.Origin.Root)
		if rel, ok := strings.CutPrefix(e.Path, e.Root+"/"); ok && w.table.Alias != nil {
			e.Root = w.realDir(d.Origin.Root, e.Root)
			e.Path = e.Root + "/" + rel
		}
		if w.table.RealPaths && d.Origin.Real != "" {
			e.Path = d.Origin.Real
		}
	}
	w.skills = append(w.skills, e)
}

// realDir returns the absolute path of a root, with symlinks resolved if possible.
func (w *lister) realDir(shown, fallback string) string {
	tree, name := w.c.Quick.Shown(shown)
	if tree == nil {
		return fallback
	}
	in, rel, err := tree.Resolve(name)
	if err != nil {
		return fallback
	}
	return in.RealPath(rel)
}

// addBuiltins adds the skills that are built into the host, unless they were found on disk.
func (w *lister) addBuiltins(all []*definition.Definition) {
	isBundled := func(d *definition.Definition) bool {
		return d.Origin.Layer == definition.Bundled && !w.c.ComesWithVade(d)
	}
	at := slices.IndexFunc(w.c.Quick.Places, func(p discover.Place) bool {
		return p.Root.Layer == definition.Bundled && p.Root.Base == host.InHome
	})
	if at < 0 || slices.ContainsFunc(all, isBundled) {
		return
	}
	place := &w.c.Quick.Places[at]
	root := place.Tree.Path(place.Dir)
	for _, builtin := range w.table.Own {
		d := &definition.Definition{Kind: definition.Skill, Name: builtin.Name, Description: builtin.Description}
		d.Origin = definition.Origin{Layer: definition.Bundled, Row: int16(place.Row), Root: root, Path: root + "/" + builtin.Name + "/SKILL.md"}
		w.skills = append(w.skills, listing.Entry{Definition: d, Path: d.Origin.Path, Root: root, Own: true})
	}
}

// isUncovered reports whether the host lists a skill although a plugin's command shadows it. This
// is the case if the host does not list the command (Claude Code 2.1.330).
func (w *lister) isUncovered(d *definition.Definition) bool {
	by := d.ReplacedBy
	return by != nil && d.State == definition.Shadowed && by.Kind == definition.Command &&
		d.Kind == definition.Skill && w.undescribed(by)
}

// activeAt is like [Catalog.activeAt], but ignores a definition's paths if touching a matching file
// does not activate definitions in this host.
func (w *lister) activeAt(d *definition.Definition) (at int, ok bool) {
	if !w.table.Paths && d.Origin.Nested == "" {
		return 0, true
	}
	return w.c.activeAt(d)
}

func (w *lister) agent(d *definition.Definition) {
	switch why := w.whyNestedUnlisted(d); {
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

// session adapts the listing to the session. If the session runs as an agent, session removes each
// kind of definition that the agent cannot load because it does not have the required tool (Claude
// Code 2.1.329, case m55). It also reports host versions that do not list agents.
func (w *lister) session(agent *definition.Definition) {
	if w.table.Agent == nil && w.hasAgents {
		w.report(diag.For("", diag.NotListed, "%s %s does not list agents in its messages", w.out.Host, w.out.Version).
			WithFix("to list the agents that it loads, run: vade list --kind agent --host %s@%s", w.out.Host, w.out.Version))
	}
	name := w.options.Agent
	switch {
	case name == "" || w.c.Profile.Listing == nil:
		return
	case agent == nil:
		if !slices.Contains(w.table.OwnAgents, name) {
			w.report(diag.For("", diag.AgentNotFound, "unknown agent %q; the session runs without an agent", name).
				WithFix("to list agents, run: vade list --kind agent --host %s", w.out.Host))
		}
		return
	}
	if w.table.SkillTool == "" {
		return
	}
	if !listing.HasTool(agent, w.table.SkillTool) {
		w.skills = nil
		w.omitWithoutTool(agent, w.table.SkillTool, "skills and commands", definition.Skill, definition.Command, definition.Workflow)
	}
	if !listing.HasTool(agent, w.table.AgentTools...) {
		w.agents = nil
		w.omitWithoutTool(agent, w.table.AgentTools[0], "agents", definition.Agent)
	}
}

// omitWithoutTool reports that the listing omits the given kinds because the agent lacks the tool
// that they require. It removes the individual entries for these kinds from Skipped.
func (w *lister) omitWithoutTool(agent *definition.Definition, tool, noun string, kinds ...definition.Kind) {
	w.out.Skipped = slices.DeleteFunc(w.out.Skipped, func(s Skipped) bool { return slices.Contains(kinds, s.Kind) })
	if slices.Contains(kinds, definition.Agent) && w.table.Agent == nil {
		return
	}
	fix := "add %s to its tools"
	if slices.Contains(agent.Fields.DisallowedTools(), tool) {
		fix = "remove %s from its disallowed tools"
	}
	w.report(diag.For(agent.Origin.Path, diag.NotListed, "%s does not have the %s tool, so its listing omits %s", agent.Name, tool, noun).
		WithFix(fix, tool))
}

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
			w.report(diag.For("", diag.FieldValue, "ignored %s: %q is not a positive number", b.Env, text).
				WithFix("set it to a number of characters, or unset it"))
		} else {
			replaced = n
		}
	}
	return listing.Limits{
		Description: s.MaxDescription,
		Total:       listing.Total(b, w.c.Options.Client.ContextTokens, s.BudgetFraction, replaced),
	}
}

// report adds diagnostics without duplicates.
func (w *lister) report(list ...diag.Diagnostic) {
	for _, d := range list {
		k := DiagnosticKey{d.Code, d.File, d.Line, d.Message}
		if !w.reported[k] {
			w.reported[k] = true
			w.out.Diagnostics = append(w.out.Diagnostics, d)
		}
	}
}

// DiagnosticKey identifies a diagnostic.
type DiagnosticKey struct {
	Code    diag.Code
	File    string
	Line    int
	Message string
}
