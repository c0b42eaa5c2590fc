package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/stats"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) stats() *cobra.Command {
	sources := registry.With(hosts.HasSessions)
	o := stats.Options{Sort: stats.Orders()[0], Transcripts: sources}
	c := &cobra.Command{
		Use: "stats", Short: "Show token costs and how often definitions are used",
		Long: `Show how many tokens each active skill, command and agent takes, in its file and in each
host's listing, and how often it was used. "?" marks a value that a host does not record.

Uses are counted in the sessions that hosts store in your home directory. Vade extracts
only counts, times and definition names, and does not send or store any of it. For the
columns and the sessions that are read, run: vade help stats.

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
		RunE: func(c *cobra.Command, _ []string) error { return a.runStats(c.Context(), o) },
	}
	flags := c.Flags()
	hostsFlag(c, &o.Hosts, "show only `HOST` (may be repeated; see: vade help hosts)", registry.RealNames)
	flags.Func("transcripts", "read only the sessions of the hosts in `LIST`: "+strings.Join(sources, ",")+"; or none", func(text string) error {
		o.Transcripts = []string{}
		for word := range strings.SplitSeq(text, ",") {
			if word == "none" && text == word {
				break
			}
			name, err := hostNamed("--transcripts", word, sources)
			if err != nil {
				return err
			}
			o.Transcripts = append(o.Transcripts, name)
		}
		return nil
	})
	choiceFlag(c, &o.Sort, "sort", "sort by `KEY`", stats.Orders()...)
	flags.Func("since", "ignore sessions before `TIME`: a date such as 2026-01-31, or an age such as 30d, 2w or 12h", func(text string) (err error) {
		o.Since, err = parseSince(text, time.Now())
		return err
	})
	a.pagerFlag(c)
	flags.BoolVar(&o.Unused, "unused", false, "show only definitions that were never invoked")
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

func (a *app) runStats(ctx context.Context, o stats.Options) error {
	var err error
	if o.Catalog, err = a.options(catalog.Options{}); err != nil {
		return err
	}
	progress := a.stderr().StartProgress("reading sessions")
	o.Step = progress.Step
	s, err := stats.Collect(ctx, o)
	progress.Done()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	return a.paged(ctx, func() error { return a.printStats(s, o.Unused) })
}

// maxStatsHosts is the maximum number of hosts that get their own columns.
const maxStatsHosts = 4

func (a *app) printStats(s *stats.Statistics, unused bool) error {
	out := a.stdout()
	t := statsTable(s, len(s.Hosts) <= maxStatsHosts, true)
	// On a narrow terminal, omit the paths to make room for the numbers.
	if !t.Fits(out) {
		t = statsTable(s, len(s.Hosts) <= maxStatsHosts, false)
	}
	if !t.Fits(out) && len(s.Hosts) > 1 {
		t = statsTable(s, false, false)
	}
	if err := t.Print(out); err != nil {
		return err
	}
	for i := range s.Hosts {
		printStatsHost(out, &s.Hosts[i])
	}
	uninvoked := 0
	for i := range s.Definitions {
		if s.Definitions[i].NeverUsed() {
			uninvoked++
		}
	}
	switch {
	case uninvoked > 0 && !unused:
		out.Line(terminal.Dim, "%s never invoked; to list them, run: vade stats --unused", plural(uninvoked, "definition"))
	case uninvoked == 0 && unused && hasSessions(s):
		a.stderr().Line(terminal.Plain, "vade: every definition with usage data has been invoked")
	case uninvoked == 0 && unused:
		a.stderr().Line(terminal.Plain, "vade: no sessions were read, so Vade cannot tell which definitions are unused; see: vade docs stats")
	}
	return a.printProblems(s.Diagnostics)
}

// hasSessions reports whether at least one session was counted.
func hasSessions(s *stats.Statistics) bool {
	return slices.ContainsFunc(s.Hosts, func(h stats.Host) bool { return h.Transcripts != nil && h.Transcripts.Sessions > 0 })
}

// statsTable returns the table of definitions. If columns is set, each host has its own column. If
// files is set, the last column shows the files.
func statsTable(s *stats.Statistics, columns, files bool) *terminal.Table {
	t := &terminal.Table{Columns: []terminal.Column{{Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "TOKENS", Right: true}}}
	if columns {
		for _, h := range s.Hosts {
			t.Columns = append(t.Columns, terminal.Column{Title: strings.ToUpper(h.Host), Right: true})
		}
	} else {
		t.Columns = append(t.Columns, terminal.Column{Title: "LISTING", Right: true}, terminal.Column{Title: "OF"})
	}
	read := hasSessions(s)
	if read {
		t.Columns = append(t.Columns, terminal.Column{Title: "OFFERED", Right: true}, terminal.Column{Title: "INVOKED", Right: true}, terminal.Column{Title: "LAST USED"})
	}
	if files {
		t.Columns = append(t.Columns, terminal.Column{Title: "FILE", Style: terminal.Dim, Flexible: true})
	}
	for i := range s.Definitions {
		d := &s.Definitions[i]
		cells := []any{d.Kind, d.Name, d.Tokens}
		if !columns {
			n, host := d.Listing()
			cells = append(cells, n, host)
		} else {
			for _, h := range s.Hosts {
				cells = append(cells, inListing(d, h.Host))
			}
		}
		if read {
			last := ""
			if d.LastUsed != nil {
				last = d.LastUsed.Local().Format(time.DateOnly)
			}
			cells = append(cells, formatCount(d.Offered), formatCount(d.Invoked), last)
		}
		t.Row(append(cells, d.Path)...)
	}
	return t
}

// inListing returns the cell for d in a host's column: the number of tokens that d uses in the
// host's listing, or "-" if d is not listed.
func inListing(d *stats.Definition, host string) terminal.Cell {
	i := slices.IndexFunc(d.Hosts, func(h stats.Use) bool { return h.Host == host })
	switch {
	case i < 0 || d.Hosts[i].ListingTokens == 0 && d.Hosts[i].Cut == "":
		return terminal.Cell{Text: "-", Style: terminal.Dim}
	case d.Hosts[i].Cut != "":
		return terminal.Cell{Text: "cut " + strconv.Itoa(d.Hosts[i].ListingTokens), Style: terminal.Yellow}
	}
	return terminal.Cell{Text: strconv.Itoa(d.Hosts[i].ListingTokens)}
}

// formatCount formats a count, or returns "?" if it is nil.
func formatCount(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}

// printStatsHost prints the size of a host's listing, the number of sessions, and the entries whose
// descriptions were cut.
func printStatsHost(out *terminal.Writer, h *stats.Host) {
	line := fmt.Sprintf("%s %s: %d listed, %s", h.Host, h.Version, h.Listed, plural(h.ListingTokens, "token"))
	if t := h.Transcripts; t != nil {
		line += fmt.Sprintf("; %s, %d in this project", plural(t.Sessions, "session"), t.Here)
	}
	out.Line(terminal.Dim, "%s", line)
	printCut(out, "  ", h.Cut)
}
