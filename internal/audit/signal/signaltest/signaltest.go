// Package signaltest builds sets of regions for extractor tests.
package signaltest

import (
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

// Region returns a set with one file and one region.
func Region(path string, medium signal.Medium, lang, text string) *signal.Set {
	s := &signal.Set{Package: &signal.Package{Name: "example"}}
	Add(s, path, medium, lang, text)
	return s
}

// Add adds a file with one region to a set.
func Add(s *signal.Set, path string, medium signal.Medium, lang, text string) {
	s.Package.Files = append(s.Package.Files, &signal.File{Path: path, Raw: []byte(text), Text: text, Size: int64(len(text)), Lang: lang})
	s.Regions = append(s.Regions, signal.Region{
		Place:   signal.Place{File: len(s.Package.Files) - 1, Span: diag.Span{End: len(text)}},
		Context: signal.Context{Medium: medium, Lang: lang}, Text: text, Parent: -1,
	})
}

// Extract runs extractors on a set, including the regions that they embed, and returns a dump of
// the signals.
func Extract(s *signal.Set, list ...signal.Extractor) string {
	for i := 0; i < len(s.Regions); i++ {
		for _, x := range list {
			x.Region(s, i)
		}
	}
	for _, x := range list {
		x.Finish(s)
	}
	return s.Dump()
}
