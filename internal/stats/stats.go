// Package stats counts what each definition costs and how often sessions on this
// machine used it.
package stats

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/transcript"
)

// Options configures [Collect].
type Options struct {
	Catalog catalog.Options
	// Hosts are the hosts to report. If it is empty, Collect reports the hosts that are in use.
	Hosts []string
	// Transcripts lists the hosts whose session transcripts are read. Events before Since are not
	// counted.
	Transcripts []string
	Since       time.Time
	// If Unused is set, only definitions that were never invoked are reported.
	Unused bool
	// Sort is one of [Orders].
	Sort string
	// Step, if not nil, is called after each session file has been read.
	Step func(done, total int)
}

// Statistics is the result of [Collect], which vade stats prints. Its JSON encoding is stable.
type Statistics struct {
	Hosts       []Host            `json:"hosts"`
	Definitions []Definition      `json:"definitions"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Host describes what a host lists and what its sessions contain.
type Host struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Listed is the number of definitions that the host lists. ListingTokens is the estimated
	// number of tokens in the whole listing.
	Listed        int           `json:"listed"`
	ListingTokens int           `json:"listingTokens"`
	Cut           []catalog.Cut `json:"cut"`
	// Transcripts is nil if transcripts were not read.
	Transcripts *Transcripts `json:"transcripts,omitempty"`

	sessions *host.Sessions
	usage    *transcript.Usage
}

// Transcripts counts the sessions read.
type Transcripts struct {
	Sessions int   `json:"sessions"`
	Here     int   `json:"here"`
	Bytes    int64 `json:"bytes"`
}

// Definition is a loaded definition with its costs and the number of times it was used.
type Definition struct {
	Kind  definition.Kind  `json:"kind"`
	Name  string           `json:"name"`
	Layer definition.Layer `json:"layer"`
	Path  string           `json:"path"`
	// Tokens estimates the file's tokens.
	Tokens int   `json:"tokens"`
	Hosts  []Use `json:"hosts"`
	Counts
}

// Use describes how one host uses a definition.
type Use struct {
	Host string `json:"host"`
	Name string `json:"name"`
	// ListingTokens is 0 if the host does not list the definition. Cut explains why the description
	// is shortened or missing.
	ListingTokens int    `json:"listingTokens"`
	Cut           string `json:"cut,omitempty"`
	Counts
}

// Counts contains counts from session transcripts. A count is nil if the transcripts do not show it
// or were not read.
type Counts struct {
	Offered  *int       `json:"offered"`
	Invoked  *int       `json:"invoked"`
	LastUsed *time.Time `json:"lastUsed,omitempty"`
}

func (u *Counts) add(other Counts) {
	sum := func(a, b *int) *int {
		if a == nil || b == nil {
			return cmp.Or(a, b)
		}
		return new(*a + *b)
	}
	u.Offered, u.Invoked = sum(u.Offered, other.Offered), sum(u.Invoked, other.Invoked)
	if last := other.LastUsed; last != nil && (u.LastUsed == nil || last.After(*u.LastUsed)) {
		u.LastUsed = last
	}
}

// NeverUsed reports whether the transcripts show that the definition was never invoked.
func (d *Definition) NeverUsed() bool { return d.Invoked != nil && *d.Invoked == 0 }

// Listing returns the largest number of tokens that the definition takes up in any host's listing,
// and the first host for which it takes up that many.
func (d *Definition) Listing() (most int, host string) {
	for _, h := range d.Hosts {
		if h.ListingTokens > most {
			most, host = h.ListingTokens, h.Host
		}
	}
	return most, host
}

// Orders lists the values of [Options.Sort]. The first is the default.
func Orders() []string {
	return []string{"invoked", "offered", "last-used", "tokens", "listing", "name"}
}

// key returns the number by which definitions are sorted in descending order. Definitions for which
// the number is unknown come last.
func (d *Definition) key(order string) int64 {
	count := func(n *int) int64 {
		if n == nil {
			return -1
		}
		return int64(*n)
	}
	switch order {
	case "invoked":
		return count(d.Invoked)
	case "offered":
		return count(d.Offered)
	case "last-used":
		if d.LastUsed != nil {
			return d.LastUsed.UnixNano()
		}
	case "tokens":
		return int64(d.Tokens)
	case "listing":
		most, _ := d.Listing()
		return int64(most)
	}
	return 0
}

// Collect reports what each host loads and what its sessions used.
func Collect(ctx context.Context, o Options) (*Statistics, error) {
	if len(o.Hosts) == 0 {
		cat, err := catalog.Open(ctx, o.Catalog)
		if err != nil {
			return nil, err
		}
		inUse, err := cat.HostsInUse(ctx)
		cat.Close()
		if err != nil {
			return nil, err
		}
		for _, h := range inUse {
			o.Hosts = append(o.Hosts, h.Host)
		}
	}
	s := &Statistics{Definitions: []Definition{}, Diagnostics: []diag.Diagnostic{}}
	for _, o.Catalog.As = range o.Hosts {
		if err := s.addHost(ctx, o); err != nil {
			return nil, err
		}
	}
	if o.Unused {
		s.Definitions = slices.DeleteFunc(s.Definitions, func(d Definition) bool { return !d.NeverUsed() })
	}
	slices.SortStableFunc(s.Definitions, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(b.key(o.Sort), a.key(o.Sort)), strings.Compare(a.Name, b.Name),
			cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Path, b.Path))
	})
	return s, nil
}

// addHost adds what one host loads and what its sessions used.
func (s *Statistics) addHost(ctx context.Context, o Options) error {
	cat, err := catalog.Open(ctx, o.Catalog)
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
	h := Host{
		Host: l.Host, Version: l.Version, Listed: len(lines), Cut: l.Cut,
		ListingTokens: tokens.Estimate(cmp.Or(l.Text, strings.Join(l.Skills, "\n"))) + tokens.Estimate(cmp.Or(l.AgentsText, strings.Join(l.Agents, "\n"))),
	}
	if at := cat.Profile.Sessions; at != nil && slices.Contains(o.Transcripts, l.Host) {
		c := transcript.CountOptions{Home: cat.Env.Home, Getenv: o.Catalog.Getenv, Since: o.Since, Step: o.Step}
		if p := cat.Quick.Project; p != nil {
			c.Project = p.Real()
		}
		if h.usage, err = transcript.Count(ctx, at, c); err != nil {
			return err
		}
		h.sessions = at
		h.Transcripts = &Transcripts{h.usage.Sessions, h.usage.Here, h.usage.Bytes}
		s.Diagnostics = append(s.Diagnostics, h.usage.Diagnostics...)
	}
	for _, d := range all.All {
		if d.State == definition.Loaded && slices.Contains([]definition.Kind{definition.Skill, definition.Command,
			definition.Agent}, d.Kind) {
			s.addDefinition(d, h.use(d, lines[catalog.ListingKey(d)]))
		}
	}
	s.Hosts = append(s.Hosts, h)
	return nil
}

// use returns how a host uses a definition.
func (h *Host) use(d *definition.Definition, line string) Use {
	u := Use{Host: h.Host, Name: d.Name, ListingTokens: tokens.Estimate(line)}
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

// addDefinition records that one host loads a definition. Hosts may name the same file differently.
func (s *Statistics) addDefinition(d *definition.Definition, use Use) {
	i := slices.IndexFunc(s.Definitions, func(x Definition) bool {
		return x.Path == d.Origin.Path && x.Kind == d.Kind && (x.Name == d.Name || x.Hosts[0].Host != use.Host)
	})
	if i < 0 {
		i = len(s.Definitions)
		s.Definitions = append(s.Definitions, Definition{
			Kind: d.Kind, Name: d.Name, Layer: d.Origin.Layer, Path: d.Origin.Path, Tokens: int(d.Tokens),
		})
	}
	x := &s.Definitions[i]
	x.Hosts = append(x.Hosts, use)
	x.Counts.add(use.Counts)
}
