package fact

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
)

// maxLoading bounds how many commands of a body are looked for.
const maxLoading = 500

// loading adds the commands that a host runs while it loads the definition and that
// are not among the commands yet: it finds them in code and in comments too, where
// they look like an example.
func (f *Facts) loading() {
	if f.Package.Bare || len(f.Package.Files) == 0 {
		return
	}
	x := f.Package.Files[0]
	if x.Role != Main {
		return
	}
	var found []diag.Span
	if x.Lang == "toml" {
		for _, e := range f.Entries {
			if e.Key != "prompt" || e.Value.Span.End > len(x.Text) {
				continue
			}
			list, _ := body.Braced(x.Text[e.Value.Span.Start:e.Value.Span.End], "!{", maxLoading)
			for _, c := range list {
				found = append(found, diag.Span{Start: e.Value.Span.Start + c.Inner.Start, End: e.Value.Span.Start + c.Inner.End})
			}
		}
	} else if f.Body <= len(x.Text) && strings.Contains(x.Text[f.Body:], "!`") || strings.Contains(x.Text, "```!") {
		for _, c := range body.Commands(x.Text[f.Body:], maxLoading) {
			found = append(found, diag.Span{Start: f.Body + c.Inner.Start, End: f.Body + c.Inner.End})
		}
	}
	var known []diag.Span
	for i := range f.Commands {
		if c := &f.Commands[i]; c.Medium == Shell && c.File == 0 {
			known = append(known, c.Span)
		}
	}
	for _, span := range found {
		if overlaps(known, span) {
			continue
		}
		s := f.loadStanding(span.Start)
		s.Medium, s.Lang = Shell, "sh"
		f.CommandsIn(x.Text[span.Start:span.End], Place{0, span}, s)
	}
}

func overlaps(list []diag.Span, s diag.Span) bool {
	for _, k := range list {
		if k.Start < s.End && s.Start < k.End {
			return true
		}
	}
	return false
}

// loadStanding is the standing of the innermost region of the definition at an offset.
func (f *Facts) loadStanding(at int) Standing {
	var s Standing
	width := -1
	for i := range f.Regions {
		r := &f.Regions[i]
		if r.File == 0 && r.Span.Start <= at && at < r.Span.End && (width < 0 || r.Span.End-r.Span.Start <= width) {
			s, width = r.Standing, r.Span.End-r.Span.Start
		}
	}
	return s
}
