package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/transcript"
)

// statsFlags holds the flags for vade stats.
type statsFlags struct {
	hosts       []string
	transcripts []string
	sort        string
	since       time.Time
	unused      bool
}

// statistics is what vade stats prints. Its JSON form is stable.
type statistics struct {
	Hosts       []hostStatistics       `json:"hosts"`
	Definitions []definitionStatistics `json:"definitions"`
	Diagnostics []diag.Diagnostic      `json:"diagnostics"`
}

type hostStatistics struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Listed counts the listed definitions. ListingTokens estimates the tokens
	// in the whole listing.
	Listed        int           `json:"listed"`
	ListingTokens int           `json:"listingTokens"`
	Cut           []catalog.Cut `json:"cut"`
	// Transcripts is nil if transcripts were not read.
	Transcripts *transcriptStatistics `json:"transcripts,omitempty"`

	sessions *hosts.Sessions
	usage    *transcript.Usage
}

type transcriptStatistics struct {
	Sessions int   `json:"sessions"`
	Here     int   `json:"here"`
	Bytes    int64 `json:"bytes"`
}

type definitionStatistics struct {
	Kind  definition.Kind  `json:"kind"`
	Name  string           `json:"name"`
	Layer definition.Layer `json:"layer"`
	Path  string           `json:"path"`
	// Tokens estimates the file's tokens.
	Tokens int       `json:"tokens"`
	Hosts  []hostUse `json:"hosts"`
	uses
}

// hostUse describes how one host uses a definition.
type hostUse struct {
	Host string `json:"host"`
	Name string `json:"name"`
	// ListingTokens is 0 if the host does not list the definition. Cut says why
	// the description is shortened or missing.
	ListingTokens int    `json:"listingTokens"`
	Cut           string `json:"cut,omitempty"`
	uses
}

// uses holds counts from transcripts. A count is nil if the transcripts do not
// contain it or were not read.
type uses struct {
	Offered  *int       `json:"offered"`
	Invoked  *int       `json:"invoked"`
	LastUsed *time.Time `json:"lastUsed,omitempty"`
}

func (u *uses) add(other uses) {
	for _, n := range []struct {
		to   **int
		from *int
	}{{&u.Offered, other.Offered}, {&u.Invoked, other.Invoked}} {
		if n.from != nil {
			sum := *n.from
			if *n.to != nil {
				sum += **n.to
			}
			*n.to = &sum
		}
	}
	if last := other.LastUsed; last != nil && (u.LastUsed == nil || last.After(*u.LastUsed)) {
		u.LastUsed = last
	}
}

// statsOrders maps each --sort value to the function that compares definitions.
var statsOrders = []struct {
	name string
	by   func(a, b *definitionStatistics) int
}{
	{"invoked", func(a, b *definitionStatistics) int { return cmp.Compare(count(b.Invoked), count(a.Invoked)) }},
	{"offered", func(a, b *definitionStatistics) int { return cmp.Compare(count(b.Offered), count(a.Offered)) }},
	{"last-used", func(a, b *definitionStatistics) int { return lastUsed(b).Compare(lastUsed(a)) }},
	{"tokens", func(a, b *definitionStatistics) int { return cmp.Compare(b.Tokens, a.Tokens) }},
	{"listing", func(a, b *definitionStatistics) int {
		x, _ := a.listing()
		y, _ := b.listing()
		return cmp.Compare(y, x)
	}},
	{"name", func(a, b *definitionStatistics) int { return 0 }},
}

// count returns -1 for an unknown count.
func count(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

func lastUsed(d *definitionStatistics) time.Time {
	if d.LastUsed == nil {
		return time.Time{}
	}
	return *d.LastUsed
}

// listing returns the definition's highest token count in any host's listing,
// and the first host with that count.
func (d *definitionStatistics) listing() (most int, host string) {
	for _, h := range d.Hosts {
		if h.ListingTokens > most {
			most, host = h.ListingTokens, h.Host
		}
	}
	return most, host
}

func (a *app) stats() *cobra.Command {
	sources := registry.With(hosts.HasSessions)
	f := statsFlags{sort: statsOrders[0].name, transcripts: sources}
	var orders []string
	for _, o := range statsOrders {
		orders = append(orders, o.name)
	}
	c := &cobra.Command{
		Use: "stats", Short: "Show token costs and how often definitions are used",
		Long: `Show, for each active skill, command and agent: the tokens of its file and of its
entry in each host's listing, and how many sessions offered it to a model, how often
it was invoked, and when last. The last lines show what each host's budget drops.

Uses are counted in the sessions that hosts record in your home directory. Everything
stays on this machine: Vade does not send or store any of it, and extracts only
counts, times and definition names. Sessions in other projects count only for
definitions outside the project. With --transcripts none, Vade does not read sessions.

Hosts record different things: "?" means that they do not record it (see: vade
docs stats). Hosts are chosen as in vade list.

--json prints {"hosts": [{"host", "version", "listed", "listingTokens", "cut",
"transcripts": {"sessions", "here", "bytes"}}…], "definitions": [{"kind", "name",
"layer", "path", "tokens", "hosts": [{"host", "name", "listingTokens", "cut",
"offered", "invoked", "lastUsed"}…], "offered", "invoked", "lastUsed"}…],
"diagnostics"}. Unknown counts are null.`,
		Example: `  vade stats
  vade stats --host claude-code --since 30d
  vade stats --unused --sort tokens    what costs most without being used
  vade stats --transcripts none        token costs only
  vade stats --json | jq '.definitions[] | select(.invoked == 0) | .name'`,
		Args: checkArgs("see: vade stats --help"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runStats(c.Context(), &f) },
	}
	flags := c.Flags()
	hostsFlag(c, &f.hosts, "show only `HOST` (may be repeated; see: vade help hosts)", hostNames)
	flags.Func("transcripts", "read only the sessions of the hosts in `LIST`: "+strings.Join(sources, ",")+"; or none", func(text string) error {
		f.transcripts = []string{}
		for word := range strings.SplitSeq(text, ",") {
			if word == "none" && text == word {
				break
			}
			name, err := hostNamed("--transcripts", word, sources)
			if err != nil {
				return err
			}
			f.transcripts = append(f.transcripts, name)
		}
		return nil
	})
	choiceFlag(c, &f.sort, "sort", "sort by `KEY`", orders...)
	flags.Func("since", "ignore sessions before `TIME`: a date such as 2026-01-31, or an age such as 30d, 2w or 12h", func(text string) (err error) {
		f.since, err = parseSince(text, time.Now())
		return err
	})
	flags.BoolVar(&f.unused, "unused", false, "show only definitions that were never invoked")
	completeFlag(c, "transcripts", append(sources, "none")...)
	return c
}

// parseSince parses a date, or an age in hours, days or weeks.
func parseSince(text string, now time.Time) (time.Time, error) {
	if date, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return date, nil
	}
	if text != "" {
		n, err := strconv.Atoi(text[:len(text)-1])
		if hours := map[byte]int{'h': 1, 'd': 24, 'w': 7 * 24}[text[len(text)-1]]; err == nil && n > 0 && n < 100_000 && hours > 0 {
			return now.Add(-time.Duration(n*hours) * time.Hour), nil
		}
	}
	return time.Time{}, errors.New("use a date such as 2026-01-31, or an age such as 30d, 2w or 12h")
}

func (a *app) runStats(ctx context.Context, f *statsFlags) error {
	options, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	names := f.hosts
	if len(names) == 0 {
		cat, err := catalog.Open(ctx, options)
		if err != nil {
			return err
		}
		inUse, err := cat.HostsInUse(ctx)
		cat.Close()
		if err != nil {
			return err
		}
		for _, h := range inUse {
			names = append(names, h.Host)
		}
	}
	progress := a.stderr().StartProgress("reading sessions")
	defer progress.Done()
	s := statistics{Definitions: []definitionStatistics{}, Diagnostics: []diag.Diagnostic{}}
	for _, name := range names {
		options.As = name
		if err := s.addHost(ctx, options, f, progress); err != nil {
			return err
		}
	}
	progress.Done()
	s.sort(f)
	if a.json {
		return a.printJSON(s)
	}
	return a.paged(ctx, func() error { return a.printStats(&s, f) })
}

// addHost adds what one host loads and what its sessions used.
func (s *statistics) addHost(ctx context.Context, o catalog.Options, f *statsFlags, progress *terminal.Progress) error {
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return err
	}
	defer cat.Close()
	lines, l, err := cat.ListingLines(ctx)
	if err != nil {
		return err
	}
	all, err := cat.Scan(ctx)
	if err != nil {
		return err
	}
	h := hostStatistics{
		Host: l.Host, Version: l.Version, Listed: len(lines), Cut: l.Cut,
		ListingTokens: tokens.Estimate(cmp.Or(l.Text, strings.Join(l.Skills, "\n"))) + tokens.Estimate(cmp.Or(l.AgentsText, strings.Join(l.Agents, "\n"))),
	}
	if at := cat.Profile.Sessions; at != nil && slices.Contains(f.transcripts, l.Host) {
		home, _ := os.UserHomeDir()
		c := transcript.CountOptions{Home: home, Getenv: o.Getenv, Since: f.since, Step: progress.Step}
		if p := cat.Quick.Project; p != nil {
			c.Project = p.Real()
		}
		if h.usage, err = transcript.Count(ctx, at, c); err != nil {
			return err
		}
		h.sessions = at
		h.Transcripts = &transcriptStatistics{h.usage.Sessions, h.usage.Here, h.usage.Bytes}
		s.Diagnostics = append(s.Diagnostics, h.usage.Diagnostics...)
	}
	for _, d := range all.All {
		if d.State == definition.Loaded && slices.Contains([]definition.Kind{definition.Skill, definition.Command, definition.Agent}, d.Kind) {
			s.addDefinition(d, h.use(d, lines[catalog.ListingKey(d)]))
		}
	}
	s.Hosts = append(s.Hosts, h)
	return nil
}

// use returns how a host uses a definition.
func (h *hostStatistics) use(d *definition.Definition, line string) hostUse {
	u := hostUse{Host: h.Host, Name: d.Name, ListingTokens: tokens.Estimate(line)}
	if i := slices.IndexFunc(h.Cut, func(c catalog.Cut) bool { return c.Name == d.Name && c.Path == d.Origin.Path }); i >= 0 {
		u.Cut = h.Cut[i].Reason
	}
	if h.usage == nil {
		return u
	}
	isAgent := d.Kind == definition.Agent
	var offered, invoked int
	var last time.Time
	for _, name := range append([]string{d.Name}, d.Aliases...) {
		for _, here := range []bool{true, false} {
			if !here && d.Origin.Layer == definition.Project {
				continue
			}
			n := h.usage.Used[transcript.Used{Agent: isAgent, Name: name, Here: here}]
			offered, invoked = offered+n.Offered, invoked+n.Invoked
			if n.Last.After(last) {
				last = n.Last
			}
		}
	}
	if isAgent && h.usage.OffersAgents || !isAgent && h.usage.OffersSkills {
		u.Offered = &offered
	}
	if h.usage.Sessions > 0 && !(h.sessions.NoCommands && d.Kind == definition.Command) {
		u.Invoked = &invoked
	}
	if !last.IsZero() {
		u.LastUsed = &last
	}
	return u
}

// addDefinition records that one host loads a definition. Hosts may name the
// same file differently.
func (s *statistics) addDefinition(d *definition.Definition, use hostUse) {
	i := slices.IndexFunc(s.Definitions, func(x definitionStatistics) bool {
		return x.Path == d.Origin.Path && x.Kind == d.Kind && (x.Name == d.Name || x.Hosts[0].Host != use.Host)
	})
	if i < 0 {
		i = len(s.Definitions)
		s.Definitions = append(s.Definitions, definitionStatistics{
			Kind: d.Kind, Name: d.Name, Layer: d.Origin.Layer, Path: d.Origin.Path, Tokens: int(d.Tokens),
		})
	}
	x := &s.Definitions[i]
	x.Hosts = append(x.Hosts, use)
	x.uses.add(use.uses)
}

func (s *statistics) sort(f *statsFlags) {
	if f.unused {
		s.Definitions = slices.DeleteFunc(s.Definitions, func(d definitionStatistics) bool { return d.Invoked == nil || *d.Invoked > 0 })
	}
	for _, o := range statsOrders {
		if o.name == f.sort {
			slices.SortStableFunc(s.Definitions, func(a, b definitionStatistics) int {
				return cmp.Or(o.by(&a, &b), strings.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Path, b.Path))
			})
		}
	}
}

// maxStatsHosts limits how many hosts get their own column.
const maxStatsHosts = 4

func (a *app) printStats(s *statistics, f *statsFlags) error {
	out := a.stdout()
	t := terminal.Table{Columns: []terminal.Column{{Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "TOKENS", Right: true}}}
	columns := len(s.Hosts) <= maxStatsHosts
	if !columns {
		t.Columns = append(t.Columns, terminal.Column{Title: "LISTING", Right: true}, terminal.Column{Title: "OF"})
	}
	for _, h := range s.Hosts[:min(len(s.Hosts), maxStatsHosts)] {
		if columns {
			t.Columns = append(t.Columns, terminal.Column{Title: strings.ToUpper(h.Host), Right: true})
		}
	}
	read := slices.ContainsFunc(s.Hosts, func(h hostStatistics) bool { return h.Transcripts != nil })
	if read {
		t.Columns = append(t.Columns, terminal.Column{Title: "OFFERED", Right: true}, terminal.Column{Title: "INVOKED", Right: true}, terminal.Column{Title: "LAST USED"})
	}
	t.Columns = append(t.Columns, terminal.Column{Title: "FILE", Style: terminal.Dim, Flexible: true})
	for i := range s.Definitions {
		d := &s.Definitions[i]
		cells := []any{d.Kind, d.Name, d.Tokens}
		if !columns {
			n, host := d.listing()
			cells = append(cells, n, host)
		} else {
			for _, h := range s.Hosts {
				cells = append(cells, d.in(h.Host))
			}
		}
		if read {
			last := ""
			if d.LastUsed != nil {
				last = d.LastUsed.Local().Format(time.DateOnly)
			}
			cells = append(cells, known(d.Offered), known(d.Invoked), last)
		}
		t.Row(append(cells, d.Path)...)
	}
	if err := t.Print(out); err != nil {
		return err
	}
	for i := range s.Hosts {
		s.Hosts[i].print(out)
	}
	if unused := len(slices.DeleteFunc(slices.Clone(s.Definitions), func(d definitionStatistics) bool { return d.Invoked == nil || *d.Invoked > 0 })); unused > 0 && !f.unused {
		out.Line(terminal.Dim, "%s never invoked; list them with: vade stats --unused", plural(unused, "definition"))
	}
	return a.printProblems(s.Diagnostics)
}

// in returns a host's cell: the tokens in its listing, or "-".
func (d *definitionStatistics) in(host string) terminal.Cell {
	i := slices.IndexFunc(d.Hosts, func(h hostUse) bool { return h.Host == host })
	switch {
	case i < 0 || d.Hosts[i].ListingTokens == 0 && d.Hosts[i].Cut == "":
		return terminal.Cell{Text: "-", Style: terminal.Dim}
	case d.Hosts[i].Cut != "":
		return terminal.Cell{Text: "cut " + strconv.Itoa(d.Hosts[i].ListingTokens), Style: terminal.Yellow}
	}
	return terminal.Text(strconv.Itoa(d.Hosts[i].ListingTokens))
}

// known formats a count, or returns "?" if it is nil.
func known(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}

// print prints a host's listing, what was dropped to fit the budget, and its
// sessions.
func (h *hostStatistics) print(out *terminal.Writer) {
	line := fmt.Sprintf("%s %s: %d listed, %s", h.Host, h.Version, h.Listed, plural(h.ListingTokens, "token"))
	if t := h.Transcripts; t != nil {
		line += fmt.Sprintf("; %s, %d in this project", plural(t.Sessions, "session"), t.Here)
	}
	out.Line(terminal.Dim, "%s", line)
	for i, c := range h.Cut {
		if i == maxCut {
			out.Line(terminal.Plain, "  and %d more; list them with --json", len(h.Cut)-maxCut)
			break
		}
		out.Line(terminal.Plain, "  cut: %s (%s): %s", c.Name, c.Path, c.Reason)
	}
}
