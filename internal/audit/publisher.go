package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// use is what commands do with an address.
type use uint8

const (
	notUsed use = iota
	fetchesIt
	runsIt
)

// used is a place in code that does something with an address.
type used struct {
	fact.Place
	how use
}

// fetchedURLs says of the places of addresses whether code fetches what is there, and
// whether an interpreter gets it.
func (p *pass) fetchedURLs() map[fact.Place]use {
	var list []used
	runs := map[int]bool{}
	for _, o := range p.origins() {
		for _, i := range o.from {
			runs[i] = true
		}
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		if _, ok := fetches(c); !ok || uploads(c) {
			continue
		}
		how := fetchesIt
		if runs[i] {
			how = runsIt
		}
		list = append(list, used{c.Place, how})
	}
	for i := range p.Calls {
		if c := &p.Calls[i]; c.Does == fact.Fetch {
			list = append(list, used{c.Place, fetchesIt})
		}
	}
	for i := range p.Flows {
		if f := &p.Flows[i]; f.From == fact.Fetch && (f.To == fact.Evaluate || f.To == fact.RunShell || f.To == fact.RunProgram || f.To == fact.LoadCode) {
			list = append(list, used{f.Source, runsIt})
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b used) int { return a.Compare(b.Place) })
	out := map[fact.Place]use{}
	for i := range p.URLs {
		u := &p.URLs[i]
		k, _ := slices.BinarySearchFunc(list, u.Place, func(a used, at fact.Place) int {
			if a.File < at.File || a.File == at.File && a.Span.Start <= at.Span.Start {
				return -1
			}
			return 1
		})
		for n := 0; n < 8 && k > 0; n++ {
			k--
			if x := list[k]; x.File == u.File && x.Span.Start <= u.Span.Start && x.Span.End >= u.Span.End {
				out[u.Place] = max(out[u.Place], x.how)
			}
		}
	}
	return out
}

// uploads reports whether a command of the network sends a file.
func uploads(c *fact.Command) bool {
	for i, a := range c.Args {
		switch a {
		case "-T", "--upload-file", "--post-file", "--body-file":
			return true
		case "-F", "--form", "-d", "--data", "--data-binary", "--data-raw", "--data-urlencode":
			if i+1 < len(c.Args) && strings.Contains(c.Args[i+1], "@") {
				return true
			}
		}
		if strings.HasPrefix(a, "-T") && len(a) > 2 || strings.HasPrefix(a, "--upload-file=") || strings.HasPrefix(a, "--post-file=") {
			return true
		}
	}
	return false
}

// publisher is who answers for what is at an address: the owner on a forge, or the
// site.
func publisher(u *fact.URL) string {
	if a, ok := fact.Forge(u); ok {
		return a.Owner
	}
	return fact.Site(u.Host)
}

// ownProject reports whether an address is of the project that the package is about: its
// publisher is named by other addresses too, that are for reading.
func (p *pass) ownProject(u *fact.URL) bool {
	who := publisher(u)
	for i := range p.URLs {
		o := &p.URLs[i]
		if o.Text == u.Text || o.Quoted || publisher(o) != who {
			continue
		}
		if a, ok := fact.Forge(o); ok && (a.What == "release" || a.What == "archive" || a.What == "raw") {
			continue
		}
		if o.Medium == fact.Frontmatter || strings.Count(o.Route, "/") > 0 {
			return true
		}
	}
	return false
}
